"""What a machine does with one filing before it is stored in a team's corpus: read it, make its vectors. Knows nothing of Ray.

Every step may be done twice, by this machine or another, and comes to the same rows.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest import Added, FailedFile, Failure
from fin_tui.ingest.pipeline import attempt
from fin_tui.paths import Paths
from fin_tui.records import Cover, Filing
from fin_tui.retrieval.backend import Matrix
from fin_tui.retrieval.encoder import Encoder, load_encoder
from fin_tui.store.filings import Entry, Stored, file_number, irs_number, plain, united
from fin_tui.store.library import are_two, kept_id, with_id
from fin_tui.team.link import CorpusFull, CorpusGone, Row
from fin_tui.team.rows import Prepared, Record, prepare


@dataclass(frozen=True, slots=True)
class Placed:
    """A filing under the id and company by which it is to be stored."""

    filing: Filing
    replaces: Filing | None = None
    """The version of the same filing whose place it takes; under the same id it is written over, else it is to be removed."""


@dataclass(frozen=True, slots=True)
class Rename:
    """A filing that stands in the corpus under a key that is no longer its company's."""

    filing_id: str
    company_key: str
    cik: str


class Identities:
    """The filings of a corpus, and those that this run adds, in the order in which they came."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._rows: dict[str, Row] = {}
        """By filing id."""
        self._named: defaultdict[tuple[str, object], set[str]] = defaultdict(set)
        """A number or name of a company -> ids of filings that have or had it."""
        self._count = 0
        self._stale: dict[str, Row] = {}
        for record in sorted(records, key=lambda record: record.added):
            self._keep(record.filing, record.irs_number, record.commission_file)
        # A run that was killed may have left keys that it was still to change.
        for row in [row for row in self._rows.values() if not row["cik"]]:
            self._unite(row["filing"], Cover(irs_number=row["irs_number"], commission_file=row["commission_file"]), row["id"])

    def place(self, filing: Filing, cover: Cover) -> Placed:
        """Where a filing that was read is to stand; counts as there from now on."""
        filing = self._unite(filing, cover)
        old = self._older(filing)
        if old is None:
            self._keep(filing, irs_number(cover.irs_number), file_number(cover.commission_file))
            return Placed(filing)
        del self._rows[old["id"]]
        self._stale.pop(old["id"], None)
        filing = replace(filing, id=kept_id(old["id"], filing.id))
        self._keep(filing, irs_number(cover.irs_number), file_number(cover.commission_file), old["number"])
        return Placed(filing, old["filing"])

    def renames(self) -> tuple[Rename, ...]:
        """What the filings brought out about the companies of others."""
        return tuple(Rename(row["id"], row["company_key"], row["cik"]) for row in self._stale.values())

    def _unite(self, filing: Filing, cover: Cover, own: str = "") -> Filing:
        candidates = {id: self._rows[id] for name in _names(filing, cover) for id in self._named[name] if id in self._rows}
        candidates.pop(own, None)
        filing, changed = united(candidates.values(), filing, cover)
        if own and (filing.company_key, filing.cik) != (self._rows[own]["company_key"], self._rows[own]["cik"]):
            self._rename(self._rows[own], filing)
        for row in changed:
            self._rename(row, filing)
        return filing

    def _rename(self, row: Row, like: Filing) -> None:
        row["company_key"], row["cik"] = like.company_key, like.cik
        row["filing"] = replace(row["filing"], company_key=like.company_key, cik=like.cik)
        self._stale[row["id"]] = row
        self._name(row)

    def _older(self, filing: Filing) -> Row | None:
        row = self._rows.get(filing.id) or self._same_report(filing)
        return None if row is None or are_two(row["id"], filing) else row

    def _same_report(self, filing: Filing) -> Row | None:
        if not filing.company_key or filing.period_end is None:
            return None
        rows = (self._rows[id] for id in self._named["key", filing.company_key] if id in self._rows)
        report = (filing.company_key, filing.form, filing.period_end)
        same = [row for row in rows if (row["company_key"], row["form"], row["period_end"]) == report]
        return max(same, key=lambda row: int(row["number"]), default=None)

    def _keep(self, filing: Filing, irs: str, file: str, number: int | None = None) -> None:
        self._count += 1
        self._rows[filing.id] = row = {
            "number": self._count if number is None else number,
            "id": filing.id,
            "filing": filing,
            "company": filing.company,
            "company_key": filing.company_key,
            "cik": filing.cik,
            "ticker": filing.ticker,
            "form": filing.form,
            "period_end": filing.period_end,
            "irs_number": irs,
            "commission_file": file,
        }
        self._name(row)

    def _name(self, row: Row) -> None:
        for name in _names(row["filing"], Cover(irs_number=row["irs_number"], commission_file=row["commission_file"])):
            self._named[name].add(row["id"])


def _names(filing: Filing, cover: Cover) -> Iterator[tuple[str, object]]:
    """All by which another filing of the same company may be known."""
    yield "key", filing.company_key
    if filing.cik:
        yield "cik", filing.cik
    if irs := irs_number(cover.irs_number):
        yield "irs", irs
    if file := file_number(cover.commission_file):
        yield "file", file
    if filing.company:
        yield "name", plain(filing.company)


Digests = NDArray[np.uint64]
_GPU_BATCH = 256
"""Passages at once on a GPU: the settings' batch is made for the cache of a CPU."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is the same for all filings of one ingest."""

    paths: Paths
    """A home with weights, on every machine under this name."""
    settings: Settings
    force: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A filing was read and can be stored; the whole of it stays with the workers."""

    path: str
    sha256: str
    filing: Filing
    cover: Cover
    chunks: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Known:
    """Nothing was read: the corpus has what these bytes say."""

    path: str
    sha256: str


Reading = Read | Known | FailedFile


def digests(hashes: Iterable[str]) -> Digests:
    """The first 64 bits of each SHA-256, ascending: small enough to be sent to every machine."""
    return np.unique(np.fromiter((int(digest[:16], 16) for digest in hashes), np.uint64))


def _is_among(digest: str, held: Digests) -> bool:
    (own,) = digests([digest])
    place = int(np.searchsorted(held, own))
    return place < len(held) and bool(held[place] == own)


def read(plan: Plan, path: str, held: Digests) -> tuple[Reading, Entry | None, tuple[str, ...]]:
    """What came of reading a file, and for :class:`Read` the filing and the texts to embed. Bytes among ``held`` are not read."""
    from fin_tui.ingest import read_bytes
    from fin_tui.ingest.pipeline import parse
    from fin_tui.store.codec import sha256

    began = time.perf_counter()
    raw = attempt(path, lambda: read_bytes(Path(path)))
    if isinstance(raw, FailedFile):
        return raw, None, ()
    digest = sha256(raw)
    if _is_among(digest, held):
        return Known(path, digest), None, ()
    entry = attempt(path, lambda: parse(raw, Path(path).name, plan.settings.chunking, force=plan.force))
    if isinstance(entry, FailedFile):
        return entry, None, ()
    told = Read(path, digest, entry.filing, entry.document.cover, len(entry.chunks), time.perf_counter() - began)
    return told, entry, tuple(chunk.index_text for chunk in entry.chunks)


def ready(path: str, placed: Placed, entry: Entry, parts: Sequence[Matrix]) -> Prepared | FailedFile:
    """The rows of a filing that was read, with the vectors of its chunks in ``parts``."""
    filing = placed.filing
    same = replace(entry.filing, company_key=filing.company_key, cik=filing.cik, ticker=filing.ticker)
    entry = with_id(replace(entry, filing=same), filing.id)
    vectors = np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)
    return attempt(path, lambda: prepare(entry, vectors))


@dataclass(frozen=True, slots=True)
class Opened:
    """An encoder that is ready."""

    name: str
    dimension: int


class Embedder:
    """Makes vectors; lives as long as the ingest, so that weights are loaded once a machine. Loads them when first used."""

    def __init__(self, plan: Plan, *, has_gpu: bool) -> None:
        self._plan = plan
        self._has_gpu = has_gpu
        self._loaded: Encoder | None = None

    def open(self) -> Opened:
        """Load the weights; raises ``FinTuiError`` when they are not there."""
        encoder = self._encoder()
        return Opened(encoder.name, encoder.dimension)

    def encode(self, texts: Sequence[str], start: int, stop: int) -> Matrix:
        """Vectors of ``texts[start:stop]``, shape ``[stop - start, dimension]``, L2-normalised."""
        return self._encoder().encode_passages(texts[start:stop])

    def _encoder(self) -> Encoder:
        if self._loaded is None:
            settings = self._plan.settings.encoder
            if self._has_gpu:
                settings = msgspec.structs.replace(settings, batch=max(settings.batch, _GPU_BATCH))
            self._loaded = load_encoder(settings, self._plan.paths)
        return self._loaded


T = TypeVar("T")
WAITS = (1.0, 5.0, 20.0)
"""Seconds before a server in trouble is asked again; after the last one the ingest ends."""
_TROUBLE = (CorpusGone, CorpusFull)


class Storer(Protocol):
    """Writes filings into a corpus, in place of what it holds of them; :class:`fin_tui.team.schema.Writer` is one."""

    def held(self) -> Mapping[str, Record]:
        """The record of every filing that is there or was begun, by the SHA-256 of the bytes it was read from."""
        ...

    def put(self, prepared: Prepared) -> Stored: ...

    def remove(self, filing_id: str) -> None: ...

    def rename(self, filing_id: str, company_key: str, cik: str) -> None:
        """Put a filing under another company."""
        ...

    def finish(self) -> object:
        """To be called once, after the last filing."""
        ...

    def close(self) -> None: ...


class Shelf:
    """Stores filings one after the other over a connection of its own. ``opener`` makes it, on the machine that uses it."""

    def __init__(self, opener: Callable[[], Storer]) -> None:
        self._opener = opener
        self._opened: Storer | None = None

    def store(self, read: Read, placed: Placed, prepared: Prepared | FailedFile) -> Added | FailedFile | Failure:
        """See :func:`store`."""
        if self._opened is None:
            opened = patiently(self._opener)
            if isinstance(opened, Failure):
                return opened
            self._opened = opened
        return store(read, placed, prepared, self._opened)


def store(read: Read, placed: Placed, prepared: Prepared | FailedFile, storer: Storer) -> Added | FailedFile | Failure:
    """Write a filing. The version that it replaces goes first: when this stops in between, the next ingest stores the new one."""
    if isinstance(prepared, FailedFile):
        return prepared
    began, old = time.perf_counter(), placed.replaces
    if old is not None and old.id != placed.filing.id:
        gone = patiently(partial(storer.remove, old.id))
        if isinstance(gone, Failure):
            return gone
    stored = patiently(lambda: _unless_in_trouble(read.path, partial(storer.put, prepared)))
    if isinstance(stored, (FailedFile, Failure)):
        return stored
    return Added(read.path, stored.filing, read.seconds + time.perf_counter() - began, old)


def _unless_in_trouble(path: str, work: Callable[[], T]) -> T | FailedFile:
    """As :func:`attempt`, but a server in trouble is no fault of the filing: that is raised."""
    try:
        return work()
    except _TROUBLE:
        raise
    except FinTuiError as error:
        return FailedFile(path, error.message, error.hint)


def patiently(work: Callable[[], T], sleep: Callable[[float], None] = time.sleep) -> T | Failure:
    """What ``work`` gives, tried again after each of ``WAITS`` while the server is in trouble; the corpus's errors as values."""
    for seconds in (*WAITS, None):
        try:
            return work()
        except _TROUBLE as error:
            if seconds is None:
                return failure(error)
            sleep(seconds)
        except FinTuiError as error:
            return failure(error)
    raise AssertionError("the last try returns")


def failure(error: FinTuiError) -> Failure:
    """The error as a value: what ends the whole ingest."""
    return Failure(type(error), error.message, error.hint)
