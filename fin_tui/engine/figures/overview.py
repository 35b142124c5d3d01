"""Pages of key figures for a question that names companies and no matter: one against its year before, or some side by side.

Whether a question is one is read off its frame alone: no figure, part or other matter is named, and no words are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Source, answer_of_grid
from fin_tui.engine.figures.as_text import possessive, result, show_figure, with_label
from fin_tui.engine.figures.grid import Grid, fill
from fin_tui.engine.figures.ground import Cell
from fin_tui.engine.figures.headline import Line, shared_scale, side_by_side
from fin_tui.engine.figures.prose import WithProse
from fin_tui.engine.frame.reader import FIGURES, SIDE_BY_SIDE, Frame
from fin_tui.engine.questions.target import Subject, subjects
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Names, Part, Reading
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure
from fin_tui.facts.words import spoken_name

_FIGURES = (
    "revenue", "operating_income", "operating_margin", "net_income", "eps_diluted", "operating_cash_flow", "total_assets",
)  # fmt: skip
"""Ids of the metrics of a page, in its order."""
_TOLD = ("revenue", "operating_margin", "net_income", "eps_diluted")
"""Those of its first line, …"""
_MOST_TOLD = 3
"""… and how many."""
_OF_STRENGTH = (
    "cash_and_securities", "total_debt", "net_debt", "shareholders_equity", "operating_cash_flow", "interest_coverage",
)  # fmt: skip
"""Ids of the metrics of a page on debts and the cash for them, …"""
_TOLD_OF_STRENGTH = ("total_debt", "cash_and_securities", "shareholders_equity", "operating_cash_flow", "interest_coverage")
"""… and those of its first line, …"""
_MOST_OF_STRENGTH = 4
"""… and how many."""
_MOST_COMPANIES = 4
_TWO = 2
_MUCH = Decimal("0.1")
"""Share of a net income from which what is discontinued is told beside it."""
_SURE = 0.95
"""Probability from which a question that names a company held is refused all the same."""
_LEAST, _SURE_OF_ADVICE = 0.1, 0.75
"""Probability of setting side by side from which companies named alone are compared, and that of a refusal that stands."""


def wants_overview(understood: Understanding) -> bool:
    """Whether the question names companies (or the one in scope) and nothing that is asked of them."""
    frame, question = understood.frame, understood.question
    if frame is not None and frame.page and frame.page != "business":  # Key figures stand under what a company does.
        is_of_figures = frame.page in ("overview", "strength") and frame.refusal != "advice"
        return is_of_figures and 0 < len(question.companies) <= _MOST_COMPANIES and not question.unknown
    if frame is None or question.items or question.unknown or not _names_nothing(frame):
        return False
    named = [one for one in question.companies if frame.joins or one.start >= 0]
    if not named or len(named) < len({span.text.lower() for span in frame.companies}) or len(named) > _MOST_COMPANIES:
        return False
    is_of_several = len(named) > 1 and frame.answer == "none"
    if frame.operation in SIDE_BY_SIDE or is_of_several:
        several = len(named) > 1 or len(question.periods.years) > 1
        return several and not frame.left_over and (_may_answer(frame) or _compares(frame))
    if len(named) > 1 or len(frame.left_over) > 1:
        return False
    says_no_figure = understood.reading is None and not frame.left_over
    return _may_answer(frame) and (frame.answer == "none" or (frame.answer in FIGURES and says_no_figure))


def _names_nothing(frame: Frame) -> bool:
    """Neither it nor the question that it follows ("and Pfizer?" behind such a page) names a figure, part or other matter."""
    before = frame.carried
    is_behind_page = before is None or (before.answer in ("none", *FIGURES) and _names_nothing(before))
    return is_behind_page and not frame.targets and not frame.parts


def _may_answer(frame: Frame) -> bool:
    """A page of reported figures advises and foretells nothing; what surely asks for that is refused."""
    return frame.refusal in ("", "off_topic", "forecast") and frame.sure["refusal"] < _SURE


def _compares(frame: Frame) -> bool:
    """Whether companies that are to be set side by side are read as a question for advice, not surely."""
    share = sum(frame.operations.get(one, 0.0) for one in SIDE_BY_SIDE)
    return frame.refusal == "advice" and share >= _LEAST and frame.sure["refusal"] < _SURE_OF_ADVICE


def overview(understood: Understanding, source: Source) -> FigureAnswer | NoFigures | None:
    """The page; None where fewer than two of its figures are found, or why where the filings have no statements."""
    is_strength = understood.frame is not None and understood.frame.page == "strength"
    reading = _reading(source.names, _OF_STRENGTH if is_strength else _FIGURES)
    request = understood.request
    whose = list(subjects(understood.question, reading, understood.target, request.scope, understood.held))
    if not whose:
        return None
    periods = understood.question.periods
    asked = periods.named or periods.past > 1
    whose = [_with_year_before(whose[0])] if len(whose) == 1 else whose if asked else _in_one_year(whose)
    grid = fill(reading, whose, WithProse(source.book, source.chunks), source.names)
    told = [cell for cell in grid.cells if cell.measure is not None]
    hidden = {cell.part for cell in told if any(figure.fact.block is None for figure in cell.figures)}
    full = {cell.part for cell in told} - hidden  # A page shows what can be opened in its filing.
    if len(full) < 2:
        gaps = [cell.gap for cell in grid.cells if cell.gap is not None]
        lacks = bool(gaps) and not full and all(gap.no_statements for gap in gaps)
        return NoFigures(tuple(dict.fromkeys(gap.why for gap in gaps)), no_statements=True) if lacks else None
    cells = tuple(cell for cell in grid.cells if cell.part in full)
    grid = Grid(replace(reading, parts=tuple(part for part in reading.parts if part in full)), cells)
    if len(whose) > 1:
        line = _side_by_side(grid)
    else:
        line = _of_years(grid, periods.years) if len(periods.years) > _TWO else _of_one(grid)
    return answer_of_grid(grid, source, [line, *_set_apart(line, whose, source)])


def _set_apart(line: Line, whose: Sequence[Subject], source: Source) -> list[Line]:
    """What a net income that ``line`` tells holds of discontinued operations, where that is much of it."""
    told = []
    metric = source.names.get("discontinued_income")
    for figure in line.figures if metric is not None else ():
        subject = next((one for one in whose if figure.filing in one.filings), None)
        if figure.metric != "net_income" or subject is None or metric is None:
            continue
        apart = source.book.figure(metric, subject.filings, int(figure.period.label.removeprefix("FY")))
        if isinstance(apart, Figure) and abs(apart.value) >= _MUCH * abs(figure.value):
            said = f"includes {show_figure(apart)} of discontinued operations in {figure.period.label}"
            told.append(Line(f"{possessive(figure.filing.company)} net income {said}.", (apart,), "grounded"))
    return told


def _reading(names: Names, figures: Sequence[str]) -> Reading:
    metrics = [metric for metric in map(names.get, figures) if metric is not None]
    items = {metric.id: Item(metric) for metric in metrics}
    return Reading(tuple(Part(Name(metric.id), metric.names[0], metric.unit) for metric in metrics), items)


def _with_year_before(subject: Subject) -> Subject:
    first = subject.years[0] - 1
    return replace(subject, years=(first, *subject.years)) if len(subject.years) == 1 else subject


_BALANCES, _STATEMENTS = 2, 3
"""Years that the balance sheets, and the other statements, of a filing cover."""


def _in_one_year(whose: list[Subject]) -> list[Subject]:
    """All in the latest year that the balance sheets of each cover, else their statements of income and cash flows; each in its
    own latest where there is none.
    """
    own = [{filing.fiscal_year for filing in one.filings if filing.fiscal_year} for one in whose]
    for covered in (_BALANCES, _STATEMENTS):
        common = set.intersection(*({year - back for year in years for back in range(covered)} for years in own))
        if common:
            return [replace(one, years=(max(common),)) for one in whose]
    return whose


def _told(grid: Grid) -> list[Part]:
    parts = {part.node.name: part for part in grid.reading.parts if isinstance(part.node, Name)}
    keys, most = (_TOLD, _MOST_TOLD) if not parts.keys().isdisjoint(_TOLD) else (_TOLD_OF_STRENGTH, _MOST_OF_STRENGTH)
    return [parts[key] for key in keys if key in parts][:most]


def _of_one(grid: Grid) -> Line:
    """ "Tesla, FY2024: revenue $97,690 million (up 0.9%), net income $7,091 million (down 52.7%)." """
    full = {cell.year for cell in grid.cells if cell.measure is not None}
    first, last = min(full), max(full)
    since = first if first < last else last - 1
    figures: list[Cell] = []
    told = []
    for part in _told(grid):
        of = {cell.year: cell for cell in grid.cells if cell.part == part and cell.measure is not None}
        if last in of:
            figures += [of[last], *([of[since]] if since in of else [])]
            told.append(f"{with_label(part.label, result(of[last]))}{_moved(of.get(since), of[last])}")
    return _line(f"{spoken_name(grid.cells[0].company)}, FY{last}{_since(since, last)}", told, figures)


def _since(first: int, last: int) -> str:
    return f" (change since FY{first})" if last - first > 1 else ""


def _of_years(grid: Grid, years: Sequence[int]) -> Line:
    """ "Boeing, FY2018 vs. FY2022: revenue $101,127 million vs. $66,608 million; …": what is full for all years asked about."""
    of_years = [cell for cell in grid.cells if cell.year in years]
    parts = [part for part in _told(grid) if all(cell.measure is not None for cell in of_years if cell.part == part)]
    if not parts:
        return _of_one(grid)
    of_part = {part: [cell for cell in of_years if cell.part == part] for part in parts}
    scale = shared_scale([cell for cells in of_part.values() for cell in cells])
    told = [with_label(part.label, " vs. ".join(result(cell, scale) for cell in cells)) for part, cells in of_part.items()]
    named = " vs. ".join(f"FY{year}" for year in dict.fromkeys(cell.year for cell in of_years))
    return _line(f"{spoken_name(grid.cells[0].company)}, {named}", told, [cell for cells in of_part.values() for cell in cells])


def _moved(before: Cell | None, now: Cell) -> str:
    """How a figure moved on the year before: in percent, a percentage in points; nothing where that says nothing."""
    was, measure = before.measure if before else None, now.measure
    if was is None or measure is None or was.unit != measure.unit:
        return ""
    if measure.unit == "%":
        by, unit = measure.value - was.value, " points"
    elif was.value > 0 and measure.value > 0:
        by, unit = (measure.value / was.value - 1) * 100, "%"
    else:
        return f" ({result(before)} in FY{before.year})" if before is not None else ""
    size = f"{abs(by):.1f}{unit}"
    return f" ({'up' if by > 0 else 'down'} {size})" if by else " (unchanged)"


def _side_by_side(grid: Grid) -> Line:
    """ "Apple vs. NVIDIA, FY2025: revenue $416,161 million vs. $130,497 million; …"."""
    if any(len({cell.year for cell in grid.cells if cell.company == of}) > 1 for of in {cell.company for cell in grid.cells}):
        return _over_years(grid)
    companies = list(dict.fromkeys(cell.company for cell in grid.cells))
    parts = [part for part in _told(grid) if all(cell.measure is not None for cell in grid.cells if cell.part == part)]
    told = [[cell for cell in grid.cells if cell.company == company and cell.part in parts] for company in companies]
    if not parts:
        return Line(f"{' vs. '.join(map(spoken_name, companies))}.", ())
    text = side_by_side([part.label for part in parts], told)
    return Line(
        text, tuple(figure for part in parts for cells in told for cell in cells if cell.part == part for figure in cell.figures)
    )


def _over_years(grid: Grid) -> Line:
    """ "Alphabet FY2024 (change since FY2022) vs. …: revenue $350,018 million (up 23.8%) vs. …; …": of each company its last year
    and how that moved on its first.
    """
    companies = list(dict.fromkeys(cell.company for cell in grid.cells))
    full = [cell for cell in grid.cells if cell.measure is not None]
    ends = {of: (min(years), max(years)) for of in companies if (years := [cell.year for cell in full if cell.company == of])}
    at = {(cell.company, cell.part, cell.year): cell for cell in full}
    names = [f"{spoken_name(of)} FY{ends[of][1]}{_since(*ends[of])}" for of in ends]
    if len(set(ends.values())) == 1:
        first, last = next(iter(ends.values()))
        names = [*map(spoken_name, ends)]
        names[-1] += f", FY{last}{_since(first, last)}"
    told, figures = [], list[Cell]()
    for part in _told(grid):
        cells = [(at.get((of, part, ends[of][0])), at.get((of, part, ends[of][1]))) for of in ends]
        if all(last is not None for _, last in cells):
            told.append(
                with_label(
                    part.label,
                    " vs. ".join(f"{result(b)}{_moved(a if a is not b else None, b)}" for a, b in cells if b is not None),
                )
            )
            figures += [cell for both in cells for cell in both if cell is not None]
    return _line(" vs. ".join(names), told, figures)


def _line(lead: str, told: Sequence[str], cells: Sequence[Cell]) -> Line:
    figures = tuple(figure for cell in cells for figure in cell.figures)
    return Line(f"{lead}: {'; '.join(told)}." if told else f"{lead}.", figures)
