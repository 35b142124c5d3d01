"""Chunks by key and id, and the keys that a scope allows."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Chunk, Scope
from fin_tui.store import codec
from fin_tui.store import database as meta
from fin_tui.store.database import Database
from fin_tui.store.filings import number_of

Keys = NDArray[np.int64]
_SCOPES_KEPT = 64
_SELECT = "SELECT chunks.*, filings.id AS filing_id FROM chunks JOIN filings ON filings.number = chunks.filing "


class Chunks:
    """Reads the chunks table. A key is an integer that is never given to another chunk."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._revision = -1
        self._scopes: OrderedDict[Scope, Keys] = OrderedDict()

    def by_key(self, keys: Sequence[int] | Keys) -> dict[int, Chunk]:
        """Chunks by key; keys that are gone are left out."""
        wanted = codec.to_json([int(key) for key in keys])
        rows = self._database.rows(_SELECT + "WHERE chunks.key IN (SELECT value FROM json_each(?))", (wanted,))
        return {row["key"]: _from_row(row) for row in rows}

    def by_id(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """Chunks by string id; ids that are gone are left out."""
        rows = self._database.rows(_SELECT + "WHERE chunks.id IN (SELECT value FROM json_each(?))", (codec.to_json(list(ids)),))
        return {row["id"]: _from_row(row) for row in rows}

    def keys_by_id(self, ids: Sequence[str]) -> dict[str, int]:
        """The key of each id that is there."""
        rows = self._database.rows(
            "SELECT id, key FROM chunks WHERE id IN (SELECT value FROM json_each(?))", (codec.to_json(list(ids)),)
        )
        return {row["id"]: row["key"] for row in rows}

    def of_filing(self, filing_id: str) -> tuple[Chunk, ...]:
        """All chunks of a filing in reading order; empty when it is not there."""
        rows = self._database.rows(_SELECT + "WHERE filings.id = ? ORDER BY chunks.ordinal", (filing_id,))
        return tuple(_from_row(row) for row in rows)

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        """The shortest chunk of a filing that holds the span of its clean text; None when none does."""
        rows = self._database.rows(
            _SELECT + "WHERE chunks.filing = ? AND chunks.start <= ? AND chunks.end >= ? "
            "ORDER BY chunks.end - chunks.start LIMIT 1",
            (number_of(self._database, filing_id), start, end),
        )
        return next((_from_row(row) for row in rows), None)

    def ids(self, keys: Sequence[int] | Keys) -> dict[int, str]:
        """The string id of each key that is there."""
        wanted = codec.to_json([int(key) for key in keys])
        rows = self._database.rows("SELECT key, id FROM chunks WHERE key IN (SELECT value FROM json_each(?))", (wanted,))
        return {row["key"]: row["id"] for row in rows}

    def index_texts(self, keys: Sequence[int] | Keys) -> Iterator[tuple[int, str]]:
        """``(key, index text)`` of those of ``keys`` that are there, ascending, a few at a time."""
        wanted = codec.to_json([int(key) for key in keys])
        for row in self._database.each(
            "SELECT key, index_text FROM chunks WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key", (wanted,)
        ):
            yield row["key"], row["index_text"]

    def index_texts_after(self, after: int) -> Iterator[tuple[int, str]]:
        """``(key, index text)`` of all chunks with a key above ``after``, ascending, a few at a time."""
        for row in self._database.each("SELECT key, index_text FROM chunks WHERE key > ? ORDER BY key", (after,)):
            yield row["key"], row["index_text"]

    def allowed(self, scope: Scope) -> Keys:
        """Keys of the chunks in ``scope``, ascending; all keys when it is empty. Not to be written to.

        An Item takes in what is labelled with it and what stands in its section: chunks of merged Items carry one label only.
        """
        revision = meta.count(self._database, "revision")
        with self._lock:
            if revision != self._revision:
                self._scopes.clear()
                self._revision = revision
            if scope in self._scopes:
                self._scopes.move_to_end(scope)
                return self._scopes[scope]
        keys = self._allowed(scope)
        keys.flags.writeable = False
        with self._lock:
            if revision == self._revision:
                self._scopes[scope] = keys
                while len(self._scopes) > _SCOPES_KEPT:
                    self._scopes.popitem(last=False)
        return keys

    def _allowed(self, scope: Scope) -> Keys:
        conditions, parameters = ["1"], dict[str, str]()
        for name, column, values in (
            ("companies", "company_key", scope.companies),
            ("years", "fiscal_year", scope.fiscal_years),
            ("forms", "form", tuple(form.upper() for form in scope.forms)),
            ("filings", "id", scope.filings),
        ):
            if values:
                conditions.append(f"filings.{column} IN (SELECT value FROM json_each(:{name}))")
                parameters[name] = codec.to_json(values)
        chosen = f"SELECT number FROM filings WHERE {' AND '.join(conditions)}"
        sql = f"SELECT key FROM chunks WHERE filing IN ({chosen})"
        if scope.items:
            parameters["items"] = codec.to_json(tuple(item.upper() for item in scope.items))
            wanted = "(SELECT value FROM json_each(:items))"
            sql += (
                f" AND item IN {wanted} UNION SELECT chunks.key FROM sections JOIN chunks ON chunks.filing = sections.filing "
                f"AND chunks.start >= sections.start AND chunks.start < sections.end "
                f"WHERE sections.item IN {wanted} AND sections.filing IN ({chosen})"
            )
        keys = np.fromiter((row["key"] for row in self._database.rows(sql, parameters)), dtype=np.int64)
        keys.sort()
        return keys


def put(connection: sqlite3.Connection, number: int, chunks: Sequence[Chunk]) -> None:
    """Write the chunks of filing row ``number`` in place of those it had; all get new keys."""
    connection.execute("DELETE FROM chunks WHERE filing = ?", (number,))
    connection.executemany(
        "INSERT INTO chunks (id, filing, ordinal, start, end, page, page_label, item, heading, kind, header, text, index_text, "
        "hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                chunk.id,
                number,
                chunk.ordinal,
                chunk.start,
                chunk.end,
                chunk.page,
                chunk.page_label,
                chunk.item,
                chunk.heading,
                chunk.kind,
                chunk.header,
                None if ends_with_text(chunk) else chunk.text,
                chunk.index_text,
                codec.content_hash(chunk.index_text),
            )
            for chunk in chunks
        ],
    )


def ends_with_text(chunk: Chunk) -> bool:
    """Whether the text is the end of ``index_text``, as long as its span: it need not be stored twice."""
    return 0 < len(chunk.text) == chunk.end - chunk.start and chunk.index_text.endswith(chunk.text)


def _from_row(row: sqlite3.Row) -> Chunk:
    text, index_text, length = row["text"], row["index_text"], row["end"] - row["start"]
    return Chunk(
        id=row["id"],
        filing=row["filing_id"],
        ordinal=row["ordinal"],
        start=row["start"],
        end=row["end"],
        page=row["page"],
        page_label=row["page_label"],
        item=row["item"],
        heading=row["heading"],
        kind=row["kind"],
        text=index_text[-length:] if text is None else text,
        header=row["header"],
        index_text=index_text,
    )
