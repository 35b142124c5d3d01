"""A request -> what it asks, of whom, and where to look; with what its conversation has said before. Nothing is searched.

What was understood is also told to people: company, period and figure, and what was read otherwise than typed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fin_tui.config import Mode
from fin_tui.engine.frame.reader import SIDE_BY_SIDE, Frame, FrameReader, Span
from fin_tui.engine.questions.companies import CompanyIndex, Named
from fin_tui.engine.questions.instructions import Instructions, Shape, Shapes, read_instructions
from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.engine.questions.named import Owner
from fin_tui.engine.questions.periods import Periods, find_periods, with_whole_years
from fin_tui.engine.questions.question import Question, by_frame, follow, read_question, stands_alone
from fin_tui.engine.questions.reading import read_figures, with_periods_of_definition
from fin_tui.engine.questions.short_years import with_years_of
from fin_tui.engine.questions.shorthand import written_out
from fin_tui.engine.questions.spelling import Corrected, Spelling
from fin_tui.engine.questions.target import (
    Subject,
    Target,
    candidates,
    find_target,
    in_own_years,
    in_scope,
    is_of_filing,
    subjects,
    with_basis,
)
from fin_tui.engine.questions.wanted import IN_MONEY, Names, Reading
from fin_tui.errors import UsageError
from fin_tui.facts.figures import Figure
from fin_tui.facts.words import spoken_name
from fin_tui.language import count, runs_of
from fin_tui.records import Filing, Hit, Scope

LONGEST_QUESTION = 8_000
"""Characters of a question: several times the longest of an examination paper, with all its instructions."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question and how to answer it. None means as in the settings."""

    question: str
    scope: Scope = Scope()
    k: int | None = None
    mode: Mode | None = None
    rerank: bool | None = None
    use_model: bool = True
    write_proven: bool = False
    """The model also writes what needs no words: figures, and a yes or a no that the sources decide."""
    id: str | None = None
    history: tuple[str, ...] = ()
    """The questions before this one in the conversation, oldest first."""
    pinned: tuple[Hit, ...] = ()
    """Passages that lead the evidence, whatever the search finds."""
    excluded: tuple[str, ...] = ()
    """Chunk ids of passages that stay out of it."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """A request after reading the question against the library."""

    request: Request
    question: Question
    target: Target
    held: tuple[Filing, ...]
    reading: Reading | None = None
    """The figures asked for; None when the question wants words."""
    subjects: tuple[Subject, ...] = ()
    """Whose figures, of which years; empty when that can't be told."""
    candidates: tuple[Subject, ...] = ()
    """Without ``subjects``: every company in scope, of which a segment may tell the right one ("AWS operating income")."""
    frame: Frame | None = None
    """What the trained reader makes of the last question; None without its weights."""
    slips: tuple[tuple[str, str], ...] = ()
    """Words of the last question that are read otherwise than typed."""
    of_part: Reading | None = None
    """The same figures of the part that the question before was about, where this one says not of what."""
    shape: Shape | None = None
    """In which shape the answer before is wanted, where the last turn asks for nothing else; all else is of the turn before …"""
    said: str = ""
    """… and these are the words of the last."""
    since: int = 1
    """The number of the turn from which on the conversation is of the companies of this one, or leads up to it."""
    told: tuple[Figure, ...] = ()
    """The figures that earlier turns were answered with, the last first, where this one may lean on them."""

    @property
    def alone(self) -> Understanding | None:
        """The same with nothing of the matter asked about before, where the question names one of its own."""
        frame = self.frame.alone if self.frame is not None else None
        return None if frame is None else replace(self, frame=frame, question=replace(self.question, before=""))

    @property
    def leaning(self) -> Understanding | None:
        """The same behind the matter of the question before, where a follow-up was read to leave nothing to that and names no
        company: "what did it have to pay the landlord?" says not for what.
        """
        behind = self.frame.behind if self.frame is not None else None
        is_bare = behind is not None and not self.question.before and not any(one.start >= 0 for one in self.question.companies)
        return replace(self, question=replace(self.question, before=behind.matter)) if behind is not None and is_bare else None

    @property
    def outside(self) -> tuple[str, ...]:
        """Companies that the question names and the library holds, but the scope leaves out."""
        allowed = {filing.company_key for filing in in_scope(self.held, self.request.scope)}
        known = {filing.company_key for filing in self.held}
        named = (one for one in self.question.companies if one.start >= 0)
        return tuple(one.name for one in named if not allowed & set(one.keys) and known & set(one.keys))


