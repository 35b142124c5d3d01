"""What a corpus says of itself: its schema, whose vectors it holds, when it last changed, how large it was when counted."""

from __future__ import annotations

import msgspec

from fin_tui.store import codec
from fin_tui.team import schema
from fin_tui.team.link import Link, OtherCorpus, Row, no_corpus, other_version


class Head(msgspec.Struct, frozen=True):
    """Written when the corpus is made; never changed."""

    version: int
    encoder: str
    """The name of the encoder that makes its vectors."""
    dimension: int
    index: schema.Index


class Totals(msgspec.Struct, frozen=True):
    """The corpus when its words were counted last."""

    filings: int
    chunks: int
    terms: int


def read_head(link: Link) -> Head:
    """Raises ``OtherCorpus`` when there is no corpus, or one of another schema."""
    if not link.has(schema.FILINGS):
        raise no_corpus(link.uri)
    rows = link.get(schema.FILINGS, [schema.HEAD_KEY], ["data"], is_fresh=True)
    if not rows:
        raise no_corpus(link.uri)
    version = codec.from_json(rows[0]["data"], _Version).version
    if version != schema.VERSION:
        raise other_version(link.uri, version, schema.VERSION)
    return codec.from_json(rows[0]["data"], Head)


def make_or_read(link: Link, encoder: str, dimension: int, index: schema.Index) -> Head:
    """The head of the corpus, which is made when there is none.

    Raises ``OtherCorpus`` when the corpus there holds the vectors of another encoder.
    """
    try:
        head = read_head(link)
    except OtherCorpus:
        if link.has(schema.FILINGS) and link.get(schema.FILINGS, [schema.HEAD_KEY], ["data"], is_fresh=True):
            raise
        schema.create(link, dimension, index)
        head = Head(schema.VERSION, encoder, dimension, index)
        link.upsert(schema.FILINGS, [schema.own_row(schema.HEAD_KEY, codec.to_json(head))])
    if (head.encoder, head.dimension) != (encoder, dimension):
        raise OtherCorpus(
            f"The corpus at {link.uri} holds vectors of {head.encoder}, not of {encoder}",
            "Ingest with that encoder (encoder.model in the settings), or into an empty database.",
        )
    return head


def read_totals(link: Link) -> Totals | None:
    """None when the words were never counted."""
    rows = link.get(schema.FILINGS, [schema.TOTALS_KEY], ["data"])
    return codec.from_json(rows[0]["data"], Totals) if rows else None


def totals_row(totals: Totals) -> Row:
    return schema.own_row(schema.TOTALS_KEY, codec.to_json(totals))


class _Version(msgspec.Struct, frozen=True):
    """All that is known of the head of any version."""

    version: int
