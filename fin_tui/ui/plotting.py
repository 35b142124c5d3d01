"""Charts of figures: what is drawn of them, pure; and the owner of plotext: a chart as lines of text, styled by theme variables.

plotext writes terminal codes and counts every character as one cell wide. So names go in as runs of private characters as wide
as the name is on screen and are put back afterwards, and its colours are role numbers that become theme variables: nothing that
it writes reaches the terminal as it is.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from threading import Lock
from typing import Any, Literal

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.content import Content

from fin_tui.engine.figures.shown import Figures, without_shared
from fin_tui.facts.figures import SCALES
from fin_tui.language import is_year
from fin_tui.records import Citation, FactRecord, TableRecord
from fin_tui.ui.text import one_line

FEWEST_FOR_A_LINE = FEWEST_FOR_BARS = 3
"""Two values are read faster than their picture."""
MOST_LINES = 5
MOST_BARS = 16
_ROUNDING = 2e-3
"""Share by which parts may miss their total."""
_PERIOD = re.compile(r"FY\d{4}$|\d{4}-\d\d-\d\d$")
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
    """The picture of ``figures``: a line for each row along three or more years, else bars; None for one or two values."""
    columns, rows = _of_table(figures.table) if figures.table else _of_facts(figures.facts, citations)
    units = [row.unit for row in rows if _count(row)]
    if not units:
        return None
    drawn = [row for row in rows if row.unit == units[0] and _count(row)]
    if len(drawn) > 2 and _is_sum(drawn[-1], drawn[:-1]):
        drawn.pop()  # The total would press its parts together.
    are_years = all(_PERIOD.match(column) for column in columns)
    is_line = (
        are_years and sum(any(row.values[at] is not None for row in drawn) for at in range(len(columns))) >= FEWEST_FOR_A_LINE
    )
    most = MOST_LINES if is_line else max(MOST_BARS // max(len(columns), 1), 1)
    kept = drawn[:most]
    if sum(map(_count, kept)) < FEWEST_FOR_BARS:
        return None
    scale, unit = _scaled(units[0], [abs(v) for row in kept for v in row.values if v is not None])
    names, what = without_shared([row.name for row in kept])
    names, what = _of_parts(names, what)
    series = tuple(
        Series(name, tuple(None if v is None else v / scale for v in row.values)) for name, row in zip(names, kept, strict=True)
    )
    left_out = tuple(row.name for row in rows if row not in kept and _count(row))
    return Chart("line" if is_line else "bar", columns, _positions(columns), series, unit, what, left_out)


def _of_parts(names: list[str], what: str) -> tuple[list[str], str]:
    """ "North: revenue" and "South: revenue" as North and South, and the revenue that both are."""
    parts, figures = zip(*(name.rpartition(": ")[::2] for name in names), strict=True)
    is_of_parts = len(names) > 1 and all(parts) and len(set(figures)) == 1
    return (list(parts), ", ".join(filter(None, (what, figures[0])))) if is_of_parts else (names, what)


def _is_sum(row: _Row, others: Sequence[_Row]) -> bool:
    """Whether ``row`` is what the others come to, wherever it has a value."""
    places = [at for at, value in enumerate(row.values) if value is not None]
    sums = [(row.values[at] or 0.0, sum(other.values[at] or 0.0 for other in others)) for at in places]
    return all(math.isclose(value, total, rel_tol=_ROUNDING) for value, total in sums)


def _of_table(table: TableRecord) -> tuple[tuple[str, ...], list[_Row]]:
    columns = tuple(one_line(str(column)) for column in table["columns"])
    rows = []
    for row in table["rows"]:
        unit = next((str(cell["unit"]) for cell in row["cells"] if cell.get("unit")), "")
        rows.append(_Row(one_line(str(row["label"])), unit, tuple(_number(cell.get("value")) for cell in row["cells"])))
    return columns, rows


def _of_facts(facts: Sequence[FactRecord], citations: Sequence[Citation]) -> tuple[tuple[str, ...], list[_Row]]:
    """Facts of one concept and unit, such as both ends of a growth rate; other facts are parts of a sum, not a picture."""
    if len({(f.get("concept"), f.get("unit"), str(f.get("dimensions") or {})) for f in facts}) != 1:
        return (), []
    cited = {c.id: c for c in citations}
    ends = {place: _fiscal(fact, cited.get(fact.get("citation") or 0)) for place, fact in enumerate(facts)}
    columns = tuple(sorted(set(ends.values())))
    if len(columns) < len({str(fact.get("period_end")) for fact in facts}):
        ends = {place: str(fact.get("period_end") or "") for place, fact in enumerate(facts)}
        columns = tuple(sorted(set(ends.values())))
    values: dict[str, dict[str, float | None]] = {}
    for place, fact in enumerate(facts):
        citation = cited.get(fact.get("citation") or 0)
        name = one_line(citation.company) if citation else one_line(str(fact.get("label") or ""))
        values.setdefault(name, {})[ends[place]] = _number(fact.get("value"))
    unit = str(facts[0].get("unit") or "")
    return columns, [_Row(name, unit, tuple(held.get(column) for column in columns)) for name, held in values.items()]


def _fiscal(fact: FactRecord, citation: Citation | None) -> str:
    """ "FY2024", by how many years before the end of the year of its filing the figure's period ends; else that day."""
    end = str(fact.get("period_end") or "")
    if citation is None or not citation.fiscal_year or not citation.period_end or not end:
        return end
    years = (dt.date.fromisoformat(citation.period_end) - dt.date.fromisoformat(end)).days / _DAYS
    return f"FY{citation.fiscal_year - round(years)}" if abs(years - round(years)) <= _NEAR_YEARS else end


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _count(row: _Row) -> int:
    return sum(value is not None for value in row.values)


