"""The filings of the library: their rows, versions, and original bytes."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from fin_tui.errors import NotFound
from fin_tui.records import Chunk, Document, Filing, Section
from fin_tui.store import codec
from fin_tui.store import database as meta
from fin_tui.store.database import Database
from fin_tui.store.resolve import file_number, irs_number


@dataclass(frozen=True, slots=True)
class Entry:
    """A filing as parsed: all that is stored for it, in one transaction."""

    filing: Filing
    document: Document
    """With all its facts, tagged and derived."""
    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    raw: bytes
    parsed_by: str = ""
    """Versions of the parser and of the chunking, with its settings: a filing parsed by another one can be read again."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    """What the user said against the reader, by field name; kept when the filing is parsed again."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The outcome of an addition."""

    filing: Filing
    """As it stands in the library: the id may be the one of the version that it replaces."""
    is_new: bool
    """False when the same bytes were there already and nothing was done."""
    replaced: Filing | None = None
    """The version of the same filing that is no longer searched."""


_COLUMNS = (
    "id, file, company, company_key, form, fiscal_year, period_end, cik, ticker, filed, pages, items, chunks, facts, format, "
    "coverage, crosscheck, crosscheck_cells, url, warnings, irs_number, commission_file, parsed_by, corrections, sha256"
)
_NAMES = tuple(name.strip() for name in _COLUMNS.split(","))


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a filing came to be as it is stored."""

    sha256: str
    version: int
    """1 for the first bytes of a filing, one more for each that replaced them."""
    parsed_by: str
    corrections: Mapping[str, str]
    added: str
    """UTC, ISO 8601."""


class Filings:
    """Rows of the filings table. Reading is cached until the library changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._cached: tuple[tuple[int, int, str], tuple[Filing, ...]] | None = None

    def all(self) -> tuple[Filing, ...]:
        """All filings by company and period, ``embedded`` counted for the encoder that made vectors last."""
        encoder = meta.encoder_name(self._database)
        state = (meta.count(self._database, "revision"), meta.count(self._database, "vectors"), encoder)
        with self._lock:
            if self._cached is None or self._cached[0] != state:
                self._cached = (state, self._read(encoder))
            return self._cached[1]

    def get(self, filing_id: str) -> Filing:
        """The filing with this id, or the one that took the place of a version with it; raises ``NotFound``."""
        held = {filing.id: filing for filing in self.all()}
        if filing_id in held:
            return held[filing_id]
        number = number_of(self._database, filing_id)
        row = self._database.row("SELECT id FROM filings WHERE number = ?", (number,))
        if row is not None and row["id"] in held:
            return held[row["id"]]
        raise no_filing(filing_id)

    def ids_of(self, filing_id: str) -> tuple[str, ...]:
        """The filing's id and those of versions that it took the place of: what was kept may name any of them."""
        rows = self._database.rows(
            "SELECT id FROM earlier_versions WHERE filing = (SELECT number FROM filings WHERE id = ?)", (filing_id,)
        )
        return tuple(dict.fromkeys((filing_id, *(row["id"] for row in rows))))

    def with_bytes(self, sha256: str) -> Filing | None:
        """The filing whose present version has these bytes."""
        row = self._database.row("SELECT id FROM filings WHERE sha256 = ?", (sha256,))
        return self.get(row["id"]) if row else None

    def original(self, filing_id: str) -> bytes:
        """The bytes as added; raises ``NotFound``."""
        row = self._database.row(
            "SELECT bytes FROM originals JOIN filings ON originals.sha256 = filings.sha256 WHERE filings.id = ?", (filing_id,)
        )
        if row is None:
            raise no_filing(filing_id)
        return codec.decompress(row["bytes"])

    def provenance(self, filing_id: str) -> Provenance:
        """Hash, version, parser and corrections of a filing; raises ``NotFound``."""
        row = self._database.row("SELECT * FROM filings WHERE id = ?", (filing_id,))
        if row is None:
            raise no_filing(filing_id)
        corrections = codec.from_json(row["corrections"], dict[str, str])
        return Provenance(row["sha256"], row["version"], row["parsed_by"], corrections, row["added"])

    def versions(self) -> Mapping[str, str]:
        """Filing id -> what differs once it is read anew: bytes, version, parser and corrections."""
        rows = self._database.rows("SELECT id, sha256, version, parsed_by, corrections FROM filings")
        return {row["id"]: f"{row['sha256'][:16]} {row['version']} {row['parsed_by']} {row['corrections']}" for row in rows}

    def _read(self, encoder: str) -> tuple[Filing, ...]:
        counted = self._database.rows(
            "SELECT filing, count(*) AS n FROM chunks WHERE EXISTS "
            "(SELECT 1 FROM vectors WHERE vectors.hash = chunks.hash AND vectors.encoder = ?) GROUP BY filing",
            (encoder,),
        )
        embedded = {row["filing"]: row["n"] for row in counted}
        rows = self._database.rows("SELECT * FROM filings")
        filings = [replace(from_row(row), embedded=embedded.get(row["number"], 0)) for row in rows]
        return tuple(sorted(filings, key=lambda f: (f.company.casefold(), f.period_end is None, str(f.period_end), f.id)))


