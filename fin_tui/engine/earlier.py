"""Where else to look when a company's latest filing says little of a matter: its earlier ones (pure).

A question without a year is about the latest filing, but some matters stand only in an older one. Looking there is never
silent: the answer says which year it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.engine.target import Target, in_scope
from fin_tui.engine.understanding import Understanding
from fin_tui.records import Filing, Scope

GAIN = 0.15
"""How much stronger (0 to 1) the evidence of earlier filings must be to stand in for the latest one's."""


def earlier(understood: Understanding) -> Target | None:
    """The other filings of the companies named, when the question names no period and the user fixed no filing; else None."""
    question, given = understood.question, understood.request.scope
    periods = question.periods
    if not question.companies or periods.named or periods.latest or periods.past or given.fiscal_years:
        return None
    keys = {key for named in question.companies for key in named.keys}
    searched = {filing.id for filing in understood.target.filings}
    others = [f for f in in_scope(understood.held, given) if f.company_key in keys and f.id not in searched]
    if not others:
        return None
    scope = Scope(items=given.items or question.items, forms=given.forms, filings=tuple(filing.id for filing in others))
    return Target((scope,), _label(others), tuple(others))


def note(latest: Sequence[Filing], found_in: Sequence[Filing]) -> str:
    """For people: which filing says little, and which ones answer instead."""
    return f"{_label(latest)} says little of this; the answer comes from {_label(found_in)}."


def _label(filings: Sequence[Filing]) -> str:
    names = dict.fromkeys(f"{filing.company} FY{filing.fiscal_year}" for filing in filings)
    return ", ".join(list(names)[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
