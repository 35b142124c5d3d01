"""Opens dialogs over the conversation, and begins what was agreed to in them: add, fetch, set up, settings, check, sheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from textual.app import App

from fin_tui.config import Settings
from fin_tui.language import count
from fin_tui.ui.controllers.jobs import JobsController
from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.keymap import Action
from fin_tui.ui.messages import FetchWanted, MissingRead, ModelWanted, ReindexWanted, SettingsRead
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.check import CheckScreen
from fin_tui.ui.screens.dialog import AskFirstScreen, ErrorScreen, LookingScreen
from fin_tui.ui.screens.fetching import FetchScreen
from fin_tui.ui.screens.notebook import NotebookScreen
from fin_tui.ui.screens.settings import LIVE, SettingsScreen, changed_keys
from fin_tui.ui.services import Job, Services
from fin_tui.ui.text import one_line

if TYPE_CHECKING:
    from fin_tui.engine.models.listing import Offer
    from fin_tui.ingest.fetch_plan import Plan, Words

Name = Literal["add", "check", "fetch", "notebook", "settings", "set-up", "sheets"]
_MODELS = "Download the models"
_SAMPLES = "Add the sample filings to the library"
_BOTH = "Download the models, and add the sample filings to the library"


class DialogsController:
    """Opens dialogs once the library is there. Nothing goes online but what the reader agreed to in one."""

    def __init__(
        self,
        app: App[Any],
        library: LibraryController,
        jobs: JobsController,
        scope: ScopeController,
        key_actions: Callable[[], Sequence[Action]],
    ) -> None:
        """``key_actions`` gives what keys can be set for."""
        self.folder: Path | None = None
        """Where filings were chosen last."""
        self._app = app
        self._library = library
        self._jobs = jobs
        self._scope = scope
        self._key_actions = key_actions
        self._must_reopen = False
        """A setting was changed that only a newly opened library follows."""

    def open(self, name: Name) -> None:
        """Open a dialog; the reader is told when the library is not open yet."""
        services = self._library.ready()
        if services is None:
            return
        match name:
            case "add":
                self._app.push_screen(AddScreen(self.folder or Path.cwd()), self._add)
            case "check":
                self._app.push_screen(CheckScreen(services, self._scope.scope(), ", ".join(self._scope.labels)))
            case "fetch":
                from fin_tui.ingest.fetch_plan import Words

                self._open_fetch(services, Words())
            case "notebook":
                self._app.push_screen(NotebookScreen(services.notebook))
            case "settings":
                self._in_background(partial(self._read_settings, services), "settings")
            case "set-up":
                told = "Looking for what is missing, and for a model that this machine runs well…"
                self._app.push_screen(LookingScreen("Download", told))
                self._in_background(partial(self._read_missing, services), "set-up")
            case "sheets":
                from fin_tui.ui.screens.sheets import SheetsScreen

                self._app.push_screen(SheetsScreen(services.sheets))

    def hear(self, event: MissingRead | ModelWanted | ReindexWanted | SettingsRead | FetchWanted) -> None:
        """Take a message of the app."""
        match event:
            case MissingRead():
                self._missing_read(event)
            case ModelWanted():
                self._bring_model(event.name)
            case ReindexWanted():
                self._jobs.begin(
                    Job("Re-read all filings", lambda cancelled: self._jobs.work.reindex(cancelled), changes="library")
                )
            case SettingsRead():
                if self._library.services is not None and not isinstance(self._app.screen, SettingsScreen):
                    themes = tuple(sorted(self._app.available_themes))
                    screen = SettingsScreen(self._library.services, event, tuple(self._key_actions()), themes)
                    self._app.push_screen(screen, self._settings_left)
            case FetchWanted():
                services = self._library.ready()
                if services is not None:
                    self._open_fetch(services, event.words)

    def settings_changed(self, before: Settings, after: Settings) -> None:
        """Note whether the library has to be opened anew once the settings are left."""
        self._must_reopen |= bool(changed_keys(before, after) - LIVE)

    def _settings_left(self, _: None) -> None:
        if self._must_reopen:
            self._must_reopen = False
            self._app.notify("Opening the library anew with these settings.", timeout=4)
            self._library.reopen()

    def _in_background(self, act: Callable[[], None], group: str) -> None:
        self._app.run_worker(act, group, group=group, thread=True, exclusive=True, exit_on_error=False)

    def _read_settings(self, services: Services) -> None:
        options = services.options
        self._app.post_message(SettingsRead(options.settings(), options.fixed(), options.models()))

    def _read_missing(self, services: Services) -> None:
        missing = services.work.missing()
        self._app.post_message(MissingRead(missing, () if missing.forbidden else services.options.offers()))

    def _missing_read(self, event: MissingRead) -> None:
        """Ask first: a download takes minutes, and filings that no one wanted would stand among the reader's own."""
        waiting = self._app.screen
        if not isinstance(waiting, LookingScreen):
            return  # The reader has left.
        waiting.dismiss(None)
        missing = event.missing
        if missing.forbidden:
            lacking = ", ".join((*missing.models, *(f"sample filing: {name}" for name in missing.samples)))
            told = missing.forbidden + (f"\nMissing: {lacking}." if lacking else "")
            self._app.push_screen(ErrorScreen("Nothing can be downloaded", told, "Settings (s) list the models that are here."))
            return
        lines, models = offered(event.offers)
        ways = list(models)
        if not missing.models and not missing.samples and not models:
            told = " ".join(("The models and the sample filings are here already.", *lines))
            self._app.notify(told, timeout=8, markup=False)
            return
        lines = [*missing.models, *(f"sample filing: {name}" for name in missing.samples), *lines]
        if missing.models:
            ways = [_MODELS, *ways]
        if missing.samples:
            ways = [*ways, _BOTH if missing.models else _SAMPLES]
        question = AskFirstScreen("Set up: nothing is downloaded before you choose", lines, ways)
        self._app.push_screen(question, partial(self._set_up, models))

    def _set_up(self, models: Mapping[str, str], way: str | None) -> None:
        if way is None:
            return
        if (model := models.get(way)) is not None:
            self._bring_model(model)
            told = f"{model} is put in place and tried in the background; you can ask meanwhile."
            self._app.notify(told, timeout=6, markup=False)
            return
        with_samples = way != _MODELS
        job = Job("Set up", lambda cancelled: self._jobs.work.set_up(cancelled, samples=with_samples), changes="models")
        self._jobs.begin(job)
        self._app.notify("Downloading in the background; the log (l) shows the progress.", timeout=4)

    def _bring_model(self, name: str) -> None:
        work = self._jobs
        trial = Job(f"Try {name}", lambda c: work.work.try_out(name, c), lane="trial", changes="models", is_announced=True)
        work.begin(Job(f"Download {name}", lambda c: work.work.pull(name, c), lane="download", then=trial))

    def _add(self, paths: Sequence[Path] | None) -> None:
        if not paths:
            return
        chosen = tuple(paths)
        self.folder = chosen[-1] if chosen[-1].is_dir() else chosen[-1].parent
        title = f"Add {chosen[0].name}" if len(chosen) == 1 else f"Add {count(len(chosen), 'path')}"
        self._jobs.begin(Job(title, lambda cancelled: self._jobs.work.add(chosen, cancelled), changes="library"))

    def _open_fetch(self, services: Services, words: Words) -> None:
        if not isinstance(self._app.screen, FetchScreen):
            self._app.push_screen(FetchScreen(services.fetching, self._scope.filings, words), self._fetch)

    def _fetch(self, plan: Plan | None) -> None:
        services = self._library.services
        if plan is None or services is None:
            return
        first = plan.wanted[0]
        one = one_line(f"{first.company.ticker or first.company.name or first.company.cik} {first.year or ''}")
        title = f"Fetch {one}" if len(plan.wanted) == 1 else f"Fetch {count(len(plan.wanted), 'filing')}"
        self._jobs.begin(Job(title, lambda cancelled: services.fetching.run(plan, cancelled), changes="library"))
        told = "Fetching in the background; the log (l) shows how far. Ctrl+R then asks the last question again."
        self._app.notify(told, timeout=6)


def offered(offers: Sequence[Offer]) -> tuple[list[str], dict[str, str]]:
    """What is told of the models for this machine; each way to take one, with its name, empty where the best is in use."""
    if not offers:
        return ["No model that writes runs on this machine at 5 tokens a second with memory to spare."], {}
    from fin_tui.engine.models.listing import offer_words

    if offers[0].model.in_use:
        return [f"{offers[0].model.name} is the best model for this machine."], {}
    told: list[str] = []
    ways: dict[str, str] = {}
    for offer in offers:
        name = offer.model.name
        told += [f"a model that writes: {name}", *(f"  {words}" for words in offer_words(offer).split(" · "))]
        if not offer.model.in_use:
            ways[f"{'Use' if offer.is_here else 'Download'} {name}, and let it write if it does so well"] = name
    return told, ways
