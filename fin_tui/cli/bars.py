"""Progress bars on standard error, for long steps."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from fin_tui.records import Progress

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
