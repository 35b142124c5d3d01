"""What the ingest process is asked, and what it answers besides outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest.corrections import Corrections
from fin_tui.paths import Paths
from fin_tui.records import Cover, Filing, Progress


@dataclass(frozen=True, slots=True)
class Added:
    """A filing stands in the library, on disk, and can be searched by words."""

    path: str
    filing: Filing
    seconds: float
    replaced: Filing | None = None
    """The version of the same filing whose place it took."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing was done, and why: its bytes are held already."""

    path: str
    why: str
    filing: Filing | None = None

    def document(self) -> dict[str, str | None]:
        """As JSON shows it."""
        return {"path": self.path, "why": self.why, "filing": self.filing.id if self.filing else None}


@dataclass(frozen=True, slots=True)
class FailedFile:
    """This file could not be taken in; the library is as it was before it."""

    path: str
    message: str
    hint: str = ""

    def document(self) -> dict[str, str]:
        """As JSON shows it."""
        return {"path": self.path, "message": self.message, "hint": self.hint}


@dataclass(frozen=True, slots=True)
class Embedded:
    """The last word on vectors."""

    done: int
    """Chunks that have one."""
    total: int
    note: str = ""
    """Why some are missing: no weights, another process at work, stopped."""

    def document(self) -> dict[str, int | str]:
        """As JSON shows it."""
        return {"done": self.done, "total": self.total, "note": self.note}


Outcome = Progress | Added | Skipped | FailedFile | Embedded


@dataclass(frozen=True, slots=True)
class Job:
    """What the child is to do: take ``files`` (absolute paths) in, read ``filings`` again, then embed."""

    paths: Paths
    settings: Settings
    files: tuple[Path, ...] = ()
    filings: tuple[str, ...] = ()
    """Ids."""
    corrections: Corrections = field(default_factory=Corrections)
    force: bool = False
    embed: bool = True
    known: Mapping[Path, Cover] = field(default_factory=dict)
    """What EDGAR says of some of the files."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The child's last word when the work as a whole failed."""

    kind: type[FinTuiError]
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The child's last word when all is done."""


Message = Outcome | Failure | Finished
