"""The options that limit a command to part of the library; the same for every command that takes a scope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fin_tui.records import Filing, Scope

Companies = Annotated[
    list[str] | None, typer.Option("--company", help="Name, ticker or CIK; may be repeated.", show_default=False)
]
Years = Annotated[list[int] | None, typer.Option("--year", help="Fiscal year; may be repeated.", show_default=False)]
Items = Annotated[
    list[str] | None,
    typer.Option("--item", help="7, 1A, mda, risk_factors, business, financials; may be repeated.", show_default=False),
]
Forms = Annotated[list[str] | None, typer.Option("--form", help="10-K, 10-K405, 10-K/A; may be repeated.", show_default=False)]
Filings = Annotated[
    list[str] | None,
    typer.Option("--filing", help="Id, unique prefix, base name or COMPANY:YEAR; may be repeated.", show_default=False),
]


def chosen_scope(
    held: Sequence[Filing],
    company: Sequence[str] | None,
    year: Sequence[int] | None,
    item: Sequence[str] | None,
    form: Sequence[str] | None,
    filing: Sequence[str] | None,
) -> Scope:
    """The scope of these option values. Raises ``NotFound`` for what is not held, ``UsageError`` for what means nothing."""
    from fin_tui.retrieval.scope import resolve_scope

    return resolve_scope(
        held, companies=company or (), years=year or (), items=item or (), forms=form or (), filing_names=filing or ()
    )
