"""The PDF reader on real annual reports, reached through FIN_TUI_CORPUS."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from fin_tui.filings.pdf import read_pdf
from fin_tui.records import BlockKind, Document

CORPUS = Path(os.environ.get("FIN_TUI_CORPUS", ""))
FILES = sorted((CORPUS / "pdf").glob("*.pdf")) if os.environ.get("FIN_TUI_CORPUS") else []
_FIGURE = re.compile(r"\(?\$?\(?\d[\d,]*(?:\.\d+)?\)?%?")

_TWO_FIGURES = re.compile(r"\d[\d,]{3,}\s+[$(]*\d[\d,]{3,}")
_YEAR = re.compile(r"(?:19|20)\d\d")

pytestmark = pytest.mark.skipif(not FILES, reason="FIN_TUI_CORPUS is not set, or holds no pdf/ folder")


@cache
def document(path: Path) -> Document:
    return read_pdf(path.read_bytes())


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_lost_and_structure_is_found(path: Path) -> None:
    read = document(path)
    assert read.coverage > 0.995
    assert not read.warnings
    kinds = Counter(block.kind for block in read.blocks)
    assert kinds[BlockKind.TABLE] > 0.3 * read.pages
    assert kinds[BlockKind.HEADING] > read.pages
    labelled = {block.page for block in read.blocks if block.page_label}
    assert len(labelled) > 0.55 * read.pages
    spans = [(block.start, block.end) for block in read.blocks]
    assert all(a[1] < b[0] for a, b in pairwise(spans))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_figures_stand_in_rows_with_their_label(path: Path) -> None:
    """In tables of figures nearly every row that holds figures has a label of words, and few cells hold two figures."""
    rows = labelled = cells = crowded = 0
    read = document(path)
    for block in read.blocks:
        for row in block.table.rows if block.table else ():
            figures = [cell for cell in row if _FIGURE.fullmatch(cell.text)]
            if len(figures) < 2:
                continue
            rows += 1
            labelled += any(re.search(r"[A-Za-z]", cell.text) for cell in row) or bool(_YEAR.fullmatch(row[0].text))
            cells += len(row)
            crowded += sum(bool(_TWO_FIGURES.search(cell.text)) and not re.search("[A-Za-z]", cell.text) for cell in row)
    assert rows > 300
    assert labelled > 0.9 * rows
    assert crowded < 0.005 * cells


def test_evidence_of_analysts_stands_on_its_page() -> None:
    held = total = 0
    for line in (CORPUS / "qa" / "financebench.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        read = document(CORPUS / "pdf" / row["filing"])
        for evidence in row["evidence"]:
            page = " ".join(read.text[b.start : b.end] for b in read.blocks if b.page == evidence["page"])
            letters = re.sub(r"\W", "", page.lower())
            missing = words(evidence["text"]) - words(page)
            # The evidence was copied from another extraction, which runs words together.
            lost = sum(n for word, n in missing.items() if len(word) < 9 or word not in letters)
            held += words(evidence["text"]).total() - lost
            total += words(evidence["text"]).total()
    assert held / total > 0.98
