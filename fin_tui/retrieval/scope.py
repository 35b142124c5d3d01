"""From what a user typed to the :class:`Scope` that filters before the top k; and back, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fin_tui.errors import NotFound, UsageError
from fin_tui.records import Filing, Scope
from fin_tui.store.filings import company_keys, resolve_all

_ITEM_NAMES = {
    "business": ("1",),
    "risk_factors": ("1A",),
    "unresolved_staff_comments": ("1B",),
    "cybersecurity": ("1C",),
    "properties": ("2",),
    "legal_proceedings": ("3",),
    "mine_safety": ("4",),
    "market": ("5",),
    "mda": ("7",),
    "market_risk": ("7A",),
    "financials": ("8",),
    "controls": ("9A",),
    "directors": ("10",),
    "executive_compensation": ("11",),
    "exhibits": ("15",),
}
_LISTED = 12


def resolve_scope(
    filings: Sequence[Filing],
    *,
    companies: Iterable[str] = (),
    years: Iterable[int] = (),
    items: Iterable[str] = (),
    forms: Iterable[str] = (),
    filing_names: Iterable[str] = (),
) -> Scope:
    """The scope that these words mean in a library of ``filings``.

    ``companies`` are names, tickers or CIKs; ``items`` numbers ("7", "1A") or names (mda, risk_factors, …); ``filing_names`` ids,
    unique prefixes, base names or COMPANY:YEAR. Raises ``NotFound``, with what is held, for what the library lacks (also a
    company without a filing of that year or form), and ``UsageError`` for an unknown Item or a name that fits several.
    """
    keys = tuple(dict.fromkeys(key for name in companies for key in company_keys(name, filings)))
    chosen = tuple(dict.fromkeys(filing.id for name in filing_names for filing in resolve_all(name, filings)))
    scope = Scope(
        companies=keys,
        fiscal_years=tuple(dict.fromkeys(years)),
        items=tuple(dict.fromkeys(item for name in items for item in item_numbers(name))),
        forms=tuple(dict.fromkeys(form_name(form) for form in forms)),
        filings=chosen,
    )
    if (keys or scope.fiscal_years or scope.forms or chosen) and not allowed_filings(filings, scope):
        held = [f for f in filings if not keys or f.company_key in keys]
        raise NotFound(f"No filing for {describe_scope(filings, scope)}", f"In the library: {_listed(held) or 'nothing yet'}.")
    return scope


def allowed_filings(filings: Sequence[Filing], scope: Scope) -> tuple[Filing, ...]:
    """The filings that ``scope`` lets through (Items don't matter here)."""
    return tuple(
        filing
        for filing in filings
        if (not scope.companies or filing.company_key in scope.companies)
        and (not scope.fiscal_years or filing.fiscal_year in scope.fiscal_years)
        and (not scope.forms or filing.form.upper() in scope.forms)
        and (not scope.filings or filing.id in scope.filings)
    )


def limit_to(scope: Scope, filings: Sequence[Filing], names: Sequence[str]) -> Scope:
    """``scope`` cut down to the filings with these base names. Raises ``NotFound`` when none of them is held or left."""
    named = {filing.id for name in names for filing in resolve_all(name, filings)}
    kept = tuple(f.id for f in allowed_filings(filings, scope) if f.id in named)
    if not kept:
        raise NotFound(f"None of {', '.join(names)} is in the library within that scope", f"Held: {_listed(filings)}.")
    return Scope(scope.companies, scope.fiscal_years, scope.items, scope.forms, kept)


def item_numbers(name: str) -> tuple[str, ...]:
    """``"7"``, ``"item 1a"`` or ``"risk_factors"`` -> Item numbers in upper case. Raises ``UsageError`` with the valid names."""
    folded = "_".join(name.lower().replace("-", " ").split())
    if folded in _ITEM_NAMES:
        return _ITEM_NAMES[folded]
    digits, letter = _parted(name.strip().upper().removeprefix("ITEM").strip().removesuffix("."))
    if digits and letter in ("", "A", "B", "C", "D"):
        return (digits + letter,)
    raise UsageError(f"Unknown Item {name!r}", f"Give a number such as 7 or 1A, or one of: {', '.join(_ITEM_NAMES)}.")


def form_name(form: str) -> str:
    """``"10k"`` -> ``"10-K"``."""
    digits, rest = _parted(form.strip().upper())
    name = rest.removeprefix("-")
    return f"{digits}-{name}" if digits and name[:1].isalpha() and name.split() == [name] else digits + rest


def _parted(text: str) -> tuple[str, str]:
    """One or two digits at the beginning of ``text``, and the rest: "10K" -> "10", "K"."""
    rest = text.lstrip("0123456789")
    digits = text.removesuffix(rest) if rest else text
    return (digits, rest) if digits.isascii() and len(digits) <= 2 else ("", text)


def describe_scope(filings: Sequence[Filing], scope: Scope) -> str:
    """For people: "Apple Inc. · FY2024 · Item 7"; "all 3 filings" when nothing limits."""
    names = {filing.company_key: filing.company for filing in filings}
    files = {filing.id: f"{filing.company} {filing.form} FY{filing.fiscal_year or '?'}" for filing in filings}
    parts = [
        ", ".join(names.get(key, key) for key in scope.companies),
        ", ".join(f"FY{year}" for year in scope.fiscal_years),
        ", ".join(scope.forms),
        ", ".join(files.get(filing_id, filing_id) for filing_id in scope.filings),
        ", ".join(f"Item {item}" for item in scope.items),
    ]
    return " · ".join(part for part in parts if part) or f"all {len(filings)} filings"


def _listed(filings: Sequence[Filing]) -> str:
    shown = [f"{f.company} {f.form} FY{f.fiscal_year or '?'}" for f in filings[:_LISTED]]
    return ", ".join(shown) + (f" and {len(filings) - _LISTED} more" if len(filings) > _LISTED else "")
