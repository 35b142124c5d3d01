"""From a question to a numeric answer, with a book of invented figures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Source, answer_figures, answer_of_one
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.facts.figures import Figure, Gap, Metric, Period
from fin_tui.facts.metrics import vocabulary
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Chunk, Fact, Filing, Scope
from tests.unit.engine.made import filing, hit

ACME = tuple(filing("Acme Corp.", year) for year in (2022, 2023, 2024))
GLOBEX = (filing("Globex Inc.", 2024, ticker="GBX"),)
HELD = (*ACME, *GLOBEX)
TABLE = "Revenue\t120\t100\nNet income\t30\t20"
Values = Mapping[tuple[str, str, int], float]
ACMES: Values = {
    **{("Acme Corp.", "revenue", year): value for year, value in ((2022, 80e6), (2023, 100e6), (2024, 120e6))},
    **{("Acme Corp.", "net_income", year): value for year, value in ((2022, -10e6), (2023, 20e6), (2024, 30e6))},
    **{("Acme Corp.", "inventory", year): value for year, value in ((2023, 10e6), (2024, 14e6))},
    ("Acme Corp.", "cost_of_revenue", 2024): 60e6,
    ("Acme Corp.", "Rockets revenue", 2024): 30e6,
    ("Acme Corp.", "shares_outstanding", 2024): 5e6,
    ("Globex Inc.", "revenue", 2024): 60e6,
    ("Globex Inc.", "net_income", 2024): 12e6,
}


@dataclass
class Book:
    values: Values = field(default_factory=lambda: ACMES)
    restated: Decimal | None = None

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._get(metric.id, metric, filings, period)

    def quarterly(self, metric: Metric, filings: Sequence[Filing], year: int, number: int) -> Figure | Gap:
        return self._get(f"Q{number} {metric.id}", metric, filings, year)

    def scheduled(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        return Gap(metric.names[0], None, "not listed")

    def ranked(self, asked: Ranking, filings: Sequence[Filing], year: int) -> tuple[Figure, ...]:
        return ()

    def series(self, metric: Metric, filings: Sequence[Filing], periods: Sequence[Period | int]) -> tuple[Figure | Gap, ...]:
        latest = sorted(filings, key=lambda held: -(held.fiscal_year or 0))
        return tuple(self._get(metric.id, metric, latest, period) for period in periods)

    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._get(f"{phrase} {metric.id}", metric, filings, period)

    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._get(phrase, None, filings, period)

    def _get(self, key: str, metric: Metric | None, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        assert isinstance(period, int)
        company = filings[0].company
        value = self.values.get((company, key, period))
        covering = [held for held in filings if held.fiscal_year and 0 <= held.fiscal_year - period <= 2]
        end = dt.date(period, 12, 31)
        if value is None or not covering:
            return Gap(key, Period(end, None, f"FY{period}"), f"No {key} for FY{period}.")
        of = covering[0]
        start = None if metric and metric.instant else dt.date(period, 1, 1)
        fact = Fact(
            f"us-gaap:{key}",
            key,
            value,
            f"{value / 1e6:,.0f}",
            "usd",
            start,
            end,
            start=TABLE.find("1"),
            end=TABLE.find("1") + 3,
            block=1,
        )
        unit = metric.unit if metric else "usd"
        return Figure(key, Decimal(str(value)), unit, fact, of, Period(end, start, f"FY{period}"), metric.id if metric else "")


class Chunks:
    def of_filing(self, filing_id: str, /) -> tuple[Chunk, ...]:
        return ()

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        of = next(held for held in HELD if held.id == filing_id)
        return hit(TABLE, of=of, table=True, header="Acme · (In millions)").chunk


def source(book: Book | None = None) -> Source:
    return Source(book or Book(), vocabulary(), Chunks())


def understood(*turns: str, scope: Scope | None = None) -> Understanding:
    return understand(Request(turns[-1], scope or Scope(), history=turns[:-1]), HELD, vocabulary())


def ask(*turns: str, book: Book | None = None) -> FigureAnswer:
    asked = understood(*turns)
    assert asked.reading is not None
    answer = answer_figures(asked.reading, asked.subjects, source(book))
    assert isinstance(answer, FigureAnswer)
    return answer


def test_a_figure_is_told_with_its_period_unit_and_row() -> None:
    answer = ask("What was Acme's revenue in fiscal 2024?")
    assert (answer.value, answer.unit) == (120e6, "usd")
    assert answer.sentences[0].text == "Acme Corp. revenue, FY2024 (year ended 2024-12-31): $120 million."
    assert answer.sentences[0].citations == (1,)
    assert answer.passages[0].citation.quote == "Revenue\t120\t100"
    assert answer.calculation is None
    assert answer.facts[0]["as_reported"] == "120"
    assert answer.plan[0]["operation"] == "lookup"


def test_growth_shows_expression_operands_and_result() -> None:
    answer = ask("By what percentage did Acme's revenue change from fiscal 2023 to fiscal 2024?")
    assert answer.value == pytest.approx(20.0)
    assert answer.calculation == {
        "expression": "a / b - 1",
        "inputs": {
            "a": {"item": "revenue", "value": 120e6, "unit": "usd", "period_end": "2024-12-31", "fact": 0},
            "b": {"item": "revenue", "value": 100e6, "unit": "usd", "period_end": "2023-12-31", "fact": 1},
        },
        "substituted": "120 / 100 - 1",
        "result": 20.0,
        "unit": "%",
        "display": "20.00 %",
    }
    assert [sentence.support for sentence in answer.sentences] == ["computed", "grounded", "grounded"]


@pytest.mark.parametrize(
    ("question", "value", "unit"),
    [
        ("How much did Acme's revenue change from 2022 to 2024?", 40e6, "usd"),
        ("What was Acme's average annual revenue over 2022 to 2024?", 100e6, "usd"),
        ("What was Acme's compound annual revenue growth rate from 2022 to 2024?", 22.474487, "%"),
        ("What was Acme's net profit margin in 2024?", 25.0, "%"),
        ("How did Acme's net margin change from 2023 to 2024?", 5.0, "%"),
        ("What was Acme's inventory turnover in 2024?", 5.0, "ratio"),
        ("What was Acme's gross profit in 2024?", 60e6, "usd"),
        ("What share of Acme's revenue came from Rockets in 2024?", 25.0, "%"),
        ("How much did Acme's net income grow from 2022 to 2023, in percent?", 300.0, "%"),
        ("How much more revenue did Acme make than Globex in 2024?", 60e6, "usd"),
        ("Which company had the higher net margin in 2024, Acme or Globex?", 25.0, "%"),
        ("In which year was Acme's net income the lowest, 2022, 2023 or 2024?", -10e6, "usd"),
        ("What was Acme's total revenue from 2022 to 2024 combined?", 300e6, "usd"),
        (
            "What is Acme's 2024 burn? It is defined as: (net income - revenue) / revenue. Round to two decimal places.",
            -0.75,
            "ratio",
        ),
        ("What was Acme's revenue?", 120e6, "usd"),
        ("What was Acme's revenue the year before?", 100e6, "usd"),
        ("What was Acme's revenue for the year ended December 31, 2023?", 100e6, "usd"),
    ],
)
def test_values(question: str, value: float, unit: str) -> None:
    answer = ask(question)
    assert answer.value == pytest.approx(value, rel=1e-6)
    assert answer.unit == unit


def test_units_and_rounding_on_request() -> None:
    assert "$120,000 thousand" in ask("What was Acme's revenue in 2024, in thousands of dollars?").sentences[0].text
    rounded = ask("What was Acme's revenue growth in 2023? Round to one decimal place.")
    assert rounded.display == "25.0 %"


def test_several_years_and_companies_give_a_table_with_its_gaps() -> None:
    answer = ask("Compare the revenue and net income of Acme and Globex in 2023 and 2024")
    assert answer.value is None
    assert answer.table is not None
    assert answer.table["columns"] == ["FY2023", "FY2024"]
    rows = {row["label"]: row["cells"] for row in answer.table["rows"]}
    assert [cell["value"] for cell in rows["Acme Corp. · revenue"]] == [100e6, 120e6]
    missing, held = rows["Globex Inc. · net income"]
    assert (missing["value"], held["value"]) == (None, 12e6)
    assert "FY2023" in missing["gap"]


def test_a_trend_takes_each_year_from_the_latest_filing() -> None:
    answer = ask("What was Acme's revenue in 2022, 2023 and 2024?")
    assert {fact["filing"] for fact in answer.facts} == {ACME[2].id}
    assert {fact["filing"] for fact in ask("What was Acme's revenue in 2023?").facts} == {ACME[1].id}


def test_a_verdict_on_yes_or_no() -> None:
    assert ask("Did Acme's revenue increase from 2023 to 2024?").sentences[0].text.startswith("Yes: Acme Corp. revenue rose")
    assert ask("Did Acme's revenue decline from 2023 to 2024?").sentences[0].text.startswith("No: Acme Corp. revenue rose")


def test_a_restated_value_is_named() -> None:
    class Restating(Book):
        def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
            found = super().figure(metric, filings, period)
            return found if isinstance(found, Gap) else replace(found, restated=Decimal(99000000), restated_in=ACME[2])

    text = ask("What was Acme's revenue in fiscal 2023?", book=Restating()).sentences[0].text
    assert text.endswith("$100 million. Restated as $99 million in the FY2024 filing.")


def test_what_no_fact_states_is_no_figure() -> None:
    asked = understood("What was Acme's goodwill in 2024?")
    assert asked.reading is not None
    assert answer_figures(asked.reading, asked.subjects, source()) == NoFigures(("No goodwill for FY2024.",))


def test_an_amount_of_money_is_no_count() -> None:
    book = Book({("Acme Corp.", "widgets", 2024): 79e9})
    asked = understood("How many widgets did Acme have in 2024?")
    assert asked.reading is not None
    assert isinstance(answer_figures(asked.reading, asked.subjects, source(book)), NoFigures)
    assert ask("What was the balance of Acme's widgets in 2024?", book=book).value == 79e9


def test_growth_from_a_zero_base_has_no_value() -> None:
    book = Book({("Acme Corp.", "revenue", 2023): 0.0, ("Acme Corp.", "revenue", 2024): 5e6})
    asked = understood("What was Acme's revenue growth in 2024?")
    assert asked.reading is not None
    found = answer_figures(asked.reading, asked.subjects, source(book))
    assert isinstance(found, NoFigures)
    assert "rate" in found.why[0]


def test_no_company_named_and_several_held_is_a_guess_not_made() -> None:
    assert understood("What was the revenue in fiscal 2024?").subjects == ()
    alone = understood("What was the revenue in fiscal 2024?", scope=Scope(filings=(ACME[2].id,)))
    assert [subject.company for subject in alone.subjects] == ["Acme Corp."]


def test_a_segment_tells_its_company() -> None:
    asked = understood("What was the Rockets revenue in 2024?")
    assert asked.reading is not None
    assert asked.subjects == ()
    found = answer_of_one(asked.reading, asked.candidates, source())
    assert found is not None
    assert found.value == 30e6
    both = Book({**ACMES, ("Globex Inc.", "Rockets revenue", 2024): 7e6})
    assert answer_of_one(asked.reading, asked.candidates, source(both)) is None


def test_a_list_of_segments_gives_one_figure_for_each() -> None:
    book = Book({**ACMES, ("Acme Corp.", "Sleds revenue", 2024): 8e6})
    answer = ask("What were Acme's sales of Rockets and Sleds in 2024?", book=book)
    assert answer.table is not None
    assert [row["cells"][0]["value"] for row in answer.table["rows"]] == [30e6, 8e6]
    whole = Book({**ACMES, ("Acme Corp.", "Rockets and Sleds revenue", 2024): 40e6})
    assert ask("What were Acme's sales of Rockets and Sleds in 2024?", book=whole).value == 40e6


def test_a_margin_of_a_segment_is_made_of_the_segments_figures() -> None:
    book = Book({**ACMES, ("Acme Corp.", "Rockets gross_profit", 2024): 12e6})
    answer = ask("What was Acme's Rockets gross margin in 2024?", book=book)
    assert answer.value == pytest.approx(40.0)
    assert [sentence.text.partition(",")[0] for sentence in answer.sentences[1:]] == [
        "Acme Corp. Rockets gross profit",
        "Acme Corp. Rockets revenue",
    ]


def test_a_second_half_that_asks_why_leaves_the_figure_standing() -> None:
    assert ask("What was Acme's net income in 2024 and why did it rise?").value == 30e6


def test_the_difference_of_two_metrics_is_not_a_change() -> None:
    assert ask("What is the difference between Acme's revenue and net income in 2024?").value == 90e6


def test_all_companies_in_scope_when_asked_for() -> None:
    subjects = understood("What was the net income of all companies in fiscal 2024?").subjects
    assert {subject.company for subject in subjects} == {"Acme Corp.", "Globex Inc."}


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
    assert answer.sentences[0].text.startswith("Acme Corp. growth of revenue, FY2022 to FY2024: 50.00 %")


def test_a_trend_from_a_loss_is_told_by_its_change() -> None:
    answer = ask("How did Acme's net income develop from 2022 to 2024?")
    assert "to FY2024" in answer.sentences[0].text
    assert len(answer.sentences) == 4


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


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Did Acme's revenue exceed Globex's in 2024?", "Yes: Acme Corp. revenue was above that of Globex Inc."),
        ("Was Acme's revenue below Globex's in 2024?", "No: Acme Corp. revenue was above that of Globex Inc."),
        ("Did Globex have a higher net income than Acme in 2024?", "No: Globex Inc. net income was below that of Acme Corp."),
    ],
)
def test_a_verdict_between_two_companies(question: str, verdict: str) -> None:
    assert ask(question).sentences[0].text == verdict


def test_a_ranking_tells_the_highest_first() -> None:
    told = ask("Rank Globex and Acme by revenue in fiscal 2024").sentences
    assert [sentence.text.split()[0] for sentence in told] == ["Acme", "Globex"]


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


def test_what_falls_due_is_listed_by_the_base_year() -> None:
    asked = understood("How much of Acme's long-term debt matures in 2026?")
    assert asked.reading is not None
    found = answer_figures(asked.reading, asked.subjects, source(Book(DEBTS)))
    assert isinstance(found, FigureAnswer)
    assert found.value == 90e6
    assert "due in FY2026" in found.sentences[0].text
    far = understood("How much of Acme's long-term debt matures in 2034?")
    assert far.reading is not None
    assert isinstance(answer_figures(far.reading, far.subjects, source(Book(DEBTS))), NoFigures)
