"""Company names and keys: which filings are of the same company, and which companies a name means."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from rapidfuzz import fuzz

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
