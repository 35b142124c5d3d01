"""The filing itself, at a place: clean text as far as the eye goes, the cited span marked, the Items beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.records import Section, Span
from fin_tui.ui.messages import TextRead
from fin_tui.ui.text import one_line, shorten
from fin_tui.ui.widgets.text_view import TextView


class ReaderScreen(Screen[None]):
    """Opens at once and fills when the text has been read."""

    CSS_PATH = "reader.tcss"
    AUTO_FOCUS = "#text"
    HELP = """\
## Reader

The clean text of the filing. What the answer cites is marked and underlined. **Tab** goes to the Items; **Esc** goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", id="reader.close", tooltip="Back to the conversation"),
        Binding("c", "citation", "Citation", id="reader.citation", tooltip="Go to the cited text"),
        Binding("tab", "app.focus_next", "Items", id="reader.items", tooltip="Go to the Items, and back"),
    ]

    def __init__(self, filing: str, title: str, span: Span) -> None:
        super().__init__()
        self.filing = filing
        self._title = title
        self._span = span
        self._sections: Sequence[Section] = ()
        self.is_filled = False
        """The text has arrived."""

    def compose(self) -> ComposeResult:
        yield Static(Content(one_line(self._title)), markup=False, id="reader-title")
        with Horizontal():
            yield OptionList(id="items", markup=False, compact=True)
            yield TextView(id="text")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.query_one("#text").loading = True

    @on(TextRead)
    def _text_read(self, event: TextRead) -> None:
        self.is_filled = True
        self._sections = [s for s in event.sections if s.item]
        items = self.query_one(OptionList)
        items.set_options(Option(Content(_item(s)), id=str(index)) for index, s in enumerate(self._sections))
        items.display = bool(self._sections)
        items.highlighted = self._section_at(self._span.start)
        view = self.query_one(TextView)
        view.loading = False
        view.show(event.text, [self._span])
        if self._span.start >= self._span.end:
            view.go_to(self._span.start)
        view.focus()

    @on(OptionList.OptionSelected)
    def _item_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.query_one(TextView).go_to(self._sections[event.option_index].start)
        self.query_one(TextView).focus()

    def _section_at(self, offset: int) -> int | None:
        """The innermost Item that holds ``offset``."""
        inside = [(s.start, index) for index, s in enumerate(self._sections) if s.start <= offset < s.end]
        return max(inside)[1] if inside else None

    def action_citation(self) -> None:
        self.query_one(TextView).mark([self._span])

    def action_close(self) -> None:
        self.dismiss()


def _item(section: Section) -> str:
    return f"{one_line(section.item):<3} {shorten(one_line(section.title), 60)}"
