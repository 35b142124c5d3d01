"""What was read of the filings: clean texts, blocks, sections, facts; and chunks, with the keys that a scope allows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, Unpack

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fin_tui.errors import NotFound
from fin_tui.records import Block, Chunk, Cover, Document, Fact, Scope, Section
from fin_tui.store import FactConditions, Remembered, codec, filings
from fin_tui.store import database as meta
from fin_tui.store.database import Database
from fin_tui.store.filings import number_of

_TEXTS_KEPT, _DOCUMENTS_KEPT = 12, 4


class Body(Struct, frozen=True):
    """A document without its text and facts, which have places of their own."""

    format: Literal["ixbrl", "html", "text", "pdf"]
    blocks: tuple[Block, ...]
    pages: int
    cover: Cover
    coverage: float
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, document: Document) -> Body:
        """The inverse of :meth:`document`."""
        return cls(document.format, document.blocks, document.pages, document.cover, document.coverage, document.warnings)

    def document(self, text: str, facts: tuple[Fact, ...]) -> Document:
        """The document as its reader gave it."""
        return Document(self.format, text, self.blocks, self.pages, self.cover, facts, self.coverage, self.warnings)


class Documents:
    """Reads what a filing says. The texts and documents used last are kept in memory: one question looks at each in turn for
    rows, statements and paragraphs.
    """

    def __init__(self, database: Database, facts: Facts) -> None:
        self._database = database
        self._facts = facts
        revision = partial(meta.count, database, "revision")
        self._texts: Remembered[str, str] = Remembered(_TEXTS_KEPT, revision)
        self._documents: Remembered[str, Document] = Remembered(_DOCUMENTS_KEPT, revision)

    def text(self, filing_id: str) -> str:
        """The clean text; raises ``NotFound``."""

        def read() -> str:
            return codec.decompress(self._column("text", filing_id)).decode()

        return self._texts.get(filing_id, read)

    def document(self, filing_id: str) -> Document:
        """Text, blocks, cover and facts as the reader gave them; raises ``NotFound``."""

        def read() -> Document:
            body = codec.unpack(self._column("body", filing_id), Body)
            return body.document(self.text(filing_id), self._facts.find(filings=(filing_id,)))

        return self._documents.get(filing_id, read)

    def sections(self, filing_id: str) -> tuple[Section, ...]:
        """Parts and Items in reading order; raises ``NotFound``."""
        rows = self._database.rows(
            "SELECT part, item, title, start, end, page, confidence FROM sections WHERE filing = ? ORDER BY ordinal",
            (self._number(filing_id),),
        )
        return tuple(Section(*row) for row in rows)

    def _number(self, filing_id: str) -> int:
        number = filings.number_of(self._database, filing_id)
        if number is None:
            raise filings.no_filing(filing_id)
        return number

    def _column(self, column: Literal["text", "body"], filing_id: str) -> bytes:
        row = self._database.row(f"SELECT {column} AS packed FROM documents WHERE filing = ?", (self._number(filing_id),))
        if row is None:
            raise NotFound(f"Filing {filing_id} has no text", "Run fin-tui reindex.")
        packed: bytes = row["packed"]
        return packed


def packed(document: Document) -> tuple[bytes, bytes]:
    """Text and body as stored: the slow part of storing, to be done before the transaction begins."""
    # A lone surrogate has no UTF-8; one "?" in its place leaves every span where it was.
    return codec.compress(document.text.encode("utf-8", "replace")), codec.pack(Body.of(document))


def put(connection: sqlite3.Connection, number: int, text: bytes, body: bytes, sections: Sequence[Section]) -> None:
    """Write or overwrite the document and sections of filing row ``number``."""
    connection.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", (number, text, body))
    connection.execute("DELETE FROM sections WHERE filing = ?", (number,))
    connection.executemany(
        "INSERT INTO sections VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, ordinal, s.part, s.item, s.title, s.start, s.end, s.page, s.confidence) for ordinal, s in enumerate(sections)],
    )


_COLUMNS = (
    "facts.concept, facts.label, facts.value, facts.text, facts.unit, facts.period_start, facts.period_end, facts.dimensions, "
    "facts.decimals, facts.source, facts.start, facts.end, facts.block"
)


class Facts:
    """Reads the facts table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, **wanted: Unpack[FactConditions]) -> tuple[Fact, ...]:
        """Facts by filing and reading order."""
        return tuple(fact for _, fact in self.find_with_filing(**wanted))

    def find_with_filing(self, **wanted: Unpack[FactConditions]) -> tuple[tuple[str, Fact], ...]:
        """(filing id, fact) by filing and reading order."""
        conditions, parameters = ["1"], list[object]()
        for column, values in (
            ("facts.concept", list(wanted.get("concepts", ()))),
            ("filings.id", list(wanted.get("filings", ()))),
            ("facts.period_end", [end.isoformat() for end in wanted.get("period_ends", ())]),
        ):
            if values:
                conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
                parameters.append(codec.to_json(values))
        if label := wanted.get("label"):
            conditions.append("instr(lower(facts.label), lower(?))")
            parameters.append(label)
        if source := wanted.get("source"):
            conditions.append("facts.source = ?")
            parameters.append(source)
        rows = self._database.rows(
            f"SELECT filings.id AS filing_id, {_COLUMNS} FROM facts JOIN filings ON filings.number = facts.filing "
            f"WHERE {' AND '.join(conditions)} ORDER BY facts.filing, facts.number",
            parameters,
        )
        return tuple((row["filing_id"], _fact_of(row)) for row in rows)


