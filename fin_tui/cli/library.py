"""What is in the library: ``filings``, ``sections``, ``remove``; ``show``, ``add``, ``edit`` and ``reindex`` are next door."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli import adding
from fin_tui.cli.options import CorpusUri, asking, opened
from fin_tui.cli.output import AsJson, current, dumps, filing_json, label, shown, wide_console
from fin_tui.cli.show import Name, show
from fin_tui.errors import UsageError
from fin_tui.language import count

if TYPE_CHECKING:
    from fin_tui.records import Filing, Section
    from fin_tui.store.library import Library


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
    from fin_tui.engine.kept.conversation import citing

    names = {"conversation": "cited by conversation", "notebook": "cited by notebook entry", "bookmarks": "bookmarks in"}
    found = citing(library, [name for filing in chosen for name in library.records.ids_of(filing.id)])
    for one in found:
        noun = "place" if one.kind == "bookmarks" else "citation"
        said = f"  {names[one.kind]} {one.name}: {count(one.citations, noun)}"
        print(shown(said + (f", “{one.title}”" if one.title else "")), file=sys.stderr)
    if found:
        print("  Their quotes stay; the passages around them can't be opened any more.", file=sys.stderr)
