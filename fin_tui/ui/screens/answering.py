"""The part of the main screen that asks: one question at a time, in a worker that only posts events."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from textual import on, work
from textual.screen import Screen
from textual.worker import Worker, get_current_worker

from fin_tui.config import Settings
from fin_tui.engine.answering.events import EvidenceReady, Failed, Finished
from fin_tui.engine.kept.conversation import history_of
from fin_tui.errors import FinTuiError
from fin_tui.records import Scope
from fin_tui.ui.conversation_log import ConversationLog
from fin_tui.ui.fetch_messages import FetchWanted
from fin_tui.ui.messages import ConversationResumed, EngineEvent, ServicesOpened, WorkFailed
from fin_tui.ui.screens.asking import SearchChoice
from fin_tui.ui.services import Ask, ModelState, Services
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.status_line import StatusLine

if TYPE_CHECKING:
    from fin_tui.ui.widgets.turn import Turn

_log = logging.getLogger(__name__)


class AnsweringScreen(Screen[None]):
    """Owns the conversation. Subclasses compose a chat, a prompt, sources and a status line."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.model = ModelState()
        self.choice = SearchChoice.from_settings(settings)
        self.turn: Turn | None = None
        """The newest turn."""
        self.conversation = ConversationLog()
        self._services: Services | None = None
        self._waiting: tuple[Turn, Ask] | None = None
        self._worker: Worker[None] | None = None

    @property
    def is_answering(self) -> bool:
        return self.turn is not None and not self.turn.is_done

    @property
    def missing(self) -> str:
        """The command that would bring what the newest question misses; empty where nothing would."""
        answer = self.turn.answer if self.turn is not None else None
        return answer.refusal.fetch if answer is not None and answer.refusal is not None else ""

    def scope(self) -> Scope:
        """What the next question may look at."""
        return Scope()

    async def ask(self, question: str) -> None:
        """Begin a turn; a question that is still being answered is stopped first."""
        chat = self.query_one(Chat)
        history = history_of(turn.answer for turn in chat.turns)
        request = self.choice.ask(question, self.scope(), history, self.query_one(Sources).picks)
        shown = self.model if self.choice.use_model else ModelState()
        before = self.turn.passages if self.turn is not None and self.turn.question == question else None
        self.turn = turn = await chat.add(question, shown)
        turn.before = before
        if self._services is None:
            self._cancel()
            self._waiting = (turn, request)
            turn.say("opening the library…")
        else:
            self._start(turn, request)
        self.refresh_bindings()

    @on(Prompt.Submitted)
    async def _submitted(self, event: Prompt.Submitted) -> None:
        await self.ask(event.question)

    @on(ServicesOpened)
    def _opened(self, event: ServicesOpened) -> None:
        self._services = event.services
        if self._waiting is not None:
            (turn, request), self._waiting = self._waiting, None
            self._start(turn, request)

    @on(EngineEvent)
    async def _event(self, message: EngineEvent) -> None:
        await self.query_one(Chat).show(message.turn, message.event)
        if message.turn is not self.turn:
            return
        match message.event:
            case EvidenceReady() | Finished():
                self.show_sources(message.turn)
            case _:
                pass
        if message.turn.is_done:
            self.query_one(StatusLine).busy("")
            self.refresh_bindings()

    def show_sources(self, turn: Turn, number: int | None = None) -> None:
        """Show the passages of ``turn``, with ``number`` chosen (else what was chosen, or what the evidence names first)."""
        sources = self.query_one(Sources)
        sources.explain_with(turn.ranks, turn.figures.facts)
        if number is None and sources.passages == turn.passages and sources.chosen is not None:
            return
        sources.show(turn.passages, number or turn.first_cited, turn.before)

    async def action_stop(self) -> None:
        """Stop the answer; what was shown stays."""
        turn = self.turn
        if turn is None or turn.is_done:
            return
        if self._waiting is not None:
            self._waiting = None
            await turn.show(Failed("Stopped before the library was open."))
            self.refresh_bindings()
            return
        self._cancel()
        turn.say("stopping…")

    async def action_again(self) -> None:
        if self.turn is not None:
            await self.ask(self.turn.question)

    def action_fetch_missing(self) -> None:
        """Open the fetch dialog for what the newest question misses."""
        from fin_tui.ingest.fetch_words import words_of_command

        self.app.post_message(FetchWanted(words_of_command(self.missing)))

    def action_mode(self) -> None:
        self._choose(self.choice.next_mode())

    def action_rerank(self) -> None:
        self._choose(self.choice.toggle_rerank())

    def action_model(self) -> None:
        """Let the model write where it is needed, always, or never."""
        if self.model.name:
            self._choose(self.choice.next_writes())
        else:
            self.notify("No model writes answers here: they are the filings' own words. F12 brings one that writes.", timeout=6)

    def show_choice(self) -> None:
        """Put model and search mode into the status line; a model that is off is not named."""
        self.query_one(StatusLine).made_with(self.model if self.choice.use_model else None, self.choice.label)

    def _choose(self, choice: SearchChoice) -> None:
        self.choice = choice
        self.show_choice()

    def _start(self, turn: Turn, request: Ask) -> None:
        if self._services is None:
            return
        turn.say("searching…")
        self.query_one(StatusLine).busy("answering · Esc stops")
        self._worker = self._answer(turn, self._services, request, self.conversation)

    def _cancel(self) -> None:
        if self._worker is not None:
            self._worker.cancel()

    @work(thread=True, exclusive=True, group="answer", exit_on_error=False)
    def _answer(self, turn: Turn, services: Services, request: Ask, log: ConversationLog) -> None:
        worker = get_current_worker()
        try:
            for event in services.ask(request, lambda: worker.is_cancelled):
                self.post_message(EngineEvent(turn, event))
                if isinstance(event, Finished):
                    self._keep(log, services, event)
        except FinTuiError as error:
            self.post_message(EngineEvent(turn, Failed(error.message, error.hint)))
        except Exception as error:  # noqa: BLE001 - a defect below must end the turn, not leave it waiting or close the app
            _log.exception("the engine failed")
            self.post_message(EngineEvent(turn, Failed(f"The answer failed: {error}", "The log file has the details.")))

    def _keep(self, log: ConversationLog, services: Services, event: Finished) -> None:
        """From the worker: an answer that can't be stored still stands on screen."""
        try:
            log.append(services, event.answer, event.passages)
        except FinTuiError as error:
            self.app.post_message(WorkFailed("The answer could not be stored", error.message, error.hint, is_asked_for=False))

    def action_new_conversation(self) -> None:
        self.post_message(ConversationResumed("", ()))

    @on(ConversationResumed)
    async def _resumed(self, event: ConversationResumed) -> None:
        """Show a stored conversation, or an empty one, in place of this one, which is stored."""
        await self.action_stop()
        self.conversation = ConversationLog(event.conversation)
        chat = self.query_one(Chat)
        await chat.restore(event.turns)
        self.turn = chat.turns[-1] if event.turns else None
        if self.turn is not None:
            self.show_sources(self.turn)
        else:
            self.query_one(Sources).show(())
        self.refresh_bindings()