_SURE, _MAYBE = 0.5, 0.25
"""Probability from which an operation is sure, and from which a word that may mean it does."""
_JOINING = frozenset((*SIDE_BY_SIDE, "refuse"))
"""How a question reads by itself that only names whom to compare with: "add Target" might be advice on a stock."""


def understand(
    request: Request,
    held: Sequence[Filing],
    names: Names | None,
    plan: Instructions | None = None,
    frames: FrameReader | None = None,
    owner: Owner | None = None,
    spelling: Spelling | None = None,
    shapes: Shapes | None = None,
) -> Understanding:
    """Read the conversation up to ``request`` against the filings ``held``; ``names`` is the vocabulary of metrics.

    ``plan`` gives the last question the definition of what it asks for; ``frames`` reads which words name company and period,
    ``owner`` tells whose brand a name is, ``spelling`` mends slips, ``shapes`` tells turns that want the answer before once more.

    Raises ``UsageError`` for a text too long to be a question.
    """
    if len(request.question) > LONGEST_QUESTION:
        told = f"The question has {len(request.question):,} characters; at most {LONGEST_QUESTION:,} are read."
        raise UsageError(told, "`fin-tui check` reads longer texts.")
    turns = [*(earlier[:LONGEST_QUESTION] for earlier in request.history), request.question]
    talk = _Conversation(held, names, frames, owner, spelling, shapes, request.scope)
    for at, text in enumerate(turns, start=1):
        talk.read(text, at, plan if at == len(turns) else None)
    question, frame, reading = talk.now
    shape = talk.shape
    assert question is not None
    said = request.question
    if shape is not None:
        request = replace(request, question=turns[talk.asked_last - 1], history=tuple(turns[: talk.asked_last - 1]))
    of_part = _of_part(reading, talk.before) if frame is not None and frame.asks_another else None
    return _placed(
        Understanding(
            request, question, _NOWHERE, tuple(held), reading, (), (), frame, talk.slips, of_part, shape, said, talk.since
        )
    )


_NOWHERE = Target((), "", ())


def _placed(read: Understanding) -> Understanding:
    """``read`` with where to look for what its question asks."""
    question, frame, reading, scope, held = read.question, read.frame, read.reading, read.request.scope, read.held
    in_words = frame is not None and not frame.is_figure and not frame.refusal
    target = find_target(question, scope, held, in_words=in_words)
    whose = subjects(question, reading, target, scope, held) if reading is not None else ()
    others = candidates(question, reading, target, scope, held) if reading is not None and not whose else ()
    return replace(read, target=target, subjects=whose, candidates=others)


def half_of(whole: Understanding, half: str, understand: Callable[[Request], Understanding], *after: str) -> Understanding:
    """A ``half`` of the question of ``whole``, which stands ``after`` others, read within it: it leans on the conversation where
    the whole does, and is of the companies and periods of the whole, unless it names some itself.
    """
    history = whole.request.history if whole.frame is None or whole.frame.behind is not None else ()
    read = understand(replace(whole.request, question=half, history=(*history, *after)))
    question, said = read.question, whole.question
    if not any(one.start >= 0 for one in question.companies) and not question.unknown:
        question = replace(question, companies=tuple(replace(one, start=-1, end=-1) for one in said.companies))
    if find_periods(half) == Periods():
        question = replace(question, periods=said.periods)
    return read if question == read.question else _placed(replace(read, question=question))


def in_basis(understood: Understanding) -> Understanding:
    """``understood`` asked of the periods that the conversation is about, and not of those that something falls due in."""
    question = understood.question
    return _placed(replace(understood, question=replace(question, periods=question.basis or question.periods, basis=None)))


def asked_of(understood: Understanding, filing: Filing) -> Understanding:
    """A question that names no company, asked of that of ``filing``: of its year, where it says nothing of when."""
    question = understood.question
    company = Named((filing.company_key,), filing.company, -1, -1)
    year = (filing.fiscal_year,) if filing.fiscal_year else ()
    periods = replace(question.periods, years=year) if question.periods == Periods() else question.periods
    return _placed(replace(understood, question=replace(question, companies=(company,), periods=periods)))


_State = tuple[Question, Frame | None, Reading | None]
"""What a turn asks with what it leaves to those before, its frame, and the figures that it asks for."""


_Begun = tuple[Question, int, int]
"""A question, its turn's number, and that of the turn which its conversation begins with."""


