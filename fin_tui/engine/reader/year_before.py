"""An Item of a filing beside the same Item of the company's filing before it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fin_tui.errors import NotFound
from fin_tui.filings.changes import Change, compare_texts
from fin_tui.records import Filing, Section


class Library(Protocol):
    """What a comparison reads."""

    def filings(self) -> Sequence[Filing]: ...
    def filing(self, filing_id: str) -> Filing: ...
    def sections(self, filing_id: str) -> Sequence[Section]: ...
    def text(self, filing_id: str) -> str: ...


@dataclass(frozen=True, slots=True)
class ItemChanges:
    """What an Item says that it did not say before, and the other way round."""

    item: str
    newer: Filing
    older: Filing
    changes: tuple[Change, ...]


def compare_item(library: Library, filing_id: str, item: str) -> ItemChanges:
    """Compare ``item`` with the filing before; raises ``NotFound`` when there is none, or one of both has no such Item."""
    newer = library.filing(filing_id)
    older = filing_before(newer, library.filings())
    if older is None:
        raise NotFound(
            f"The library holds no earlier filing of {newer.company or newer.file}.",
            "Add the 10-K of the year before to compare.",
        )
    old, new = (_item_text(library, filing, item) for filing in (older, newer))
    return ItemChanges(item, newer, older, compare_texts(old, new))


def filing_before(filing: Filing, held: Sequence[Filing]) -> Filing | None:
    """The company's latest filing of an earlier period, an amendment only where there is nothing else."""
    earlier = [other for other in held if other.company_key == filing.company_key and _period(other) < _period(filing)]
    return max(earlier, key=lambda other: (not other.form.endswith("/A"), _period(other)), default=None)


def _period(filing: Filing) -> dt.date:
    """The end of the period; a filing without one is before all others."""
    if filing.period_end is not None:
        return filing.period_end
    return dt.date(filing.fiscal_year, 12, 31) if filing.fiscal_year else dt.date.min


def _item_text(library: Library, filing: Filing, item: str) -> str:
    found = [section for section in library.sections(filing.id) if section.item == item]
    if not found:
        name = " ".join(filter(None, (filing.company or filing.file, str(filing.fiscal_year or ""))))
        raise NotFound(f"{name}: no Item {item} was found.", f"fin-tui sections {filing.id} lists what was.")
    longest = max(found, key=lambda section: section.end - section.start)
    return library.text(filing.id)[longest.start : longest.end]
