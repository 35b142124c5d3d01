"""What is computed, as a model that takes a second look reads it: the rows of its figures, joined as they are computed."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.engine.figures.as_text import result
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.questions.wanted import Reading
from fin_tui.facts.expression import Binary, Call, Node
from fin_tui.facts.figures import Figure

_WORDS = 16
"""Of a row, from its name on."""
_ONE = "only"
"""What stands before a figure that is not computed."""
_PLACES = 2
"""Parts of a row that are read: its name and what it stands under."""


def as_read(kind: str, rows: Sequence[str]) -> str:
    """``kind``: the sign between the rows ("/", "-", "+"), or what is computed of one ("growth")."""
    brief = list(dict.fromkeys(_brief(row) for row in rows))
    if len(kind) == 1:
        return f" {kind} ".join(brief)
    return f"{kind}: {' / '.join(brief)}"


def reading_as_read(reading: Reading, grid: Grid) -> str:
    """What ``reading`` computes from the figures of ``grid``."""
    figures = next((cell.figures for cell in grid.cells if cell.figures), ())
    kind = reading.over if reading.over != "point" else _sign(reading.parts[0].node)
    metrics = [item.metric for item in reading.items.values()]
    if len(metrics) == 1 and metrics[0] is not None and metrics[0].formula:
        kind = f"{kind} {metrics[0].names[0]}".strip()
    return as_read(kind or _ONE, [_row(figure) for figure in figures])


def reading_as_told(reading: Reading, grid: Grid) -> str:
    """What ``reading`` makes of the figures of ``grid``, with the years they are of and the result."""
    cell = next((cell for cell in grid.cells if cell.figures), None)
    if cell is None:
        return ""
    years = sorted(dict.fromkeys(figure.period.label for figure in cell.figures))
    when = " to ".join(dict.fromkeys((years[0], years[-1])))
    return f"{reading_as_read(reading, grid).removeprefix(f'{_ONE}: ')}, {when} = {result(cell)}"


def _sign(node: Node) -> str:
    """The sign of the calculation's first step; "" for a single figure."""
    match node:
        case Binary(operator="*", left=left):
            return _sign(left)
        case Binary(operator=sign):
            return sign
        case Call(function=function):
            return "+" if function == "sum" else str(function)
    return ""


def _row(figure: Figure) -> str:
    """The row of a figure; of one found by its tag its label under its heading."""
    return figure.row or " | ".join(reversed(figure.fact.label.split(" > ")[-_PLACES:]))


def _brief(row: str) -> str:
    parts = row.partition(" - ")[0].split(" | ")[:_PLACES]
    return " ".join(" | ".join(parts).split()[:_WORDS])
