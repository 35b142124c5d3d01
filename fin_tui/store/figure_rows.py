"""Vectors of the rows that figures stand in, one blob for each filing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fin_tui.store import codec
from fin_tui.store.database import Database

Matrix = NDArray[np.float32]
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
