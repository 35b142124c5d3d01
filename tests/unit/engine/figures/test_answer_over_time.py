"""Follow-ups, trends, comparisons and rankings, other words for the same, and what falls due later."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

import pytest

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, answer_figures
from fin_tui.engine.figures.as_text import period_of
from fin_tui.engine.figures.ground import Grounder, Missing, over_years
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.engine.questions.wanted import Item
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure, Gap, Metric, Period
from fin_tui.records import Fact, Filing
from tests.unit.engine.figures.book import ACME, HELD, Book, Values, ask, source, understood
from tests.unit.engine.made import filing


@pytest.mark.parametrize(
    ("turns", "value"),
    [
        (("What was Acme's revenue in 2024?", "And in 2023?"), 100e6),
        (("What was Acme's revenue in 2024?", "And in 2023?", "How much did it change from the year before, in percent?"), 25.0),
        (("What was Acme's net income in 2024?", "What share of revenue was that?", "And the year before?"), 20.0),
        (("What was Acme's revenue in 2024?", "What about Globex?"), 60e6),
        (("What was Acme's revenue?", "And the year before?", "And the year before?"), 80e6),
    ],
)
def test_follow_ups_keep_what_they_do_not_replace(turns: tuple[str, ...], value: float) -> None:
    assert ask(*turns).value == pytest.approx(value)


@pytest.mark.parametrize(
    "question",
    [
        "How did Acme's revenue develop from 2022 to 2024?",
        "How has Acme's revenue evolved since 2022?",
        "What was the trajectory of Acme's revenue over the last three years?",
        "Show Acme's revenue over the past three fiscal years",
        "What did Acme's revenue look like from 2022 to 2024?",
        "How has Acme's revenue moved in recent years?",
        "What is the trend in Acme's revenue?",
    ],
)
def test_a_trend_tells_every_year_and_the_growth_over_all(question: str) -> None:
    answer = ask(question)
    assert (answer.value, answer.unit) == (50.0, "%")
    assert answer.table is not None
    assert answer.table["columns"] == ["FY2022", "FY2023", "FY2024"]
    assert [cell["value"] for row in answer.table["rows"] for cell in row["cells"]] == [80e6, 100e6, 120e6]
    told = "Acme's revenue rose 50.0% from FY2022 to FY2024: FY2022 $80 million; FY2023 $100 million; FY2024 $120 million."
    assert answer.sentences[0].text == told


def test_a_trend_from_a_loss_is_told_by_its_change() -> None:
    answer = ask("How did Acme's net income develop from 2022 to 2024?")
    assert "to FY2024" in answer.sentences[0].text
    assert len(answer.sentences) == 4
    assert answer.unit == "usd"
    assert answer.calculation is not None
    assert answer.calculation["expression"] == "a - b"
    assert "(-" in answer.calculation["substituted"]


def test_a_change_since_a_year_reaches_the_latest() -> None:
    assert ask("By how much has Acme's revenue grown since 2022?").value == 40e6


def test_companies_with_years_of_their_own() -> None:
    answer = ask("Compare the revenue of Acme FY2022-2023 and Globex FY2024")
    assert answer.table is not None
    values = {row["label"]: [cell["value"] for cell in row["cells"]] for row in answer.table["rows"]}
    assert values == {"Acme Corp. · revenue": [80e6, 100e6, None], "Globex Inc. · revenue": [None, None, 60e6]}


@pytest.mark.parametrize(
    ("question", "value", "unit"),
    [
        ("By what percentage did Acme's revenue go up between 2023 and 2024?", 20.0, "%"),
        ("How much did Acme's revenue climb in 2024 over 2023, in percent?", 20.0, "%"),
        ("By how much did Acme's revenue shift from 2023 to 2024?", 20e6, "usd"),
        ("Add up Acme's revenue for 2022, 2023 and 2024", 300e6, "usd"),
        ("How much of Acme's revenue was eaten up by cost of revenue in 2024?", 50.0, "%"),
        ("How large a slice of Acme's 2024 revenue came from Rockets?", 25.0, "%"),
        ("When was Acme's revenue at its peak between 2022 and 2024?", 120e6, "usd"),
        ("Which of Acme and Globex had the fattest net margin in 2024?", 25.0, "%"),
        ("Who made more revenue in 2024: Acme or Globex?", 120e6, "usd"),
        ("How many times larger was Acme's revenue than Globex's in 2024?", 2.0, "ratio"),
        ("What was the combined revenue of Acme and Globex in 2024?", 180e6, "usd"),
        ("What's the gap between Acme's revenue and net income in 2024?", 90e6, "usd"),
        ("How many dollars of inventory did Acme carry at the end of fiscal 2024?", 14e6, "usd"),
        ("How did Acme's revenue compare in 2024 versus 2023?", 20.0, "%"),
        ("Which company in the library had the highest revenue in fiscal 2024?", 120e6, "usd"),
        ("What was total revenue across all companies in fiscal 2024?", 180e6, "usd"),
    ],
)
def test_other_words_for_the_same(question: str, value: float, unit: str) -> None:
    answer = ask(question)
    assert (answer.value, answer.unit) == (value, unit)


def test_margins_of_several_companies_are_not_added_up() -> None:
    answer = ask("What were the net margins of Acme and Globex in 2024, both combined?")
    assert answer.value is None
    assert answer.table is not None
    assert [cell["value"] for row in answer.table["rows"] for cell in row["cells"]] == [25.0, 20.0]


_ABOVE = "Acme's revenue was $120 million in FY2024, $60 million above Globex's revenue of $60 million."


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Did Acme's revenue exceed Globex's in 2024?", f"Yes: {_ABOVE}"),
        ("Was Acme's revenue below Globex's in 2024?", f"No: {_ABOVE}"),
        (
            "Did Globex have a higher net income than Acme in 2024?",
            "No: Globex's net income was $12 million in FY2024, $18 million below Acme's net income of $30 million.",
        ),
    ],
)
def test_a_verdict_between_two_companies(question: str, verdict: str) -> None:
    assert ask(question).sentences[0].text == verdict


def test_a_ranking_tells_the_highest_first() -> None:
    told = ask("Rank Globex and Acme by revenue in fiscal 2024").sentences
    assert told[0].text == "Revenue, FY2024: Acme $120 million; Globex $60 million."
    assert [sentence.is_detail for sentence in told] == [False, True, True]


def test_ratios_of_the_balance_at_the_years_end() -> None:
    average, ending = (
        answer_figures(u.reading, u.subjects, source())
        for u in (understood("Acme inventory turnover 2024"), understood("Acme inventory turnover 2024 using year-end inventory"))
        if u.reading
    )
    assert isinstance(average, FigureAnswer)
    assert isinstance(ending, FigureAnswer)
    assert average.value == pytest.approx(60 / 12)
    assert ending.value == pytest.approx(60 / 14)


DEBTS: Values = {("Acme Corp.", "long_term_debt", 2024): 90e6, ("Acme Corp.", "long_term_debt", 2023): 80e6}


@pytest.mark.parametrize(
    ("question", "base", "year"),
    [
        ("How much of Acme's long-term debt matures in 2026?", 2024, 2026),
        ("How much of Acme's long-term debt was due in 2025 as of December 31, 2023?", 2023, 2025),
        ("Acme's long-term debt due in the next twelve months as of December 2023", 2023, 2024),
    ],
)
def test_what_falls_due_comes_from_the_filing_that_looks_ahead(question: str, base: int, year: int) -> None:
    whose = understood(question).subjects
    assert [(subject.base, subject.years) for subject in whose] == [(base, (year,))]


def test_debt_due_in_no_year_that_is_named_is_not_guessed() -> None:
    assert understood("Acme's long-term debt due after one year in 2024").subjects == ()


def test_what_falls_due_is_set_side_by_side_also_where_a_later_filing_is_held() -> None:
    held = (*HELD, filing("Globex Inc.", 2026, ticker="GBX"))
    asked = understand(Request("Compare the long-term debt of Acme and Globex due in 2026"), held, vocabulary())
    assert [(subject.base, subject.years) for subject in asked.subjects] == [(2024, (2026,)), (2024, (2026,))]


def test_what_falls_due_is_listed_by_the_base_year() -> None:
    asked = understood("How much of Acme's long-term debt matures in 2026?")
    assert asked.reading is not None
    found = answer_figures(asked.reading, asked.subjects, source(Book(DEBTS)))
    assert isinstance(found, FigureAnswer)
    assert found.value == 90e6
    assert found.sentences[0].text == "Acme's long-term debt due in FY2026 was $90 million as of 2024-12-31."
    far = understood("How much of Acme's long-term debt matures in 2034?")
    assert far.reading is not None
    assert isinstance(answer_figures(far.reading, far.subjects, source(Book(DEBTS))), NoFigures)


def test_what_a_filing_tells_of_a_later_year_is_of_the_day_on_which_it_told_it() -> None:
    told = dt.date(2024, 12, 31)
    fact = Fact("table:2026", "2026", 5e6, "5", "usd", None, told, {}, None, "table")
    figure = Figure("purchase obligations", Decimal(5_000_000), "usd", fact, ACME[-1], Period(told, None, "FY2026"))
    assert period_of(figure) == "for FY2026, as of 2024-12-31"


class _ToldOnce(Book):
    """A book that gives the newest figure for the year behind it, too, as what was expected of a year may be found."""

    def _get(self, key: str, metric: Metric | None, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        assert isinstance(period, int)
        return super()._get(key, metric, filings, min(period, 2024))


@pytest.mark.parametrize(
    "question",
    ["How much did Acme's revenue change from 2024 to 2025?", "By how many percent did Acme's revenue grow from 2024 to 2025?"],
)
def test_one_figure_for_two_years_is_no_change(question: str) -> None:
    asked = understood(question)
    assert asked.reading is not None
    assert isinstance(answer_figures(asked.reading, asked.subjects, source(_ToldOnce())), NoFigures)
    assert ask(question.replace("2025", "2023")).value


@pytest.mark.parametrize("is_one", [True, False])
def test_per_share_data_of_two_filings_grow_only_on_one_basis(monkeypatch: pytest.MonkeyPatch, *, is_one: bool) -> None:
    filings = (filing("Acme Corp.", 2019), filing("Acme Corp.", 2024))
    book = Book({("Acme Corp.", "eps_diluted", 2019): 8.0, ("Acme Corp.", "eps_diluted", 2024): 10.0})
    monkeypatch.setattr(book, "is_on_one_basis", lambda *_: is_one)
    earned = Item(vocabulary().get("eps_diluted"))
    grounder = Grounder(book, vocabulary(), {"eps": earned}, filings)
    growth = over_years(Name("eps"), "growth", 5)
    if is_one:
        assert grounder.ground(growth, 2024).value("%").value == 25
    else:
        with pytest.raises(Missing, match="a stock split may lie between"):
            grounder.ground(growth, 2024)
    assert grounder.ground(Name("eps"), 2019).value(None).value == 8
