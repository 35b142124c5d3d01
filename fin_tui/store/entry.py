"""What goes into the library for one filing, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fin_tui.records import Chunk, Document, Filing, Section


@dataclass(frozen=True, slots=True)
class Entry:
    """A filing as parsed: all that is stored for it, in one transaction."""

    filing: Filing
    document: Document
    """With all its facts, tagged and derived."""
    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    raw: bytes
    parsed_by: str = ""
    """Versions of the parser and of the chunking, with its settings: a filing parsed by another one can be read again."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    """What the user said against the reader, by field name; kept when the filing is parsed again."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The outcome of an addition."""

    filing: Filing
    """As it stands in the library: the id may be the one of the version that it replaces."""
    is_new: bool
    """False when the same bytes were there already and nothing was done."""
    replaced: Filing | None = None
    """The version of the same filing that is no longer searched."""
