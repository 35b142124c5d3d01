"""What a corpus looks like in Milvus: collections, fields, stable ids, and the version of all this.

Every row is keyed by where it belongs, so that writing it again replaces it: the filing's number, a hash of its id, in the upper
bits, the row's ordinal in the lower ones. The keys below 2^18 of the filings' collection are the corpus's own rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Literal

import msgspec

from fin_tui.store import codec
from fin_tui.team.link import Field, IndexOf, Link, OtherCorpus, Row, no_corpus, other_version

VERSION = 1
"""Raised when rows written by an older program can't be read as they are."""

CHUNKS = "fin_tui_chunks"
FACTS = "fin_tui_facts"
FILINGS = "fin_tui_filings"
"""One record a filing, and its text, blocks, sections and word counts in pieces."""
TERMS = "fin_tui_terms"
"""In how many passages of the whole corpus each word stands; what :meth:`fin_tui.team.rows.Writer.finish` counts."""
COLLECTIONS = (CHUNKS, FACTS, FILINGS, TERMS)

Kind = Literal["record", "text", "body", "sections", "terms"]
KINDS: tuple[Kind, ...] = ("record", "text", "body", "sections", "terms")
"""What the rows of ``FILINGS`` are; the n-th kind takes the ordinals from n times ``PIECES`` on."""
PIECES = 1 << 12
PIECE = 60_000
"""Characters in a piece: a text field of Milvus takes 65,535 bytes."""
HEAD_KEY, STAMP_KEY, TOTALS_KEY = 1, 2, 3
"""Rows of the corpus itself in ``FILINGS``: what it is, the mark of its last change, its size when the words were counted."""

ORDINAL_BITS = 18
_NUMBER_BITS = 45
NO_TERM = 2**32 - 2
"""The dimension of passages without a word: Milvus takes no empty vector."""
NOTHING = [0.0, 0.0]
"""For the vector that a collection without vectors must have; two numbers cost eight bytes a row."""

LONGEST = 65_535
"""Bytes, the most that a text field of Milvus takes."""
_WIDTHS = {
    "company": 256,
    "cik": 16,
    "ticker": 32,
    "form": 32,
    "item": 16,
    "concept": 160,
    "unit": 64,
    "period_end": 10,
    "source": 8,
    "kind": 16,
}
"""Bytes of the fields that conditions name."""
ITEMS = 32
"""Items of one passage."""

Index = Literal["flat", "hnsw", "hnsw_sq8", "ivf_sq8", "diskann"]
_INDEXES: Mapping[str, tuple[str, Mapping[str, str | int]]] = {
    "flat": ("FLAT", {}),
    "hnsw": ("HNSW", {"M": 16, "efConstruction": 200}),
    "hnsw_sq8": ("HNSW_SQ", {"M": 16, "efConstruction": 200, "sq_type": "SQ8"}),
    "ivf_sq8": ("IVF_SQ8", {"nlist": 1024}),
    "diskann": ("DISKANN", {}),
}


