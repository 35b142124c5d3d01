"""Vectors by the content they stand for, those of rows of figures, and the library as search sees it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import NotFound
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.store import codec
from fin_tui.store import database as meta
from fin_tui.store.database import Database
from fin_tui.store.documents import Chunks, Documents, Facts, Keys
from fin_tui.store.filings import Filings

Matrix = NDArray[np.float32]


class Vectors:
    """Reads and writes vectors. They are kept in half precision: cosines change by less than 0.001."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, encoder: str, keys: Sequence[int] | Keys | None = None) -> tuple[Keys, Matrix]:
        """Keys (ascending, those that have a vector) and their vectors [n, d], L2-normalised; ``None`` asks for all chunks."""
        condition, parameters = "", [encoder]
        if keys is not None:
            condition = " AND chunks.key IN (SELECT value FROM json_each(?))"
            parameters.append(codec.to_json([int(key) for key in keys]))
        found, blobs = [], []
        for row in self._database.each(
            "SELECT chunks.key, vectors.vector FROM chunks JOIN vectors ON vectors.hash = chunks.hash "
            f"WHERE vectors.encoder = ?{condition} ORDER BY chunks.key",
            parameters,
        ):
            found.append(row["key"])
            blobs.append(row["vector"])
        if not found:
            return np.empty(0, np.int64), np.empty((0, 0), np.float32)
        matrix = np.frombuffer(b"".join(blobs), np.float16).reshape(len(found), -1).astype(np.float32)
        return np.array(found, np.int64), unit_rows(matrix)

    def keys(self, encoder: str) -> Keys:
        """Ascending keys of the chunks that have a vector."""
        rows = self._database.rows(
            "SELECT chunks.key FROM chunks JOIN vectors ON vectors.hash = chunks.hash WHERE vectors.encoder = ? ORDER BY 1",
            (encoder,),
        )
        return np.fromiter((row["key"] for row in rows), np.int64, len(rows))

    def put(self, encoder: str, index_texts: Sequence[str], vectors: Matrix) -> None:
        """Keep ``vectors`` [n, d] of these texts, in one transaction."""
        halves = np.ascontiguousarray(vectors, np.float16)
        rows = [(codec.content_hash(text), encoder, half.tobytes()) for text, half in zip(index_texts, halves, strict=True)]
        with self._database.write() as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            meta.set_encoder_name(connection, encoder)
            meta.bump(connection, "vectors")

    def use(self, encoder: str) -> None:
        """Say which encoder's vectors count as made from now on."""
        if meta.encoder_name(self._database) != encoder:
            with self._database.write() as connection:
                meta.set_encoder_name(connection, encoder)

    def missing(self, encoder: str) -> Keys:
        """Keys of chunks without a vector, one for each distinct text, those of the most recent filing first."""
        rows = self._database.rows(
            "SELECT chunks.key, chunks.hash FROM chunks JOIN filings ON filings.number = chunks.filing WHERE NOT EXISTS "
            "(SELECT 1 FROM vectors WHERE vectors.hash = chunks.hash AND vectors.encoder = ?) "
            "ORDER BY filings.period_end IS NULL, filings.period_end DESC, filings.number DESC, chunks.ordinal",
            (encoder,),
        )
        first: dict[bytes, int] = {}
        for row in rows:
            first.setdefault(row["hash"], row["key"])
        return np.fromiter(first.values(), np.int64, len(first))

    def progress(self, encoder: str) -> tuple[int, int]:
        """(chunks that have a vector, all chunks)."""
        row = self._database.row(
            "SELECT count(*) AS total, count(vectors.hash) AS done FROM chunks "
            "LEFT JOIN vectors ON vectors.hash = chunks.hash AND vectors.encoder = ?",
            (encoder,),
        )
        return (row["done"], row["total"]) if row else (0, 0)

    def prune(self) -> int:
        """Forget the vectors of texts that no filing has any more; gives how many."""
        with self._database.write() as connection:
            cursor = connection.execute("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM chunks)")
            meta.bump(connection, "vectors")
            return cursor.rowcount


