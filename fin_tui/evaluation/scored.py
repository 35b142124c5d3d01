"""One question as a report keeps it: what came, what it was worth, every measure."""

from __future__ import annotations

from msgspec import Struct, field


class Scored(Struct, frozen=True, kw_only=True):
    """A row of ``eval --json``."""

    id: str
    kind: str = field(name="class")
    """The class it is reported in."""
    question: str
    turn: int = 0
    """Its place in a conversation from 1; 0 outside of one."""
    outcome: str
    """right, wrong, abstained, error, unjudged."""
    why: str = ""
    status: str = ""
    """answered, refused, error; "" when the library was not asked."""
    refusal: str | None = None
    """The kind of refusal."""
    value: float | None = None
    unit: str | None = None
    gold: float | None = None
    """The value that was expected."""
    rank: int | None = None
    """Rank of the first gold passage that the search found, strictly; None without one or without gold."""
    rank_lenient: int | None = None
    strength: float | None = None
    """How strong the evidence of the answer was, 0 to 1."""
    program: str | None = None
    """What the row's program came to."""
    measures: dict[str, float] = {}
    ms: dict[str, float] = {}
    """Milliseconds: answer, search."""
    answer: str = ""
