"""Adds files one by one: each is read, cut and stored in a transaction of its own, and reported when it is on disk.

Vectors follow, for passages that lack one, in small batches that are each committed: it can stop and go on at any time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TypeVar

import msgspec

from fin_tui.candidates import add_missing
from fin_tui.config import Chunking, Settings
from fin_tui.errors import FinTuiError, MissingAsset, WrongForm
from fin_tui.ingest import Added, Corrections, Embedded, FailedFile, Outcome, Skipped, corrected, read_bytes
from fin_tui.paths import Paths
from fin_tui.records import Cover, Document, Fact, Filing, Progress, Section
from fin_tui.retrieval.encoder import Encoder, encoder_name, load_encoder
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store.codec import sha256
from fin_tui.store.database import one_at_a_time, wait_while_answering
from fin_tui.store.filings import Entry, Stored
from fin_tui.store.library import Library, WorseCopy

FORMS = frozenset({"10-K", "10-K405", "10-KT", "10-KT405"})
PARSER = 13
"""Raised when reading the same bytes gives other records."""
_TELLING_ITEMS = frozenset({"1", "1A", "2", "3", "5", "7", "8", "9A"})
_ITEMS_OF_A_10K = 4
_SURE = 0.5


def parse(
    raw: bytes,
    name: str,
    chunking: Chunking,
    corrections: Corrections = Corrections(),  # noqa: B008 - frozen
    held: tuple[Filing, ...] = (),
    force: bool = False,
    known: Cover | None = None,
) -> Entry:
    """Read a file. ``name`` is a label; ``held`` are the filings of the library, whose companies a correction may name;
    ``known`` is what EDGAR says of it.

    Raises ``BadFiling`` for bytes that are no filing and ``WrongForm`` for another form, unless ``force``.
    """
    from fin_tui.filings.reader import make_filing, read
    from fin_tui.filings.sections import find_sections

    document = read(raw, name, known)
    sections = tuple(find_sections(document))
    filing = corrected(make_filing(document, raw, PurePath(name).name), corrections, document.cover, held)
    filing = filing if force else _accepted(filing, sections, name)
    return compose(raw, document, filing, sections, chunking, corrections)


def compose(
    raw: bytes,
    document: Document,
    filing: Filing,
    sections: tuple[Section, ...],
    chunking: Chunking,
    corrections: Corrections,
) -> Entry:
    """The entry of a document that is read already: passages are cut anew, as their headers name company and period."""
    from fin_tui.facts.from_tables import cross_check, with_table_facts, with_warning
    from fin_tui.filings.chunk import chunk_document

    document, check = with_table_facts(document), cross_check(document)
    filing = replace(
        filing,
        crosscheck=check.rate if check.compared else None,
        crosscheck_cells=check.compared,
        warnings=with_warning(filing.warnings, check),
    )
    return Entry(
        filing=filing,
        document=document,
        sections=sections,
        chunks=tuple(chunk_document(document, filing, sections, chunking)),
        raw=raw,
        parsed_by=parsed_by(chunking),
        corrections=corrections.as_mapping(),
    )


def parsed_by(chunking: Chunking) -> str:
    """What reads and cuts filings now: one stored under another name may be read again."""
    return f"{PARSER} {msgspec.json.encode(chunking).decode()}"


_FORCED = "fin-tui add --force imports it all the same; --form 10-K tells that it is one."


def _accepted(filing: Filing, sections: tuple[Section, ...], name: str) -> Filing:
    """``filing`` when it is a 10-K. One without a readable cover counts as such when it has the Items of one."""
    form = filing.form.upper().replace(" ", "")
    if form.removesuffix("/A") in FORMS:
        return filing
    if form:
        raise WrongForm(f"{name} is a {form}, not a 10-K", _FORCED)
    items = {section.item for section in sections if section.confidence >= _SURE}
    if len(items & _TELLING_ITEMS) >= _ITEMS_OF_A_10K:
        warning = "No cover page was found; taken for a 10-K by its Items."
        return replace(filing, form="10-K", warnings=(*filing.warnings, warning))
    raise WrongForm(f"{name} has neither the cover nor the Items of a 10-K", _FORCED)


T = TypeVar("T")
_log = logging.getLogger(__name__)


def never() -> bool:
    """The ``cancelled`` of work that nobody stops."""
    return False


def add_files(
    library: Library,
    settings: Settings,
    files: Sequence[Path],
    corrections: Corrections = Corrections(),  # noqa: B008 - frozen
    *,
    force: bool = False,
    cancelled: Callable[[], bool] = never,
    known: Mapping[Path, Cover] = MappingProxyType({}),
) -> Iterator[Outcome]:
    """Take files in. A ``Progress`` comes before each, then exactly one of ``Added``, ``Skipped``, ``FailedFile``.

    ``known`` is what EDGAR says of some of the files.
    A file that fails leaves no trace and does not stop the others. Stops between two files when ``cancelled``.
    Raises ``FinTuiError`` for what concerns the library itself: locked, damaged, disk full.
    """
    seen: dict[str, Path] = {}
    for done, path in enumerate(files):
        if cancelled():
            return
        yield Progress("parse", done, len(files), path.name)
        yield _add(library, settings, path, corrections, force, seen, known.get(path))
    yield Progress("parse", len(files), len(files))


def _add(
    library: Library,
    settings: Settings,
    path: Path,
    corrections: Corrections,
    force: bool,
    seen: dict[str, Path],
    known: Cover | None,
) -> Added | Skipped | FailedFile:
    began = time.perf_counter()
    raw = attempt(str(path), lambda: read_bytes(path))
    if isinstance(raw, FailedFile):
        return raw
    digest = sha256(raw)
    if digest in seen:
        return Skipped(str(path), f"the same bytes as {seen[digest]}", library.records.with_bytes(digest))
    seen[digest] = path
    if same := library.records.with_bytes(digest):
        return Skipped(str(path), f"already in the library as {same.id}", same)
    held = library.filings()
    entry = attempt(str(path), lambda: parse(raw, path.name, settings.chunking, corrections, held, force, known))
    stored = entry if isinstance(entry, FailedFile) else attempt(str(path), partial(_put, library, entry, path), stops=True)
    if isinstance(stored, FailedFile):
        return stored
    if not stored.is_new:
        return Skipped(str(path), f"already in the library as {stored.filing.id}", stored.filing)
    return Added(str(path), stored.filing, time.perf_counter() - began, stored.replaced)


def _put(library: Library, entry: Entry, path: Path) -> Stored | FailedFile:
    try:
        return library.add(entry)
    except WorseCopy as error:
        return FailedFile(str(path), error.message, error.hint)


def attempt(path: str, work: Callable[[], T], *, stops: bool = False) -> T | FailedFile:
    """What ``work`` gives, or why it failed for this file. With ``stops`` a ``FinTuiError`` ends all (a full disk)."""
    try:
        return work()
    except FinTuiError as error:
        if stops:
            raise
        return FailedFile(path, error.message, error.hint)
    # Any input may meet a defect of a reader (or exhaust its stack or memory): one file must not stop the others.
    except Exception as error:  # noqa: BLE001
        _log.exception("reading %s", path)
        return FailedFile(path, f"{Path(path).name} can't be read: {type(error).__name__}: {error}", "The log has the details.")


def reindex(
    library: Library, settings: Settings, filings: Sequence[Filing], cancelled: Callable[[], bool] = never
) -> Iterator[Outcome]:
    """Read filings again from their stored bytes, with the corrections they had. Outcomes as :func:`add_files`."""
    for done, filing in enumerate(filings):
        if cancelled():
            return
        yield Progress("parse", done, len(filings), filing.file)
        yield _read_again(library, settings, filing)
    yield Progress("parse", len(filings), len(filings))


def _read_again(library: Library, settings: Settings, filing: Filing) -> Added | FailedFile:
    began = time.perf_counter()
    corrections = Corrections.from_mapping(library.records.provenance(filing.id).corrections)
    raw, held = library.original(filing.id), library.filings()
    # It was accepted once; a reader that now takes it for another form must not lose it.
    entry = attempt(filing.file, lambda: parse(raw, filing.file, settings.chunking, corrections, held, True, _known(filing)))
    if isinstance(entry, FailedFile):
        return entry
    kept = _kept(entry.filing, filing)
    entry = compose(raw, entry.document, kept, entry.sections, settings.chunking, corrections)
    stored = attempt(filing.file, partial(library.rewrite, entry))
    return stored if isinstance(stored, FailedFile) else Added(filing.file, stored, time.perf_counter() - began)


def _known(held: Filing) -> Cover | None:
    """What EDGAR said of a filing that came from there without a header of its own."""
    if held.id.startswith("sha256:"):
        return None
    return Cover(form=held.form, cik=held.cik, ticker=held.ticker, accession=held.id, filed=held.filed)


def _kept(read: Filing, held: Filing) -> Filing:
    """The filing as read anew under its old id, with what the library learned of it elsewhere."""
    is_known_better = held.cik and not read.cik
    return replace(
        read,
        id=held.id,
        form=read.form or held.form,
        company=read.company or held.company,
        company_key=held.company_key if is_known_better else read.company_key,
        cik=read.cik or held.cik,
        ticker=read.ticker or held.ticker,
        filed=read.filed or held.filed,
        url=read.url or held.url,
    )


def edit(library: Library, settings: Settings, filing: Filing, corrections: Corrections) -> Filing:
    """Correct a filing; its passages get new headers. Raises ``UsageError`` when another filing has that identity."""
    everything = corrections.over(Corrections.from_mapping(library.records.provenance(filing.id).corrections))
    document = library.document(filing.id)
    changed = corrected(filing, everything, document.cover, library.filings())
    entry = compose(library.original(filing.id), document, changed, library.sections(filing.id), settings.chunking, everything)
    return library.rewrite(entry)


def write_indexes(paths: Paths, library: Library, settings: Settings) -> None:
    """Bring the indexes on disk up to date. Failing costs time at the next search, never an answer: they are caches."""
    from fin_tui.retrieval.indexes import Indexes

    try:
        Indexes(paths, library, settings).write()
    except OSError as error:
        _log.warning("the index could not be written: %s", error)


WINDOW = 256
"""Passages sorted by length together, so that a batch wastes little on padding. After each the order is looked up again, as a
filing added meanwhile may come first."""


def embed_all(paths: Paths, library: Library, settings: Settings, cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
    """Embed what is missing and write the indexes; ``Progress`` after each batch, ``Embedded`` at the end.

    Without weights, or while another process embeds, it says so and ends. Waits while an answer is being made.
    """
    name = encoder_name(settings.encoder, paths) or ""
    with one_at_a_time(paths.data / "embedding.lock") as is_ours:
        if not is_ours:
            yield Embedded(*library.embeddings.progress(name), "another process is making vectors")
            return
        yield from _rows(paths, library, name, cancelled)
        if name and not len(library.embeddings.missing(name)):
            library.embeddings.use(name)
            write_indexes(paths, library, settings)
            yield Embedded(*library.embeddings.progress(name))
            return
        try:
            encoder = load_encoder(settings.encoder, paths)
        except MissingAsset as error:
            write_indexes(paths, library, settings)
            yield Embedded(*library.embeddings.progress(name), f"{error.message}. {error.hint}")
            return
        yield from embed_missing(paths, library, encoder, settings.encoder.batch, cancelled)
        write_indexes(paths, library, settings)
        yield Embedded(*library.embeddings.progress(encoder.name), "stopped" if cancelled() else "")


def _rows(paths: Paths, library: Library, encoder: str, cancelled: Callable[[], bool]) -> Iterator[Progress]:
    """Vectors of the rows of figures, of filings that lack them: some seconds each, told as the passages stand."""

    def stopped() -> bool:
        wait_while_answering(paths, cancelled)
        return cancelled()

    def facts(filing_id: str) -> Sequence[Fact]:
        return library.facts.find(filings=(filing_id,))

    for _ in add_missing(library.figure_rows, library.document, facts, SharedEncoder(), stopped):
        yield Progress("embed", *library.embeddings.progress(encoder))


def embed_missing(
    paths: Paths, library: Library, encoder: Encoder, batch: int, cancelled: Callable[[], bool] = never
) -> Iterator[Progress]:
    """Embed passages without a vector, the most recent filing first. Progress counts all passages, those done before too."""
    library.embeddings.use(encoder.name)
    while len(keys := library.embeddings.missing(encoder.name)) and not cancelled():
        done, total = library.embeddings.progress(encoder.name)
        texts = sorted((text for _, text in library.chunks.index_texts(keys[:WINDOW])), key=len)
        for part in _batched(texts, batch):
            wait_while_answering(paths, cancelled)
            if cancelled():
                return
            library.embeddings.put(encoder.name, part, encoder.encode_passages(part))
            done += len(part)
            yield Progress("embed", min(done, total), total)


def _batched(texts: list[str], size: int) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(texts), size):
        yield tuple(texts[start : start + size])
