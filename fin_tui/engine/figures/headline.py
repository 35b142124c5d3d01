"""What a grid of figures comes to, in the sentences that a finance editor would put above the table (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.engine.evidence.extract import shorten_around
from fin_tui.engine.figures.as_text import (
    figure_sentence,
    period_of,
    possessive,
    result,
    show_figure,
    verb_of,
    with_label,
    without_per,
)
from fin_tui.engine.figures.grid import Grid, difference
from fin_tui.engine.figures.ground import Cell
from fin_tui.engine.questions.target import BETWEEN
from fin_tui.facts.expression import Binary, Node, Number
from fin_tui.facts.figures import Figure, printed_scale, told_scale
from fin_tui.facts.words import spoken_name
from fin_tui.records import Support

_COMBINED = ("difference", "times", "sum")
_TWO, _MOST_YEARS = 2, 6
"""Years between which each is told."""
_OVER = {"growth": "change in ", "change": "change in ", "cagr": "CAGR of ", "average": "average "}
_COMPARED = {"highest": "higher", "lowest": "lower"}
_COUNTED = {"highest": "more", "lowest": "fewer"}
_SEVERAL = 2
_MOST_LEADING = 2
"""Of a ranking, how many behind the first are told."""
_MOST_TOLD = 4
"""Cells that a line may tell one after the other."""
_MOST_SIDES = 3
"""Companies, and figures of each, that it may set against each other."""
_MOST_OPERANDS = 6
"""With more figures behind a result, the calculation lists them and they are not told one by one."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence and the figures that it rests on."""

    text: str
    figures: tuple[Figure, ...]
    support: Support = "computed"
    is_detail: bool = False
    """The grid or the calculation shows it as well."""


def lines_of(grid: Grid, scale: int = 0, places: int | None = None) -> tuple[Line, ...]:
    """The result first; then, as details, each cell and each operand."""
    chosen, cells = grid.chosen, grid.cells
    told: list[Line] = []
    is_one_of_many = chosen is not None and len(cells) > 1 and not chosen.back
    if grid.reading.yes_no and chosen is not None and chosen.measure is not None:
        told.append(Line(_verdict(grid, chosen, scale, places), chosen.figures))
    elif chosen is not None and is_one_of_many:
        if grid.reading.across in _COMBINED:
            told.append(Line(_combined(grid, chosen, scale, places), chosen.figures))
        else:
            beside = [cell for cell in grid.cells if cell is not chosen] if len(grid.cells) == 2 else []
            figures = tuple(figure for cell in (chosen, *beside) for figure in cell.figures)
            told.append(Line(_extreme(grid, chosen), figures))
    has_headline = bool(told)
    for cell in cells:
        told.extend(_of_cell(cell, scale, places, is_detail=has_headline or len(cells) > 1, grid=grid))
    if all(line.is_detail for line in told):
        told[:0] = [_all_of(grid, scale), *_not_found(cells)]
    once: dict[str, Line] = {}
    for line in told:
        once.setdefault(line.text, line)
    return tuple(once.values())


def _not_found(cells: Sequence[Cell]) -> list[Line]:
    """The figures that are asked for beside others and that were found of no year."""
    found = {cell.part.label for cell in cells if cell.measure is not None}
    lost = dict.fromkeys(cell.part.label for cell in cells if found and cell.part.label not in found)
    return [Line(f"No {label} found.", ()) for label in lost]


def _of_cell(cell: Cell, scale: int, places: int | None, *, is_detail: bool, grid: Grid) -> list[Line]:
    if cell.grounded is None:
        why = cell.gap.why if cell.gap else "not found"
        return [Line(f"{cell.company} {cell.part.label}, FY{cell.year}: {why}", (), is_detail=is_detail)]
    if cell.single is not None and _is_said(cell.single) and not is_detail:
        return _in_its_words(cell.single, scale)
    if cell.single is not None:
        return [_stated(cell, cell.single, cell.part.label, scale, is_detail=is_detail)]
    is_trend = grid.reading.over == "trend" and cell.back > 0  # Its years follow.
    if is_trend and (course := _course(grid, cell, scale, places)) is not None:
        return [course]
    told = [Line(computed(cell, scale, places), cell.figures, is_detail=is_detail and not is_trend)]
    if len(cell.figures) <= _MOST_OPERANDS and not is_trend:
        labelled = zip(cell.figures, cell.grounded.labels, strict=True)
        told += [_stated(cell, figure, label or figure.label, scale, is_detail=True) for figure, label in labelled]
    return told


