"""What is known of each number of the lines found, and of each calculation over two, decides which of them is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fin_tui.engine.answering.read_out import ReadOut
from fin_tui.engine.answering.read_out_known import FEATURES, NO_ANSWER, Known, Seen, known_of, known_of_none
from fin_tui.engine.evidence.evidence import Bearing, Evidence
from fin_tui.engine.evidence.paragraphs import Near, Paragraph, Piece
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Unsure
from fin_tui.engine.figures.from_excerpt import Option, figures_of, options
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
    assert known_of_none(_seen()).tolist() == [1, 2, 4, 1]


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
