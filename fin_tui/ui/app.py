"""The app: puts its controllers together, keeps the UI thread free, shows failures in one place."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from msgspec import structs
from textual import events, on
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from fin_tui.config import Settings, load_settings
from fin_tui.errors import FinTuiError
from fin_tui.paths import Paths
from fin_tui.ui.controllers import dialogs, keeping, library, reading
from fin_tui.ui.controllers.dialogs import DialogsController
from fin_tui.ui.controllers.jobs import JobsController
from fin_tui.ui.controllers.keeping import KeepingController
from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.controllers.reading import ReadingController
from fin_tui.ui.controllers.sources import NARROW
from fin_tui.ui.keymap import Action, TaskCommands, actions, actions_of, keymap
from fin_tui.ui.messages import (
    BookmarkWanted,
    ChangesRead,
    ChangesWanted,
    ColumnsWanted,
    ConversationRemoved,
    ConversationRenamed,
    ConversationsRead,
    Copied,
    CopyWanted,
    Exported,
    ExportWanted,
    FetchWanted,
    JobCancelled,
    JobEnded,
    JobTold,
    JobWanted,
    KeepWanted,
    Kept,
    MissingRead,
    ModelWanted,
    NameIsTaken,
    ReaderWanted,
    ReindexWanted,
    ResumeWanted,
    SectionsWanted,
    ServicesOpened,
    SettingsChanged,
    SettingsRead,
    WarmedUp,
    WhatsNewRead,
    WhatsNewWanted,
    WorkFailed,
)
from fin_tui.ui.process import (
    TerminalGuard,
    end_after,
    end_process,
    end_with_terminal,
    on_ending,
    spare_what_stays,
    start_process_tracker,
)
from fin_tui.ui.screens.dialog import ErrorScreen
from fin_tui.ui.screens.main import MainScreen
from fin_tui.ui.services import Opener, Services
from fin_tui.ui.text import clean
from fin_tui.ui.themes import FIN_DARK, MARK_DEFAULTS, THEMES, other_theme

_log = logging.getLogger(__name__)
_STORING_SECONDS = 3.0
"""What storing the open question and closing the library may take once the terminal has been given back."""
_TITLES = {
    "open": "The library can't be opened",
    "prepare": "Loading failed",
    "sections": "The Items can't be read",
    "reader": "The filing can't be read",
    "compare": "Nothing to compare with",
    "audit": "The workbook can't be audited",
    "sheet": "The sheet can't be filled",
    "sheet-open": "The sheet can't be opened",
    "sheet-new": "The sheet can't be made",
    "sheet-change": "The sheet can't be changed",
}

_ASKED_FOR = ("open", "reader", "compare", "audit", "sheet", "sheet-open", "sheet-new", "sheet-change")
"""Work whose failure may take the keyboard: the reader waits for it. All else must not interrupt typing."""


class FinTuiApp(App[None]):
    """One window over one library."""

    TITLE = "fin-tui"
    CSS_PATH = "screens/main.tcss"
    COMMAND_PALETTE_BINDING = "ctrl+p"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared without ClassVar by Textual
        (0, NARROW),
        (112, "-normal"),
        (160, "-wide"),
    ]
    COMMANDS: ClassVar = App.COMMANDS | {TaskCommands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", id="app.help", tooltip="Help for the focused pane, with its keys"),
        Binding("ctrl+p", "command_palette", "Commands", show=False, id="app.commands", tooltip="Find any command by its name"),
        Binding("ctrl+t", "theme", "Theme", show=False, id="app.theme", tooltip="Switch between dark and light"),
        Binding("f5", "reload", "Reload", show=False, id="app.reload", tooltip="Refresh what the library shows"),
        Binding(
            "f8",
            "conversations",
            "Conversations",
            show=False,
            id="app.conversations",
            tooltip="Go on with a stored conversation, or export it",
        ),
        Binding(
            "f12",
            "open('set-up')",
            "Set up",
            show=False,
            id="app.set-up",
            tooltip="Download missing models, a model that writes, and sample filings if you like",
        ),
        Binding(
            "ctrl+z",
            "suspend_process",
            "Suspend",
            show=False,
            id="app.suspend",
            tooltip="Go to the shell; fg comes back",
            priority=True,
        ),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip="Leave fin-tui", priority=True),
    ]

    def __init__(self, opener: Opener, settings: Settings) -> None:
        super().__init__()
        self.guard = TerminalGuard()
        self._warned_until = 0.0
        self.main = MainScreen(settings)
        self.library = LibraryController(self, self.main, opener, lambda: self.main.answering.is_answering)
        self.jobs = JobsController(self, self.library, self.main.overview)
        self.keeping = KeepingController(self, self.library)
        self.reading = ReadingController(self, self.library)
        self.dialogs = DialogsController(self, self.library, self.jobs, self.main.scope, _key_actions)
        for theme in THEMES:
            self.register_theme(theme)
        self._apply(settings)

    def _apply(self, settings: Settings) -> None:
        """What of the settings the app itself shows: colours and keys."""
        self.settings = settings
        self.theme = settings.app.theme if settings.app.theme in self.available_themes else FIN_DARK.name
        self.set_keymap(keymap(_key_actions(), settings.app.keys))

    def get_default_screen(self) -> Screen[None]:
        return self.main

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The house's own variables, so that Textual's themes can be used too."""
        return dict(MARK_DEFAULTS)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        yield from actions(screen, self.settings.app.keys)
        yield from super().get_system_commands(screen)

    async def on_event(self, event: events.Event) -> None:
        """Before a key is passed on, the main screen sees whether it begins a question: behind it, letters would overtake it."""
        is_typed = isinstance(event, events.Key) and not event.is_forwarded and self.main.is_active
        if not (is_typed and isinstance(event, events.Key) and self.main.letters.takes(event)):
            await super().on_event(event)

    def notify(self, message: str, **options: Any) -> None:
        """Show what passes by: one at a time, as several would cover what is being read; a warning stays as long as it is to."""
        now = time.monotonic()
        if now >= self._warned_until:
            self.clear_notifications()
        if options.get("severity") in ("warning", "error"):
            self._warned_until = now + (options.get("timeout") or self.NOTIFICATION_TIMEOUT)
        super().notify(message, **options)

    def on_mount(self) -> None:
        if not self.is_headless:
            on_ending(self._leave)
            end_with_terminal(self._leave)
            self.call_after_refresh(self.guard.start)
        # What the shell left on the terminal gives way: Textual itself draws only what has changed since.
        self.app_resume_signal.subscribe(self, lambda _: self.call_later(self.refresh, layout=True))
        self.call_after_refresh(self.library.open)

    def watch_app_focus(self, has_focus: bool) -> None:
        """A screen that came up while the window had no focus, as every browser's does at first, gets its own now."""
        if not has_focus or self.screen.focused is not None:
            return
        wanted = self.AUTO_FOCUS if self.screen.AUTO_FOCUS is None else self.screen.AUTO_FOCUS
        self.screen.set_focus(next((widget for widget in self.screen.query(wanted or "*") if widget.focusable), None))

    def action_help(self) -> None:
        """Show the help over the screen."""
        from fin_tui.ui.screens.help import help_of  # With Markdown, which no one waits for at the start.

        self.push_screen(help_of(self.screen))

    def action_theme(self) -> None:
        self.theme = other_theme(self.theme)

    def action_reload(self) -> None:
        """Another program may have added filings: show them, and make their vectors."""
        self.library.read()
        self.jobs.make_vectors()

    def action_open(self, dialog: dialogs.Name | Literal["log"]) -> None:
        if dialog == "log":
            self.jobs.open_log()
        else:
            self.dialogs.open(dialog)

    def action_conversations(self) -> None:
        self.library.list_conversations()

    async def action_quit(self) -> None:
        self._leave(0)

    def _leave(self, code: int) -> None:
        self.workers.cancel_all()
        self.exit(return_code=code)

    @on(ServicesOpened)
    @on(SectionsWanted)
    @on(ConversationsRead)
    @on(ResumeWanted)
    @on(ConversationRenamed)
    @on(ConversationRemoved)
    def _of_library(self, event: ServicesOpened | SectionsWanted | ConversationsRead | library.Changed) -> None:
        self.library.hear(event)

    @on(WarmedUp)
    def _warmed_up(self, event: WarmedUp) -> None:
        if event.services is self.library.services:
            if not self.is_headless:
                spare_what_stays()
            self.jobs.make_vectors()

    @on(ReaderWanted)
    @on(ColumnsWanted)
    @on(BookmarkWanted)
    @on(ChangesWanted)
    @on(ChangesRead)
    @on(WhatsNewWanted)
    @on(WhatsNewRead)
    def _of_reading(self, event: reading.Heard) -> None:
        self.reading.hear(event)

    @on(KeepWanted)
    @on(Kept)
    @on(ExportWanted)
    @on(Exported)
    @on(NameIsTaken)
    @on(CopyWanted)
    @on(Copied)
    def _of_keeping(self, event: keeping.Heard) -> None:
        self.keeping.hear(event)

    @on(JobWanted)
    @on(JobCancelled)
    @on(JobTold)
    @on(JobEnded)
    def _of_jobs(self, event: JobWanted | JobCancelled | JobTold | JobEnded) -> None:
        self.jobs.hear(event)

    @on(MissingRead)
    @on(ModelWanted)
    @on(ReindexWanted)
    @on(SettingsRead)
    @on(FetchWanted)
    def _of_dialogs(self, event: MissingRead | ModelWanted | ReindexWanted | SettingsRead | FetchWanted) -> None:
        self.dialogs.hear(event)

    @on(SettingsChanged)
    def _settings_changed(self, event: SettingsChanged) -> None:
        before = self.settings
        self._apply(event.settings)
        self.main.answering.settings_changed(before, event.settings)
        self.dialogs.settings_changed(before, event.settings)

    @on(WorkFailed)
    def _work_failed(self, event: WorkFailed) -> None:
        self.main.overview.failed(event.message)
        self.reading.close_unfilled()
        if event.is_asked_for:
            self.push_screen(ErrorScreen(event.title, event.message, event.hint))
        else:
            text = f"{clean(event.message)}\n{clean(event.hint)}".strip()
            self.notify(text, title=event.title, severity="warning", timeout=12, markup=False)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed is shown; what a user can act on with its hint, a defect with where to look."""
        if event.state is not WorkerState.ERROR:
            return
        error, group = event.worker.error, event.worker.group
        _log.error("%s failed", event.worker.name, exc_info=error)
        title = _TITLES.get(group, "It failed")
        if isinstance(error, FinTuiError):
            failed = WorkFailed(title, error.message, error.hint)
        else:
            failed = WorkFailed(title, f"{type(error).__name__}: {error}", "This is a defect; the log file has the details.")
        failed.is_asked_for = group in _ASKED_FOR
        self.post_message(failed)


def _key_actions() -> tuple[Action, ...]:
    """What keys can be set for."""
    from fin_tui.ui.keys import places

    return actions_of(places(FinTuiApp))


def run(paths: Paths, settings: Settings) -> None:
    """Run the app on the library under ``paths`` until the reader quits; closes what it opened, also after an error."""
    opened: list[Services] = []

    def opener() -> Services:
        from fin_tui.ui.live import open_live

        # The first time with the settings of the call; later they may have been changed.
        now = load_settings(paths.settings) if opened else settings
        opened.append(open_live(paths, structs.replace(now, corpus=settings.corpus) if is_named else now))
        return opened[-1]

    # A corpus that the command line named stays, whatever the settings become.
    is_named = settings.corpus != load_settings(paths.settings).corpus

    start_process_tracker()
    app = FinTuiApp(opener, settings)
    try:
        app.run(loop=asyncio.new_event_loop())  # One of ours: asyncio's own end waits for threads that can't be interrupted.
    finally:
        app.guard.end()
        end_after(_STORING_SECONDS, app.return_code or 0)
        app.main.answering.keep_left_open()
        for services in opened:
            services.close()
    end_process(app.return_code or 0)
