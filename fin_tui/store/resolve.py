"""From what a user types for a filing to the filing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePath

from fin_tui.errors import NotFound, UsageError
from fin_tui.records import Filing
from fin_tui.store.companies import matching_keys

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
        return NotFound(f"No filing of {own[0].company} for {match[2]}; held: {_listed(own)}", hint)
    return NotFound(f"No filing {name!r} in the library; held: {_listed(filings)}", "fin-tui filings lists all.")


def company_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """The keys of the company that ``name`` (ticker, CIK or name) means.

    Raises ``UsageError`` when it fits companies of different names, ``NotFound`` when it fits none.
    """
    keys = matching_keys(name, filings)
    if not keys:
        held = ", ".join(dict.fromkeys(filing.company for filing in filings)) or "nothing yet"
        raise NotFound(f"No company {name!r} in the library; held: {held}", "fin-tui add FILE brings a filing in.")
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
