"""What happened to each file, as it happens. Small and picklable: the bulk work runs in its own process."""

from __future__ import annotations

from dataclasses import dataclass

from fin_tui.records import Filing, Progress


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
