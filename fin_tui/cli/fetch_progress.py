"""How a fetch shows itself: bars on standard error, a line for each filing on standard output."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from fin_tui.cli.bars import advance, stage_bars
from fin_tui.cli.output import filing_json, label, shown, wide_console
from fin_tui.plural import count
from fin_tui.records import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from fin_tui.ingest.fetch import FetchEvent

T = TypeVar("T")
_TITLES = {"list": "Asking EDGAR for", "download": "Downloading", "parse": "Reading", "embed": "Making vectors"}
_KB = 1024


def follow_plan(steps: Generator[Progress, None, T]) -> T:
    """Show the steps; gives what they come to."""
    with _bars() as bars:
        while True:
            try:
                _advance(next(steps), bars)
            except StopIteration as done:
                found: T = done.value
                return found


def follow_run(events: Iterable[FetchEvent], *, is_silent: bool) -> dict[str, Any]:
    """Show the events; gives the ``fetch --json`` document. ``is_silent`` leaves standard output alone."""
    from fin_tui.ingest.fetch import Brought
    from fin_tui.ingest.outcomes import Added, Embedded, FailedFile, Skipped

    report: dict[str, Any] = {"added": [], "skipped": [], "failed": [], "embedded": None}
    with _bars() as bars:
        for event in events:
            match event:
                case Progress():
                    _advance(event, bars)
                case Brought():
                    bars.console.print(shown(f"{event.listed.label}: {event.size // _KB:,} kB"))
                case Added():
                    report["added"].append({**filing_json(event.filing), "url": event.filing.url or None})
                    if not is_silent:
                        wide_console().print(shown(f"{label(event.filing)} · {count(event.filing.chunks, 'chunk')}"))
                case Skipped():
                    report["skipped"].append({"why": event.why, "filing": event.filing.id if event.filing else None})
                    bars.console.print(shown(event.why))
                case FailedFile():
                    report["failed"].append(event.document())
                    bars.console.print(shown(f"{event.path}: {event.message} {event.hint}"))
                case Embedded():
                    report["embedded"] = event.document()
                    if event.note:
                        bars.console.print(shown(f"Vectors: {event.done:,} of {event.total:,} passages. {event.note}"))
    return report


def _bars() -> AbstractContextManager[Bars]:
    from rich.progress import TaskProgressColumn

    return stage_bars(TaskProgressColumn())


def _advance(progress: Progress, bars: Bars) -> None:
    """A download of unknown size shows what has come."""
    came = f" {progress.done / _KB:,.0f} kB" if progress.stage == "download" and not progress.total else ""
    title = f"{_TITLES.get(progress.stage, progress.stage)} {shown(progress.label)}{came}".strip()
    advance(bars, progress, title)
