"""Which filings tell of a year, and what a follow-up may ask of the filing that the turn before was answered from."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest

from fin_tui.engine.figures.telling import beforehand, by_filing_told, looking_ahead, telling_apart
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.target import Subject
from fin_tui.facts.figures import Figure, Period
from fin_tui.records import Fact
from tests.unit.engine.figures.book import ACME
from tests.unit.engine.made import filing


def _frame(text: str, *, periods: tuple[str, ...] = (), before: str = "") -> Frame:
    spans = tuple(Span(period, text.find(period), text.find(period) + len(period)) for period in periods)
    behind = _frame(before) if before else None
    return Frame(text, (), spans, (), (), "lookup", "money", "", (), {"figure": 0.9}, behind=behind)


def _told(of: int) -> Figure:
    fact = Fact("table:x", "notes due", 5e6, "5", "usd", None, dt.date(of, 12, 31), source="table", start=7)
    return Figure("notes due", Decimal(5_000_000), "usd", fact, ACME[of - 2022], Period(dt.date(of, 12, 31), None, f"FY{of}"))


def test_a_year_after_the_newest_filing_is_looked_for_in_that() -> None:
    found = looking_ahead(ACME, 2026)
    assert [(one.fiscal_year, ahead.year.label, ahead.year.end.year) for one, ahead in found] == [(2024, "FY2026", 2026)]
    assert not looking_ahead(ACME, 2024)
    assert not looking_ahead([filing("Acme Corp.", 2010)], 2024)


@pytest.mark.parametrize(
    ("year", "told_in"),
    [(2012, 2010), (2015, 2010), (2019, 2024), (2016, None), (2022, None), (2026, 2024), (2050, 2024)],
)
def test_a_year_that_no_filing_covers_may_stand_in_the_one_before_it_else_in_the_one_after(
    year: int, told_in: int | None
) -> None:
    held = [filing("Acme Corp.", 2010), filing("Acme Corp.", 2024)]
    found = telling_apart(held, year)
    assert [(one.fiscal_year, apart.year.end) for one, apart in found] == ([(told_in, dt.date(year, 12, 31))] if told_in else [])


@pytest.mark.parametrize(
    ("periods", "parts", "years"),
    [
        (("31 December 2024",), ("2026",), (2026,)),
        (("31 December 2024", "2026"), (), (2026,)),
        (("2024", "2026"), (), (2024, 2026)),  # Two years, both asked about.
    ],
)
def test_a_day_says_when_it_was_told_what_falls_due_in_a_later_year(
    periods: tuple[str, ...], parts: tuple[str, ...], years: tuple[int, ...]
) -> None:
    text = "payments due in 2026 as of 31 December 2024"
    frame = _frame(text, periods=periods)
    frame = replace(frame, parts=tuple(Span(part, text.find(part), text.find(part) + len(part)) for part in parts))
    found = beforehand(Subject("Acme Corp.", tuple(ACME), (2024, 2026)), frame)
    assert found.years == years
    assert {one.fiscal_year for one in found.filings} == ({2024} if years == (2026,) else {one.fiscal_year for one in ACME})


@pytest.mark.parametrize(
    ("question", "years"),
    [("2024: payments due in 2026", (2026,)), ("payments due in 2024, and in 2026?", (2024, 2026))],
)
def test_of_two_years_around_what_is_asked_for_the_first_is_that_of_the_filing(question: str, years: tuple[int, ...]) -> None:
    at = question.find("payments")
    frame = replace(_frame(question, periods=("2024", "2026")), targets=(Span("payments due", at, at + 12),))
    assert beforehand(Subject("Acme Corp.", tuple(ACME), (2024, 2026)), frame).years == years


def test_a_year_far_ahead_is_a_name() -> None:
    text = "principal of the notes due 2050 at 31 December 2024"
    frame = _frame(text, periods=("31 December 2024",))
    frame = replace(frame, parts=(Span("2050", text.find("2050"), text.find("2050") + 4),))
    assert beforehand(Subject("Acme Corp.", tuple(ACME), (2024, 2050)), frame).years == (2024,)


def test_a_year_that_later_filings_cover_is_told_beforehand_by_the_one_made_on_the_day_that_is_named() -> None:
    frame = _frame("payments due in 2024 as of 31 December 2022", periods=("2024", "31 December 2022"))
    found = beforehand(Subject("Acme Corp.", tuple(ACME), (2022, 2024)), frame)
    assert ([one.fiscal_year for one in found.filings], found.years) == ([2022], (2024,))


@pytest.mark.parametrize(
    ("question", "periods", "year", "told", "asked"),
    [
        ("patents held?", (), 2026, None, [(2024, (2024,))]),  # Nobody reports 2026 yet: the newest filing tells of it.
        ("patents held?", (), 2023, 2024, []),  # A year before that of the filing is gone on with.
        ("patents held?", (), 2024, 2022, [(2022, (2022,)), (2022, (2024,))]),
        ("and in 2024?", ("2024",), 2024, 2022, [(2022, (2024,))]),
        ("patents held?", (), 2024, 2024, []),
        ("and in 2023?", ("2023",), 2023, 2024, []),
    ],
)
def test_a_follow_up_may_ask_the_filing_that_the_turn_before_was_answered_from(
    question: str, periods: tuple[str, ...], year: int, told: int | None, asked: list[tuple[int, tuple[int, ...]]]
) -> None:
    whose = (Subject("Acme Corp.", tuple(ACME), (year,)),)
    frame = _frame(question, periods=periods, before="notes due in 2026")
    found = by_filing_told(whose, frame, [_told(told)] if told else [])
    assert [(one.filings[0].fiscal_year, one.years) for one in found] == asked
    assert not by_filing_told(whose, replace(frame, behind=None), [_told(told)] if told else [])