def _course(grid: Grid, cell: Cell, scale: int, places: int | None) -> Line | None:
    """How a figure moved, and what it was in each year between; None of two years, or of more than a line holds."""
    years = [one for one in grid.cells if one.part == cell.part and one.company == cell.company and one.over == "point"]
    years = sorted((one for one in years if one.measure is not None), key=lambda one: one.year)
    if not _TWO < len(years) <= _MOST_YEARS:
        return None
    listed = "; ".join(f"FY{one.year} {without_per(cell.part.label, result(one, scale))}" for one in years)
    moved = computed(cell, scale, places).removesuffix(".").removesuffix(_ends(cell, scale))
    return Line(f"{moved}: {listed}{_basis(years)}.", tuple(figure for one in (*years, cell) for figure in one.figures))


def _is_said(figure: Figure) -> bool:
    """Whether it is a number of a sentence that was found by the question's words."""
    return figure.sure is not None and figure.fact.source == "text"


def _in_its_words(figure: Figure, scale: int) -> list[Line]:
    """The figure, and the sentence that says of what it is: the question's words would make up a name for it."""
    lead = f"{_of_whom(figure)}: {show_figure(figure, scale)}."
    return [Line(lead, (figure,), "grounded"), Line(_quoted(figure), (figure,), "grounded")]


def as_said(figure: Figure) -> str:
    """The sentence that a figure is a number of, with the company and the year: "Globex, FY2031: “We own 59 plants.”"."""
    return f"{_of_whom(figure)}: {_quoted(figure)}"


def _of_whom(figure: Figure) -> str:
    return f"{spoken_name(figure.filing.company)}, {figure.period.label or period_of(figure)}"


def _quoted(figure: Figure) -> str:
    return f"“{shorten_around(figure.fact.label, figure.fact.text)}”"


def _stated(cell: Cell, figure: Figure, label: str, scale: int, *, is_detail: bool) -> Line:
    company = cell.company if cell.over not in _COMBINED else figure.filing.company
    text = figure_sentence(company, figure, label, scale, own=cell.single is not None)
    return Line(text, (figure,), "grounded", is_detail)


def computed(cell: Cell, scale: int = 0, places: int | None = None) -> str:
    """ "Apple's net margin was 24.0% in FY2024.", "Apple's revenue rose 2.0% from FY2023 to FY2024, to $391,035 million from
    $383,285 million."
    """
    what, shown, quarter = f"{possessive(cell.company)} {cell.part.label}", result(cell, scale, places), _quarter(cell)
    year = f"{quarter}FY{cell.year}"
    span = f"from {quarter}FY{cell.year - cell.back} to {year}"
    value = cell.measure.value if cell.measure else Decimal(0)
    match cell.over:
        case "change" | "growth" if not value:
            return f"{what} did not change {span}."
        case "growth" if _began(cell) < 0:
            said = "rose" if value > 0 else "fell"
            return f"{what} {said} {span}{_ends(cell, scale)}; from a negative figure no percentage says by how much."
        case "change" | "growth":
            return f"{what} {'rose' if value > 0 else 'fell'} {_size(shown)} {span}{_ends(cell, scale)}{_basis([cell])}."
        case "contribution":
            return f"{what}: {shown} of the change {span}."
        case "multiple":
            verb = verb_of(cell.part.label)
            return f"{what} in {year} {verb} {shown} times that of {quarter}FY{cell.year - cell.back}{_ends(cell, scale)}."
        case "cagr":
            return f"{what} grew at a CAGR of {shown} {span}{_ends(cell, scale)}."
        case "average" | "sum":
            when = f"over {quarter}FY{cell.year - cell.back} to {year}" if cell.back else f"in {year}"
            return f"{what} {'averaged' if cell.over == 'average' else 'came to'} {shown} {when}."
        case _:
            over, _, under = cell.part.label.partition(" / ")
            if under and cell.part.unit == "%":
                return f"{possessive(cell.company)} {over} {verb_of(over)} {shown} of {under} in {year}{_of_what(cell, scale)}."
            return f"{what} {verb_of(cell.part.label)} {shown} in {year}{_basis([cell])}."


def _basis(cells: Sequence[Cell]) -> str:
    """ ", on average balances", where all results are on such."""
    taken = {cell.grounded.balances for cell in cells if cell.grounded is not None}
    return f", on {taken.pop()} balances" if len(taken) == 1 and "" not in taken else ""


