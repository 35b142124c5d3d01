"""Writes filings into a corpus. Rows are keyed by what they are: writing one again, or after a crash, leaves nothing double."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType

import msgspec
import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import FinTuiError
from fin_tui.store.filings import Stored
from fin_tui.team import schema
from fin_tui.team.link import Link, Row
from fin_tui.team.rows import Prepared, Record, joined, record_row, to_record, unpacked
from fin_tui.team.schema import Head, Totals, make_or_read, totals_row

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
