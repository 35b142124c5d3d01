"""Which filings a question misses that EDGAR may have, and the command that brings them (pure). Nothing is fetched here."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.target import covering, of_year
from fin_tui.records import Filing, Refusal

_KINDS = frozenset({"not_in_library", "period_not_covered"})
_MOST_YEARS = 6


@dataclass(frozen=True, slots=True)
class Missing:
    """Filings of one company that are not held."""

    company: str
    """Ticker or CIK where a filing of it is held, else the name as the question has it."""
    years: tuple[int, ...] = ()
    """Fiscal years; empty: its latest."""

    @property
    def command(self) -> str:
        """What a user types to bring them."""
        return " ".join(["fin-tui fetch", shlex.quote(self.company), *(f"--year {year}" for year in self.years)])


def missing_filings(question: Question, held: Sequence[Filing]) -> tuple[Missing, ...]:
    """What ``question`` names and ``held`` lacks: years of companies that are held, else a company that is not."""
    years = tuple(sorted({*question.periods.years, *(date.year for date in question.periods.dates)}))[-_MOST_YEARS:]
    found = []
    for named in question.companies:
        own = [filing for filing in held if filing.company_key in named.keys]
        lacking = tuple(year for year in years if not of_year(own, year) and not covering(own, year))
        if own and lacking:
            found.append(Missing(own[0].ticker or own[0].cik.lstrip("0") or own[0].company, lacking))
    if not question.companies and question.unknown:
        found.append(Missing(question.unknown[0], years))
    return tuple(found)


def with_fetch(refusal: Refusal | None, question: Question, held: Sequence[Filing]) -> Refusal | None:
    """``refusal`` with the command that would bring what it misses, where it is of a kind that a fetch can mend."""
    if refusal is None or refusal.kind not in _KINDS:
        return refusal
    missing = missing_filings(question, held)
    return replace(refusal, fetch=missing[0].command) if missing else refusal
