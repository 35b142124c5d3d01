"""Which questions one question asks: its pieces, both ends of a period."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.subquestions import Halves, balances_asked, halves_of, subquestions_of


def _frame(
    text: str,
    *targets: str,
    companies: tuple[str, ...] = (),
    periods: tuple[str, ...] = (),
    asks: tuple[str, ...] = (),
    operation: str = "lookup",
) -> Frame:
    def spans(words: tuple[str, ...]) -> tuple[Span, ...]:
        return tuple(Span(one, text.index(one), text.index(one) + len(one)) for one in words)

    sure = {"figure": 1.0, "refusal": 0.0, "operation": 1.0, "answer": 1.0}
    return Frame(text, spans(companies), spans(periods), spans(targets), (), operation, "money", "", (), sure, asks=spans(asks))


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
    assert subquestions_of(_frame(text, "margin", asks=(first.rstrip("?"), second)), _never) == ()


def test_pieces_are_asked_one_by_one() -> None:
    pieces = ("How much did Acme lose in 2022", "which units lost most")
    told = subquestions_of(_frame(" and ".join(pieces), "lose", asks=pieces), _never)
    assert tuple(one.text for one in told) == pieces
    assert not any(one.words for one in told)
    assert subquestions_of(_frame("How much did Acme lose", "lose"), _never) == ()


def test_more_pieces_than_are_answered_are_none() -> None:
    pieces = ("rent", "wages", "fuel", "tolls", "fees")
    assert subquestions_of(_frame(" ".join(pieces), asks=pieces), _never) == ()


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        (("Acme 2003", "rent at home", "who pays"), ("Acme 2003, rent at home", "who pays")),
        (("Acme 10k 2003", "rent"), ()),
        (("rent in 2003", "2002", "2001"), ()),
        (("of Acme's halls", "how many close"), ()),
        (("rent at home", "of Acme's halls", "how many close"), ("rent at home", "of Acme's halls, how many close")),
    ],
)
def test_what_asks_nothing_is_asked_with_what_stands_beside_it(pieces: tuple[str, ...], told: tuple[str, ...]) -> None:
    years = tuple(one for one in pieces if one.isdigit())
    asked = (
        _frame(", ".join(pieces), companies=("Acme",) if "Acme" in pieces[0] else (), periods=years or ("2003",), asks=pieces)
        if "2003" in ", ".join(pieces)
        else _frame(", ".join(pieces), asks=pieces)
    )
    assert tuple(one.text for one in subquestions_of(asked, _never)) == told


def test_a_calculation_of_what_stands_side_by_side_is_one_question() -> None:
    pieces = ("rent", "wages as a share of sales")
    asked = _frame(" + ".join(pieces), asks=pieces, operation="share")
    assert subquestions_of(asked, _never) == ()
    assert len(subquestions_of(replace(asked, sure={**asked.sure, "asks": 0.9}), _never)) == 2
    anew = ("rent as a share of sales", "what was it before")
    assert len(subquestions_of(_frame(" and ".join(anew), asks=anew, operation="share"), _never)) == 2


def test_a_piece_that_is_one_figure_says_which() -> None:
    asked = _frame(
        "What was Acme's rent, 2024 and why its unpaid wages at home", "rent", "unpaid wages",
        companies=("Acme",), periods=("2024",), asks=("What was Acme's rent, 2024", "its unpaid wages at home"),
    )  # fmt: skip
    assert [one.words for one in subquestions_of(asked, _never)] == ["rent", ""]
    plain = _frame("Acme's rent 2024 and its wages", "rent", "wages", companies=("Acme",), periods=("2024",),
        asks=("Acme's rent 2024", "its wages"))  # fmt: skip
    assert [one.words for one in subquestions_of(plain, _never)] == ["rent", "wages"]


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
