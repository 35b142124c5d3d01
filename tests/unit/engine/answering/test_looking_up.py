"""What turns were answered with, what leans on it, and when "why?" asks for the reason of a figure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from fin_tui.engine.answering import looking_up
from fin_tui.engine.answering.looking_up import (
    LookUp,
    _forgets_part,
    _is_flow_of_balance,
    _is_nameless,
    _lacks_its_part,
    _of_one,
    _sets_apart_before,
)
from fin_tui.engine.answering.reasons import _may_be_part, denial, in_full
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.figures.answer import FigureAnswer, Likely, NoFigures, Unsure
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.reader import Frame, FrameReader, Span
from fin_tui.engine.questions.periods import Periods
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.engine.structures.structure import Structure
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure
from fin_tui.records import Filing, Sentence
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.figures.book import ACME, ask, source, understood
from tests.unit.engine.figures.book import HELD as OF_BOOK
from tests.unit.engine.made import filing, hit

FRAMES = FrameReader(SharedEncoder())
HELD = (filing("Acme Corp.", 2023), filing("Acme Corp.", 2024), filing("Globex Corp.", 2024, ticker="GLBX"))
FIGURE = ask("What was Acme's revenue in fiscal 2024?")


def read(request: Request) -> Understanding:
    return understand(request, HELD, vocabulary(), frames=FRAMES)


def in_words(*turns: str, change: float | None) -> str | None:
    """The full question for the last of ``turns``, where the figure changed by ``change``."""
    found: FigureAnswer | NoFigures = NoFigures(()) if change is None else replace(FIGURE, value=change)
    made = in_full(read(Request(turns[-1], history=turns[:-1])), read, lambda _: found)
    if made is not None:
        assert made.said == turns[-1]
    return made.request.question if made is not None else None


@pytest.mark.parametrize("why", ["why?", "how come?", "what drove that?"])
def test_the_reason_is_asked_by_figure_direction_and_years(why: str) -> None:
    asked = "What was Acme's revenue in 2024?"
    assert in_words(asked, why, change=20.0) == "Why did Acme's revenue increase in 2024 compared with 2023?"
    assert in_words(asked, why, change=-20.0) == "Why did Acme's revenue decrease in 2024 compared with 2023?"


def test_years_asked_about_are_those_between_which_it_changed() -> None:
    asked = "What was Acme's revenue in 2022 and 2024?"
    assert in_words(asked, "why?", change=1.0) == "Why did Acme's revenue increase in 2024 compared with 2022?"


def test_what_has_no_known_change_or_more_to_say_is_asked_as_it_stands() -> None:
    asked = "What was Acme's revenue in 2024?"
    assert in_words(asked, "why?", change=None) is None
    assert in_words(asked, "why?", change=0.0) is None
    assert in_words(asked, "Why did Acme close its mill?", change=1.0) is None
    assert in_words("What are Acme's risks?", "why?", change=1.0) is None
    assert in_words("Compare the revenue of Acme and Globex in 2024", "why?", change=1.0) is None
    assert in_words("why?", change=1.0) is None


def _asked(request: Request, held: Sequence[Filing] = OF_BOOK) -> Understanding:
    frame = FRAMES.read(request.question, FRAMES.read(request.history[-1]) if request.history else None)
    return replace(understood(*request.history, request.question), request=request, frame=frame)


class _Asking:
    """Understands questions, and keeps how often it did."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: Request, held: Sequence[Filing]) -> Understanding:
        self.asked.append(request.question)
        return _asked(request, held)


FIRST, LATER = "What was Acme's revenue in 2024?", "and as a share of the total?"


def test_a_follow_up_knows_the_figure_that_the_turn_before_was_answered_with() -> None:
    asking = _Asking()
    looking = LookUp(asking, source(), None, None)
    follow_up = _asked(Request(LATER, history=(FIRST,)))
    assert [(float(one.value), one.sure) for one in looking.recalled(follow_up).told] == [(120e6, None)]
    assert looking.recalled(_asked(Request(FIRST))).told == ()
    looking.recalled(follow_up)
    assert asking.asked == [FIRST]


def test_a_turn_that_was_answered_is_not_looked_up_again() -> None:
    asking = _Asking()
    looking = LookUp(asking, source(), None, None)
    looking.looked_up(_asked(Request(FIRST)))
    assert looking.recalled(_asked(Request(LATER, history=(FIRST,)))).told
    assert not asking.asked


