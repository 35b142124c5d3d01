"""The library as a tree: company, fiscal year, Items. What is picked here limits the next questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from fin_tui.records import Filing, Section
from fin_tui.ui.messages import PicksChanged, ReaderWanted, SectionsWanted
from fin_tui.ui.scoping import Picks
from fin_tui.ui.text import one_line, year_label
from fin_tui.ui.widgets.filing_tree import FilingTree, Place

_EMPTY = "No filings yet.\n\nAlt+A adds files from disk."


class FilingBrowser(Vertical):
    """Filter box and tree."""

    BINDING_GROUP_TITLE = "Filings"
    HELP = """\
## Filings

Companies, their fiscal years, and the Items of each filing. **Space** puts the line under the cursor into the scope: then
questions look nowhere else. **Enter** opens a year, or reads an Item. **/** filters, **x** clears the scope.

A click chooses a line, a second one opens it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "read", "Read", id="filings.read", tooltip="Open the filing's text here"),
        Binding(
            "slash",
            "filter",
            "Filter",
            id="filings.filter",
            tooltip="Search filings: show only companies and years with these letters",
        ),
        Binding("escape", "leave_filter", "Leave filter", show=False, id="filings.leave-filter"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.filings: tuple[Filing, ...] = ()
        self.picks = Picks()

    def compose(self) -> ComposeResult:
        yield Input(placeholder="filter", compact=True, id="filter")
        yield Static(_EMPTY, markup=False, id="no-filings")
        yield FilingTree(id="tree")

    def on_mount(self) -> None:
        self.border_title = "Filings"
        self.query_one("#filter").display = False
        self.query_one("#no-filings").display = False

    def show(self, filings: Sequence[Filing]) -> None:
        """Show ``filings``; the picks and what was open stay."""
        self.filings = tuple(filings)
        self.query_one("#no-filings").display = not filings
        self.query_one(FilingTree).display = bool(filings)
        self._refill()

    def show_sections(self, filing: str, sections: Sequence[Section]) -> None:
        """Put the Items of ``filing`` under it."""
        self.query_one(FilingTree).add_sections(filing, sections)

    def clear_picks(self) -> None:
        """Look everywhere again."""
        self.pick(Picks())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the filter box is in use, letters and space belong to it."""
        typing = self.query_one("#filter").has_focus
        if action == "leave_filter":
            return typing
        return not (typing and action in ("read", "filter"))

    @on(FilingTree.PickToggled)
    def _pick_toggled(self, event: FilingTree.PickToggled) -> None:
        event.stop()
        place = event.place
        if place.section is not None and place.filing is not None:
            self.pick(self.picks.toggle_item(place.filing.id, place.section.item))
        elif place.filing is not None:
            self.pick(self.picks.toggle_filing(place.filing.id))
        else:
            self.pick(self.picks.toggle_company(place.company_key))

    def action_read(self) -> None:
        place = self.query_one(FilingTree).place
        if place is not None:
            self._read(place)

    def action_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.display = True
        box.focus()

    def action_leave_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.value = ""
        box.display = False
        self.query_one(FilingTree).focus()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._refill()

    @on(Input.Submitted, "#filter")
    def _filter_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(FilingTree).focus()

    @on(FilingTree.NodeSelected)
    def _selected(self, event: FilingTree.NodeSelected[Place]) -> None:
        event.stop()
        if event.node.data is not None and event.node.data.section is not None:
            self._read(event.node.data)

    @on(FilingTree.NodeExpanded)
    def _expanded(self, event: FilingTree.NodeExpanded[Place]) -> None:
        event.stop()
        place = event.node.data
        if place is not None and place.filing is not None and not event.node.children:
            self.post_message(SectionsWanted(place.filing.id))

    def _read(self, place: Place) -> None:
        filing, section = place.filing, place.section
        if filing is None:
            return
        title = f"{one_line(filing.company) or filing.file} {year_label(filing)} · {one_line(filing.form)}"
        start = section.start if section is not None else 0
        self.post_message(ReaderWanted(filing.id, title, start, start))

    def pick(self, picks: Picks) -> None:
        """Limit questions to ``picks``."""
        self.picks = picks
        self.query_one(FilingTree).show_picks(picks)
        self.post_message(PicksChanged(picks))

    def _refill(self) -> None:
        words = self.query_one("#filter", Input).value.casefold().split()
        shown = [f for f in self.filings if all(word in _searchable(f) for word in words)]
        total = f"{len(self.filings):,}" if self.filings else ""
        self.border_subtitle = f"{len(shown):,} of {total}" if words else total
        self.query_one(FilingTree).fill(shown, self.picks, opened=bool(words))


def _searchable(filing: Filing) -> str:
    return f"{filing.company} {filing.ticker} {year_label(filing)} {filing.form} {filing.file}".casefold()
