"""What the ingest process is asked, and what it answers besides outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest.corrections import Corrections
from fin_tui.ingest.outcomes import Outcome
from fin_tui.paths import Paths
from fin_tui.records import Cover


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
