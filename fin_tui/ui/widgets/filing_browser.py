"""The library as a tree: company, fiscal year, Items. What is picked here limits the next questions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static, Tree
from textual.widgets.tree import TreeNode

from fin_tui.facts.words import spoken_name
from fin_tui.records import Filing, Section
from fin_tui.ui.messages import PicksChanged, ReaderWanted, SectionsWanted
from fin_tui.ui.scoping import Picks
from fin_tui.ui.text import one_line, shorten, sort_name, year_label

_PICKED = "● "


@dataclass(frozen=True, slots=True)
class Place:
    """What a line of the tree stands for: a company, a filing of it, or an Item of that."""

    company_key: str
    filing: Filing | None = None
    section: Section | None = None


class FilingTree(Tree[Place]):
    """Company > fiscal year (form, period end) > Items; picked lines carry a dot."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pick", "Scope", id="filings.pick", tooltip="Limit questions to this line, or no longer"),
        Binding("right", "open", "Open", show=False, id="tree.open"),
        Binding("left", "close", "Close", show=False, id="tree.close"),
        Binding("j", "cursor_down", "Down", show=False, id="tree.down"),
        Binding("k", "cursor_up", "Up", show=False, id="tree.up"),
    ]
    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "

    class PickToggled(Message):
        """The reader wants this line in the scope, or no longer."""

        def __init__(self, place: Place) -> None:
            super().__init__()
            self.place = place

    def __init__(self, *, id: str | None = None) -> None:
        self._picks = Picks()
        self._first: dict[str, Filing] = {}
        """The filing by which each company is named."""
        self._labelled = 0
        """The room for which the names stand."""
        super().__init__("", id=id)
        self.show_root = False
        self.guide_depth = 2
        self.show_guides = False

    def on_resize(self) -> None:
        """Names take the room that there is."""
        if self._room == self._labelled:
            return
        self._labelled = self._room
        for node in self.root.children:
            if node.data is not None and node.data.company_key in self._first:
                node.set_label(company_label(self._first[node.data.company_key], self._room))

    @property
    def _room(self) -> int:
        width = self.outer_size.width
        return width - _AROUND if width > _AROUND else _ROOM

    @property
    def place(self) -> Place | None:
        """What the cursor is on."""
        return self.cursor_node.data if self.cursor_node is not None else None

    def fill(self, filings: Sequence[Filing], picks: Picks, *, opened: bool = False) -> None:
        """Show ``filings``; companies stay open that were open, all are when there are few, or with ``opened``: these were looked
        for, and the cursor goes to the first.
        """
        self._picks = picks
        were_open = {n.data for n in self.root.children if n.is_expanded and n.data}
        known = {n.data.filing.id: n for c in self.root.children for n in c.children if n.data and n.data.filing}
        sections = {key: [n.data.section for n in node.children if n.data and n.data.section] for key, node in known.items()}
        expanded = {key for key, node in known.items() if node.is_expanded}
        line = 0 if opened else self.cursor_line
        self.clear()
        groups = _by_company(filings)
        self._first = {key: group[0] for key, group in groups.items()}
        self._labelled = self._room
        for key, group in groups.items():
            place = Place(key)
            open_company = opened or len(filings) <= 12 or place in were_open
            node = self.root.add(company_label(group[0], self._room), place, expand=open_company)
            for filing in group:
                child = node.add(_filing_label(filing), Place(key, filing), expand=filing.id in expanded)
                self._add_items(child, sections.get(filing.id, ()))
        self.root.expand()
        self.call_after_refresh(self._restore_cursor, line)

    def add_sections(self, filing: str, sections: Sequence[Section]) -> None:
        """Put the Items under their filing, once."""
        for company in self.root.children:
            for node in company.children:
                if node.data and node.data.filing and node.data.filing.id == filing and not node.children:
                    self._add_items(node, sections)

    def show_picks(self, picks: Picks) -> None:
        """Mark what is picked."""
        before, self._picks = self._picks, picks
        for node in _all_nodes(self.root):
            if _is_picked(node.data, before) != _is_picked(node.data, picks):
                node.refresh()

    def render_label(self, node: TreeNode[Place], base_style: Style, style: Style) -> Text:
        label = super().render_label(node, base_style, style)
        if not _is_picked(node.data, self._picks):
            return label
        mark = Text(_PICKED, style=style + Style(bold=True))
        return Text.assemble(mark, label)

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, so that the line can be picked; one on the line under it opens, as one on its arrow does."""
        line = event.style.meta.get("line")
        if isinstance(line, int) and line != self.cursor_line and not event.style.meta.get("toggle"):
            event.prevent_default()
            self.cursor_line = line

    def action_pick(self) -> None:
        if self.place is not None:
            self.post_message(self.PickToggled(self.place))

    def action_open(self) -> None:
        if self.cursor_node is not None and self.cursor_node.allow_expand:
            self.cursor_node.expand()

    def action_close(self) -> None:
        """Close the line, or go to what it is under."""
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded and node.children:
            node.collapse()
        elif node.parent is not None and node.parent is not self.root:
            self.move_cursor(node.parent)

    def _restore_cursor(self, line: int) -> None:
        self.cursor_line = max(line, 0) if self.root.children else -1

    def _add_items(self, node: TreeNode[Place], sections: Sequence[Section]) -> None:
        data = node.data
        if data is None or data.filing is None:
            return
        for section in sections:
            if section.item:
                node.add_leaf(_section_label(section), Place(data.company_key, data.filing, section))


def _all_nodes(node: TreeNode[Place]) -> Iterator[TreeNode[Place]]:
    for child in node.children:
        yield child
        yield from _all_nodes(child)


def _is_picked(place: Place | None, picks: Picks) -> bool:
    if place is None:
        return False
    if place.section is not None and place.filing is not None:
        return (place.filing.id, place.section.item) in picks.items
    if place.filing is not None:
        return place.filing.id in picks.filings
    return place.company_key in picks.companies


def _by_company(filings: Sequence[Filing]) -> dict[str, list[Filing]]:
    groups: dict[str, list[Filing]] = {}
    for filing in sorted(filings, key=lambda f: (sort_name(f.company), f.file)):
        groups.setdefault(filing.company_key, []).append(filing)
    for group in groups.values():
        group.sort(key=lambda f: (f.period_end or dt.date.min, f.form), reverse=True)
    return groups


_ROOM = 34
"""Cells of a line beside its arrow, where the pane has not been drawn yet."""
_AROUND = 7
"""Cells of a line that its arrow, the dot of what is picked, the scroll bar and the padding take."""


def company_label(filing: Filing, room: int = _ROOM) -> Text:
    """A company's line: its name and ticker, in ``room`` cells."""
    name, ticker = one_line(filing.company) or one_line(filing.file), one_line(filing.ticker)
    if cell_len(f"{name} {ticker}".rstrip()) > room:
        name = shorten(spoken_name(name), room - cell_len(ticker) - 1)  # A ticker cut short is another company's.
    label = Text(name, style="bold", no_wrap=True)
    if ticker:
        label.append(f" {ticker}", style="dim not bold")
    return label


