"""A model's own calculation beside an unsure figure: what it is asked, what it may speak for, what it can't do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from fin_tui.engine.answering.answer import AnswerEngine, Request, last_answer
from fin_tui.engine.answering.closer import LIKELY, SURE, Asked, borne_out, chance, is_same, reading_prompt, work_out
from fin_tui.engine.answering.events import Event, EvidenceReady, Finished, Status, Understood
from fin_tui.engine.evidence.evidence import Evidence, gather
from fin_tui.engine.figures.answer import FigureAnswer, Likely, NoFigures, Unsure
from fin_tui.engine.models.protocol import Message
from fin_tui.errors import ModelFailed
from fin_tui.records import Sentence
from tests.unit.engine.answering.test_answer import QUESTION, Model, engine
from tests.unit.engine.made import hit

LINES = ("Net sales | Europe: 2024-12-31 4,000; 2023-12-31 3,000 ($ million)", "Net sales | Total: 2024-12-31 16,000 ($ million)")
SHARE = "4000 / 16000 * 100"


@dataclass
class Reader(Model):
    """Writes ``written`` within any grammar; nothing that may be shown."""

    written: str = "none"
    writes: bool = False
    may_read: bool = True
    fails: bool = False
    filled: list[tuple[Sequence[Message], str]] = field(default_factory=list)

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        self.filled.append((messages, grammar))
        if self.fails:
            raise ModelFailed("It ended.")
        return "" if cancelled() else self.written


def figure(value: float = 25.0, share: float = 0.5) -> Likely:
    told = FigureAnswer(
        (Sentence(f"Europe had {value:g}% of net sales.", (), "computed"),), (), (), (), value, "%", display="25%"
    )
    return Likely(value, share, is_computed=True, tell=lambda: told)


def unsure(*figures: Likely) -> Unsure:
    return Unsure(figures or (figure(),), LINES)


def asked(reader: Model, *figures: Likely) -> AnswerEngine:
    """An engine over one passage that is unsure of the figures."""
    made = engine(reader)
    made._look_up.looked_up = lambda understood: (None, unsure(*figures))  # type: ignore[method-assign]
    return made


def events(of: AnswerEngine, request: Request | None = None, cancelled: Callable[[], bool] = lambda: False) -> list[Event]:
    return list(of.stream(request or Request(QUESTION), cancelled))


def never() -> bool:
    return False


NONE = Evidence((), (), 0.0)
TOLD = gather("sales in Europe", [hit("Sales in Europe  rose. The mill burned down. Sales in Europe are made by boat.")])


def read(lines: Sequence[str], evidence: Evidence = NONE) -> str:
    """The last message of what a model reads."""
    reader = Reader([])
    work_out(reader, Asked("?"), lines, evidence, never)
    return str(reader.filled[0][0][-1].content)


def test_the_model_reads_sentences_rows_earlier_questions_and_the_question_last() -> None:
    reader = Reader([], written=SHARE)
    question = Asked("and Europe's share?", ("Sales in 2024?",))
    assert work_out(reader, question, LINES, TOLD, never) == 25.0
    ((messages, grammar),) = reader.filled
    expected = (
        "Passages:\nSales in Europe rose.\nSales in Europe are made by boat.\n"
        "Lines:\nNet sales | Europe: 2024 4,000; 2023 3,000 ($ million)\nNet sales | Total: 2024 16,000 ($ million)\n"
        "Earlier question: Sales in 2024?\nQuestion: and Europe's share?"
    )
    assert messages[-1] == Message("user", expected)
    assert grammar.lstrip().startswith("root ::=")
    work_out(reader, Asked("Europe's sales?"), LINES, NONE, never)
    assert reader.filled[1][0][:-1] == messages[:-1] == reading_prompt()[:-1], "what never changes comes first"


def test_rows_that_tell_no_new_figure_are_left_out_and_days_stay_where_they_tell_periods_apart() -> None:
    rows = (
        "Sales: 2024-12-31 10; 2023-12-31 9",
        "Sales | Income: 2024-12-31 10",
        "Cash: 2024-06-30 7; 2024-12-31 8",
        "Told in 7",
    )
    assert "Lines:\nSales: 2024 10; 2023 9\nCash: 2024-06-30 7; 2024-12-31 8\nQuestion" in read(rows)


def test_the_prompt_stays_short_and_sentences_that_answer_best_are_kept() -> None:
    many = " ".join(f"The boat number {at} was painted green by a crew of {at} people at sea." for at in range(100, 200))
    long = gather("sales in Europe", [hit(f"{many} Sales in Europe were 4,000. {many}")])
    rows = [f"Row {at}: 2024-12-31 {at:,}; 2023-12-31 {at + 1:,} ($ million)" for at in range(1000, 9000, 100)]
    text = read(rows, long)
    assert "Sales in Europe were 4,000." in text
    assert rows[0].replace("-12-31", "") in text
    assert len(re.findall(r"\d|[^\W\d]+|[^\w\s]", text)) < 350


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (SHARE, 25.0),
        ("(4000 - 3000) / 3000 * 100", 100 / 3),
        ("4000 / 2", 2000.0),
        ("none", None),
        ("", None),
        ("4100 / 16000 * 100", None),
        ("4000 / (3000 - 3000)", None),
        ("4000 / 16000 *", None),
        ("net_sales", None),
    ],
)
def test_only_numbers_that_are_printed_there_are_computed_with(written: str, value: float | None) -> None:
    found = work_out(Reader([], written=written), Asked("?"), LINES, NONE, never)
    assert found == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("worked_out", "value", "same"),
    [(25.0, 25.0, True), (0.25, 25.0, True), (4000.0, 4e9, True), (-3.0, 3.0, True), (25.1, 25.0, False), (0.0, 0.0, False)],
)
def test_scale_and_sign_do_not_part_what_is_one_value(worked_out: float, value: float, same: bool) -> None:
    assert is_same(worked_out, value) == same


def test_the_likeliest_figure_of_that_value_is_borne_out_and_no_other() -> None:
    reader = Reader([], written=SHARE)
    found = borne_out(reader, Asked("?"), unsure(figure(40.0), figure(25.0, 0.3), figure(0.25, 0.1)), NONE, never)
    assert found is not None
    assert (found[0].value, found[0].share) == (25.0, 0.3)
    assert borne_out(reader, Asked("?"), unsure(figure(40.0)), NONE, never) is None


def test_what_the_ranker_finds_likelier_is_likelier() -> None:
    assert chance(figure(share=0.02)) < chance(figure(share=0.3)) < chance(figure(share=0.6)) < 1
    assert chance(figure(share=0.6)) > SURE


def test_a_model_that_fails_or_is_stopped_bears_nothing_out() -> None:
    assert borne_out(Reader([], written=SHARE, fails=True), Asked("?"), unsure(), NONE, never) is None
    assert borne_out(Reader([], written=SHARE), Asked("?"), unsure(), NONE, lambda: True) is None


def test_the_card_stands_first_and_the_figure_takes_its_place_once_it_is_borne_out() -> None:
    seen = events(asked(Reader([], written=SHARE), figure(share=0.6)))
    assert [type(event) for event in seen] == [Understood, EvidenceReady, Status, EvidenceReady, Finished]
    first, second = (event for event in seen if isinstance(event, EvidenceReady))
    assert first.figures is None
    assert second.figures is not None
    assert second.notes[0] == "scripted, working from the passages, comes to the same figure."
    answer = last_answer(seen, Request(QUESTION))
    assert (answer.value, answer.unit, answer.model) == (25.0, "%", "none")


def test_what_is_likely_and_no_more_is_told_as_the_closest_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fin_tui.engine.answering.closer.chance", lambda figure: (LIKELY + SURE) / 2)
    seen = events(asked(Reader([], written=SHARE)))
    first, second = (event for event in seen if isinstance(event, EvidenceReady))
    assert "Closest figure found: Europe had 25% of net sales." in second.extract
    assert "Closest" not in first.extract
    assert last_answer(seen, Request(QUESTION)).value is None


def test_where_the_ranking_finds_another_figure_closest_both_are_told_and_neither_is_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fin_tui.engine.answering.closer.chance", lambda figure: (LIKELY + SURE) / 2)
    told = FigureAnswer((Sentence("Asia had 40% of net sales.", (), "computed"),), (), (), (), 40.0, "%", display="40%")
    made = engine(Reader([], written=SHARE))
    made._look_up.looked_up = lambda understood: (NoFigures((), likely=told), unsure())  # type: ignore[method-assign]
    seen = events(made)
    first, second = (event for event in seen if isinstance(event, EvidenceReady))
    assert "Closest figure found: Asia had 40% of net sales." in first.extract
    assert "Or:" not in first.extract
    assert "Closest figure found: Asia had 40% of net sales." in second.extract
    assert "Or: Europe had 25% of net sales." in second.extract
    assert second.notes[0] == "scripted, working from the passages, comes to the other figure."
    assert second.figures is None
    assert last_answer(seen, Request(QUESTION)).value is None


@pytest.mark.parametrize("written", ["none", "3000 / 16000 * 100"])
def test_what_is_not_borne_out_leaves_the_card_as_it_is(written: str) -> None:
    seen = events(asked(Reader([], written=written)))
    assert [type(event) for event in seen] == [Understood, EvidenceReady, Status, Finished]
    assert last_answer(seen, Request(QUESTION)).value is None


def test_nothing_is_worked_out_without_leave_or_by_a_model_that_was_not_measured() -> None:
    plain = [Understood, EvidenceReady, Finished]
    assert [type(event) for event in events(asked(Reader([], written=SHARE)), Request(QUESTION, use_model=False))] == plain
    assert [type(event) for event in events(asked(Reader([], written=SHARE, may_read=False)))] == plain