def test_a_follow_up_that_nothing_answers_is_asked_of_the_row_told_surely_right_before(monkeypatch: pytest.MonkeyPatch) -> None:
    looking = LookUp(_Asking(), source(), cast("Linked", SimpleNamespace()), None)
    looking.looked_up(_asked(Request(FIRST)))
    given: list[float] = []

    def in_other_year(frame: Frame, figure: Figure, *_: object) -> FigureAnswer:
        given.append(float(figure.value))
        return FIGURE

    for name, made in (("answer_frame", NoFigures(())), ("compare_figures", None)):
        monkeypatch.setattr(looking_up, name, lambda *_, made=made: made)
    monkeypatch.setattr(looking_up, "in_other_year", in_other_year)
    monkeypatch.setattr(looking_up, "in_year_of_table", lambda *_: None)
    monkeypatch.setattr(looking, "_look_up_named", lambda *_: NoFigures(()))
    follow_up = _asked(Request("and in 2023?", history=(FIRST,)))
    assert looking.looked_up(follow_up)[0] == FIGURE
    assert given == [120e6]
    looking.doubt(replace(follow_up, request=Request(FIRST)))
    assert not isinstance(looking.looked_up(follow_up)[0], FigureAnswer)


def test_what_the_table_told_from_has_beside_the_figure_goes_before_all_that_is_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looking = LookUp(_Asking(), source(), cast("Linked", SimpleNamespace()), None)
    looking.looked_up(_asked(Request(FIRST)))
    follow_up = _asked(Request("as % of the total?", history=(FIRST,)))
    monkeypatch.setattr(looking_up, "of_total", lambda *_: FIGURE)
    assert looking._in_table(follow_up) is FIGURE
    looking.doubt(replace(follow_up, request=Request(FIRST)))
    assert looking._in_table(follow_up) is None


def test_how_the_row_moved_that_was_told_surely_is_computed_where_nothing_else_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    looking = LookUp(_Asking(), source(), cast("Linked", SimpleNamespace()), None)
    looking.looked_up(_asked(Request(FIRST)))
    given: list[tuple[float, ...]] = []

    def between_told(frame: Frame, told: Sequence[Figure], *_: object) -> FigureAnswer:
        given.append(tuple(float(one.value) for one in told))
        return FIGURE

    for name, made in (("answer_frame", NoFigures(())), ("compare_figures", None), ("in_other_year", None)):
        monkeypatch.setattr(looking_up, name, lambda *_, made=made: made)
    monkeypatch.setattr(looking_up, "between_told", between_told)
    monkeypatch.setattr(looking, "_look_up_named", lambda *_: NoFigures(()))
    assert looking.looked_up(_asked(Request("growth?", history=(FIRST,))))[0] == FIGURE
    assert given == [(120e6,)]


@pytest.mark.parametrize(("period", "is_told"), [("in 2024", True), ("before 2024", False)])
def test_a_figure_of_one_year_decides_nothing_of_all_years_before_it(period: str, *, is_told: bool) -> None:
    asked = read(Request(f"Did Acme make a profit {period}?"))
    assert asked.frame is not None
    word = period.removeprefix("in ")
    at = asked.question.text.index(word)
    frame = replace(asked.frame, answer="yesno", operation="yesno", periods=(Span(word, at, at + len(word)),))
    found = LookUp(_Asking(), source(), None, None)._look_up_named(replace(asked, frame=frame))
    assert isinstance(found, FigureAnswer) is is_told


@pytest.mark.parametrize(("kind", "is_told"), [("", True), ("region", False)])
def test_what_is_asked_for_by_parts_is_not_told_by_one_figure(kind: str, *, is_told: bool) -> None:
    structure = cast("Structure", SimpleNamespace(page=lambda *_: None, parts_asked=lambda *_: kind))
    asked = _asked(Request(FIRST))
    assert asked.frame is not None
    asked = replace(asked, frame=replace(asked.frame, answer="list"))
    found, _ = LookUp(_Asking(), source(), None, structure).looked_up(asked)
    assert isinstance(found, FigureAnswer) is is_told


@pytest.mark.parametrize(("year", "is_placed"), [(2028, True), (2040, False)])
def test_a_year_ahead_is_asked_of_the_filing_that_was_told_from(year: int, is_placed: bool) -> None:
    looking = LookUp(_Asking(), source(), None, None)
    late = _asked(Request(f"and the rent due in {year}?", history=(FIRST,)))
    late = replace(late, target=replace(late.target, scopes=(), filings=(), missing=(f"FY{year}",), beyond=()))
    placed = looking.placed(late)
    assert (placed.target.filings == (ACME[2],)) is is_placed
    assert placed.target.beyond == ((year,) if is_placed else ())


