"""What the app needs for sheets and audits. ``live_sheets.py`` is the real thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from fin_tui.records import SheetCell
    from fin_tui.sheets.audit.audit import Audit
    from fin_tui.sheets.desk import OpenSheet
    from fin_tui.store.sheets import CellKey, SheetSummary


class SheetRoom(Protocol):
    """All methods may block and are called from worker threads only. They raise ``FinTuiError``."""

    def all(self) -> Sequence[SheetSummary]: ...

    def open(self, name: str) -> OpenSheet: ...

    def new(self, name: str, rows: str, columns: str) -> OpenSheet:
        """Make a sheet: rows as on the command line, columns with semicolons between, or the name of a template."""
        ...

    def remove(self, name: str) -> None: ...

    def add_column(self, name: str, text: str) -> str:
        """Add a column; gives its key."""
        ...

    def drop_column(self, name: str, key: str) -> None: ...

    def hide(self, name: str, key: str, *, is_hidden: bool) -> None: ...

    def fill(
        self,
        name: str,
        wanted: Sequence[CellKey],
        cancelled: Callable[[], bool],
        first: Callable[[], Sequence[CellKey]],
    ) -> Iterator[SheetCell]:
        """Fill cells, those that ``first`` names before others; what is made is stored also when it is stopped."""
        ...

    def export(self, name: str) -> Path:
        """Write a sheet into a new workbook."""
        ...

    def audit(self, path: Path) -> Audit:
        """Hold a user's workbook against the library."""
        ...

    def marked_copy(self, path: Path, audit: Audit) -> Path:
        """Write a coloured copy of an audited workbook into a new file."""
        ...
