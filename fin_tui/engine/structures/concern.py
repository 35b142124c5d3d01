"""Whether a filing states doubt that the company can go on: the sentence that says so stands over its debts and cash."""

from __future__ import annotations

from collections.abc import Iterator

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer
from fin_tui.engine.structures.business import above
from fin_tui.language import any_of, split_sentences
from fin_tui.records import Document, Filing, Sentence

_DOUBT, _CONCERN = "substantial doubt", "going concern"
_OPEN = any_of(
    "whether, if, could, may, might, would, no substantial doubt, not raise, alleviat*, evaluat*, responsib*, in the event, "
    "there can be no assurance, does not, did not, do not"
)
"""Of a sentence that states no doubt of its own: it tells of a standard, of what might be, or denies it."""


def with_doubt(page: FigureAnswer, reader: FilingReader, filing: Filing) -> FigureAnswer:
    """``page`` with the first sentence of ``filing`` that states substantial doubt about going on; as it is where none does."""
    document = reader.document(filing)
    for start, end in _sentences(document):
        text = " ".join(document.text[start:end].split())
        passages = Passages(reader, filing)
        if _CONCERN in text.lower() and not _OPEN.search(text) and (number := passages.number(start, end)) is not None:
            return above(page, StructureAnswer((Sentence(text, (number,), "grounded"),), tuple(passages.made)))
    return page


def _sentences(document: Document) -> Iterator[tuple[int, int]]:
    """The sentences of prose that speak of such doubt."""
    for block in document.blocks:
        text = document.text[block.start : block.end]
        if block.table is None and _DOUBT in text.lower():
            for a, b in split_sentences(text):
                if _DOUBT in text[a:b].lower():
                    yield block.start + a, block.start + b