def test_a_sentence_that_both_readings_lead_to_takes_the_place_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    told = replace(FIGURE, value=7.0)
    monkeypatch.setattr(looking_up, "agreed", lambda unsure, _: next((one.tell() for one in unsure.figures), None))
    looking, asked, evidence = LookUp(_Asking(), source(), None, None), _asked(Request(FIRST)), gather("", ())
    unsure = Unsure((Likely(7.0, 0.6, False, lambda: told),), ())
    assert looking.settled(None, unsure, asked, evidence, ()) is told
    assert looking.settled(NoFigures(()), unsure, asked, evidence, ()) is told
    assert looking.settled(FIGURE, unsure, asked, evidence, ()) is FIGURE
    closest = NoFigures((), likely=FIGURE)
    assert looking.settled(closest, unsure, asked, evidence, ()) is closest
    nothing = NoFigures(())
    assert looking.settled(nothing, Unsure((), ()), asked, evidence, ()) is nothing
    assert looking.settled(nothing, None, asked, evidence, ()) is nothing


def test_a_question_that_names_no_company_is_asked_of_the_one_whose_passages_are_found_first() -> None:
    of_acme = [replace(hit("Revenue rose."), filing=ACME[1]) for _ in range(3)]
    of_two = [*of_acme[:2], replace(of_acme[0], filing=replace(ACME[1], company_key="name:globex"))]
    asked = _of_one(_asked(Request("rockets revenue")), of_acme)
    assert asked is not None
    assert [(one.company, one.years) for one in asked.subjects] == [("Acme Corp.", (2023,))]
    assert _of_one(_asked(Request("rockets revenue")), of_two) is None
    assert _of_one(_asked(Request("What was revenue in fiscal 2024?")), of_acme) is None  # Every company has some.
    assert _of_one(_asked(Request("Acme's rockets revenue")), of_acme) is None


def test_how_far_two_companies_are_apart_is_not_the_growth_of_one() -> None:
    before = _asked(Request("Compare the revenue of Acme and Globex in 2024")).frame
    assert before is not None
    both = replace(before, operation="compare", companies=(Span("Acme", 0, 4), Span("Globex", 9, 15)))
    gap = replace(before, targets=(), periods=(), operation="growth", carried=both)
    assert _sets_apart_before(gap)
    assert not _sets_apart_before(replace(gap, operation="lookup"))
    assert not _sets_apart_before(replace(gap, carried=replace(both, companies=both.companies[:1])))


def test_the_reason_of_a_figure_that_the_follow_up_names_is_of_its_change() -> None:
    asked = "How is Acme doing?"
    assert (
        in_words(asked, "why did net income fall?", change=-2.0)
        == "Why did Acme's net income decrease in 2024 compared with 2023?"
    )
    assert in_words(asked, "why did the strike begin?", change=-2.0) is None


@pytest.mark.parametrize(("words", "may_be"), [("gadgets", True), ("revenue", False)])
def test_what_names_no_figure_behind_that_of_a_part_may_be_another_part(words: str, may_be: bool) -> None:
    first = FRAMES.read("What was operating income in Europe in 2023?")
    turn = replace(FRAMES.read(f"and {words}?", first), targets=(Span(words, 4, 4 + len(words)),), parts=(), carried=first)
    assert first.parts
    assert _may_be_part(turn) is may_be
    assert not _may_be_part(replace(turn, targets=(), parts=turn.targets))
    assert not _may_be_part(replace(turn, carried=replace(first, parts=())))


@pytest.mark.parametrize(
    ("why", "value", "is_denied"),
    [
        ("Why was Acme's operating loss lower in 2024?", 30.0, True),
        ("Why was Acme's operating loss lower in 2024?", -30.0, False),
        ("Why did Acme's revenue fall in 2024?", 30.0, True),
        ("Why did Acme's revenue fall in 2024?", -30.0, False),
        ("Why did Acme's revenue increase in 2024?", -30.0, True),
        ("Why did Acme's revenue increase in 2024?", 30.0, False),
        ("Why did Acme's revenue change in 2024?", 30.0, False),
        ("Why did Acme's revenue fall in 2024?", None, False),
    ],
)
def test_a_reason_of_what_the_figures_deny_is_answered_by_the_figures(why: str, value: float | None, is_denied: bool) -> None:
    found: FigureAnswer | NoFigures = NoFigures(()) if value is None else replace(FIGURE, value=value)
    assert (denial(read(Request(why)), read, lambda _: found) is not None) is is_denied


