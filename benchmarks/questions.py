"""The classes of questions that searches are measured on, and how a list of passages is judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fin_tui.engine.searching import Finder
from fin_tui.errors import FinTuiError
from fin_tui.evaluation.measures import (
    DEEPEST,
    DEPTHS,
    Place,
    Ranking,
    gold_of,
    judge_list,
    place_of,
    strays_from_company,
    strays_from_years,
    years_named,
)
from fin_tui.evaluation.report import share_interval
from fin_tui.evaluation.sets import Row, load
from fin_tui.records import Filing, Hit, Scope

COLUMNS = (*(f"R@{depth}" for depth in DEPTHS), "R@5, 95 %", "MRR", "nDCG@10")


@dataclass(frozen=True, slots=True)
class Class:
    """Questions judged in one way."""

    name: str
    rows: Sequence[Row]
    lenient: bool = False
    scoped: bool = False
    """Ask within the filing that the gold comes from, where a row has no scope of its own."""


def corpus() -> Path:
    """The folder of filings and questions. Raises ``SystemExit`` when the variable is not set."""
    folder = os.environ.get("FIN_TUI_CORPUS")
    if not folder:
        raise SystemExit("FIN_TUI_CORPUS names no folder of filings and questions.")
    return Path(folder)


def classes(folder: Path) -> list[Class]:
    """The classes of the question sets in ``folder``."""
    narrative = load(folder / "narrative.jsonl")
    analyst = load(folder / "financebench.jsonl")
    numbers = [row for row in load(folder / "numbers.jsonl") if row.value is not None]
    named = company_named(narrative)
    lookups = [row for row in numbers if row.kind == "lookup" and len(gold_of(row, ()))]  # Rates are printed in too many ways.
    return [
        Class("narrative, filing given", narrative, scoped=True),
        Class("narrative, company named", named, lenient=True),
        Class("narrative, company named, very filing", named),
        Class("pages: figures", [row for row in analyst if row.kind == "metrics-generated"]),
        Class("pages: analysis", [row for row in analyst if row.kind != "metrics-generated"]),
        Class("pages", analyst),
        Class("pages, filing given", analyst, scoped=True),
        Class("lookups", lookups),
        Class("lookups, any filing", lookups, lenient=True),
        Class("segments", [row for row in numbers if row.kind == "segment"], lenient=True),
    ]


def about(held: Sequence[Filing]) -> str:
    """One line on the library that was searched: without all vectors figures are lower than they could be."""
    chunks, embedded = sum(filing.chunks for filing in held), sum(filing.embedded for filing in held)
    return f"{len(held)} filings, {chunks:,} passages, {embedded:,} of them with vectors"


def company_named(rows: Sequence[Row]) -> list[Row]:
    """The rows that name their company: those without a scope."""
    return [row for row in rows if not row.line.scope]


def judge_hits(hits: Sequence[Hit], row: Row, held: Sequence[Filing], *, lenient: bool) -> Ranking:
    """The ranking of a search's hits."""
    return judge_places([place_of(hit, {}) for hit in hits], row, held, lenient=lenient)


def judge_places(places: Sequence[Place], row: Row, held: Sequence[Filing], *, lenient: bool) -> Ranking:
    """The ranking of passages of any origin."""
    gold = gold_of(row, held)
    return judge_list([gold.matched(place, lenient=lenient) for place in places], len(gold))


def searched(
    finder: Finder, rows: Sequence[Row], held: Sequence[Filing], scope_of: Callable[[Row], Scope], *, lenient: bool = False
) -> list[Ranking]:
    """Our rankings of the bare questions, each within its scope; what is refused is not found."""
    found = []
    for row in rows:
        try:
            hits = finder.search(row.line.question, scope_of(row), k=DEEPEST).hits
        except FinTuiError:
            hits = ()
        found.append(judge_hits(hits, row, held, lenient=lenient))
    return found


def strays(hits: Sequence[Hit], row: Row, held: Sequence[Filing]) -> tuple[bool, bool]:
    """Whether one of the first five hits is of another company, or of another year, than the question names.

    Only for questions that name the gold's company and no other.
    """
    filings = [hit.filing for hit in hits]
    company = strays_from_company(filings, {gold_of(row, held).company} - {""})
    years = years_named(row.line.question)
    year = strays_from_years(filings, years, figures=row.value is not None, lenient=True, gold=row.filings)
    return bool(company), bool(year)


def cells(rankings: Sequence[Ranking]) -> list[str]:
    """The figures of ``COLUMNS``."""
    n = len(rankings)
    found = {depth: sum(one.within(depth) for one in rankings) for depth in DEPTHS}
    low, high = share_interval(round(found[5]), n)
    return [
        *(f"{found[depth] / n:.3f}" for depth in DEPTHS),
        f"{low:.2f}-{high:.2f}",
        f"{sum(one.reciprocal for one in rankings) / n:.3f}",
        f"{sum(one.ndcg for one in rankings) / n:.3f}",
    ]


def heading(*before: str, after: Sequence[str] = ()) -> str:
    """The head of a Markdown table with ``COLUMNS`` in the middle."""
    names = [*before, *COLUMNS, *after]
    return f"| {' | '.join(names)} |\n|{'---|' * len(names)}"