def _quarter(cell: Cell) -> str:
    """ "Q4 ", where all figures of a result are of one quarter of their years; else ""."""
    named = {figure.period.label.partition(" FY")[0] for figure in cell.figures}
    quarter = named.pop() if len(named) == 1 else ""
    return f"{quarter} " if quarter[:1] == "Q" and quarter[1:].isdecimal() else ""


def _of_what(cell: Cell, scale: int) -> str:
    """A share's part and whole, where it is one figure over another."""
    figures = cell.figures
    if len(figures) != 2 or figures[0].unit != figures[1].unit or cell.measure is None:
        return ""
    part, whole = figures
    is_share = whole.value and abs(part.value / whole.value * 100 - cell.measure.value) < Decimal("0.001")
    return f": {show_figure(part, scale)} of {show_figure(whole, scale)}" if is_share else ""


def _began(cell: Cell) -> Decimal:
    """The earlier of the two figures of a change; 0 where there are more."""
    if len(cell.figures) != 2:
        return Decimal(0)
    return min(cell.figures, key=lambda figure: figure.period.end).value


def _size(shown: str) -> str:
    """A change without its sign, which the verb tells."""
    return shown.replace("(", "").replace(")", "").removeprefix("-")


def _ends(cell: Cell, scale: int) -> str:
    """Where a change began and ended: its two figures, or what each year's come to."""
    figures = cell.figures
    if len(figures) == 2 and figures[0].unit == figures[1].unit:
        later, earlier = sorted(figures, key=lambda figure: figure.period.end, reverse=True)
        return f", to {show_figure(later, scale)} from {show_figure(earlier, scale)}"
    node = cell.grounded.node if cell.grounded is not None and len(figures) > 2 else None
    match node:
        case Binary("-", Binary("/", late, early), Number()) | Binary("-", late, early):
            to, since = (result(_point(cell, one), scale) for one in (late, early))
            return f", to {to} from {since}"
    return ""


def _point(cell: Cell, node: Node) -> Cell:
    """One end of a change that is computed."""
    assert cell.grounded is not None
    unit = cell.part.unit if cell.over == "change" else None
    grounded = replace(cell.grounded, node=node)
    return replace(cell, over="point", grounded=grounded, measure=grounded.value(unit))


def _verdict(grid: Grid, cell: Cell, scale: int, places: int | None) -> str:
    """Yes or no for "did it grow", by the sign of the change, and the change."""
    value = cell.measure.value if cell.measure else 0
    held = (value < 0) if grid.reading.down else (value > 0)
    told = _combined(grid, cell, scale, places) if cell.over in _COMBINED else computed(cell, scale, places)
    return f"{'Yes' if held else 'No'}: {told}"


def _extreme(grid: Grid, cell: Cell) -> str:
    """ "Alphabet had the higher margin: 32.1% in FY2024, vs. 31.5% at Apple in FY2024", or the highest of several."""
    which = grid.reading.across if grid.reading.across != "each" else grid.reading.over
    full = [one for one in grid.cells if one.measure is not None]
    name, label, shown = spoken_name(cell.company), cell.part.label, f"{result(cell)} in FY{cell.year}"
    others = [one for one in full if one is not cell]
    if which not in _COMPARED or not others:
        return f"{which.capitalize()} {label}: {name}, {shown}."
    if len({one.company for one in grid.cells}) == 1:
        return f"{possessive(cell.company)} {label} {verb_of(label)} {which} in FY{cell.year}, at {result(cell)}."
    if len(others) == 1:
        other = others[0]
        beside = f"{result(other)} at {spoken_name(other.company)} in FY{other.year}"
        apart = difference(cell, other)
        by = f", a difference of {_size(result(apart))}" if apart is not None else ""
        is_counted = cell.measure is not None and cell.measure.unit == "count" and verb_of(label) == "were"
        more = _COUNTED[which] if is_counted else f"the {_COMPARED[which]}"
        return f"{name} had {more} {label}: {shown}, vs. {beside}{by}."
    stated = " stated" if len(full) < len(grid.cells) else " companies" if len({one.company for one in full}) == len(full) else ""
    of = f" of the {len(full)}{stated}"
    return f"{name} had the {which} {label}{of}: {shown}."


