"""What an Item says that it did not say the year before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.records import Span
from fin_tui.ui.messages import CopyWanted, ReaderWanted
from fin_tui.ui.text import clean, one_line, year_label
from fin_tui.ui.widgets.text_view import TextView

if TYPE_CHECKING:
    from fin_tui.engine.reader import ItemChanges, Line, WhatsNew

_SIGNS = {"added": "+", "removed": "−", "changed": "~"}


class ChangesScreen(Screen[None]):
    """A list of sentences: + added, − removed, ~ changed with the new words marked and the old sentence under it."""

    CSS_PATH = "changes.tcss"
    AUTO_FOCUS = "#changes"
    HELP = """\
## Changes

**+** is new, **−** is gone, **~** says it in other words: the new words are marked, the old sentence stands below. Tables are
left out. **n** and **p** walk through the changes, **y** copies them, **Esc** goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", id="changes.close", tooltip="Back to the filing"),
        Binding("n", "step(1)", "Next", id="changes.next", tooltip="Go to the next change"),
        Binding("p", "step(-1)", "Previous", id="changes.previous", tooltip="Go to the change before"),
        Binding("y", "copy", "Copy", id="changes.copy", tooltip="Copy all changes"),
    ]

    def __init__(self, changes: ItemChanges, place: int) -> None:
        """Opens at the first change at ``place`` of the newer filing's text, or after it."""
        super().__init__()
        self._changes = changes
        self._text, self._marks, self._starts = change_lines(changes)
        self._at = change_at(changes, place)

    def compose(self) -> ComposeResult:
        yield Static(Content(change_title(self._changes)), markup=False, id="changes-title")
        yield TextView(id="changes")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        view = self.query_one(TextView)
        view.show(self._text, self._marks)
        view.go_to(self._starts[self._at] if self._starts else 0)

    def action_step(self, by: int) -> None:
        if self._starts:
            self._at = min(max(self._at + by, 0), len(self._starts) - 1)
            self.query_one(TextView).go_to(self._starts[self._at])

    def action_copy(self) -> None:
        self.app.post_message(CopyWanted("changes", f"{change_title(self._changes)}\n\n{self._text}\n"))

    def action_close(self) -> None:
        self.dismiss()


def change_title(found: ItemChanges) -> str:
    """ "Acme Corp · Item 1A · FY2025 vs. FY2024: 3 added, 1 removed, 2 changed"; says so where the year before is missing."""
    counts = Counter[str](change.kind for change in found.changes)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in _SIGNS)
    name = one_line(found.newer.company) or one_line(found.newer.file)
    title = f"{name} · Item {one_line(found.item)} · {year_label(found.newer)} vs. {year_label(found.older)}: {told}"
    newer, older = found.newer.fiscal_year, found.older.fiscal_year
    if newer is not None and older is not None and newer - older > 1:
        title += f" · FY{newer - 1} is not in the library; FY{older} is the latest before it"
    return title


def change_at(found: ItemChanges, place: int) -> int:
    """Which change is the first at ``place`` of the newer filing or after it; the last where all stand before."""
    starts = [found.start + change.start for change in found.changes]
    return next((at for at, start in enumerate(starts) if start >= place), max(len(starts) - 1, 0))


def change_lines(found: ItemChanges) -> tuple[str, list[Span], list[int]]:
    """The text of the screen, the spans to mark in it, and where each change begins."""
    out, marks, starts, at = [], [], [], 0
    for change in found.changes:
        starts.append(at)
        shown = clean(change.new or change.old)
        lead = f"{_SIGNS[change.kind]} "
        if shown == change.new:
            marks += [Span(at + len(lead) + start, at + len(lead) + end) for start, end in change.new_words]
        block = lead + shown + (f"\n    was: {clean(change.old)}" if change.kind == "changed" else "")
        out.append(block)
        at += len(block) + 2
    return "\n\n".join(out) or "No sentence changed.", marks, starts


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
        self.app.post_message(ReaderWanted.at(line.citations[0]))

    def action_copy(self) -> None:
        from fin_tui.engine.reader import markdown

        self.app.post_message(CopyWanted("what is new", markdown(self._found)))

    def action_close(self) -> None:
        self.dismiss()
