"""The longest filing of a library opened at what an answer cites: key press to the marked words on screen, in a pseudo-terminal.

    python -m benchmarks.reading [--home DIR] [--json]

The reader is on screen when the bytes that draw the marked words under its title have arrived at the terminal. The first time
the text comes from disk; each time it is laid out anew.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from benchmarks.command import measure
from benchmarks.recorded_terminal import RecordedTerminal
from fin_tui.paths import Paths, find_home
from fin_tui.records import Filing
from fin_tui.store.library import Library

_QUESTION = "What does {company} say about competition in fiscal {year}?"
_FEWEST_MARKED = 10
"""Underlined characters, so that a cited span must be among them."""


def run(home: Path | None, times: int = 7) -> dict[str, Any]:
    """Milliseconds from Ctrl+O to the marked words, and how long the filing's text is."""
    paths = find_home(home)
    filing, length = _longest(paths)
    with RecordedTerminal(paths.home) as terminal:
        terminal.wait_for(lambda t: "filings ·" in t.text or "filing ·" in t.text)
        terminal.press("\x1bw")
        terminal.wait_for("model off")
        terminal.press(_QUESTION.format(company=filing.company, year=filing.fiscal_year))
        terminal.press("\r")
        terminal.wait_for("no model ")
        taken = []
        for _ in range(times):
            pressed = terminal.press("\x0f")
            taken.append((terminal.wait_for(lambda t: _is_reading(t, filing)) - pressed) * 1000)
            terminal.press("\x1b")
            terminal.wait_for("─ Sources")
    return {
        "characters": length,
        "open_ms": {"median": round(statistics.median(taken)), "first": round(taken[0]), "max": round(max(taken))},
    }


def _longest(paths: Paths) -> tuple[Filing, int]:
    library = Library.open(paths)
    try:
        sizes = {filing.id: len(library.text(filing.id)) for filing in library.filings()}
        filing = max(library.filings(), key=lambda held: sizes[held.id])
    finally:
        library.close()
    return filing, sizes[filing.id]


def _is_reading(terminal: RecordedTerminal, filing: Filing) -> bool:
    """The reader's title on top, and marked words under it."""
    if f"FY{filing.fiscal_year} · {filing.form}" not in terminal.screen.display[0]:
        return False
    cells = (cell for row in terminal.screen.buffer.values() for cell in row.values())
    marked = [cell for cell in cells if cell.underscore and not cell.data.isspace()]
    return len(marked) >= _FEWEST_MARKED


if __name__ == "__main__":
    measure(__doc__, run)
