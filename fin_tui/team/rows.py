"""A parsed filing as the rows of a corpus, and back."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import FinTuiError
from fin_tui.records import Chunk, Fact, Filing
from fin_tui.store import codec
from fin_tui.store.chunks import ends_with_text
from fin_tui.store.documents import Body
from fin_tui.store.filings import Entry
from fin_tui.store.resolve import file_number, irs_number
from fin_tui.store.vectors import unit_rows
from fin_tui.team.schema import ITEMS, LONGEST, NOTHING, PIECE, PIECES, Kind, clipped, filing_number, piece_key, row_key
from fin_tui.team.terms import items_of, weigh

Row = dict[str, Any]
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
