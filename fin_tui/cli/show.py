"""``fin-tui show``: a filing as it was read: what it is, the text of an Item or a page, its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.output import AsJson, CorpusUri, asking, dumps, label, opened, shown
from fin_tui.errors import NotFound, UsageError

if TYPE_CHECKING:
    from fin_tui.facts.from_tables import TableDocument
    from fin_tui.records import Filing
    from fin_tui.retrieval.backend import Served
    from fin_tui.store import Corpus
    from fin_tui.store.library import Library

Name = Annotated[str, typer.Argument(metavar="FILING", help="Id, unique prefix, base name, or COMPANY:YEAR.")]


def show(
    ctx: typer.Context,
    name: Name,
    item: Annotated[str | None, typer.Option(help="Only this Item: 7, 1A, mda, …", show_default=False)] = None,
    page: Annotated[int | None, typer.Option(help="Only this page, counted from 1.", min=1, show_default=False)] = None,
    text: Annotated[bool, typer.Option("--text", help="The whole clean text.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="The tables, with --json as rows with values and periods.")] = False,
    corpus: CorpusUri = None,
    as_json: AsJson = False,
) -> None:
    """Show a filing: what it is, or the text of an Item, a page, or all of it; its tables as rows.

    Example: fin-tui show AAPL:2024 --item 8 --tables --json
    """

    if as_json and not tables:
        raise UsageError("--json is for --tables.", "fin-tui filings --json and fin-tui sections FILING --json tell the rest.")
    if text and tables:
        raise UsageError("Give either --text or --tables.", "Example: fin-tui show AAPL:2024 --tables")
    with opened(asking(ctx, corpus), read_only=True) as library:
        filing = library.resolve(name)
        if tables:
            print_tables(library, filing, item, page, as_json=as_json)
            return
        if item is None and page is None and not text:
            _print_card(library, filing)
            return
        for part in _parts(library, filing, item, page):
            print(part)


def _parts(library: Corpus, filing: Filing, item: str | None, page: int | None) -> list[str]:
    """The pieces of clean text asked for, in reading order. Raises ``NotFound`` for an Item or page that is not there."""
    whole = library.text(filing.id)
    spans = [(0, len(whole))]
    if item is not None:
        from fin_tui.engine.reader import item_spans

        spans = [(span.start, span.end) for span in item_spans(library, filing, item)]
    if page is not None:
        blocks = [block for block in library.document(filing.id).blocks if block.page == page]
        spans = [
            (max(block.start, start), min(block.end, end))
            for start, end in spans
            for block in blocks
            if block.start < end and block.end > start
        ]
        if not spans:
            raise NotFound(f"{label(filing)} has nothing on page {page}", f"It has {filing.pages} pages.")
    return [whole[start:end] + ("\n" if page is not None else "") for start, end in spans]


def _print_card(library: Library | Served, filing: Filing) -> None:
    from fin_tui.store.library import Library

    known = library.records.provenance(filing.id) if isinstance(library, Library) else library.provenance(filing.id)
    lines = {
        "company": filing.company,
        "CIK": filing.cik,
        "ticker": filing.ticker,
        "form": filing.form,
        "fiscal year": filing.fiscal_year,
        "period end": filing.period_end,
        "filed": filing.filed,
        "file": filing.file,
        "id": filing.id,
        "url": filing.url,
        "format": f"{filing.format}, {filing.pages} pages, {filing.coverage:.1%} of the words kept",
        "tables": _cross_check(filing),
        "items": ", ".join(filing.items),
        "passages": f"{filing.chunks:,}, {filing.embedded:,} with vectors",
        "facts": f"{filing.facts:,}",
        "sha256": known.sha256,
        "version": f"{known.version}, added {known.added}",
        "corrected": ", ".join(f"{field} = {value}" for field, value in known.corrections.items()),
    }
    for title, value in lines.items():
        if value not in (None, ""):
            print(f"{title:<12} {shown(str(value))}")
    for warning in filing.warnings:
        print(f"{'warning':<12} {shown(warning)}")


def _cross_check(filing: Filing) -> str:
    if filing.crosscheck is None:
        return ""
    return f"{filing.crosscheck:.2%} of {filing.crosscheck_cells:,} tagged cells read as tagged"


def print_tables(library: Corpus, filing: Filing, item: str | None, page: int | None, *, as_json: bool) -> None:
    """Print the tables of an Item, of a page, or all. Raises ``NotFound`` when there are none."""
    from fin_tui.facts.from_tables import tables_as_rows

    items = _items(item)
    chosen = [
        table
        for table in tables_as_rows(library.document(filing.id), library.sections(filing.id))
        if (items is None or table["item"] in items) and (page is None or table["page"] == page)
    ]
    if not chosen:
        raise NotFound(f"{label(filing)} has no such tables", "fin-tui show FILING --tables lists all of them.")
    if as_json:
        print(dumps(chosen))
        return
    for table in chosen:
        print(_line(table))


def _items(item: str | None) -> frozenset[str] | None:
    if item is None:
        return None
    from fin_tui.retrieval.scope import item_numbers

    return frozenset(item_numbers(item))


def _line(table: TableDocument) -> str:
    from fin_tui.records.answer import page_name

    place = page_name(table["page"], table["page_label"]) + (f", Item {table['item']}" if table["item"] else "")
    units = f"  {shown(table['units'])}" if table["units"] else ""
    return f"{table['table']:>4}  {place:<36}  {len(table['rows']):>3} rows  {shown(table['title'] or '–')}{units}"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="changes")(changes)


def changes(
    ctx: typer.Context,
    filing: Annotated[str, typer.Argument(help="Id, unique prefix, base name or COMPANY:YEAR.")],
    corpus: CorpusUri = None,
    as_json: AsJson = False,
) -> None:
    """One page on what changed since the year before: risk headings, Items, restated figures, segments, auditor; each cited.

    Example: fin-tui changes AAPL:2024
    """
    from fin_tui.engine.reader import markdown, whats_new

    with opened(asking(ctx, corpus)) as library:
        found = whats_new(library, library.resolve(filing).id)
    if as_json:
        parts = [{"title": part.title, "lines": part.lines} for part in found.parts]
        print(dumps({"filing": found.newer.id, "before": found.older.id, "parts": parts}))
        return
    for line in markdown(found).splitlines():
        print(shown(line))
