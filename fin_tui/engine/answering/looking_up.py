"""What facts answer: the figures that a question names, what its conversation told before, and the change that "why?" is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from fin_tui.engine.answering.agreed import agreed, in_sentence
from fin_tui.engine.answering.reasons import change_asked, denial
from fin_tui.engine.answering.turns import Turns, turn_before, turn_of
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.again import between_told, in_each_year, in_other_year, in_year_of_table, of_total
from fin_tui.engine.figures.answer import (
    FigureAnswer,
    NoFigures,
    Source,
    Unsure,
    answer_figures,
    answer_of_one,
    decide,
    rank,
)
from fin_tui.engine.figures.beside import with_other
from fin_tui.engine.figures.filled import SURE
from fin_tui.engine.figures.fitting import (
    fits,
    is_by_formulas,
    is_sum_of_lines,
    leaves_basis,
    leaves_out,
    leaves_quarter,
    mixes_wholes,
    names_all,
    says_formula,
    told_words,
)
from fin_tui.engine.figures.framed import answer_frame, compare_figures, printed_instead, set_apart
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.operands import matter_of_before, metric_of, with_whole_names
from fin_tui.engine.figures.overview import overview, wants_overview
from fin_tui.engine.frame.pages import ELSEWHERE
from fin_tui.engine.frame.reader import SIDE_BY_SIDE, Frame
from fin_tui.engine.questions.periods import SAME_YEAR, Periods, find_periods, period_spans
from fin_tui.engine.questions.question import ASKS_ALL, is_year
from fin_tui.engine.questions.subquestions import halves_of
from fin_tui.engine.questions.target import AHEAD, Target, find_target
from fin_tui.engine.questions.understanding import Request, Understanding, asked_of, half_of, in_basis, of_known_companies
from fin_tui.engine.questions.wanted import CHANGES, Names, Reading
from fin_tui.engine.rank.filing_rows import lacks_scale
from fin_tui.engine.structures.members import axes_named
from fin_tui.engine.structures.structure import Structure
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure
from fin_tui.facts.parts import OF_WHOLE
from fin_tui.facts.words import stems
from fin_tui.language import runs_of
from fin_tui.records import Filing, Hit, Scope

_NO_FIGURE = 0.3
"""Probability below which no figure answers a question, whatever figures its words name."""
_MAY_BE = 0.3
"""Probability of a figure of a later year below which that year is not what a follow-up asks about."""
_TWO = 2
_FIRST_HITS = 3
"""Passages that are all of one company, where it is the one that a question is about."""
_COURSES = frozenset(("change", "growth", "trend"))
"""What a figure's own course is told as."""