def unit_rows(matrix: Matrix) -> Matrix:
    """``matrix`` itself, its rows made L2-normalised; rows of zeros stay."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    np.divide(matrix, norms, out=matrix, where=norms > 0)
    return matrix


_LEVELS = 127


class FigureRows:
    """Reads and writes row vectors. They are kept in eight bits: cosines change by less than 0.005."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, filing_id: str, encoder: str) -> tuple[tuple[str, ...], Matrix] | None:
        """The rows of a filing and their vectors [rows, width]; None where ``encoder`` has made none."""
        row = self._database.row(
            "SELECT texts, vectors, scales FROM figure_rows JOIN filings ON filings.number = figure_rows.filing "
            "WHERE filings.id = ? AND encoder = ?",
            (filing_id, encoder),
        )
        if row is None:
            return None
        texts = tuple(json.loads(codec.decompress(row["texts"])))
        scales = np.frombuffer(row["scales"], np.float32)
        levels = np.frombuffer(row["vectors"], np.int8).reshape(len(texts), -1) if texts else np.empty((0, 0), np.int8)
        return texts, levels.astype(np.float32) * scales[:, None]

    def put(self, filing_id: str, encoder: str, texts: Sequence[str], vectors: Matrix) -> None:
        """Keep the vectors of a filing's rows; those of earlier encoders go."""
        largest = np.abs(vectors).max(axis=1, initial=0.0) if vectors.size else np.empty(0)
        scales = (np.maximum(largest, 1e-12) / _LEVELS).astype(np.float32)
        levels = np.rint(vectors / scales[:, None]).astype(np.int8)
        packed = codec.compress(json.dumps(list(texts)).encode())
        with self._database.write() as connection:
            number = connection.execute("SELECT number FROM filings WHERE id = ?", (filing_id,)).fetchone()
            if number is None:
                return
            drop(connection, number[0])
            connection.execute(
                "INSERT INTO figure_rows VALUES (?, ?, ?, ?, ?)", (number[0], encoder, packed, levels.tobytes(), scales.tobytes())
            )

    def missing(self, encoder: str) -> tuple[str, ...]:
        """Ids of the filings without rows by ``encoder``, the most recent first."""
        rows = self._database.rows(
            "SELECT id FROM filings WHERE NOT EXISTS (SELECT 1 FROM figure_rows WHERE figure_rows.filing = filings.number "
            "AND encoder = ?) ORDER BY period_end IS NULL, period_end DESC, number DESC",
            (encoder,),
        )
        return tuple(row["id"] for row in rows)


def drop(connection: sqlite3.Connection, number: int) -> None:
    """Forget the rows of the filing with this number: its content has changed."""
    connection.execute("DELETE FROM figure_rows WHERE filing = ?", (number,))


class SearchView:
    """What indexes and retrieval read. Keys ascend with time and are never used again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.records = Filings(database)
        self.facts = Facts(database)
        self.documents = Documents(database, self.facts)
        self.chunks = Chunks(database)
        self.embeddings = Vectors(database)

    def generation(self) -> int:
        """A number that grows with every change of chunks, by any process: an index built at another value is stale."""
        return meta.count(self._database, "generation")

    def vector_generation(self) -> int:
        """A number that changes whenever vectors do."""
        return meta.count(self._database, "vectors")

    def chunk_keys(self, scope: Scope) -> Keys:
        """Ascending keys of the chunks that ``scope`` allows, int64; of all chunks when it is empty. Not to be written to."""
        return self.chunks.allowed(scope)

    def index_texts(self, after: int = 0) -> Iterable[tuple[int, str]]:
        """``(key, index_text)`` of the chunks with a key above ``after``, ascending."""
        return self.chunks.index_texts_after(after)

    def chunk_ids(self, keys: Sequence[int]) -> dict[int, str]:
        """The string ids of those of ``keys`` that exist."""
        return self.chunks.ids(keys)

    def chunks_by_keys(self, keys: Sequence[int]) -> list[tuple[Chunk, Filing]]:
        """Chunks with their filings in the order of ``keys``; keys that are gone are left out."""
        found = self.chunks.by_key(keys)
        filings = {filing.id: filing for filing in self.records.all()}
        chunks = [found[int(key)] for key in keys if int(key) in found]
        return [(chunk, filings[chunk.filing]) for chunk in chunks if chunk.filing in filings]

    def vector_keys(self, encoder: str) -> Keys:
        """Ascending keys of the chunks that have a vector of the encoder named ``encoder``."""
        return self.embeddings.keys(encoder)

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        """L2-normalised float32 rows for ``keys``, in their order, shape ``[len(keys), d]``; ``NotFound`` when one has none."""
        found, matrix = self.embeddings.get(encoder, keys)
        place = {int(key): row for row, key in enumerate(found)}
        try:
            order = [place[int(key)] for key in keys]
        except KeyError as error:
            raise NotFound(f"Chunk {error} has no vector of {encoder}", "The library changed meanwhile; try again.") from error
        return matrix[order] if order else matrix
