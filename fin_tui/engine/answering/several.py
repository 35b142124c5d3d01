"""A question that asks several things: each is answered by itself, and what no answer was found for is named.

The question as a whole goes first: a list of figures may be one name ("property and equipment"), and a page may tell all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fin_tui.engine.answering.compose import Draft, Timer, figures_renumbered, in_order_of_appearance, sentence_renumbered
from fin_tui.engine.answering.drafting import Drafting, Made
from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.fitting import names_told
from fin_tui.engine.figures.operands import metric_of
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.subquestions import Subquestion, balances_asked, subquestions_of, without
from fin_tui.engine.questions.understanding import Request, Understanding, half_of, of_known_companies
from fin_tui.engine.questions.wanted import Names
from fin_tui.facts.figures import Metric
from fin_tui.facts.words import stems
from fin_tui.records import Sentence

_BY_ITSELF = "Not answered: “{}”. Ask it by itself."
_LAST = "Not surely answered: “{}”. Closest passages stand last."
_MUCH = 0.5
"""Share of the words for a figure from which an answer tells of it."""


class Several:
    """Answers questions one by one that were asked as one."""

    def __init__(self, drafting: Drafting, understand: Callable[[Request], Understanding], names: Names | None) -> None:
        self._drafting = drafting
        self._understand = understand
        self._names = names

    def completed(self, made: Made, timer: Timer) -> Made:
        """``made``, or where it leaves out some of what its question asks, the answers to all of it that are found."""
        understood, frame = made.understood, made.understood.frame
        frame = of_known_companies(frame, understood.question) if frame is not None else None
        if frame is None or understood.shape is not None or frame.refusal:
            return made
        balances = balances_asked(frame, _year(understood))
        asks = balances or self._asks(frame)
        is_compared = made.is_told and len(understood.question.companies) > 1  # One table tells of all of them.
        if not asks or (not balances and (is_compared or self._tells_all(made, asks))):
            return made
        halves = list(self._each(understood, asks))
        refused = [one.frame is not None and bool(one.frame.refusal) for one in halves]
        each = [
            Made(one, made.hits, made.evidence) if is_refused else self._drafting.drafted(one, timer)
            for one, is_refused in zip(halves, refused, strict=True)
        ]
        told = _apart(each)
        if not any(told) or not (all(told) or (all(one.is_certain for one in asks) and not balances)):
            return made
        is_prose = _is_in_words(made) and not frame.is_figure and frame.operation != "why"
        if is_prose and not (any(refused) or all(told)):
            return made  # Prose that answers all of it is not taken apart for a figure in it.
        # A figure that is listed is told by no prose.
        in_words = [not ask.words and _is_in_words(one) for ask, one in zip(asks, each, strict=True)]
        if made.is_told and not balances and sum(told) == 1 and not any(in_words):
            same = _first(made) in map(_first, each)  # Another answer to the whole may tell of more than one of them.
            names, untold = _told_by(made), [one for one, is_told in zip(asks, told, strict=True) if not is_told]
            unsaid = [one.text for one in untold if same or not all(self._is_told(named, names) for named in one.named)]
            return _noted(made, unsaid, _BY_ITSELF)
        stands = [is_told or is_said for is_told, is_said in zip(told, in_words, strict=True)]
        kept = [one for one, does in zip(each, stands, strict=True) if does]
        left = [ask.text for ask, does in zip(asks, stands, strict=True) if not does]
        is_shown = bool(left) and not any(refused) and made.draft is not None and not made.is_told and made.likely is None
        kept += [made] if is_shown else []  # What was found for all of it may tell of the rest.
        whole = replace(made, draft=joined(understood, kept, timer), found=None, unsure=None, refusal=None, is_quoted=False)
        return _noted(whole, left, _LAST if is_shown else _BY_ITSELF)

    def _asks(self, frame: Frame) -> tuple[Subquestion, ...]:
        """The questions of ``frame``; "and the year before?" asks each of those of the question before of another year."""
        before = frame.carried if frame.names_period_alone else None
        asks = subquestions_of(before or frame, lambda words: self._metric(words) is not None)
        if before is None:
            return asks
        return tuple(replace(one, text=without(one.text, before.periods)) for one in asks if one.words)

    def _each(self, whole: Understanding, asks: Sequence[Subquestion]) -> Iterator[Understanding]:
        """The questions; one that names more or less than a figure goes on from those before it ("and who leases them?")."""
        for at, ask in enumerate(asks):
            before = () if ask.words else tuple(one.text for one in asks[:at])
            yield half_of(whole, f"{ask.text}?", self._understand, *before)

    def _tells_all(self, made: Made, asks: Sequence[Subquestion]) -> bool:
        """Whether the answer tells of each figure that is listed; of clauses that is not known by their words."""
        is_known = made.is_told and all(one.words for one in asks)
        return is_known and all(self._is_told(one.words, _told_by(made)) for one in asks)

    def _is_told(self, words: str, told: frozenset[str]) -> bool:
        metric = self._metric(words)
        names = (*metric.names, *metric.labels) if metric is not None else ()
        own = frozenset(stems(words))
        return any(told.issuperset(stems(name)) for name in names) or len(own & told) >= _MUCH * len(own) > 0

    def _metric(self, words: str) -> Metric | None:
        return metric_of(words, self._names) if self._names is not None else None


def _told_by(made: Made) -> frozenset[str]:
    """The stems of the names that an answer's figures have, else of its sentences, which may call them as the question does."""
    if made.draft is None:
        return frozenset()
    figures = made.draft.figures
    of_words = frozenset(stems(" ".join(one.text for one in made.draft.sentences)))
    return names_told(figures) if figures is not None and figures.facts else of_words


