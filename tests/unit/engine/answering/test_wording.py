"""A model's sentences beside the figures that were looked up."""

from __future__ import annotations

import pytest

from fin_tui.engine.answering.wording import Checker, Said
from fin_tui.engine.evidence.evidence import gather
from fin_tui.records import Sentence
from tests.unit.engine.made import hit

TABLE = hit("Net sales\t391,035\t383,285\nCost of sales\t210,352\t214,137", table=True, header="Acme · Income (In millions)")
PASSAGES = gather("net sales", [TABLE]).passages
CARD = (Sentence("Acme Corp. net sales, FY2024 (year ended 2024-12-31): $391,035 million.", (1,), "grounded"),)


@pytest.mark.parametrize(
    "text",
    [
        "Net sales were $391.0 billion.",
        "The answer to this question is: 391,035 million.",
        "Acme's net sales were $391,035 million, from $383,285 million.",
    ],
)
def test_words_that_state_the_figure_are_supported(text: str) -> None:
    assert Checker(PASSAGES, CARD).check(text).support == "grounded"


@pytest.mark.parametrize(
    "text",
    [
        "Net sales were $383,285 million.",  # the year before, from the same row
        "Net sales were $391,035.",  # a million times too little
        "Net sales rose by $7,750.",
    ],
)
def test_another_rows_or_years_figure_is_not(text: str) -> None:
    checked = Checker(PASSAGES, CARD).check(text)
    assert (checked.support, checked.citations) == ("unsupported", ())


def test_without_figures_the_passages_alone_decide() -> None:
    assert Checker(PASSAGES).check("Net sales were $383,285 million.").support == "grounded"
    assert (
        Checker(PASSAGES, CARD).check("Net sales of Acme in fiscal 2024.").support
        == Checker(PASSAGES).check("Net sales of Acme in fiscal 2024.").support
    )


CHANGE = (Sentence("Acme Corp. change in revenue, FY2023 to FY2024: $7,750 million = 391,035 - 383,285.", (1,), "computed"),)
ASKED = "By how much did Acme's net sales change?"


def test_a_computed_value_needs_no_passage_that_prints_it() -> None:
    checked = Checker(PASSAGES, CHANGE, ASKED).check("Acme's net sales increased by $7,750 million.")
    assert (checked.support, checked.citations) == ("computed", (1,))


@pytest.mark.parametrize(
    "text",
    [
        "Acme's net sales decreased by $7,750 million.",
        "Acme's net sales increased by $7,950 million.",
        "Weather in Lapland cost wizards $7,750 million.",
        "Acme's net sales increased by $7,750 million, or 2.5%.",
    ],
)
def test_a_computed_value_turned_around_or_among_others_is_not_borne_out(text: str) -> None:
    assert Checker(PASSAGES, CHANGE, ASKED).check(text).support == "unsupported"


@pytest.mark.parametrize(
    ("told", "holds"),
    [
        ("Turnover: 75,511 / 12,304 = 6.03.", False),
        ("Turnover: 75,511 / 12,304 = 6.14.", True),
        ("Margin: $46 / $100 = 46%.", True),
        ("Change: 5,117 - 5,566 = -449.", True),
        ("Change: 5,566 - 5,117 = 440.", False),
        ("It was 3 / 0 = 1.", False),
        ("In all 100 + 50 + 25 = 175, or $100 + $50 + $25 = $175, or 100+50+25=175.", True),
    ],
)
def test_an_equation_must_come_out(told: str, holds: bool) -> None:
    sentence = Checker(()).check(told)
    assert (sentence.why == "its arithmetic does not come out") is not holds


SAYS = gather(
    "dividends", [hit("We may pay dividends or repurchase common stock for strategic reasons. No customer is large.")]
).passages
DECIDED = Sentence("No: We have never paid dividends.", (1,), "grounded")


@pytest.mark.parametrize(
    ("text", "decides", "support"),
    [
        ("Yes.", None, "unsupported"),
        ("The answer to the question is yes.", None, "unsupported"),
        ("Yes, the company does.", DECIDED, "unsupported"),
        ("No.", DECIDED, "grounded"),
        ("Yes, it may pay dividends or repurchase common stock for strategic reasons.", None, "grounded"),
        ("No customer is large.", DECIDED, "grounded"),
    ],
)
def test_a_bare_yes_or_no_needs_a_source_that_decides_it(text: str, decides: Sentence | None, support: str) -> None:
    assert Checker(SAYS, question="Does Acme pay dividends?", decides=decides).check(text).support == support


@pytest.mark.parametrize(
    ("text", "called", "support"),
    [
        ("As of the FY2024 10-K of GAXY no customer is large.", "GAXY", "grounded"),
        ("As of the FY2024 10-K of GAXY no customer is large.", "", "unsupported"),
        ("As of the FY2024 10-K of Initech no customer is large.", "GAXY", "unsupported"),
        ("As of the FY2019 10-K of GAXY no customer is large.", "GAXY", "unsupported"),
    ],
)
def test_the_filing_is_named_by_its_form_and_year_and_the_company_as_the_question_calls_it(
    text: str, called: str, support: str
) -> None:
    question = "Is a customer of GAXY or Initech large, as of the FY2019 or FY2024 10-K?"
    assert Checker(SAYS, question=question, called=called).check(text).support == support


def test_the_same_in_another_order_is_not_new() -> None:
    said = Said()
    assert said.is_new("Partners in China, India and Japan make the hardware.")
    assert not said.is_new("In Japan, India and China the partners make hardware.")
    assert not said.enough
    assert not said.is_new("Partners in China make the hardware.")
    assert said.enough


def test_something_new_makes_good() -> None:
    said = Said()
    assert said.is_new("Sales rose.")
    assert not said.is_new("Sales rose.")
    assert said.is_new("Margins fell because of freight.")
    assert not said.enough
