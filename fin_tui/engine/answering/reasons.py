""" "Why?" after a figure, asked in full: filings give reasons of changes, and tell them beside the figure's name, its direction
and its years.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.questions.understanding import Request, Understanding
from fin_tui.facts.words import spoken_name


def in_full(
    understood: Understanding,
    understand: Callable[[Request], Understanding],
    look_up: Callable[[Understanding], FigureAnswer | NoFigures | None],
) -> Understanding | None:
    """The question that names figure, direction and years, where ``understood`` only asks for the reason of a figure asked for
    before, and that figure's change can be looked up; else None.
    """
    figure = _figure(understood)
    years = _years(understood) if figure else None
    if years is None:
        return None
    first, last = years
    by_itself = replace(understood.request, history=())
    change = look_up(understand(replace(by_itself, question=f"How much did {figure} change from {first} to {last}?")))
    if not isinstance(change, FigureAnswer) or not change.value:
        return None
    moved = "increase" if change.value > 0 else "decrease"
    whole = understand(replace(by_itself, question=f"Why did {figure} {moved} in {last} compared with {first}?"))
    return replace(whole, said=understood.said, shape=understood.shape)


def _figure(understood: Understanding) -> str:
    """The words for the figure whose reason is asked for, with the one company that it is of; "" where the question names
    something of its own, or no figure of one company was asked for before.
    """
    frame = understood.frame
    before = frame.behind.whole if frame is not None and frame.behind is not None else None
    if frame is None or before is None or frame.operation != "why" or not before.is_figure or not before.targets:
        return ""
    if frame.companies or frame.periods or frame.targets or frame.parts:
        return ""
    companies = {filing.company_key: filing.company for filing in understood.target.filings}
    if len(companies) != 1:
        return ""
    (company,) = companies.values()
    name = spoken_name(company)
    owner = f"{name}'" if name.endswith("s") else f"{name}'s"
    return " ".join((owner, *(span.text for span in (*before.parts, *before.targets))))


def _years(understood: Understanding) -> tuple[int, int] | None:
    """Between which years the figure changed: those asked about; of one, or the newest, from the year before it."""
    named = understood.question.periods.years
    held = [filing.fiscal_year for filing in understood.target.filings if filing.fiscal_year]
    last = max(named) if named else max(held, default=0)
    first = min(named) if len(set(named)) > 1 else last - 1
    return (first, last) if last else None
