"""From what a user calls a company to its number at EDGAR."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from fin_tui.errors import UsageError
from fin_tui.filings.company_names import normal_company
from fin_tui.filings.edgar.client import Client
from fin_tui.filings.edgar.errors import NotAtEdgar
from fin_tui.filings.edgar.listed import Company
from fin_tui.filings.edgar.transfer import Broken

_CIK_DIGITS = 10
_NEAR = 80
_SHOWN = 5
_BY_NUMBER = "A company without a ticker today is found by its CIK."


class _Table(Struct, frozen=True):
    """The list as EDGAR gives it: column names, then rows."""

    fields: list[str]
    data: list[list[str | int | float | None]]


class Companies:
    """The companies that have a ticker, asked for once and only when a name or ticker is to be found."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: tuple[Company, ...] | None = None

    def find(self, name: str) -> Company:
        """By CIK, ticker or name. Raises ``NotAtEdgar`` with the nearest names, ``UsageError`` when several fit."""
        name = " ".join(name.split())
        digits = name.upper().removeprefix("CIK")
        if digits.isascii() and digits.isdigit():
            if len(digits) > _CIK_DIGITS:
                raise UsageError(f"{name!r} has too many digits for a CIK", "An accession number goes with --accession.")
            return Company(digits.zfill(_CIK_DIGITS))
        known = self._all()
        if found := [company for company in known if _ticker(company.ticker) == _ticker(name)]:
            return found[0]
        return self._by_name(name, known)

    def _by_name(self, name: str, known: tuple[Company, ...]) -> Company:
        wanted = normal_company(name)
        if not wanted:
            raise UsageError(f"{name!r} names no company", "Give a ticker, a CIK or a name.")
        exact = _distinct(company for company in known if normal_company(company.name) == wanted)
        begun = exact or _distinct(company for company in known if f"{normal_company(company.name)} ".startswith(f"{wanted} "))
        if len(begun) == 1:
            return begun[0]
        if begun:
            raise UsageError(f"{name!r} fits several companies: {_listed(begun)}", "Give the ticker or the CIK.")
        raise NotAtEdgar(f"EDGAR lists no company {name!r}.", f"{_nearest(wanted, known)}{_BY_NUMBER}")

    def _all(self) -> tuple[Company, ...]:
        if self._known is None:
            self._known = self._client.read(self._client.addresses.tickers(), _companies)
        return self._known


def _companies(raw: bytes) -> tuple[Company, ...]:
    try:
        table = msgspec.json.decode(raw, type=_Table)
        cik, name, ticker = (table.fields.index(field) for field in ("cik", "name", "ticker"))
        return tuple(
            Company(str(row[cik]).zfill(_CIK_DIGITS), " ".join(str(row[name]).split())[:200], str(row[ticker]).upper()[:12])
            for row in table.data
            if str(row[cik]).isdigit() and len(str(row[cik])) <= _CIK_DIGITS
        )
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError, ValueError, IndexError) as error:
        raise Broken("it answered with something else than its list of companies") from error


def _ticker(text: str) -> str:
    """Share classes are written with a dot, a dash or a slash."""
    return text.upper().replace(".", "-").replace("/", "-")


def _distinct(companies: Iterable[Company]) -> list[Company]:
    """One for each number: a company stands in the list once for every class of its shares."""
    found: dict[str, Company] = {}
    for company in companies:
        found.setdefault(company.cik, company)
    return list(found.values())


def _nearest(wanted: str, known: tuple[Company, ...]) -> str:
    from rapidfuzz import fuzz, process

    names = [normal_company(company.name) for company in known]
    near = process.extract(wanted, names, scorer=fuzz.WRatio, limit=_SHOWN, score_cutoff=_NEAR)
    found = _distinct(known[number] for _, _, number in near)
    return f"Did you mean {_listed(found)}? " if found else ""


def _listed(companies: list[Company]) -> str:
    shown = ", ".join(f"{company.name} ({company.ticker or company.cik})" for company in companies[:_SHOWN])
    return shown + (f" and {len(companies) - _SHOWN} more" if len(companies) > _SHOWN else "")
