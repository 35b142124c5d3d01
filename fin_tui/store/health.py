"""Whether the library's file is sound, and what in it has lost its place. Nothing here touches what a user wrote."""

from __future__ import annotations

from fin_tui.store import codec, filings
from fin_tui.store import database as meta
from fin_tui.store.database import Database

_LINES = 20
_DERIVED = ("documents", "sections", "chunks", "facts", "earlier_versions")
"""Tables whose rows belong to a filing and can be made again from its bytes."""


class Health:
    """Looks at one database; the ``drop_`` methods and ``rebuild_sql_indexes`` mend."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def damage(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file, at most 20 lines; empty when it is whole. Raises ``FinTuiError``."""
        lines = tuple(str(row[0]) for row in self._database.rows(f"PRAGMA integrity_check({_LINES})"))
        return () if lines == ("ok",) else lines

    def rebuild_sql_indexes(self) -> None:
        """Make SQLite's own indexes again from the tables: mends damage that is only in them."""
        with self._database.write() as connection:
            connection.execute("REINDEX")

    def loose_rows(self) -> int:
        """Rows of derived tables whose filing is gone."""
        return sum(self._count(f"SELECT count(*) FROM {table} WHERE {_IS_LOOSE}") for table in _DERIVED)

    def drop_loose_rows(self) -> None:
        """Delete what :meth:`loose_rows` counts."""
        with self._database.write() as connection:
            for table in _DERIVED:
                connection.execute(f"DELETE FROM {table} WHERE {_IS_LOOSE}")
            meta.bump(connection, "generation", "revision")

    def unused_originals(self) -> int:
        """Stored files that no filing and no earlier version names."""
        return self._count(
            "SELECT count(*) FROM originals WHERE sha256 NOT IN "
            "(SELECT sha256 FROM filings UNION SELECT sha256 FROM earlier_versions)"
        )

    def drop_unused_originals(self) -> None:
        """Delete what :meth:`unused_originals` counts."""
        with self._database.write() as connection:
            filings.drop_unused_originals(connection)

    def incomplete(self) -> tuple[str, ...]:
        """Ids of filings that lack their text, or some of their passages or facts."""
        rows = self._database.rows(
            "SELECT id FROM filings WHERE chunks <> (SELECT count(*) FROM chunks WHERE chunks.filing = filings.number) "
            "OR facts <> (SELECT count(*) FROM facts WHERE facts.filing = filings.number) "
            "OR number NOT IN (SELECT filing FROM documents) ORDER BY id"
        )
        return tuple(row["id"] for row in rows)

    def wrong_texts(self) -> tuple[str, ...]:
        """Ids of filings with a passage whose text is not the one that its vector was made of."""
        rows = self._database.each("SELECT filing, index_text, hash FROM chunks")
        numbers = sorted({row["filing"] for row in rows if codec.content_hash(row["index_text"]) != row["hash"]})
        wanted = codec.to_json(numbers)
        found = self._database.rows(
            "SELECT id FROM filings WHERE number IN (SELECT value FROM json_each(?)) ORDER BY id", (wanted,)
        )
        return tuple(row["id"] for row in found)

    def unused_vectors(self) -> int:
        """Vectors of texts that no filing has any more. They are kept on purpose, for filings that come back."""
        return self._count("SELECT count(*) FROM vectors WHERE hash NOT IN (SELECT hash FROM chunks)")

    def odd_vectors(self) -> int:
        """Vectors of another length than most of their encoder's."""
        return sum(count for *_, count in self._odd_sizes())

    def drop_odd_vectors(self) -> None:
        """Delete what :meth:`odd_vectors` counts: they are made again."""
        odd = [(encoder, size) for encoder, size, _ in self._odd_sizes()]
        with self._database.write() as connection:
            connection.executemany("DELETE FROM vectors WHERE encoder = ? AND length(vector) = ?", odd)
            meta.bump(connection, "vectors")

    def _odd_sizes(self) -> list[tuple[str, int, int]]:
        """Encoder, size in bytes and count of the vectors that are not as long as most of their encoder's."""
        rows = self._database.rows(
            "SELECT encoder, length(vector) AS size, count(*) AS n FROM vectors GROUP BY encoder, size ORDER BY n DESC"
        )
        usual: dict[str, int] = {}
        return [
            (row["encoder"], row["size"], row["n"])
            for row in rows
            if usual.setdefault(row["encoder"], row["size"]) != row["size"]
        ]

    def _count(self, sql: str) -> int:
        row = self._database.row(sql)
        return int(row[0]) if row else 0


_IS_LOOSE = "filing NOT IN (SELECT number FROM filings)"
