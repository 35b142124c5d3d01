"""What commands print, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.filings.cleaning import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars

    from fin_tui.records import Filing

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
_UNLIMITED = 400


def shown(text: str) -> str:
    """Text from a filing or a file name as it may reach a terminal: one line, without control characters."""
    return clean(text)


def label(filing: Filing) -> str:
    """One line that tells a filing from others."""
    year = f"FY{filing.fiscal_year}" if filing.fiscal_year else "FY?"
    return shown(f"{filing.company or 'Unknown company'} · {filing.form} · {year} · {filing.period_end or '?'} · {filing.id}")


def filing_json(filing: Filing) -> dict[str, Any]:
    """The object of ``filings --json``."""
    return {
        "filing": filing.id,
        "file": filing.file,
        "company": filing.company,
        "ticker": filing.ticker or None,
        "cik": filing.cik or None,
        "form": filing.form,
        "fiscal_year": filing.fiscal_year,
        "period_end": filing.period_end.isoformat() if filing.period_end else None,
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
