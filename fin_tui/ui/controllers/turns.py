"""What is done with the newest turn: looked into, kept, copied, asked another way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from textual.screen import Screen

from fin_tui.engine.figures.shown import Figures, Grid
from fin_tui.engine.questions.interpretation import Interpretation, asked_anew
from fin_tui.facts.words import spoken_name
from fin_tui.records import FactRecord
from fin_tui.ui.controllers.answering import AnsweringController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.conversation import TurnState
from fin_tui.ui.messages import CopyWanted, FetchWanted, FigureWanted, KeepWanted, TurnKept
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.screens.dialog import AskFirstScreen
from fin_tui.ui.screens.figure import FigureScreen
from fin_tui.ui.text import answer_text, one_line
from fin_tui.ui.widgets.evidence_card import Calculation, PlanSteps, RestOfAnswer

Look = Literal["charts", "plan", "reasons", "figure", "file", "copy", "copy-table"]
_NO_CHARTS = "-no-charts"


class TurnsController:
    """Works on the newest turn of a conversation."""

    def __init__(self, screen: Screen[None], answering: AnsweringController) -> None:
        self._screen = screen
        self._answering = answering

    def look(self, what: Look) -> None:
        """Do what a key asks of the newest answer."""
        match what:
            case "charts":
                self._answering.chat.toggle_class(_NO_CHARTS)
            case "plan":
                self._unfold()
            case "reasons":
                self._explain_marks()
            case "figure":
                self._newest_figure()
            case "file":
                if self._answering.turn is not None:
                    self._keep(self._answering.turn)
            case "copy":
                self._copy_answer()
            case "copy-table":
                self._copy_table()

    def hear(self, event: FigureWanted | TurnKept) -> None:
        """Take a message of the screen."""
        match event:
            case FigureWanted():
                self._look_into(event.turn, event.place)
            case TurnKept():
                self._keep(event.turn)

    def _unfold(self) -> None:
        """Show the rest, the calculation and the steps, or hide them."""
        turn = self._answering.chat.view_of(self._answering.turn)
        folds = [*turn.query(RestOfAnswer), *turn.query(Calculation), *turn.query(PlanSteps)] if turn is not None else []
        shown = [fold for fold in folds if fold.display]
        if not shown:
            self._screen.notify("The last answer has nothing folded away.", severity="warning")
        for fold in shown:
            fold.toggle()

    def _explain_marks(self) -> None:
        """Open the reasons; where they are open, go back to the chat."""
        from fin_tui.ui.widgets.turn import Reasons  # With what no one waits for at the start.

        turn = self._answering.chat.view_of(self._answering.turn)
        reasons = turn.query_one(Reasons) if turn is not None else None
        if reasons is None or not reasons.display:
            self._screen.notify("Nothing in the last answer is marked.", severity="warning")
        elif reasons.has_focus:
            self._answering.chat.focus()
        else:
            reasons.focus()

    def _newest_figure(self) -> None:
        """Look into the figures of the newest turn: those of one before it would be taken for its."""
        turn = self._answering.turn
        if self._answering.is_answering and turn is not None and not turn.figures.facts:
            self._screen.notify("The answer is still being looked for.", severity="warning")
        elif turn is None or not turn.figures.facts:
            self._screen.notify("The last answer has no figures to look into.", severity="warning")
        else:
            self._look_into(turn, newest_of(turn.figures.facts))

    def _look_into(self, turn: TurnState, place: int) -> None:
        services, facts = self._answering.services, turn.figures.facts
        if services is not None and place < len(facts):
            citations = {passage.citation.id: passage.citation for passage in turn.passages}
            self._screen.app.push_screen(FigureScreen(services.notebook, facts, place, citations))

    def _keep(self, turn: TurnState) -> None:
        answer, passages = turn.answer, turn.passages
        if answer is None or answer.status != "answered":
            self._screen.notify("There is no answer to keep yet.", severity="warning")
            return
        self._screen.app.post_message(KeepWanted("answer", lambda room: room.keep_answer(answer, passages)))

    def _copy_answer(self) -> None:
        turn = self._answering.turn
        if turn is None or turn.answer is None:
            self._screen.notify("There is no answer to copy yet.", severity="warning")
            return
        self._screen.post_message(CopyWanted("answer", answer_text(turn.answer, turn.passages)))

    def _copy_table(self) -> None:
        turn = self._answering.turn
        figures = turn.figures if turn is not None else Figures()
        told = turn.answer.sentences if turn is not None and turn.answer is not None else ()
        quoted = [Grid.of_table(sentence.table) for sentence in told if sentence.table is not None]
        if turn is not None and figures:
            quoted = [figures.page_grid([p.citation for p in turn.passages])]
        if not quoted:
            self._screen.notify("The last answer has no table.", severity="warning")
            return
        self._screen.post_message(CopyWanted("table", "\n".join(grid.tsv for grid in quoted)))


class ReaskingController:
    """Works on the newest turn of a conversation."""

    def __init__(self, screen: Screen[None], answering: AnsweringController, scope: ScopeController) -> None:
        self._screen = screen
        self._answering = answering
        self._scope = scope

    @property
    def understood(self) -> Interpretation | None:
        """What was understood of the newest question."""
        return self._answering.turn.interpretation if self._answering.turn is not None else None

    @property
    def missing(self) -> str:
        """The command that would bring what the newest question misses; empty where nothing would."""
        answer = self._answering.turn.answer if self._answering.turn is not None else None
        return answer.refusal.fetch if answer is not None and answer.refusal is not None else ""

    async def again(self) -> None:
        """Ask the same question, as things are set now."""
        if self._answering.turn is not None:
            await self._answering.ask(self._answering.turn.question)

    def fetch(self) -> None:
        """Open the fetch dialog for what the newest question misses."""
        from fin_tui.ingest.fetch_plan import words_of_command

        self._screen.app.post_message(FetchWanted(words_of_command(self.missing)))

    def change(self) -> None:
        """Show what was understood of the last question, to be changed; where the scope left its company out, both ways."""
        read = self.understood
        if read is None:
            return
        ways = scope_ways(read)
        if ways:
            question = AskFirstScreen("Which company is meant?", (read.line,), ways)
            self._screen.app.push_screen(question, partial(self._ask_in_scope, read))
            return
        names = sorted({spoken_name(one_line(filing.company)) for filing in self._scope.filings}, key=str.casefold)
        self._screen.app.push_screen(ChangeScreen(read, names), self._ask_anew)

    async def _ask_in_scope(self, read: Interpretation, way: str | None) -> None:
        if way is None:
            return
        if way == scope_ways(read)[0]:
            self._scope.lift()
            await self._answering.ask(read.text)
        else:
            await self._answering.ask(asked_anew(read, read.limit, ", ".join(read.periods), read.figure), alone=True)

    async def _ask_anew(self, question: str | None) -> None:
        if question:  # What was taken out of it must not come back from the turns before.
            await self._answering.ask(question, alone=True)


def newest_of(facts: Sequence[FactRecord]) -> int:
    """Which figure is looked into first: the first of those with the latest period, as the answer's first line tells it."""
    return max(range(len(facts)), key=lambda at: facts[at].get("period_end") or "")


def scope_ways(read: Interpretation) -> tuple[str, ...]:
    """Both ways out where the question names companies that the scope leaves out; empty where it doesn't."""
    if not read.outside:
        return ()
    outside = " and ".join(read.outside)
    return (f"Ask about {outside}: lift the scope", f"Ask about {read.limit}: keep the scope")