@pytest.mark.parametrize(
    ("follow_up", "lacks"),
    [
        ("change in that segment's operating income", True),
        ("change in this division's operating income", True),
        ("and net income?", False),
    ],
)
def test_the_whole_companys_figure_is_none_of_a_part_that_is_not_known(follow_up: str, lacks: bool) -> None:
    behind = read(Request(follow_up, history=("What was Acme's revenue in 2024?",)))
    assert behind.frame is not None
    leaning = replace(behind, frame=replace(behind.frame, carried=behind.frame.behind))
    assert _lacks_its_part(leaning) is lacks
    part = Span("Rockets", 0, 7)
    assert not _lacks_its_part(replace(leaning, frame=replace(behind.frame, parts=(part,))))


@pytest.mark.parametrize(
    ("follow_up", "said", "forgets"),
    [
        ("and its net income?", "Acme's net income was $9 million.", True),
        ("and its net income?", "Acme's Rockets net income was $2 million.", False),
        ("and net income?", "Acme's net income was $9 million.", False),
    ],
)
def test_its_figure_is_that_of_the_part_asked_about_before(follow_up: str, said: str, forgets: bool) -> None:
    asked = read(Request(follow_up, history=("What was Acme's Rockets revenue in 2024?",)))
    assert asked.frame is not None
    assert asked.frame.behind is not None
    before = replace(asked.frame.behind, parts=(Span("Rockets", 16, 23),), carried=None)
    alone = replace(asked, frame=replace(asked.frame, behind=before, carried=None, parts=(), companies=()))
    answer = replace(FIGURE, sentences=(Sentence(said, (), "grounded"),))
    assert _forgets_part(alone, answer) is forgets


@pytest.mark.parametrize(
    ("follow_up", "said", "forgets"),
    [
        ("and the net income on that?", "Acme's net income was $9 million.", True),
        ("and the net income on that?", "Acme's Rockets net income was $2 million.", False),
        ("and the total net income?", "Acme's net income was $9 million.", False),
    ],
)
def test_what_leans_on_the_question_of_a_part_is_of_that_part(follow_up: str, said: str, forgets: bool) -> None:
    asked = read(Request(follow_up, history=("What was Acme's Rockets revenue in 2024?",)))
    assert asked.frame is not None
    assert asked.frame.behind is not None
    before = replace(asked.frame.behind, parts=(Span("Rockets", 16, 23),), carried=None)
    own = replace(asked.frame, behind=before, carried=before, parts=(), companies=(), targets=(Span("net income", 8, 18),))
    answer = replace(FIGURE, sentences=(Sentence(said, (), "grounded"),))
    assert _forgets_part(replace(asked, frame=own), answer) is forgets


@pytest.mark.parametrize(
    ("question", "words", "is_flow"),
    [
        ("Acme accounts payable 2024", "accounts payable", True),
        ("Acme change in accounts payable 2024", "accounts payable", False),
        ("Acme net income 2024", "net income", False),
    ],
)
def test_how_a_balance_moved_is_not_the_balance(question: str, words: str, is_flow: bool) -> None:
    assert FIGURE.single is not None
    frame = replace(FRAMES.read(question), targets=(Span(words, 0, 0),), operation="lookup")
    flow, held = (
        replace(FIGURE, single=replace(FIGURE.single, fact=replace(FIGURE.single.fact, period_start=start)))
        for start in (dt.date(2024, 1, 1), None)
    )
    assert _is_flow_of_balance(frame, flow) is is_flow
    assert not _is_flow_of_balance(frame, held)
    assert not _is_flow_of_balance(replace(frame, operation="growth"), flow)
    assert flow.single is not None
    total = replace(flow.single, fact=replace(flow.single.fact, label="Total accounts payable"))
    assert not _is_flow_of_balance(frame, replace(flow, single=total))


