"""Asks: one question at a time, in a worker that only posts events; and how the next one is searched and answered."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

from textual.screen import Screen
from textual.worker import Worker, get_current_worker

from fin_tui.config import Mode, Settings
from fin_tui.engine.answering.events import Event, EvidenceReady, Failed, Finished, ModelEnded
from fin_tui.engine.saved_items import history_of
from fin_tui.errors import FinTuiError
from fin_tui.records import Scope
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.controllers.sources import SourcesController
from fin_tui.ui.conversation import ConversationLog, TurnState
from fin_tui.ui.messages import ConversationResumed, EngineEvent, ServicesOpened, WorkFailed
from fin_tui.ui.scoping import SourcePicks
from fin_tui.ui.services import Ask, ModelState, Services
from fin_tui.ui.text import clean
from fin_tui.ui.widgets.bars import StatusLine
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.prompt import Prompt

_log = logging.getLogger(__name__)
_MODES: tuple[Mode, ...] = get_args(Mode)
Setting = Literal["mode", "rerank", "model"]
Heard = Prompt.Submitted | Prompt.Paged | ServicesOpened | EngineEvent | ConversationResumed
Writes = Literal["where needed", "always", "never"]
"""When a model writes the answer: where what is proven isn't all of it, beside that too, or not at all."""
_WRITES: tuple[Writes, ...] = get_args(Writes)
_MODEL_LABELS: dict[Writes, str] = {"where needed": "", "always": "model always", "never": "model off"}
_BY: dict[Mode, str] = {"dense": "search by meaning", "sparse": "search by words"}


@dataclass(frozen=True, slots=True)
class SearchChoice:
    """How the next question is searched and answered: search mode, reranking, and when a model writes the answer."""

    mode: Mode
    rerank: bool
    writes: Writes = "where needed"

    @classmethod
    def from_settings(cls, settings: Settings) -> SearchChoice:
        return cls(settings.search.mode, settings.search.rerank)

    def next_mode(self) -> SearchChoice:
        return replace(self, mode=_MODES[(_MODES.index(self.mode) + 1) % len(_MODES)])

    def toggle_rerank(self) -> SearchChoice:
        return replace(self, rerank=not self.rerank)

    def next_writes(self) -> SearchChoice:
        return replace(self, writes=_WRITES[(_WRITES.index(self.writes) + 1) % len(_WRITES)])

    @property
    def use_model(self) -> bool:
        """Whether a model writes at all."""
        return self.writes != "never"

    @property
    def label(self) -> str:
        """For the status line: what is not as usual."""
        parts = (_BY.get(self.mode, ""), "" if self.rerank else "not reranked", _MODEL_LABELS[self.writes])
        return " · ".join(filter(None, parts))

    def ask(self, question: str, scope: Scope, history: tuple[str, ...], picks: SourcePicks) -> Ask:
        """The request for ``question`` as things are set."""
        always = self.writes == "always"
        return Ask(question, scope, self.mode, self.rerank, self.use_model, always, history, picks.kept, picks.dropped)