def _filing_label(filing: Filing) -> Text:
    label = Text(year_label(filing), no_wrap=True)
    form = one_line(filing.form)
    label.append(f" {form}", style="bold underline" if form.endswith("/A") else "dim")
    if filing.period_end:
        label.append(f" {filing.period_end.isoformat()}", style="dim")
    return label


def _section_label(section: Section) -> Text:
    label = Text(f"{one_line(section.item):<3}", no_wrap=True)
    label.append(f" {shorten(one_line(section.title), 48)}", style="dim")
    if section.confidence < 0.5:
        label.append(" ?", style="dim")
    return label


_EMPTY = "No filings yet.\n\nAlt+A adds files from disk."


class FilingBrowser(Vertical):
    """Filter box and tree."""

    BINDING_GROUP_TITLE = "Filings"
    HELP = """\
## Filings

Companies, their fiscal years, and the Items of each filing. **Space** puts the line under the cursor into the scope: then
questions look nowhere else. **Enter** opens a year, or reads an Item. **/** filters, **Esc** shows all again, **x** clears
scope and filter.

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
        Binding("escape", "leave_filter", "All filings", id="filings.leave-filter", tooltip="Drop the filter: show all filings"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.filings: tuple[Filing, ...] = ()
        self.picks = Picks()

    def compose(self) -> ComposeResult:
        yield Input(placeholder="filter by name, ticker, year", compact=True, id="filter")
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
            return typing or self.is_filtered
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
        self.screen.set_focus(box)  # At once: what is typed right behind the key belongs here, not to the prompt.

    def action_leave_filter(self) -> None:
        self.show_all()
        self.query_one(FilingTree).focus()

    @property
    def is_filtered(self) -> bool:
        """Only some of the filings are shown."""
        return self.is_mounted and bool(self.query_one("#filter", Input).value.strip())

    def show_all(self) -> None:
        """Drop the filter."""
        box = self.query_one("#filter", Input)
        box.value = ""
        box.display = False

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
        self.border_title = "Filings, filtered" if words else "Filings"
        self.border_subtitle = f"{len(shown):,} of {total} · Esc: all" if words else total
        self.query_one(FilingTree).fill(shown, self.picks, opened=bool(words))
        self.screen.refresh_bindings()


def _searchable(filing: Filing) -> str:
    return f"{filing.company} {filing.ticker} {year_label(filing)} {filing.form} {filing.file}".casefold()
