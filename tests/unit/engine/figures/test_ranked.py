"""Answers that rank, over a book of invented lines."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

from fin_tui.engine.figures.answer import rank
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Period
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Fact, Filing
from tests.unit.engine.figures.book import ACME, Book, source


class Ordered(Book):
    def ranked(self, asked: Ranking, filings: Sequence[Filing], year: int) -> tuple[Figure, ...]:
        return tuple(line(name, value, filings[0], year) for name, value in (("Deposits", 900), ("Debt", 400)))


def line(name: str, value: int, filing: Filing, year: int) -> Figure:
    end = dt.date(year, 12, 31)
    fact = Fact("x", name, value, f"{value}", "usd", None, end)
    return Figure(name, Decimal(value), "usd", fact, filing, Period(end, None, f"FY{year}"))


def test_the_first_line_is_the_value_and_the_next_are_told() -> None:
    asked = understand(Request("What was Acme's largest liability in 2023?"), ACME, vocabulary())
    answer = rank(asked, source(Ordered()))
    assert answer is not None
    assert (answer.value, answer.unit) == (900.0, "usd")
    told = " ".join(sentence.text for sentence in answer.sentences)
    assert "largest liability" in told
    assert "Deposits, $900" in told
    assert "Next: Debt $400" in told


def test_without_lines_there_is_no_answer() -> None:
    asked = understand(Request("What was Acme's largest liability in 2023?"), ACME, vocabulary())
    assert rank(asked, source(Book())) is None
