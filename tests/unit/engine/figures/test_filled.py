"""Which of several filled readings is told as the answer."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from fin_tui.engine.figures import filled, framed
from fin_tui.engine.figures.answer import FigureAnswer, answer_of_sentence
from fin_tui.engine.figures.filled import Filled, likeliest, likeliest_first, of_sentences
from fin_tui.engine.figures.frame_readings import FrameReading
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Cell, Grounded
from fin_tui.engine.figures.headline import lines_of
from fin_tui.engine.figures.weighed import FEATURES
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.wanted import Part, Reading
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Binary, Measure, Name
from fin_tui.facts.figures import Figure, Period, Unit
from fin_tui.records import Fact
from tests.unit.engine.figures.book import ACME, source, understood
from tests.unit.engine.figures.test_printed_rows import row


@pytest.mark.parametrize(("shares", "stands"), [((0.8, 0.15), True), ((0.6, 0.05), False), ((0.45, 0.01), False)])
def test_a_figure_of_a_table_stands_where_it_is_likely_by_itself(
    monkeypatch: pytest.MonkeyPatch, shares: tuple[float, float], stands: bool
) -> None:
    rows = [row("Widgets made", 40.0), row("Hatches made", 60.0)]
    monkeypatch.setattr(filled, "shares_of", lambda _: list(shares))
    chosen, share, is_sure = likeliest(rows)
    assert (chosen.value, share, is_sure) == (40.0, shares[0], stands)


def _per_unit(paid: str, value: float, number: str, count: float) -> Filled:
    """So many dollars over so many things, both told in a sentence."""
    fact = Fact("", "paid", value, paid, "usd", None, dt.date(2024, 12, 31), source="text", start=7)
    things = replace(fact, label="number", value=count, text=number, unit="count", start=40)
    period = Period(dt.date(2024, 12, 31), None, "FY2024")
    over = Figure("paid", Decimal(str(value)), "usd", fact, ACME[2], period)
    of = Figure("number", Decimal(str(count)), "count", things, ACME[2], period)
    node = Binary("/", Name("a"), Name("b"))
    part = Part(node, "paid per thing")
    measure = Measure(over.value / of.value, "usd")
    cell = Cell(part, "Acme", 2024, grounded=Grounded(node, [over, of], ["a", "b"]), measure=measure)
    reading = Reading((part,), {})
    return Filled(FrameReading(reading, {}, 1.0, 0, is_computed=True), Grid(reading, (cell,)), (0.0,) * len(FEATURES))


def test_a_quotient_of_rounded_figures_is_as_rough_as_they_are() -> None:
    rough = _per_unit("$2.4 billion", 2.4e9, "60 million", 60e6)
    assert rough.slack == pytest.approx(40.0 * (0.05 / 2.4 + 0.5 / 60))
    assert _per_unit("$2 billion", 2e9, "40 million", 40e6).slack == 0.0


def test_what_the_filing_prints_is_told_in_place_of_what_rounded_figures_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    computed, printed = _per_unit("$2.4 billion", 2.4e9, "60 million", 60e6), row("Average paid", 39.6)
    monkeypatch.setattr(filled, "shares_of", lambda _: [0.75, 0.2])
    chosen, share, is_sure = likeliest([computed, printed])
    assert (chosen.value, share, is_sure) == (39.6, 0.75, True)
    assert likeliest([computed, row("Average paid", 48.0)])[0] is computed


def test_a_reading_alone_is_no_surer_than_its_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filled, "shares_of", lambda found: [0.9] * len(found))
    one = _number(12, 18)
    assert likeliest([one])[1:] == (0.5, False)
    assert likeliest([one, _number(12, 90)])[1:] == (0.9, True)


SAID = "In 2024 we closed 12 of our 40 plants."


def _number(value: float, start: int, sentence: str = SAID) -> Filled:
    """A number of a sentence."""
    fact = Fact(
        "", sentence, value, f"{value:.0f}", "count", None, dt.date(2024, 12, 31), source="text", start=start, end=start + 2
    )
    figure = Figure("plants", Decimal(value), "count", fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"), sure=0.5)
    reading = Reading((Part(Name("a"), "plants"),), {})
    cell = Cell(reading.parts[0], "Acme", 2024, grounded=Grounded(Name("a"), [figure], ["plants"]))
    cell = replace(cell, measure=Measure(Decimal(value), "count"))
    return Filled(FrameReading(reading, {}, 1.0, 0, is_computed=False), Grid(reading, (cell,)), (0.0,) * len(FEATURES))


def test_numbers_of_one_sentence_speak_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [_number(12, 18), _number(40, 28), _number(12, 90, "12 were closed."), row("Plants", 40.0), _number(40, 28)]
    monkeypatch.setattr(filled, "shares_of", lambda _: [0.3, 0.4, 0.3, 0.4, 0.35])
    both, alone = of_sentences(found)
    assert [one.value for one in both[0]] == [40.0, 12.0]
    assert [one.value for one in alone[0]] == [12.0]
    assert (both[1], alone[1]) == pytest.approx((0.7, 0.3))


def test_a_sentence_is_told_without_a_choice_between_its_numbers() -> None:
    told = answer_of_sentence(_number(40, 28).figures[0], source())
    assert [sentence.text for sentence in told.sentences] == [f"Acme, FY2024: “{SAID}”"]
    assert (told.value, told.facts) == (None, ())  # The question's words name each of its numbers, and so none.


@pytest.mark.parametrize(
    ("operation", "unit", "may_be"), [("lookup", "count", True), ("sum", "count", False), ("share", "%", True)]
)
def test_a_number_of_a_sentence_is_an_operand_of_what_is_to_be_computed(
    monkeypatch: pytest.MonkeyPatch, operation: str, unit: Unit, *, may_be: bool
) -> None:
    monkeypatch.setattr(framed, "_may_stand", lambda *_: True)
    asked = understood("How many plants did Acme close in fiscal 2024?")
    asked = replace(asked, frame=Frame("", (), (), (), (), operation, "count", "", (), {"figure": 0.9}))
    number = _number(12, 18)
    measure = Measure(Decimal(12), unit)
    told = replace(number, grid=replace(number.grid, cells=(replace(number.grid.cells[0], measure=measure),)))
    assert framed._may_be_told(told, asked, vocabulary()) is may_be


@pytest.mark.parametrize(("least", "may_be", "is_said"), [(0.4, True, True), (0.75, True, False), (0.4, False, False)])
def test_a_sentence_is_as_likely_as_any_figure_and_may_be_told(
    monkeypatch: pytest.MonkeyPatch, least: float, *, may_be: bool, is_said: bool
) -> None:
    monkeypatch.setattr(filled, "shares_of", lambda _: [0.3, 0.4])
    monkeypatch.setattr(framed, "_may_be_told", lambda *_: may_be)
    asked = understood("How many plants did Acme close in fiscal 2024?")
    said = framed._said([_number(12, 18), _number(40, 28)], least, source(), asked)
    assert (said is not None) is is_said
    assert said is None or (said.place, said.values) == ((ACME[2].id, 28), (40.0, 12.0))
    assert framed._said([row("Plants", 40.0), row("Plants", 12.0)], 0.0, source(), asked) is None


def test_a_number_of_a_sentence_is_told_with_the_sentence() -> None:
    lead, quoted = lines_of(_number(12, 18).grid)
    assert (lead.text, quoted.text) == ("Acme, FY2024: 12.", f"“{SAID}”")


def test_values_that_are_one_but_for_sign_and_rounding_speak_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row("a loss of Rockets", 17_730.0), row("Loss of Rockets", -17_729.0), row("Sales of Rockets", 9_000.0)]
    assert filled.shares_of(rows).tolist() == pytest.approx([0.5, 0.5, 0.25])
    monkeypatch.setattr(filled, "by_itself", lambda *_: [0.2, 0.3, 0.1])
    assert likeliest(rows)[0].value == -17_729.0  # The likelier sign of both.
    monkeypatch.setattr(filled, "by_itself", lambda *_: [0.3, 0.2, 0.1])
    assert likeliest(rows)[0].value == 17_730.0


def test_of_readings_of_one_value_the_unrounded_comes_first() -> None:
    said, printed = _number(12, 18), row("Plants", 12.0)
    money = row("a loss of Rockets", 17.7e9)
    cell = money.grid.cells[0]
    figure = replace(cell.figures[0], fact=replace(cell.figures[0].fact, source="text", text="$17.7 billion"))
    rough = replace(money, grid=replace(money.grid, cells=(replace(cell, grounded=Grounded(Name("f0"), [figure], ["loss"])),)))
    assert rough.slack > 0
    assert list(likeliest_first([rough, row("Loss of Rockets", 17.729e9)], np.array([0.4, 0.4]))) == [1, 0]
    assert list(likeliest_first([said, printed], np.array([0.2, 0.6]))) == [1, 0]


def _grown(first: tuple[str, float], last: tuple[str, float]) -> Filled:
    """How much an amount that sentences tell grew."""
    figures = [
        Figure(
            "debt", Decimal(str(value)), "usd",
            Fact("", "debt", value, text, "usd", None, dt.date(year, 12, 31), source="text", start=year),
            ACME[2], Period(dt.date(year, 12, 31), None, f"FY{year}"),
        )
        for year, (text, value) in ((2024, last), (2023, first))
    ]  # fmt: skip
    part = Part(Name("a"), "debt")
    measure = Measure(Decimal(str((last[1] / first[1] - 1) * 100)), "%")
    cell = Cell(part, "Acme", 2024, grounded=Grounded(Name("a"), figures, ["debt", "debt"]), measure=measure)
    reading = Reading((part,), {}, "growth")
    return Filled(FrameReading(reading, {}, 1.0, 0, is_computed=True), Grid(reading, (cell,)), (0.0,) * len(FEATURES))


def test_growth_between_roughly_rounded_amounts_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rough = _grown(("$4.1 billion", 4.1e9), ("$4.4 billion", 4.4e9))
    fine = _grown(("$4,112 million", 4.112e9), ("$4,369 million", 4.369e9))
    assert (rough.is_rough, fine.is_rough) == (True, False)
    monkeypatch.setattr(filled, "shares_of", lambda found: [0.9] * len(found))
    assert [likeliest([one, _number(12, 18)])[2] for one in (rough, fine)] == [False, True]


def test_what_rounded_amounts_come_to_bears_out_the_exact_figure() -> None:
    rough = _grown(("$4.1 billion", 4.1e9), ("$4.4 billion", 4.4e9))
    named = FigureAnswer((), (), (), (), 6.2, "%")
    assert rough.is_roughly(named)
    assert not rough.is_roughly(replace(named, value=11.0))
    assert not rough.is_roughly(replace(named, unit="usd"))
    assert not _number(12, 18).is_roughly(named)
