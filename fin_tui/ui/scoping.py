"""What the reader picked: companies, filings, Items for the scope; passages kept or left out. Pure."""

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

    def in_year(self, library: Sequence[Filing], by: int) -> tuple[Picks, int] | None:
        """The same companies (all when nothing is picked) in the fiscal year ``by`` after the picked one, with that year.

        Before the first move companies as such stand for their newest year. Items move along. None when the library holds no
        filing of them there; companies without one are left out.
        """
        ids = self.filings | {filing for filing, _ in self.items}
        picked = [filing for filing in library if filing.id in ids and filing.fiscal_year is not None]
        companies = {filing.company_key for filing in picked} | self.companies or {filing.company_key for filing in library}
        of_them = [f for f in library if f.company_key in companies and f.fiscal_year is not None]
        years = sorted({filing.fiscal_year for filing in of_them if filing.fiscal_year is not None})
        if not years:
            return None
        now = max((f.fiscal_year for f in picked if f.fiscal_year is not None), default=None)
        later = [year for year in years if now is not None and (year > now if by > 0 else year < now)]
        if now is not None and not later:
            return None
        year = years[-1] if now is None else (later[0] if by > 0 else later[-1])
        there = _originals([filing for filing in of_them if filing.fiscal_year == year])
        items = {item for _, item in self.items}
        if self.items and not self.filings:
            return Picks(items=frozenset((filing.id, item) for filing in there for item in items)), year
        return Picks(filings=frozenset(filing.id for filing in there)), year

    def chips(self, library: Sequence[Filing]) -> list[str]:
        """One short label for each pick, in the order of the library."""
        companies = {f.company_key: one_line(f.company) or f.file for f in library}
        names = {f.id: f"{one_line(f.company) or f.file} {year_label(f)}" for f in library}
        labels = [name for key, name in companies.items() if key in self.companies]
        labels += [name for key, name in names.items() if key in self.filings]
        labels += [f"{names[key]} Item {item}" for key, item in sorted(self.items) if key in names]
        return labels


def _originals(filings: Sequence[Filing]) -> list[Filing]:
    """Of each company the filings that are no amendments; all where it has only those."""
    whole = {filing.company_key for filing in filings if not filing.form.endswith("/A")}
    return [filing for filing in filings if filing.company_key not in whole or not filing.form.endswith("/A")]


@dataclass(frozen=True, slots=True)
class SourcePicks:
    """Chunk ids, in the order in which they were picked."""

    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.kept or self.dropped)

    def toggle_kept(self, chunk: str) -> SourcePicks:
        """Keep a passage, or no longer; one that was left out is not any more."""
        return replace(self, kept=_toggle(self.kept, chunk), dropped=_without(self.dropped, chunk))

    def toggle_dropped(self, chunk: str) -> SourcePicks:
        """Leave a passage out, or no longer; one that was kept is not any more."""
        return replace(self, kept=_without(self.kept, chunk), dropped=_toggle(self.dropped, chunk))

    @property
    def chips(self) -> list[str]:
        """What to show above the prompt."""
        named = ((len(self.kept), "pinned"), (len(self.dropped), "excluded"))
        return [f"{number} {'passage' if number == 1 else 'passages'} {what}" for number, what in named if number]


def _toggle(chunks: tuple[str, ...], chunk: str) -> tuple[str, ...]:
    return _without(chunks, chunk) if chunk in chunks else (*chunks, chunk)


def _without(chunks: tuple[str, ...], chunk: str) -> tuple[str, ...]:
    return tuple(other for other in chunks if other != chunk)
