"""``ask --fetch``: what a question names and the library lacks is brought from EDGAR before it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fin_tui.cli.context import Context
from fin_tui.errors import NotFound

if TYPE_CHECKING:
    from fin_tui.engine.answering.fetchable import Missing
    from fin_tui.store.library import Library


def fetch_first(context: Context, question: str, companies: Sequence[str] | None, years: Sequence[int] | None) -> None:
    """Bring what is missing; progress on standard error. Raises ``FinTuiError`` when it can't be brought."""
    from fin_tui.cli.fetch import run_fetch, with_contact
    from fin_tui.filings.edgar.choose import Selection
    from fin_tui.ingest.fetch_plan import Wish
    from fin_tui.network import require_network

    require_network("ask --fetch")
    missing = _missing(context, question, companies or (), tuple(years or ()))
    if missing:
        wishes = tuple(Wish(m.company, Selection(years=m.years, newest=0 if m.years else 1)) for m in missing)
        run_fetch(with_contact(context), wishes, yes=False, embed=True, as_json=False, quiet=True)


def _missing(context: Context, question: str, companies: Sequence[str], years: tuple[int, ...]) -> tuple[Missing, ...]:
    """What the options name, where they name companies; else what the question names."""
    from fin_tui.engine.answering.answer import Request
    from fin_tui.engine.answering.fetchable import missing_filings
    from fin_tui.engine.services import open_services

    with open_services(context.paths, context.settings, with_model=False) as services:
        if companies:
            return tuple(filter(None, (_lacking(services.library, name, years) for name in companies)))
        understood = services.engine.understand(Request(question))
        refusal = services.engine.refuse(understood)
        if understood.target.missing or (refusal is not None and refusal.fetch):
            return missing_filings(services.engine.named(understood)[0], understood.held)
        return ()


def _lacking(library: Library, name: str, years: tuple[int, ...]) -> Missing | None:
    from fin_tui.engine.answering.fetchable import Missing

    try:
        keys = library.company_keys(name)
    except NotFound:
        return Missing(name, years)
    held = {filing.fiscal_year for filing in library.filings() if filing.company_key in keys}
    gone = tuple(year for year in years if year not in held)
    return Missing(name, gone) if gone else None
