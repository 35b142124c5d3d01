"""Each filing: its bytes as they were added, nothing missing, and how well it was read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fin_tui.config import Settings
from fin_tui.doctor.finding import Finding, ok
from fin_tui.errors import FinTuiError
from fin_tui.ingest.job import Job
from fin_tui.ingest.outcomes import FailedFile
from fin_tui.ingest.parse import PARSER
from fin_tui.ingest.worker import run
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.store.codec import sha256
from fin_tui.store.database import Database
from fin_tui.store.health import Health
from fin_tui.store.library import Library

CHECK = "filings"
LOW_COVERAGE = 0.9
LOW_CROSSCHECK = 0.98
FEW_ITEMS = 6
"""A 10-K has 16 Items and more; one of which fewer are found was read badly, or is a part of a report."""


def look_at_filings(library: Library, database: Database, paths: Paths, settings: Settings) -> Iterator[Finding]:
    """Stored bytes against their hash, completeness, and how well each filing was read."""
    filings = library.filings()
    health = Health(database)
    broken = {*health.incomplete(), *health.wrong_texts()}
    whole = 0
    for filing in filings:
        found = [*_bytes(library, filing), *_whole(filing, filing.id in broken, paths, settings), *_reading(filing)]
        whole += all(finding.state == "note" for finding in found)
        yield from found
    if earlier := [filing for filing in filings if _is_of_earlier_reader(library, filing)]:
        names = ", ".join(filing.file for filing in earlier[:3]) + (", …" if len(earlier) > 3 else "")
        what = f"{len(earlier)} of {len(filings)} filings were read by an earlier version of the reader: {names}"
        yield Finding(CHECK, "note", what, "fin-tui reindex reads them again; what you kept from them is found again.")
    yield ok(CHECK, f"{whole} of {len(filings)} filings are whole" if filings else "The library is empty")


def _bytes(library: Library, filing: Filing) -> Iterator[Finding]:
    try:
        is_same = sha256(library.original(filing.id)) == library.records.provenance(filing.id).sha256
    except FinTuiError:
        is_same = False
    if not is_same:
        fix = f"fin-tui remove {filing.id}, then add {filing.file} again."
        yield Finding(CHECK, "problem", f"{_name(filing)}: its stored bytes are damaged", fix, filing.id)


def _whole(filing: Filing, is_broken: bool, paths: Paths, settings: Settings) -> Iterator[Finding]:
    if is_broken:
        what = f"{_name(filing)}: text, passages or facts are missing or changed"
        yield Finding(
            CHECK, "problem", what, f"fin-tui reindex {filing.id}", filing.id, partial(_read_again, filing.id, paths, settings)
        )


def _reading(filing: Filing) -> Iterator[Finding]:
    """How well it was read: what is low costs answers, and often lies in the file itself."""
    look = f"Compare with fin-tui sections {filing.id}; a fuller file of it can be added in its place."
    if len(filing.items) < FEW_ITEMS:
        found = ", ".join(filing.items) or "none"
        yield Finding(CHECK, "note", f"{_name(filing)}: few Items were found ({found})", look, filing.id)
    if filing.coverage < LOW_COVERAGE:
        yield Finding(CHECK, "note", f"{_name(filing)}: {filing.coverage:.1%} of its words were kept", look, filing.id)
    if filing.crosscheck is not None and filing.crosscheck < LOW_CROSSCHECK:
        what = f"{_name(filing)}: {filing.crosscheck:.1%} of {filing.crosscheck_cells:,} tagged cells were read as tagged"
        yield Finding(CHECK, "note", what, "Check figures from its untagged tables; tagged ones are not concerned.", filing.id)


def _is_of_earlier_reader(library: Library, filing: Filing) -> bool:
    return library.records.provenance(filing.id).parsed_by.partition(" ")[0] != str(PARSER)


def _read_again(filing_id: str, paths: Paths, settings: Settings) -> None:
    for outcome in run(Job(paths, settings, filings=(filing_id,), embed=False)):
        if isinstance(outcome, FailedFile):
            raise FinTuiError(outcome.message, outcome.hint)


def _name(filing: Filing) -> str:
    return f"{filing.company or filing.file} FY{filing.fiscal_year or '?'} ({filing.id})"
