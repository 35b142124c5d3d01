"""A scope as the condition that the server applies before its top k."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.records import Filing, Scope
from fin_tui.retrieval.scope import allowed_filings
from fin_tui.store import codec
from fin_tui.team.schema import clipped, filing_number
from fin_tui.team.state import State

MOST_NAMED = 1000
"""Up to this many filings a condition names each; beyond, company, year and form say which."""


@dataclass(frozen=True)
class Limits:
    """What a scope comes to in one state of a corpus."""

    filings: tuple[Filing, ...]
    items: tuple[str, ...]
    condition: str
    """In Milvus' language; "" when nothing limits."""


def limits_of(state: State, scope: Scope) -> Limits:
    """The filings and the condition of ``scope``. An Item takes in what is labelled with it and what stands in its section."""
    filings = allowed_filings(state.filings, scope)
    limited = bool(scope.companies or scope.fiscal_years or scope.forms or scope.filings)
    if limited and len(filings) <= MOST_NAMED:
        parts = [f"filing in {_numbers(filing_number(filing.id) for filing in filings)}"]
    else:
        parts = [*_by_field(scope)] if limited else []
        parts += [f"filing not in {_numbers(state.hidden)}"] if state.hidden else []
    items = tuple(item.upper() for item in scope.items)
    if items:
        parts.append(f"array_contains_any(items, {_texts(items)})")
    return Limits(filings, items, " and ".join(parts))


def _by_field(scope: Scope) -> Iterable[str]:
    if scope.filings:
        yield f"filing in {_numbers(map(filing_number, scope.filings))}"
    if scope.companies:
        yield f"company in {_texts([clipped('company', key) for key in scope.companies])}"
    if scope.fiscal_years:
        yield f"fiscal_year in {_numbers(scope.fiscal_years)}"
    if scope.forms:
        yield f"form in {_texts([clipped('form', form.upper()) for form in scope.forms])}"


def _numbers(values: Iterable[int]) -> str:
    return f"[{', '.join(str(value) for value in values)}]"


def _texts(values: Sequence[str]) -> str:
    """Quoted as in JSON, so that no name ends the condition it stands in."""
    return codec.to_json(list(values))
