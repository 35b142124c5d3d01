"""Which questions one question asks: clauses, listed figures, both ends of a period."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.subquestions import Halves, balances_asked, halves_of, subquestions_of


def _frame(
    text: str, *targets: str, companies: tuple[str, ...] = (), periods: tuple[str, ...] = (), operation: str = "lookup"
) -> Frame:
    def spans(words: tuple[str, ...]) -> tuple[Span, ...]:
        return tuple(Span(one, text.index(one), text.index(one) + len(one)) for one in words)

    sure = {"figure": 1.0, "refusal": 0.0, "operation": 1.0, "answer": 1.0}
    return Frame(text, spans(companies), spans(periods), spans(targets), (), operation, "money", "", (), sure)


def _never(words: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("What was its margin in 2024, and why did it fall?", "What was its margin in 2024?", "why did it fall"),
        ("What was its margin; and what explained it?", "What was its margin?", "what explained it"),
    ],
)
def test_a_question_and_the_one_for_its_reason_are_parted(text: str, first: str, second: str) -> None:
    assert halves_of(text) == Halves(first, second)
    assert halves_of("What were sales and earnings in 2024?") is None
    assert subquestions_of(_frame(text, "margin"), _never) == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "How much did Acme lose in 2022 and which units lost most?",
            ("How much did Acme lose in 2022", "which units lost most"),
        ),
        ("how many rockets in stock, how many sold", ("how many rockets in stock", "how many sold")),
        ("does Acme lease its plants? who owns them?", ("does Acme lease its plants", "who owns them")),
        ("sales and anvils and how many coyotes", ("sales and anvils", "how many coyotes")),
        ("Is Acme in debt by FY2023?", ()),
        ("Of all its leased plants, how many close in 2026?", ()),
        ("How many plants close in 2026? In percent", ()),
        ("How much quicker, in percentage points, did the second plant grow?", ()),
        ("What was it and who said so?", ("What was it", "who said so")),
        ("Sales, and which?", ()),
    ],
)
def test_clauses_with_a_question_word_of_their_own_are_asked_by_themselves(text: str, told: tuple[str, ...]) -> None:
    assert tuple(one.text for one in subquestions_of(_frame(text), _never)) == told
    assert not any(one.words for one in subquestions_of(_frame(text), _never))


def test_what_says_no_more_than_when_is_no_clause() -> None:
    assert subquestions_of(_frame("Is Acme deep in debt? FY2023", periods=("FY2023",)), _never) == ()


def test_listed_figures_are_asked_one_by_one_with_all_that_stands_around_them() -> None:
    asked = _frame(
        "Acme's rent, 2024 and its unpaid wages at home", "rent", "unpaid wages", companies=("Acme",), periods=("2024",)
    )
    told = subquestions_of(asked, _never)
    assert [one.text for one in told] == ["Acme's rent 2024 at home", "Acme's 2024 unpaid wages at home"]
    assert [one.words for one in told] == ["rent", "unpaid wages"]
    assert all(one.is_certain for one in told)


def test_words_on_both_sides_of_an_and_may_be_one_name() -> None:
    told = subquestions_of(_frame("Acme hall rent and fuel fee", "hall rent and fuel fee"), _never)
    assert [(one.words, one.is_certain) for one in told] == [("hall rent", False), ("fuel fee", False)]
    assert subquestions_of(_frame("Acme bolts and nuts", "bolts and nuts"), _never) == ()
    assert len(subquestions_of(_frame("Acme bolts and nuts", "bolts and nuts"), {"bolts", "nuts"}.__contains__)) == 2
    assert subquestions_of(_frame("Acme rent and wages", "rent", "wages"), {"rent and wages"}.__contains__) == ()


def test_a_calculation_needs_its_figures_together() -> None:
    asked = _frame("Acme rent and wages", "rent", "wages")
    assert len(subquestions_of(asked, _never)) == 2
    assert subquestions_of(replace(asked, operation="ratio"), _never) == ()
    assert subquestions_of(_frame("rent over the sum of wages", "rent", "wages"), _never) == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Acme reserve 2024, opening and closing", ("Acme reserve at end of FY2023", "Acme reserve at end of FY2024")),
        ("Acme reserve at start and end of 2024", ("Acme reserve at end of FY2023", "Acme reserve at end of FY2024")),
        ("Acme reserve at the beginning of 2024", ("Acme reserve at end of FY2023",)),
        ("Acme opening balance of the reserve", ("Acme reserve at end of FY2023",)),
        ("when did Acme start a reserve", ()),
        ("Acme reserve from the start of the war in 2024", ()),
        ("Acme reserve 2024", ()),
    ],
)
def test_a_year_opens_with_what_the_one_before_closed_with(text: str, told: tuple[str, ...]) -> None:
    asked = _frame(text, "reserve", periods=("2024",) if "2024" in text else ())
    assert tuple(one.text for one in balances_asked(asked, 2024)) == told
    assert balances_asked(asked, 0) == ()
    assert balances_asked(replace(asked, operation="growth"), 2024) == ()
