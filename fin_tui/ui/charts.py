"""Which figures of an answer make a picture, and of which kind: lines along years, bars side by side. Pure.

A chart shows one unit. Rows of another unit stay in the table alone, and the chart says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fin_tui.engine.figures.shown import Figures, without_shared
from fin_tui.facts.format import SCALES
from fin_tui.records import Citation
from fin_tui.ui.text import one_line

FEWEST_FOR_A_LINE = 3
MOST_LINES = 5
MOST_BARS = 16
_YEAR = re.compile(r"(?:19|20)\d\d")
_SIGNS = {"usd": "$", "usd/share": "$ per share"}


@dataclass(frozen=True, slots=True)
class Series:
    """One row of the table: a value for each place of the chart, None where there is a gap."""

    name: str
    values: tuple[float | None, ...]
    """In ``Chart.unit``."""


@dataclass(frozen=True, slots=True)
class Chart:
    """What is to be drawn; sizes and colours are the drawer's."""

    kind: Literal["line", "bar"]
    places: tuple[str, ...]
    """Names along the axis: years, in their order."""
    positions: tuple[float, ...]
    """Where each place stands on the axis: the year itself, so that years that are left out leave room."""
    series: tuple[Series, ...]
    unit: str
    """ "$ million", "%", "$ per share"."""
    what: str = ""
    """What all series are, where their names would repeat it: "revenue"."""
    left_out: tuple[str, ...] = ()
    """Names of rows that are not drawn."""

    @property
    def values(self) -> tuple[float, ...]:
        """All values that are there."""
        return tuple(value for series in self.series for value in series.values if value is not None)


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    unit: str
    values: tuple[float | None, ...]


def chart_of(figures: Figures, citations: Sequence[Citation]) -> Chart | None:
    """The picture of ``figures``: a line for each row along three or more years, else bars; None for a single value."""
    columns, rows = _of_table(figures.table) if figures.table else _of_facts(figures.facts, citations)
    units = [row.unit for row in rows if _count(row)]
    if not units:
        return None
    drawn = [row for row in rows if row.unit == units[0] and _count(row)]
    is_line = sum(any(row.values[at] is not None for row in drawn) for at in range(len(columns))) >= FEWEST_FOR_A_LINE
    most = MOST_LINES if is_line else max(MOST_BARS // max(len(columns), 1), 1)
    kept = drawn[:most]
    if sum(map(_count, kept)) < 2:
        return None
    scale, unit = _scaled(units[0], [abs(v) for row in kept for v in row.values if v is not None])
    names, what = without_shared([row.name for row in kept])
    series = tuple(
        Series(name, tuple(None if v is None else v / scale for v in row.values)) for name, row in zip(names, kept, strict=True)
    )
    left_out = tuple(row.name for row in rows if row not in kept and _count(row))
    return Chart("line" if is_line else "bar", columns, _positions(columns), series, unit, what, left_out)


def _of_table(table: Mapping[str, Any]) -> tuple[tuple[str, ...], list[_Row]]:
    columns = tuple(one_line(str(column)) for column in table["columns"])
    rows = []
    for row in table["rows"]:
        unit = next((str(cell["unit"]) for cell in row["cells"] if cell.get("unit")), "")
        rows.append(_Row(one_line(str(row["label"])), unit, tuple(_number(cell.get("value")) for cell in row["cells"])))
    return columns, rows


def _of_facts(facts: Sequence[Mapping[str, Any]], citations: Sequence[Citation]) -> tuple[tuple[str, ...], list[_Row]]:
    """Facts of one concept and unit, such as both ends of a growth rate; other facts are parts of a sum, not a picture."""
    if len({(f.get("concept"), f.get("unit"), str(f.get("dimensions") or {})) for f in facts}) != 1:
        return (), []
    companies = {c.id: one_line(c.company) for c in citations}
    ends = tuple(sorted({str(f.get("period_end") or "") for f in facts}))
    values: dict[str, dict[str, float | None]] = {}
    for fact in facts:
        name = companies.get(fact.get("citation") or 0, "") or one_line(str(fact.get("label") or ""))
        values.setdefault(name, {})[str(fact.get("period_end") or "")] = _number(fact.get("value"))
    unit = str(facts[0].get("unit") or "")
    return ends, [_Row(name, unit, tuple(held.get(end) for end in ends)) for name, held in values.items()]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _count(row: _Row) -> int:
    return sum(value is not None for value in row.values)


def _positions(columns: Sequence[str]) -> tuple[float, ...]:
    years = [float(match.group()) if (match := _YEAR.search(column)) else None for column in columns]
    known = [year for year in years if year is not None]
    return tuple(known) if len(set(known)) == len(columns) else tuple(float(at) for at in range(len(columns)))


def _scaled(unit: str, sizes: Sequence[float]) -> tuple[float, str]:
    """(divisor, name of the unit): the largest scale that leaves the greatest value at 1 or more."""
    sign = _SIGNS.get(unit, "" if unit == "count" else unit)
    if unit not in ("usd", "shares", "count"):
        return 1.0, sign
    for scale, word in SCALES.items():
        if max(sizes, default=0) >= scale:
            return float(scale), " ".join(filter(None, ("$", word) if unit == "usd" else (word, sign)))
    return 1.0, sign


_LEAST_SPAN = 1e-300
"""Numbers closer than this can't be told apart by a step between them."""


def ticks(values: Sequence[float], *, from_zero: bool, most: int = 5) -> tuple[float, ...]:
    """At most ``most`` round numbers, the first at or under the least value, the last at or over the greatest.

    Zero is among them ``from_zero``, as bars need it, and wherever it is not far from the values.
    """
    low, high = min(values), max(values)
    if from_zero or low <= high / 2:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = (low - abs(low) / 2, high + abs(high) / 2) if low else (0.0, 1.0)
    if high - low < _LEAST_SPAN:
        low, high = min(low, 0.0), max(high, 1.0)
    for step in _steps((high - low) / max(most - 1, 1)):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first < most:
            return tuple(at * step for at in range(first, last + 1))
    raise AssertionError("steps grow without end")


def _steps(least: float) -> Iterator[float]:
    """Round steps (1, 2, 2.5, 5 times a power of ten), from about ``least`` up."""
    power = math.floor(math.log10(least))
    while True:
        for factor in (1.0, 2.0, 2.5, 5.0):
            if factor * 10.0**power >= least * 0.999:
                yield factor * 10.0**power
        power += 1


def tick_label(value: float, all_ticks: Sequence[float]) -> str:
    """ "1,500", "2.5", "-20": all ticks of an axis with the same number of decimals."""
    places = max((len(f"{tick:.6f}".rstrip("0").partition(".")[2]) for tick in all_ticks), default=0)
    return f"{value:,.{places}f}"


def thinned(places: Sequence[str], room: int) -> tuple[int, ...]:
    """Which of ``places`` are named where there are ``room`` cells for all names: the last one, and every n-th before it."""
    widest = max((len(place) for place in places), default=0) + 2
    step = next((n for n in range(1, len(places) + 1) if len(range(0, len(places), n)) * widest <= room), len(places))
    return tuple(range(len(places) - 1, -1, -max(step, 1)))[::-1]
