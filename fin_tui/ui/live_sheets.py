"""Sheets and audits over open engine services, as the app asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fin_tui.engine.services import Services
from fin_tui.errors import FinTuiError

if TYPE_CHECKING:
    from fin_tui.records import SheetCell
    from fin_tui.sheets.audit.audit import Audit
    from fin_tui.sheets.desk import OpenSheet
    from fin_tui.store.sheets import CellKey, SheetSummary

_LONGEST_NAME = 60


class LiveSheets:
    """Implements ``ui.sheet_room.SheetRoom``."""

    def __init__(self, services: Services, exports: Path) -> None:
        """Files are written into ``exports``."""
        self._services = services
        self._store = services.library.sheets
        self._exports = exports

    def all(self) -> Sequence[SheetSummary]:
        return self._store.all()

    def open(self, name: str) -> OpenSheet:
        from fin_tui.sheets.desk import open_sheet

        return open_sheet(self._services, name)

    def new(self, name: str, rows: str, columns: str) -> OpenSheet:
        from fin_tui.sheets.definition import new_sheet, read_columns, read_rows
        from fin_tui.sheets.templates import templates

        ready = {one.name: one.columns for one in templates()}
        texts = [text.strip() for text in columns.split(";") if text.strip()]
        wanted = [column for text in texts for column in ready.get(text.casefold(), (text,))]
        sheet = new_sheet(name, read_rows([rows], self._services.corpus.filings()), read_columns(wanted))
        self._store.add(sheet)
        return self.open(sheet.name)

    def remove(self, name: str) -> None:
        self._store.remove(name)

    def add_column(self, name: str, text: str) -> str:
        from fin_tui.sheets.definition import new_sheet, read_columns

        sheet = self._store.get(name)
        columns = read_columns([text], sheet.columns)
        self._store.change(new_sheet(sheet.name, sheet.rows, columns))
        return columns[-1].key

    def drop_column(self, name: str, key: str) -> None:
        from fin_tui.sheets.definition import without

        sheet = self._store.get(name)
        names = [column.name for column in sheet.columns if column.key == key]
        self._store.change(without(sheet, columns=names))

    def hide(self, name: str, key: str, *, is_hidden: bool) -> None:
        from fin_tui.sheets.definition import hidden

        self._store.change(hidden(self._store.get(name), key, is_hidden=is_hidden))

    def fill(
        self,
        name: str,
        wanted: Sequence[CellKey],
        cancelled: Callable[[], bool],
        first: Callable[[], Sequence[CellKey]],
    ) -> Iterator[SheetCell]:
        from fin_tui.sheets.desk import open_run

        return open_run(self._services, name)[0].fill(wanted, cancelled, first)

    def export(self, name: str) -> Path:
        from fin_tui.sheets.workbook import sheet_book
        from fin_tui.sheets.xlsx import save

        opened = self.open(name)
        path = self._free(opened.sheet.name)
        save(sheet_book(opened.sheet, opened.cells, opened.prints), path)
        return path

    def audit(self, path: Path) -> Audit:
        from fin_tui.sheets.audit.audit import audit

        return audit(self._services, path)

    def marked_copy(self, path: Path, audit: Audit) -> Path:
        from fin_tui.sheets.xlsx import mark_copy

        target = self._free(f"{path.stem} audited", path.suffix)
        mark_copy(path, target, audit.marks)
        return target

    def _free(self, name: str, suffix: str = ".xlsx") -> Path:
        """A file of the exports that is not there yet, called after ``name``. Raises ``FinTuiError``."""
        words = re.sub(r"[^\w]+", "-", name.casefold()).strip("-")[:_LONGEST_NAME].strip("-") or "sheet"
        try:
            self._exports.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FinTuiError(f"{self._exports} can't be written: {error.strerror}.", "fin-tui export NAME -o FILE.") from error
        names = (f"{words}{f'-{at}' if at > 1 else ''}{suffix}" for at in range(1, 10_000))
        return next(self._exports / one for one in names if not (self._exports / one).exists())