def _positions(columns: Sequence[str]) -> tuple[float, ...]:
    known = [float(year) for column in columns if (year := _year_in(column))]
    return tuple(known) if len(set(known)) == len(columns) else tuple(float(at) for at in range(len(columns)))


def _year_in(column: str) -> str:
    """ "2024" of "FY2024" and "2024-09-30"."""
    return next((year for at in range(len(column)) if is_year(year := column[at : at + 4])), "")


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


_DAYS = 365.25
_NEAR_YEARS = 0.05
"""A period that ends further from the end of a fiscal year is none."""
NARROWEST = 32
"""Cells below which a picture tells less than its table."""
WIDEST = 100
_LINE_ROWS = 10
_MOST_NAME = 24
_NAME_SHARE = 3
"""Names of bars take at most this part of the width."""
_PLACEHOLDER, _LAST_PLACEHOLDER = 0xE000, 0xF8FF
_STYLES = ("$primary", "$accent", "$secondary", "$warning", "$success")
_AXIS = 8
"""plotext's number for what is drawn in the muted colour; the series have 1 to 5."""
_POINTS = "●▲■◆✚"
_FILLS = "█▒▓░▚"
_lock = Lock()
"""plotext draws on one figure of the process."""


def load() -> None:
    """Import plotext, which takes half a second: a worker does it before the first chart is wanted."""
    with _lock:
        _figure()


def draw(chart: Chart, width: int) -> Content:
    """``chart`` in at most ``width`` cells: legend, picture, and what was left out; empty when that is too narrow."""
    if width < NARROWEST:
        return Content("")
    width = min(width, WIDEST)
    with _lock:
        names: list[str] = []
        ansi = _lines(chart, width, names) if chart.kind == "line" else _bars(chart, width, names)
    picture = _styled(ansi, names)
    parts = [_legend(chart, width), picture]
    marks = ticks(chart.values, from_zero=chart.kind == "bar")
    if marks[0] > 0:
        parts.append(Content.styled(f"the axis begins at {tick_label(marks[0], marks)}", "$foreground-muted"))
    if chart.left_out:
        parts.append(Content.styled(f"not drawn: {', '.join(chart.left_out)}", "$foreground-muted"))
    return Content("\n").join(parts)