@dataclass(slots=True)
class _Conversation:
    """Turns read one after the other; what they come to stands in ``now``."""

    held: Sequence[Filing]
    names: Names | None
    frames: FrameReader | None
    owner: Owner | None
    spelling: Spelling | None
    shapes: Shapes | None
    scope: Scope
    state: _State | None = None
    stood: _State | None = None
    """That of the last turn that could be answered."""
    before: Reading | None = None
    """The figures that the turn before the last one asked for."""
    shape: Shape | None = None
    slips: tuple[tuple[str, str], ...] = ()
    asked_last: int = 1
    """The number of the last turn that asks for more than another shape."""
    since: int = 1
    """That of the first turn of the companies that are asked about last; of the one before it where that has its matter."""
    turns: list[_Begun] = field(default_factory=list)

    @property
    def now(self) -> _State:
        """What was read last."""
        assert self.state is not None
        return self.state

    def read(self, text: str, at: int, plan: Instructions | None) -> None:
        """Read turn number ``at``; a ``plan`` gives it the definition of what it asks for."""
        companies = CompanyIndex(self.held)
        text = written_out(text, companies.is_ticker)
        read = self.spelling.correct(text, companies.may_mean) if self.spelling is not None else Corrected(text)
        self.slips = read.slips
        # Long white space costs every pattern that looks for some.
        text = with_whole_years(" ".join(read.text.split()))
        asked = read_instructions(with_years_of(text, companies.find(text), self.held))
        if plan is not None:
            asked = replace(asked, definition=plan.definition, percent=asked.percent or plan.percent)
        gone_back = self._gone_back(asked.text)
        # A turn that lacked a company or a period is asked anew, and none of those remembered.
        last = self.turns[-1] if self.turns else None
        before_at = next((one for one in reversed(self.turns) if one[0] is gone_back[0]), last)
        question, frame, reading = gone_back
        now = self.frames.read_if_able(asked.text, _as_known(frame, question)) if self.frames is not None else None
        self.shape = self.shapes.asked(now, asked) if self.shapes is not None and question is not None else None
        if self.shape is not None:
            return
        frame, self.asked_last = now, at
        asked_before = question.companies if question is not None else ()
        own = self._own(asked, frame, asked_before)
        if question is not None and self.frames is not None and (alone := self.frames.read_if_able(asked.text)) is not None:
            by_itself = self._own(asked, alone, asked_before)
            joins = frame is not None and frame.joins and alone.operation in _JOINING
            leans = frame is None or frame.carried is not None
            is_of_one = is_of_filing(question, self.held)
            if not joins and stands_alone(by_itself, alone, question, leans=leans, is_of_filing=is_of_one):
                question, own, frame, reading = None, by_itself, alone, None
            elif alone.targets and not own.companies and not own.unknown and self._are_strange(by_itself.unknown):
                own = replace(own, unknown=by_itself.unknown)  # What no filing has is no part of the company asked about before.
        leans = frame is None or frame.carried is not None
        before, question = question, own
        if before is not None:
            question = in_own_years(follow(own, before, frame), own, self.held, leans=leans)
            says_more = leans and frame is not None and not frame.names_period_alone
            question = with_basis(question, own, before, self.held, says_more=says_more)
        self.since = self._begun(at, before_at, question, is_carried=leans and frame is not None and frame.carried is not None)
        frame = _without_names(frame, own)
        is_of_company = bool(question.companies or self.scope.companies or self.scope.filings)
        if frame is not None and self.frames is not None and is_of_company and not own.unknown:
            places = [(one.start, one.end) for one in own.companies if one.start >= 0 and own.text == frame.question]
            frame = self.frames.paged(frame, places)
        self.before = reading
        if self.names is not None:
            reading = _over_time(read_figures(question, asked, self.names, reading), frame, question)
        self.state = question, frame, reading
        self.turns.append((question, at, self.since))

    def _begun(self, at: int, before: _Begun | None, question: Question, *, is_carried: bool) -> int:
        """The number of the turn that the conversation of ``question``, which is turn ``at``, begins with; it goes on from that
        ``before``.
        """
        if before is None:
            return at
        known, number, since = before
        is_other = bool(known.companies and question.companies) and not _of_one_company(known, question)
        return since if not is_other else number if is_carried else at

    def _own(self, asked: Instructions, frame: Frame | None, before: Sequence[Named]) -> Question:
        return _own_question(asked, self.held, frame, self.owner, before, self.spelling)

    def _are_strange(self, names: Sequence[str]) -> bool:
        return bool(names) and self.spelling is not None and all(map(self.spelling.knows_none, names))

    def _gone_back(self, text: str) -> _State | tuple[None, None, None]:
        """What ``text`` goes on from: the last turn that could be answered. What could not be for want of a company or a period
        is asked anew where ``text`` names one.
        """
        if self.state is None:
            return None, None, None
        question, frame, _ = self.state
        next_one = read_question(text, self.held)
        no_company = bool(question.unknown) and not question.companies
        no_period = question.periods.named and not find_target(question, self.scope, self.held).filings
        refused = frame is not None and _is_refused(frame, question)
        is_lost = refused or (no_company and not next_one.companies) or (no_period and not next_one.periods.named)
        if not is_lost:
            self.stood = self.state if not (no_company or no_period) else self.stood
            return self.state
        if self.stood is not None:
            return self.stood
        return replace(question, periods=Periods() if no_period else question.periods), None, None


