"""A sheet as people see it: states in words and glyphs, units, sorting, ranks and totals (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Literal

from fin_tui.facts.figures import Unit, plain, rounded
from fin_tui.records import Sheet, SheetCell, SheetColumn, SheetRow
from fin_tui.store.kept import CellKey

Shown = Literal["found", "computed", "restated", "several", "nothing", "failed", "stale", "running", "empty"]
WORDS: Mapping[Shown, tuple[str, str]] = {
    "found": ("●", "found"),
    "computed": ("ƒ", "computed"),
    "restated": ("↺", "restated"),
    "several": ("≈", "several"),
    "nothing": ("○", "nothing found"),
    "failed": ("✗", "failed"),
    "stale": ("◷", "stale"),
    "running": ("…", "running"),
    "empty": ("·", "not run"),
}
_ADDITIVE = ("usd", "shares", "count")
_SCALES = ((1_000_000, "millions", 10_000_000), (1_000, "thousands", 10_000))


@dataclass(frozen=True, slots=True)
class Scale:
    """In which unit a column shows its numbers."""

    factor: int
    places: int
    head: str
    """As a header says it: "$ in millions", "%", "x"; "" for a column of words."""
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What the numbers of a column come to, in base units."""

    total: float | None
    """None where adding has no meaning: ratios, percentages, amounts per share."""
    average: float
    median: float
    count: int


def shown_state(cell: SheetCell | None, fingerprint: str | None, *, is_running: bool = False) -> Shown:
    """The state to show; ``fingerprint`` is what would make the cell now, None for a formula, which is never stale."""
    if is_running:
        return "running"
    if cell is None:
        return "empty"
    return "stale" if fingerprint is not None and cell.fingerprint != fingerprint else cell.state


def scale_of(column: SheetColumn, cells: Sequence[SheetCell]) -> Scale:
    """One scale for all numbers of a column, by its largest; words where no cell has a number or units differ."""
    units = {cell.unit for cell in cells if cell.value is not None}
    if len(units) != 1:
        return Scale(1, 2, "" if not units else "mixed units")
    unit: Unit = units.pop()  # type: ignore[assignment]  # Only units of facts are stored.
    sizes = [abs(cell.value) for cell in cells if cell.value]
    if unit in ("usd", "shares", "count"):
        factor, word, _ = next((s for s in _SCALES if max(sizes, default=0) >= s[2]), (1, "", 0))
        if unit == "count":
            factor, word = 1, ""
        places = 1 if factor > 1 and min(sizes, default=factor) < 10 * factor else 0
        head = {"usd": "$", "shares": "shares", "count": ""}[unit]
        return Scale(factor, places, f"{head} in {word}" if word else head, unit)
    return {
        "usd/share": Scale(1, 2, "$ per share", unit),
        "%": Scale(1, 1, "%", unit),
        "days": Scale(1, 1, "days", unit),
    }.get(unit, Scale(1, 2, "x", unit))


def printed(cell: SheetCell, scale: Scale) -> str:
    """The number in the column's scale, negatives in brackets; the line of a cell without one."""
    if cell.value is None or scale.unit is None:
        return cell.line
    value = rounded(Decimal(str(cell.value)) / scale.factor, scale.places)
    text = plain(abs(value), scale.places)
    return f"({text})" if value < 0 else text


def number_text(value: float, scale: Scale) -> str:
    """A total or average as its column prints numbers."""
    return printed(SheetCell("", "", "computed", "", value, scale.unit), scale)


def summary(cells: Sequence[SheetCell]) -> Summary | None:
    """Total, average and median of the numbers of a column in one unit; None for fewer than two, or several units."""
    held = [cell for cell in cells if cell.value is not None]
    units = {cell.unit for cell in held}
    if len(held) < 2 or len(units) != 1:
        return None
    values = [cell.value for cell in held if cell.value is not None]
    total = float(sum(map(_exact, values))) if units <= set(_ADDITIVE) else None
    return Summary(total, float(sum(map(_exact, values)) / len(values)), median(values), len(values))


def _exact(value: float) -> Decimal:
    return Decimal(str(value))


def ranks(rows: Sequence[SheetRow], column: str, cells: Mapping[CellKey, SheetCell]) -> dict[str, int]:
    """Row key -> place of its number in a column, 1 the highest; equal numbers share a place, rows without one have none."""
    values = {row.key: cell.value for row in rows if (cell := cells.get((row.key, column))) and cell.value is not None}
    places: dict[float, int] = {}
    for place, value in enumerate(sorted(values.values(), reverse=True), start=1):
        places.setdefault(value, place)
    return {key: places[value] for key, value in values.items()}


def sorted_rows(sheet: Sheet, column: str, cells: Mapping[CellKey, SheetCell], *, down: bool = True) -> tuple[SheetRow, ...]:
    """The rows by their number in a column (by key), highest first when ``down``; words by the alphabet, empty ones last."""
    with_number = [row for row in sheet.rows if (cell := cells.get((row.key, column))) and cell.value is not None]
    numbered = sorted(with_number, key=lambda row: cells[row.key, column].value or 0.0, reverse=down)
    keys = {row.key for row in numbered}
    worded = [row for row in sheet.rows if row.key not in keys and (c := cells.get((row.key, column))) and c.line]
    words = sorted(worded, key=lambda row: cells[row.key, column].line.casefold(), reverse=not down)
    keys |= {row.key for row in words}
    return (*numbered, *words, *(row for row in sheet.rows if row.key not in keys))


def column_cells(sheet: Sheet, column: SheetColumn, cells: Mapping[CellKey, SheetCell]) -> list[SheetCell]:
    """The filled cells of a column from the top."""
    return [cell for row in sheet.rows if (cell := cells.get((row.key, column.key))) is not None]
