"""Whose filing is it, and does it take the place of another one: a library's rules, over what a corpus and a run know.

A library asks its database within a transaction; here one process keeps a small row of every filing and decides alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from fin_tui.records import Cover, Filing
from fin_tui.store.library import are_two, kept_id
from fin_tui.store.resolve import file_number, irs_number, plain, united
from fin_tui.team.rows import Record

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Placed:
    """A filing under the id and company by which it is to be stored."""

    filing: Filing
    replaces: Filing | None = None
    """The version of the same filing whose place it takes; under the same id it is written over, else it is to be removed."""


@dataclass(frozen=True, slots=True)
class Rename:
    """A filing that stands in the corpus under a key that is no longer its company's."""

    filing_id: str
    company_key: str
    cik: str


class Identities:
    """The filings of a corpus, and those that this run adds, in the order in which they came."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._rows: dict[str, Row] = {}
        """By filing id."""
        self._named: defaultdict[tuple[str, object], set[str]] = defaultdict(set)
        """A number or name of a company -> ids of filings that have or had it."""
        self._count = 0
        self._stale: dict[str, Row] = {}
        for record in sorted(records, key=lambda record: record.added):
            self._keep(record.filing, record.irs_number, record.commission_file)
        # A run that was killed may have left keys that it was still to change.
        for row in [row for row in self._rows.values() if not row["cik"]]:
            self._unite(row["filing"], Cover(irs_number=row["irs_number"], commission_file=row["commission_file"]), row["id"])

    def place(self, filing: Filing, cover: Cover) -> Placed:
        """Where a filing that was read is to stand; counts as there from now on."""
        filing = self._unite(filing, cover)
        old = self._older(filing)
        if old is None:
            self._keep(filing, irs_number(cover.irs_number), file_number(cover.commission_file))
            return Placed(filing)
        del self._rows[old["id"]]
        self._stale.pop(old["id"], None)
        filing = replace(filing, id=kept_id(old["id"], filing.id))
        self._keep(filing, irs_number(cover.irs_number), file_number(cover.commission_file), old["number"])
        return Placed(filing, old["filing"])

    def renames(self) -> tuple[Rename, ...]:
        """What the filings brought out about the companies of others."""
        return tuple(Rename(row["id"], row["company_key"], row["cik"]) for row in self._stale.values())

    def _unite(self, filing: Filing, cover: Cover, own: str = "") -> Filing:
        candidates = {id: self._rows[id] for name in _names(filing, cover) for id in self._named[name] if id in self._rows}
        candidates.pop(own, None)
        filing, changed = united(candidates.values(), filing, cover)
        if own and (filing.company_key, filing.cik) != (self._rows[own]["company_key"], self._rows[own]["cik"]):
            self._rename(self._rows[own], filing)
        for row in changed:
            self._rename(row, filing)
        return filing

    def _rename(self, row: Row, like: Filing) -> None:
        row["company_key"], row["cik"] = like.company_key, like.cik
        row["filing"] = replace(row["filing"], company_key=like.company_key, cik=like.cik)
        self._stale[row["id"]] = row
        self._name(row)

    def _older(self, filing: Filing) -> Row | None:
        row = self._rows.get(filing.id) or self._same_report(filing)
        return None if row is None or are_two(row["id"], filing) else row

    def _same_report(self, filing: Filing) -> Row | None:
        if not filing.company_key or filing.period_end is None:
            return None
        rows = (self._rows[id] for id in self._named["key", filing.company_key] if id in self._rows)
        report = (filing.company_key, filing.form, filing.period_end)
        same = [row for row in rows if (row["company_key"], row["form"], row["period_end"]) == report]
        return max(same, key=lambda row: int(row["number"]), default=None)

    def _keep(self, filing: Filing, irs: str, file: str, number: int | None = None) -> None:
        self._count += 1
        self._rows[filing.id] = row = {
            "number": self._count if number is None else number,
            "id": filing.id,
            "filing": filing,
            "company": filing.company,
            "company_key": filing.company_key,
            "cik": filing.cik,
            "ticker": filing.ticker,
            "form": filing.form,
            "period_end": filing.period_end,
            "irs_number": irs,
            "commission_file": file,
        }
        self._name(row)

    def _name(self, row: Row) -> None:
        for name in _names(row["filing"], Cover(irs_number=row["irs_number"], commission_file=row["commission_file"])):
            self._named[name].add(row["id"])


def _names(filing: Filing, cover: Cover) -> Iterator[tuple[str, object]]:
    """All by which another filing of the same company may be known."""
    yield "key", filing.company_key
    if filing.cik:
        yield "cik", filing.cik
    if irs := irs_number(cover.irs_number):
        yield "irs", irs
    if file := file_number(cover.commission_file):
        yield "file", file
    if filing.company:
        yield "name", plain(filing.company)
