"""What a filing changed since the year before, each line opened at the place that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.ui.messages import CopyWanted, ReaderWanted
from fin_tui.ui.text import filing_label, one_line, year_label

if TYPE_CHECKING:
    from fin_tui.engine.reader.whats_new import Line, WhatsNew


class WhatsNewScreen(Screen[None]):
    """Risk headings, Items, restated figures, segments and auditor, one line for each change."""

    CSS_PATH = "whats_new.tcss"
    AUTO_FOCUS = "#news"
    HELP = """\
## What's new

What a filing changed since the year before: risk headings added and dropped, Items by how much of them differs, restated figures,
segments, auditor. **Enter** opens the filing at the place of a line, **y** copies the page, **Esc** goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", id="news.close", tooltip="Back to the conversation"),
        Binding("enter,o", "open", "Open filing", id="news.read", tooltip="Read the filing where it says this"),
        Binding("y", "copy", "Copy", id="news.copy", tooltip="Copy the page as Markdown"),
    ]

    def __init__(self, found: WhatsNew) -> None:
        super().__init__()
        self._found = found
        self._lines: list[Line | None] = []
        """What each option says; None for a title."""

    def compose(self) -> ComposeResult:
        newer, older = self._found.newer, self._found.older
        name = one_line(newer.company) or one_line(newer.file)
        yield Static(f"{name} · what is new in {year_label(newer)} vs. {year_label(older)}", markup=False, id="news-title")
        yield OptionList(id="news", markup=False, compact=True)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        shown = []
        for part in self._found.parts:
            shown.append(Option(Content.styled(part.title, "bold"), disabled=True))
            self._lines.append(None)
            for line in part.lines:
                shown.append(Option(Content(f"  {one_line(line.text)}")))
                self._lines.append(line)
        if not shown:
            shown.append(
                Option(Content("No change was found in risk headings, Items, figures, segments or auditor."), disabled=True)
            )
            self._lines.append(None)
        options = self.query_one(OptionList)
        options.set_options(shown)
        options.action_first()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        at = self.query_one(OptionList).highlighted
        line = self._lines[at] if at is not None else None
        if line is None or not line.citations:
            self.notify("This line stands for itself: it has no place in a filing.", severity="warning")
            return
        citation = line.citations[0]
        title = f"{filing_label(citation)} · {one_line(citation.form)}"
        self.app.post_message(ReaderWanted(citation.filing, title, citation.start, citation.end))

    def action_copy(self) -> None:
        from fin_tui.engine.reader.whats_new import markdown

        self.app.post_message(CopyWanted("what is new", markdown(self._found)))

    def action_close(self) -> None:
        self.dismiss()
