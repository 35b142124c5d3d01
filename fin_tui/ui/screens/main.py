"""The screen an analyst stays in: filings, chat, sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer

from fin_tui.config import Settings
from fin_tui.records import Filing, Scope
from fin_tui.ui.messages import (
    CitationChosen,
    Embedding,
    LibraryRead,
    Loading,
    PicksChanged,
    SectionsRead,
)
from fin_tui.ui.screens.answering import AnsweringScreen
from fin_tui.ui.screens.main_bindings import BINDINGS
from fin_tui.ui.screens.number_keys import NumberKeys
from fin_tui.ui.screens.panes import Panes
from fin_tui.ui.screens.welcome import welcome_lines
from fin_tui.ui.text import count
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.pane_tabs import PaneTabs
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.scope_chips import ScopeChips
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.status_line import StatusLine
from fin_tui.ui.widgets.turn import Turn


class MainScreen(AnsweringScreen):
    """Three panes and the keys between them."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    AUTO_FOCUS = "#prompt"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.filings: Sequence[Filing] = ()
        self._numbers = NumberKeys()
        self._panes = Panes(self)

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
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.query_one("#middle").border_title = "Chat"
        self._panes.show("chat")
        self.query_one(Chat).welcome(welcome_lines(None, ()))
        self.query_one(StatusLine).busy("opening the library…")

    def scope(self) -> Scope:
        return self.query_one(FilingBrowser).picks.scope(self.filings)

    def show_sources(self, turn: Turn, number: int | None = None) -> None:
        super().show_sources(turn, number)
        self._panes.count(len(turn.passages))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done now."""
        match action:
            case "stop":
                return self.is_answering
            case "leave":
                return not self.is_answering and (isinstance(self.focused, Prompt) or self._panes.covers_chat)
            case "write":
                return not isinstance(self.focused, Prompt)
            case "step" | "digit" | "open_reader":
                return self.is_mounted and bool(self.query_one(Sources).passages)
            case "again":
                return self.turn is not None
            case "clear_scope":
                return self.is_mounted and bool(self.query_one(FilingBrowser).picks)
        return True

    @on(LibraryRead)
    def _library(self, event: LibraryRead) -> None:
        self.filings = event.filings
        self.model = event.model
        self.query_one(FilingBrowser).show(event.filings)
        self.query_one(Chat).welcome(welcome_lines(event.filings, event.notes))
        passages = sum(f.chunks for f in event.filings)
        self.query_one(StatusLine).idle(f"{count(len(event.filings), 'filing')} · {count(passages, 'passage')}")
        self.show_choice()

    def work_failed(self, message: str) -> None:
        """Background work failed: say so where a new reader looks first."""
        self.query_one(StatusLine).busy("")
        if not self.filings:
            self.query_one(Chat).welcome([*welcome_lines(self.filings, (message,))])

    @on(Loading)
    def _loading(self, event: Loading) -> None:
        if not self.is_answering:
            self.query_one(StatusLine).busy(event.text)

    @on(Embedding)
    def _embedding(self, event: Embedding) -> None:
        self.query_one(StatusLine).vectors(event.progress)

    @on(SectionsRead)
    def _sections(self, event: SectionsRead) -> None:
        self.query_one(FilingBrowser).show_sections(event.filing, event.sections)

    @on(PicksChanged)
    def _picks(self, event: PicksChanged) -> None:
        self.query_one(ScopeChips).show(event.picks.chips(self.filings))
        self.refresh_bindings()

    @on(CitationChosen)
    def _citation(self, event: CitationChosen) -> None:
        self._panes.show("sources")
        self.show_sources(event.turn, event.number)

    @on(PaneTabs.Chosen)
    def _tab(self, event: PaneTabs.Chosen) -> None:
        self._panes.go(event.pane)

    def action_leave(self) -> None:
        if self._panes.covers_chat:
            self._panes.go("chat")
        else:
            self.query_one(Chat).focus()

    def action_write(self) -> None:
        self._panes.go("chat")

    def action_pane(self, pane: str) -> None:
        self._panes.go(pane)

    def action_step(self, by: int) -> None:
        self._panes.show("sources")
        self.query_one(Sources).step(by)

    def action_digit(self, digit: int) -> None:
        sources = self.query_one(Sources)
        number = self._numbers.press(digit, [p.citation.id for p in sources.passages])
        if number is not None:
            self._panes.show("sources")
            sources.choose(number)

    def action_open_reader(self) -> None:
        self.query_one(Sources).action_open_reader()

    def action_clear_scope(self) -> None:
        self.query_one(FilingBrowser).clear_picks()
