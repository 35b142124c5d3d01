"""What an examination finds: one line each, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

State = Literal["ok", "note", "problem", "mended"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    check: str
    """database, filings, vectors, index, leftovers, weights, models, disk, terminal."""
    state: State
    """A note costs speed or quality and no more; a problem is to be mended."""
    what: str
    fix: str = ""
    """What a person does about it; empty where there is nothing to do."""
    filing: str = ""
    """Id, where it is about one filing."""
    mend: Callable[[], None] | None = field(default=None, compare=False)
    """Makes it right without touching what a user wrote. Raises ``FinTuiError`` or ``OSError``."""


def ok(check: str, what: str) -> Finding:
    """Nothing to do."""
    return Finding(check, "ok", what)
