"""Statements about real filings, true and altered, and a memo, against the filings (found through FIN_TUI_CORPUS)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.config import Chunking, Settings
from fin_tui.engine.checking import Checker
from fin_tui.engine.checking.passages import Passages
from fin_tui.facts import vocabulary
from fin_tui.facts.lookup import FactBook
from fin_tui.ingest.pipeline import parse
from fin_tui.paths import Paths
from fin_tui.retrieval.retriever import Retriever
from fin_tui.store.library import Library

FILES = (
    "AAPL_10-K_FY2023_0000320193-23-000106.htm",
    "AAPL_10-K_FY2024_0000320193-24-000123.htm",
    "NVDA_10-K_FY2024_0001045810-24-000029.htm",
    "PLTR_10-K_FY2023_0001321655-24-000022.htm",
)
COMPANIES = ("Apple", "Nvidia", "Palantir")

TRUE = """# Apple, fiscal 2024

Net sales were $391.0 billion, up 2% from $383.3 billion in the prior year. Net income decreased 3% to $93.7 billion, or
$6.08 per diluted share. Gross margin was 46.2%, compared with 44.1% in fiscal 2023.
R&D expense increased $1.5 billion, or 5%, to $31.4 billion, and was 8% of net sales.

- iPhone accounted for 51% of total net sales.
- Greater China net sales fell 8% to $67.0 billion.
- The company repurchased $94.9 billion of its common stock and paid $15.2 billion in dividends.
- As of September 28, 2024, Apple had approximately 164,000 full-time equivalent employees.

Nvidia's revenue more than doubled to $60.9 billion in fiscal 2024, and its Data Center revenue was $47.5 billion.

| Nvidia (in millions) | FY2024 | FY2023 |
|---|---:|---:|
| Revenue of Nvidia | 60,922 | 26,974 |
| Net income of Nvidia | 29,760 | 4,368 |
"""
FALSE = """Apple's net sales rose 20% in fiscal 2024. Apple's gross margin was 41.3% in fiscal 2024.
Greater China net sales of Apple were $57.0 billion in fiscal 2024. Apple's net income increased to $93.7 billion in fiscal 2024.
As of September 28, 2024, Apple had approximately 146,000 full-time equivalent employees.
Nvidia's revenue was $60.9 million in fiscal 2024. Palantir's net income was negative $209.8 million in fiscal 2023.
"""


@pytest.fixture(scope="module")
def checker(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    """A checker over four real filings, parsed once."""
    paths = Paths(tmp_path_factory.mktemp("check"))
    with Library.open(paths) as library:
        for name in FILES:
            path = corpus / "filings" / name
            if not path.exists():
                pytest.skip(reason=f"{name} is not in the corpus")
            library.add(parse(path.read_bytes(), path.name, Chunking()))
        passages = Passages(Retriever(library, paths, Settings()), vocabulary())
        book = FactBook(library)
        yield Checker(book, book, vocabulary(), library.filings(), library.chunks, passages)


def test_statements_true_and_altered(checker: Checker, corpus: Path) -> None:
    lines = (corpus / "qa" / "statements.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["filing"] in FILES and row["company"].split()[0] in COMPANIES]
    found = Counter((row["expect"], checker.check(row["text"]).status) for row in rows)
    true = sum(count for (expected, _), count in found.items() if expected == "supported")
    assert true >= 25
    assert found["supported", "supported"] >= 0.95 * true
    assert found["supported", "contradicted"] == 0
    assert found["contradicted", "supported"] == found["contradicted", "unknown"] == 0


def test_a_true_memo_is_supported_number_by_number(checker: Checker) -> None:
    numbers = [number for statement in checker.check(TRUE).statements for number in statement.numbers]
    assert len(numbers) == 25
    assert [(number.text, number.why) for number in numbers if number.status != "supported"] == []
    assert all(number.found for number in numbers)


def test_each_false_number_is_contradicted(checker: Checker) -> None:
    numbers = [number for statement in checker.check(FALSE).statements for number in statement.numbers]
    assert [(number.text, number.why) for number in numbers if number.status != "contradicted"] == []
    assert len(numbers) == 7
