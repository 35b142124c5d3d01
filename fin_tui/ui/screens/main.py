"""The screen an analyst stays in: filings, chat, sources, and its keys. What it does is done by its controllers."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import TextArea

from fin_tui.config import Settings
from fin_tui.ui.controllers.answering import AnsweringController, Heard, Setting
from fin_tui.ui.controllers.letters import LettersController
from fin_tui.ui.controllers.overview import OverviewController
from fin_tui.ui.controllers.preview import PreviewController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.controllers.sources import Panes, SourcesController, Way
from fin_tui.ui.controllers.turns import Look, ReaskingController, TurnsController
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
from fin_tui.ui.widgets.bars import KeyBar, PaneTabs, ScopeChips, StatusLine
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources


def _digits() -> list[BindingType]:
    return [
        Binding(
            f"{digit},alt+{digit}",
            f"digit({digit})",
            f"Source {digit}",
            show=False,
            id=f"sources.digit-{digit}",
            tooltip=f"Show source {digit}; two digits typed quickly name sources from 10 on",
        )
        for digit in range(10)
    ]


BINDINGS: list[BindingType] = [
    Binding("escape", "stop", "Stop", id="chat.stop", tooltip="Stop the answer that is being made"),
    Binding(
        "escape",
        "leave",
        "Back",
        id="prompt.leave",
        tooltip="Leave the prompt for the conversation; on a narrow screen, go back to it",
    ),
    Binding("i", "write", "Ask", id="prompt.focus", tooltip="Go to the prompt, to ask"),
    Binding("n,alt+n", "source('next')", "Next source", id="sources.next", tooltip="Show the next source"),
    Binding(
        "p,alt+p", "source('previous')", "Previous source", show=False, id="sources.previous", tooltip="Show the previous source"
    ),
    Binding(
        "ctrl+o",
        "open_reader",
        "Open filing",
        id="sources.read",
        tooltip="Read the filing at the shown passage; D there compares it with the year before",
    ),
    Binding(
        "e,alt+e",
        "source('explain')",
        "Explain",
        id="sources.explain",
        show=False,
        tooltip="Show how the passage was found, with its figures",
    ),
    Binding("y,alt+y", "look('copy')", "Copy", id="copy.answer", tooltip="Copy the last answer as Markdown with its sources"),
    Binding(
        "t,alt+t",
        "look('copy-table')",
        "Copy table",
        id="copy.table",
        show=False,
        tooltip="Copy the figures of the last answer as a table (TSV)",
    ),
    Binding("c,alt+c", "look('charts')", "Charts", id="chat.charts", show=False, tooltip="Show or hide the charts"),
    Binding(
        "d,alt+d",
        "look('figure')",
        "Figure",
        id="figure.details",
        show=False,
        tooltip="Where a figure stands, and its other years",
    ),
    Binding(
        "h,alt+h",
        "look('plan')",
        "Unfold",
        id="chat.plan",
        show=False,
        tooltip="Show or hide the rest of a long answer, the calculation and the steps",
    ),
    Binding(
        "u,alt+u",
        "look('reasons')",
        "Why ⚠",
        id="chat.reasons",
        show=False,
        tooltip="Why sentences of the last answer are marked ⚠",
    ),
    Binding(
        "f,alt+k",
        "look('file')",
        "Save to notebook",
        id="notebook.file",
        show=False,
        tooltip="Save the last answer to the notebook, which exports it",
    ),
    Binding(
        "f7",
        "app.open('notebook')",
        "Notebook",
        id="notebook.open",
        show=False,
        tooltip="What was saved: arrange, note, export as Markdown, HTML or CSV",
        priority=True,  # The prompt's own F7 selects all.
    ),
    Binding(
        "f6",
        "app.open('sheets')",
        "Sheets",
        id="sheets.show",
        show=False,
        tooltip="Sheets of figures and questions, Excel workbooks; audit a model of your own",
        priority=True,  # The prompt's own F6 selects the line.
    ),
    Binding("f2", "pane('filings')", "Filings", id="pane.filings", tooltip="Show or hide the filings"),
    Binding("f3", "pane('chat')", "Chat", id="pane.chat", show=False, tooltip="Go to the chat"),
    Binding("f4", "pane('sources')", "Sources", id="pane.sources", tooltip="Show or hide the sources"),
    Binding(
        "m,alt+m",
        "search('mode')",
        "Mode",
        id="search.mode",
        show=False,
        tooltip="Search by meaning and words, or by one of them",
    ),
    Binding("r,alt+r", "search('rerank')", "Rerank", id="search.rerank", show=False, tooltip="Rerank the passages, or not"),
    Binding(
        "w,alt+w",
        "search('model')",
        "Model",
        id="model.toggle",
        show=False,
        tooltip="Let the model write answers where it is needed, always, or never",
    ),
    Binding(
        "ctrl+r", "again", "Ask again", id="chat.again", show=False, tooltip="Ask the last question again, as things are set now"
    ),
    Binding(
        "q,alt+q",
        "change",
        "Change question",
        id="chat.change",
        show=False,
        tooltip="Change company, period or figure of the last question, and ask again",
    ),
    Binding(
        "x,alt+x",
        "clear_scope",
        "Clear scope",
        id="scope.clear",
        tooltip="Let questions look at everything again, drop the filter of the filings, forget pinned and excluded passages",
    ),
    Binding(
        "f9",
        "new_conversation",
        "New conversation",
        id="chat.new",
        show=False,
        tooltip="Begin a new conversation; this one is saved",
    ),
    Binding("a,alt+a", "app.open('add')", "Add filings", id="library.add", show=False, tooltip="Add filings from disk"),
    Binding(
        "b,alt+g",
        "fetch_missing",
        "Download it",
        id="library.fetch-missing",
        tooltip="Download the filing that the last question misses",
    ),
    Binding("b,alt+g", "app.open('fetch')", "Fetch", id="library.fetch", show=False, tooltip="Download filings from EDGAR"),
    Binding(
        "l,alt+l",
        "app.open('log')",
        "Log",
        id="app.log",
        show=False,
        tooltip="Show what goes on in the background, and what failed",
    ),
    Binding(
        "v,alt+v", "app.open('check')", "Check text", id="app.check", show=False, tooltip="Check the figures of your own text"
    ),
    Binding("s,alt+s", "app.open('settings')", "Settings", id="app.settings", show=False, tooltip="Model, search, colours, keys"),
    Binding(
        "left_square_bracket,alt+left",
        "year(-1)",
        "Year before",
        id="scope.year-before",
        show=False,
        tooltip="Limit questions to the fiscal year before",
    ),
    Binding(
        "right_square_bracket,alt+right",
        "year(1)",
        "Year after",
        id="scope.year-after",
        show=False,
        tooltip="Limit questions to the fiscal year after",
    ),
    *_digits(),
]


class MainScreen(Screen[None]):
    """Three panes and the keys between them."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    AUTO_FOCUS = "#prompt"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._panes = Panes(self)
        self.scope = ScopeController(self)
        self.sources = SourcesController(self, self._panes)
        self.letters = LettersController(self, self._panes)
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
            case ("source" | "digit" | "open_reader", *_):
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
    @on(Prompt.Paged)
    @on(ServicesOpened)
    @on(EngineEvent)
    @on(ConversationResumed)
    async def _conversation(self, event: Heard) -> None:
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
    @on(CitationChosen)
    def _turn(self, event: FigureWanted | TurnKept | CitationChosen) -> None:
        if isinstance(event, CitationChosen):
            self.sources.cite(event.turn, event.number)
        else:
            self._turns.hear(event)

    @on(PicksChanged)
    @on(SourcePicksChanged)
    def _picks(self) -> None:
        self.scope.picked()

    @on(PaneTabs.Chosen)
    def _to_pane(self, event: PaneTabs.Chosen) -> None:
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

    def action_open_reader(self) -> None:
        self.sources.open_reader()

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
