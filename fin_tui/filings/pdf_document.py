"""Rows of all pages -> the document: running lines out, tables and passages in reading order, coverage measured."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from fin_tui.filings.blocks import DocumentBuilder
from fin_tui.filings.pdf_columns import reading_flows
from fin_tui.filings.pdf_lines import Row
from fin_tui.filings.pdf_pages import PageFrame, strip_running
from fin_tui.filings.pdf_prose import Style, passages, style_of
from fin_tui.filings.pdf_tables import FoundTable, split_tables
from fin_tui.records import Cover, Document

_NOT_LETTERS = re.compile(r"[\W_]+")


def build_document(
    pages: Sequence[list[Row]], letters: Sequence[Counter[str]], warnings: Sequence[str], title: str = ""
) -> Document:
    """The document of ``pages``; ``letters`` counts for each page what the engine read of it, ``title`` is the file's own."""
    frames = strip_running(pages)
    builder = DocumentBuilder()
    style = style_of(frame.rows for frame in frames)
    open_table: list[str] = []
    for number, frame in enumerate(frames, 1):
        open_table = _add_page(builder, frame, number, style, open_table)
    return Document(
        format="pdf",
        text=builder.text,
        blocks=tuple(builder.blocks),
        pages=len(pages),
        cover=Cover(),
        coverage=_coverage(letters, frames, builder),
        warnings=tuple(warnings),
        beside=(title, *dict.fromkeys(line for frame in frames for line in frame.running)),
    )


def _add_page(builder: DocumentBuilder, frame: PageFrame, number: int, style: Style, open_table: list[str]) -> list[str]:
    """Add the blocks of a page.

    A table that opens the page goes on from one that closed the page before, whose titles and units are ``open_table``;
    returns those of the table that closes this page, empty when none does.
    """
    above, last = list(open_table), list[str]()
    for flow in reading_flows(frame.rows):
        left, right = min(row.x0 for row in flow), max(row.x1 for row in flow)
        for part in _parts(flow):
            if isinstance(part, FoundTable):
                builder.add_table(part.cells, page=number, page_label=frame.label, above=above[-4:])
                above, last = [], above[-4:]
                continue
            if last or above == open_table:
                above, last = [], []
            for passage in passages(part, left, right, style):
                builder.add(passage.kind, passage.text, page=number, page_label=frame.label, level=passage.level)
                above.append(passage.text)
    return last


def _parts(flow: Sequence[Row]) -> Iterator[FoundTable | list[Row]]:
    """The tables of a flow and the runs of rows between them."""
    run: list[Row] = []
    for part in split_tables(flow):
        if isinstance(part, FoundTable):
            if run:
                yield run
            run = []
            yield part
        else:
            run.append(part)
    if run:
        yield run


def _coverage(raw: Sequence[Counter[str]], frames: Sequence[PageFrame], builder: DocumentBuilder) -> float:
    """Share of the engine's letters and digits that stand in the clean text, page by page; running rows count as kept.

    Letters, because the engine cuts words where letters are set apart, and the clean text does not.
    """
    kept = [letters_of("".join(frame.running)) for frame in frames]
    text = builder.text
    for block in builder.blocks:
        kept[block.page - 1].update(letters_of(text[block.start : block.end]))
    total = sum(page.total() for page in raw)
    lost = sum((page - held).total() for page, held in zip(raw, kept, strict=True))
    return 1.0 - lost / total if total else 0.0


def letters_of(text: str) -> Counter[str]:
    """How often each letter and digit stands in ``text``."""
    return Counter(_NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text)))
