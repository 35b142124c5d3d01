"""What the fetch dialog says: what is held, what EDGAR has of it, and what comes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from fin_tui.plural import count
from fin_tui.records import Filing
from fin_tui.ui.fetch_room import FetchTerms
from fin_tui.ui.text import one_line, year_label

if TYPE_CHECKING:
    from fin_tui.filings.edgar.listed import Listed
    from fin_tui.ingest.fetch_plan import Plan

_MB = 1_000_000
_MOST_HELD = 8
_SHORTEST = 2
"""Letters from which a name is looked for."""


def held_line(names: Sequence[str], filings: Sequence[Filing]) -> str:
    """What the library holds of the companies that are named."""
    found = [filing for filing in filings if any(_is_of(name, filing) for name in names)]
    if not names:
        return ""
    if not found:
        return "The library holds nothing of it yet."
    shown = [f"{one_line(f.company) or f.file} {year_label(f)} {one_line(f.form)}" for f in found[:_MOST_HELD]]
    more = f" and {len(found) - _MOST_HELD} more" if len(found) > _MOST_HELD else ""
    return f"Held: {', '.join(shown)}{more}"


def terms_line(terms: FetchTerms) -> str:
    """What going online means."""
    if terms.forbidden:
        return terms.forbidden
    if not terms.asker:
        return f"EDGAR wants to know who asks. Name and e-mail go to {terms.server} with each request, and nowhere else."
    return f"Asks {terms.server} as {terms.asker}. Nothing goes online before you press Enter."


def plan_lines(plan: Plan) -> Iterator[Content]:
    """What comes first, then what is held, then what can't be had."""
    for listed in plan.wanted:
        size = f"  at most {max(listed.size / _MB, 0.1):,.1f} MB" if listed.size else "  size unknown"
        yield Content.assemble(("+ ", "bold $success"), _named(listed), (size, "$foreground-muted"))
    for listed, filing in plan.held:
        held = f"  held as {one_line(filing.file)}"
        yield Content.assemble(("= ", "$foreground-muted"), _named(listed), (held, "$foreground-muted"))
    for problem in plan.problems:
        yield Content.assemble(("✗ ", "$error"), one_line(problem.message), (f" {one_line(problem.hint)}", "$foreground-muted"))


def plan_summary(plan: Plan) -> str:
    """How much it is."""
    if not plan.wanted:
        return "Nothing to download: all of it is held." if plan.held else "Nothing to download."
    large = " That is a large fetch: it takes a while." if plan.is_large else ""
    size, free = max(plan.largest // _MB, 1), plan.free // _MB
    return f"{count(len(plan.wanted), 'filing')} to download, at most {size:,} MB; {free:,} MB are free.{large}"


def _named(listed: Listed) -> str:
    name = listed.company.name or listed.company.ticker or f"CIK {listed.company.cik}"
    when = f"period to {listed.period_end}" if listed.period_end else f"filed {listed.filed}"
    return one_line(f"{name} {listed.form}, {when}")


def _is_of(name: str, filing: Filing) -> bool:
    word = name.casefold()
    if word in ((filing.ticker or "").casefold(), (filing.cik or "").lstrip("0"), filing.id.casefold()):
        return True
    return len(word) >= _SHORTEST and filing.company.casefold().startswith(word)
