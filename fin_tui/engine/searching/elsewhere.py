"""A product, person or place that the question names without its company: a year then names no one's filing (pure).

"What lawsuit did the Bird division settle in February 2002?" is told by whichever filing speaks of it, of that year or of the one
beside it.
"""

from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.questions.target import in_scope
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.records import Scope


def anywhere(understood: Understanding) -> Scope | None:
    """All that the user lets be asked; None where the question names a company or has no name, or its year left nothing out."""
    question, given = understood.question, understood.request.scope
    if question.companies or not question.unknown or given.fiscal_years or given.filings:
        return None
    filings = tuple(filing.id for filing in in_scope(understood.held, given))
    if len(filings) <= len(understood.target.filings):
        return None
    return replace(given, companies=(), items=given.items or question.items, filings=filings)