def _of_one_company(question: Question, other: Question) -> bool:
    """Whether two questions have a company in common."""
    return any(set(one.keys) & set(another.keys) for one in question.companies for another in other.companies)


def _is_refused(frame: Frame, question: Question) -> bool:
    """Whether ``frame`` asks for what is refused: of a company that is named, or of years that are named, it may not be."""
    match frame.refusal:
        case "off_topic" | "private":
            return not any(one.start >= 0 for one in question.companies)
        case "forecast":
            return not (frame.is_figure and question.periods.named)
    return bool(frame.refusal)


def _over_time(reading: Reading | None, frame: Frame | None, question: Question) -> Reading | None:
    """``reading`` over time as its ``frame`` asks for it: the course of a figure where no one year is named, growth in percent
    where words like "grow by how much" might mean an amount as well.
    """
    if reading is None or frame is None or question.periods.quarter:
        return reading
    is_one_year = len(question.periods.years) == 1 and not question.periods.since
    if reading.over == "average" and is_one_year and frame.operations.get("average", 0.0) < _MAYBE:
        return replace(reading, over="point")  # "The average price paid in 2023" is an average that is printed.
    is_trend = frame.operation == "trend" and frame.sure["operation"] >= _SURE
    if is_trend and reading.over == "point" and not is_one_year:
        return replace(reading, over="trend")
    is_growth = frame.operations.get("growth", 0.0) >= _MAYBE and frame.kind == "percent" and frame.carried is None
    is_growth = is_growth and not IN_MONEY.search(question.text)
    if is_growth and reading.over in ("point", "change") and len(reading.items) == len(reading.parts) == 1:
        return replace(reading, over="growth")
    return reading


def _as_known(frame: Frame | None, question: Question | None) -> Frame | None:
    return of_known_companies(frame, question) if frame is not None and question is not None else frame


def of_known_companies(frame: Frame, question: Question) -> Frame:
    """``frame`` with just the companies that the library knows, where its ``question`` names or carries on any; a brand is a
    part of its owner.
    """
    if not question.companies:
        return frame
    places = [(named.start, named.end) for named in question.companies if named.start >= 0]
    of_held = frame.of_companies(places)
    return replace(of_held, parts=(*of_held.parts, *_brands(frame, question)))


def _brands(frame: Frame, question: Question) -> tuple[Span, ...]:
    """The names in a company's place that are of what another company sells or works with."""
    return tuple(span for span in frame.companies if question.brands and span.text.startswith(question.brands))


def _of_part(reading: Reading | None, before: Reading | None) -> Reading | None:
    """What ``reading`` asks of the one part that the reading before it was about."""
    parts = {item.phrase for item in before.items.values() if item.metric is not None} if before is not None else set()
    if reading is None or len(parts) != 1 or not all(parts) or any(item.phrase for item in reading.items.values()):
        return None
    (part,) = parts
    items = {key: replace(item, phrase=part) for key, item in reading.items.items()}
    return replace(reading, items=items, parts=tuple(replace(one, label=f"{part} {one.label}") for one in reading.parts))


def _without_names(frame: Frame | None, question: Question) -> Frame | None:
    """``frame`` without words that are of the names of the companies asked about: they narrow nothing."""
    named = (question.text[one.start : one.end] for one in question.companies if one.start >= 0)
    words = {word for name in named for word in runs_of(name.lower())}
    return frame and replace(frame, left_over=tuple(word for word in frame.left_over if word not in words))


def _own_question(
    asked: Instructions,
    held: Sequence[Filing],
    frame: Frame | None,
    owner: Owner | None,
    before: Sequence[Named],
    spelling: Spelling | None,
) -> Question:
    question = read_question(asked.text, held)
    if frame is not None:
        is_strange = spelling.knows_none if spelling is not None else lambda _: False
        question = by_frame(question, frame, held, owner, before, is_strange)
    return with_periods_of_definition(question, asked, find_periods(asked.definition).years if asked.definition else ())


