"""The library: one SQLite file that holds the truth, seen through one object; and whether that file is sound."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType

from fin_tui.errors import FinTuiError, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Chunk, Document, Filing, Section
from fin_tui.store import codec, documents, filings
from fin_tui.store import database as meta
from fin_tui.store import filings as companies
from fin_tui.store import filings as names
from fin_tui.store import vectors as figure_rows
from fin_tui.store.database import Database
from fin_tui.store.filings import Entry, Stored
from fin_tui.store.kept import Bookmarks, Conversations, Notebook, Sheets
from fin_tui.store.vectors import FigureRows, SearchView

_SHA = "sha256:"
_MUCH_MORE, _FEW_FIGURES = 2, 50
"""A copy of a report is the worse one where the other has so many times its figures, and these."""


class WorseCopy(FinTuiError):
    """A file would replace a copy of the same report that has much more in it."""


@dataclass(frozen=True, slots=True)
class _Packed:
    """An entry's large parts, compressed before the transaction begins."""

    sha256: str
    original: bytes
    text: bytes
    body: bytes


def add_entry(database: Database, records: filings.Filings, entry: Entry) -> Stored:
    """See :meth:`fin_tui.store.library.Library.add`."""
    packed = _pack(entry)
    with database.write() as connection:
        same = connection.execute("SELECT * FROM filings WHERE sha256 = ?", (packed.sha256,)).fetchone()
        if same is not None:
            return Stored(filings.from_row(same), is_new=False)
        entry = replace(entry, filing=companies.unify(connection, entry.filing, entry.document.cover))
        old = _older_version(connection, entry.filing)
        filings.keep_original(connection, packed.sha256, len(entry.raw), packed.original)
        if old is None:
            number, replaced = filings.insert(connection, entry, packed.sha256), None
        else:
            number, replaced = old["number"], filings.from_row(old)
            _refuse_worse(entry, replaced)
            entry = with_id(entry, kept_id(replaced.id, entry.filing.id))
            filings.update(connection, number, entry, packed.sha256, is_new_version=True)
        _put_content(connection, number, entry, packed)
    return Stored(records.get(entry.filing.id), is_new=True, replaced=replaced)


def _refuse_worse(entry: Entry, held: Filing) -> None:
    """Raise ``WorseCopy`` where a copy with far fewer figures, as a text of a tagged report, would replace the one held."""
    own = len(entry.document.facts)
    if held.facts > _MUCH_MORE * (own + _FEW_FIGURES):
        told = f"{held.file} of the same report has {held.facts:,} figures, this file {own:,}: it was not replaced"
        raise WorseCopy(told, f"To add this one all the same, first run: fin-tui remove {held.id}")


def rewrite_entry(database: Database, records: filings.Filings, entry: Entry) -> Filing:
    """See :meth:`fin_tui.store.library.Library.rewrite`."""
    packed = _pack(entry)
    with database.write() as connection:
        row = connection.execute("SELECT * FROM filings WHERE id = ?", (entry.filing.id,)).fetchone()
        if row is None:
            raise filings.no_filing(entry.filing.id)
        other = _same_report(connection, entry.filing)
        if other is not None and other["id"] != entry.filing.id and not are_two(other["id"], entry.filing):
            raise UsageError(
                f"{other['id']} already is the {entry.filing.form} of {entry.filing.company} for {entry.filing.period_end}",
                "Remove one of the two first.",
            )
        filings.update(connection, row["number"], entry, row["sha256"], is_new_version=False)
        _put_content(connection, row["number"], entry, packed)
    return records.get(entry.filing.id)


def remove_filings(database: Database, records: filings.Filings, filing_ids: Sequence[str]) -> tuple[Filing, ...]:
    """See :meth:`fin_tui.store.library.Library.remove`."""
    removed = tuple(records.get(filing_id) for filing_id in dict.fromkeys(filing_ids))
    if removed:
        with database.write() as connection:
            connection.executemany("DELETE FROM filings WHERE id = ?", [(filing.id,) for filing in removed])
            filings.drop_unused_originals(connection)
            meta.bump(connection, "generation", "revision")
    return removed


def _pack(entry: Entry) -> _Packed:
    text, body = documents.packed(entry.document)
    return _Packed(codec.sha256(entry.raw), codec.compress(entry.raw), text, body)


def _put_content(connection: sqlite3.Connection, number: int, entry: Entry, packed: _Packed) -> None:
    documents.put(connection, number, packed.text, packed.body, entry.sections)
    documents.put_chunks(connection, number, entry.chunks)
    documents.put_facts(connection, number, entry.document.facts)
    figure_rows.drop(connection, number)
    meta.bump(connection, "generation", "revision")


