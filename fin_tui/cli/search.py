"""``fin-tui search``: the passages that a question finds, without an answer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from fin_tui.cli.output import (
    AsJson,
    Companies,
    CorpusUri,
    Count,
    Filings,
    Forms,
    Items,
    ModeName,
    Rerank,
    Years,
    asking,
    chosen_mode,
    chosen_scope,
    dumps,
    opened,
    shown,
)
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.records import FilingHead, head_of

if TYPE_CHECKING:
    from fin_tui.config import Mode
    from fin_tui.engine.searching import Finder, Passages
    from fin_tui.records import Filing, Hit

_SNIPPET = 320


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="search")(search)


def search(
    ctx: typer.Context,
    query: Annotated[str | None, typer.Argument(help="What to look for, in quotes.", show_default=False)] = None,
    batch: Annotated[Path | None, typer.Option(help="JSON lines, one question a line.", show_default=False)] = None,
    company: Companies = None,
    year: Years = None,
    item: Items = None,
    form: Forms = None,
    filing: Filings = None,
    mode: ModeName = None,
    k: Count = None,
    rerank: Rerank = None,
    corpus: CorpusUri = None,
    as_json: AsJson = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the rank that each index gave.")] = False,
) -> None:
    """Find the passages of the library that a question is about.

    Example: fin-tui search "supply chain risk" --company AAPL --year 2024
    """
    from fin_tui.engine.searching import open_finder

    context = asking(ctx, corpus)
    if (query is None) == (batch is None) or (query is not None and not query.strip()):
        raise UsageError("Give either a query or --batch FILE.", 'Example: fin-tui search "supply chain risk" --company AAPL')
    options: Options = {"k": k, "mode": chosen_mode(mode), "rerank": rerank}
    with opened(context) as asked:
        held = asked.filings()
        finder = open_finder(asked, context.paths, context.settings)
        if batch is not None:
            _batch(finder, held, batch, options)
            return
        assert query is not None
        scope = chosen_scope(held, company, year, item, form, filing)
        # One question pays for loading the weights; the deadline is for ranking alone.
        finder.warm_up(mode=options["mode"], rerank=rerank)
        found = finder.search(query, scope, **options)
    if as_json:
        print(dumps(to_json(None, query, found)))
    else:
        _show(found, explain)


def _batch(finder: Finder, held: Sequence[Filing], file: Path, options: Options) -> None:
    """One line of JSON for each line of ``file``, in order; what can't be searched gets an ``error`` and no hits."""
    from fin_tui.engine.questions.batch import read_batch, scope_of

    lines = read_batch(file)
    finder.warm_up(mode=options["mode"], rerank=options["rerank"])
    for line in lines:
        try:
            found = finder.search(line.question, scope_of(line, held), history=line.history, **options)
        except FinTuiError as error:
            said = {"id": line.id, "query": line.question, "error": error.message}
            print(dumps({**said, "hits": [], "timings_ms": {}}), flush=True)
        else:
            print(dumps(to_json(line.id, line.question, found)), flush=True)


class Options(TypedDict):
    """How passages are searched for; None means as in the settings."""

    k: int | None
    mode: Mode | None
    rerank: bool | None


class SearchScope(TypedDict):
    """Where a search looked."""

    label: str
    companies: list[str]
    fiscal_years: list[int]


class HitRow(FilingHead):
    """A passage that was found."""

    rank: int
    chunk_id: str
    item: str | None
    page: int
    page_label: str | None
    heading: str
    kind: str
    text: str
    start: int
    end: int
    score: float
    ranks: dict[str, int | None]


class SearchDocument(TypedDict):
    """The ``search --json`` document."""

    id: str | None
    query: str
    mode: str
    scope: SearchScope
    hits: list[HitRow]
    notes: list[str]
    timings_ms: dict[str, float]


def to_json(identifier: str | None, query: str, found: Passages) -> SearchDocument:
    """The ``search --json`` document."""
    return {
        "id": identifier,
        "query": query,
        "mode": found.mode,
        "scope": {
            "label": found.target.label,
            "companies": list(dict.fromkeys(filing.company for filing in found.target.filings)),
            "fiscal_years": sorted({filing.fiscal_year for filing in found.target.filings if filing.fiscal_year}),
        },
        "hits": [_hit(hit) for hit in found.hits],
        "notes": list(found.notes),
        "timings_ms": dict(found.timings_ms),
    }


def _hit(hit: Hit) -> HitRow:
    chunk = hit.chunk
    return {
        "rank": hit.rank,
        "chunk_id": chunk.id,
        **head_of(hit.filing),
        "item": chunk.item or None,
        "page": chunk.page,
        "page_label": chunk.page_label or None,
        "heading": chunk.heading,
        "kind": chunk.kind,
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "score": round(hit.score, 6),
        "ranks": {"dense": hit.ranks.dense, "sparse": hit.ranks.sparse, "rerank": hit.ranks.rerank},
    }


def _show(result: Passages, explain: bool) -> None:
    from fin_tui.records.answer import page_name

    for hit in result.hits:
        chunk, filing = hit.chunk, hit.filing
        place = [f"{filing.company} {filing.form} FY{filing.fiscal_year or '?'}"]
        place += [f"Item {chunk.item}"] if chunk.item else []
        place += [page_name(chunk.page, chunk.page_label), *([chunk.heading] if chunk.heading else [])]
        print(f"{hit.rank:>3}  {shown(' · '.join(place))}")
        if explain:
            ranks = ", ".join(f"{name} {getattr(hit.ranks, name) or '–'}" for name in ("dense", "sparse", "rerank"))
            print(f"     {ranks}; score {hit.score:.4f}; {chunk.id}")
        text = shown(chunk.text)
        print(f"     {text[:_SNIPPET]}{'…' if len(text) > _SNIPPET else ''}\n")
    if not result.hits:
        print("Nothing found.")
    if explain:
        timings = ", ".join(f"{name} {value:.0f} ms" for name, value in result.timings_ms.items())
        print(f"{result.mode}: {timings}", file=sys.stderr)
    for note in (f"Searched: {result.target.label}.", *result.notes):
        print(shown(note), file=sys.stderr)
