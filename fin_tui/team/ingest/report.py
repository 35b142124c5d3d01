"""What came of an ingest into a corpus: counted while it goes on, as a document, and as a list of what failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fin_tui.filings.cleaning import clean
from fin_tui.ingest.job import Added, Embedded, FailedFile, Outcome, Skipped
from fin_tui.plural import count
from fin_tui.records import Progress


@dataclass
class Report:
    """Filled by :meth:`take`, outcome after outcome."""

    corpus: str
    added: list[Added] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    progress: Progress | None = None
    """The latest one."""
    embedded: Embedded | None = None
    passages: int = 0
    """Stored so far by this run."""

    def take(self, outcome: Outcome) -> None:
        match outcome:
            case Progress():
                self.progress = outcome
            case Added():
                self.added.append(outcome)
                self.passages += outcome.filing.chunks
            case Skipped():
                self.skipped.append(outcome)
            case FailedFile():
                self.failed.append(outcome)
            case _:
                self.embedded = outcome

    def document(self, seconds: float) -> dict[str, Any]:
        """The ``ingest-corpus --json`` document."""
        last = self.embedded
        return {
            "corpus": self.corpus,
            "added": [
                {
                    "path": added.path,
                    "filing": added.filing.id,
                    "file": added.filing.file,
                    "company": added.filing.company,
                    "chunks": added.filing.chunks,
                    "facts": added.filing.facts,
                    "seconds": round(added.seconds, 3),
                    "replaced": added.replaced.id if added.replaced else None,
                }
                for added in self.added
            ],
            "skipped": [skipped.document() for skipped in self.skipped],
            "failed": [failed.document() for failed in self.failed],
            "passages": {"added": self.passages, "complete": last.done, "total": last.total, "note": last.note} if last else None,
            "seconds": round(seconds, 1),
        }

    def as_list(self) -> str:
        """The paths that failed, each under its reason: a LIST to be given again."""
        return "".join(f"# {clean(failed.message)}\n{failed.path}\n" for failed in self.failed)

    def last_lines(self, seconds: float) -> list[str]:
        """For people, at the end."""
        counts = f"{count(len(self.added), 'filing')} added, {len(self.skipped):,} passed over, {len(self.failed):,} failed"
        rate = f"{count(self.passages, 'passage')} in {seconds:,.0f} s"
        lines = [f"{counts}; {rate}."]
        if self.embedded is not None:
            lines.append(f"The corpus at {self.corpus} holds {count(self.embedded.done, 'passage')}.")
            if self.embedded.note:
                lines.append(self.embedded.note)
        return lines
