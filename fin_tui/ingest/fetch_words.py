"""What is to be fetched, as people type it: companies in one line, years in another (pure)."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fin_tui.errors import UsageError

# The app imports this at its start: what goes to EDGAR is imported when it is used.
if TYPE_CHECKING:
    from fin_tui.filings.edgar.listing import Selection
    from fin_tui.ingest.fetch_plan import Wish

_FIRST_YEAR, _LAST_YEAR = 1993, 2200
"""EDGAR begins in 1993."""
_MOST_PERIODS = 60
_YEARS = re.compile(r"(?:FY)?(\d{4})(?:-(?:FY)?(\d{4}))?", re.IGNORECASE)
_LEGAL_FORMS = "inc|incorporated|corp|corporation|co|company|ltd|limited|llc|l\\.l\\.c|lp|l\\.p|plc|n\\.v|s\\.a|ag"
# "Alphabet, Inc." is one name: a comma before a legal form does not separate.
_BETWEEN = re.compile(rf"[;\n]|,(?!\s*(?:{_LEGAL_FORMS})\b)", re.IGNORECASE)
_HOW_YEARS = "Write 2022-2024, or 2021, 2023, or 3 for the newest three; nothing for the newest."


@dataclass(frozen=True, slots=True)
class Words:
    """The two lines."""

    companies: str = ""
    """Tickers, CIKs, names or accession numbers, with commas between."""
    years: str = ""
    """Fiscal years, or how many of the newest; empty: the newest."""

    @property
    def names(self) -> tuple[str, ...]:
        """The companies one by one."""
        return tuple(name for part in _BETWEEN.split(self.companies) if (name := " ".join(part.split())))

    def wishes(self) -> tuple[Wish, ...]:
        """What the lines ask for. Raises ``UsageError``."""
        if not self.names:
            raise UsageError("Nothing to fetch yet.", "Name a company: its ticker, CIK or name; or an accession number.")
        from fin_tui.ingest.fetch_plan import wish_for

        selection = _selection(self.years)
        return tuple(wish_for(name, selection) for name in self.names)


def words_of_command(command: str) -> Words:
    """The lines that mean what a refusal's ``fin-tui fetch …`` does; empty for anything else."""
    try:
        parts = shlex.split(command)
    except ValueError:
        return Words()
    if parts[:2] != ["fin-tui", "fetch"] or len(parts) < 3:
        return Words()
    years = [value for option, value in zip(parts[3::2], parts[4::2], strict=False) if option == "--year"]
    return Words(parts[2], ", ".join(years))


def _selection(text: str) -> Selection:
    from fin_tui.filings.edgar.listing import Selection

    text = text.strip()
    if not text:
        return Selection(newest=1)
    if text.isascii() and text.isdigit() and 0 < int(text) <= _MOST_PERIODS:
        return Selection(newest=int(text))
    years: set[int] = set()
    for part in filter(None, re.split(r"[,;\s]+", re.sub(r"\s*[-–]\s*", "-", text))):
        found = _YEARS.fullmatch(part)
        first = int(found[1]) if found else 0
        last = int(found[2] or first) if found else 0
        if not _FIRST_YEAR <= first <= last <= _LAST_YEAR:
            raise UsageError(f"{part!r} is no year, nor years from one to another.", _HOW_YEARS)
        years.update(range(first, last + 1))
    return Selection(years=tuple(sorted(years)))
