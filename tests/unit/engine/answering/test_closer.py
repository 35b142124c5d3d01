"""A model's second look at an unsure figure: what it is asked, what its word does, what it can't do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fin_tui.engine.answering.answer import AnswerEngine, Request
from fin_tui.engine.answering.closer import LEAST, LIKELY, SURE, chance, log_odds
from fin_tui.engine.answering.events import Event, EvidenceReady, Finished, Status, Understood
from fin_tui.engine.answering.stream import last_answer
from fin_tui.engine.figures.answer import FigureAnswer, Unsure
from fin_tui.engine.models.grounding import Weights
from fin_tui.engine.models.protocol import Message
from fin_tui.errors import ModelFailed
from fin_tui.records import Sentence
from tests.unit.engine.answering.test_answer import QUESTION, Model, engine

WEIGHTS = Weights(share=1.0, computed=0.0, said=1.0, bias=0.0)
TOLD = "Europe | Net sales / Total | Net sales, FY2024 = 25%"


@dataclass
class Reader(Model):
    """Says yes by ``odds``; writes nothing that may be shown."""

    odds: float = 0.0
    writes: bool = False
    reading: Weights | None = WEIGHTS
    fails: bool = False
    read: list[tuple[Sequence[Message], Sequence[str]]] = field(default_factory=list)

    def weigh(self, messages: Sequence[Message], choices: Sequence[str], cancelled: Callable[[], bool]) -> tuple[float, ...]:
        self.read.append((messages, choices))
        if self.fails:
            raise ModelFailed("It ended.")
        return () if cancelled() else (self.odds, 0.0)


def unsure(share: float = 0.5) -> Unsure:
    told = FigureAnswer((Sentence("Europe had 25% of net sales.", (), "computed"),), (), (), (), 25.0, "%", display="25%")
    return Unsure(TOLD, share, is_computed=True, answer=told)


def asked(reader: Model, share: float = 0.5) -> AnswerEngine:
    """An engine over one passage that is unsure of one figure."""
    made = engine(reader)
    made.looked_up = lambda understood: (None, unsure(share))  # type: ignore[method-assign]
    return made


def events(of: AnswerEngine, request: Request | None = None, cancelled: Callable[[], bool] = lambda: False) -> list[Event]:
    return list(of.stream(request or Request(QUESTION), cancelled))


def never() -> bool:
    return False


def test_the_model_reads_the_question_beside_the_figure_and_its_part_that_never_changes_comes_first() -> None:
    reader = Reader([], odds=1.5)
    assert log_odds(reader, "Europe's share of sales?", TOLD, never) == 1.5
    assert log_odds(reader, "Asia's share of sales?", TOLD, never) == 1.5
    (first, choices), (second, _) = reader.read
    assert choices == ("Yes", "No")
    assert first[:-1] == second[:-1]
    assert first[-1] == Message("user", f"Question: Europe's share of sales?\nFigure: {TOLD}")


def test_ranker_and_model_decide_together() -> None:
    assert chance(Reader([], odds=3.0), QUESTION, unsure(), never) > SURE
    assert LIKELY < chance(Reader([], odds=1.5), QUESTION, unsure(), never) < SURE
    assert chance(Reader([], odds=1.5), QUESTION, unsure(0.2), never) < LIKELY
    assert chance(Reader([], odds=-2.0), QUESTION, unsure(0.7), never) < 0.5


def test_a_model_that_fails_is_stopped_or_was_not_measured_bears_nothing_out() -> None:
    assert chance(Reader([], odds=9.0, fails=True), QUESTION, unsure(), never) == 0
    assert chance(Reader([], odds=9.0), QUESTION, unsure(), lambda: True) == 0
    assert chance(Reader([], odds=9.0, reading=None), QUESTION, unsure(), never) == 0


def test_the_card_stands_first_and_the_figure_takes_its_place_once_it_is_borne_out() -> None:
    seen = events(asked(Reader([], odds=3.0)))
    assert [type(event) for event in seen] == [Understood, EvidenceReady, Status, EvidenceReady, Finished]
    first, second = (event for event in seen if isinstance(event, EvidenceReady))
    assert first.figures is None
    assert second.figures is not None
    assert second.notes[0] == "scripted read this figure beside the question and bears it out."
    answer = last_answer(seen, Request(QUESTION))
    assert (answer.value, answer.unit, answer.model) == (25.0, "%", "none")


def test_what_is_likely_and_no_more_is_told_as_the_closest_found() -> None:
    seen = events(asked(Reader([], odds=1.5)))
    first, second = (event for event in seen if isinstance(event, EvidenceReady))
    assert "Closest figure found: Europe had 25% of net sales." in second.extract
    assert "Closest" not in first.extract
    assert second.notes[0] == "scripted read this figure beside the question and finds it likely."
    assert last_answer(seen, Request(QUESTION)).value is None


def test_what_is_not_borne_out_leaves_the_card_as_it_is() -> None:
    seen = events(asked(Reader([], odds=-3.0)))
    assert [type(event) for event in seen] == [Understood, EvidenceReady, Status, Finished]
    assert last_answer(seen, Request(QUESTION)).value is None


def test_no_second_look_without_leave_without_its_use_at_a_follow_up_or_at_what_is_too_unlikely() -> None:
    plain = [Understood, EvidenceReady, Finished]
    assert [type(event) for event in events(asked(Reader([], odds=9.0)), Request(QUESTION, use_model=False))] == plain
    assert [type(event) for event in events(asked(Reader([], odds=9.0, reading=None)))] == plain
    assert [type(event) for event in events(asked(Reader([], odds=9.0), LEAST / 2))] == plain
    follow_up = Request(QUESTION, history=("What does Acme make?",))
    assert not any(isinstance(event, Status) for event in events(asked(Reader([], odds=9.0)), follow_up))