def no_filing(filing_id: str, where: str = "the library") -> NotFound:
    """The error for an id that no filing has ``where``."""
    return NotFound(f"No filing {filing_id} in {where}", "fin-tui filings lists what is there.")


def number_of(database: Database, filing_id: str) -> int | None:
    """The row of the filing with this id, else of the one that took the place of a version with it: a filing that was added by
    hand gets another id when it comes from EDGAR later, and what was cited from it must still be found.
    """
    row = database.row(
        "SELECT number, 0 AS age FROM filings WHERE id = :id UNION ALL "
        "SELECT filing, 1 FROM earlier_versions WHERE id = :id ORDER BY age LIMIT 1",
        {"id": filing_id},
    )
    return int(row["number"]) if row else None


def from_row(row: sqlite3.Row) -> Filing:
    """A filings row as a record; ``embedded`` is left at 0."""
    return Filing(
        id=row["id"],
        file=row["file"],
        company=row["company"],
        company_key=row["company_key"],
        form=row["form"],
        fiscal_year=row["fiscal_year"],
        period_end=codec.date(row["period_end"]),
        cik=row["cik"],
        ticker=row["ticker"],
        filed=codec.date(row["filed"]),
        pages=row["pages"],
        items=codec.from_json(row["items"], tuple[str, ...]),
        chunks=row["chunks"],
        facts=row["facts"],
        format=row["format"],
        coverage=row["coverage"],
        crosscheck=row["crosscheck"],
        crosscheck_cells=row["crosscheck_cells"],
        url=row["url"],
        warnings=codec.from_json(row["warnings"], tuple[str, ...]),
    )


def insert(connection: sqlite3.Connection, entry: Entry, sha256: str) -> int:
    """Write a new row; gives its number."""
    places = ", ".join(f":{name}" for name in _NAMES)
    cursor = connection.execute(
        f"INSERT INTO filings ({_COLUMNS}, version, added) VALUES ({places}, 1, :added)",
        {**_values(entry, sha256), "added": codec.now()},
    )
    return int(cursor.lastrowid or 0)


def update(connection: sqlite3.Connection, row: int, entry: Entry, sha256: str, *, is_new_version: bool) -> None:
    """Overwrite row number ``row``; a new version keeps the bytes of the old one under ``earlier_versions``."""
    if is_new_version:
        connection.execute(
            "INSERT INTO earlier_versions SELECT number, version, id, file, sha256, ? FROM filings WHERE number = ?",
            (codec.now(), row),
        )
        connection.execute("UPDATE filings SET version = version + 1 WHERE number = ?", (row,))
    assignments = ", ".join(f"{name} = :{name}" for name in _NAMES)
    connection.execute(f"UPDATE filings SET {assignments} WHERE number = :number", {**_values(entry, sha256), "number": row})


def keep_original(connection: sqlite3.Connection, sha256: str, size: int, packed: bytes) -> None:
    connection.execute("INSERT OR IGNORE INTO originals VALUES (?, ?, ?)", (sha256, size, packed))


def drop_unused_originals(connection: sqlite3.Connection) -> None:
    connection.execute(
        "DELETE FROM originals WHERE sha256 NOT IN (SELECT sha256 FROM filings UNION SELECT sha256 FROM earlier_versions)"
    )


def _values(entry: Entry, sha256: str) -> dict[str, object]:
    filing, cover = entry.filing, entry.document.cover
    items = tuple(dict.fromkeys(section.item for section in entry.sections if section.item))
    return {
        "id": filing.id,
        "file": filing.file,
        "company": filing.company,
        "company_key": filing.company_key,
        "form": filing.form,
        "fiscal_year": filing.fiscal_year,
        "period_end": codec.iso(filing.period_end),
        "cik": filing.cik,
        "ticker": filing.ticker,
        "filed": codec.iso(filing.filed),
        "pages": filing.pages or entry.document.pages,
        "items": codec.to_json(items),
        "chunks": len(entry.chunks),
        "facts": len(entry.document.facts),
        "format": entry.document.format,
        "coverage": entry.document.coverage,
        "crosscheck": filing.crosscheck,
        "crosscheck_cells": filing.crosscheck_cells,
        "url": filing.url,
        "warnings": codec.to_json(tuple(dict.fromkeys((*filing.warnings, *entry.document.warnings)))),
        "irs_number": irs_number(cover.irs_number),
        "commission_file": file_number(cover.commission_file),
        "parsed_by": entry.parsed_by,
        "corrections": codec.to_json(dict(entry.corrections)),
        "sha256": sha256,
    }
