"""From what a user types to a filing, and from a company's name to its filings."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Protocol, TypeVar

from rapidfuzz import fuzz

from fin_tui.errors import NotFound, UsageError
from fin_tui.records import Cover, Filing

_ENDINGS = frozenset(
    {"inc", "incorporated", "corp", "corporation", "co", "company", "companies", "ltd", "limited", "plc", "llc", "lp", "sa", "nv"}
    | {"ag", "se", "the", "group", "holding", "holdings", "com"}
)
_WORD = re.compile(r"[a-z0-9]+")
_SIMILAR = 88.0


def plain(name: str) -> tuple[str, ...]:
    """The words of a company name that tell it apart: lower case, without legal forms."""
    words = tuple(_WORD.findall(name.casefold().replace("'", "").replace("’", "").replace(".com", " com")))
    return tuple(word for word in words if word not in _ENDINGS) or words


_Test = Callable[[Filing], bool]


def matching_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """Keys of the companies that ``name`` (a key, CIK, ticker or name) means; more than one when it is ambiguous.

    The best kind of match decides: as :func:`exact_keys`, then first words of a name, words in a name, similar spelling.
    """
    name = name.strip()
    words, folded = plain(name), name.casefold()
    near: tuple[_Test, ...] = (
        lambda f: plain(f.company)[: len(words)] == words,
        lambda f: set(words) <= set(plain(f.company)),
        lambda f: len(folded) > 3 and fuzz.ratio(" ".join(plain(f.company)), " ".join(words)) >= _SIMILAR,
    )
    return exact_keys(name, filings) or (_first(near, filings) if words else ())


def exact_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """Keys of the companies whose key, CIK, ticker or whole name (legal form aside) this is; the first kind that fits decides."""
    name = name.strip()
    words, folded = plain(name), name.casefold()
    cik = name.upper().removeprefix("CIK").strip().zfill(10) if re.fullmatch(r"(?i)(cik)?\s*\d{1,10}", name) else ""
    exact: tuple[_Test, ...] = (
        lambda f: f.company_key.casefold() == folded,
        lambda f: bool(cik) and f.cik == cik,
        lambda f: f.ticker.casefold() == folded,
        lambda f: f.company.casefold() == folded,
        lambda f: plain(f.company) == words,
    )
    return _first(exact, filings) if name else ()


def _first(tests: Sequence[_Test], filings: Sequence[Filing]) -> tuple[str, ...]:
    for test in tests:
        if keys := tuple(dict.fromkeys(filing.company_key for filing in filings if test(filing))):
            return keys
    return ()


def irs_number(printed: str) -> str:
    """The digits alone: "94-2404110" and "942404110" are one."""
    return re.sub(r"\D", "", printed)


def file_number(printed: str) -> str:
    """Without the zeros that some writers put before its parts: "000-10030" is "0-10030"."""
    return "-".join(part.lstrip("0") or "0" for part in re.split(r"\D+", printed) if part)


class Known(Protocol):
    """What a table holds of a filing: company_key, cik, ticker, company, irs_number, commission_file, and number, its age."""

    def __getitem__(self, name: str, /) -> Any: ...


K = TypeVar("K", bound=Known)


def unify(connection: sqlite3.Connection, filing: Filing, cover: Cover) -> Filing:
    """``filing`` under the key that its company already has here, and its earlier filings under a better key it brings."""
    held: list[sqlite3.Row] = connection.execute("SELECT * FROM filings").fetchall()
    filing, changed = united(held, filing, cover)
    connection.executemany(
        "UPDATE filings SET company_key = ?, cik = ? WHERE number = ?",
        [(filing.company_key, filing.cik, row["number"]) for row in changed],
    )
    return filing


def united(held: Iterable[K], filing: Filing, cover: Cover) -> tuple[Filing, list[K]]:
    """``filing`` under the key that its company already has among those ``held``, and those that get the filing's key and CIK.

    The same company may be known by CIK from one file, by its IRS or Commission file number from another (a PDF), and by
    nothing but its name from a third. Numbers that lead to two companies decide nothing.
    """
    rows = [row for row in held if _is_same(row, filing, cover)]
    ciks = {row["cik"] for row in rows if row["cik"]} | ({filing.cik} if filing.cik else set())
    if not rows or len(ciks) > 1:
        return filing, []
    if filing.cik:
        return filing, [row for row in rows if not row["cik"]]
    best = max(rows, key=lambda row: (bool(row["cik"]), not row["company_key"].startswith("name:"), -row["number"]))
    if best["cik"] or filing.company_key.startswith("name:"):
        return replace(filing, company_key=best["company_key"], cik=best["cik"], ticker=filing.ticker or best["ticker"]), []
    return filing, rows


def _is_same(row: Known, filing: Filing, cover: Cover) -> bool:
    if row["cik"] and filing.cik:
        return bool(row["cik"] == filing.cik)
    if row["company_key"] == filing.company_key:
        return True
    for known, read in (
        (row["irs_number"], irs_number(cover.irs_number)),
        (row["commission_file"], file_number(cover.commission_file)),
    ):
        if known and known == read:
            return True
    has_name_only = "name:" in (row["company_key"][:5], filing.company_key[:5])
    return has_name_only and bool(filing.company) and plain(row["company"]) == plain(filing.company)


_LISTED = 8
_PREFIX = 4
_COMPANY_YEAR = re.compile(r"(.+):\s*(?:FY)?\s*(\d{4})", re.IGNORECASE)


def resolve(name: str, filings: Sequence[Filing]) -> Filing:
    """The one filing that ``name`` means: an id, a unique prefix, the base name as added, or ``COMPANY:YEAR``.

    Raises ``UsageError`` with the candidates when it means several, ``NotFound`` with what is held when it means none.
    """
    found = _by_id_or_file(name, filings) or _by_company(name, filings)
    if len(found) > 1:
        found = tuple(filing for filing in found if not filing.form.endswith("/A")) or found
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{name!r} means {len(found)} filings: {_listed(found)}", "Give an id or COMPANY:YEAR.")
    raise not_found(name, filings)


def resolve_all(name: str, filings: Sequence[Filing]) -> tuple[Filing, ...]:
    """All filings that ``name`` means, where a company alone means all of its filings and ``COMPANY:YEAR`` all of that year.

    Raises ``UsageError`` when the name fits several companies or is an ambiguous prefix, ``NotFound`` when nothing fits.
    """
    found = _by_id_or_file(name, filings)
    if len(found) > 1:
        raise UsageError(f"{name!r} means {len(found)} filings: {_listed(found)}", "Give an id or COMPANY:YEAR.")
    found = found or _by_company(name, filings)
    if not found:
        raise not_found(name, filings)
    return found


def not_found(name: str, filings: Sequence[Filing]) -> NotFound:
    """The error that says what the library does hold."""
    if not filings:
        return NotFound(f"No filing {name!r}: the library is empty", "fin-tui add FILE, or fin-tui setup for the samples.")
    match = _COMPANY_YEAR.fullmatch(name)
    if match and (keys := matching_keys(match[1], filings)):
        own = [filing for filing in filings if filing.company_key in keys]
        wanted = own[0].ticker or own[0].cik or own[0].company
        hint = f"fin-tui fetch {shlex.quote(wanted)} --year {match[2]} asks EDGAR for it."
        return NotFound(f"No filing of {own[0].company} for {match[2]}; in the library: {_listed(own)}", hint)
    return NotFound(f"No filing {name!r} in the library: it has {_listed(filings)}", "fin-tui filings lists all.")


def company_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """The keys of the company that ``name`` (ticker, CIK or name) means.

    Raises ``UsageError`` when it fits companies of different names, ``NotFound`` when it fits none.
    """
    keys = matching_keys(name, filings)
    if not keys:
        held = ", ".join(dict.fromkeys(filing.company for filing in filings)) or "nothing yet"
        raise NotFound(f"No company {name!r} in the library: it has {held}", "fin-tui add FILE brings a filing in.")
    if len(keys) > 1:
        names = dict.fromkeys(filing.company for filing in filings if filing.company_key in keys)
        if len({name.casefold() for name in names}) > 1:
            raise UsageError(
                f"{name!r} fits several companies: {', '.join(names)}", "Give the ticker, the CIK or the whole name."
            )
    return keys


def _by_id_or_file(name: str, filings: Sequence[Filing]) -> tuple[Filing, ...]:
    folded = name.strip().casefold()
    base = PurePath(folded).name
    tests = (
        lambda f: f.id.casefold() == folded,
        lambda f: f.file == name.strip(),
        lambda f: f.file.casefold() == base,
        lambda f: PurePath(f.file).stem.casefold() == base,
        lambda f: len(folded) >= _PREFIX and any(known.startswith(folded) for known in _spellings(f.id)),
    )
    for test in tests:
        if folded and (found := tuple(filing for filing in filings if test(filing))):
            return found
    return ()


def _spellings(filing_id: str) -> tuple[str, ...]:
    """With and without "sha256:"; an accession number with and without dashes."""
    folded = filing_id.casefold()
    return folded, folded.removeprefix("sha256:"), folded.replace("-", "")


def _by_company(name: str, filings: Sequence[Filing]) -> tuple[Filing, ...]:
    match = _COMPANY_YEAR.fullmatch(name.strip())
    company, year = (match[1], int(match[2])) if match else (name, None)
    keys = company_keys(company, filings) if matching_keys(company, filings) else ()
    return tuple(filing for filing in filings if filing.company_key in keys and year in (None, filing.fiscal_year))


def _listed(filings: Sequence[Filing]) -> str:
    shown = [f"{f.company} {f.form} FY{f.fiscal_year or '?'} ({f.id})" for f in filings[:_LISTED]]
    more = len(filings) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
