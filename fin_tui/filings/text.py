"""Plain-text filings, as all were before 2001: hard-wrapped prose, ASCII tables, page marks -> blocks over a clean text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from fin_tui.filings.blocks import DocumentBuilder
from fin_tui.filings.cleaning import clean
from fin_tui.filings.text_pages import Pages, SourceLine, is_rule, split_pages
from fin_tui.filings.text_prose import Piece, known_words, mend_page_breaks, prose_pieces, usual_width
from fin_tui.filings.text_regions import parts
from fin_tui.filings.text_tables import Grid
from fin_tui.records import Cover, Document

_ABOVE = 4
_WORD = re.compile(r"[A-Za-z0-9]+")


def read_text(raw: bytes) -> Document:
    """One plain-text document (a submission's wrapper already taken off) as blocks; the cover is left empty.

    Bytes are read as UTF-8, else as Windows-1252; what neither knows is replaced. Nothing is refused here.
    """
    text = decode(raw)
    pages = split_pages(text)
    width = usual_width(line.text for line in pages.lines if not line.table)
    words = known_words(text)
    found: list[Piece | Grid] = []
    for part in parts(pages.lines, width):
        if isinstance(part, Grid):
            found += [*_prose(part.before, width, words), part, *_prose(part.after, width, words)]
        else:
            found += _prose(part, width, words)
    builder = DocumentBuilder()
    _add(builder, mend_page_breaks(found), pages)
    return Document(
        format="text",
        text=builder.text,
        blocks=tuple(builder.blocks),
        pages=pages.count,
        cover=Cover(),
        coverage=_coverage(pages.lines, builder.text),
    )


def decode(raw: bytes) -> str:
    """``raw`` as text: UTF-8 when it is valid, else Windows-1252 with unknown bytes replaced."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _prose(lines: Iterable[SourceLine], width: int, words: frozenset[str]) -> list[Piece]:
    return prose_pieces([(line.text, line.page) for line in lines], width, words)


def _add(builder: DocumentBuilder, found: Iterable[Piece | Grid], pages: Pages) -> None:
    """Adds pieces and tables in order; a table is told the texts right above it."""
    above: list[str] = []
    for part in found:
        label = pages.labels.get(part.page, "")
        if isinstance(part, Grid):
            builder.add_table(part.cells, page=part.page, page_label=label, above=above[-_ABOVE:])
            above.clear()
        else:
            builder.add(part.kind, part.text, page=part.page, page_label=label, level=part.level)
            above.append(clean(part.text))


def _coverage(lines: Iterable[SourceLine], text: str) -> float:
    """Share of the source's words (running lines and page numbers aside) that stand in ``text``, as often as there."""
    source = Counter(word for line in lines if not is_rule(line.text) for word in _WORD.findall(line.text))
    total = sum(source.values())
    if not total:
        return 1.0
    # A word cut at a line end counts as found when its two halves make a word of the text.
    missing = source - Counter(_WORD.findall(text))
    return 1.0 - sum(missing.values()) / total
