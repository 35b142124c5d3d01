"""The part of the app that opens dialogs over the conversation: add filings, check a text, settings, set-up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import on, work

from fin_tui.config import Settings
from fin_tui.plural import count
from fin_tui.ui.dialog_messages import MissingRead, ModelWanted, ReindexWanted, SettingsRead
from fin_tui.ui.jobs import Job
from fin_tui.ui.jobs_app import JobsApp
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.asking_first import AskFirstScreen
from fin_tui.ui.screens.check import CheckScreen
from fin_tui.ui.screens.settings import SettingsScreen
from fin_tui.ui.services import Opener, Services

_MODELS = "Download the models"
_SAMPLES = "Add the sample filings to the library"
_BOTH = "Download the models, and add the sample filings to the library"


class DialogsApp(JobsApp):
    """Opens dialogs once the library is there."""

    def __init__(self, opener: Opener, settings: Settings) -> None:
        super().__init__(opener, settings)
        self.settings = settings
        self.must_reopen = False
        """A setting was changed that only a newly opened library follows."""
        self.folder: Path | None = None
        """Where filings were chosen last."""

    def action_add_filings(self) -> None:
        if self._is_open():
            self.push_screen(AddScreen(self.folder or Path.cwd()), self._add)

    def action_set_up(self) -> None:
        if self._is_open():
            self._read_missing()

    @work(thread=True, exclusive=True, group="set-up", exit_on_error=False)
    def _read_missing(self) -> None:
        self.post_message(MissingRead(self.long_work.missing()))

    @on(MissingRead)
    def _missing_read(self, event: MissingRead) -> None:
        """Ask first: a download takes minutes, and filings that no one wanted would stand among the reader's own."""
        missing = event.missing
        if not missing.models and not missing.samples:
            self.notify("The models and the sample filings are here already.", timeout=4)
            return
        lines = [*missing.models, *(f"sample filing: {name}" for name in missing.samples)]
        ways = [_MODELS] if missing.models else []
        if missing.samples:
            ways.append(_BOTH if missing.models else _SAMPLES)
        self.push_screen(AskFirstScreen("Set up: what is missing", lines, ways), self._set_up)

    def _set_up(self, way: str | None) -> None:
        if way is None:
            return
        with_samples = way != _MODELS
        self.begin(Job("Set up", lambda cancelled: self.long_work.set_up(cancelled, samples=with_samples), changes="models"))
        self.notify("Downloading in the background; the log (l) shows the progress.", timeout=4)

    def action_check_text(self) -> None:
        if self._services is not None and self._is_open():
            limits = ", ".join(self.main.scope_labels)
            self.push_screen(CheckScreen(self._services, self.main.scope(), limits))

    def action_sheets(self) -> None:
        if self._services is not None and self._is_open():
            from fin_tui.ui.screens.sheets import SheetsScreen

            self.push_screen(SheetsScreen(self._services.sheets))

    def action_settings(self) -> None:
        if self._services is not None and self._is_open():
            self._read_settings(self._services)

    def _is_open(self) -> bool:
        """Whether the library is open; says so when it is not, or not yet."""
        if self._services is None:
            self.notify("The library is not open yet.", severity="warning")
        return self._services is not None

    def _add(self, paths: Sequence[Path] | None) -> None:
        if not paths:
            return
        chosen = tuple(paths)
        self.folder = chosen[-1] if chosen[-1].is_dir() else chosen[-1].parent
        title = f"Add {chosen[0].name}" if len(chosen) == 1 else f"Add {count(len(chosen), 'path')}"
        self.begin(Job(title, lambda cancelled: self.long_work.add(chosen, cancelled), changes="library"))

    @on(ModelWanted)
    def _model_wanted(self, event: ModelWanted) -> None:
        name = event.name
        self.begin(Job(f"Bring {name}", lambda c: self.long_work.pull(name, c), lane="download", changes="models"))

    @on(ReindexWanted)
    def _reindex_wanted(self) -> None:
        self.begin(Job("Re-read all filings", lambda cancelled: self.long_work.reindex(cancelled), changes="library"))

    @on(SettingsRead)
    def _settings_read(self, event: SettingsRead) -> None:
        from fin_tui.ui.keymap import actions_of
        from fin_tui.ui.places import places

        if self._services is not None and not isinstance(self.screen, SettingsScreen):
            themes = tuple(sorted(self.available_themes))
            self.push_screen(SettingsScreen(self._services, event, actions_of(places(type(self))), themes), self._settings_left)

    def _settings_left(self, _: None) -> None:
        if self.must_reopen:
            self.must_reopen = False
            self.notify("Opening the library anew with these settings.", timeout=4)
            self.reopen()

    @work(thread=True, exclusive=True, group="settings", exit_on_error=False)
    def _read_settings(self, services: Services) -> None:
        options = services.options
        self.post_message(SettingsRead(options.settings(), options.fixed(), options.models()))