def _combined(grid: Grid, chosen: Cell, scale: int, places: int | None) -> str:
    """ "Visa's margin was 65.7% in FY2024, 10.4 percentage points above Mastercard's margin of 55.3%"; what several come to."""
    shown = result(chosen, scale, places)
    if len(grid.cells) != 2 or chosen.over not in ("difference", "times"):
        what = {"sum": "came to", "difference": "differed by", "times": "compare as"}.get(chosen.over, "was")
        return f"{chosen.company}: {chosen.part.label} {what} {shown} in FY{chosen.year}."
    first, second = grid.cells
    lead = f"{possessive(first.company)} {first.part.label} {verb_of(first.part.label)} {result(first, scale)} in FY{first.year}"
    when = f" in FY{second.year}" if second.year != first.year else ""
    end = f"{possessive(second.company)} {second.part.label} of {result(second, scale)}{when}"
    value = chosen.measure.value if chosen.measure else Decimal(0)
    if chosen.over == "times":
        return f"{lead}, {shown} times {end}."
    how = f"{_size(shown)} {'above' if value > 0 else 'below'}" if value else "equal to"
    return f"{lead}, {how} {end}."


def _all_of(grid: Grid, scale: int) -> Line:
    """Where no one cell is the answer: how a figure moved, or a few figures one after the other; of many what the grid holds."""
    full = [cell for cell in grid.cells if cell.measure is not None]
    labels = list(dict.fromkeys(cell.part.label for cell in full))
    companies = list(dict.fromkeys(cell.company for cell in full))
    full.sort(key=lambda cell: cell.year)  # The companies stay in the order of the question.
    if len(full) == 1:
        return _alone(full[0], scale)
    scale = scale or (shared_scale(full) if len(companies) > 1 else 0)
    of_each = {company: [cell for cell in full if cell.company == company] for company in companies}
    if grid.reading.across == "ranked" and len(labels) == 1 and len(companies) > _MOST_TOLD:
        return _ranked(grid, scale)
    if len(labels) == len(companies) == 1 and (moved := _moved(full, scale)):
        return Line(moved, (*full[0].figures, *full[-1].figures))
    told: list[Cell] = []
    if len(labels) == 1 and 1 < len(companies) <= _MOST_TOLD:
        told, text = _of_companies(labels[0], list(of_each.values()), scale)
    elif len(companies) == 1 and 1 < len(labels) <= _MOST_TOLD:
        last = max(cell.year for cell in full)
        told = [cell for cell in full if cell.year == last]
        listed = "; ".join(with_label(cell.part.label, result(cell, scale)) for cell in told)
        text = f"{spoken_name(companies[0])}, {_over(told[0])}FY{last}: {listed}."
    elif len(labels) == len(companies) == 1 and len(full) <= _MOST_TOLD:
        told = full
        listed = "; ".join(f"FY{cell.year} {without_per(labels[0], result(cell, scale))}" for cell in told)
        text = f"{possessive(companies[0])} {_over(told[0])}{labels[0]}: {listed}{_basis(told)}."
    elif (
        len(labels) <= _MOST_SIDES
        and 1 < len(companies) <= _MOST_SIDES
        and all(len(of) == len(labels) for of in of_each.values())
    ):
        told = [cell for label in labels for cells in of_each.values() for cell in cells if cell.part.label == label]
        text = side_by_side(labels, list(of_each.values()), scale)
    if not told:
        return Line(_contents(grid), ())
    return Line(text[:1].upper() + text[1:], tuple(figure for cell in told for figure in cell.figures))


def _alone(cell: Cell, scale: int) -> Line:
    """The only result that was found: nothing stands beside it."""
    if cell.single is not None:
        return replace(_stated(cell, cell.single, cell.part.label, scale, is_detail=False), support="computed")
    return Line(computed(cell, scale), cell.figures)


def shared_scale(cells: Sequence[Cell]) -> int:
    """The scale in which most amounts of money are printed, the larger of two, where they are printed in several; else 0."""
    told = [cell.single for cell in cells if cell.single is not None and cell.single.unit == "usd"]
    if len({printed_scale(figure.fact) for figure in told}) < _SEVERAL:
        return 0
    scales = Counter(told_scale(figure.value, printed_scale(figure.fact)) for figure in told)
    return max(scales, key=lambda one: (scales[one], one))


def _ranked(grid: Grid, scale: int) -> Line:
    """ "Apple had the highest net income of the 36 stated: $112,010 million in FY2025; then Alphabet $100,118 million …"."""
    full = [cell for cell in grid.cells if cell.measure is not None]
    scale = scale or shared_scale(full)
    first, *others = full[: _MOST_LEADING + 1]
    then = ", ".join(f"{spoken_name(cell.company)} {result(cell, scale)} in FY{cell.year}" for cell in others)
    lead = f"{spoken_name(first.company)} had the highest {_over(first)}{first.part.label} of the {len(full)} stated"
    told = f"{lead}: {result(first, scale)} in FY{first.year}; then {then}."
    return Line(told, tuple(figure for cell in (first, *others) for figure in cell.figures))