class AnsweringController:
    """Owns the conversation. Works on a screen with a chat, a prompt, sources and a status line."""

    def __init__(self, screen: Screen[None], scope: ScopeController, sources: SourcesController, settings: Settings) -> None:
        self.model = ModelState()
        self.choice = SearchChoice.from_settings(settings)
        self.turn: TurnState | None = None
        """The newest turn."""
        self.conversation = ConversationLog()
        self.services: Services | None = None
        self._screen = screen
        self._scope = scope
        self._sources = sources
        self._waiting: tuple[TurnState, Ask] | None = None
        self._worker: Worker[None] | None = None

    @property
    def chat(self) -> Chat:
        return self._screen.query_one(Chat)

    @property
    def is_answering(self) -> bool:
        return self.turn is not None and not self.turn.is_done

    def request(self, question: str) -> Ask:
        """``question`` as it would be asked now."""
        turns = [turn.state for turn in self.chat.turns]
        history = tuple(turn.question for turn in turns if turn.is_overtaken or history_of((turn.answer,)))
        return self.choice.ask(question, self._scope.scope(), history, self._sources.pane.picks)

    async def ask(self, question: str, *, alone: bool = False) -> None:
        """Begin a turn; a question that is still being answered is stopped first. One that stands ``alone`` takes nothing from
        the turns before.
        """
        if not any(chat.is_attached for chat in self._screen.query(Chat)):  # The app is being left.
            self.turn = TurnState(question)
            return
        if self.turn is not None and not self.turn.is_done:
            self.turn.is_overtaken = self.turn.question != question
            self.chat.say(self.turn, "stopped for the question below")
        self._sources.give_way()
        request = self.request(question)
        request = replace(request, history=()) if alone else request
        shown = self.model if self.choice.use_model else ModelState()
        before = self.turn.passages if self.turn is not None and self.turn.question == question else None
        self.turn = turn = (await self.chat.add(question, shown)).state
        turn.before = before
        if self.services is None:
            self._cancel()
            self._waiting = (turn, request)
            self.chat.say(turn, "opening the library…")
        else:
            self._start(self.services, turn, request)
        self._screen.refresh_bindings()

    async def hear(self, event: Heard) -> None:
        """Take a message of the screen."""
        match event:
            case Prompt.Submitted():
                await self.ask(event.question)
            case Prompt.Paged():
                self.chat.page(event.step)
            case ServicesOpened():
                self.services = event.services
                if self._waiting is not None:
                    (turn, request), self._waiting = self._waiting, None
                    self._start(event.services, turn, request)
            case EngineEvent():
                await self._show(event.turn, event.event)
            case ConversationResumed():
                await self._resume(event)

    async def stop(self) -> None:
        """Stop the answer; what was shown stays."""
        turn = self.turn
        if turn is None or turn.is_done:
            return
        if self._waiting is not None:
            self._waiting = None
            await self.chat.show(turn, Failed("Stopped before the library was open."))
            self._screen.refresh_bindings()
            return
        self._cancel()
        self.chat.say(turn, "stopping…")

    def keep_left_open(self) -> None:
        """Store the question that is being answered as one without an answer. Call once the app has ended: it waits for the
        library.
        """
        if self.turn is None or self.turn.is_done or self.services is None:
            return
        try:
            self.conversation.leave(self.services, self.turn)
        except FinTuiError:
            _log.warning("the question left open could not be stored", exc_info=True)

    def begin_anew(self) -> None:
        """Begin a new conversation; this one is stored."""
        self._screen.post_message(ConversationResumed("", ()))

    def choose(self, what: Setting) -> None:
        """Search in the next mode, rerank or not, or let the model write where it is needed, always, or never."""
        match what:
            case "mode":
                self.choice = self.choice.next_mode()
            case "rerank":
                self.choice = self.choice.toggle_rerank()
            case "model" if not self.model.name:
                told = "No model writes answers here: they are the filings' own words. F12 downloads one that writes."
                self._screen.notify(told, timeout=6)
            case "model":
                self.choice = self.choice.next_writes()
        self.show_choice()

    def settings_changed(self, before: Settings, after: Settings) -> None:
        """Search as the settings say now, where they say something else than before."""
        if (before.search.mode, before.search.rerank) != (after.search.mode, after.search.rerank):
            self.choice = replace(self.choice, mode=after.search.mode, rerank=after.search.rerank)
            self.show_choice()

    def show_choice(self) -> None:
        """Put model and search mode into the status line; a model that is off is not named."""
        shown = self.model if self.choice.use_model else None
        self._screen.query_one(StatusLine).made_with(shown, self.choice.label)

    async def _show(self, turn: TurnState, event: Event) -> None:
        await self.chat.show(turn, event)
        if isinstance(event, ModelEnded):
            text = f"{clean(event.message)}\n{clean(event.hint)}".strip()
            self._screen.notify(text, title="The model broke off", severity="warning", timeout=12, markup=False)
        if turn is not self.turn:
            return
        if isinstance(event, EvidenceReady | Finished):
            self._sources.show(turn)
        if turn.is_done:
            self._screen.query_one(StatusLine).busy("")
            self._screen.refresh_bindings()

    async def _resume(self, event: ConversationResumed) -> None:
        """Show a stored conversation, or an empty one, in place of this one, which is stored."""
        await self.stop()
        self.conversation = ConversationLog(event.conversation)
        await self.chat.restore(event.turns)
        self.turn = self.chat.turns[-1].state if event.turns else None
        if self.turn is not None:
            self._sources.show(self.turn)
        else:
            self._sources.clear()
            self._sources.give_way()
            self._screen.query_one(Prompt).focus()
        self._screen.refresh_bindings()

    def _start(self, services: Services, turn: TurnState, request: Ask) -> None:
        self.chat.say(turn, "searching…")
        self._sources.pane.search()
        self._screen.query_one(StatusLine).busy("answering · Esc stops")
        answer = partial(self._answer, turn, services, request, self.conversation)
        self._worker = self._screen.run_worker(answer, "answer", group="answer", thread=True, exclusive=True, exit_on_error=False)

    def _cancel(self) -> None:
        if self._worker is not None:
            self._worker.cancel()

    def _answer(self, turn: TurnState, services: Services, request: Ask, log: ConversationLog) -> None:
        worker, tell = get_current_worker(), self._screen.post_message
        try:
            for event in services.ask(request, lambda: worker.is_cancelled):
                tell(EngineEvent(turn, event))
                if isinstance(event, Finished):
                    self._keep(log, services, turn, event)
        except FinTuiError as error:
            tell(EngineEvent(turn, Failed(error.message, error.hint)))
        except Exception as error:  # noqa: BLE001 - a defect below must end the turn, not leave it waiting or close the app
            _log.exception("the engine failed")
            tell(EngineEvent(turn, Failed(f"The answer failed: {error}", "The log file has the details.")))

    def _keep(self, log: ConversationLog, services: Services, turn: TurnState, event: Finished) -> None:
        """From the worker: an answer that can't be stored still stands on screen."""
        try:
            log.append(services, turn, event.answer, event.passages)
        except FinTuiError as error:
            failed = WorkFailed("The answer could not be stored", error.message, error.hint, is_asked_for=False)
            self._screen.app.post_message(failed)
