"""Conversations: titles, turns with the whole answer, and what made each answer."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fin_tui.errors import NotFound
from fin_tui.records import Answer, ShownPassage
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
    fingerprint: Mapping[str, Any]
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
        fingerprint: Mapping[str, Any],
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
                    *(codec.to_json(answer), codec.to_json(dict(fingerprint)), now, codec.to_json(kept)),
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
        codec.from_json(row["fingerprint"], dict[str, Any]),
        row["created"],
        codec.from_json(row["evidence"], tuple[ShownPassage, ...]),
    )
