"""The text of an Item, as ``show --item`` and other programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fin_tui.errors import NotFound
from fin_tui.records import Filing, Span
from fin_tui.retrieval.scope import item_numbers

if TYPE_CHECKING:
    from fin_tui.store.corpus import Corpus


def item_spans(library: Corpus, filing: Filing, item: str) -> tuple[Span, ...]:
    """Where ``item`` ("7", "1A", "mda", …) stands in the clean text, in reading order; Items merged into one span give it once.

    Raises ``NotFound`` with the Items that there are, ``UsageError`` for what names no Item.
    """
    wanted = item_numbers(item)
    spans = {(section.start, section.end) for section in library.sections(filing.id) if section.item in wanted}
    if not spans:
        name = f"{filing.company or filing.file} {filing.form} FY{filing.fiscal_year or '?'} ({filing.id})"
        raise NotFound(f"{name} has no Item {item}", f"It has: {', '.join(filing.items) or 'no Items'}.")
    return tuple(Span(start, end) for start, end in sorted(spans))


def item_text(library: Corpus, filing: Filing, item: str) -> str:
    """The clean text of ``item``; raises as :func:`item_spans`."""
    whole = library.text(filing.id)
    return "\n\n".join(whole[span.start : span.end] for span in item_spans(library, filing, item))
