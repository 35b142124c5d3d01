"""What is known of each number of the lines found, and of each calculation over two, decides which of them is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fin_tui.engine.answering.read_out import of_company
from fin_tui.engine.answering.read_out_known import FEATURES, Known, Seen, known_of, known_of_none
from fin_tui.engine.evidence.evidence import Bearing, Evidence
from fin_tui.engine.evidence.paragraphs import Near, Paragraph, Piece
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Unsure
from fin_tui.engine.figures.from_excerpt import Option, figures_of, options
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.companies import CompanyIndex
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


def test_a_number_is_of_the_year_that_its_row_names_before_that_of_its_table() -> None:
    bought = BOUGHT.printed[0].candidate
    row = replace(bought, fact=replace(bought.fact, source="table"), path=("Due in 2031",))
    line = replace(BOUGHT, printed=(replace(BOUGHT.printed[0], candidate=row),))
    excerpt = whole([PLANTS, line], frozenset())
    seen = replace(_seen(), excerpt=excerpt, figures=figures_of(excerpt, {}, FRAME), asked=frozenset((2031,)))
    assert seen.years[2] == {2031}
    assert seen.of_years((2,)) == {"of_year": 1.0, "of_other_year": 0.0}
    assert seen.of_years((0,)) == {"of_year": 0.0, "of_other_year": 1.0}
    assert replace(seen, asked=frozenset()).of_years((0,)) == {"of_year": 0.0, "of_other_year": 0.0}


def test_the_words_of_a_question_name_the_numbers_of_a_line() -> None:
    seen = replace(_seen(), frame=replace(FRAME, question="owned plants and bonds"))
    assert 0 < seen.said((0,)) < 1
    assert seen.said((0, 1)) == seen.said((0,))  # Both stand in one sentence.


def _turns(*questions: str) -> Frame:
    """The frame of the last question, behind those before it; one that begins with "and" leaves its matter unsaid."""
    frame: Frame | None = None
    for text in questions:
        carried = frame if text.startswith("and ") else None
        frame = replace(FRAME, question=text, behind=frame, carried=carried)
    assert frame is not None
    return frame


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (("globex sales", "acme sales", "and growth?", "and in %?"), ("acme sales", "and growth?")),
        (("globex sales", "and acme?", "and in %?"), ("globex sales", "and acme?")),
        (("globex sales", "and acme?"), ("globex sales",)),
        (("globex sales", "how many rockets did acme build?"), ()),
        (("sales", "and growth?", "and in %?"), ("sales", "and growth?")),
    ],
)
def test_a_follow_up_is_read_behind_the_questions_of_its_own_company(turns: tuple[str, ...], left: tuple[str, ...]) -> None:
    acme = replace(FILING, company="Acme Corp", company_key="a")
    globex = replace(FILING, id="g", company="Globex Inc", company_key="g", ticker="GBX", cik="77")
    assert of_company(turns[:-1], _turns(*turns), "a", CompanyIndex((acme, globex))) == left
