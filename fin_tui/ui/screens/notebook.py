"""What was filed: arranged, noted on, opened in its filing, and written into a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.engine.exports import Format, UnsupportedText
from fin_tui.engine.exports.file import NameTaken, Taken
from fin_tui.engine.figures.layout import lines_of
from fin_tui.engine.figures.shown import Figures, Grid
from fin_tui.ui.messages import CopyWanted, Exported, NameIsTaken, ReaderWanted
from fin_tui.ui.services import NotebookRoom, NotebookState
from fin_tui.ui.text import UNSUPPORTED_MARK, clean, one_line, shorten, source_line
from fin_tui.ui.widgets.lists import PickList
from fin_tui.ui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fin_tui.engine.saved_items import Traced
    from fin_tui.errors import FinTuiError
    from fin_tui.records import Citation, Sentence
    from fin_tui.store.kept import NotebookEntry

_SIGNS = {"figure": "#", "passage": "“", "answer": "?"}
_TITLE = 90
_WIDTH = 72
"""Cells of a table's lines."""
_PLACES = {"moved": " (moved: the filing was read anew)", "gone": " (these words stand in the library no more)"}


def entry_line(entry: NotebookEntry) -> str:
    """ "? Who makes it?  ✎" with the sign of its kind, and a mark for a note and for what nothing supports."""
    saved = entry.saved
    title = saved.text if saved.kind == "passage" else f"{saved.title}: {saved.text}" if saved.kind == "figure" else saved.title
    bad = f" {UNSUPPORTED_MARK}" if any(s.support == "unsupported" for s in saved.sentences if not s.is_detail) else ""
    return f"{_SIGNS[saved.kind]} {shorten(one_line(title), _TITLE)}{bad}{'  ✎' if entry.note else ''}"


def entry_text(entry: NotebookEntry, traced: Mapping[Citation, Traced]) -> str:
    """All of an entry: note, words, figures, and its sources with where they stand now."""
    saved = entry.saved
    parts = [one_line(saved.title)]
    if entry.note:
        parts.append(f"✎ {clean(entry.note)}")
    if saved.sentences:
        parts.append("\n".join(_sentence(sentence) for sentence in saved.sentences if not sentence.is_detail))
    elif saved.text:
        parts.append(clean(saved.text).strip())
    figures = Figures(saved.facts, saved.calculation, saved.table)
    if figures and saved.kind == "answer":
        parts.append("\n".join(lines_of(figures.page_grid(saved.citations), _WIDTH)))
        parts.append("\n".join(figures.calculation_lines))
    parts.append("\n".join(_source(citation, traced, quote=saved.kind != "passage") for citation in saved.citations))
    return "\n\n".join(part for part in parts if part) + "\n"


def _sentence(sentence: Sentence) -> str:
    table = sentence.table
    mark = UNSUPPORTED_MARK if sentence.support == "unsupported" else "".join(f"[{n}]" for n in sentence.citations)
    said = f"{one_line(sentence.text if table is None else table.title)} {mark}".strip()
    return said if table is None else "\n".join((said, *lines_of(Grid.of_table(table), _WIDTH), ""))


def _source(citation: Citation, traced: Mapping[Citation, Traced], *, quote: bool) -> str:
    place = traced[citation].place if citation in traced else "there"
    return f"{source_line(citation, quote=quote)}{_PLACES.get(place, '')}"