class LookUp:
    """Looks the figures of questions up, and remembers which one a turn was answered with."""

    def __init__(
        self,
        understand: Callable[[Request, Sequence[Filing]], Understanding],
        figures: Source | None,
        linked: Linked | None,
        structure: Structure | None,
    ) -> None:
        self._understand = understand
        self._figures = figures
        self._linked = linked
        self._structure = structure
        self._turns = Turns()

    def scale_left_out(self, sentence: str, filing: Filing) -> int:
        """The scale in which a ``sentence`` of ``filing`` prints an amount without saying so; 1 for none."""
        if self._linked is None or not lacks_scale(sentence):
            return 1
        return self._linked.ranker.book.of(filing).scale

    def looked_up(self, understood: Understanding) -> tuple[FigureAnswer | NoFigures | None, Unsure | None]:
        """The answer from facts; where that is none, the likeliest figure as well."""
        found, unsure = self._looked_up(self.recalled(understood))
        if isinstance(found, FigureAnswer) and found.value is not None and self._asks_each_part(understood):
            found, unsure = NoFigures(()), None  # One part's figure, or the whole company's, is not told "by region".
        if isinstance(found, FigureAnswer) and (
            _forgets_part(understood, found)
            or self._leaves_out(understood, found)
            or self._repeats(understood, found)
            or _is_nameless(found)
        ):
            found, unsure = NoFigures((), of_other=True), None
        if isinstance(found, FigureAnswer) and self._figures is not None:
            found = with_other(found, understood, self._figures)
        is_sure = isinstance(found, FigureAnswer)
        value = found.value if isinstance(found, FigureAnswer) else None
        self._turns.keep(turn_of(understood.request, understood.held), _figure_of(found, unsure), value, is_sure=is_sure)
        return found, unsure

    def _leaves_out(self, understood: Understanding, answer: FigureAnswer) -> bool:
        """Whether ``answer`` tells nothing of the figures that a follow-up names, of the quarter that is asked about, or of the
        basis on which a figure is asked for.
        """
        if self._figures is None or understood.frame is None:
            return False
        names = self._figures.names
        reading = understood.reading
        is_defined = reading is not None and (bool(reading.instructions.definition) or says_formula(reading))
        of_other = not is_defined and leaves_basis(answer, understood.frame)
        of_other = of_other or leaves_quarter(answer, understood.question)
        return of_other or leaves_out(answer, understood.frame, names)

    def _repeats(self, understood: Understanding, answer: FigureAnswer) -> bool:
        """Whether ``answer`` to a follow-up that names something else is the figure that was told right before: nobody asks for
        it twice.
        """
        frame, told, request = understood.frame, answer.single, understood.request
        if frame is None or frame.carried is None or not request.history or understood.shape is not None:
            return False
        own, earlier = ({stem for span in of.targets for stem in stems(span.text)} for of in (frame, frame.carried.whole))
        if not own - earlier:
            return False
        if answer.calculation is not None:
            return answer.value is not None and answer.value == self._turns.of(turn_before(request, understood.held, 1)).value
        before = self._just_told(request, understood.held)
        if told is None or before is None:
            return False
        return told.fact.start == before.fact.start and told.filing.id == before.filing.id and told.value == before.value

    def _asks_each_part(self, understood: Understanding) -> bool:
        """Whether a figure is to be broken down by parts of a kind."""
        frame = understood.frame
        if frame is None or frame.carried is not None or self._structure is None or self._figures is None:
            return False
        if "list" in (frame.operation, frame.answer):
            return bool(self._structure.parts_asked(understood, self._figures))
        # "Operating margin by segment": a kind of parts that no span takes in.
        words = runs_of(frame.question.lower())
        return any(first == "by" and word in frame.left_over and axes_named(word) for first, word in pairwise(words))

    def recalled(self, understood: Understanding) -> Understanding:
        """``understood`` with the figures that the turns before it were answered with, where it may lean on them."""
        request, frame = understood.request, understood.frame
        if frame is None or not frame.is_figure:
            return understood
        told: list[Figure] = []
        for at in reversed(range(len(request.history))):
            earlier = replace(request, question=request.history[at], history=request.history[:at], id=None)
            key = turn_of(earlier, understood.held)
            if key not in self._turns:
                asked = self.placed(self._understand(earlier, understood.held))
                if asked.frame is not None and asked.frame.refusal:
                    self._turns.keep(key, None, is_sure=True)
                else:
                    self.looked_up(asked)
            figure = self._turns.of(key).figure
            if figure is not None and figure not in told:
                told.append(figure)
            if len(told) == _TWO:
                break
        return replace(understood, told=tuple(told))

    def _just_told(self, request: Request, held: Sequence[Filing], back: int = 1) -> Figure | None:
        """The figure that the turn right before ``request``, or some turns ``back``, was surely answered with."""
        if len(request.history) < back:
            return None
        before = self._turns.of(turn_before(request, held, back))
        return before.figure if before.is_sure else None

    def placed(self, understood: Understanding) -> Understanding:
        """``understood`` in the filing of the figure told before, where that tells beforehand of a year that no filing covers; in
        the periods that the conversation is about, where of later ones, which the turn before was about, nothing is found.
        """
        target, frame, question = understood.target, understood.frame, understood.question
        if question.basis is not None and find_periods(question.text) == Periods() and not period_spans(question.text):
            return in_basis(understood) if self._is_of_basis(understood, question.basis) else understood
        if target.filings or not target.missing or frame is None or not frame.is_figure:
            return understood
        years, told = question.periods.years, self.recalled(understood).told
        filing = told[0].filing if told else None
        of_company = filing is not None and any(filing.company_key in one.keys for one in question.companies)
        if filing is None or not of_company or not all(0 < year - (filing.fiscal_year or 0) <= AHEAD for year in years):
            return understood
        return replace(understood, target=replace(_within(filing, understood), beyond=years))

    def told_before(self, understood: Understanding) -> Understanding | None:
        """``understood`` in the filing that the turn before was answered from, where it moves on to a later year that has one
        of its own: the former tells what falls due then.
        """
        question = understood.question
        told = self.recalled(understood).told if question.basis is not None and question.dated else ()
        filing = told[0].filing if told else None
        if filing is None or question.basis is None or filing.fiscal_year not in question.basis.years:
            return None
        return replace(understood, target=_within(filing, understood)) if filing not in understood.target.filings else None

    def _is_of_basis(self, understood: Understanding, basis: Periods) -> bool:
        """Whether a figure that a follow-up asks for is of the periods that the conversation is about, and not of the later ones
        that the turn before was about: nothing that is found for those is what it names. Where these have a filing of their own,
        the turn before was answered from that of the conversation.
        """
        years, frame = understood.question.periods.years, understood.frame
        if frame is None or not frame.is_figure or SAME_YEAR.search(understood.question.text):
            return False  # What is said of a later year, and why, stands in the same filing; "that same year" is the later one.
        if any(filing.fiscal_year in years for filing in understood.target.filings):
            told = self.recalled(understood).told
            if not told or told[0].filing.fiscal_year not in basis.years:
                return False
        found, unsure = self.looked_up(understood)
        best = next(iter(unsure.figures), None) if unsure is not None else None
        return not isinstance(found, FigureAnswer) and (best is None or best.share < _MAY_BE)

    def _looked_up(self, understood: Understanding) -> tuple[FigureAnswer | NoFigures | None, Unsure | None]:
        if _sets_apart_before(understood.frame) or _lacks_its_part(understood):
            return NoFigures(()), None
        if self._figures is not None and wants_overview(understood) and (page := overview(understood, self._figures)):
            if isinstance(page, FigureAnswer) and self._structure is not None:
                page = self._structure.with_words(page, understood)
            return (replace(page, is_page=True) if isinstance(page, FigureAnswer) else page), None
        if (
            self._figures is not None
            and self._structure is not None
            and (page := self._structure.page(understood, self._figures))
        ):
            return replace(page, is_page=True), None
        if understood.frame is not None and understood.frame.page not in ("", "sources", *ELSEWHERE):
            return None, None  # What no figure answers.
        if self._figures is not None and self._structure is not None and self._linked is not None:
            parts = self._structure.parts(understood, self._figures, self._linked)
            if parts is not None:
                return parts, None
        if (half := self._first_half(understood) or self._denied(understood) or self._moved(understood)) is not None:
            return half, None
        if (told := self._in_table(understood)) is not None:
            return told, None
        if self._figures is not None and understood.of_part is not None:
            of_part = answer_figures(understood.of_part, understood.subjects, self._figures)
            if isinstance(of_part, FigureAnswer):
                return of_part, None
        named = self._look_up_named(understood)
        if understood.frame is None or self._linked is None or self._figures is None:
            return named, None
        frame = with_whole_names(of_known_companies(understood.frame, understood.question), self._figures.names)
        given = named if isinstance(named, FigureAnswer) and fits(named, frame) else None
        given = None if mixes_wholes(understood.reading, frame) else given
        is_tagged = given is not None and all(fact["source"] == "xbrl" for fact in given.facts)
        is_tagged = is_tagged or (given is not None and is_sum_of_lines(given, understood.reading))
        is_tagged = is_tagged or is_by_formulas(understood.reading)
        if given is not None and (
            len(understood.subjects) != 1 or (is_tagged and names_all(given, understood.reading, frame))
        ):  # fmt: skip
            of_one = len(understood.subjects) == 1
            own = printed_instead(frame, understood, self._figures, self._linked, given) if of_one else None
            return own or given, None
        beside = compare_figures(frame, understood, self._figures, self._linked) if given is None else None
        if beside is not None:
            return beside, None
        framed = answer_frame(understood.frame, understood, self._figures, self._linked, given)
        if isinstance(framed, FigureAnswer) and _is_flow_of_balance(frame, framed):
            return given or NoFigures(()), None
        if isinstance(framed, FigureAnswer):
            return framed, None
        if (again := self._again(frame, understood, self._figures, self._linked)) is not None:
            return again, None
        if isinstance(named, FigureAnswer):
            named = NoFigures(())  # A change in dollars is no answer to how many percent.
        likely, unsure = (framed.likely, framed.unsure) if framed is not None else (None, None)
        return named if likely is None else replace(named or framed or NoFigures(()), likely=likely), unsure

    def _again(self, frame: Frame, understood: Understanding, source: Source, linked: Linked) -> FigureAnswer | None:
        """What the rows of figures told before, or of one that is surely meant, state of other years."""
        before = self._just_told(understood.request, understood.held)
        if before is not None and (again := in_other_year(frame, before, understood, source, linked)) is not None:
            return again
        earlier = self._just_told(understood.request, understood.held, _TWO)
        told = (before, earlier) if before is not None and earlier is not None else (before,) if before is not None else ()
        if told and (moved := between_told(frame, told, source, linked)) is not None:
            return moved
        return in_each_year(
            understood, source, linked, lambda one: self._understand(one, understood.held), lambda one: self._looked_up(one)[0]
        )

    def _in_table(self, understood: Understanding) -> FigureAnswer | None:
        """What the table of the figure told right before has beside it, where no more than that is asked: the year that a row or
        a column names, its share of the total.
        """
        before, frame = self._just_told(understood.request, understood.held), understood.frame
        if before is None or frame is None or self._figures is None or self._linked is None:
            return None
        share = of_total(frame, before, self._figures, self._linked)
        return share or in_year_of_table(frame, before, understood, self._figures, self._linked)

    def _first_half(self, understood: Understanding) -> FigureAnswer | None:
        """The figure that a question asks for which goes on to ask for its reason; None for any other."""
        frame = understood.frame
        halves = halves_of(understood.request.question) if frame is not None and not frame.is_figure else None
        if halves is None or understood.shape is not None:
            return None
        first = half_of(understood, halves.first, lambda one: self._understand(one, understood.held))
        if first.frame is None or not first.frame.is_figure or first.frame.refusal:
            return None
        found, _ = self._looked_up(self.recalled(first))
        if not isinstance(found, FigureAnswer):
            return None
        return replace(found, asks_reason=True)

    def _denied(self, understood: Understanding) -> FigureAnswer | None:
        """The figure that denies what a question for its reason takes for granted."""
        if understood.shape is not None:
            return None
        return denial(understood, lambda asked: self._understand(asked, understood.held), lambda one: self._looked_up(one)[0])

    def _moved(self, understood: Understanding) -> FigureAnswer | None:
        """How the figure moved whose reason a follow-up asks for: the words that tell the reason stand under it."""
        if understood.shape is not None:
            return None
        change = change_asked(
            understood, lambda asked: self._understand(asked, understood.held), lambda one: self._looked_up(one)[0]
        )
        return replace(change.answer, asks_reason=True) if change is not None else None

    def settled(
        self,
        found: FigureAnswer | NoFigures | None,
        unsure: Unsure | None,
        understood: Understanding,
        evidence: Evidence,
        hits: Sequence[Hit],
    ) -> FigureAnswer | NoFigures | None:
        """``found``, or the figure that is sure once the paragraphs of the ``evidence`` were read; of a question that names no
        company, that of the one that all of the first ``hits`` are of.
        """
        if found is None and unsure is None and (of_one := _of_one(understood, hits)) is not None:
            told, _ = self.looked_up(of_one)
            return told if isinstance(told, FigureAnswer) else None
        if unsure is None or isinstance(found, FigureAnswer) or self._asks_each_part(understood):
            return found
        if found is not None and found.likely is not None:
            return found
        told = agreed(unsure, evidence) if not self.is_doubted(understood) else None
        if told is None or _forgets_part(understood, told) or self._leaves_out(understood, told):
            return found
        if (figure := in_sentence(unsure, evidence)) is not None and figure.sure is not None and figure.sure >= SURE:
            self._turns.keep(turn_of(understood.request, understood.held), figure, is_sure=True)
        return told

    def doubt(self, understood: Understanding) -> None:
        """Nothing told surely is the figure that a turn asks for: it is not told again, and no follow-up goes on from it."""
        self._turns.doubt(turn_of(understood.request, understood.held))

    def is_doubted(self, understood: Understanding) -> bool:
        """Whether what was told for a turn was taken back."""
        return self._turns.of(turn_of(understood.request, understood.held)).is_doubted

    def told(self, understood: Understanding, answer: FigureAnswer) -> FigureAnswer | None:
        """``answer``, remembered as what a turn is answered with; None where it was told before, or is of another part."""
        forgets = _lacks_its_part(understood) or self._asks_each_part(understood) or _forgets_part(understood, answer)
        if forgets or answer.value is None or self._leaves_out(understood, answer) or self._repeats(understood, answer):
            return None
        self._turns.keep(turn_of(understood.request, understood.held), answer.single, answer.value, is_sure=True)
        return answer

    def _look_up_named(self, understood: Understanding) -> FigureAnswer | NoFigures | None:
        """The answer where the question names its figures as the vocabulary does."""
        ranked = rank(understood, self._figures) if self._figures else None
        if ranked is not None:
            return ranked
        frame = understood.frame
        if frame is not None and frame.answer == "yesno" and any(span.text.lower().startswith(_OPEN) for span in frame.periods):
            return None  # "Before 2023" is all years before it, and no figure tells of them.
        if self._figures is None or understood.reading is None:
            return decide(understood, self._figures) if self._figures else None
        is_named = understood.reading.yes_no or understood.reading.across != "each"  # A company's name, by its figures.
        is_beside = frame is not None and frame.operation in SIDE_BY_SIDE and frame.answer == "none" and not frame.left_over
        is_named = is_named or (frame is not None and _asks_course(frame, understood.reading, self._figures.names))
        if frame is not None and frame.sure["figure"] < _NO_FIGURE and not is_named and not is_beside:
            return None
        if understood.subjects:
            reading = set_apart(understood.reading, understood.subjects, frame) if frame is not None else understood.reading
            return answer_figures(reading, understood.subjects, self._figures)
        return answer_of_one(understood.reading, understood.candidates, self._figures)


