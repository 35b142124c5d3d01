"""What a company's earlier filings say, where the question names no year (pure).

Such a question is about the latest filing, but some matters stand only in an older one, and some it says better. Looking there
is never silent: a note says which year speaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fin_tui.engine.questions.target import Target, in_scope
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.searching.printed import insert
from fin_tui.records import Filing, Hit, Scope

GAIN = 0.15
"""How much stronger (0 to 1) the evidence of earlier filings must be to stand in for the latest one's."""
_GRAM = 4
_LOOK_BACK = 4
_MOST_OLDER = 2
_OLDER_FROM = 3
"""Position from which older filings may speak: what is asked without a year is first of all asked of today."""


def earlier(understood: Understanding) -> Target | None:
    """The other filings of the companies asked about, when neither question nor user fixes a period; else None."""
    given = understood.request.scope
    keys = _companies(understood)
    searched = {filing.id for filing in understood.target.filings}
    others = [f for f in in_scope(understood.held, given) if f.company_key in keys and f.id not in searched]
    if not others:
        return None
    items = given.items or understood.question.items
    scope = Scope(items=items, forms=given.forms, filings=tuple(filing.id for filing in others))
    return Target((scope,), label(others), tuple(others))


def all_years(understood: Understanding) -> Scope | None:
    """All filings of the one company that the question asks about in words, without a year; None where that is not so."""
    keys = _companies(understood)
    if understood.reading is not None or not keys or len(understood.question.companies) > 1:
        return None
    given = understood.request.scope
    filings = tuple(f.id for f in in_scope(understood.held, given) if f.company_key in keys)
    return replace(given, companies=(), filings=filings, items=given.items or understood.question.items)


def with_older(hits: Sequence[Hit], of_all_years: Sequence[Hit]) -> tuple[list[Hit], tuple[Filing, ...]]:
    """``hits`` of the latest filing with what older ones say better, where the latest no longer says the like; and those filings.

    The latest filing keeps the first places.
    """
    latest = {hit.filing.id for hit in hits}
    said = [_grams(hit) for hit in (*hits, *of_all_years) if hit.filing.id in latest]
    told: list[Hit] = []
    for hit in of_all_years[:_LOOK_BACK]:
        mine = _grams(hit)
        if hit.filing.id not in latest and not any(_alike(mine, other) for other in said):
            told.append(hit)
            said.append(mine)
    told = told[:_MOST_OLDER]
    return insert(told, hits, _OLDER_FROM), tuple({hit.filing.id: hit.filing for hit in told}.values())


def note(latest: Sequence[Filing], found_in: Sequence[Filing]) -> str:
    """For people: which filing says little, and which ones answer instead."""
    return f"{label(latest)} says little of this; the answer comes from {label(found_in)}."


def note_also(found_in: Sequence[Filing]) -> str:
    """For people: which older filings stand beside the latest."""
    return f"Also shown: what {label(found_in)} said and the latest filing no longer says."


def label(filings: Iterable[Filing]) -> str:
    """For people: "Acme FY2022, Acme FY2023"."""
    names = dict.fromkeys(f"{filing.company} FY{filing.fiscal_year}" for filing in filings)
    return ", ".join(list(names)[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _companies(understood: Understanding) -> set[str]:
    """Keys of the companies asked about, by name or as the only one in scope; empty where a period or a filing is fixed."""
    question, given = understood.question, understood.request.scope
    periods = question.periods
    if periods.named or periods.latest or periods.past or periods.back or given.fiscal_years or len(given.filings) == 1:
        return set()
    if question.companies:
        return {key for named in question.companies for key in named.keys}
    only = {filing.company_key for filing in in_scope(understood.held, given)}
    return only if len(only) == 1 else set()


def _grams(hit: Hit) -> frozenset[tuple[str, ...]]:
    """The runs of four words of a hit's text."""
    words = hit.chunk.text.lower().split()
    return frozenset(zip(*(words[at:] for at in range(_GRAM)), strict=False))


def _alike(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    return bool(one) and 2 * len(one & other) >= min(len(one), len(other))
