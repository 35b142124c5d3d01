"""The part of the main screen that walks through sources and copies what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from fin_tui.config import Settings
from fin_tui.engine.figures.shown import Figures
from fin_tui.ui.copying import answer_text
from fin_tui.ui.messages import CitationChosen, CopyWanted
from fin_tui.ui.screens.figure_actions import FigureActionsScreen
from fin_tui.ui.screens.number_keys import NumberKeys
from fin_tui.ui.screens.panes import Panes
from fin_tui.ui.widgets.sources import Sources

if TYPE_CHECKING:
    from fin_tui.ui.widgets.turn import Turn


class SourceActionsScreen(FigureActionsScreen):
    """Sources by step and by number, opened, explained, copied."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._numbers = NumberKeys()
        self._panes = Panes(self)

    def show_sources(self, turn: Turn, number: int | None = None) -> None:
        super().show_sources(turn, number)
        self._panes.count(len(turn.passages))
        self.refresh_bindings()

    @on(CitationChosen)
    def _citation(self, event: CitationChosen) -> None:
        self._panes.show("sources")
        self.show_sources(event.turn, event.number)

    def action_step(self, by: int) -> None:
        self._panes.show("sources")
        self.query_one(Sources).step(by)

    def action_digit(self, digit: int) -> None:
        sources = self.query_one(Sources)
        number = self._numbers.press(digit, [p.citation.id for p in sources.passages])
        if number is not None:
            self._panes.show("sources")
            sources.choose(number)

    def action_open_reader(self) -> None:
        self.query_one(Sources).action_open_reader()

    def action_explain(self) -> None:
        self._panes.show("sources")
        self.query_one(Sources).toggle_explain()

    def action_copy_answer(self) -> None:
        turn = self.turn
        if turn is None or turn.answer is None:
            self.notify("There is no answer to copy yet.", severity="warning")
            return
        self.post_message(CopyWanted("answer", answer_text(turn.answer, turn.passages)))

    def action_copy_table(self) -> None:
        turn = self.turn
        figures = turn.figures if turn is not None else Figures()
        if turn is None or not figures:
            self.notify("The last answer has no table.", severity="warning")
            return
        self.post_message(CopyWanted("table", figures.page_grid([p.citation for p in turn.passages]).tsv))