def _sets_apart_before(frame: Frame | None) -> bool:
    """Whether a follow-up asks how far apart the companies of the question before are, in words of growth: "by how many percent
    is it bigger?". Nothing computes that, and the growth of one of them is none of it.
    """
    before = frame.carried if frame is not None else None
    is_bare = frame is not None and not frame.periods and not frame.targets
    is_growth = frame is not None and frame.operation in ("growth", "cagr")
    return is_bare and is_growth and before is not None and before.operation in SIDE_BY_SIDE and len(before.companies) >= _TWO


def _is_flow_of_balance(frame: Frame, answer: FigureAnswer) -> bool:
    """Whether a balance is asked for by its name, and ``answer`` is how it moved over a year, or what was charged for it."""
    metric = metric_of(frame.targets[0].text, vocabulary()) if len(frame.targets) == 1 and frame.operation == "lookup" else None
    is_balance = metric is not None and metric.instant and not CHANGES.search(frame.question)
    fact = answer.single.fact if answer.single is not None else None
    # The column of a table may date it by its year; what moved is called a total of nothing.
    return is_balance and fact is not None and fact.period_start is not None and not fact.label.lower().startswith("total")


def _lacks_its_part(understood: Understanding) -> bool:
    """Whether a follow-up asks of a part that the turn before named, and none was read there: the whole company's figure is none
    of "that segment's".
    """
    frame = understood.frame
    is_known = frame is not None and bool(frame.whole.parts or understood.question.brands or understood.of_part)
    return frame is not None and frame.carried is not None and not is_known and frame.refers_to_part


