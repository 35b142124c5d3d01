"""The screen an analyst stays in: filings, chat, sources. What it does is done by its controllers."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import TextArea

from fin_tui.config import Settings
from fin_tui.ui.controllers.answering import AnsweringController, Setting
from fin_tui.ui.controllers.overview import OverviewController
from fin_tui.ui.controllers.panes import Panes
from fin_tui.ui.controllers.preview import PreviewController
from fin_tui.ui.controllers.reasking import ReaskingController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.controllers.sources import SourcesController, Way
from fin_tui.ui.controllers.turns import Look, TurnsController
from fin_tui.ui.messages import (
    CitationChosen,
    ConversationResumed,
    EngineEvent,
    FigureWanted,
    LibraryRead,
    Loading,
    PicksChanged,
    PreviewRead,
    SectionsRead,
    ServicesOpened,
    SourcePicksChanged,
    TurnKept,
)
from fin_tui.ui.screens.main_bindings import BINDINGS
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.key_bar import KeyBar
from fin_tui.ui.widgets.pane_tabs import PaneTabs
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.scope_chips import ScopeChips
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.status_line import StatusLine


class MainScreen(Screen[None]):
    """Three panes and the keys between them."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    AUTO_FOCUS = "#prompt"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._panes = Panes(self)
        self.scope = ScopeController(self)
        self.sources = SourcesController(self, self._panes)
        self.answering = AnsweringController(self, self.scope, self.sources, settings)
        self.overview = OverviewController(self, self.scope, self.answering)
        self._preview = PreviewController(self, self.answering, self.sources)
        self._reasking = ReaskingController(self, self.answering, self.scope)
        self._turns = TurnsController(self, self.answering)
        # Here, as each class that is set on a screen in use makes Textual style all of it anew.
        self.add_class(f"-pane-{self._panes.current}")

    def compose(self) -> ComposeResult:
        yield PaneTabs(id="tabs")
        with Horizontal(id="panes"):
            yield FilingBrowser(id="filings")
            with Vertical(id="middle"):
                yield Chat(id="chat")
                yield ScopeChips(id="scope")
                yield Prompt(id="prompt")
            yield Sources(id="sources")
        yield StatusLine(id="status-line")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#middle").border_title = "Chat"
        self._panes.count(0)
        self.overview.begin()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done now."""
        turn = self.answering.turn
        match action, *parameters:
            case ("stop",):
                return self.answering.is_answering
            case ("leave",):
                return not self.answering.is_answering and (isinstance(self.focused, Prompt) or self._panes.covers_chat)
            case ("write",):
                return not isinstance(self.focused, Prompt)
            case ("source" | "digit", *_):
                return self.sources.has_any
            case ("again",):
                return turn is not None
            case ("change",):
                return self._reasking.understood is not None
            case ("fetch_missing",):
                return bool(self._reasking.missing)
            case ("clear_scope",):
                return self.scope.has_picks
            case ("look", "copy"):
                return turn is not None and turn.answer is not None
            case ("look", "copy-table"):
                return turn is not None and bool(turn.figures)
        return True

    @on(Prompt.Submitted)
    @on(ServicesOpened)
    @on(EngineEvent)
    @on(ConversationResumed)
    async def _conversation(self, event: Prompt.Submitted | ServicesOpened | EngineEvent | ConversationResumed) -> None:
        await self.answering.hear(event)

    @on(TextArea.Changed, "#prompt")
    @on(Loading)
    @on(PreviewRead)
    def _typing(self, event: TextArea.Changed | Loading | PreviewRead) -> None:
        self._preview.hear(event)

    @on(LibraryRead)
    @on(Loading)
    @on(SectionsRead)
    def _library(self, event: LibraryRead | Loading | SectionsRead) -> None:
        self.overview.hear(event)

    @on(FigureWanted)
    @on(TurnKept)
    def _turn(self, event: FigureWanted | TurnKept) -> None:
        self._turns.hear(event)

    @on(CitationChosen)
    def _citation(self, event: CitationChosen) -> None:
        self.sources.cite(event.turn, event.number)

    @on(PicksChanged)
    @on(SourcePicksChanged)
    def _picks(self) -> None:
        self.scope.picked()

    @on(PaneTabs.Chosen)
    def _tab(self, event: PaneTabs.Chosen) -> None:
        self._panes.go(event.pane)

    async def action_stop(self) -> None:
        await self.answering.stop()

    def action_new_conversation(self) -> None:
        self.answering.begin_anew()

    def action_search(self, what: Setting) -> None:
        self.answering.choose(what)

    async def action_again(self) -> None:
        await self._reasking.again()

    def action_change(self) -> None:
        self._reasking.change()

    def action_fetch_missing(self) -> None:
        self._reasking.fetch()

    def action_look(self, what: Look) -> None:
        self._turns.look(what)

    def action_source(self, way: Way) -> None:
        self.sources.go(way)

    def action_digit(self, digit: int) -> None:
        self.sources.press(digit)

    def action_year(self, by: int) -> None:
        self.scope.move_year(by)

    def action_clear_scope(self) -> None:
        self.scope.clear()

    def action_pane(self, pane: str) -> None:
        self._panes.go(pane)

    def action_write(self) -> None:
        self._panes.go("chat")

    def action_leave(self) -> None:
        if self._panes.covers_chat:
            self._panes.go("chat")
        else:
            self.query_one(Chat).focus()