def _year(understood: Understanding) -> int:
    """The fiscal year asked about, else that of the newest filing; 0 where neither is known."""
    years = understood.question.periods.years or tuple(one.fiscal_year or 0 for one in understood.target.filings)
    return max(years, default=0)


def _apart(each: Sequence[Made]) -> list[bool]:
    """Which of them are told; what two are told by is the answer to the first of them alone, and a whole page is none to one of
    several.
    """
    seen: list[str] = []
    told = []
    for one in each:
        is_page = isinstance(one.found, FigureAnswer) and one.found.is_page
        told.append(one.is_told and not is_page and not _names_nothing(one) and _first(one) not in seen)
        seen.append(_first(one))
    return told


def _names_nothing(made: Made) -> bool:
    """Whether a name or a date is asked for, and a plain figure told: "which hall closes" is none of so many dollars."""
    frame, draft = made.understood.frame, made.draft
    figures = draft.figures if draft is not None else None
    is_plain = figures is not None and figures.value is not None and figures.calculation is None
    asks_name = frame is not None and not frame.is_figure and frame.operation not in ("rank", "why") and frame.answer != "yesno"
    return is_plain and asks_name and figures is not None and not figures.asks_reason


def _first(made: Made) -> str:
    """The first sentence that is told; "" for none."""
    return next((sentence.text for sentence in made.draft.sentences), "") if made.draft is not None else ""


def _is_in_words(made: Made) -> bool:
    """Whether passages answer, and nothing is said against that."""
    return made.draft is not None and not made.is_told and made.likely is None and not made.draft.caution


def _noted(made: Made, left: Sequence[str], note: str) -> Made:
    """``made`` with the questions that are not answered named."""
    if made.draft is None or not left:
        return made
    told = note.format("”, “".join(left))
    return replace(made, draft=replace(made.draft, notes=(*made.draft.notes, told)), is_quoted=False)


def joined(whole: Understanding, each: Sequence[Made], timer: Timer) -> Draft:
    """The drafts as one, in the order of the question; a passage that several cite is there once."""
    numbers: dict[tuple[str, int, int, int], int] = {}
    passages: list[Passage] = []
    sentences: list[Sentence] = []
    figures: list[FigureAnswer] = []
    drafts = [one.draft for one in each if one.draft is not None]
    focuses = []
    for draft in drafts:
        new: dict[int, int] = {}
        for passage in draft.evidence.passages:
            key = (passage.citation.filing, passage.start, passage.citation.start, passage.citation.end)
            number = numbers.setdefault(key, len(passages) + 1)
            new[passage.citation.id] = number
            if number > len(passages):
                passages.append(replace(passage, citation=replace(passage.citation, id=number)))
        focuses += [
            replace(focus, passage=new[draft.evidence.passages[focus.passage].citation.id] - 1)
            for focus in draft.evidence.focuses
        ]
        said = {one.text for one in sentences}
        own = [sentence_renumbered(one, new) for one in draft.sentences if one.text not in said]
        sentences += [replace(one, opens="paragraph") if sentences and not at else one for at, one in enumerate(own)]
        if draft.figures is not None:
            figures.append(figures_renumbered(draft.figures, new))
    coverage = max(draft.evidence.coverage for draft in drafts)
    evidence = Evidence(tuple(passages), tuple(focuses), coverage)
    notes = tuple(dict.fromkeys(note for draft in drafts for note in draft.notes))
    outline = drafts[0].outline if len(drafts) == 1 else None
    of_all = _as_one(figures)
    if of_all is not None and len(drafts) > 1:
        of_all = replace(of_all, table=None, whole=None)  # A screen folds away what stands behind a table.
    told, evidence, of_all = in_order_of_appearance(sentences, evidence, of_all)
    return Draft(whole, drafts[0].hits, evidence, told, timer, of_all, outline, notes=notes)


def _as_one(figures: Sequence[FigureAnswer]) -> FigureAnswer | None:
    """The figures of several answers: no calculation is that of the question, and a value where one alone has figures."""
    if len(figures) < 2:
        return next(iter(figures), None)
    stated = [one for one in figures if one.facts]  # A sentence that is told lists none.
    value, unit = (stated[0].value, stated[0].unit) if len(stated) == 1 else (None, None)
    return FigureAnswer(
        tuple(one for some in figures for one in some.sentences),
        tuple(one for some in figures for one in some.passages),
        tuple(fact for some in figures for fact in some.facts),
        tuple(step for some in figures for step in some.plan),
        value,
        unit,
    )
