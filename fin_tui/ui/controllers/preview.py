"""Shows sources while a question is being typed: searched, never reranked or worded."""

from __future__ import annotations

from functools import partial

from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import TextArea
from textual.worker import get_current_worker

from fin_tui.errors import FinTuiError
from fin_tui.ui.controllers.answering import AnsweringController
from fin_tui.ui.controllers.sources import SourcesController
from fin_tui.ui.messages import Loading, PreviewRead
from fin_tui.ui.services import Ask, Services
from fin_tui.ui.text import clean
from fin_tui.ui.widgets.prompt import Prompt

_PAUSE_SECONDS = 0.3
_FEWEST_WORDS = 2


class PreviewController:
    """Waits for a pause in typing; what is typed meanwhile makes a search void."""

    def __init__(self, screen: Screen[None], answering: AnsweringController, sources: SourcesController) -> None:
        self._screen = screen
        self._answering = answering
        self._sources = sources
        self._pause: Timer | None = None
        self._is_warm = False

    def hear(self, event: TextArea.Changed | Loading | PreviewRead) -> None:
        """Take a message of the screen."""
        match event:
            case Loading():
                self._is_warm = not event.text
            case PreviewRead():
                self._show(event)
            case _:
                if self._pause is not None:
                    self._pause.stop()
                self._pause = self._screen.set_timer(_PAUSE_SECONDS, self._look)

    @property
    def _typed(self) -> str:
        return clean(self._screen.query_one(Prompt).text).strip()

    def _look(self) -> None:
        typed, answering = self._typed, self._answering
        if not typed and answering.turn is not None and self._sources.pane.is_preview:
            self._sources.show(answering.turn)
        if answering.services is None or not self._is_warm or answering.is_answering or len(typed.split()) < _FEWEST_WORDS:
            return
        search = partial(self._search, answering.services, answering.request(typed))
        self._screen.run_worker(search, "preview", group="preview", thread=True, exclusive=True, exit_on_error=False)

    def _show(self, event: PreviewRead) -> None:
        """Show what was found, unless the reader has typed on or asked meanwhile."""
        if event.passages and not self._answering.is_answering and self._typed == event.question:
            self._sources.pane.preview(event.passages)
            self._screen.refresh_bindings()

    def _search(self, services: Services, ask: Ask) -> None:
        worker = get_current_worker()
        try:
            passages = services.preview(ask)
        except FinTuiError:
            return  # Asking will say what is wrong; a preview must not interrupt.
        if not worker.is_cancelled:
            self._screen.post_message(PreviewRead(ask.question, passages))
