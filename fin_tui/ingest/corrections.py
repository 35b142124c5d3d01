"""What a user says against the reader: company, form, fiscal year, period end, ticker."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from fin_tui.errors import UsageError
from fin_tui.filings.identity import company_key
from fin_tui.records import Cover, Filing
from fin_tui.store.filings import exact_keys

_FIRST_YEAR, _LAST_YEAR = 1900, 2200


@dataclass(frozen=True, slots=True)
class Corrections:
    """Empty strings leave what the reader found. Values as typed: they are checked by :func:`checked`."""

    company: str = ""
    """Name, ticker or CIK."""
    form: str = ""
    year: str = ""
    period_end: str = ""
    """ISO date."""
    ticker: str = ""

    def as_mapping(self) -> dict[str, str]:
        """The fields that are given, for the library."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}

    @classmethod
    def from_mapping(cls, given: Mapping[str, str]) -> Corrections:
        """The inverse of :meth:`as_mapping`; unknown names are ignored."""
        return cls(**{field.name: given[field.name] for field in fields(cls) if field.name in given})

    def over(self, earlier: Corrections) -> Corrections:
        """These, and where they say nothing the ``earlier`` ones."""
        return Corrections.from_mapping({**earlier.as_mapping(), **self.as_mapping()})


def checked(
    company: str | None, form: str | None, year: int | None, period_end: str | None, ticker: str | None = None
) -> Corrections:
    """Corrections from command-line values; raises ``UsageError`` naming the wrong one."""
    if period_end:
        try:
            period_end = dt.date.fromisoformat(period_end.strip()).isoformat()
        except ValueError as error:
            raise UsageError(f"--period-end {period_end!r} is not a date", "Write it as 2024-09-28.") from error
    if year is not None and not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise UsageError(f"--year {year} is not a fiscal year", "Write it with four digits, as 2024.")
    return Corrections(
        company=" ".join((company or "").split()),
        form=(form or "").strip().upper(),
        year=str(year) if year is not None else "",
        period_end=period_end or "",
        ticker=(ticker or "").strip().upper(),
    )


def corrected(filing: Filing, corrections: Corrections, cover: Cover, held: Sequence[Filing]) -> Filing:
    """``filing`` with the corrections applied.

    A company that is ``held`` already brings its name, key, CIK and ticker; a new name gives a new key only when the key was
    the name, as the numbers on the cover say more than a spelling.
    """
    filing = _with_company(filing, corrections.company, cover, held) if corrections.company else filing
    period_end = dt.date.fromisoformat(corrections.period_end) if corrections.period_end else filing.period_end
    year = int(corrections.year) if corrections.year else filing.fiscal_year
    if corrections.period_end and not corrections.year and filing.fiscal_year is None and period_end:
        year = period_end.year
    return replace(
        filing,
        form=corrections.form or filing.form,
        fiscal_year=year,
        period_end=period_end,
        ticker=corrections.ticker or filing.ticker,
    )


def _with_company(filing: Filing, company: str, cover: Cover, held: Sequence[Filing]) -> Filing:
    others = [other for other in held if other.id != filing.id]
    keys = exact_keys(company, others)
    if len(keys) == 1:
        same = next(other for other in others if other.company_key == keys[0])
        return replace(filing, company=same.company, company_key=same.company_key, cik=same.cik, ticker=same.ticker)
    if company.isdigit() and len(company) <= 10:
        return replace(filing, cik=company.zfill(10), company_key=company_key(Cover(cik=company.zfill(10))))
    if filing.company_key.startswith("name:"):
        return replace(filing, company=company, company_key=company_key(replace(cover, company=company)))
    return replace(filing, company=company)
