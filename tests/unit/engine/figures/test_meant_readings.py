"""Readings of words that name no metric and mean one."""

from __future__ import annotations

from fin_tui.engine.figures.frame_readings import readings_of
from fin_tui.engine.frame.meaning import Meant
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.facts import vocabulary
from tests.unit.engine.figures.test_framed import _frame


def test_words_that_mean_a_metric_make_a_reading_of_it() -> None:
    metric = vocabulary().get("receivables")
    assert metric is not None
    frame = _frame("what clients still have to pay", "lookup", targets=("clients still have to pay",), answer="money")

    def meaning(words: str) -> Meant | None:
        return Meant(metric, 0.8) if "pay" in words else None

    plain = readings_of(frame, vocabulary(), Instructions(""))
    found = readings_of(frame, vocabulary(), Instructions(""), meaning=meaning)
    (more,) = [one for one in found if one not in plain]
    assert (more.meant, [item.metric for item in more.reading.items.values()]) == (0.8, [metric])


def test_words_that_mean_a_metric_are_left_alone_where_a_name_says_it() -> None:
    frame = _frame("total revenue", "lookup", targets=("total revenue",), answer="money")
    metric = vocabulary().get("inventory")
    assert metric is not None
    found = readings_of(frame, vocabulary(), Instructions(""), meaning=lambda _: Meant(metric, 0.8))
    assert all(one.meant == 1.0 for one in found)


def test_both_operands_of_a_calculation_may_be_meant() -> None:
    of = {"money from clients": "revenue", "people on the payroll": "employees"}
    frame = _frame("money from clients for all people on the payroll", "ratio", targets=tuple(of))

    def meaning(words: str) -> Meant | None:
        metric = vocabulary().get(of.get(words, ""))
        return Meant(metric, 0.5) if metric is not None else None

    found = readings_of(frame, vocabulary(), Instructions(""), meaning=meaning)
    assert 0.25 in [one.meant for one in found]


def test_the_growth_of_each_of_two_figures_is_not_how_far_one_is_above_the_other() -> None:
    each = _frame("rocket sales and anvil sales growth", "growth", targets=("rocket sales", "anvil sales"), answer="percent")
    above = _frame("rocket sales growth over anvil sales", "growth", targets=("rocket sales", "anvil sales"), answer="percent")
    for frame, is_one in ((each, False), (above, True)):
        found = readings_of(frame, vocabulary(), Instructions(""))
        assert any(len(one.reading.items) > 1 and one.is_computed for one in found) is is_one