@cache
def _figure() -> Any:
    import plotext

    plotext.terminal.limit(False, False)
    return plotext.figure


def _begin(width: int, height: int) -> Any:
    figure = _figure()
    figure.clear()
    figure.theme("colorless")
    figure.canvas("default")
    figure.plot_size(width, height)
    for axis, side in (("x", "upper"), ("y", "right")):
        figure.axes(False, axis=axis, side=side)
    for axis, side in (("x", "lower"), ("y", "left")):
        figure.axes(True, pixel=_pixel(_AXIS), axis=axis, side=side)
        figure.ruler(axis, side).pixel(_pixel(_AXIS))
    return figure


def _pixel(role: int) -> Any:
    import plotext

    return plotext.pixel(role)


def _marker(symbol: str, role: int) -> Any:
    import plotext

    return plotext.marker(symbol).fill(_pixel(role))


def _lines(chart: Chart, width: int, names: list[str]) -> str:
    figure = _begin(width, _LINE_ROWS + 2)
    for at, series in enumerate(chart.series):
        role = at % len(_STYLES) + 1
        for xs, ys in _unbroken(chart.positions, series.values):
            if len(xs) > 1:
                figure.draw(figure.signal(xs, ys, marker=_marker("braille", role)).lines(True))
    for at, series in enumerate(chart.series):
        points = [(x, y) for x, y in zip(chart.positions, series.values, strict=True) if y is not None]
        marker = _marker(_POINTS[at % len(_POINTS)], at % len(_STYLES) + 1)
        figure.draw(figure.signal([x for x, _ in points], [y for _, y in points], marker=marker))
    marks = ticks(chart.values, from_zero=False)
    figure.ruler("y").lim(marks[0], marks[-1]).alignment(lim="edge")
    figure.ruler("y").ticks(list(marks), labels=[_held(tick_label(mark, marks), names) for mark in marks])
    named = thinned(chart.places, width - 2 - max(len(tick_label(mark, marks)) for mark in marks))
    figure.ruler("x").ticks([chart.positions[at] for at in named], labels=[_held(chart.places[at], names) for at in named])
    return str(figure.build().string())


def _unbroken(xs: Sequence[float], ys: Sequence[float | None]) -> Iterator[tuple[list[float], list[float]]]:
    """The stretches between gaps: a line never runs over a year that has no value."""
    held: tuple[list[float], list[float]] = ([], [])
    for x, y in zip(xs, ys, strict=True):
        if y is None:
            if held[0]:
                yield held
            held = ([], [])
        else:
            held[0].append(x)
            held[1].append(y)
    if held[0]:
        yield held


