"""Which periods of a question belong to which of its companies (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.questions.companies import Named
from fin_tui.engine.questions.periods import Periods, find_periods


def with_own_periods(text: str, companies: Sequence[Named]) -> tuple[Named, ...]:
    """``companies`` with periods of their own where ``text`` gives each some: all behind the names, or all before them.

    "Apple FY2021-2024 and NVIDIA FY2022-2025" binds; "Apple and NVIDIA in 2024" asks the same of both.
    """
    companies = tuple(companies)
    if len(companies) < 2 or any(named.start < 0 for named in companies):
        return companies
    starts = [named.start for named in companies]
    ends = [named.end for named in companies]
    behind = [find_periods(text[a:b]) for a, b in zip(ends, [*starts[1:], len(text)], strict=True)]
    before = [find_periods(text[a:b]) for a, b in zip([0, *ends[:-1]], starts, strict=True)]
    if _each(behind) and not _says(before[0]):
        return _bound(companies, behind)
    if _each(before) and not _says(behind[-1]):
        return _bound(companies, before)
    return companies


def _says(periods: Periods) -> bool:
    return periods.named or periods.latest or bool(periods.past)


def _each(found: Sequence[Periods]) -> bool:
    """Whether there are periods for each company, and not the same for all."""
    return all(_says(periods) for periods in found) and len(set(found)) > 1


def _bound(companies: tuple[Named, ...], found: Sequence[Periods]) -> tuple[Named, ...]:
    return tuple(replace(named, periods=periods) for named, periods in zip(companies, found, strict=True))