def _older_version(connection: sqlite3.Connection, filing: Filing) -> sqlite3.Row | None:
    """The row that ``filing`` takes the place of."""
    row: sqlite3.Row | None = connection.execute("SELECT * FROM filings WHERE id = ?", (filing.id,)).fetchone()
    row = row or _same_report(connection, filing)
    return None if row is not None and are_two(row["id"], filing) else row


def _same_report(connection: sqlite3.Connection, filing: Filing) -> sqlite3.Row | None:
    if not filing.company_key or filing.period_end is None:
        return None
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM filings WHERE company_key = ? AND form = ? AND period_end = ? ORDER BY id = ? DESC, number DESC",
        (filing.company_key, filing.form, codec.iso(filing.period_end), filing.id),
    ).fetchone()
    return row


def are_two(held_id: str, filing: Filing) -> bool:
    """A company may amend one report several times: amendments with accession numbers of their own stand side by side."""
    is_amendment = filing.form.endswith("/A")
    return is_amendment and held_id != filing.id and not (held_id.startswith(_SHA) or filing.id.startswith(_SHA))


def kept_id(old: str, new: str) -> str:
    """The id under which a filing goes on: an accession number names it better than a hash of some of its bytes; among hashes the
    first one stays.
    """
    return old if new.startswith(_SHA) else new


def with_id(entry: Entry, filing_id: str) -> Entry:
    """``entry`` and its passages under another id."""
    if filing_id == entry.filing.id:
        return entry

    def renamed(chunk: Chunk) -> Chunk:
        return replace(chunk, filing=filing_id, id=filing_id + chunk.id.removeprefix(entry.filing.id))

    return replace(entry, filing=replace(entry.filing, id=filing_id), chunks=tuple(renamed(chunk) for chunk in entry.chunks))


class Library(SearchView):
    """Filings, their text and facts, vectors and conversations. Usable from several threads at once.

    The methods cover common use; ``records``, ``documents``, ``facts``, ``chunks``, ``embeddings``, ``conversations``,
    ``notebook``, ``bookmarks``, ``sheets`` and ``figure_rows`` are the stores behind them.
    All raise ``FinTuiError`` with a clear line when the file is damaged, locked, read-only or its disk full.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.conversations = Conversations(database)
        self.notebook = Notebook(database)
        self.bookmarks = Bookmarks(database)
        self.sheets = Sheets(database)
        self.figure_rows = FigureRows(database)

    @classmethod
    def open(cls, paths: Paths, *, read_only: bool = False, busy_seconds: float = 10.0) -> Library:
        """The library under ``paths``; made when absent, unless ``read_only`` (then it reads as empty)."""
        return cls(Database(paths.database, read_only=read_only, busy_seconds=busy_seconds))

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def filings(self) -> tuple[Filing, ...]:
        """All filings by company and period."""
        return self.records.all()

    def filing(self, filing_id: str) -> Filing:
        """By exact id; raises ``NotFound``."""
        return self.records.get(filing_id)

    def resolve(self, name: str) -> Filing:
        """By id, unique prefix, base name or ``COMPANY:YEAR``; raises ``UsageError`` (ambiguous) or ``NotFound``."""
        return names.resolve(name, self.filings())

    def company_keys(self, name: str) -> tuple[str, ...]:
        """Keys of a company by ticker, CIK or name; raises ``UsageError`` (ambiguous) or ``NotFound``."""
        return names.company_keys(name, self.filings())

    def text(self, filing_id: str) -> str:
        """Clean text; raises ``NotFound``."""
        return self.documents.text(filing_id)

    def document(self, filing_id: str) -> Document:
        """Text, blocks, cover and facts; raises ``NotFound``."""
        return self.documents.document(filing_id)

    def sections(self, filing_id: str) -> tuple[Section, ...]:
        """Parts and Items; raises ``NotFound``."""
        return self.documents.sections(filing_id)

    def original(self, filing_id: str) -> bytes:
        """The bytes as added; raises ``NotFound``."""
        return self.records.original(filing_id)

    def add(self, entry: Entry) -> Stored:
        """Store a filing in one transaction. The same bytes again change nothing; other bytes of the same company, form and
        period end are a new version, which takes the old one's place everywhere.
        """
        return add_entry(self._database, self.records, entry)

    def rewrite(self, entry: Entry) -> Filing:
        """Store a held filing's content again, parsed anew or corrected: same id, same version. Raises ``NotFound``, and
        ``UsageError`` when the correction makes it a second filing of the same company, form and period end.
        """
        return rewrite_entry(self._database, self.records, entry)

    def remove(self, filing_ids: Sequence[str]) -> tuple[Filing, ...]:
        """Remove filings with all that was made from them (conversations and vectors stay); gives what was removed."""
        return remove_filings(self._database, self.records, filing_ids)


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
