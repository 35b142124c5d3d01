"""What a reader kept: the notebook, in the reader's own order, each with a note; and bookmarks in filings."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from fin_tui.errors import NotFound
from fin_tui.records import Saved
from fin_tui.store import codec
from fin_tui.store.database import Database


@dataclass(frozen=True, slots=True)
class NotebookEntry:
    """One thing that was kept."""

    number: int
    """Never given to another entry."""
    note: str
    """The reader's own words; may be empty."""
    saved: Saved
    created: str
    """UTC, ISO 8601."""


class Notebook:
    """Reads and writes the notebook."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[NotebookEntry, ...]:
        """All entries in their order."""
        rows = self._database.rows("SELECT number, note, saved, created FROM notebook ORDER BY position, number")
        return tuple(
            NotebookEntry(row["number"], row["note"], codec.from_json(row["saved"], Saved), row["created"]) for row in rows
        )

    def add(self, saved: Saved, note: str = "") -> NotebookEntry:
        """Put an entry at the end."""
        now = codec.now()
        with self._database.write() as connection:
            cursor = connection.execute(
                "INSERT INTO notebook (position, note, saved, created) "
                "SELECT coalesce(max(position), 0) + 1, ?, ?, ? FROM notebook",
                (note, codec.to_json(saved), now),
            )
            number = cursor.lastrowid or 0
        return NotebookEntry(number, note, saved, now)

    def annotate(self, number: int, note: str) -> None:
        """Give an entry another note; raises ``NotFound``."""
        with self._database.write() as connection:
            _one(connection.execute("UPDATE notebook SET note = ? WHERE number = ?", (note, number)), number)

    def move(self, number: int, by: int) -> None:
        """Move an entry so many places down (up where negative), no further than the ends; raises ``NotFound``."""
        with self._database.write() as connection:
            order = [row["number"] for row in connection.execute("SELECT number FROM notebook ORDER BY position, number")]
            if number not in order:
                raise _missing(number)
            at = order.index(number)
            order.insert(min(max(at + by, 0), len(order) - 1), order.pop(at))
            connection.executemany(
                "UPDATE notebook SET position = ? WHERE number = ?", [(place, held) for place, held in enumerate(order, start=1)]
            )

    def remove(self, number: int) -> None:
        """Delete an entry; raises ``NotFound``."""
        with self._database.write() as connection:
            _one(connection.execute("DELETE FROM notebook WHERE number = ?", (number,)), number)


def _one(cursor: sqlite3.Cursor, number: int) -> None:
    if not cursor.rowcount:
        raise _missing(number)


def _missing(number: int) -> NotFound:
    return NotFound(f"The notebook has no entry {number}.", "fin-tui notebook lists them.")


_QUOTE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A marked place."""

    start: int
    """Where it stood in the clean text when it was marked; names it."""
    quote: str
    """The first words at the place, white space as in the text."""
    at: int
    """Where the words stand now; ``start`` when they are gone."""


class Bookmarks:
    """Reads and writes bookmarks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, filing_id: str, text: str) -> tuple[Bookmark, ...]:
        """The bookmarks of a filing whose clean text is ``text``, in the order of the text."""
        rows = self._database.rows("SELECT start, quote FROM bookmarks WHERE filing = ?", (filing_id,))
        found = (Bookmark(row["start"], row["quote"], _nearest(text, row["quote"], row["start"])) for row in rows)
        return tuple(sorted(found, key=lambda bookmark: bookmark.at))

    def count(self, filing_id: str) -> int:
        """How many places of a filing are marked."""
        row = self._database.row("SELECT count(*) FROM bookmarks WHERE filing = ?", (filing_id,))
        return int(row[0]) if row else 0

    def add(self, filing_id: str, start: int, text: str) -> None:
        """Mark the place at ``start`` of the clean ``text``; marking it again changes nothing."""
        line = text[start : start + _QUOTE_LENGTH].partition("\n")[0]
        with self._database.write() as connection:
            connection.execute("INSERT OR IGNORE INTO bookmarks VALUES (?, ?, ?, ?)", (filing_id, start, line, codec.now()))

    def remove(self, filing_id: str, start: int) -> None:
        """Remove the bookmark that was made at ``start``."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM bookmarks WHERE filing = ? AND start = ?", (filing_id, start))


def _nearest(text: str, quote: str, start: int) -> int:
    """Where ``quote`` stands nearest to ``start``."""
    if not quote or text.startswith(quote, start):
        return start
    before, after = text.rfind(quote, 0, start), text.find(quote, start)
    there = [at for at in (before, after) if at >= 0]
    return min(there, key=lambda at: abs(at - start)) if there else start
