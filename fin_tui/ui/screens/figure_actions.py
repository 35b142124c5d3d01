"""The part of the main screen that looks into an answer: pictures, figures, steps, reasons, and what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from fin_tui.ui.keeping import KeepWanted
from fin_tui.ui.messages import FigureWanted, TurnKept
from fin_tui.ui.screens.answering import AnsweringScreen
from fin_tui.ui.screens.figure import FigureScreen
from fin_tui.ui.screens.notebook import NotebookScreen
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.evidence_card import RestOfAnswer
from fin_tui.ui.widgets.figure_table import Calculation
from fin_tui.ui.widgets.plan import PlanSteps
from fin_tui.ui.widgets.reasons import Reasons

if TYPE_CHECKING:
    from fin_tui.ui.widgets.turn import Turn

_NO_CHARTS = "-no-charts"


class FigureActionsScreen(AnsweringScreen):
    """Pictures shown or hidden, figures looked into, answers kept."""

    def action_charts(self) -> None:
        """Show the pictures of all turns, or hide them."""
        self.query_one(Chat).toggle_class(_NO_CHARTS)

    def action_plan(self) -> None:
        """Show the rest, the calculation and the steps of the newest answer, or hide them."""
        turn = self.turn
        folds = [*turn.query(RestOfAnswer), *turn.query(Calculation), *turn.query(PlanSteps)] if turn is not None else []
        shown = [fold for fold in folds if fold.display]
        if not shown:
            self.notify("The last answer has nothing folded away.", severity="warning")
        for fold in shown:
            fold.toggle()

    def action_reasons(self) -> None:
        """Open the reasons of the newest answer; where they are open, go back to the chat."""
        reasons = self.turn.query_one(Reasons) if self.turn is not None else None
        if reasons is None or not reasons.display:
            self.notify("Nothing in the last answer is marked.", severity="warning")
        elif reasons.has_focus:
            self.query_one(Chat).focus()
        else:
            reasons.focus()

    def action_figure(self) -> None:
        """Look into the figures of the newest turn that has some."""
        turn = next((turn for turn in reversed(self.query_one(Chat).turns) if turn.figures.facts), None)
        if turn is None:
            self.notify("No answer here has figures yet.", severity="warning")
        else:
            self._look_into(turn, 0)

    @on(FigureWanted)
    def _figure_wanted(self, event: FigureWanted) -> None:
        self._look_into(event.turn, event.place)

    def action_file(self) -> None:
        """File the newest answer in the notebook."""
        if self.turn is not None:
            self.keep_turn(self.turn)

    @on(TurnKept)
    def _keep_chosen(self, event: TurnKept) -> None:
        self.keep_turn(event.turn)

    def keep_turn(self, turn: Turn) -> None:
        """Keep the answer of ``turn`` in the notebook."""
        answer, passages = turn.answer, turn.passages
        if answer is None or answer.status != "answered":
            self.notify("There is no answer to keep yet.", severity="warning")
            return
        self.app.post_message(KeepWanted("answer", lambda room: room.keep_answer(answer, passages)))

    def action_notebook(self) -> None:
        if self._services is not None:
            self.app.push_screen(NotebookScreen(self._services.notebook))

    def _look_into(self, turn: Turn, place: int) -> None:
        facts = turn.figures.facts
        if self._services is not None and place < len(facts):
            citations = {passage.citation.id: passage.citation for passage in turn.passages}
            self.app.push_screen(FigureScreen(self._services.notebook, facts, place, citations))
