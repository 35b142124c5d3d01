"""What a user makes: conversations with their answers, the notebook and bookmarks, sheets and their cells."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fin_tui.errors import NotFound, UsageError
from fin_tui.records import Answer, Fingerprint, Saved, Sheet, SheetCell, ShownPassage
from fin_tui.store import codec
from fin_tui.store.database import Database

_TITLE_LENGTH = 80
_MOST_PASSAGES = 60
"""Of one turn; its best come first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and the answer that was given."""

    ordinal: int
    """From 1."""
    question: str
    answer: Answer
    fingerprint: Fingerprint
    """What made the answer (library generation, settings, model), so that it can be made again."""
    created: str
    """UTC, ISO 8601."""
    evidence: tuple[ShownPassage, ...] = ()
    """The passages that stood beside the answer, in the order of their numbers; empty for turns stored without them."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its turns."""

    id: str
    title: str
    created: str
    updated: str
    turns: int


class Conversations:
    """Reads and writes conversations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[Conversation, ...]:
        """All conversations, the one used last first."""
        rows = self._database.rows(f"{_SELECT} GROUP BY conversations.id ORDER BY updated DESC, conversations.id")
        return tuple(Conversation(**dict(row)) for row in rows)

    def get(self, conversation_id: str) -> Conversation:
        """The conversation with this id or unique prefix; raises ``NotFound``."""
        rows = self._database.rows(
            f"{_SELECT} WHERE substr(conversations.id, 1, length(?)) = ? GROUP BY conversations.id "
            "ORDER BY conversations.id LIMIT 2",
            (conversation_id, conversation_id),
        )
        if not conversation_id or not rows or (len(rows) > 1 and rows[0]["id"] != conversation_id):
            raise NotFound(f"No conversation {conversation_id!r}", "fin-tui conversations lists them.")
        return Conversation(**dict(rows[0]))

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """The turns in order; empty for an unknown id."""
        rows = self._database.rows("SELECT * FROM turns WHERE conversation = ? ORDER BY ordinal", (conversation_id,))
        return tuple(_turn(row) for row in rows)

    def create(self, title: str = "") -> str:
        """A new conversation; gives its id. Without a title the first question becomes one."""
        conversation_id, now = secrets.token_hex(4), codec.now()
        with self._database.write() as connection:
            connection.execute("INSERT INTO conversations VALUES (?, ?, ?, ?)", (conversation_id, title, now, now))
        return conversation_id

    def append(
        self,
        conversation_id: str,
        question: str,
        answer: Answer,
        fingerprint: Fingerprint,
        evidence: Sequence[ShownPassage] = (),
    ) -> Turn:
        """Add a turn at the end, with the best of its ``evidence``; raises ``NotFound`` for an unknown id."""
        now, kept = codec.now(), tuple(evidence[:_MOST_PASSAGES])
        with self._database.write() as connection:
            row = connection.execute("SELECT title FROM conversations WHERE id = ?", (conversation_id,)).fetchone()
            if row is None:
                raise NotFound(f"No conversation {conversation_id!r}", "fin-tui conversations lists them.")
            ordinal = connection.execute(
                "SELECT coalesce(max(ordinal), 0) + 1 FROM turns WHERE conversation = ?", (conversation_id,)
            ).fetchone()[0]
            connection.execute(
                "INSERT INTO turns (conversation, ordinal, question, answer, fingerprint, created, evidence) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(conversation_id, ordinal, question),
                    *(codec.to_json(answer), codec.to_json(fingerprint), now, codec.to_json(kept)),
                ),
            )
            title = row["title"] or " ".join(question.split())[:_TITLE_LENGTH]
            connection.execute("UPDATE conversations SET updated = ?, title = ? WHERE id = ?", (now, title, conversation_id))
        return Turn(ordinal, question, answer, fingerprint, now, kept)

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        with self._database.write() as connection:
            connection.execute("UPDATE conversations SET title = ? WHERE id = ?", (title, conversation_id))

    def remove(self, conversation_id: str) -> None:
        """Delete a conversation and its turns."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))


_SELECT = (
    "SELECT conversations.id, title, conversations.created, updated, count(turns.ordinal) AS turns FROM conversations "
    "LEFT JOIN turns ON turns.conversation = conversations.id"
)


def _turn(row: sqlite3.Row) -> Turn:
    return Turn(
        row["ordinal"],
        row["question"],
        codec.from_json(row["answer"], Answer),
        codec.from_json(row["fingerprint"], Fingerprint),
        row["created"],
        codec.from_json(row["evidence"], tuple[ShownPassage, ...]),
    )


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