def put_facts(connection: sqlite3.Connection, number: int, facts: Sequence[Fact]) -> None:
    """Write the facts of filing row ``number`` in place of those it had."""
    connection.execute("DELETE FROM facts WHERE filing = ?", (number,))
    connection.executemany(
        "INSERT INTO facts (filing, concept, label, value, text, unit, period_start, period_end, dimensions, decimals, source, "
        "start, end, block) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                number,
                fact.concept,
                fact.label,
                fact.value,
                fact.text,
                fact.unit,
                codec.iso(fact.period_start),
                codec.iso(fact.period_end),
                codec.to_json(dict(fact.dimensions)) if fact.dimensions else "{}",
                fact.decimals,
                fact.source,
                fact.start,
                fact.end,
                fact.block,
            )
            for fact in facts
        ],
    )


def _fact_of(row: sqlite3.Row) -> Fact:
    dimensions = row["dimensions"]
    return Fact(
        concept=row["concept"],
        label=row["label"],
        value=row["value"],
        text=row["text"],
        unit=row["unit"],
        period_start=codec.date(row["period_start"]),
        period_end=codec.date(row["period_end"]),
        dimensions=codec.from_json(dimensions, dict[str, str]) if dimensions != "{}" else {},
        decimals=row["decimals"],
        source=row["source"],
        start=row["start"],
        end=row["end"],
        block=row["block"],
    )


Keys = NDArray[np.int64]
_SCOPES_KEPT = 64
_SELECT = "SELECT chunks.*, filings.id AS filing_id FROM chunks JOIN filings ON filings.number = chunks.filing "


class Chunks:
    """Reads the chunks table. A key is an integer that is never given to another chunk."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._scopes: Remembered[Scope, Keys] = Remembered(_SCOPES_KEPT, partial(meta.count, database, "revision"))

    def by_key(self, keys: Sequence[int] | Keys) -> dict[int, Chunk]:
        """Chunks by key; keys that are gone are left out."""
        wanted = codec.to_json([int(key) for key in keys])
        rows = self._database.rows(_SELECT + "WHERE chunks.key IN (SELECT value FROM json_each(?))", (wanted,))
        return {row["key"]: _chunk_of(row) for row in rows}

    def by_id(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """Chunks by string id; ids that are gone are left out."""
        rows = self._database.rows(_SELECT + "WHERE chunks.id IN (SELECT value FROM json_each(?))", (codec.to_json(list(ids)),))
        return {row["id"]: _chunk_of(row) for row in rows}

    def keys_by_id(self, ids: Sequence[str]) -> dict[str, int]:
        """The key of each id that is there."""
        rows = self._database.rows(
            "SELECT id, key FROM chunks WHERE id IN (SELECT value FROM json_each(?))", (codec.to_json(list(ids)),)
        )
        return {row["id"]: row["key"] for row in rows}

    def of_filing(self, filing_id: str) -> tuple[Chunk, ...]:
        """All chunks of a filing in reading order; empty when it is not there."""
        rows = self._database.rows(_SELECT + "WHERE filings.id = ? ORDER BY chunks.ordinal", (filing_id,))
        return tuple(_chunk_of(row) for row in rows)

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        """The shortest chunk of a filing that holds the span of its clean text; None when none does."""
        rows = self._database.rows(
            _SELECT + "WHERE chunks.filing = ? AND chunks.start <= ? AND chunks.end >= ? "
            "ORDER BY chunks.end - chunks.start LIMIT 1",
            (number_of(self._database, filing_id), start, end),
        )
        return next((_chunk_of(row) for row in rows), None)

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
        return self._scopes.get(scope, lambda: self._allowed(scope))

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
        keys.flags.writeable = False
        return keys


def put_chunks(connection: sqlite3.Connection, number: int, chunks: Sequence[Chunk]) -> None:
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


def _chunk_of(row: sqlite3.Row) -> Chunk:
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
