"""The screen an analyst stays in: filings, chat, sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from fin_tui.config import Settings
from fin_tui.engine.questions.interpretation import Interpretation, asked_anew
from fin_tui.facts.words import spoken_name
from fin_tui.plural import count
from fin_tui.records import Filing, Scope
from fin_tui.ui.completion import completions
from fin_tui.ui.messages import (
    Embedding,
    LibraryRead,
    Loading,
    PicksChanged,
    SectionsRead,
    SourcePicksChanged,
)
from fin_tui.ui.screens.asking_first import AskFirstScreen
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.screens.main_bindings import BINDINGS
from fin_tui.ui.screens.previewing import PreviewingScreen
from fin_tui.ui.screens.welcome import welcome_lines
from fin_tui.ui.source_picks import SourcePicks
from fin_tui.ui.text import one_line
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.key_bar import KeyBar
from fin_tui.ui.widgets.pane_tabs import PaneTabs
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.scope_chips import ScopeChips
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.status_line import StatusLine


def scope_ways(read: Interpretation) -> tuple[str, ...]:
    """Both ways out where the question names companies that the scope leaves out; empty where it doesn't."""
    if not read.outside:
        return ()
    outside = " and ".join(read.outside)
    return (f"Ask about {outside}: lift the scope", f"Ask about {read.limit}: keep the scope")


class MainScreen(PreviewingScreen):
    """Three panes and the keys between them."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    AUTO_FOCUS = "#prompt"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        # Here, as each class that is set on a screen in use makes Textual style all of it anew.
        self.add_class(f"-pane-{self._panes.current}")
        self.filings: Sequence[Filing] = ()

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
        self.query_one(Chat).welcome(welcome_lines(None, ()))
        self.query_one(StatusLine).busy("opening the library…")

    def scope(self) -> Scope:
        return self.query_one(FilingBrowser).picks.scope(self.filings)

    @property
    def scope_labels(self) -> list[str]:
        """What the reader picked in the browser, a short label each."""
        return self.query_one(FilingBrowser).picks.chips(self.filings)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done now."""
        match action:
            case "stop":
                return self.is_answering
            case "leave":
                return not self.is_answering and (isinstance(self.focused, Prompt) or self._panes.covers_chat)
            case "write":
                return not isinstance(self.focused, Prompt)
            case "step" | "digit" | "open_reader" | "explain":
                return self.is_mounted and bool(self.query_one(Sources).passages)
            case "again":
                return self.turn is not None
            case "change":
                return self.turn is not None and self.turn.interpretation is not None
            case "fetch_missing":
                return bool(self.missing)
            case "clear_scope":
                return self.is_mounted and bool(self.query_one(FilingBrowser).picks or self.query_one(Sources).picks)
            case "copy_answer":
                return self.turn is not None and self.turn.answer is not None
            case "copy_table":
                return self.turn is not None and bool(self.turn.figures)
        return True

    @on(LibraryRead)
    def _library(self, event: LibraryRead) -> None:
        self.filings = event.filings
        self.model = event.model
        self.query_one(FilingBrowser).show(event.filings)
        self.query_one(Prompt).known = completions(event.filings)
        self.query_one(Chat).welcome(welcome_lines(event.filings, event.notes, event.place))
        passages = sum(f.chunks for f in event.filings)
        held = f"{count(len(event.filings), 'filing')} · {count(passages, 'passage')}"
        self.query_one(StatusLine).idle(f"{event.place}: {held}" if event.place else held)
        self.app.sub_title = event.place
        self.show_choice()

    def settings_changed(self, before: Settings, after: Settings) -> None:
        """Search as the settings say now, where they say something else than before."""
        if (before.search.mode, before.search.rerank) != (after.search.mode, after.search.rerank):
            self.choice = replace(self.choice, mode=after.search.mode, rerank=after.search.rerank)
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
    @on(SourcePicksChanged)
    def _picks(self) -> None:
        sources, picks = self.query_one(Sources).picks, self.query_one(FilingBrowser).picks
        self.query_one(ScopeChips).show([*sources.chips, *picks.chips(self.filings)])
        self.refresh_bindings()

    @on(PaneTabs.Chosen)
    def _tab(self, event: PaneTabs.Chosen) -> None:
        self._panes.go(event.pane)

    def action_change(self) -> None:
        """Show what was understood of the last question, to be changed; where the scope left its company out, both ways."""
        read = self.turn.interpretation if self.turn is not None else None
        if read is None:
            return
        ways = scope_ways(read)
        if ways:
            self.app.push_screen(AskFirstScreen("Which company is meant?", (read.line,), ways), partial(self._ask_in_scope, read))
            return
        names = sorted({spoken_name(one_line(filing.company)) for filing in self.filings}, key=str.casefold)
        self.app.push_screen(ChangeScreen(read, names), self._ask_anew)

    async def _ask_in_scope(self, read: Interpretation, way: str | None) -> None:
        if way is None:
            return
        if way == scope_ways(read)[0]:
            self.query_one(FilingBrowser).clear_picks()
            await self.ask(read.text)
        else:
            await self.ask(asked_anew(read, read.limit, ", ".join(read.periods), read.figure))

    async def _ask_anew(self, question: str | None) -> None:
        if question:
            await self.ask(question)

    def action_leave(self) -> None:
        if self._panes.covers_chat:
            self._panes.go("chat")
        else:
            self.query_one(Chat).focus()

    def action_write(self) -> None:
        self._panes.go("chat")

    def action_pane(self, pane: str) -> None:
        self._panes.go(pane)

    def action_year(self, by: int) -> None:
        """Move the fiscal year of the scope."""
        browser = self.query_one(FilingBrowser)
        moved = browser.picks.in_year(self.filings, by)
        if moved is None:
            self.notify(f"The library holds no {'later' if by > 0 else 'earlier'} year of them.", severity="warning")
        else:
            browser.pick(moved[0])
            self.notify(f"Questions look at fiscal {moved[1]}. x clears it.", timeout=3)

    def action_clear_scope(self) -> None:
        self.query_one(FilingBrowser).clear_picks()
        self.query_one(Sources).pick(SourcePicks())
