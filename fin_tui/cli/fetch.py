"""``fin-tui fetch``: filings from EDGAR into the library. ``ask --fetch`` comes here, too."""

from __future__ import annotations

import contextlib
import datetime as dt
import sys
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from fin_tui.cli.output import AsJson, Context, advance, current, filing_json, label, shown, stage_bars, wide_console
from fin_tui.errors import FinTuiError, NotFound, UsageError
from fin_tui.language import count
from fin_tui.records import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from fin_tui.cli.output import ImportReport
    from fin_tui.filings.edgar.client import Selection
    from fin_tui.ingest.fetch import FetchEvent
    from fin_tui.ingest.fetch_plan import Plan, Wish

_MB = 1 << 20
_SHOWN = 12
Names = Annotated[list[str] | None, typer.Argument(metavar="COMPANY", help="Ticker, CIK or name.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="fetch")(fetch)


def fetch(
    ctx: typer.Context,
    companies: Names = None,
    form: Annotated[str | None, typer.Option(help="10-K, 10-K405 or 10-KT alone; all of them by default.")] = None,
    years: Annotated[int | None, typer.Option(min=1, max=60, help="Only the latest so many; 1 by default.")] = None,
    year: Annotated[list[int] | None, typer.Option(help="This fiscal year; may be repeated.", show_default=False)] = None,
    after: Annotated[str | None, typer.Option(help="Filed on or after this day.", metavar="DATE", show_default=False)] = None,
    before: Annotated[str | None, typer.Option(help="Filed on or before this day.", metavar="DATE", show_default=False)] = None,
    accession: Annotated[list[str] | None, typer.Option(help="This filing; may be repeated.", show_default=False)] = None,
    amends: Annotated[bool, typer.Option("--amends", help="Amendments, too.")] = False,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="A TOML list of companies.", show_default=False)
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask before a large fetch.")] = False,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vectors for later.")] = False,
    as_json: AsJson = False,
) -> None:
    """Download 10-K filings from EDGAR. Those in the library are skipped; a stopped fetch goes on where it was.

    Example: fin-tui fetch AAPL --years 3
    """
    from fin_tui.network import require_network

    require_network("fetch")
    selection = _selection(form, years, year, after, before, amends)
    wishes = _wishes(companies or [], accession or [], source, selection)
    run_fetch(with_contact(current(ctx)), wishes, yes=yes, embed=not no_embed, as_json=as_json)


def run_fetch(context: Context, wishes: tuple[Wish, ...], *, yes: bool, embed: bool, as_json: bool, quiet: bool = False) -> None:
    """Plan, ask where the fetch is large, download and add. Raises ``FinTuiError`` when something wished for is missing."""
    from fin_tui.cli.output import dumps
    from fin_tui.ingest.fetch import Fetcher

    with Fetcher(context.paths, context.settings) as fetcher:
        plan = follow_plan(fetcher.plan(wishes))
        _show_plan(plan)
        if plan.is_large and not yes:
            _confirm(plan)
        with contextlib.closing(fetcher.run(plan, embed=embed)) as events:
            report = follow_run(events, is_silent=as_json or quiet)
    if as_json:
        print(dumps({**report, "held": [filing.id for _, filing in plan.held]}))
    if report["failed"] or plan.problems:
        first = (
            plan.problems[0].message if plan.problems else f"{count(len(report['failed']), 'filing')} could not be downloaded."
        )
        kind = NotFound if plan.problems and not (report["added"] or plan.held) else FinTuiError
        raise kind(first, plan.problems[0].hint if plan.problems else "Run the same command again: it goes on from there.")


