"""A frame's calculation: which operands it looks for, and what they are to the result."""

from __future__ import annotations

import pytest

from fin_tui.engine.figures.formulas import over_years
from fin_tui.engine.figures.framed import looking_ahead, read_frame
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.rank.ranker import Wanted
from fin_tui.facts.expression import Binary, Name, write
from fin_tui.facts.metrics import vocabulary
from tests.unit.engine.figures.book import ACME
from tests.unit.engine.made import filing


def _frame(text: str, operation: str, *, targets: tuple[str, ...], periods: tuple[str, ...] = (), answer: str = "ratio") -> Frame:
    def spans(words: tuple[str, ...]) -> tuple[Span, ...]:
        return tuple(Span(word, text.find(word), text.find(word) + len(word)) for word in words)

    sure = {"figure": 0.9, "operation": 0.9, "answer": 0.9, "refusal": 0.0}
    return Frame(text, (), spans(periods), spans(targets), (), operation, answer, "", (), sure)


def _wanted(frame: Frame) -> dict[str, Wanted]:
    made = read_frame(frame, vocabulary(), Instructions(""))
    assert made is not None
    return made[1]


def test_operands_that_words_name_are_looked_for_by_these() -> None:
    wanted = _wanted(_frame("widgets sold for each salesperson", "per_unit", targets=("widgets sold", "salesperson")))
    assert [one.read for one in wanted.values()] == ["widgets sold", "salesperson"]


def test_an_operand_that_no_words_name_is_looked_for_by_the_whole_question() -> None:
    text = "widgets sold for each salesperson"
    wanted = _wanted(_frame(text, "per_unit", targets=("widgets sold",)))
    assert [one.read for one in wanted.values()] == [f"numerator of: {text}", f"denominator of: {text}"]


def test_one_figure_of_two_years_is_a_multiple() -> None:
    frame = _frame(
        "widget liability 2024 is how many times 2022", "ratio", targets=("widget liability",), periods=("2024", "2022")
    )
    made = read_frame(frame, vocabulary(), Instructions(""))
    assert made is not None
    assert made[0].over == "multiple"
    assert [one.matter for one in made[1].values()] == ["widget liability"]


@pytest.mark.parametrize(("over", "written"), [("multiple", "a / b / (c / d)"), ("contribution", "(a - c) / (b - d)")])
def test_years_are_set_against_each_other(over: str, written: str) -> None:
    node = over_years(Binary("/", Name("a"), Name("b")), over, 2)
    names = {Name("a"): "a", Name("b"): "b", Name("a", 2): "c", Name("b", 2): "d"}
    assert write(node, lambda name: names[name]) == written


def test_a_year_after_the_newest_filing_is_looked_for_in_that() -> None:
    found = looking_ahead(ACME, 2026)
    assert [(one.fiscal_year, year.label, year.end.year) for one, year in found] == [(2024, "FY2026", 2026)]
    assert not looking_ahead(ACME, 2024)
    assert not looking_ahead([filing("Acme Corp.", 2010)], 2024)
