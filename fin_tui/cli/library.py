"""What is in the library: ``filings``, ``sections``, ``show``, ``remove``; ``add``, ``edit`` and ``reindex`` are next door."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli import adding
from fin_tui.cli.context import current
from fin_tui.cli.corpus_option import CorpusUri, asking, opened
from fin_tui.cli.output import AsJson, dumps, filing_json, label, shown, wide_console
from fin_tui.errors import NotFound, UsageError
from fin_tui.plural import count

if TYPE_CHECKING:
    from fin_tui.records import Filing, Section
    from fin_tui.retrieval.opening import Served
    from fin_tui.store.corpus import Corpus
    from fin_tui.store.library import Library

Name = Annotated[str, typer.Argument(metavar="FILING", help="Id, unique prefix, base name, or COMPANY:YEAR.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    adding.register(app)
    for command in (filings, sections, show, remove):
        app.command(name=command.__name__)(command)


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
        print("The library is empty. fin-tui add FILE... brings filings in; fin-tui setup brings three samples.")


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


def _section_json(section: Section) -> dict[str, Any]:
    return {
        "part": section.part or None,
        "item": section.item or None,
        "title": section.title,
        "start": section.start,
        "end": section.end,
        "page": section.page,
        "confidence": section.confidence,
    }


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
    from fin_tui.cli.tables_output import print_tables

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
        from fin_tui.engine.reader.items import item_spans

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


def remove(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="FILING|COMPANY[:YEAR]", help="One filing, or all of a company or year.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove filings with all that was made from them; says first which conversations and notebook entries cite them.

    Example: fin-tui remove AAPL:2022
    """
    from fin_tui.store.library import Library
    from fin_tui.store.resolve import resolve_all

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
    from fin_tui.engine.kept.citing import citing

    names = {"conversation": "cited by conversation", "notebook": "cited by notebook entry", "bookmarks": "bookmarks in"}
    found = citing(library, [name for filing in chosen for name in library.records.ids_of(filing.id)])
    for one in found:
        noun = "place" if one.kind == "bookmarks" else "citation"
        said = f"  {names[one.kind]} {one.name}: {count(one.citations, noun)}"
        print(shown(said + (f", “{one.title}”" if one.title else "")), file=sys.stderr)
    if found:
        print("  Their quotes stay; the passages around them can't be opened any more.", file=sys.stderr)
