"""What a reader keeps: evidence of a turn as it was, and entries of the notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fin_tui.records.answer import Citation, Sentence


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as it stood beside an answer; its text is read from the library again."""

    citation: Citation
    start: int
    """Span of the passage in the clean text."""
    end: int
    score: float
    kind: Literal["prose", "table"] = "prose"
    scale: int = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """What an entry of the notebook holds: enough to stand alone when the library has changed."""

    kind: Literal["figure", "passage", "answer"]
    title: str
    """A question, a figure's name, or a passage's place."""
    text: str = ""
    """A passage's words; an answer's text with [n] when it has no sentences."""
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    """What the [n] of the sentences, facts and table mean."""
    facts: tuple[Mapping[str, Any], ...] = ()
    """Fact objects of the answer's JSON contract."""
    calculation: Mapping[str, Any] | None = None
    table: Mapping[str, Any] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    """Filing id -> version of the clean text that the citations' spans belong to."""
