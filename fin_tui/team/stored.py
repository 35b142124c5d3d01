"""The rows of a corpus as the records they were made from. All raise ``FinTuiError`` for a row that is damaged."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fin_tui.records import Chunk, Fact, Section
from fin_tui.store import codec
from fin_tui.team.rows import Record


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
