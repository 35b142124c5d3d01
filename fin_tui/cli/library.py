"""What is in the library: ``add``, ``edit``, ``reindex``, ``filings``, ``sections``, ``remove``; ``show`` is next door.

``ingest-corpus`` adds to a team's corpus instead, on this machine or a cluster.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from fin_tui.cli.output import (
    AsJson,
    CorpusUri,
    advance,
    asking,
    current,
    dumps,
    filing_json,
    label,
    opened,
    print_above,
    shown,
    stage_bars,
    wide_console,
)
from fin_tui.cli.show import Name, show
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.language import count
from fin_tui.team.schema import Index

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from fin_tui.cli.output import ImportReport
    from fin_tui.ingest import Added, Embedded, FailedFile, Job, Outcome, Skipped
    from fin_tui.records import Filing, Section
    from fin_tui.store.library import Library
    from fin_tui.team.ingest import Report


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (add, edit, reindex, filings, sections, show, remove, ingest_corpus):
        app.command(name=command.__name__.replace("_", "-"))(command)


def filings(ctx: typer.Context, corpus: CorpusUri = None, as_json: AsJson = False) -> None:
    """List the filings of the library.

    Example: fin-tui filings --json
    """
    with opened(asking(ctx, corpus), read_only=True) as library:
        held = library.filings()
    if as_json:
        print(dumps([filing_json(filing) for filing in held]))
    elif held:
        _print_filings(held)
    else:
        print("The library is empty. fin-tui add FILE... imports filings; fin-tui setup downloads three samples.")


def _print_filings(held: tuple[Filing, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("company", "form", "FY", "period end", "pages", "items", "chunks", "embedded", "facts", "file", "id"):
        table.add_column(name, justify="right" if name in ("pages", "items", "chunks", "embedded", "facts") else "left")
    for f in held:
        cells = (
            f.company,
            f.form,
            f.fiscal_year or "?",
            f.period_end or "?",
            f.pages,
            len(f.items),
            f.chunks,
            f.embedded,
            f.facts,
        )
        table.add_row(*(Text(shown(str(cell))) for cell in (*cells, f.file, f.id)))
    wide_console().print(table)


def sections(ctx: typer.Context, name: Name, corpus: CorpusUri = None, as_json: AsJson = False) -> None:
    """List the Parts and Items of a filing.

    Example: fin-tui sections AAPL:2024
    """
    with opened(asking(ctx, corpus), read_only=True) as library:
        filing = library.resolve(name)
        found = library.sections(filing.id)
    if as_json:
        print(dumps([_section_json(section) for section in found]))
        return
    print(label(filing))
    for section in found:
        place = f"Item {section.item}" if section.item else f"Part {section.part}" if section.part else "-"
        doubt = "" if section.confidence >= 0.5 else f"   (confidence {section.confidence:.2f})"
        print(f"  {place:<9} p. {section.page:<4} {section.end - section.start:>9,} characters  {shown(section.title)}{doubt}")


class SectionRow(TypedDict):
    """An object of ``sections --json``."""

    part: str | None
    item: str | None
    title: str
    start: int
    end: int
    page: int
    confidence: float


def _section_json(section: Section) -> SectionRow:
    return {
        "part": section.part or None,
        "item": section.item or None,
        "title": section.title,
        "start": section.start,
        "end": section.end,
        "page": section.page,
        "confidence": section.confidence,
    }


def remove(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="FILING|COMPANY[:YEAR]", help="One filing, or all of a company or year.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove filings with all that was made from them; says first which conversations and notebook entries cite them.

    Example: fin-tui remove AAPL:2022
    """
    from fin_tui.store.filings import resolve_all
    from fin_tui.store.library import Library

    with Library.open(current(ctx).paths) as library:
        chosen = resolve_all(name, library.filings())
        for filing in chosen:
            print(label(filing), file=sys.stderr)
        _print_citing(library, chosen)
        if not yes:
            if not sys.stdin.isatty():
                raise UsageError("Nothing was removed: there is no terminal to ask in.", "Give --yes.")
            typer.confirm(f"Remove {count(len(chosen), 'filing')}?", abort=True, err=True)
        removed = library.remove([filing.id for filing in chosen])
    print(f"Removed {count(len(removed), 'filing')}.")


def _print_citing(library: Library, chosen: Sequence[Filing]) -> None:
    """What would lose its source. The quotes themselves stay where they were kept."""
    from fin_tui.engine.saved_items import citing

    names = {"conversation": "cited by conversation", "notebook": "cited by notebook entry", "bookmarks": "bookmarks in"}
    found = citing(library, [name for filing in chosen for name in library.records.ids_of(filing.id)])
    for one in found:
        noun = "place" if one.kind == "bookmarks" else "citation"
        said = f"  {names[one.kind]} {one.name}: {count(one.citations, noun)}"
        print(shown(said + (f", “{one.title}”" if one.title else "")), file=sys.stderr)
    if found:
        print("  Their quotes stay; the passages around them can't be opened any more.", file=sys.stderr)