class NotebookScreen(Screen[None]):
    """Entries on the left in the reader's order, the chosen one with its sources on the right."""

    CSS_PATH = "notebook.tcss"
    AUTO_FOCUS = "#entries"
    HELP = """\
## Notebook

Figures, passages and answers that you saved with **f**. **K** and **J** move an entry up and down, **n** writes a note on it,
**d** twice deletes it, **Enter** opens its filing at the quote.

**m** writes all of it as Markdown, **h** as HTML, **v** its figures as CSV. A sentence that nothing in the filings supports
(**⚠**) stops that; the same key again writes it all the same, marked.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", id="notebook.close", tooltip="Back to where you were"),
        Binding("enter,o", "open", "Open filing", id="notebook.read", tooltip="Read the filing at the quote"),
        Binding("K", "move(-1)", "Up", id="notebook.up", tooltip="Move this entry up"),
        Binding("J", "move(1)", "Down", id="notebook.down", tooltip="Move this entry down"),
        Binding("n", "note", "Note", id="notebook.note", tooltip="Write a note on this entry"),
        Binding("d", "delete", "Delete", id="notebook.delete", tooltip="Delete this entry; press twice"),
        Binding("m", "export('md')", "Markdown", id="notebook.markdown", tooltip="Write the notebook as Markdown"),
        Binding("h", "export('html')", "HTML", id="notebook.html", tooltip="Write the notebook as HTML"),
        Binding("v", "export('csv')", "CSV", id="notebook.csv", tooltip="Write the figures of the notebook as CSV"),
        Binding("y", "copy", "Copy", id="notebook.copy", show=False, tooltip="Copy this entry with its sources"),
    ]

    @dataclass
    class Read(Message):
        """The notebook as it is now."""

        state: NotebookState

    @dataclass
    class Unsupported(Message):
        """An export was stopped."""

        form: Format
        error: FinTuiError

    def __init__(self, room: NotebookRoom) -> None:
        super().__init__()
        self._room = room
        self._state = NotebookState((), {})
        self._doomed = 0
        self._warned: Format | None = None

    def compose(self) -> ComposeResult:
        yield Static("Notebook", markup=False, id="notebook-title")
        yield Static("Nothing yet: f files an answer, a passage or a figure here.", markup=False, id="no-entries")
        with Horizontal(id="notebook"):
            yield PickList(id="entries", markup=False, compact=True)
            with Vertical(id="entry-pane"):
                yield TextView(id="entry")
        yield Input(compact=True, placeholder="your note", id="note-line")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).display = False
        self._do(lambda room: None)

    @on(Read)
    def _read(self, event: Read) -> None:
        before = self.chosen
        self._state = event.state
        entries = self.query_one("#entries", OptionList)
        at = entries.highlighted or 0
        entries.set_options([Option(Content(entry_line(entry))) for entry in event.state.entries])
        places = [entry.number for entry in event.state.entries]
        if before is not None and before.number in places:
            at = places.index(before.number)
        entries.highlighted = min(at, len(places) - 1) if places else None
        self.query_one("#no-entries").display = not places
        self.query_one("#notebook").display = bool(places)
        self._show()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        self._doomed = 0
        self._show()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    @on(Input.Submitted)
    def _noted(self, event: Input.Submitted) -> None:
        chosen, note = self.chosen, one_line(event.value)
        if chosen is not None:
            self._do(lambda room: room.annotate(chosen.number, note))
        self._leave_line()

    @on(Unsupported)
    def _unsupported(self, event: Unsupported) -> None:
        self._warned = event.form
        key = {"md": "m", "html": "h", "csv": "v"}.get(event.form, "")
        text = f"{event.error.message}\nDelete that entry, or press {key} again to write it marked ⚠."
        self.notify(text, severity="warning", timeout=12, markup=False)

    @property
    def chosen(self) -> NotebookEntry | None:
        """The entry under the cursor."""
        at = self.query_one("#entries", OptionList).highlighted
        return self._state.entries[at] if at is not None and at < len(self._state.entries) else None

    def action_move(self, by: int) -> None:
        chosen = self.chosen
        if chosen is not None:
            self._do(lambda room: room.move(chosen.number, by))

    def action_note(self) -> None:
        chosen = self.chosen
        if chosen is not None:
            line = self.query_one(Input)
            line.display = True
            line.value = chosen.note
            line.focus()

    def action_delete(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        if self._doomed != chosen.number:
            self._doomed = chosen.number
            self.notify("Press d again to delete this entry.", severity="warning")
            return
        self._do(lambda room: room.remove(chosen.number))

    def action_export(self, form: Format) -> None:
        if self._state.entries:
            self._export(form, with_unsupported=self._warned == form or form == "csv")
            self._warned = None

    def action_open(self) -> None:
        """Open the filing at the first quote of the entry that still stands there."""
        chosen = self.chosen
        if chosen is None:
            return
        kept = [self._state.traced.get(citation) for citation in chosen.saved.citations]
        found = next((traced.citation for traced in kept if traced is not None and traced.place != "gone"), None)
        if found is None:
            self.notify("Its words stand in no filing of the library any more.", severity="warning")
            return
        self.app.post_message(ReaderWanted.at(found, (found.start, found.end)))

    def action_copy(self) -> None:
        chosen = self.chosen
        if chosen is not None:
            self.app.post_message(CopyWanted("entry", entry_text(chosen, self._state.traced)))

    def action_close(self) -> None:
        if self.query_one(Input).display:
            self._leave_line()
        else:
            self.dismiss()

    def _leave_line(self) -> None:
        self.query_one(Input).display = False
        self.query_one("#entries").focus()

    def _show(self) -> None:
        chosen = self.chosen
        self.query_one(TextView).show(entry_text(chosen, self._state.traced) if chosen is not None else "")

    @work(thread=True, group="notebook", exit_on_error=False)
    def _do(self, act: Callable[[NotebookRoom], None]) -> None:
        """Do something to the notebook, then read it."""
        act(self._room)
        self.post_message(self.Read(self._room.read()))

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def _export(self, form: Format, *, with_unsupported: bool) -> None:
        def write(taken: Taken | None = None) -> Path:
            return self._room.export(form, with_unsupported=with_unsupported, taken=taken)

        try:
            path: Path = write()
        except UnsupportedText as error:
            self.post_message(self.Unsupported(form, error))
        except NameTaken as taken:
            self.app.post_message(NameIsTaken(taken.path, write))
        else:
            self.app.post_message(Exported(path))