_OPEN = ("before ", "until ", "till ", "prior ")
"""What words for a period begin with that name its end and no beginning."""
_PRONOUNS = frozenset(("it", "its"))


def _forgets_part(understood: Understanding, answer: FigureAnswer) -> bool:
    """Whether ``answer`` says nothing of the part that the turn before asked about, where a follow-up leans on that turn, or goes
    on with "its".
    """
    frame = understood.frame
    before = frame.behind if frame is not None else None
    if frame is None or before is None or frame.parts or frame.companies:
        return False
    parts = frozenset(stems(" ".join(part.text for part in before.whole.parts if not is_year(part.text))))
    parts = parts or frozenset(stems(" ".join(one.text for one in matter_of_before(frame, vocabulary()))))
    headings = stems(answer.single.row) if answer.single is not None else ()  # A table may be all of one purchase.
    if not parts or parts & {*told_words(answer), *headings}:
        return False
    if frame.carried is not None:
        return bool(frame.targets) and OF_WHOLE.search(frame.question) is None
    return not _PRONOUNS.isdisjoint(runs_of(frame.question.lower()))


def _is_nameless(answer: FigureAnswer) -> bool:
    """Whether the one figure told stands nowhere in the filing's text, under nothing but its tag: it may be of anything."""
    return answer.single is not None and bool(answer.single.label) and answer.single.label == answer.single.fact.concept