_OPERATIONS = {
    "growth": "growth",
    "cagr": "CAGR",
    "average": "average",
    "trend": "over the years",
    "share": "share",
    "rank": "ranked",
}
_MOST_COMPANIES = 4


def interpret(understood: Understanding, by: str = "") -> Interpretation:
    """What ``understood`` says of its question; ``by`` is the kind of parts that the figure is broken down by, "segment"."""
    question, frame, target = understood.question, understood.frame, understood.target
    named = [company for company in question.companies if company.start >= 0]
    held = {filing.company_key for filing in target.filings}
    owners = list(dict.fromkeys(spoken_name(filing.company) for filing in target.filings))
    asked = [spoken_name(one.name) for one in question.companies if not held or held & set(one.keys)]
    outside = tuple(map(spoken_name, understood.outside))
    companies = asked or list(outside) or list(question.unknown) or owners
    slips = [(question.text[one.start : one.end], spoken_name(one.name)) for one in named if one.is_slip]
    operation = ""
    if frame is not None:
        several = len(question.companies) > 1
        operation = _OPERATIONS.get(frame.operation, "")
        if frame.operation == "difference":
            operation = "difference" if several else "change"
    operation = f"by {by}" if by and operation in ("", _OPERATIONS["trend"]) else operation
    if frame is not None:
        frame = _without_companies(frame, named)
        frame = replace(frame, parts=(*frame.parts, *_brands(frame, question)))
    figure = frame.whole.label if frame is not None and (frame.whole.targets or frame.whole.parts) else ""
    return Interpretation(
        question.text,
        tuple(companies) if len(companies) <= _MOST_COMPANIES else (),
        _periods(understood),
        figure,
        operation if operation.removeprefix("by ").lower() not in figure.lower() else "",
        (*understood.slips, *slips),
        tuple((one.start, one.end) for one in named),
        tuple((span.start, span.end) for span in frame.periods) if frame is not None else (),
        tuple((span.start, span.end) for span in (*frame.targets, *frame.parts)) if frame is not None else (),
        target.label if len(companies) > _MOST_COMPANIES or not companies else "",
        outside,
        limit_of(understood) if outside else "",
    )


def _without_companies(frame: Frame, companies: Sequence[Named]) -> Frame:
    """A company that was asked about is no part of the figure."""
    parts = (part for part in frame.parts if not any(one.start < part.end and part.start < one.end for one in companies))
    targets = frame.of_companies([(one.start, one.end) for one in companies]).targets
    return replace(frame, targets=targets, parts=tuple(parts))


def limit_of(understood: Understanding) -> str:
    """What the scope that was set is limited to: its companies, or how many."""
    called = CompanyIndex(understood.held)
    allowed = dict.fromkeys(filing.company for filing in in_scope(understood.held, understood.request.scope))
    newest = (called.find(company) for company in allowed)
    names = list(dict.fromkeys(spoken_name(found[0].name) for found in newest if found))
    return ", ".join(names) if len(names) <= _MOST_COMPANIES else count(len(names), "company")


def _periods(understood: Understanding) -> tuple[str, ...]:
    """The periods named, else those of the filings looked in."""
    periods = understood.question.periods
    years = [f"FY{year}" for year in periods.years]
    if periods.named:
        quarter = f"Q{periods.quarter} " if periods.quarter else ""
        return _run([f"{quarter}{year}" for year in years]) or tuple(date.isoformat() for date in periods.dates)
    is_course = understood.reading is not None and understood.reading.over == "trend"
    is_counted = bool(periods.back or periods.past)  # "The year before" stands in the filing of the year behind it.
    told = {year for subject in understood.subjects for year in subject.years} if is_course or is_counted else set()
    own = sorted(told or {filing.fiscal_year for filing in understood.target.filings if filing.fiscal_year})
    return _run([f"FY{year}" for year in own]) if told or len(understood.target.filings) <= _MOST_COMPANIES else ()


def _run(years: Sequence[str]) -> tuple[str, ...]:
    """Three years in a row or more as the first and the last of them."""
    numbers = [int(year[-4:]) for year in years]
    is_run = len(years) >= _RUN and numbers == list(range(numbers[0], numbers[0] + len(years)))
    return (f"{years[0]} to {years[-1]}",) if is_run else tuple(years)


_RUN = 3
