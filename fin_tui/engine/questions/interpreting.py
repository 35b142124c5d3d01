"""What was understood of a question, read off its understanding (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.companies import CompanyIndex, Named
from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.engine.questions.target import in_scope
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.facts.words import spoken_name
from fin_tui.language import count

_OPERATIONS = {
    "growth": "growth",
    "cagr": "CAGR",
    "average": "average",
    "trend": "over the years",
    "share": "share",
    "rank": "ranked",
}
_MOST_COMPANIES = 4


def interpret(understood: Understanding) -> Interpretation:
    """What ``understood`` says of its question."""
    question, frame, target = understood.question, understood.frame, understood.target
    named = [company for company in question.companies if company.start >= 0]
    held = {filing.company_key for filing in target.filings}
    owners = list(dict.fromkeys(spoken_name(filing.company) for filing in target.filings))
    asked = [spoken_name(one.name) for one in question.companies if not held or held & set(one.keys)]
    outside = tuple(map(spoken_name, understood.outside))
    companies = asked or list(outside) or owners
    slips = [(question.text[one.start : one.end], spoken_name(one.name)) for one in named if one.is_slip]
    operation = ""
    if frame is not None:
        several = len(question.companies) > 1
        operation = _OPERATIONS.get(frame.operation, "")
        if frame.operation == "difference":
            operation = "difference" if several else "change"
    frame = _without_companies(frame, named) if frame is not None else None
    figure = frame.whole.label if frame is not None and (frame.whole.targets or frame.whole.parts) else ""
    return Interpretation(
        question.text,
        tuple(companies) if len(companies) <= _MOST_COMPANIES else (),
        _periods(understood),
        figure,
        operation if operation.lower() not in figure.lower() else "",
        (*understood.slips, *slips),
        tuple((one.start, one.end) for one in named),
        tuple((span.start, span.end) for span in frame.periods) if frame is not None else (),
        tuple((span.start, span.end) for span in (*frame.targets, *frame.parts)) if frame is not None else (),
        target.label if len(companies) > _MOST_COMPANIES or not companies else "",
        outside,
        limit_of(understood) if outside else "",
    )


def _without_companies(frame: Frame, companies: Sequence[Named]) -> Frame:
    """A company that was asked about is no part of the figure."""
    parts = (part for part in frame.parts if not any(one.start < part.end and part.start < one.end for one in companies))
    return replace(frame, parts=tuple(parts))


def limit_of(understood: Understanding) -> str:
    """What the scope that was set is limited to: its companies, or how many."""
    called = CompanyIndex(understood.held)
    allowed = dict.fromkeys(filing.company for filing in in_scope(understood.held, understood.request.scope))
    newest = (called.find(company) for company in allowed)
    names = list(dict.fromkeys(spoken_name(found[0].name) for found in newest if found))
    return ", ".join(names) if len(names) <= _MOST_COMPANIES else count(len(names), "company")


def _periods(understood: Understanding) -> tuple[str, ...]:
    """The periods named, else those of the filings looked in."""
    periods = understood.question.periods
    years = [f"FY{year}" for year in periods.years]
    if periods.named:
        quarter = f"Q{periods.quarter} " if periods.quarter else ""
        return _run([f"{quarter}{year}" for year in years]) or tuple(date.isoformat() for date in periods.dates)
    own = sorted({filing.fiscal_year for filing in understood.target.filings if filing.fiscal_year})
    return _run([f"FY{year}" for year in own]) if len(understood.target.filings) <= _MOST_COMPANIES else ()


def _run(years: Sequence[str]) -> tuple[str, ...]:
    """Three years in a row or more as the first and the last of them."""
    numbers = [int(year[-4:]) for year in years]
    is_run = len(years) >= _RUN and numbers == list(range(numbers[0], numbers[0] + len(years)))
    return (f"{years[0]} to {years[-1]}",) if is_run else tuple(years)


_RUN = 3