def _of_one(understood: Understanding, hits: Sequence[Hit]) -> Understanding | None:
    """``understood`` asked of the one company whose passages are found first for a figure, where the question names none, and
    more than a figure that every company has.
    """
    question, frame, reading = understood.question, understood.frame, understood.reading
    is_open = frame is not None and frame.is_figure and frame.behind is None and not (question.companies or question.unknown)
    items = reading.items.values() if reading is not None else ()
    is_open = is_open and not any(item.metric is not None and not item.phrase for item in items)
    is_of_all = ASKS_ALL.search(question.text) is not None or (reading is not None and reading.across != "each")
    first = [hit.filing for hit in hits[:_FIRST_HITS]]
    of_first, of_all = ({one.company_key for one in some} for some in (first, understood.target.filings))
    is_of_one = len(first) == _FIRST_HITS and len(of_first) == 1 < len(of_all)
    return asked_of(understood, first[0]) if is_open and is_of_one and not is_of_all else None


def _within(filing: Filing, understood: Understanding) -> Target:
    """``filing`` as the one that is looked in, whatever years are named."""
    undated = replace(understood.question, periods=Periods(), dated=())
    return find_target(undated, Scope(filings=(filing.id,)), understood.held)


def _figure_of(found: FigureAnswer | NoFigures | None, unsure: Unsure | None) -> Figure | None:
    """The one figure that a turn was answered with: what was only the likeliest is as likely as that."""
    if isinstance(found, FigureAnswer):
        return found.single
    best = next(iter(unsure.figures), None) if unsure is not None else None
    figure = best.tell().single if best is not None else None
    return None if figure is None or best is None else replace(figure, sure=best.share)


def _asks_course(frame: Frame, reading: Reading, names: Names) -> bool:
    """Whether what is asked in words is how figures changed, and nothing but figures: "How did net income change?", "chart net
    income".
    """
    whole = bool(frame.targets) and all(metric_of(target.text, names) is not None for target in frame.targets)
    is_plain = frame.operation == "trend" or (frame.operation == "how" and not frame.left_over)
    return whole and is_plain and reading.over in _COURSES
