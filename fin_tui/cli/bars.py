"""Progress bars on standard error, for long steps."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from fin_tui.cli.output import wide_console
from fin_tui.records import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn

Tell = Callable[[Progress], None]


@contextlib.contextmanager
def byte_bars() -> Iterator[Tell]:
    """Bars that count bytes, one for each label. On something that is no terminal: nothing but the finished line."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    bars = Bars(*columns, console=Console(stderr=True), transient=True)
    tasks: dict[str, TaskID] = {}

    def tell(progress: Progress) -> None:
        if progress.label not in tasks:
            bars.start()
            tasks[progress.label] = bars.add_task(progress.label, total=progress.total or None)
        bars.update(tasks[progress.label], completed=progress.done, total=progress.total or None)

    try:
        yield tell
    finally:
        if tasks:
            bars.stop()


@contextlib.contextmanager
def stage_bars(*columns: ProgressColumn) -> Iterator[Bars]:
    """Bars for :func:`advance`, with ``columns`` behind each; they are gone at the end. Standard output is left alone."""
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    first = (TextColumn("{task.description}", markup=False), BarColumn())
    with Bars(*first, *columns, console=wide_console(stderr=True), transient=True, redirect_stdout=False) as bars:
        yield bars


def advance(bars: Bars, progress: Progress, title: str) -> None:
    """Show ``progress`` under ``title``, in one bar for each stage."""
    stage = next((task for task in bars.tasks if task.fields["stage"] == progress.stage), None)
    number = stage.id if stage else bars.add_task(title, stage=progress.stage, total=progress.total or None)
    bars.update(number, description=title, completed=progress.done, total=progress.total or None)
