"""The part of the main screen that shows sources while a question is being typed: searched, never reranked or worded."""

from __future__ import annotations

from textual import on, work
from textual.timer import Timer
from textual.widgets import TextArea
from textual.worker import get_current_worker

from fin_tui.config import Settings
from fin_tui.engine.kept.conversation import history_of
from fin_tui.errors import FinTuiError
from fin_tui.ui.messages import Loading, PreviewRead
from fin_tui.ui.screens.source_actions import SourceActionsScreen
from fin_tui.ui.services import Ask, Services
from fin_tui.ui.text import clean
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources

_PAUSE_SECONDS = 0.3
_FEWEST_WORDS = 2


class PreviewingScreen(SourceActionsScreen):
    """Waits for a pause in typing; what is typed meanwhile makes a search void."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._pause: Timer | None = None
        self._is_warm = False

    @on(Loading)
    def _loaded(self, event: Loading) -> None:
        self._is_warm = not event.text

    @on(TextArea.Changed, "#prompt")
    def _typed(self, event: TextArea.Changed) -> None:
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(_PAUSE_SECONDS, self._look)

    def _look(self) -> None:
        typed = clean(self.query_one(Prompt).text).strip()
        if not typed and self.turn is not None and self.query_one(Sources).is_preview:
            self.show_sources(self.turn)
        if self._services is None or not self._is_warm or self.is_answering or len(typed.split()) < _FEWEST_WORDS:
            return
        history = history_of(turn.answer for turn in self.query_one(Chat).turns)
        self._preview(self._services, self.choice.ask(typed, self.scope(), history, self.query_one(Sources).picks))

    @on(PreviewRead)
    def _previewed(self, event: PreviewRead) -> None:
        """Show what was found, unless the reader has typed on or asked meanwhile."""
        if event.passages and not self.is_answering and clean(self.query_one(Prompt).text).strip() == event.question:
            self.query_one(Sources).preview(event.passages)
            self.refresh_bindings()

    @work(thread=True, exclusive=True, group="preview", exit_on_error=False)
    def _preview(self, services: Services, ask: Ask) -> None:
        worker = get_current_worker()
        try:
            passages = services.preview(ask)
        except FinTuiError:
            return  # Asking will say what is wrong; a preview must not interrupt.
        if not worker.is_cancelled:
            self.post_message(PreviewRead(ask.question, passages))
