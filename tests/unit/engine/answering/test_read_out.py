"""What is known of each number of the lines found, and of each calculation over two, decides which of them is told."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from fin_tui.engine.answering import read_out
from fin_tui.engine.answering.read_out import ReadOut, years_asked
from fin_tui.engine.answering.read_out_known import FEATURES, NO_ANSWER, Known, Seen, known_of, known_of_none
from fin_tui.engine.evidence.evidence import Bearing, Evidence
from fin_tui.engine.evidence.paragraphs import Near, Paragraph, Piece
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Unsure
from fin_tui.engine.figures.from_excerpt import Option, figures_of, options
from fin_tui.engine.questions.periods import Periods
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.target import Target
from fin_tui.engine.rank.excerpt import whole
from fin_tui.retrieval.excerpt_reader import OPERATIONS, Chances
from tests.unit.engine.figures.test_from_excerpt import BOUGHT, FILING, FRAME, PLANTS

EXCERPT = whole([PLANTS, BOUGHT], frozenset())
FIGURES = figures_of(EXCERPT, {}, FRAME)
SINGLE = np.array([0.1, 0.2, 0.0, 0.0], np.float32)
PAIRS = np.zeros((len(OPERATIONS), 4, 4), np.float32)
PAIRS[OPERATIONS.index("ratio"), 1, 0] = 0.5
PAIRS[OPERATIONS.index("sum"), 1, 0] = 0.1


def _tell() -> FigureAnswer:
    raise AssertionError("nothing is told of it")


def _seen() -> Seen:
    near = Near(Paragraph((Piece(PLANTS.text, 100, 100 + len(PLANTS.text)),)), FILING, 0, ())
    evidence = Evidence((), (), 1.0, sure=2.0, paragraphs=(Bearing(near, 1.0, {}, 3.0),))
    unsure = Unsure((Likely(30.0, 0.25, True, _tell),), ())
    told = frozenset(((FILING.id, FIGURES[0].fact.start),))
    return Seen(EXCERPT, FIGURES, FRAME, Chances(0.1, SINGLE, PAIRS), [1.0, 4.0, -2.0, -3.0], told, evidence, unsure)


def _known(seen: Seen) -> tuple[list[Option], Known]:
    found = list(options(FIGURES, seen.first, FRAME))
    return found, known_of(found, seen)


def _of(known: Known, found: list[Option], operation: str, *places: int) -> dict[str, float]:
    at = next(at for at, one in enumerate(found) if (one.operation, one.places) == (operation, places))
    return dict(zip(FEATURES, known[at].tolist(), strict=True))


def test_what_was_told_comes_first_and_then_what_answers_best() -> None:
    assert _seen().first == [0, 1, 2, 3]
    assert replace(_seen(), told=frozenset()).first == [1, 0, 2, 3]


def test_what_is_known_of_a_number() -> None:
    found, known = _known(_seen())
    of = _of(known, found, "", 1)
    assert (of["one"], of["fit"], of["best_fit"], of["paragraph"], of["text"], of["told"]) == (1, 4, 0, 3, 1, 0)
    assert of["read_one"] == pytest.approx(np.log(0.2))
    assert of["kind"] == pytest.approx(np.log(0.1))
    assert _of(known, found, "", 0)["told"] == 1
    assert _of(known, found, "", 2)["paragraph"] == -6


def test_what_is_known_of_a_calculation() -> None:
    found, known = _known(_seen())
    of = _of(known, found, "ratio", 1, 0)
    assert (of["ratio"], of["same_line"], of["same_period"], of["within_whole"], of["told_one"]) == (1, 1, 1, 1, 1)
    assert of["read_two"] == pytest.approx(np.log(0.5))
    assert of["read_first"] == 1
    assert of["share"] == pytest.approx(np.log(0.25))
    assert of["asked_two"] == pytest.approx(np.log(0.9))
    assert _of(known, found, "sum", 0, 1)["read_two"] == pytest.approx(np.log(0.1))  # Either way round.
    assert _of(known, found, "ratio", 3, 2)["same_line"] == 1
    assert known_of_none(_seen()).tolist() == pytest.approx([1, 2, 4, 1, np.log(0.1)])


def test_a_number_is_called_by_the_year_of_its_row_and_is_of_that_of_its_period() -> None:
    bought = BOUGHT.printed[0].candidate
    row = replace(bought, fact=replace(bought.fact, source="table"), path=("Due in 2031",))
    line = replace(BOUGHT, printed=(replace(BOUGHT.printed[0], candidate=row),))
    excerpt = whole([PLANTS, line], frozenset())
    seen = replace(_seen(), excerpt=excerpt, figures=figures_of(excerpt, {}, FRAME))
    of_2031, of_2024 = (replace(seen, asked=frozenset((year,))) for year in (2031, 2024))
    assert of_2031.of_years((2,)) == {"called_year": 1.0, "of_year": 0.0, "of_other_year": 0.0}
    assert of_2031.of_years((0,)) == {"called_year": 0.0, "of_year": 0.0, "of_other_year": 1.0}
    assert of_2024.of_years((0,)) == {"called_year": 0.0, "of_year": 1.0, "of_other_year": 0.0}
    assert of_2024.of_years((2,))["of_year"] == 1.0
    assert set(seen.of_years((0,)).values()) == {0.0}


def test_the_words_of_a_question_name_the_numbers_of_a_line() -> None:
    seen = replace(_seen(), frame=replace(FRAME, question="owned plants and bonds"))
    assert 0 < seen.said((0,)) < 1
    assert seen.said((0, 1)) == seen.said((0,))  # Both stand in one sentence.


def test_how_far_lines_are_behind_the_nearest() -> None:
    seen = replace(_seen(), near={"another": 2.0, BOUGHT.key: 1.5, "the last": 1.2})
    assert seen.behind((2,)) == pytest.approx(-0.5)
    assert seen.behind((0, 2)) == seen.behind((0,)) == pytest.approx(-0.8)
    assert _seen().behind((0,)) < -0.1, "where nothing is known to be near, nothing is the nearest"


def test_a_number_that_is_read_likely_comes_early_though_it_answers_badly_by_itself() -> None:
    pairs = np.zeros((len(OPERATIONS), 4, 4), np.float32)
    pairs[0, 3, 1] = 0.9
    assert replace(_seen(), told=frozenset(), chances=Chances(0.1, SINGLE, pairs)).first == [1, 0, 3, 2]


@pytest.mark.parametrize(
    ("periods", "beyond", "asked"),
    [
        (Periods(years=(2023,)), (), {2023}),
        (Periods(years=(2019, 2020, 2021, 2022)), (), {2019, 2022}),
        (Periods(years=(2021,), since=True), (), {2021, 2024}),
        (Periods(back=-1), (), {2025}),
        (Periods(back=1), (), {2024}),  # The filings asked are those of the year that is meant.
        (Periods(), (2031,), {2031}),
        (Periods(dates=(dt.date(2024, 12, 31),)), (), {2024}),
        (Periods(), (), set()),
    ],
)
def test_the_years_that_are_asked(periods: Periods, beyond: tuple[int, ...], asked: set[int]) -> None:
    assert years_asked(Question("", (), (), periods, ()), Target((), "", (FILING,), beyond=beyond)) == asked


def test_the_years_that_something_falls_due_in_are_asked() -> None:
    due = Question("due in 2029?", (), (), Periods(years=(2024,)), (), dated=(2029,))
    assert years_asked(due, Target((), "", (FILING,))) == {2029}


def test_options_that_come_to_one_value_count_together() -> None:
    made = (Option("", (0,), 30.0, "%"), Option("ratio", (1, 0), 30.01, "%"), Option("", (1,), 12.0, "count"))
    known = np.zeros((3, len(FEATURES)))
    known[:, 0] = np.log([2, 2, 3])
    none = np.zeros(len(NO_ANSWER))
    none[0] = np.log(3)
    weights = {"options": np.eye(len(FEATURES))[0], "none": np.eye(len(NO_ANSWER))[0]}
    best = ReadOut(made, known, none, tuple(FIGURES)).likeliest(weights)
    assert best is not None
    assert best[0].value == 30.0
    assert best[1] == pytest.approx(0.4)
    assert ReadOut((), known[:0], none, ()).likeliest(weights) is None


def test_a_sentence_is_borne_out_by_its_own_numbers_alone() -> None:
    made = (Option("", (0,), 40.0, "count"), Option("", (1,), 12.0, "count"), Option("ratio", (1, 0), 30.0, "%"))
    known = np.zeros((3, len(FEATURES)))
    known[:, 0] = np.log([1, 3, 5])
    none = np.zeros(len(NO_ANSWER))
    weights = {"options": np.eye(len(FEATURES))[0], "none": np.eye(len(NO_ANSWER))[0]}
    read = ReadOut(made, known, none, tuple(FIGURES))
    assert read.chance_in("It closed 12.", weights) == pytest.approx(0.3)
    assert read.chance_in("Of 40 it closed 12.", weights) == pytest.approx(0.4)
    assert read.chance_in("It closed some.", weights) == 0.0
    assert read.chance_of(12.05, weights) == read.chance_of(-12, weights) == pytest.approx(0.3)
    assert read.chance_of(0.3, weights) == pytest.approx(0.5)  # A share of one is told as 30 %, too.
    assert read.chance_of(13.0, weights) == 0.0
    own = FIGURES[0].fact
    behind_its_sign = replace(FIGURES[0], fact=replace(own, start=own.start + 1))
    hidden = replace(FIGURES[0], fact=replace(own, start=0, end=0))
    beside = replace(FIGURES[0], fact=replace(own, start=own.end, end=own.end + 1))
    assert [read.holds(one) for one in (FIGURES[0], behind_its_sign, hidden, beside)] == [True, True, False, False]


def test_each_weight_of_the_package_is_of_something_that_is_known() -> None:
    card = json.loads(files("fin_tui.engine.answering").joinpath("read_out.json").read_text(encoding="utf-8"))
    assert (tuple(card["options"]), tuple(card["none"])) == (FEATURES, NO_ANSWER)


@pytest.mark.parametrize(
    ("printed", "text", "stands"),
    [
        ("12", "we closed 12 of 40", True),
        ("12", "$1,120 in 2012", False),
        ("4", "4.2 plants", False),
        ("40", "of 40.", True),
        ("", "of 40.", False),
    ],
)
def test_a_number_stands_in_a_text_as_a_whole(printed: str, text: str, *, stands: bool) -> None:
    figures = [replace(FIGURES[0], fact=replace(FIGURES[0].fact, text=printed))]
    read = ReadOut((Option("", (0,), 12.0, "count"),), np.zeros((1, len(FEATURES))), np.zeros(len(NO_ANSWER)), tuple(figures))
    assert bool(read.values_in(text)) is stands


@pytest.mark.parametrize(
    ("scores", "quoted", "is_told"),
    [
        ((1.5, -1.5, 0.5), ("We closed 12 of our 40 plants.",), True),
        ((2.0, 1.5, 0.0), ("We closed 12 of our 40 plants.",), False),
        ((2.0, 0.0, 2.5), ("We closed 12 of our 40 plants.",), False),
        ((2.0, 0.0, 0.0), (), False),
        ((4.0, 0.0, 0.0), (), True),
    ],
    ids=["clear among what is quoted", "another is nearly as likely", "hardly borne out", "not quoted, not sure", "sure"],
)
def test_a_number_of_what_is_quoted_is_told_where_it_is_clearly_meant(
    monkeypatch: pytest.MonkeyPatch, scores: tuple[float, float, float], quoted: tuple[str, ...], *, is_told: bool
) -> None:
    figures = tuple(replace(FIGURES[0], fact=replace(FIGURES[0].fact, text=text)) for text in ("12", "40"))
    found = tuple(Option("", (at,), value, "count") for at, value in enumerate((12.0, 40.0)))
    known = np.array([[score] for score in scores[:2]])
    read = ReadOut(found, known, np.array([scores[2]]), figures)
    monkeypatch.setattr(read_out, "_weights", lambda: {"options": np.array([1.0]), "none": np.array([1.0])})
    monkeypatch.setattr(read_out, "told_of", lambda option, *_: option)
    reads: Any = object.__new__(read_out.ReadsOut)
    monkeypatch.setattr(reads, "of", lambda *_: read)
    reads._source = None
    told, _ = reads.judged(None, None, None, quoted)
    assert told == (found[0] if is_told else None)
