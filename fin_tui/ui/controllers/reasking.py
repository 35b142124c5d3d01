"""Asks the last question another way: once more, with another company, period or figure, or once what it misses is fetched."""

from __future__ import annotations

from functools import partial

from textual.screen import Screen

from fin_tui.engine.questions.interpretation import Interpretation, asked_anew
from fin_tui.facts.words import spoken_name
from fin_tui.ui.controllers.answering import AnsweringController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.dialog_messages import FetchWanted
from fin_tui.ui.screens.asking_first import AskFirstScreen
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.text import one_line


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
        from fin_tui.ingest.fetch_words import words_of_command

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
            await self._answering.ask(asked_anew(read, read.limit, ", ".join(read.periods), read.figure))

    async def _ask_anew(self, question: str | None) -> None:
        if question:
            await self._answering.ask(question)


def scope_ways(read: Interpretation) -> tuple[str, ...]:
    """Both ways out where the question names companies that the scope leaves out; empty where it doesn't."""
    if not read.outside:
        return ()
    outside = " and ".join(read.outside)
    return (f"Ask about {outside}: lift the scope", f"Ask about {read.limit}: keep the scope")
