"""Vectors by the content they stand for, so that the same passage is never embedded twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fin_tui.store import codec, meta
from fin_tui.store.chunks import Keys
from fin_tui.store.database import Database

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
