"""Clean texts, blocks and sections of the filings."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Literal

from msgspec import Struct

from fin_tui.errors import NotFound
from fin_tui.records import Block, Cover, Document, Fact, Section
from fin_tui.store import codec, filings
from fin_tui.store import database as meta
from fin_tui.store.database import Database
from fin_tui.store.facts import Facts

_TEXTS_KEPT = 12


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
    """Reads what a filing says. The texts used last are kept in memory."""

    def __init__(self, database: Database, facts: Facts) -> None:
        self._database = database
        self._facts = facts
        self._lock = Lock()
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._revision = -1

    def text(self, filing_id: str) -> str:
        """The clean text; raises ``NotFound``."""
        revision = meta.count(self._database, "revision")
        with self._lock:
            if revision != self._revision:
                self._texts.clear()
                self._revision = revision
            if filing_id in self._texts:
                self._texts.move_to_end(filing_id)
                return self._texts[filing_id]
        text = codec.decompress(self._column("text", filing_id)).decode()
        with self._lock:
            # Another thread may have seen a later revision meanwhile.
            if revision == self._revision:
                self._texts[filing_id] = text
                while len(self._texts) > _TEXTS_KEPT:
                    self._texts.popitem(last=False)
        return text

    def document(self, filing_id: str) -> Document:
        """Text, blocks, cover and facts as the reader gave them; raises ``NotFound``."""
        body = codec.unpack(self._column("body", filing_id), Body)
        return body.document(self.text(filing_id), self._facts.find(filings=(filing_id,)))

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
