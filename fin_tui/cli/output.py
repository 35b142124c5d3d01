"""What commands share: their context, the options of several, and what they print: for people, for programs, as progress."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict, cast

import typer

from fin_tui.config import Settings
from fin_tui.errors import UsageError
from fin_tui.language import clean
from fin_tui.paths import Paths
from fin_tui.records import FilingHead, Progress, head_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn

    from fin_tui.config import Mode
    from fin_tui.records import Filing, Scope
    from fin_tui.retrieval.backend import Served
    from fin_tui.store.library import Library


AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
_UNLIMITED = 400


def shown(text: str) -> str:
    """Text from a filing or a file name as it may reach a terminal: one line, without control characters."""
    return clean(text)


def label(filing: Filing) -> str:
    """One line that tells a filing from others."""
    year = f"FY{filing.fiscal_year}" if filing.fiscal_year else "FY?"
    return shown(f"{filing.company or 'Unknown company'} · {filing.form} · {year} · {filing.period_end or '?'} · {filing.id}")


class FilingRow(FilingHead):
    """A filing of ``filings --json``."""

    filed: str | None
    pages: int
    items: list[str]
    chunks: int
    facts: int
    embedded: int
    coverage: float
    crosscheck: float | None
    crosscheck_cells: int
    warnings: list[str]
    path: NotRequired[str]
    """Of a file that was added, with ``seconds`` and ``replaced``."""
    seconds: NotRequired[float]
    replaced: NotRequired[str | None]
    """The id of the version before it."""
    url: NotRequired[str | None]
    """Of a filing that was added from EDGAR."""


class ImportReport(TypedDict):
    """The document of ``add --json`` and ``fetch --json``."""

    added: list[FilingRow]
    skipped: list[dict[str, str | None]]
    failed: list[dict[str, str]]
    embedded: dict[str, int | str] | None


def filing_json(filing: Filing) -> FilingRow:
    """The object of ``filings --json``."""
    return {
        **head_of(filing),  # type: ignore[typeddict-item]  # The keys of other commands are not there.
        "filed": filing.filed.isoformat() if filing.filed else None,
        "pages": filing.pages,
        "items": list(filing.items),
        "chunks": filing.chunks,
        "facts": filing.facts,
        "embedded": filing.embedded,
        "coverage": round(filing.coverage, 4),
        "crosscheck": None if filing.crosscheck is None else round(filing.crosscheck, 4),
        "crosscheck_cells": filing.crosscheck_cells,
        "warnings": list(filing.warnings),
    }


def dumps(document: Any) -> str:
    """Compact JSON, one line."""
    import msgspec

    return msgspec.json.encode(document).decode()


def wide_console(*, stderr: bool = False) -> Console:
    """A console that does not cut lines when its output goes to a file or another program."""
    from rich.console import Console

    console = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console = Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=_UNLIMITED)
    return console


def print_above(bars: Bars, line: str) -> None:
    """A line on standard output, above the bars when both are the same screen."""
    out = wide_console()
    if out.is_terminal and bars.console.is_terminal:
        bars.console.print(shown(line))
    else:
        out.print(shown(line))


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


@dataclass(frozen=True, slots=True)
class Context:
    """Made once by the entry of the command line."""

    paths: Paths
    settings: Settings
    verbose: bool = False


def current(ctx: typer.Context) -> Context:
    """The context of a running command."""
    context = ctx.find_object(Context)
    if context is None:
        raise RuntimeError("a command ran without the entry of the command line")
    return context


CorpusUri = Annotated[
    str | None,
    typer.Option("--corpus", metavar="URI", help="Ask a team's corpus, not the library of this machine.", show_default=False),
]
LOCAL = frozenset({"add", "edit", "reindex", "remove", "fetch", "setup"})
"""Commands that change the library of this machine, and nothing else."""


def on_corpus(context: Context, uri: str | None) -> Context:
    """``context`` as an option ``--corpus`` wants it. Raises ``UsageError`` for what is no address."""
    import msgspec

    if uri is None:
        return context
    from fin_tui.team.link import checked

    corpus = msgspec.structs.replace(context.settings.corpus, uri=checked(uri) if uri else "")
    return Context(context.paths, msgspec.structs.replace(context.settings, corpus=corpus), context.verbose)


def asking(ctx: typer.Context, uri: str | None) -> Context:
    """The context of a running command with its own ``--corpus``."""
    return on_corpus(current(ctx), uri)


def refuse_corpus(command: str | None, uri: str | None) -> None:
    """Raises ``UsageError`` where a corpus is named for a command that changes the library of this machine."""
    if uri and command in LOCAL:
        raise UsageError(
            f"fin-tui {command} works on the library of this machine; a team's corpus is not changed by it.",
            "Leave --corpus out; fin-tui ingest-corpus FOLDER --corpus URI adds filings to a corpus.",
        )


@contextlib.contextmanager
def opened(context: Context, *, read_only: bool = False) -> Iterator[Library | Served]:
    """The corpus that is asked: a served one where one is named, else the library of this machine."""
    from fin_tui.store.library import Library
    from fin_tui.team import corpus_of

    corpus = corpus_of(context.paths, context.settings)
    if corpus is None:
        with Library.open(context.paths, read_only=read_only) as library:
            yield library
    else:
        with contextlib.closing(corpus):
            yield corpus


Companies = Annotated[
    list[str] | None, typer.Option("--company", help="Name, ticker or CIK; may be repeated.", show_default=False)
]
Years = Annotated[list[int] | None, typer.Option("--year", help="Fiscal year; may be repeated.", show_default=False)]
Items = Annotated[
    list[str] | None,
    typer.Option("--item", help="7, 1A, mda, risk_factors, business, financials; may be repeated.", show_default=False),
]
Forms = Annotated[list[str] | None, typer.Option("--form", help="10-K, 10-K405, 10-K/A; may be repeated.", show_default=False)]
Filings = Annotated[
    list[str] | None,
    typer.Option("--filing", help="Id, unique prefix, base name or COMPANY:YEAR; may be repeated.", show_default=False),
]


def chosen_scope(
    held: Sequence[Filing],
    company: Sequence[str] | None,
    year: Sequence[int] | None,
    item: Sequence[str] | None,
    form: Sequence[str] | None,
    filing: Sequence[str] | None,
) -> Scope:
    """The scope of these option values. Raises ``NotFound`` for what is not held, ``UsageError`` for what means nothing."""
    from fin_tui.retrieval.scope import resolve_scope

    return resolve_scope(
        held, companies=company or (), years=year or (), items=item or (), forms=form or (), filing_names=filing or ()
    )


MODES = ("hybrid", "dense", "sparse")

ModeName = Annotated[str | None, typer.Option("--mode", help="hybrid, dense or sparse.", show_default=False)]
Count = Annotated[int | None, typer.Option("-k", min=1, max=100, help="How many passages.", show_default=False)]
Rerank = Annotated[bool | None, typer.Option("--rerank/--no-rerank", help="Rerank the passages.", show_default=False)]


def chosen_mode(name: str | None) -> Mode | None:
    """``name`` as a mode; None as the settings say. Raises ``UsageError`` for an unknown one."""
    if name not in (None, *MODES):
        raise UsageError(f"Unknown mode {name!r}.", f"Modes: {', '.join(MODES)}.")
    return cast("Mode | None", name)