Company = Annotated[str | None, typer.Option(help="Name, ticker or CIK, where the reader can't tell.", show_default=False)]
Form = Annotated[str | None, typer.Option(help="10-K, 10-K405, 10-KT, 10-K/A, …", show_default=False)]
Year = Annotated[int | None, typer.Option(help="Fiscal year, as the company counts it.", show_default=False)]
PeriodEnd = Annotated[str | None, typer.Option(help="Last day of the period: 2024-09-28.", show_default=False)]
NoEmbed = Annotated[bool, typer.Option("--no-embed", help="Leave the vectors for later.")]
FAILED_HINT = "The reason of each stands above."
_TITLES = {"parse": "Reading", "embed": "Making vectors"}


def add(
    ctx: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, or folders of them.")],
    company: Company = None,
    form: Form = None,
    year: Year = None,
    period_end: PeriodEnd = None,
    force: Annotated[bool, typer.Option("--force", help="Import other forms than 10-K, too.")] = False,
    no_embed: NoEmbed = False,
    as_json: AsJson = False,
) -> None:
    """Add filings to the library. Adding the same file again changes nothing.

    Example: fin-tui add aapl-10k.htm filings/
    """
    from fin_tui.ingest import Job, checked, expand

    context = current(ctx)
    files = tuple(path.absolute() for path in expand(paths))
    if not files:
        raise UsageError("There are no filings in " + ", ".join(str(path) for path in paths), "Give files, or a folder of them.")
    corrections = checked(company, form, year, period_end)
    job = Job(context.paths, context.settings, files, (), corrections, force, not no_embed)
    try:
        report = _run(job, as_json)
    except AddingFailed as failed:
        _name_companies(job, failed.report)
        raise
    _name_companies(job, report)


def reindex(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[FILING]", help="All filings when left out.", show_default=False)] = None,
    no_embed: NoEmbed = False,
    as_json: AsJson = False,
) -> None:
    """Read filings again from the bytes that the library keeps.

    Example: fin-tui reindex AAPL:2024
    """
    from fin_tui.ingest import Job
    from fin_tui.store.library import Library

    context = current(ctx)
    with Library.open(context.paths) as library:
        filings = (library.resolve(name),) if name else library.filings()
    ids = tuple(filing.id for filing in filings)
    _run(Job(context.paths, context.settings, filings=ids, embed=not no_embed), as_json)


def edit(
    ctx: typer.Context,
    name: Name,
    company: Company = None,
    form: Form = None,
    year: Year = None,
    period_end: PeriodEnd = None,
    ticker: Annotated[str | None, typer.Option(help="Trading symbol.", show_default=False)] = None,
    no_embed: NoEmbed = False,
    as_json: AsJson = False,
) -> None:
    """Correct what the reader got wrong. The corrections outlast a reindex.

    Example: fin-tui edit report.pdf --company "Acme Corp." --year 2023
    """
    from fin_tui.ingest import Corrections, Job, checked
    from fin_tui.ingest.pipeline import edit as correct
    from fin_tui.store.library import Library

    context = current(ctx)
    corrections = checked(company, form, year, period_end, ticker)
    if corrections == Corrections():
        raise UsageError("Nothing to correct.", "Give --company, --form, --year, --period-end or --ticker.")
    with Library.open(context.paths) as library:
        filing = correct(library, context.settings, library.resolve(name), corrections)
    print(dumps(filing_json(filing)) if as_json else label(filing), flush=True)
    # The headers of its passages changed, so their vectors are to be made again.
    _run(Job(context.paths, context.settings, embed=not no_embed), as_json, quiet=True)


@dataclass
class _Report:
    """What came of the files so far."""

    added: list[Added] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    embedded: Embedded | None = None

    def document(self) -> ImportReport:
        """The ``add --json`` document."""
        return {
            "added": [
                {
                    **filing_json(added.filing),
                    "path": added.path,
                    "seconds": round(added.seconds, 3),
                    "replaced": added.replaced.id if added.replaced else None,
                }
                for added in self.added
            ],
            "skipped": [skipped.document() for skipped in self.skipped],
            "failed": [failed.document() for failed in self.failed],
            "embedded": self.embedded.document() if self.embedded else None,
        }


class AddingFailed(FinTuiError):
    """Some files could not be added; ``report`` says what came of the others."""

    def __init__(self, message: str, report: _Report) -> None:
        super().__init__(message, FAILED_HINT)
        self.report = report


