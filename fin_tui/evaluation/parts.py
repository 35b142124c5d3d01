"""Parts of a question set, kept as ids in a file: what is chosen on one part is measured by another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fin_tui.errors import UsageError, said
from fin_tui.evaluation.sets import Row

_HINT = 'Such as parts.json:aside, where the file holds {"parts": {"aside": ["q1", "q2"]}}.'


class _File(msgspec.Struct):
    parts: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Part:
    """Some questions of a set."""

    name: str
    ids: frozenset[str]

    def of(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that belong to it, a conversation's turns by its id."""
        return [row for row in rows if (row.line.id or "").partition("#")[0] in self.ids]


def read_part(text: str) -> Part:
    """``FILE:NAME`` as a part. Raises ``UsageError`` when the file can't be read or has no such part."""
    file, _, name = text.rpartition(":")
    if not file or not name:
        raise UsageError(f"{text} names no part of a set.", _HINT)
    try:
        parts = msgspec.json.decode(Path(file).read_bytes(), type=_File).parts
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{file} holds no parts: {said(error)}", _HINT) from error
    if name not in parts:
        raise UsageError(f"{file} has no part {name}.", f"It has: {', '.join(parts)}.")
    return Part(name, parts[name])