def _bars(chart: Chart, width: int, names: list[str]) -> str:
    bars = list(_each_bar(chart, min(_MOST_NAME, width // _NAME_SHARE)))
    figure = _begin(width, len(bars) + 2)
    rows = [float(len(bars) - at) for at in range(len(bars))]
    for row, (_, value, place) in zip(rows, bars, strict=True):
        if value:
            marker = _marker(_FILLS[place % len(_FILLS)], place % len(_STYLES) + 1)
            figure.draw(figure.bar([row], [value], marker=marker, orientation="horizontal", width=0.5, _reset_ticks=False))
    marks = ticks(chart.values, from_zero=True)
    figure.ruler("x").lim(marks[0], marks[-1]).alignment(lim="edge")
    figure.ruler("x").ticks(list(marks), labels=[_held(tick_label(mark, marks), names) for mark in marks])
    figure.ruler("y").lim(0.5, len(bars) + 0.5).alignment(lim="edge")
    figure.ruler("y").ticks(rows, labels=[_held(name, names) for name, _, _ in bars])
    if marks[0] < 0:
        figure.line(0.0, orientation="vertical", pixel=_pixel(_AXIS))
    return str(figure.build().string())


def _each_bar(chart: Chart, room: int) -> Iterator[tuple[str, float, int]]:
    """(name, value, place) of each bar from the top; a gap has none. Names of series take ``room`` cells at most, none alike."""
    short = {series.name: _short(series.name, room) for series in chart.series}
    alike = Counter(short.values())
    short = {name: said if alike[said] < 2 else f"…{_end(name, room - 1)}" for name, said in short.items()}
    for series in chart.series:
        for at, (place, value) in enumerate(zip(chart.places, series.values, strict=True)):
            if value is not None:
                name = short[series.name] if len(chart.series) > 1 else ""
                several = len(chart.places) > 1
                yield " ".join(filter(None, (name, place if several or not name else ""))), value, at if several else 0


def _short(name: str, room: int) -> str:
    """``name`` in ``room`` cells; what tells periods of one company apart stays."""
    if cell_len(name) <= room:
        return name
    head, _, period = name.rpartition(" ")
    if head and _PERIOD.match(period) and cell_len(period) + 4 < room:
        return f"{_short(head, room - cell_len(period) - 1)} {period}"
    return f"{set_cell_size(name, room - 1).rstrip(' ,')}…"


def _end(name: str, room: int) -> str:
    """The last words of ``name`` that ``room`` cells hold; of one long word its end."""
    words = name.split()
    whole = next((" ".join(words[at:]) for at in range(1, len(words)) if cell_len(" ".join(words[at:])) <= room), "")
    return whole or set_cell_size(name[::-1], room)[::-1].strip()


def _held(name: str, names: list[str]) -> str:
    """A run of one private character, as wide as ``name`` is on screen."""
    names.append(name)
    return chr(_PLACEHOLDER + len(names) - 1) * cell_len(name)


def _styled(ansi: str, names: Sequence[str]) -> Content:
    """plotext's text with the names put back and role numbers as theme variables."""
    return Content("\n").join([_line(Text.from_ansi(line), names) for line in ansi.rstrip("\n").split("\n")])


def _line(line: Text, names: Sequence[str]) -> Content:
    pieces: list[Content] = []
    roles = [0] * len(line.plain)
    for span in line.spans:
        colour = getattr(span.style, "color", None)
        if colour is not None and colour.number:
            roles[span.start : span.end] = [colour.number] * (span.end - span.start)
    start = 0
    for end in range(1, len(roles) + 1):
        if end == len(roles) or roles[end] != roles[start]:
            text = "".join(_name("".join(run), names) for _, run in groupby(line.plain[start:end]))
            pieces.append(Content.styled(text, _style(roles[start])))
            start = end
    return Content("").join(pieces)


def _name(run: str, names: Sequence[str]) -> str:
    at = ord(run[0]) - _PLACEHOLDER
    if not 0 <= at <= _LAST_PLACEHOLDER - _PLACEHOLDER:
        return run
    return set_cell_size(names[at], len(run)) if at < len(names) else " " * len(run)


def _style(role: int) -> str:
    return _STYLES[role - 1] if 1 <= role <= len(_STYLES) else "$foreground-muted" if role == _AXIS else "$foreground"


_BETWEEN = "   "


def _legend(chart: Chart, width: int) -> Content:
    """The unit, then what the mark of each line stands for, as many in a row as ``width`` holds; bars have names beside."""
    said = ", ".join(filter(None, (chart.what, f"in {chart.unit}" if chart.unit else "")))
    unit = Content.styled(said, "$foreground-muted")
    marks = [(_POINTS[at % len(_POINTS)], series.name) for at, series in enumerate(chart.series)] if chart.kind == "line" else []
    named = [Content.styled(mark, _style(at % len(_STYLES) + 1)) + Content(f" {name}") for at, (mark, name) in enumerate(marks)]
    lines: list[Content] = []
    for part in (part for part in (unit, *named) if part.plain):
        if lines and lines[-1].cell_length + len(_BETWEEN) + part.cell_length <= width:
            lines[-1] = lines[-1] + _BETWEEN + part
        else:
            lines.append(part)
    return Content("\n").join(lines)