def _name_companies(job: Job, report: _Report) -> None:
    """Ask for the companies of filings that name none: in a terminal; elsewhere say how they can be named."""
    unnamed = [added.filing for added in report.added if not added.filing.company]
    named = [filing for filing in unnamed if _is_terminal() and _ask_company(job, filing)]
    for filing in unnamed:
        if filing not in named:
            print(
                shown(f"{filing.file}: no company was found in it; fin-tui edit {filing.id} --company NAME adds it."),
                file=sys.stderr,
            )
    if named and job.embed:
        # The headers of their passages changed, so their vectors are to be made again.
        _run(replace(job, files=()), as_json=False, quiet=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _ask_company(job: Job, filing: Filing) -> bool:
    """Whether the user named the company of ``filing``."""
    from fin_tui.ingest import checked
    from fin_tui.ingest.pipeline import edit as correct
    from fin_tui.store.library import Library

    question = f"{shown(filing.file)} names no company that could be read. Company (Enter leaves it open)"
    company = typer.prompt(question, default="", show_default=False, err=True).strip()
    if not company:
        return False
    with Library.open(job.paths) as library:
        filing = correct(library, job.settings, library.resolve(filing.id), checked(company, None, None, None))
    print(label(filing), file=sys.stderr, flush=True)
    return True


def run_job(job: Job) -> None:
    """Do the job with bars on standard error and nothing on standard output. Raises ``FinTuiError`` when a file failed."""
    _run(job, as_json=False, quiet=True)


def _run(job: Job, as_json: bool, *, quiet: bool = False) -> _Report:
    """Do the job in its process; one line a file, bars on standard error. Raises ``AddingFailed`` when a file failed."""
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    from fin_tui.ingest.worker import run

    report = _Report()
    with stage_bars(MofNCompleteColumn(), TimeRemainingColumn()) as bars, contextlib.closing(run(job)) as events:
        for event in events:
            _take(event, report, bars, is_silent=as_json or quiet)
    if not quiet:
        if as_json:
            print(dumps(report.document()))
        else:
            _print_embedded(report)
    if report.failed:
        tried = len(report.added) + len(report.skipped) + len(report.failed)
        if len(report.failed) == tried:
            raise AddingFailed(f"{count(tried, 'file')} could not be added", report)
        raise AddingFailed(f"{len(report.failed)} of {tried} files could not be added; all others are in the library", report)
    return report


def _take(event: Outcome, report: _Report, bars: Bars, *, is_silent: bool) -> None:
    from fin_tui.ingest import Added, FailedFile, Skipped
    from fin_tui.records import Progress

    match event:
        case Progress():
            title = f"{_TITLES.get(event.stage, event.stage)} {shown(event.label)}".strip()
            advance(bars, event, title)
        case Added():
            report.added.append(event)
            if not is_silent:
                print_above(bars, _added_line(event))
        case Skipped():
            report.skipped.append(event)
            if not is_silent:
                print_above(bars, f"{Path(event.path).name}: {event.why}")
        case FailedFile():
            report.failed.append(event)
            bars.console.print(shown(f"{event.path}: {event.message}" + (f" ({event.hint})" if event.hint else "")))
        case _:
            report.embedded = event


def _added_line(added: Added) -> str:
    f = added.filing
    counts = ", ".join((count(f.pages, "page"), count(len(f.items), "item"), count(f.chunks, "chunk"), count(f.facts, "fact")))
    again = f"; replaces the version of {added.replaced.file}" if added.replaced else ""
    return f"{label(f)} · {counts} · {added.seconds:.1f} s ({f.file}){again}"


def _print_embedded(report: _Report) -> None:
    if report.embedded is None:
        return
    embedded = report.embedded
    line = f"Vectors: {embedded.done:,} of {embedded.total:,} passages"
    wide_console(stderr=True).print(shown(f"{line}. {embedded.note}" if embedded.note else f"{line}."))


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
    """Add filings to a team's corpus. Stopped at any moment, the same command goes on; nothing gets in twice.

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
            _follow_corpus(events, report, is_silent=as_json)
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


def _follow_corpus(events: Iterator[Outcome], report: Report, *, is_silent: bool) -> None:
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn

    with stage_bars(MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()) as bars:
        task = bars.add_task("Starting Ray", total=None)
        for event in events:
            _show_outcome(event, report, bars, is_silent=is_silent)
            if (latest := report.progress) is not None:
                title = f"Taking in {shown(latest.label)}".rstrip() + f" · {count(report.passages, 'passage')}"
                bars.update(task, description=title, completed=latest.done, total=latest.total)


def _show_outcome(event: Outcome, report: Report, bars: Bars, *, is_silent: bool) -> None:
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
