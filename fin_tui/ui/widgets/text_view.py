"""Long clean text in a read-only view that lays out once per width and draws only the lines on screen.

The same view shows a passage and a whole filing; spans of it can be marked, and the marked span is scrolled to.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import ClassVar

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
from fin_tui.ui.text_layout import Grid, Layout, Piece, cells_of, lay_out

_ROOM = 4
"""Lines above a marked span that stay in sight."""


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
        self._grid: Grid = {}
        self._marks: tuple[Span, ...] = ()
        self._links: tuple[Span, ...] = ()
        self._layout = Layout((), ())
        self._wanted: int | None = None
        self._jump: int | None = None
        """The offset that is being scrolled to."""
        self._landed = (0, 0)
        """The row that was scrolled to last, and the offset it was for: another width shows that, not where the row begins."""

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

    def show(self, text: str, marks: Sequence[Span] = (), grid: Grid | None = None) -> None:
        """Show ``text`` with ``marks``, scrolled to the first mark (else to the top); ``grid``: its tables' columns."""
        self._text, self._links, self._grid = text, (), grid or {}
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
        is_still = self._wanted is None and self._jump is None
        if self._wanted is None:
            self._wanted = self._jump if self._jump is not None else self._top_offset()
        self._relayout(0 if is_still else _ROOM)

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

    def _relayout(self, margin: int = _ROOM) -> None:
        width = self.scrollable_content_region.width
        # A hidden view has no width: the layout of the text before must go all the same, as its spans mean nothing in this one.
        self._layout = lay_out(self._text, width, self._grid) if width else Layout((), ())
        self.virtual_size = Size(width, len(self._layout.lines))
        self._go(margin)
        self.refresh()

    def _go(self, margin: int = _ROOM) -> None:
        """Scroll to the wanted offset once there is a layout, leaving ``margin`` lines above it in sight."""
        if self._wanted is None or not self._layout.lines:
            return
        self._jump, self._wanted = self._wanted, None
        self.call_after_refresh(self._land, margin)

    def _land(self, margin: int) -> None:
        if self._jump is None:
            return
        row = self._layout.row_of(self._jump)
        room = min(margin, max(self.size.height // 4, 0))
        self._landed = (max(row - room, 0), self._jump)
        self._jump = None
        self.scroll_to(y=self._landed[0], animate=False, force=True, immediate=True)

    def _top_offset(self) -> int:
        if not self._layout.starts:
            return 0
        if round(self.scroll_offset.y) == self._layout.row_of(self._landed[1]) == self._landed[0]:
            return self._landed[1]
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
