"""The part of the app that opens dialogs over the conversation: add filings, check a text, settings, set-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from fin_tui.engine.models.recommend import Offer

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
        if self._services is not None and self._is_open():
            self.notify("Looking for what is missing, and for a model that this machine runs well…", timeout=4)
            self._read_missing(self._services)

    @work(thread=True, exclusive=True, group="set-up", exit_on_error=False)
    def _read_missing(self, services: Services) -> None:
        self.post_message(MissingRead(services.work.missing(), services.options.offers()))

    @on(MissingRead)
    def _missing_read(self, event: MissingRead) -> None:
        """Ask first: a download takes minutes, and filings that no one wanted would stand among the reader's own."""
        missing = event.missing
        lines, models = offered(event.offers)
        ways = list(models)
        if not missing.models and not missing.samples and not models:
            self.notify(" ".join(("The models and the sample filings are here already.", *lines)), timeout=8, markup=False)
            return
        lines = [*missing.models, *(f"sample filing: {name}" for name in missing.samples), *lines]
        if missing.models:
            ways = [_MODELS, *ways]
        if missing.samples:
            ways = [*ways, _BOTH if missing.models else _SAMPLES]
        self.push_screen(
            AskFirstScreen("Set up: nothing is downloaded before you choose", lines, ways), partial(self._set_up, models)
        )

    def _set_up(self, models: Mapping[str, str], way: str | None) -> None:
        if way is None:
            return
        if (model := models.get(way)) is not None:
            self.post_message(ModelWanted(model))
            self.notify(f"{model} is put in place and tried in the background; you can ask meanwhile.", timeout=6, markup=False)
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
        trial = Job(f"Try {name}", lambda c: self.long_work.try_out(name, c), lane="trial", changes="models", is_announced=True)
        self.begin(Job(f"Download {name}", lambda c: self.long_work.pull(name, c), lane="download", then=trial))

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


def offered(offers: Sequence[Offer]) -> tuple[list[str], dict[str, str]]:
    """What is told of the models for this machine; each way to take one, with its name, empty where the best is in use."""
    if not offers:
        return ["No model that writes runs on this machine at 5 tokens a second with memory to spare."], {}
    from fin_tui.engine.models.offers import offer_words

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