def test_nobody_asks_twice_for_the_figure_that_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    looking = LookUp(lambda request, held: read(request), source(), None, None)
    asked = read(Request("and inventory?", history=("What was Acme's revenue in 2024?",)))
    assert asked.frame is not None
    assert asked.frame.behind is not None
    leaning = replace(asked.frame, carried=asked.frame.behind, targets=(Span("inventory", 4, 13),))
    monkeypatch.setattr(looking, "_just_told", lambda *_: FIGURE.single)
    assert looking._repeats(replace(asked, frame=leaning), FIGURE)
    assert not looking._repeats(replace(asked, frame=replace(leaning, targets=(Span("revenue", 4, 11),))), FIGURE)
    assert not looking._repeats(replace(asked, frame=replace(leaning, carried=None)), FIGURE)
    monkeypatch.setattr(looking, "_just_told", lambda *_: None)
    assert not looking._repeats(replace(asked, frame=leaning), FIGURE)


def test_a_figure_that_has_no_name_but_its_tag_is_not_told() -> None:
    single = FIGURE.single
    assert single is not None
    assert not _is_nameless(FIGURE)
    assert _is_nameless(replace(FIGURE, single=replace(single, label=single.fact.concept)))
    assert not _is_nameless(replace(FIGURE, single=None))


def test_nobody_asks_twice_for_what_was_computed() -> None:
    first, later = "What was Acme's net margin in 2024?", "and the rate on it?"
    looking = LookUp(lambda request, held: _asked(request), source(), None, None)
    found, _ = looking.looked_up(_asked(Request(first)))
    assert isinstance(found, FigureAnswer)
    assert found.calculation is not None
    asked = _asked(Request(later, history=(first,)))
    assert asked.frame is not None
    assert asked.frame.behind is not None
    asked = replace(asked, frame=replace(asked.frame, carried=asked.frame.behind, targets=(Span("rate", 8, 12),)))
    assert looking._repeats(asked, found)
    assert not looking._repeats(asked, replace(found, value=1.0))


@pytest.mark.parametrize(("share", "of_basis"), [(0.2, True), (0.5, False)])
def test_what_says_nothing_of_when_is_of_the_conversation_unless_a_later_year_tells_of_it(
    monkeypatch: pytest.MonkeyPatch, share: float, of_basis: bool
) -> None:
    looking = LookUp(_Asking(), source(), None, None)
    asked = _asked(Request("and rent?", history=(FIRST, "how much of that is due in 2028")))
    question = replace(asked.question, periods=Periods((2028,)), dated=(), basis=Periods((2024,)))
    assert asked.frame is not None
    asked = replace(
        asked, question=question, frame=replace(asked.frame, answer="money", sure={**asked.frame.sure, "figure": 1.0})
    )
    unsure = Unsure((Likely(7.0, share, False, lambda: FIGURE),), ())
    monkeypatch.setattr(looking, "looked_up", lambda _: (NoFigures(()), unsure))
    assert looking.placed(asked).question.periods.years == ((2024,) if of_basis else (2028,))
    for text in ("and rent that same year?", "and the year before?"):
        assert looking.placed(replace(asked, question=replace(question, text=text))).question.periods.years == (2028,)
    assert asked.frame is not None
    in_words = replace(asked, frame=replace(asked.frame, sure={**asked.frame.sure, "figure": 0.0}))
    assert looking.placed(in_words).question.periods.years == (2028,)
    monkeypatch.setattr(looking, "looked_up", lambda _: (FIGURE, None))
    assert looking.placed(asked).question.periods.years == (2028,)


def test_what_is_asked_by_segment_has_no_one_figure() -> None:
    looking = LookUp(lambda request, held: read(request), source(), None, Structure.__new__(Structure))
    by_segment = read(Request("Acme's operating margin by segment in 2024"))
    assert by_segment.frame is not None
    plain = replace(by_segment.frame, operation="lookup", answer="percent", carried=None, left_over=("segment",))
    assert looking._asks_each_part(replace(by_segment, frame=plain))
    assert not looking._asks_each_part(replace(by_segment, frame=replace(plain, left_over=())))


def test_the_figure_of_the_first_half_is_of_the_year_of_the_whole() -> None:
    asked = read(Request("What was Globex's revenue and why did it change?", history=("Acme revenue 2023",)))
    seen: list[Understanding] = []

    class Looking(LookUp):
        def _look_up_named(self, understood: Understanding) -> None:
            seen.append(understood)

    Looking(lambda request, held: read(request), None, None, None).looked_up(asked)
    assert seen[0].request.question == "What was Globex's revenue?"
    assert seen[0].question.periods.years == ()
