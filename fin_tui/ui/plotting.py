"""The owner of plotext: a chart as lines of text, styled by theme variables.

plotext writes terminal codes and counts every character as one cell wide. So names go in as runs of private characters as wide
as the name is on screen and are put back afterwards, and its colours are role numbers that become theme variables: nothing that
it writes reaches the terminal as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Lock
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.content import Content

from fin_tui.ui.charts import Chart, thinned, tick_label, ticks

NARROWEST = 32
"""Cells below which a picture tells less than its table."""
WIDEST = 100
_LINE_ROWS = 10
_MOST_NAME = 24
_NAME_SHARE = 3
"""Names of bars take at most this part of the width."""
_PLACEHOLDER = 0xE000
_RUN = re.compile(r"([\ue000-\uf8ff])\1*")
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
    parts = [_legend(chart), picture]
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
    """(name, value, place) of each bar from the top; a gap has none. Names of series take ``room`` cells at most."""
    for series in chart.series:
        for at, (place, value) in enumerate(zip(chart.places, series.values, strict=True)):
            if value is not None:
                name = _short(series.name, room) if len(chart.series) > 1 else ""
                several = len(chart.places) > 1
                yield " ".join(filter(None, (name, place if several or not name else ""))), value, at if several else 0


def _short(name: str, room: int) -> str:
    if cell_len(name) <= room:
        return name
    return f"{set_cell_size(name, room - 1).rstrip()}…"


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
            text = _RUN.sub(lambda run: _name(run, names), line.plain[start:end])
            pieces.append(Content.styled(text, _style(roles[start])))
            start = end
    return Content("").join(pieces)


def _name(run: re.Match[str], names: Sequence[str]) -> str:
    at = ord(run[1]) - _PLACEHOLDER
    return set_cell_size(names[at], len(run[0])) if at < len(names) else " " * len(run[0])


def _style(role: int) -> str:
    return _STYLES[role - 1] if 1 <= role <= len(_STYLES) else "$foreground-muted" if role == _AXIS else "$foreground"


def _legend(chart: Chart) -> Content:
    """The unit, then what each mark stands for, where there are several."""
    said = ", ".join(filter(None, (chart.what, f"in {chart.unit}" if chart.unit else "")))
    unit = Content.styled(said, "$foreground-muted")
    if chart.kind == "line":
        marks = [(_POINTS[at % len(_POINTS)], series.name) for at, series in enumerate(chart.series)]
    else:
        marks = [(_FILLS[at % len(_FILLS)], place) for at, place in enumerate(chart.places)] if len(chart.places) > 1 else []
    named = [Content.styled(mark, _style(at % len(_STYLES) + 1)) + Content(f" {name}") for at, (mark, name) in enumerate(marks)]
    return Content("   ").join([part for part in (unit, *named) if part.plain])
