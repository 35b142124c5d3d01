"""Sheets and their cells."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fin_tui.errors import NotFound, UsageError
from fin_tui.records import Sheet, SheetCell
from fin_tui.store import codec
from fin_tui.store.database import Database

CellKey = tuple[str, str]
"""Row key and column key."""


@dataclass(frozen=True, slots=True)
class SheetSummary:
    """A sheet as a list shows it."""

    name: str
    rows: int
    columns: int
    cells: int
    """How many have been filled."""
    updated: str
    """UTC, ISO 8601."""


class Sheets:
    """Reads and writes sheets. A name means the same sheet in upper and lower case."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[SheetSummary, ...]:
        """All sheets by name."""
        rows = self._database.rows(
            "SELECT name, definition, updated, (SELECT count(*) FROM sheet_cells WHERE sheet = number) AS cells "
            "FROM sheets ORDER BY name COLLATE NOCASE"
        )
        read = ((row, codec.from_json(row["definition"], Sheet)) for row in rows)
        return tuple(SheetSummary(row["name"], len(s.rows), len(s.columns), row["cells"], row["updated"]) for row, s in read)

    def get(self, name: str) -> Sheet:
        """By name; raises ``NotFound``."""
        return codec.from_json(self._row(name)["definition"], Sheet)

    def cells(self, name: str) -> Mapping[CellKey, SheetCell]:
        """The cells that have been filled; raises ``NotFound``."""
        rows = self._database.rows("SELECT cell FROM sheet_cells WHERE sheet = ?", (self._row(name)["number"],))
        read = (codec.from_json(row["cell"], SheetCell) for row in rows)
        return {(cell.row, cell.column): cell for cell in read}

    def add(self, sheet: Sheet) -> None:
        """Store a new sheet; raises ``UsageError`` when there is one of that name."""
        now = codec.now()
        try:
            with self._database.write() as connection:
                connection.execute(
                    "INSERT INTO sheets (name, definition, created, updated) VALUES (?, ?, ?, ?)",
                    (sheet.name, codec.to_json(sheet), now, now),
                )
        except sqlite3.IntegrityError as error:
            raise UsageError(f"There is a sheet called {sheet.name!r}.", "Give another name, or remove that one.") from error

    def change(self, sheet: Sheet) -> None:
        """Store other rows and columns of a sheet; cells of those that are gone are deleted. Raises ``NotFound``."""
        number = self._row(sheet.name)["number"]
        rows, columns = [row.key for row in sheet.rows], [column.key for column in sheet.columns]
        with self._database.write() as connection:
            connection.execute(
                "UPDATE sheets SET definition = ?, updated = ? WHERE number = ?", (codec.to_json(sheet), codec.now(), number)
            )
            connection.execute(
                "DELETE FROM sheet_cells WHERE sheet = ? AND (row_key NOT IN (SELECT value FROM json_each(?)) "
                "OR column_key NOT IN (SELECT value FROM json_each(?)))",
                (number, codec.to_json(rows), codec.to_json(columns)),
            )

    def put(self, name: str, cells: Iterable[SheetCell]) -> None:
        """Store cells in place of those that were there; raises ``NotFound``."""
        number = self._row(name)["number"]
        with self._database.write() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO sheet_cells VALUES (?, ?, ?, ?)",
                [(number, cell.row, cell.column, codec.to_json(cell)) for cell in cells],
            )
            connection.execute("UPDATE sheets SET updated = ? WHERE number = ?", (codec.now(), number))

    def remove(self, name: str) -> None:
        """Delete a sheet with its cells; raises ``NotFound``."""
        number = self._row(name)["number"]
        with self._database.write() as connection:
            connection.execute("DELETE FROM sheets WHERE number = ?", (number,))

    def _row(self, name: str) -> sqlite3.Row:
        row = self._database.row("SELECT number, definition FROM sheets WHERE name = ?", (name.strip(),))
        if row is None:
            raise NotFound(f"There is no sheet {name!r}.", "fin-tui sheet list shows them; fin-tui sheet new makes one.")
        return row
