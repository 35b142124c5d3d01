"""Lists in which the mouse can choose a line without doing anything to it yet, and tables with a frozen header.

That of a sheet has frozen row names, and knows what of it is on screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, TypeVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, OptionList

from fin_tui.ui.text import one_line

if TYPE_CHECKING:
    from fin_tui.records import SheetCell, SheetColumn, SheetRow
    from fin_tui.store.kept import CellKey
    from fin_tui.ui.sheet_lines import SheetView


T = TypeVar("T")


class PickList(OptionList):
    """A click moves the cursor; a click on the line under the cursor is Enter. So every key of the footer has its line."""

    def on_click(self, event: events.Click) -> None:
        at = event.style.meta.get("option")
        if isinstance(at, int) and at != self.highlighted and not self.get_option_at_index(at).disabled:
            event.prevent_default()
            self.highlighted = at

    def chosen_of(self, lines: Sequence[T]) -> T | None:
        """That of ``lines``, which the list shows, under the cursor."""
        at = self.highlighted
        return lines[at] if at is not None and at < len(lines) else None


_LOOK_EVERY = 0.3


class SheetGrid(DataTable[Text], inherit_bindings=False):
    """Moves by the arrow keys; all other keys are those of the screen around it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", show=False),
        Binding("down", "cursor_down", show=False),
        Binding("left", "cursor_left", show=False),
        Binding("right", "cursor_right", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
        Binding("home", "scroll_home", show=False),
        Binding("end", "scroll_end", show=False),
        Binding("ctrl+home", "scroll_top", show=False),
        Binding("ctrl+end", "scroll_bottom", show=False),
    ]


class SheetTable(SheetGrid):
    """Shows one sheet cell by cell."""

    def __init__(self) -> None:
        super().__init__(cursor_type="cell", zebra_stripes=True, fixed_columns=1, header_height=2)
        self._view: SheetView | None = None
        self._on_screen: Sequence[CellKey] = ()

    def on_mount(self) -> None:
        self.set_interval(_LOOK_EVERY, self._look)

    @property
    def on_screen(self) -> Sequence[CellKey]:
        """The cells on screen a moment ago, row by row. May be read from any thread."""
        return self._on_screen

    @property
    def chosen(self) -> tuple[SheetRow, SheetColumn] | None:
        """Row and column under the cursor; None on the row names and the totals."""
        at, column = self.cursor_coordinate.row, self.column_here
        if self._view is None or column is None or not 0 <= at < len(self._view.rows):
            return None
        return self._view.rows[at], column

    @property
    def cell(self) -> SheetCell | None:
        """The filled cell under the cursor."""
        chosen = self.chosen
        return self._view.cells.get((chosen[0].key, chosen[1].key)) if self._view is not None and chosen else None

    @property
    def column_here(self) -> SheetColumn | None:
        """The column under the cursor; None on the row names."""
        at = self.cursor_coordinate.column
        return self._view.columns[at - 1] if self._view is not None and 0 < at <= len(self._view.columns) else None

    def show(self, view: SheetView) -> None:
        """Draw all of a sheet; cursor and scrolling stay."""
        at, scrolled = self.cursor_coordinate, self.scroll_offset
        self._view = view
        self.clear(columns=True)
        self.add_column(Text(""), key="")
        for column in view.columns:
            self.add_column(view.head(column), key=column.key)
        for row in view.rows:
            self.add_row(Text(one_line(row.label)), *(view.text(row, column) for column in view.columns), key=row.key)
        for name, texts in view.sums():
            self.add_row(Text(name, style="dim"), *texts, key=f"={name}")
        across = min(max(at.column, 1), len(view.columns))
        self.move_cursor(row=min(at.row, len(view.rows) - 1), column=across, scroll=False)
        self.scroll_to(scrolled.x, scrolled.y, animate=False)

    def put(self, cells: Sequence[SheetCell]) -> None:
        """Draw single cells that the view has already; those of hidden columns are left out."""
        if self._view is None:
            return
        rows = {row.key: row for row in self._view.rows}
        columns = {column.key: column for column in self._view.columns}
        for cell in cells:
            if cell.row in rows and cell.column in columns:
                text = self._view.text(rows[cell.row], columns[cell.column])
                self.update_cell(cell.row, cell.column, text, update_width=True)

    def _look(self) -> None:
        if self._view is None:
            return
        view = self._view
        rows = [view.rows[at].key for at in self._visible_rows() if at < len(view.rows)]
        columns = [view.columns[at].key for at in self._visible_columns() if at < len(view.columns)]
        self._on_screen = [(row, column) for row in rows for column in columns]

    def _visible_rows(self) -> range:
        first = int(self.scroll_y)
        return range(first, min(first + max(self.size.height - self.header_height, 0), self.row_count))

    def _visible_columns(self) -> list[int]:
        """The places of the columns on screen, from 0 behind the row names."""
        widths = [column.get_render_width(self) for column in self.ordered_columns]
        left, right = self.scroll_x, self.scroll_x + self.size.width - widths[0]
        ends = accumulate(widths[1:])
        return [at for at, end in enumerate(ends) if end > left and end - widths[at + 1] < right]
