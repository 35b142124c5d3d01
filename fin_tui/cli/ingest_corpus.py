"""``ingest-corpus``: filings into a team's corpus, on this machine or a cluster, with progress on standard error."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.library import FAILED_HINT
from fin_tui.cli.output import AsJson, asking, dumps, label, print_above, shown, stage_bars, wide_console
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.language import count
from fin_tui.team.schema import Index

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from fin_tui.ingest import Outcome
    from fin_tui.team.ingest import Report


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="ingest-corpus")(ingest_corpus)


def ingest_corpus(
    ctx: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FOLDER|LIST", help="A folder, or a text file with a path in each line.")],
    corpus: Annotated[str | None, typer.Option(metavar="URI", help="Where: https://HOST:19530.", show_default=False)] = None,
    ray: Annotated[str, typer.Option(metavar="ADDRESS", help="A running Ray cluster; else Ray is started here.")] = "",
    cpus: Annotated[int, typer.Option(help="Without --ray: how many cores to use; 0 means all.", min=0)] = 0,
    writers: Annotated[int, typer.Option(help="How many store at once; 0 means one a machine.", min=0)] = 0,
    index: Annotated[Index, typer.Option(help="How vectors are searched, where the corpus is new.")] = "hnsw",
    failed: Annotated[Path | None, typer.Option(help="Write what failed, and why, as a LIST.", show_default=False)] = None,
    force: Annotated[bool, typer.Option("--force", help="Import other forms than 10-K, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take filings into a team's corpus. Stopped at any moment, the same command goes on; nothing gets in twice.

    Example: fin-tui ingest-corpus filings/ --corpus http://127.0.0.1:19530
    """
    from fin_tui.team.ingest import Report, Wish, listed, run
    from fin_tui.team.ingest.steps import Plan

    context = asking(ctx, corpus)
    uri = context.settings.corpus.uri
    if not uri:
        raise UsageError("Which corpus? No --corpus is given.", "Give --corpus http://HOST:19530, or set corpus.uri.")
    files = listed(source)
    wish = Wish(uri, Plan(context.paths, context.settings, force), ray, cpus, writers, index)
    report, began = Report(wish.corpus), time.monotonic()
    with contextlib.closing(run(files, wish)) as events:
        try:
            _follow(events, report, is_silent=as_json)
        finally:
            if failed is not None:
                failed.write_text(report.as_list(), encoding="utf-8")
    if as_json:
        print(dumps(report.document(time.monotonic() - began)))
    else:
        for line in report.last_lines(time.monotonic() - began):
            wide_console(stderr=True).print(shown(line))
    if report.failed:
        raise FinTuiError(
            f"{len(report.failed)} of {len(files)} files could not be added; all others are in the corpus", FAILED_HINT
        )


def _follow(events: Iterator[Outcome], report: Report, *, is_silent: bool) -> None:
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn

    with stage_bars(MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()) as bars:
        task = bars.add_task("Starting Ray", total=None)
        for event in events:
            _take(event, report, bars, is_silent=is_silent)
            if (latest := report.progress) is not None:
                title = f"Taking in {shown(latest.label)}".rstrip() + f" · {count(report.passages, 'passage')}"
                bars.update(task, description=title, completed=latest.done, total=latest.total)


def _take(event: Outcome, report: Report, bars: Bars, *, is_silent: bool) -> None:
    from fin_tui.ingest import Added, FailedFile, Skipped

    report.take(event)
    match event:
        case Added(filing=filing, replaced=replaced) if not is_silent:
            again = f"; replaces {replaced.file}" if replaced else ""
            counts = f"{count(filing.chunks, 'chunk')}, {count(filing.facts, 'fact')}"
            line = f"{label(filing)} · {counts} ({filing.file}){again}"
            print_above(bars, line)
        case Skipped(path=path, why=why) if not is_silent:
            print_above(bars, f"{Path(path).name}: {why}")
        case FailedFile(path=path, message=message, hint=hint):
            bars.console.print(shown(f"{path}: {message}" + (f" ({hint})" if hint else "")))
