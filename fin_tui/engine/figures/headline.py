"""What a grid of figures comes to, in the sentences that a finance editor would put above the table (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.engine.figures.as_text import figure_sentence, possessive, result, show_figure, verb_of
from fin_tui.engine.figures.cell import Cell
from fin_tui.engine.figures.grid import Grid
from fin_tui.facts.figures import Figure
from fin_tui.facts.words import spoken_name
from fin_tui.records import Support

_COMBINED = ("difference", "times", "sum")
_OVER = {"growth": "change in ", "change": "change in ", "cagr": "CAGR of ", "average": "average "}
_COMPARED = {"highest": "higher", "lowest": "lower"}
_MOST_TOLD = 4
"""Cells that a line may tell one after the other."""
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
        told.insert(0, _all_of(grid, scale))
    once: dict[str, Line] = {}
    for line in told:
        once.setdefault(line.text, line)
    return tuple(once.values())


def _of_cell(cell: Cell, scale: int, places: int | None, *, is_detail: bool, grid: Grid) -> list[Line]:
    if cell.grounded is None:
        why = cell.gap.why if cell.gap else "not found"
        return [Line(f"{cell.company} {cell.part.label}, FY{cell.year}: {why}", (), is_detail=is_detail)]
    if cell.single is not None:
        return [_stated(cell, cell.single, cell.part.label, scale, is_detail=is_detail)]
    is_trend = grid.reading.over == "trend" and cell.back > 0  # Its years follow.
    told = [Line(computed(cell, scale, places), cell.figures, is_detail=is_detail and not is_trend)]
    if len(cell.figures) <= _MOST_OPERANDS and not is_trend:
        labelled = zip(cell.figures, cell.grounded.labels, strict=True)
        told += [_stated(cell, figure, label or figure.label, scale, is_detail=True) for figure, label in labelled]
    return told


def _stated(cell: Cell, figure: Figure, label: str, scale: int, *, is_detail: bool) -> Line:
    company = cell.company if cell.over not in _COMBINED else figure.filing.company
    text = figure_sentence(company, figure, label, scale, own=cell.single is not None)
    return Line(text, (figure,), "grounded", is_detail)


def computed(cell: Cell, scale: int = 0, places: int | None = None) -> str:
    """ "Apple's net margin was 24.0% in FY2024.", "Apple's revenue rose 2.0% from FY2023 to FY2024, to $391,035 million from
    $383,285 million."
    """
    what, shown, year = f"{possessive(cell.company)} {cell.part.label}", result(cell, scale, places), f"FY{cell.year}"
    span = f"from FY{cell.year - cell.back} to {year}"
    value = cell.measure.value if cell.measure else Decimal(0)
    match cell.over:
        case "change" | "growth" if not value:
            return f"{what} did not change {span}."
        case "change" | "growth":
            return f"{what} {'rose' if value > 0 else 'fell'} {_size(shown)} {span}{_ends(cell, scale)}."
        case "contribution":
            return f"{what}: {shown} of the change {span}."
        case "multiple":
            verb = verb_of(cell.part.label)
            return f"{what} in {year} {verb} {shown} times that of FY{cell.year - cell.back}{_ends(cell, scale)}."
        case "cagr":
            return f"{what} grew at a CAGR of {shown} {span}{_ends(cell, scale)}."
        case "average" | "sum":
            when = f"over FY{cell.year - cell.back} to {year}" if cell.back else f"in {year}"
            return f"{what} {'averaged' if cell.over == 'average' else 'came to'} {shown} {when}."
        case _:
            return f"{what} {verb_of(cell.part.label)} {shown} in {year}."


def _size(shown: str) -> str:
    """A change without its sign, which the verb tells."""
    return shown.replace("(", "").replace(")", "").removeprefix("-")


def _ends(cell: Cell, scale: int) -> str:
    """Where a change began and ended, when it is one of two figures."""
    figures = cell.figures
    if len(figures) != 2 or figures[0].unit != figures[1].unit:
        return ""
    later, earlier = sorted(figures, key=lambda figure: figure.period.end, reverse=True)
    return f", to {show_figure(later, scale)} from {show_figure(earlier, scale)}"


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
        return f"{name} had the {_COMPARED[which]} {label}: {shown}, vs. {beside}."
    of = f" of the {len(full)} stated" if len(full) < len(grid.cells) else ""
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
    """Where no one cell is the answer: a few cells one after the other, of many what the grid holds."""
    labels = list(dict.fromkeys(cell.part.label for cell in grid.cells))
    companies = list(dict.fromkeys(cell.company for cell in grid.cells))
    years = sorted({cell.year for cell in grid.cells})
    full = [cell for cell in grid.cells if cell.measure is not None]
    span = f"FY{years[0]}" if len(years) == 1 else f"FY{years[0]} to FY{years[-1]}"
    over = (
        {"growth": "change in ", "change": "change in ", "cagr": "CAGR of ", "average": "average "}.get(full[0].over, "")
        if full
        else ""
    )
    if not full or len(full) > _MOST_TOLD or [len(labels), len(companies), len(years)].count(1) < 2:
        what = f"{over}{_listed(labels)}"
        return Line(
            f"{what[:1].upper()}{what[1:]}, {_listed([spoken_name(name) for name in companies], 'companies')}, {span}.", ()
        )
    if len(companies) > 1:
        lead, names = f"{over}{labels[0]}, {span}", [spoken_name(cell.company) for cell in full]
    elif len(labels) > 1:
        lead, names = f"{spoken_name(companies[0])}, {span}", [cell.part.label for cell in full]
    else:
        lead, names = f"{possessive(companies[0])} {over}{labels[0]}", [f"FY{cell.year}" for cell in full]
    told = "; ".join(f"{name} {result(cell, scale)}" for name, cell in zip(names, full, strict=True))
    return Line(f"{lead[:1].upper()}{lead[1:]}: {told}.", tuple(figure for cell in full for figure in cell.figures))


def _listed(names: Sequence[str], many: str = "figures") -> str:
    if len(names) > 3:
        return f"{len(names)} {many}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
