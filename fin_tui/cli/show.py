"""``fin-tui show``: a filing as it was read: what it is, the text of an Item or a page, its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.corpus_option import CorpusUri, asking, opened
from fin_tui.cli.output import AsJson, label, shown
from fin_tui.errors import NotFound, UsageError

if TYPE_CHECKING:
    from fin_tui.records import Filing
    from fin_tui.retrieval.opening import Served
    from fin_tui.store.corpus import Corpus
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
