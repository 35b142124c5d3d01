"""What the numbers of lines come to: every calculation that their units allow, told with its numbers."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.from_excerpt import Option, figures_of, options, told_of
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.rank.excerpt import Excerpt, Line, Printed, whole
from fin_tui.facts.figures import Figure
from fin_tui.records import Fact
from tests.unit.engine.figures.book import ACME, source

END = dt.date(2024, 12, 31)
FILING = ACME[2]
KINDS = {"percent": 0.9, "count": 0.1}
FRAME = Frame("what part of them?", (), (), (), (), "share", "percent", "", (), {"figure": 1.0}, KINDS, {"share": 0.9})


def line(text: str, at: int, *numbers: tuple[str, float, str]) -> Line:
    """A sentence that stands ``at`` a place of the filing, with its numbers as printed, their values and units."""
    printed = []
    for shown, value, unit in numbers:
        start = text.index(shown)
        fact = Fact("", text, value, shown, unit, None, END, source="text", start=at + start, end=at + start + len(shown))
        printed.append(Printed(start, start + len(shown), Candidate(fact, (text,))))
    return Line(text, tuple(printed), FILING, text)


PLANTS = line("Of 40 plants we owned 12.", 100, ("40", 40.0, "count"), ("12", 12.0, "count"))
BOUGHT = line("We bought 20 million shares for $900 million.", 300, ("20 million", 2e7, "shares"), ("$900 million", 9e8, "usd"))
RATE = line("Some 51% of plants are leased.", 500, ("51%", 0.51, "pure"))


def _of_2019(one: Candidate) -> Candidate:
    return replace(one, fact=replace(one.fact, period_end=dt.date(2019, 12, 31)))


def _figures(*lines: Line) -> list[Figure]:
    excerpt: Excerpt = whole(lines, frozenset())
    return figures_of(excerpt, {}, FRAME)


def _made(figures: list[Figure]) -> dict[tuple[str, tuple[int, ...]], Option]:
    return {(one.operation, one.places): one for one in options(figures, range(len(figures)), FRAME)}


def test_units_decide_what_is_computed() -> None:
    made = _made(_figures(PLANTS, BOUGHT, RATE))
    assert made["", (1,)].value == 12
    assert made["ratio", (1, 0)].value == pytest.approx(30.0)
    assert made["ratio", (1, 0)].unit == "%"
    assert made["part", (1, 0)].value == pytest.approx(12 / 52 * 100)
    assert made["ratio", (3, 2)].value == pytest.approx(45.0)
    assert made["ratio", (3, 2)].unit == "usd/share"
    assert made["prod", (0, 4)].value == pytest.approx(20.4)
    assert made["prod", (0, 4)].unit == "count"
    assert ("sum", (0, 1)) in made
    assert ("sum", (1, 0)) not in made
    for mixed in (("sum", (0, 3)), ("diff", (0, 2)), ("growth", (4, 4)), ("ratio", (2, 3)), ("part", (4, 0))):
        assert mixed not in made


def test_what_means_nothing_is_not_computed() -> None:
    times = line("Over 3 years we opened 12 plants.", 700, ("3 years", 3.0, "years"), ("12", 12.0, "count"))
    lost = line(
        "A loss of $10 million became a profit of $5 million.", 800, ("$10 million", -1e7, "usd"), ("$5 million", 5e6, "usd")
    )
    endless = line("Some 9 of 4.", 900, ("9", float("inf"), "count"), ("4", 4.0, "count"))
    made = _made(_figures(times, lost, endless))
    for none in (("sum", (0, 1)), ("ratio", (0, 1)), ("growth", (3, 2)), ("part", (2, 3)), ("", (4,)), ("ratio", (4, 5))):
        assert none not in made


def test_a_difference_is_told_one_way_round() -> None:
    made = _made(_figures(PLANTS))
    assert made["diff", (0, 1)].value == 28
    assert ("diff", (1, 0)) not in made


def test_dollars_are_no_count() -> None:
    excerpt = whole([BOUGHT], frozenset())
    assert [one.unit for one in figures_of(excerpt, {}, replace(FRAME, answer="count"))] == ["shares", "usd"]


def test_numbers_of_several_companies_are_not_told_together() -> None:
    figures = _figures(PLANTS)
    other = replace(figures[1], filing=replace(FILING, company="Globex", company_key="name:globex"))
    made = _made(figures)["ratio", (1, 0)]
    assert told_of(made, [figures[0], other], source()) is None


def test_a_number_of_another_year_is_not_called_the_filings_own() -> None:
    old = replace(PLANTS, printed=tuple(replace(one, candidate=_of_2019(one.candidate)) for one in PLANTS.printed))
    figures = _figures(old)
    told = told_of(_made(figures)["ratio", (1, 0)], figures, source())
    assert told is not None
    assert told.sentences[0].text == "Acme, as of 2019-12-31: 30.0% (12 / 40)."


def test_numbers_of_one_place_are_not_combined() -> None:
    made = _made(_figures(PLANTS, PLANTS))
    assert ("ratio", (0, 2)) not in made
    assert ("ratio", (0, 3)) in made


def test_a_calculation_is_told_with_its_numbers_and_their_sentences() -> None:
    figures = _figures(PLANTS)
    told = told_of(_made(figures)["ratio", (1, 0)], figures, source())
    assert told is not None
    assert (told.value, told.unit) == (30.0, "%")
    assert [one.text for one in told.sentences] == [
        "Acme, FY2024: 30.0% (12 / 40).",
        "Acme, FY2024: “Of 40 plants we owned 12.”",
    ]


def test_one_number_is_told_with_its_sentence() -> None:
    figures = [replace(one, sure=0.9) for one in _figures(PLANTS)]
    told = told_of(_made(figures)["", (1,)], figures, source())
    assert told is not None
    assert told.value == 12
    assert [one.text for one in told.sentences] == ["Acme, FY2024: 12.", "“Of 40 plants we owned 12.”"]


def test_what_the_evaluator_does_not_come_to_is_not_told() -> None:
    figures = _figures(PLANTS)
    assert told_of(Option("ratio", (1, 0), 31.0, "%"), figures, source()) is None
