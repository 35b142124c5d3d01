"""Places in filings that a reader marked, kept with their words so that they are found again after a re-parse."""

from __future__ import annotations

from dataclasses import dataclass

from fin_tui.store import codec
from fin_tui.store.database import Database

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