def _over(cell: Cell) -> str:
    return _OVER.get(cell.over, "")


def named(cell: Cell) -> str:
    """What a cell's result is: "revenue", "change in backlog"."""
    return f"{_over(cell)}{cell.part.label}"


def _moved(cells: Sequence[Cell], scale: int) -> str:
    """ "Apple's revenue rose 13.8% from FY2021 to FY2025, to $416,161 million from $365,817 million."; "" where each year may be
    told, or a sign makes a change in percent say nothing.
    """
    first, last = cells[0], cells[-1]
    was, now = first.measure, last.measure
    if len(cells) <= _MOST_TOLD or any(cell.over != "point" or cell.back for cell in cells) or was is None or now is None:
        return ""
    if was.unit == "%" == now.unit:
        size = f"{abs(now.value - was.value):.1f} percentage points"
    elif was.unit == now.unit and was.value > 0 and now.value > 0:
        size = f"{abs(now.value / was.value - 1) * 100:.1f}%"
    else:
        return ""
    lead, span = f"{possessive(last.company)} {last.part.label}", f"from FY{first.year} to FY{last.year}"
    if now.value == was.value:
        return f"{lead} {verb_of(last.part.label)} {result(last, scale)} in FY{first.year} as in FY{last.year}."
    how = "rose" if now.value > was.value else "fell"
    return f"{lead} {how} {size} {span}, to {result(last, scale)} from {result(first, scale)}."


def _of_companies(label: str, of_each: Sequence[Sequence[Cell]], scale: int) -> tuple[list[Cell], str]:
    """One figure of several companies: in one year, each in its own, or from the first year to the last."""
    years = {cell.year for cells in of_each for cell in cells}
    is_span = any(len(cells) > 1 for cells in of_each)
    told = [cell for cells in of_each for cell in ((cells[0], cells[-1]) if len(cells) > 1 else cells)]
    listed = []
    for cells in of_each:
        name, last = spoken_name(cells[0].company), result(cells[-1], scale)
        last = without_per(label, last)
        when = f" in FY{cells[-1].year}" if len(years) > 1 and not is_span else ""
        listed.append(
            f"{name} {without_per(label, result(cells[0], scale))} to {last}" if len(cells) > 1 else f"{name} {last}{when}"
        )
    back = {cell.back for cell in told if cell.over in BETWEEN}
    since = min(years) - back.pop() if len(years) == 1 and len(back) == 1 and max(back) > 1 else min(years)
    span = f", FY{since} to FY{max(years)}" if since < max(years) and (is_span or len(years) == 1) else ""
    span = span or (f", FY{since}" if len(years) == 1 else "")
    return told, f"{_over(told[0])}{label}{span}: {'; '.join(listed)}."


def side_by_side(labels: Sequence[str], of_each: Sequence[Sequence[Cell]], scale: int = 0) -> str:
    """ "Tesla vs. Apple, FY2024: revenue $97,690 million vs. $391,035 million; …"; ``of_each`` has a company's cells of one
    year.
    """
    years = {cell.year for cells in of_each for cell in cells}
    scale = scale or shared_scale([cell for cells in of_each for cell in cells])
    names = [spoken_name(cells[0].company) for cells in of_each]
    if len(years) > 1:
        names = [f"{name} FY{cells[0].year}" for name, cells in zip(names, of_each, strict=True)]
    listed = [
        with_label(label, " vs. ".join(result(cell, scale) for cells in of_each for cell in cells if cell.part.label == label))
        for label in labels
    ]
    return f"{' vs. '.join(names)}{f', FY{min(years)}' if len(years) == 1 else ''}: {'; '.join(listed)}."


def _contents(grid: Grid) -> str:
    """What the grid holds: "Revenue and net income, 5 companies, FY2021 to FY2024."."""
    labels = list(dict.fromkeys(cell.part.label for cell in grid.cells))
    companies = list(dict.fromkeys(cell.company for cell in grid.cells))
    years = sorted({cell.year for cell in grid.cells})
    over = next((_over(cell) for cell in grid.cells if cell.measure is not None), "")
    span = f"FY{years[0]}" if len(years) == 1 else f"FY{years[0]} to FY{years[-1]}"
    what = f"{over}{_listed(labels)}"
    return f"{what[:1].upper()}{what[1:]}, {_listed([spoken_name(name) for name in companies], 'companies')}, {span}."


def _listed(names: Sequence[str], many: str = "figures") -> str:
    if len(names) > 3:
        return f"{len(names)} {many}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
