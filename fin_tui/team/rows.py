"""A parsed filing as the rows of a corpus, and back; rows are written by what they are.

Writing one again, or after a crash, leaves nothing double.
"""

from __future__ import annotations

import base64
import math
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import FinTuiError
from fin_tui.records import Chunk, Fact, Filing, Section
from fin_tui.retrieval import sparse
from fin_tui.store import codec
from fin_tui.store.documents import Body, ends_with_text
from fin_tui.store.filings import Entry, Stored, file_number, irs_number
from fin_tui.store.vectors import unit_rows
from fin_tui.team import schema
from fin_tui.team.link import Link, Row
from fin_tui.team.schema import (
    ITEMS,
    LONGEST,
    NO_TERM,
    NOTHING,
    PIECE,
    PIECES,
    Head,
    Kind,
    Totals,
    clipped,
    filing_number,
    make_or_read,
    piece_key,
    row_key,
    term_id,
    totals_row,
)


class _Packed(msgspec.Struct, frozen=True):
    """Arrays as little-endian bytes."""

    groups: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    terms: bytes
    group: bytes
    passages: bytes


@dataclass(frozen=True)
class WordCounts:
    """In how many passages of one filing each word stands. The last three arrays are parallel, ordered by word."""

    groups: tuple[tuple[str, ...], ...]
    """The sets of Items that passages belong to."""
    sizes: NDArray[np.int64]
    """Passages of each group."""
    terms: NDArray[np.uint32]
    """Words, as :func:`fin_tui.team.schema.term_id` numbers them."""
    group: NDArray[np.uint16]
    passages: NDArray[np.uint32]

    def total(self, items: Sequence[str] = ()) -> int:
        """Passages in these Items, all when none is named."""
        return int(self.sizes[self._chosen(items)].sum())

    def holding(self, terms: NDArray[np.uint32], items: Sequence[str] = ()) -> NDArray[np.int64]:
        """Passages in these Items that hold each of ``terms``."""
        chosen = self._chosen(items)
        first, end = np.searchsorted(self.terms, terms, "left"), np.searchsorted(self.terms, terms, "right")
        spans = (slice(int(a), int(b)) for a, b in zip(first, end, strict=True))
        return np.array([int(self.passages[span][chosen[self.group[span]]].sum()) for span in spans], np.int64)

    def words(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Each word once, ascending, with the passages that hold it."""
        terms, place = np.unique(self.terms, return_inverse=True)
        return terms, np.bincount(place, weights=self.passages, minlength=len(terms)).astype(np.int64)

    def packed(self) -> bytes:
        """For :func:`unpacked`."""
        arrays = (self.terms.astype("<u4"), self.group.astype("<u2"), self.passages.astype("<u4"))
        return codec.pack(_Packed(self.groups, tuple(self.sizes.tolist()), *(array.tobytes() for array in arrays)))

    def _chosen(self, items: Sequence[str]) -> NDArray[np.bool_]:
        wanted = {item.upper() for item in items}
        return np.array([not wanted or not wanted.isdisjoint(group) for group in self.groups], bool)


def unpacked(raw: bytes) -> WordCounts:
    """Raises ``FinTuiError`` when ``raw`` is damaged."""
    packed = codec.unpack(raw, _Packed)
    return WordCounts(
        packed.groups,
        np.array(packed.sizes, np.int64),
        np.frombuffer(packed.terms, "<u4"),
        np.frombuffer(packed.group, "<u2"),
        np.frombuffer(packed.passages, "<u4"),
    )


def items_of(chunk: Chunk, sections: Sequence[Section]) -> tuple[str, ...]:
    """The Items that a scope finds ``chunk`` by: its own, and those of the sections it begins in."""
    inside = (section.item for section in sections if section.start <= chunk.start < section.end)
    return tuple(sorted({item for item in (chunk.item, *inside) if item}))


def weigh(chunks: Sequence[Chunk], items: Sequence[tuple[str, ...]]) -> tuple[list[dict[int, float]], WordCounts]:
    """The sparse vector of each chunk, and the word counts of all; ``items`` are those of each chunk."""
    groups = tuple(dict.fromkeys(items))
    number = np.array([groups.index(group) for group in items], np.int64)
    vectors: list[dict[int, float]] = [{} for _ in chunks]
    segment = sparse.build((place, chunk.index_text) for place, chunk in enumerate(chunks))
    scores, found = segment.index.scores, list[tuple[int, int, int]]()
    for token, column in segment.index.vocab_dict.items():
        span = slice(int(scores["indptr"][column]), int(scores["indptr"][column + 1]))
        term, rows = term_id(token), scores["indices"][span]
        for row, weight in zip(rows.tolist(), scores["data"][span].tolist(), strict=True):
            vectors[row][term] = vectors[row].get(term, 0.0) + weight
        by_group = np.bincount(number[rows], minlength=len(groups))
        found += [(term, int(group), int(by_group[group])) for group in np.flatnonzero(by_group)]
    found.sort()
    table = np.array(found, np.int64).reshape(-1, 3)
    counts = WordCounts(
        groups,
        np.bincount(number, minlength=len(groups)).astype(np.int64) if len(number) else np.empty(0, np.int64),
        table[:, 0].astype(np.uint32),
        table[:, 1].astype(np.uint16),
        table[:, 2].astype(np.uint32),
    )
    return [vector or {NO_TERM: 1.0} for vector in vectors], counts


def question_vector(tokens: Mapping[str, float], frequencies: Iterable[int], total: int) -> dict[int, float]:
    """The question's side of the scores. ``frequencies``: in how many of the ``total`` passages in scope each token stands."""
    vector: dict[int, float] = {}
    for (token, count), frequency in zip(tokens.items(), frequencies, strict=True):
        if frequency:
            term, weight = term_id(token), count * math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
            vector[term] = vector.get(term, 0.0) + weight
    return vector


_LEAVE_OUT = "Leave the filing out, or keep it in a library."


class Record(msgspec.Struct, frozen=True):
    """What the corpus knows of a filing. It counts as there only when ``state`` says complete."""

    state: Literal["incomplete", "complete"]
    filing: Filing
    sha256: str
    """Of the bytes that were read."""
    parsed_by: str
    corrections: dict[str, str]
    irs_number: str
    commission_file: str
    added: str
    """UTC, ISO 8601."""
    chunks: int
    """One more than the largest ordinal of its passages."""
    facts: int
    pieces: dict[str, int]
    """Kind -> number of pieces."""

    @property
    def number(self) -> int:
        """The filing's number in the rows."""
        return filing_number(self.filing.id)

    def piece_keys(self, kind: Kind) -> list[int]:
        """Where the pieces of this kind stand."""
        return [piece_key(self.number, kind, piece) for piece in range(self.pieces.get(kind, 0))]


@dataclass(frozen=True, slots=True)
class Prepared:
    """All rows of one filing, ready to be written; plain values that can be sent to another process."""

    record: Record
    """Complete: the writer says incomplete first."""
    chunks: tuple[Row, ...]
    facts: tuple[Row, ...]
    pieces: tuple[Row, ...]


def prepare(entry: Entry, vectors: NDArray[np.float32]) -> Prepared:
    """The rows of a parsed filing. ``vectors`` are the L2-normalised ones of its passages, ``[len(entry.chunks), dimension]``.

    Raises ``FinTuiError`` for a filing that a corpus can't hold.
    """
    if len(vectors) != len(entry.chunks):
        raise FinTuiError(f"{entry.filing.file}: {len(vectors)} vectors for {len(entry.chunks)} passages", "Embed it again.")
    filing, number = _as_stored(entry), filing_number(entry.filing.id)
    items = [items_of(chunk, entry.sections) for chunk in entry.chunks]
    words, counts = weigh(entry.chunks, items)
    contents: dict[Kind, bytes] = {
        # A lone surrogate has no UTF-8; one "?" in its place leaves every span where it was.
        "text": codec.compress(entry.document.text.encode("utf-8", "replace")),
        "body": codec.pack(Body.of(entry.document)),
        "sections": codec.pack(entry.sections),
        "terms": counts.packed(),
    }
    pieces = {kind: cut(raw) for kind, raw in contents.items()}
    cover = entry.document.cover
    record = Record(
        state="complete",
        filing=filing,
        sha256=codec.sha256(entry.raw),
        parsed_by=entry.parsed_by,
        corrections=dict(entry.corrections),
        irs_number=irs_number(cover.irs_number),
        commission_file=file_number(cover.commission_file),
        added=codec.now(),
        chunks=max((chunk.ordinal for chunk in entry.chunks), default=-1) + 1,
        facts=len(entry.document.facts),
        pieces={kind: len(cut) for kind, cut in pieces.items()},
    )
    rows = zip(entry.chunks, items, words, _as_kept(vectors), strict=True)
    return Prepared(
        record,
        tuple(chunk_row(filing, number, *row) for row in rows),
        tuple(_fact_row(number, ordinal, fact) for ordinal, fact in enumerate(entry.document.facts)),
        tuple(piece_row(number, kind, at, text) for kind, cut in pieces.items() for at, text in enumerate(cut)),
    )


def record_row(record: Record) -> Row:
    """The row that says whether the filing is there."""
    return piece_row(record.number, "record", 0, _fitting(codec.to_json(record), record.filing.file))


def cut(raw: bytes) -> list[str]:
    """Bytes as the texts of their pieces."""
    text = base64.b64encode(raw).decode("ascii")
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def _as_kept(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors as a library gives them back, which keeps them in half precision: so both give the same scores."""
    return unit_rows(vectors.astype(np.float16).astype(np.float32))


def _as_stored(entry: Entry) -> Filing:
    """The filing with its counts, as a library would tell it."""
    return replace(
        entry.filing,
        pages=entry.filing.pages or entry.document.pages,
        items=tuple(dict.fromkeys(section.item for section in entry.sections if section.item)),
        chunks=len(entry.chunks),
        embedded=len(entry.chunks),
        facts=len(entry.document.facts),
        format=entry.document.format,
        coverage=entry.document.coverage,
        warnings=tuple(dict.fromkeys((*entry.filing.warnings, *entry.document.warnings))),
    )


def piece_row(number: int, kind: Kind, at: int, text: str) -> Row:
    """The row of a piece of a filing."""
    if at >= PIECES:
        raise FinTuiError(f"A filing is too long for a corpus: its {kind} has more than {PIECES} pieces", _LEAVE_OUT)
    return {"key": piece_key(number, kind, at), "filing": number, "kind": kind, "data": text, "nothing": NOTHING}


def chunk_row(
    filing: Filing,
    number: int,
    chunk: Chunk,
    items: Sequence[str],
    words: Mapping[int, float],
    vector: NDArray[np.float32],
) -> Row:
    """The row of a passage; ``items`` are those that a scope finds it by, ``words`` its sparse vector."""
    kept = replace(chunk, text="") if ends_with_text(chunk) else chunk
    return {
        "key": row_key(number, chunk.ordinal),
        "filing": number,
        "company": clipped("company", filing.company_key),
        "cik": filing.cik,
        "ticker": clipped("ticker", filing.ticker),
        "form": clipped("form", filing.form.upper()),
        "period_end": codec.iso(filing.period_end) or "",
        "fiscal_year": filing.fiscal_year or 0,
        "item": clipped("item", chunk.item),
        "items": [clipped("item", item) for item in items[:ITEMS]],
        "record": _fitting(codec.to_json(kept), chunk.id),
        "dense": vector.astype(np.float32).tolist(),
        "sparse": dict(words),
    }


def _fact_row(number: int, ordinal: int, fact: Fact) -> Row:
    return {
        "key": row_key(number, ordinal),
        "filing": number,
        "concept": clipped("concept", fact.concept),
        "unit": clipped("unit", fact.unit),
        "period_end": codec.iso(fact.period_end) or "",
        "source": fact.source,
        "value": fact.value,
        "record": _fitting(codec.to_json(fact), fact.concept),
        "nothing": NOTHING,
    }


def _fitting(text: str, name: str) -> str:
    if len(text.encode()) > LONGEST:
        raise FinTuiError(f"{name} is longer than a corpus can hold: {len(text):,} characters", _LEAVE_OUT)
    return text


def to_record(row: Mapping[str, Any]) -> Record:
    return codec.from_json(row["data"], Record)


def to_chunk(row: Mapping[str, Any]) -> Chunk:
    """The passage of a row's ``record``."""
    chunk = codec.from_json(row["record"], Chunk)
    return chunk if chunk.text else replace(chunk, text=chunk.index_text[len(chunk.index_text) - (chunk.end - chunk.start) :])


def to_fact(row: Mapping[str, Any]) -> Fact:
    return codec.from_json(row["record"], Fact)


def to_sections(raw: bytes) -> tuple[Section, ...]:
    return codec.unpack(raw, tuple[Section, ...])


def joined(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """What was cut into pieces; ``rows`` in any order."""
    return base64.b64decode("".join(row["data"] for row in sorted(rows, key=lambda row: int(row["key"]))))


BATCH = 256
"""Rows in one write: a few megabytes."""


def open_writer(
    uri: str,
    encoder: str,
    dimension: int,
    *,
    index: schema.Index = "hnsw",
    timeout: float = 30.0,
    token: str | None = None,
) -> Writer:
    """A writer to the corpus at ``uri``, which is made when there is none; ``index`` then says how vectors are searched.

    ``encoder`` and ``dimension`` tell whose vectors will come. Raises ``FinTuiError`` as :class:`fin_tui.team.link.Link` does,
    and for a corpus of another schema or encoder.
    """
    link = Link(uri, timeout=timeout, token=token)
    try:
        return Writer(link, make_or_read(link, encoder, dimension, index))
    except BaseException:  # also interrupted: the connection must not stay open
        link.close()
        raise


class Writer:
    """Adds, replaces and removes filings. Several writers may work on different filings of one corpus at once, where the server
    takes that: Milvus does, milvus-lite wants one writer.
    """

    def __init__(self, link: Link, head: Head) -> None:
        self._link = link
        self.head = head

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def held(self) -> Mapping[str, Record]:
        """The record of every filing that is there or was begun, by the SHA-256 of the bytes it was read from."""
        rows = self._link.each(schema.FILINGS, 'kind == "record"', ["data"])
        return {record.sha256: record for record in map(to_record, rows)}

    def put(self, prepared: Prepared) -> Stored:
        """Write a filing in place of what was there of it. Until all of it is written no question sees any of it.

        Raises ``FinTuiError`` when the server fails; the filing is then incomplete, and putting it again mends it.
        """
        record, old = prepared.record, self._record(prepared.record.number)
        if old is not None and old.filing.id != record.filing.id:
            raise FinTuiError(
                f"{record.filing.id} and {old.filing.id} have the same number in a corpus", "Leave one of them out."
            )
        self._write(schema.FILINGS, [record_row(msgspec.structs.replace(record, state="incomplete"))])
        self._stamp()
        self._write(schema.CHUNKS, prepared.chunks)
        self._write(schema.FACTS, prepared.facts)
        self._write(schema.FILINGS, prepared.pieces)
        if old is not None:
            self._drop_leftovers(record)
        self._write(schema.FILINGS, [record_row(record)])
        self._stamp()
        is_other = old is not None and old.state == "complete" and old.sha256 != record.sha256
        return Stored(record.filing, is_new=True, replaced=old.filing if old is not None and is_other else None)

    def remove(self, filing_id: str) -> None:
        """Take a filing out, whatever there is of it; its record goes last."""
        number = schema.filing_number(filing_id)
        record = self._record(number)
        if record is not None:
            self._write(schema.FILINGS, [record_row(msgspec.structs.replace(record, state="incomplete"))])
            self._stamp()
        for name in (schema.CHUNKS, schema.FACTS, schema.FILINGS):
            self._link.delete(name, f"filing == {number}")
        self._stamp()

    def rename(self, filing_id: str, company_key: str, cik: str) -> None:
        """Put a filing under another company. Its record comes last: until then it is seen that this is still to be done."""
        record = self._record(schema.filing_number(filing_id))
        if record is None:
            return
        fields = schema.field_names(schema.CHUNKS)
        rows = [*self._link.each(schema.CHUNKS, f"filing == {record.number}", fields)]
        self._write(schema.CHUNKS, [{**row, "company": schema.clipped("company", company_key), "cik": cik} for row in rows])
        filing = replace(record.filing, company_key=company_key, cik=cik)
        self._write(schema.FILINGS, [record_row(msgspec.structs.replace(record, filing=filing))])
        self._stamp()

    def finish(self) -> Totals:
        """Count the words of the whole corpus, and have the server store and index what was written. To be called once after
        an ingest, by one process; searches in all of a large corpus weigh words by it.
        """
        for name in (schema.CHUNKS, schema.FACTS, schema.FILINGS):
            self._link.flush(name)
        terms, passages, chunks, filings = np.empty(0, np.uint32), np.empty(0, np.int64), 0, 0
        for record in self.held().values():
            if record.state == "complete":
                counts = unpacked(joined(self._link.get(schema.FILINGS, record.piece_keys("terms"), ["data"])))
                terms, passages = _added(terms, passages, *counts.words())
                chunks, filings = chunks + counts.total(), filings + 1
        now = time.time_ns()
        counted = zip(terms.tolist(), passages.tolist(), strict=True)
        self._write(schema.TERMS, [schema.term_row(term, count, now) for term, count in counted])
        self._link.delete(schema.TERMS, f"counted < {now}")
        totals = Totals(filings=filings, chunks=chunks, terms=len(terms))
        self._write(schema.FILINGS, [totals_row(totals)])
        self._link.flush(schema.TERMS)
        self._stamp()
        return totals

    def _record(self, number: int) -> Record | None:
        rows = self._link.get(schema.FILINGS, [schema.piece_key(number, "record")], ["data"], is_fresh=True)
        return to_record(rows[0]) if rows else None

    def _drop_leftovers(self, record: Record) -> None:
        """Rows of an earlier version that the new one did not write over."""
        number, end = record.number, record.number + 1
        for name, count in ((schema.CHUNKS, record.chunks), (schema.FACTS, record.facts)):
            self._link.delete(name, f"key >= {(number << schema.ORDINAL_BITS) + count} and key < {end << schema.ORDINAL_BITS}")
        for kind, count in record.pieces.items():
            place = schema.KINDS.index(kind)
            first = schema.row_key(number, place * schema.PIECES + count)
            self._link.delete(schema.FILINGS, f"key >= {first} and key < {schema.row_key(number, (place + 1) * schema.PIECES)}")

    def _write(self, collection: str, rows: Sequence[Row]) -> None:
        for start in range(0, len(rows), BATCH):
            self._link.upsert(collection, rows[start : start + BATCH])

    def _stamp(self) -> None:
        """Leave a mark by which readers see that something changed."""
        self._write(schema.FILINGS, [schema.own_row(schema.STAMP_KEY, secrets.token_hex(8))])


def _added(
    terms: NDArray[np.uint32], passages: NDArray[np.int64], more: NDArray[np.uint32], more_passages: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Two countings as one, words ascending."""
    both, place = np.unique(np.concatenate([terms, more]), return_inverse=True)
    sums = np.zeros(len(both), np.int64)
    np.add.at(sums, place, np.concatenate([passages, more_passages]))
    return both, sums
