"""What one sheet's screen does in the background: fill cells, change rows and columns, write the workbook.

Workers belong to the screen and tell it by messages; the screen alone touches widgets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.worker import Worker, get_current_worker

from fin_tui.ui.messages import Exported
from fin_tui.ui.services import SheetRoom

if TYPE_CHECKING:
    from textual.screen import Screen

    from fin_tui.records import SheetCell
    from fin_tui.sheets.filling import OpenSheet
    from fin_tui.store.kept import CellKey

_TOLD_EVERY = 0.15
"""Seconds between two batches of filled cells: each draws the grid."""


@dataclass
class Read(Message):
    """The sheet as it is stored; then what is to be filled."""

    opened: OpenSheet
    wanted: Sequence[CellKey] = ()


@dataclass
class Filled(Message):
    """Cells were filled."""

    cells: Sequence[SheetCell]


@dataclass
class Ended(Message):
    """A run is over."""

    number: int
    is_stopped: bool


class SheetWork:
    """The work of one sheet's screen; a run at a time."""

    def __init__(self, screen: Screen[Any], room: SheetRoom, name: str) -> None:
        """``name`` is that of the sheet."""
        self._screen = screen
        self._room = room
        self._name = name
        self._run: Worker[None] | None = None

    @property
    def is_running(self) -> bool:
        return self._run is not None

    def start(self, wanted: Sequence[CellKey], first: Callable[[], Sequence[CellKey]]) -> None:
        """Fill ``wanted``, what ``first`` names at that moment before others; ``Filled`` by batches, then ``Ended``."""
        self._run = self._in_background(lambda: self._fill(tuple(wanted), first), "sheet", exclusive=True)

    def stop(self) -> None:
        """End the run behind the cell that is being made."""
        if self._run is not None:
            self._run.cancel()

    def ended(self, worker: Worker[Any] | None = None) -> bool:
        """Take note that the run is over; False when ``worker`` is another one than the run."""
        if worker is not None and worker is not self._run:
            return False
        self._run = None
        return True

    def hide(self, keys: Sequence[str], *, is_hidden: bool) -> None:
        """Hide or show columns; ``Read`` follows."""

        def hide() -> None:
            for key in keys:
                self._room.hide(self._name, key, is_hidden=is_hidden)

        self._change(hide)

    def drop(self, key: str) -> None:
        """Delete a column; ``Read`` follows."""
        self._change(lambda: self._room.drop_column(self._name, key))

    def add(self, text: str, *, is_trial: bool) -> None:
        """Add a column; ``Read`` follows, with the cells to fill: all of it, or those of a trial."""
        self._in_background(lambda: self._add(text, is_trial=is_trial), "sheet-change")

    def export(self) -> None:
        """Write the workbook; the app is told where it is."""
        self._in_background(lambda: self._screen.app.post_message(Exported(self._room.export(self._name))), "export")

    def _in_background(self, act: Callable[[], Any], group: str, *, exclusive: bool = False) -> Worker[Any]:
        return self._screen.run_worker(act, group=group, thread=True, exclusive=exclusive, exit_on_error=False)

    def _change(self, act: Callable[[], Any]) -> None:
        def changed() -> None:
            act()
            self._screen.post_message(Read(self._room.open(self._name)))

        self._in_background(changed, "sheet-change")

    def _add(self, text: str, *, is_trial: bool) -> None:
        from fin_tui.sheets.filling import trial

        key = self._room.add_column(self._name, text)
        opened = self._room.open(self._name)
        wanted = trial(opened.sheet, key) if is_trial else [(row.key, key) for row in opened.sheet.rows]
        self._screen.post_message(Read(opened, wanted))

    def _fill(self, wanted: Sequence[CellKey], first: Callable[[], Sequence[CellKey]]) -> None:
        worker = get_current_worker()
        waiting: list[SheetCell] = []
        number, told = 0, time.monotonic()
        for cell in self._room.fill(self._name, wanted, lambda: worker.is_cancelled, first):
            waiting.append(cell)
            number += 1
            if time.monotonic() - told > _TOLD_EVERY:
                self._screen.post_message(Filled(waiting))
                waiting, told = [], time.monotonic()
        self._screen.post_message(Filled(waiting))
        self._screen.post_message(Ended(number, worker.is_cancelled))
