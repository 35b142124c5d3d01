"""The filings of the library: their rows, versions and original bytes; and how what a user types finds them."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from threading import Lock
from typing import Any, Protocol, TypeVar

from rapidfuzz import fuzz

from fin_tui.errors import NotFound, UsageError
from fin_tui.language import count, figures_of, only_digits, runs_of
from fin_tui.records import Chunk, Cover, Document, Filing, Section
from fin_tui.store import codec
from fin_tui.store import database as meta
from fin_tui.store.database import Database

_ENDINGS = frozenset(
    {"inc", "incorporated", "corp", "corporation", "co", "company", "companies", "ltd", "limited", "plc", "llc", "lp", "sa", "nv"}
    | {"ag", "se", "the", "group", "holding", "holdings", "com"}
)
_SIMILAR = 88.0


def plain(name: str) -> tuple[str, ...]:
    """The words of a company name that tell it apart: lower case, without legal forms."""
    words = runs_of(name.casefold().replace("'", "").replace("’", "").replace(".com", " com"))
    return tuple(word for word in words if word not in _ENDINGS) or tuple(words)


_Test = Callable[[Filing], bool]


def matching_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """Keys of the companies that ``name`` (a key, CIK, ticker or name) means; more than one when it is ambiguous.

    The best kind of match decides: as :func:`exact_keys`, then first words of a name, words in a name, similar spelling.
    """
    name = name.strip()
    words, folded = plain(name), name.casefold()
    near: tuple[_Test, ...] = (
        lambda f: plain(f.company)[: len(words)] == words,
        lambda f: set(words) <= set(plain(f.company)),
        lambda f: len(folded) > 3 and fuzz.ratio(" ".join(plain(f.company)), " ".join(words)) >= _SIMILAR,
    )
    return exact_keys(name, filings) or (_first(near, filings) if words else ())


def exact_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """Keys of the companies whose key, CIK, ticker or whole name (legal form aside) this is; the first kind that fits decides."""
    name = name.strip()
    words, folded = plain(name), name.casefold()
    number = folded.removeprefix("cik").strip()
    cik = number.zfill(10) if len(number) <= 10 and number.isascii() and number.isdigit() else ""
    exact: tuple[_Test, ...] = (
        lambda f: f.company_key.casefold() == folded,
        lambda f: bool(cik) and f.cik == cik,
        lambda f: f.ticker.casefold() == folded,
        lambda f: f.company.casefold() == folded,
        lambda f: plain(f.company) == words,
    )
    return _first(exact, filings) if name else ()


def _first(tests: Sequence[_Test], filings: Sequence[Filing]) -> tuple[str, ...]:
    for test in tests:
        if keys := tuple(dict.fromkeys(filing.company_key for filing in filings if test(filing))):
            return keys
    return ()


def irs_number(printed: str) -> str:
    """The digits alone: "94-2404110" and "942404110" are one."""
    return only_digits(printed)


def file_number(printed: str) -> str:
    """Without the zeros that some writers put before its parts: "000-10030" is "0-10030"."""
    return "-".join(part.lstrip("0") or "0" for part in figures_of(printed))


class Known(Protocol):
    """What a table holds of a filing: company_key, cik, ticker, company, irs_number, commission_file, and number, its age."""

    def __getitem__(self, name: str, /) -> Any: ...


K = TypeVar("K", bound=Known)


def unify(connection: sqlite3.Connection, filing: Filing, cover: Cover) -> Filing:
    """``filing`` under the key that its company already has here, and its earlier filings under a better key it brings."""
    held: list[sqlite3.Row] = connection.execute("SELECT * FROM filings").fetchall()
    filing, changed = united(held, filing, cover)
    connection.executemany(
        "UPDATE filings SET company_key = ?, cik = ? WHERE number = ?",
        [(filing.company_key, filing.cik, row["number"]) for row in changed],
    )
    return filing


def united(held: Iterable[K], filing: Filing, cover: Cover) -> tuple[Filing, list[K]]:
    """``filing`` under the key that its company already has among those ``held``, and those that get the filing's key and CIK.

    The same company may be known by CIK from one file, by its IRS or Commission file number from another (a PDF), and by
    nothing but its name from a third. Numbers that lead to two companies decide nothing.
    """
    rows = [row for row in held if _is_same(row, filing, cover)]
    ciks = {row["cik"] for row in rows if row["cik"]} | ({filing.cik} if filing.cik else set())
    if not rows or len(ciks) > 1:
        return filing, []
    if filing.cik:
        return filing, [row for row in rows if not row["cik"]]
    best = max(rows, key=lambda row: (bool(row["cik"]), not row["company_key"].startswith("name:"), -row["number"]))
    if best["cik"] or filing.company_key.startswith("name:"):
        return replace(filing, company_key=best["company_key"], cik=best["cik"], ticker=filing.ticker or best["ticker"]), []
    return filing, rows


def _is_same(row: Known, filing: Filing, cover: Cover) -> bool:
    if row["cik"] and filing.cik:
        return bool(row["cik"] == filing.cik)
    if row["company_key"] == filing.company_key:
        return True
    for known, read in (
        (row["irs_number"], irs_number(cover.irs_number)),
        (row["commission_file"], file_number(cover.commission_file)),
    ):
        if known and known == read:
            return True
    has_name_only = "name:" in (row["company_key"][:5], filing.company_key[:5])
    return has_name_only and bool(filing.company) and plain(row["company"]) == plain(filing.company)


_LISTED = 8
_PREFIX = 4
_YEAR_DIGITS = 4


def resolve(name: str, filings: Sequence[Filing]) -> Filing:
    """The one filing that ``name`` means: an id, a unique prefix, the base name as added, or ``COMPANY:YEAR``
    (also with a space between).

    Raises ``UsageError`` with the candidates when it means several, ``NotFound`` with what is held when it means none.
    """
    found = _by_id_or_file(name, filings) or _by_company(name, filings)
    if len(found) > 1:
        found = tuple(filing for filing in found if not filing.form.endswith("/A")) or found
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{name!r} means {len(found)} filings: {_listed(found)}", "Give an id or COMPANY:YEAR.")
    raise not_found(name, filings)


def resolve_all(name: str, filings: Sequence[Filing]) -> tuple[Filing, ...]:
    """All filings that ``name`` means, where a company alone means all of its filings and ``COMPANY:YEAR`` all of that year.

    Raises ``UsageError`` when the name fits several companies or is an ambiguous prefix, ``NotFound`` when nothing fits.
    """
    found = _by_id_or_file(name, filings)
    if len(found) > 1:
        raise UsageError(f"{name!r} means {len(found)} filings: {_listed(found)}", "Give an id or COMPANY:YEAR.")
    found = found or _by_company(name, filings)
    if not found:
        raise not_found(name, filings)
    return found


def not_found(name: str, filings: Sequence[Filing]) -> NotFound:
    """The error that says what the library does hold."""
    if not filings:
        return NotFound(f"No filing {name!r}: the library is empty", "fin-tui add FILE, or fin-tui setup for the samples.")
    company, year = _company_year(name)
    if year and (keys := matching_keys(company, filings)):
        own = [filing for filing in filings if filing.company_key in keys]
        wanted = own[0].ticker or own[0].cik or own[0].company
        hint = f"fin-tui fetch {shlex.quote(wanted)} --year {year} asks EDGAR for it."
        return NotFound(f"No filing of {own[0].company} for {year}; in the library: {_years(own)}", hint)
    known = [f"{filing.ticker}:{filing.fiscal_year}" for filing in filings if filing.ticker and filing.fiscal_year]
    example = f", such as {known[0]}" if known else ""
    hint = f"Give COMPANY:YEAR{example}, a file's name, or an id; fin-tui filings lists all."
    return NotFound(f"No filing {name!r} in the library, which holds {count(len(filings), 'filing')}.", hint)


def company_keys(name: str, filings: Sequence[Filing]) -> tuple[str, ...]:
    """The keys of the company that ``name`` (ticker, CIK or name) means.

    Raises ``UsageError`` when it fits companies of different names, ``NotFound`` when it fits none.
    """
    keys = matching_keys(name, filings)
    if not keys:
        held = ", ".join(dict.fromkeys(filing.company for filing in filings)) or "nothing yet"
        raise NotFound(f"No company {name!r} in the library: it has {held}", "fin-tui add FILE adds a filing.")
    if len(keys) > 1:
        names = dict.fromkeys(filing.company for filing in filings if filing.company_key in keys)
        if len({name.casefold() for name in names}) > 1:
            raise UsageError(
                f"{name!r} fits several companies: {', '.join(names)}", "Give the ticker, the CIK or the whole name."
            )
    return keys


def _by_id_or_file(name: str, filings: Sequence[Filing]) -> tuple[Filing, ...]:
    folded = name.strip().casefold()
    base = PurePath(folded).name
    tests = (
        lambda f: f.id.casefold() == folded,
        lambda f: f.file == name.strip(),
        lambda f: f.file.casefold() == base,
        lambda f: PurePath(f.file).stem.casefold() == base,
        lambda f: len(folded) >= _PREFIX and any(known.startswith(folded) for known in _spellings(f.id)),
    )
    for test in tests:
        if folded and (found := tuple(filing for filing in filings if test(filing))):
            return found
    return ()


def _spellings(filing_id: str) -> tuple[str, ...]:
    """With and without "sha256:"; an accession number with and without dashes."""
    folded = filing_id.casefold()
    return folded, folded.removeprefix("sha256:"), folded.replace("-", "")


def _by_company(name: str, filings: Sequence[Filing]) -> tuple[Filing, ...]:
    company, year = _company_year(name)
    keys = company_keys(company, filings) if matching_keys(company, filings) else ()
    return tuple(filing for filing in filings if filing.company_key in keys and year in (None, filing.fiscal_year))


def _company_year(name: str) -> tuple[str, int | None]:
    """ "Apple:FY2024", "Apple 2024" -> "Apple", 2024; the whole of ``name`` and None where no year stands."""
    company, _, year = name.strip().rpartition(":" if ":" in name else " ")
    digits = year.strip().upper().removeprefix("FY").strip()
    is_year = bool(company) and len(digits) == _YEAR_DIGITS and digits.isdecimal()
    return (company.strip(), int(digits)) if is_year else (name, None)


def _years(filings: Sequence[Filing]) -> str:
    return ", ".join(f"{f.form} FY{f.fiscal_year or '?'}" for f in sorted(filings, key=lambda f: str(f.period_end)))


def _listed(filings: Sequence[Filing]) -> str:
    shown = [f"{f.company} {f.form} FY{f.fiscal_year or '?'} ({f.id})" for f in filings[:_LISTED]]
    more = len(filings) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


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