def with_contact(context: Context) -> Context:
    """The context with who asks in its settings: asked for once on a terminal, and kept. Raises ``UsageError`` elsewhere."""
    import msgspec

    from fin_tui.config import write_setting
    from fin_tui.filings.edgar.client import checked_contact, contact

    edgar = context.settings.edgar
    if (edgar.name.strip() and edgar.email.strip()) or not (sys.stdin.isatty() and sys.stderr.isatty()):
        contact(edgar)
        return context
    _say("EDGAR wants to know who asks. Your name and e-mail address go to the SEC with each request, and nowhere else.")
    name = edgar.name or typer.prompt("Name or company", err=True)
    email = edgar.email or typer.prompt("E-mail address", err=True)
    asker = checked_contact(name, email)
    write_setting(context.paths.settings, "edgar", "name", asker.name)
    write_setting(context.paths.settings, "edgar", "email", asker.email)
    _say(f"Saved in {context.paths.settings}.")
    known = msgspec.structs.replace(edgar, name=asker.name, email=asker.email)
    settings = msgspec.structs.replace(context.settings, edgar=known)
    return Context(context.paths, settings, context.verbose)


def _selection(
    form: str | None, years: int | None, year: list[int] | None, after: str | None, before: str | None, amends: bool
) -> Selection:
    from fin_tui.filings.edgar.client import ANNUAL, Selection
    from fin_tui.ingest.fetch_plan import forms_of

    first, last = _day("--after", after), _day("--before", before)
    if first and last and first > last:
        raise UsageError(f"--after {first} is later than --before {last}", "Exchange the two.")
    is_bounded = bool(first or last or year)
    newest = years or (0 if is_bounded else 1)
    return Selection(forms_of(form) if form else ANNUAL, newest, first, last, tuple(year or ()), amends)


def _wishes(companies: list[str], accessions: list[str], source: Path | None, selection: Selection) -> tuple[Wish, ...]:
    from fin_tui.filings.edgar.client import spelled_accession
    from fin_tui.ingest.fetch_plan import Wish, read_list, wish_for

    numbers = [(given, spelled_accession(given)) for given in accessions]
    for given, number in numbers:
        if not number:
            raise UsageError(f"--accession {given!r} is no accession number", "Write it as 0000320193-24-000123.")
    if len(companies) > 1 and numbers:
        raise UsageError("--accession goes with one company, or none.", "Fetch them one after the other.")
    if numbers:
        wishes = tuple(Wish(companies[0] if companies else "", selection, number) for _, number in numbers)
    else:
        wishes = tuple(wish_for(name, selection) for name in companies)
    if source is not None:
        wishes += read_list(source, selection)
    if not wishes:
        raise UsageError("Nothing to fetch.", "Example: fin-tui fetch AAPL --years 3")
    return wishes


def _day(option: str, text: str | None) -> dt.date | None:
    if text is None:
        return None
    try:
        return dt.date.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(f"{option} {text!r} is not a date", "Write it as 2024-09-28.") from error


def _show_plan(plan: Plan) -> None:
    for problem in plan.problems:
        _say(f"{problem.message} {problem.hint}")
    for listed, filing in plan.held:
        _say(f"{listed.label}: already in the library as {filing.id}")
    for listed in plan.wanted[:_SHOWN]:
        _say(f"{listed.label}, filed {listed.filed}")
    if len(plan.wanted) > _SHOWN:
        _say(f"and {len(plan.wanted) - _SHOWN} more")
    if plan.wanted:
        wanted = count(len(plan.wanted), "filing")
        _say(f"{wanted} to fetch, at most {plan.largest // _MB + 1:,} MB; {plan.free // _MB:,} MB are free.")


def _confirm(plan: Plan) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"That is a large fetch: {count(len(plan.wanted), 'filing')}.", "Add --yes to go on.")
    if not typer.confirm("Go on?", err=True):
        raise typer.Exit(1)


def _say(line: str) -> None:
    wide_console(stderr=True).print(shown(line))


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


def follow_run(events: Iterable[FetchEvent], *, is_silent: bool) -> ImportReport:
    """Show the events; gives the ``fetch --json`` document. ``is_silent`` leaves standard output alone."""
    from fin_tui.ingest import Added, Embedded, FailedFile, Skipped
    from fin_tui.ingest.fetch import Brought

    report: ImportReport = {"added": [], "skipped": [], "failed": [], "embedded": None}
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
