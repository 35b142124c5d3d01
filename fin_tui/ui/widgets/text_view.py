"""Long clean text in a read-only view that lays out once per width and draws only the lines on screen.

The same view shows a passage and a whole filing; spans of it can be marked, and the marked span is scrolled to. This is the
one place that turns character offsets into rows and columns, and back. A line is a row of pieces; each piece is a span of the
text and the column it is drawn at. Prose wraps at words. Runs of tab-separated rows (tables) are aligned: the first cell left,
the figures right, as many columns as the widest row has.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from fin_tui.records import Span
from fin_tui.ui.text import drawn

Cells = Callable[[str], int]
"""How many cells wide a text is drawn."""
_GAP = 2
_MIN_LABEL = 12


class Piece(NamedTuple):
    """``text[start:end]`` drawn from ``column`` on."""

    start: int
    end: int
    column: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines of a text at one width."""

    lines: tuple[tuple[Piece, ...], ...]
    starts: tuple[int, ...]
    """Offset at which each line begins, ascending."""

    def row_of(self, offset: int) -> int:
        """The row that shows the character at ``offset`` (the nearest above where it is between lines)."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def offset_of(self, text: str, row: int, column: int) -> int:
        """The offset of the character of ``text`` at a row and column; of the end of what is drawn left of it, between pieces."""
        if row >= len(self.lines):
            return len(text)
        at = self.starts[row]
        for piece in self.lines[row]:
            if column < piece.column:
                break
            at, cells = piece.start, piece.column
            while at < piece.end and cells + cells_of(text[at]) <= column:
                cells += cells_of(text[at])
                at += 1
        return at


def lay_out(text: str, width: int) -> Layout:
    """Lay out ``text`` for ``width`` cells; every character but line breaks, tabs and wrapped spaces is drawn."""
    width = max(width, 8)
    cells = _cells_of(text)
    lines: list[tuple[Piece, ...]] = []
    starts: list[int] = []
    for start, end, tabular in _groups(text):
        group = _table(text, start, end, width, cells) if tabular else _prose(text, start, end, width, cells)
        for begin, pieces in group:
            lines.append(pieces)
            starts.append(begin)
    return Layout(tuple(lines), tuple(starts))


def _cells_of(text: str) -> Cells:
    """Where every character of ``text`` takes one cell, as in nearly all filings, its length tells the width much sooner."""
    return len if all(character.isascii() or cells_of(character) == 1 for character in set(text)) else cells_of


def cells_of(text: str) -> int:
    """How many cells ``text`` takes as it is drawn: what the screen leaves out of it takes none."""
    return cell_len(drawn(text))


def _groups(text: str) -> Iterator[tuple[int, int, bool]]:
    """Spans of the text that are wholly table rows or single other lines."""
    at, table_from = 0, -1
    while at <= len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        tabular = "\t" in text[at:stop]
        if tabular and table_from < 0:
            table_from = at
        if not tabular:
            if table_from >= 0:
                if _continues(text, stop):
                    at = stop + 1
                    continue
                yield table_from, at - 1, True
                table_from = -1
            yield at, stop, False
        at = stop + 1
    if table_from >= 0:
        yield table_from, len(text), True


def _continues(text: str, stop: int) -> bool:
    """A row of one cell inside a table: not blank, and a tabbed row follows at once."""
    if stop >= len(text) or text[stop - 1 : stop] == "\n":
        return False
    following = text.find("\n", stop + 1)
    return "\t" in text[stop + 1 : following if following >= 0 else len(text)]


def _prose(text: str, start: int, end: int, width: int, cells: Cells) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    if start >= end:
        yield start, ()
        return
    for begin, stop in _wrap(text, start, end, width, cells):
        yield begin, (Piece(begin, stop, 0),)


def _wrap(text: str, start: int, end: int, width: int, cells: Cells) -> Iterator[tuple[int, int]]:
    """Spans of at most ``width`` cells, broken at spaces where there are any."""
    while start < end:
        stop = min(start + width, end) if cells is len else _fit(text, start, end, width)
        if stop < end and text[stop] != " ":
            space = text.rfind(" ", start + 1, stop)
            stop = space if space > start else stop
        yield start, stop
        start = stop
        while start < end and text[start] == " ":
            start += 1


def _fit(text: str, start: int, end: int, width: int) -> int:
    """The last offset such that the span from ``start`` is no wider than ``width`` cells; at least one character."""
    stop = min(start + width, end)
    span = text[start:stop]
    if span.isascii():
        return stop
    while stop > start + 1 and cells_of(text[start:stop]) > width:
        stop -= 1
    while stop < end and not cells_of(text[stop]):
        stop += 1  # An accent stays with its letter.
    return stop


def _table(text: str, start: int, end: int, width: int, cells: Cells) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    rows = _rows(text, start, end)
    count = max(len(row) for row in rows)
    placed = [_place(row, count, seen_full) for row, seen_full in zip(rows, _after_full(rows, count), strict=True)]
    widths = [0] * count
    for row in placed:
        for column, (begin, stop) in row.items():
            if column:
                widths[column] = max(widths[column], cells(text[begin:stop]))
    figures = sum(widths[1:]) + _GAP * (count - 1)
    label_width = max((cells(text[b:e]) for row in placed if len(row) > 1 for c, (b, e) in row.items() if not c), default=0)
    label = min(label_width, width - figures)
    if label < min(_MIN_LABEL, label_width):
        for loose in rows:
            yield from _loose_row(text, loose, width, cells)
        return
    edges = [label]
    for column in range(1, count):
        edges.append(edges[-1] + _GAP + widths[column])
    for row in placed:
        yield from _aligned_row(text, row, label, edges, width, cells)


def _rows(text: str, start: int, end: int) -> list[list[tuple[int, int]]]:
    rows: list[list[tuple[int, int]]] = []
    at = start
    for line in text[start:end].split("\n"):
        row = []
        for cell in line.split("\t"):
            row.append((at, at + len(cell)))
            at += len(cell) + 1
        rows.append(row)
    return rows


def _after_full(rows: list[list[tuple[int, int]]], count: int) -> Iterator[bool]:
    seen = False
    for row in rows:
        yield seen
        seen = seen or len(row) == count


def _place(row: list[tuple[int, int]], count: int, seen_full: bool) -> dict[int, tuple[int, int]]:
    """Column -> cell. Short rows above the first full row are headers and stand over the figures."""
    if len(row) == 1:
        return {0: row[0]}
    if not seen_full and len(row) < count:
        return {count - len(row) + index: cell for index, cell in enumerate(row)}
    return {0: row[0]} | {count - len(row) + index: cell for index, cell in enumerate(row) if index}


def _aligned_row(
    text: str, row: dict[int, tuple[int, int]], label: int, edges: list[int], width: int, cells: Cells
) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    figures = [
        Piece(start, end, edges[column] - cells(text[start:end])) for column, (start, end) in sorted(row.items()) if column
    ]
    if 0 not in row:
        yield figures[0].start, tuple(figures)
        return
    wrapped = list(_wrap(text, *row[0], label if figures else width, cells)) or [row[0]]
    for index, (begin, stop) in enumerate(wrapped):
        is_last = index == len(wrapped) - 1
        yield begin, (Piece(begin, stop, 0), *(figures if is_last else ()))


def _loose_row(text: str, row: list[tuple[int, int]], width: int, cells: Cells) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    """Cells one after the other with a gap, on as many lines as they need: for tables wider than the pane."""
    line: list[Piece] = []
    column = 0
    for start, end in row:
        for begin, stop in _wrap(text, start, end, width, cells):
            size = cells(text[begin:stop])
            if line and column + size > width:
                yield line[0].start, tuple(line)
                line, column = [], 2
            column = min(column, max(width - size, 0))
            line.append(Piece(begin, stop, column))
            column += size + _GAP
    if line:
        yield line[0].start, tuple(line)


class TextView(ScrollView, can_focus=True):
    """Text with marked spans; offsets are those of the text it was given."""

    BINDING_GROUP_TITLE = "Text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="text.down"),
        Binding("k", "scroll_up", "Up", show=False, id="text.up"),
        Binding("space", "page_down", "Page down", show=False, id="text.page-down"),
        Binding("b", "page_up", "Page up", show=False, id="text.page-up"),
        Binding("g", "scroll_home", "Top", show=False, id="text.top"),
        Binding("G", "scroll_end", "End", show=False, id="text.end"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"text-view--mark", "text-view--link"}
    DEFAULT_CSS = """
    TextView {
        overflow-y: scroll; overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & .text-view--mark { background: $mark; color: $mark-text; text-style: underline; }
        & .text-view--link { color: $link-color; }
    }
    """

    class LinkClicked(Message):
        """A link was clicked."""

        def __init__(self, span: Span) -> None:
            super().__init__()
            self.span = span

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._text = ""
        self._marks: tuple[Span, ...] = ()
        self._links: tuple[Span, ...] = ()
        self._layout = Layout((), ())
        self._wanted: int | None = None
        self._jump: int | None = None
        """The offset that is being scrolled to."""

    @property
    def marked_text(self) -> str:
        """The text of the marked spans, for copying."""
        return "\n".join(self._text[mark.start : mark.end] for mark in self._marks)

    @property
    def selected(self) -> Span | None:
        """What is selected with the mouse; None when nothing is."""
        selection = self.text_selection
        if selection is None:
            return None
        start, end = selection
        first = self._layout.offset_of(self._text, start.y, start.x) if start is not None else 0
        last = self._layout.offset_of(self._text, end.y, end.x) if end is not None else len(self._text)
        return Span(first, last) if first < last else None

    def show(self, text: str, marks: Sequence[Span] = ()) -> None:
        """Show ``text`` with ``marks``, scrolled to the first mark (else to the top)."""
        self._text, self._links = text, ()
        self.mark(marks)
        self._relayout()

    def mark(self, marks: Sequence[Span], at: Span | None = None) -> None:
        """Mark other spans of the same text and go to the first, or to ``at``."""
        self._marks = tuple(sorted((m for m in marks if 0 <= m.start < m.end), key=lambda m: m.start))
        self._wanted = at.start if at is not None else self._marks[0].start if self._marks else 0
        self._go()
        self.refresh()

    def link(self, links: Sequence[Span]) -> None:
        """Show these spans, which are in order and apart, as links: a click on one is posted."""
        self._links = tuple(links)
        self.refresh()

    @property
    def on_screen(self) -> Span:
        """The part of the text that is on screen."""
        starts, top = self._layout.starts, round(self.scroll_offset.y)
        if not starts:
            return Span(0, 0)
        end = top + self.size.height
        return Span(starts[min(top, len(starts) - 1)], starts[end] if end < len(starts) else len(self._text))

    def go_to(self, offset: int) -> None:
        """Scroll to the line that shows the character at ``offset``."""
        self._wanted = offset
        self._go(margin=0)

    def action_page_down(self) -> None:
        self.scroll_page_down()

    def action_page_up(self) -> None:
        self.scroll_page_up()

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        offset = self._offset_at(at.y + round(self.scroll_offset.y), at.x) if at is not None else None
        link = next((link for link in self._links if offset is not None and link.start <= offset < link.end), None)
        if link is not None:
            self.post_message(self.LinkClicked(link))

    def _offset_at(self, row: int, column: int) -> int | None:
        """The character drawn in a cell; None where there is none."""
        line = self._layout.lines[row] if 0 <= row < len(self._layout.lines) else ()
        for piece in line:
            shown = self._text[piece.start : piece.end]
            if piece.column <= column < piece.column + cells_of(shown):
                fits = [n for n in range(len(shown)) if cells_of(shown[: n + 1]) > column - piece.column]
                return piece.start + fits[0] if fits else None
        return None

    def on_show(self) -> None:
        """What was shown while the view was hidden is laid out now; where its size is as before, no resize tells of it."""
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Lay out anew for another width, with the same text at the top, or where a jump was under way."""
        if self.scrollable_content_region.width == self.virtual_size.width:
            return
        if self._wanted is None:
            self._wanted = self._jump if self._jump is not None else self._top_offset()
        self._relayout()

    def render_line(self, y: int) -> Strip:
        row = y + round(self.scroll_offset.y)
        width = self.size.width
        base = self.rich_style
        if row >= len(self._layout.lines):
            return Strip.blank(width, base)
        segments = list(self._segments(self._layout.lines[row], base))
        strip = Strip(segments).adjust_cell_length(width, base)
        selected = self.text_selection.get_span(row) if self.text_selection is not None else None
        if selected is not None:
            strip = _restyle(strip, *selected, self.screen.get_component_rich_style("screen--selection"))
        return strip.apply_offsets(0, row)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as drawn, for the terminal's clipboard."""
        return selection.extract("\n".join(self._drawn(line) for line in self._layout.lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def _relayout(self) -> None:
        width = self.scrollable_content_region.width
        # A hidden view has no width: the layout of the text before must go all the same, as its spans mean nothing in this one.
        self._layout = lay_out(self._text, width) if width else Layout((), ())
        self.virtual_size = Size(width, len(self._layout.lines))
        self._go()
        self.refresh()

    def _go(self, margin: int = 4) -> None:
        """Scroll to the wanted offset once there is a layout, leaving a few lines above it in sight."""
        if self._wanted is None or not self._layout.lines:
            return
        self._jump, self._wanted = self._wanted, None
        self.call_after_refresh(self._land, margin)

    def _land(self, margin: int) -> None:
        if self._jump is None:
            return
        row = self._layout.row_of(self._jump)
        self._jump = None
        room = min(margin, max(self.size.height // 4, 0))
        self.scroll_to(y=max(row - room, 0), animate=False, force=True, immediate=True)

    def _top_offset(self) -> int:
        if not self._layout.starts:
            return 0
        return self._layout.starts[min(round(self.scroll_offset.y), len(self._layout.starts) - 1)]

    def _segments(self, line: tuple[Piece, ...], base: Style) -> list[Segment]:
        segments: list[Segment] = []
        at = 0
        marked = base + self.get_component_rich_style("text-view--mark", partial=True)
        linked = base + self.get_component_rich_style("text-view--link", partial=True)
        near = self._links_in(line[0].start, line[-1].end) if line else ()
        for piece in line:
            if piece.column > at:
                segments.append(Segment(" " * (piece.column - at), base))
                at = piece.column
            for start, end, is_marked in _split(piece, self._marks):
                parts = [(start, end, False)] if is_marked else _split(Piece(start, end, 0), near)
                for begin, stop, is_link in parts:
                    segment = Segment(drawn(self._text[begin:stop]), marked if is_marked else linked if is_link else base)
                    segments.append(segment)
                    at += segment.cell_length
        return segments

    def _links_in(self, start: int, end: int) -> Sequence[Span]:
        first = bisect_right(self._links, start, key=lambda link: link.end)
        return self._links[first : bisect_left(self._links, end, key=lambda link: link.start)]

    def _drawn(self, line: tuple[Piece, ...]) -> str:
        out = ""
        for piece in line:
            out = out.ljust(piece.column) + self._text[piece.start : piece.end]
        return out


def _split(piece: Piece, marks: Sequence[Span]) -> list[tuple[int, int, bool]]:
    """The piece cut at the borders of the marks."""
    parts: list[tuple[int, int, bool]] = []
    at = piece.start
    for mark in marks:
        start, end = max(mark.start, at), min(mark.end, piece.end)
        if start >= end:
            continue
        if start > at:
            parts.append((at, start, False))
        parts.append((start, end, True))
        at = end
    if at < piece.end:
        parts.append((at, piece.end, False))
    return parts


def _restyle(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """``strip`` with ``style`` over the cells from ``start`` to ``end`` (-1 means to the end)."""
    end = strip.cell_length if end < 0 else end
    before, inside, after = strip.crop(0, start), strip.crop(start, end), strip.crop(end)
    return Strip.join([before, inside.apply_style(style), after])
