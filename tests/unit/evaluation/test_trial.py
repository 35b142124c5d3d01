"""The grounding check: which questions are asked, and how a model's sentences are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import pytest

from fin_tui.assets import load_catalogue
from fin_tui.engine.answering.compose import failed
from fin_tui.engine.frame.reader import Kind
from fin_tui.engine.models.grounding import Tally
from fin_tui.engine.models.protocol import Done, Message
from fin_tui.errors import MissingAsset, ModelFailed
from fin_tui.evaluation.trial import check_grounding, counted, grounding_questions, samples
from tests.fakes import ScriptedModel
from tests.unit.engine.answering.test_answer import ACME, engine
from tests.unit.engine.made import filing


@dataclass
class Measured(ScriptedModel):
    """Keeps the figures of its last generation, as the real one does."""

    last: Done | None = None

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        self.last = None
        yield from super().generate(messages, max_tokens=max_tokens, cancelled=cancelled)
        self.last = Done(1, "end", 100, 0, 20, 50.0, 400.0)


@pytest.fixture(autouse=True)
def about_acme(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three questions that the made filing answers."""
    line = replace(grounding_questions()[0], question="Where do Acme's outsourcing partners assemble hardware?")
    monkeypatch.setattr("fin_tui.evaluation.trial.grounding_questions", lambda: [line] * 3)


def test_different_questions_of_each_kind_about_every_sample() -> None:
    asked = grounding_questions()
    assert len({line.question for line in asked}) == len({line.id for line in asked}) == len(asked)
    kinds = Counter(line.raw["kind"] for line in asked)
    assert set(kinds) == set(get_args(Kind))
    assert all(count >= 4 for count in kinds.values())
    assert all(bool(line.raw.get("must")) == (line.raw["kind"] != "number") for line in asked)
    assert all((line.raw.get("verdict") in ("yes", "no")) == (line.raw["kind"] == "yesno") for line in asked)
    for name in ("Apple", "Amazon", "Target"):
        assert sum(name in line.question for line in asked) >= 5


def test_counts_what_the_model_itself_said() -> None:
    answers = (
        "Partners assemble most hardware in Asia. It is run by wizards.",
        "Partners assemble hardware in Asia.",
        "Wizards.",
    )
    asked = engine()
    found = check_grounding(asked, Measured(answers), 7, [ACME])
    assert (found.file_bytes, found.questions, found.sentences, found.supported, found.standing) == (7, 3, 4, 2, 1)
    assert found.decode == 50.0
    assert found.uses == ()
    assert asked.model is None


def test_a_model_that_rests_can_earn_its_place_again() -> None:
    found = check_grounding(engine(), Measured(("Partners assemble hardware in Asia.",), writes=False), 7, [ACME])
    assert (found.share, found.standing) == (1.0, 3)
    assert found.uses == ("writing",)


MUST = ("single segment|one segment", "stores")
OWN = "We operate as a single  segment of stores."


@pytest.mark.parametrize(
    ("said", "model", "own", "tally"),
    [
        ("No, it has one segment: stores.", "scripted", OWN, Tally(1, 1, 0, 0)),
        ("It has one segment: stores.", "scripted", OWN, Tally(1, 1, 0, 0)),
        ("No, it has one segment: stores.", "scripted", "We have stores.", Tally(1, 1, 1, 0)),
        ("Yes, its one segment is stores.", "scripted", OWN, Tally(1, 1, 0, 1)),
        ("No, it has stores.", "scripted", OWN, Tally(1, 1, 0, 1)),
        (OWN, "none", OWN, Tally(1, 0, 0, 0)),
    ],
)
def test_words_are_held_against_what_was_asked_and_the_filings_own(said: str, model: str, own: str, tally: Tally) -> None:
    made = replace(failed("?", None, "", ""), status="answered", answer=said, model=model, extract=own)
    assert counted(Tally(), made, MUST, "no") == tally


def test_a_kind_of_question_is_counted_where_the_model_was_needed() -> None:
    found = check_grounding(engine(), Measured(("Partners assemble hardware in Asia.",)), 7, [ACME])
    assert list(found.kinds) == ["words"]
    assert found.kinds["words"].asked == found.kinds["words"].stood == 3


def test_begins_no_question_once_it_is_cancelled() -> None:
    assert check_grounding(engine(), Measured(), 7, [ACME], cancelled=lambda: True).questions == 0


def test_gives_way_to_other_answers_and_asks_the_question_again() -> None:
    """Others are answered while the first question is: it is stopped, and asked again when they are done."""
    model = Measured(("Partners assemble hardware in Asia.",))
    others = iter([False, False, False, True, True, *[False] * 500])
    found = check_grounding(engine(), model, 7, [ACME], gives_way=lambda: next(others, False))
    assert (found.questions, found.sentences, found.supported) == (3, 3, 3)
    assert len(model.asked) == 4


def test_a_model_that_can_not_run_has_no_finding() -> None:
    with pytest.raises(ModelFailed):
        check_grounding(engine(), Measured(fails="The process ended."), 7, [ACME])


def test_needs_the_samples_in_the_library() -> None:
    names = [file.name for file in load_catalogue().asset("sample-filings").files]
    held = [replace(filing(), file=name) for name in names]
    assert samples([ACME, *held]) == tuple(held)
    with pytest.raises(MissingAsset, match=names[0]):
        samples([ACME, *held[1:]])
