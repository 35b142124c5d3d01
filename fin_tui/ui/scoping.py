"""What the reader has put into the scope, as picked in the browser. Pure; turns picks into a ``Scope`` and into chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fin_tui.records import Filing, Scope
from fin_tui.ui.text import one_line, year_label


@dataclass(frozen=True, slots=True)
class Picks:
    """Companies, filings and Items of filings, each picked on its own; together they are a union."""

    companies: frozenset[str] = frozenset()
    """Company keys."""
    filings: frozenset[str] = frozenset()
    """Filing ids."""
    items: frozenset[tuple[str, str]] = frozenset()
    """(filing id, Item)."""

    def __bool__(self) -> bool:
        return bool(self.companies or self.filings or self.items)

    def toggle_company(self, key: str) -> Picks:
        return replace(self, companies=self.companies ^ {key})

    def toggle_filing(self, filing: str) -> Picks:
        return replace(self, filings=self.filings ^ {filing})

    def toggle_item(self, filing: str, item: str) -> Picks:
        return replace(self, items=self.items ^ {(filing, item)})

    def scope(self, library: Sequence[Filing]) -> Scope:
        """The scope that holds exactly what was picked.

        Items limit every filing of a scope, so they only apply when nothing wider than an Item was picked.
        """
        if self.companies and not (self.filings or self.items):
            return Scope(companies=tuple(sorted(self.companies)))
        ids = {f.id for f in library if f.company_key in self.companies} | self.filings | {f for f, _ in self.items}
        only_items = self.items and not (self.companies or self.filings)
        items = tuple(sorted({item for _, item in self.items})) if only_items else ()
        return Scope(filings=tuple(sorted(ids)), items=items)

    def chips(self, library: Sequence[Filing]) -> list[str]:
        """One short label for each pick, in the order of the library."""
        companies = {f.company_key: one_line(f.company) or f.file for f in library}
        names = {f.id: f"{one_line(f.company) or f.file} {year_label(f)}" for f in library}
        labels = [name for key, name in companies.items() if key in self.companies]
        labels += [name for key, name in names.items() if key in self.filings]
        labels += [f"{names[key]} Item {item}" for key, item in sorted(self.items) if key in names]
        return labels
