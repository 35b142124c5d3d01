"""Company names and keys: which filings are of the same company, and which companies a name means."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

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


def matching_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """Keys of the companies that ``name`` (a key, CIK, ticker or name) means; more than one when it is ambiguous.

    The best kind of match decides: key, CIK, ticker, whole name, first words of a name, words in a name, similar spelling.
    """
    name = name.strip()
    if not name:
        return ()
    words, folded = plain(name), name.casefold()
    cik = name.upper().removeprefix("CIK").strip().zfill(10) if re.fullmatch(r"(?i)(cik)?\s*\d{1,10}", name) else ""
    tests = (
        lambda f: f.company_key.casefold() == folded,
        lambda f: bool(cik) and f.cik == cik,
        lambda f: f.ticker.casefold() == folded,
        lambda f: f.company.casefold() == folded,
        lambda f: plain(f.company) == words,
        lambda f: plain(f.company)[: len(words)] == words,
        lambda f: set(words) <= set(plain(f.company)),
        lambda f: len(folded) > 3 and fuzz.ratio(" ".join(plain(f.company)), " ".join(words)) >= _SIMILAR,
    )
    for test in tests:
        if keys := tuple(dict.fromkeys(filing.company_key for filing in filings if test(filing))):
            return keys
    return ()


def unify(connection: sqlite3.Connection, filing: Filing, cover: Cover) -> Filing:
    """``filing`` under the key that its company already has here, and its earlier filings under a better key it brings.

    The same company may be known by CIK from one file and by its IRS or Commission file number from another (a PDF).
    """
    rows = connection.execute(
        "SELECT company_key, cik, ticker, count(*) AS n FROM filings WHERE (cik <> '' AND cik = :cik) OR "
        "(irs_number <> '' AND irs_number = :irs AND (cik = '' OR :cik = '')) OR "
        "(commission_file <> '' AND commission_file = :file AND (cik = '' OR :cik = '')) GROUP BY company_key, cik, ticker",
        {"cik": filing.cik, "irs": cover.irs_number, "file": cover.commission_file},
    ).fetchall()
    ciks = {row["cik"] for row in rows if row["cik"]}
    if not rows or len(ciks - {filing.cik}) > 1:
        return filing
    if filing.cik:
        for row in rows:
            if not row["cik"]:
                connection.execute(
                    "UPDATE filings SET company_key = ?, cik = ? WHERE company_key = ? AND cik = ''",
                    (filing.company_key, filing.cik, row["company_key"]),
                )
        return filing
    best = max(rows, key=lambda row: (bool(row["cik"]), bool(row["ticker"]), row["n"]))
    return replace(filing, company_key=best["company_key"], cik=best["cik"], ticker=filing.ticker or best["ticker"])