def search_parameters(index: Index, width: int) -> dict[str, int]:
    """What a search by vectors is told, so that it looks at about ``width`` passages for its hits."""
    if index in ("hnsw", "hnsw_sq8"):
        return {"ef": width}
    if index == "diskann":
        return {"search_list": width}
    return {"nprobe": min(max(16, width // 8), 1024)} if index == "ivf_sq8" else {}


def filing_number(filing_id: str) -> int:
    """The number of a filing in this and in every other corpus: 45 bits of its id's hash, never 0."""
    digest = hashlib.blake2b(filing_id.encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> (64 - _NUMBER_BITS)) or 1


def row_key(number: int, ordinal: int) -> int:
    """The key of a filing's row: of its passage or fact of that ordinal, or of a piece."""
    if not 0 <= ordinal < 1 << ORDINAL_BITS:
        raise ValueError(f"ordinal {ordinal} is beyond {1 << ORDINAL_BITS}")
    return number << ORDINAL_BITS | ordinal


def number_and_ordinal(key: int) -> tuple[int, int]:
    """What :func:`row_key` was given."""
    return key >> ORDINAL_BITS, key & ((1 << ORDINAL_BITS) - 1)


def piece_key(number: int, kind: Kind, piece: int = 0) -> int:
    """The key of a piece of a filing in ``FILINGS``."""
    if not 0 <= piece < PIECES:
        raise ValueError(f"piece {piece} is beyond {PIECES}")
    return row_key(number, KINDS.index(kind) * PIECES + piece)


def term_id(token: str) -> int:
    """The dimension of a word in the sparse vectors: 32 bits of its hash. Milvus takes 0 to 2^32 - 2; the last is ``NO_TERM``."""
    return int.from_bytes(hashlib.blake2b(token.encode("utf-8", "replace"), digest_size=4).digest()) % NO_TERM


def clipped(field: str, value: str) -> str:
    """``value`` as a field of :data:`_WIDTHS` holds it, for rows and for the conditions that ask for them alike."""
    return value.encode("utf-8", "replace")[: _WIDTHS[field]].decode("utf-8", "ignore")


def own_row(key: int, data: str) -> Row:
    """A row of the corpus itself, in ``FILINGS``."""
    return {"key": key, "filing": 0, "kind": "corpus", "data": data, "nothing": NOTHING}


def term_row(term: int, passages: int, counted: int) -> Row:
    """A row of ``TERMS``. ``counted`` tells one counting from the next, in nanoseconds."""
    return {"key": term, "passages": passages, "counted": counted, "nothing": NOTHING}


def create(link: Link, dimension: int, index: Index) -> None:
    """Make the collections that are not there, with their indexes. ``dimension`` is that of the encoder's vectors."""
    for name in COLLECTIONS:
        if not link.has(name):
            link.create(name, _fields(name, dimension), _index_of(name, index))


def field_names(collection: str) -> list[str]:
    """All that a row of the collection has."""
    return [name for name, _, _ in _fields(collection, 0)]


def _fields(collection: str, dimension: int) -> list[Field]:
    """Name, type and options of each field, the primary key first."""
    key: Field = ("key", "INT64", {"is_primary": True})
    filing: Field = ("filing", "INT64", {})
    nothing: Field = ("nothing", "FLOAT_VECTOR", {"dim": 2})
    if collection == TERMS:
        return [key, ("passages", "INT64", {}), ("counted", "INT64", {}), nothing]
    if collection == FILINGS:
        return [key, filing, _text("kind"), _text("data"), nothing]
    if collection == FACTS:
        scalars = [_text(name) for name in ("concept", "unit", "period_end", "source")]
        value: Field = ("value", "DOUBLE", {"nullable": True})
        return [key, filing, *scalars, value, _text("record"), nothing]
    scalars = [_text(name) for name in ("company", "cik", "ticker", "form", "period_end")]
    items = ("items", "ARRAY", {"element_type": "VARCHAR", "max_capacity": ITEMS, "max_length": _WIDTHS["item"]})
    year: Field = ("fiscal_year", "INT64", {})
    dense: Field = ("dense", "FLOAT_VECTOR", {"dim": dimension})
    sparse: Field = ("sparse", "SPARSE_FLOAT_VECTOR", {})
    return [key, filing, *scalars, year, _text("item"), items, _text("record"), dense, sparse]


def _text(name: str) -> Field:
    return name, "VARCHAR", {"max_length": _WIDTHS.get(name, LONGEST)}


def _index_of(collection: str, index: Index) -> list[IndexOf]:
    """Field, index type, metric and parameters of each index."""
    filter_index = [("filing", "INVERTED", "", Row())] if collection != TERMS else []
    if collection != CHUNKS:
        return [("nothing", "FLAT", "L2", {}), *filter_index]
    kind, parameters = _INDEXES[index]
    return [("dense", kind, "COSINE", parameters), ("sparse", "SPARSE_INVERTED_INDEX", "IP", {}), *filter_index]


class Head(msgspec.Struct, frozen=True):
    """Written when the corpus is made; never changed."""

    version: int
    encoder: str
    """The name of the encoder that makes its vectors."""
    dimension: int
    index: Index


class Totals(msgspec.Struct, frozen=True):
    """The corpus when its words were counted last."""

    filings: int
    chunks: int
    terms: int


def read_head(link: Link) -> Head:
    """Raises ``OtherCorpus`` when there is no corpus, or one of another schema."""
    if not link.has(FILINGS):
        raise no_corpus(link.uri)
    rows = link.get(FILINGS, [HEAD_KEY], ["data"], is_fresh=True)
    if not rows:
        raise no_corpus(link.uri)
    version = codec.from_json(rows[0]["data"], _Version).version
    if version != VERSION:
        raise other_version(link.uri, version, VERSION)
    return codec.from_json(rows[0]["data"], Head)


def make_or_read(link: Link, encoder: str, dimension: int, index: Index) -> Head:
    """The head of the corpus, which is made when there is none.

    Raises ``OtherCorpus`` when the corpus there holds the vectors of another encoder.
    """
    try:
        head = read_head(link)
    except OtherCorpus:
        if link.has(FILINGS) and link.get(FILINGS, [HEAD_KEY], ["data"], is_fresh=True):
            raise
        create(link, dimension, index)
        head = Head(VERSION, encoder, dimension, index)
        link.upsert(FILINGS, [own_row(HEAD_KEY, codec.to_json(head))])
    if (head.encoder, head.dimension) != (encoder, dimension):
        raise OtherCorpus(
            f"The corpus at {link.uri} holds vectors of {head.encoder}, not of {encoder}",
            "Ingest with that encoder (encoder.model in the settings), or into an empty database.",
        )
    return head


def read_totals(link: Link) -> Totals | None:
    """None when the words were never counted."""
    rows = link.get(FILINGS, [TOTALS_KEY], ["data"])
    return codec.from_json(rows[0]["data"], Totals) if rows else None


def totals_row(totals: Totals) -> Row:
    return own_row(TOTALS_KEY, codec.to_json(totals))


class _Version(msgspec.Struct, frozen=True):
    """All that is known of the head of any version."""

    version: int
