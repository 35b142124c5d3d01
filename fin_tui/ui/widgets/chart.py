"""The picture of an answer's figures, under their table."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on, work
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from fin_tui.ui.plotting import NARROWEST, Chart, draw


class ChartView(Static):
    """Draws itself anew for each width, in a worker; hidden where there is no chart or no room for one."""

    DEFAULT_CSS = "ChartView.-empty { display: none; }"

    @dataclass
    class Drawn(Message):
        """The picture for one width."""

        chart: Chart
        content: Content

    def __init__(self) -> None:
        super().__init__("", markup=False, classes="chart -empty")
        self._chart: Chart | None = None
        self._width = 0

    def show(self, chart: Chart | None, width: int) -> None:
        """Draw ``chart`` for ``width`` cells; None draws nothing."""
        self._chart = chart
        self._width = 0
        self.fit(width)

    def fit(self, width: int) -> None:
        """Draw for another width."""
        is_shown = self._chart is not None and width >= NARROWEST
        self.set_class(not is_shown, "-empty")
        if self._chart is not None and is_shown and width != self._width:
            self._width = width
            self._draw(self._chart, width)

    @on(Drawn)
    def _drawn(self, event: Drawn) -> None:
        event.stop()
        if event.chart is self._chart:
            self.update(event.content)

    @work(thread=True, exclusive=True, group="chart", exit_on_error=False)
    def _draw(self, chart: Chart, width: int) -> None:
        self.post_message(self.Drawn(chart, draw(chart, width)))
