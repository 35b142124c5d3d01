"""A question -> its frame: the words for company, period, figure and part, what is to be done, what kind of answer is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, Literal

import numpy as np

from fin_tui.engine.frame.pages import ELSEWHERE, Page, page_of
from fin_tui.engine.frame.tokens import pieces_of, word_scores, words_of_tokens
from fin_tui.errors import MissingAsset
from fin_tui.facts.words import stems
from fin_tui.language import any_of
from fin_tui.retrieval.shared_encoder import OF_TOKENS, Array, SharedEncoder
from fin_tui.store import Remembered

FIGURES = frozenset(("money", "count", "percent", "per_share", "ratio", "days"))
"""Answer types that a figure gives."""
Kind = Literal["number", "words", "list", "yesno"]
QUOTIENTS = frozenset(("ratio", "share", "margin", "per_unit"))
"""Operations that set one figure over another."""
COMPUTED = QUOTIENTS | {"growth", "cagr", "contribution", "difference", "sum", "average", "product"}
"""Operations that make a new figure."""
_OF_ONE_KIND = frozenset(("difference", "sum", "average"))
"""Operations that come to a figure of the kind that they are made of."""
SIDE_BY_SIDE = frozenset(("compare", "difference"))
"""Operations that need both of two companies."""
_IN_WORDS = frozenset(("why", "how", "describe", "define"))
"""Operations that no figure answers."""
_BOTH = 2
_LIKELY = 0.5
_FIGURE_ALONE = 0.9
"""Probability from which a figure is all that is asked for: of 728 questions for a figure 13 are below it, of 334 in words 318.
"""
_CARRIED = 0.5
"""Probability of leaving its matter, or whose it is, unsaid from which a follow-up is read so."""
_OF_PART = any_of("that/this/same segment(s)/division(s)/unit(s)/region(s)/brand(s)/subsidiary/product")
_OWN = "own"
"""That a follow-up leaves nothing unsaid."""
_KEPT = 256
"""Questions whose page is kept: each turn of a conversation reads those before it."""
_OF_BARE = ("overview", "strength")
"""Pages that a follow-up wants only where it names something: "is it growing?" is of the figure before, as is "and Pfizer?"."""
_TOLD_BY_PAGE = frozenset(("forecast", "off_topic", "private"))
"""Refusals of what a page tells as far as a filing does: "could they go bust?"."""
_REFUSED, _REFUSED_TOO = 0.5, 0.1
"""Probability of any kind of refusal from which a question is refused."""
_OUTSIDE = "O"
_MAY_NAME = 0.2
"""Probability of being (of) a company's name from which a word of a matter or part may be one: of names that were taken for such
words some have .2 to .6, words that are no name mostly below .1.
"""
_GENEROUS = 1.0
"""How much less likely a word is taken to be outside of all names, in logits, where names are read generously."""
_WORD = re.compile(r"[A-Za-z0-9&%/'’+-]+")
_DANGLING = frozenset("in at of for on by from during as the and end per to with vs its fy".split())
TIME_UNITS = frozenset("day days week weeks month months mo quarters qtrs years yrs hour hours hr hrs minute minutes".split())
"""Behind a number they make it a length of time; "22 year-end" and "Q2 quarter" name a period."""
NO_COMPANY = TIME_UNITS | frozenset("year yr quarter qtr management mgmt mgt board govt gov dept".split())
"""What no company is called."""
_REPEATS = frozenset(
    "and also then same again instead what how about only in for of at the fy fiscal year before after prior previous".split()
)
"""A follow-up of these words, companies, parts and the number of a year asks for nothing else than was asked before."""


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the question that name something."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One typed reading of a question, by itself or after the one before it."""

    question: str
    companies: tuple[Span, ...]
    periods: tuple[Span, ...]
    targets: tuple[Span, ...]
    """The words for the figures or the matter asked for, in the order of the question."""
    parts: tuple[Span, ...]
    """Segment, product, region, instrument, class …"""
    operation: str
    answer: str
    """money, count, percent, per_share, ratio, days; text, list, yesno, name, date; none."""
    refusal: str
    """off_topic, advice, forecast, injection, private; "" for none."""
    left_over: tuple[str, ...]
    """Words outside of all spans that do more than ask, compute, or link: they narrow what is asked, and no span says how."""
    sure: Mapping[str, float]
    """Probability of operation, answer and carrying on; of "figure", that any kind of figure is asked for, and of "refusal",
    that any kind of refusal is right; of "asks", that it asks several things."""
    kinds: Mapping[str, float] = field(default_factory=dict)
    """Of each kind of figure the probability that it is asked for, where one is."""
    operations: Mapping[str, float] = field(default_factory=dict)
    """Of each operation the probability that it is asked for."""
    generous: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    """Targets and parts where words that are somewhat likely to belong to a name count as well."""
    operands: tuple[str, ...] = ()
    """The words for each operand of the calculation that is asked for, in its order; empty where they are not told apart."""
    before: str = ""
    """Which operand the figure asked for before is: "first", "second"; "" for none."""
    carried: Frame | None = None
    """The frame of the question before, where this one leaves its matter unsaid."""
    behind: Frame | None = None
    """The frame of the question before, whether this one leans on it or not."""
    joins: bool = False
    """The companies that it names stand beside those of the question before."""
    asks_another: bool = False
    """It asks for another figure than the question before, and says not of what: "and its margin"."""
    asks: tuple[Span, ...] = ()
    """The pieces of the question that each ask something, where it asks several things."""
    page: Page = ""
    """The whole page that it wants, in the place of any one figure or matter."""
    called: Mapping[Span, float] = field(default_factory=dict)
    """Of each of the ``companies`` the least probability of one of its words that it names one."""
    may_name: tuple[Span, ...] = ()
    """Words of targets and parts that may be a company's name: "acmes" of "why did acmes tax rate rise"."""

    @property
    def asks_for(self) -> Kind:
        """By and large."""
        if self.is_figure:
            return "number"
        return "yesno" if self.answer == "yesno" else "list" if self.answer == "list" else "words"

    @property
    def moved_to(self) -> str:
        """The matter of the turn before, where that is a follow-up which moved it to another part or figure; "" for none."""
        last = self.carried
        has_moved = last is not None and last.carried is not None and bool(last.parts or last.targets)
        return last.matter if last is not None and has_moved else ""

    @property
    def names_period_alone(self) -> bool:
        """It follows a question, and names nothing but a period: "and the year before?"."""
        names_more = bool(self.targets or self.parts or self.companies or set(self.left_over) - _REPEATS)
        return self.carried is not None and bool(self.periods) and not names_more

    @property
    def refers_to_part(self) -> bool:
        """It is of the part of a company that was named before: "that segment's margin"."""
        return _OF_PART.search(self.question) is not None

    @property
    def is_figure(self) -> bool:
        """A figure is asked for: the kind of answer says so, and what is to be done does not deny it."""
        words = sum(self.operations.get(one, 0.0) for one in _IN_WORDS)
        return sqrt(self.sure["figure"] * max(1 - words, 0.0)) >= _LIKELY  # Shares add up to a little more than one.

    @property
    def wants_words_too(self) -> bool:
        """A figure may be all that is asked for, and may be too little: "what was the charge about"."""
        return self.is_figure and self.sure["figure"] < _FIGURE_ALONE

    def as_look_up(self) -> Frame:
        """The frame with no doubt that one figure is asked for, as a filing states it."""
        sure = {**self.sure, "figure": 1.0, "operation": 1.0}
        return replace(self, operation="lookup", operations={"lookup": 1.0}, sure=sure)

    @property
    def whole(self) -> Frame:
        """The frame with targets and parts of the question before, where it leaves them unsaid."""
        if self.carried is None:
            return self
        before = self.carried.whole
        is_over = self.operation in QUOTIENTS - {"margin"} and len(self.operands) < _BOTH
        is_of_it = is_over and len(self.targets) == 1 and bool(before.targets) and not self.parts
        targets = (before.targets[0], *self.targets) if is_of_it else self.targets or before.targets
        # "And the year after?" takes the place of the year that something falls due in.
        parts = tuple(part for part in before.parts if not (self.periods and part.text.isdigit()))
        return replace(self, targets=targets, parts=self.parts or parts)

    @property
    def alone(self) -> Frame | None:
        """The frame with its own targets in the place of those of the question before; None where it names none."""
        if self.carried is None or not self.targets:
            return None
        whole = self.whole
        kept = () if self.parts else whole.parts
        words = " ".join((self.question, *(span.text for span in kept)))
        return replace(whole, question=words, targets=self.targets, carried=None)

    @property
    def label(self) -> str:
        """What is asked for, for people: its figures and parts, else the matter without the small words at its end."""
        figures = (" / " if self.operation in QUOTIENTS else ", ").join(span.text for span in self.targets)
        parts = ", ".join(span.text for span in self.parts)
        if figures and len(self.targets) == len(self.parts) == 1 and (both := self._side_by_side()):
            return both
        if figures:
            return f"{figures} ({parts})" if parts else figures
        words = self.matter.split()
        while len(words) > 1 and words[-1].lower().strip(",") in _DANGLING:
            words.pop()
        return " ".join(words).strip(" ,")

    def _side_by_side(self) -> str:
        """The one figure and its part as the question has them, where they stand next to each other there."""
        first, last = sorted((*self.targets, *self.parts), key=lambda span: span.start)
        is_here = self.question[first.start : first.end] == first.text and self.question[last.start : last.end] == last.text
        return self.question[first.start : last.end] if is_here and not self.question[first.end : last.start].strip() else ""

    @property
    def kind(self) -> str:
        """The kind of figure that is asked for; "" where another kind of answer is likelier than each by itself."""
        return self.answer if self.answer in FIGURES else ""

    @property
    def matter(self) -> str:
        """The question without the words for company and period, behind what it leaves unsaid: what rows are looked for by."""
        before = self.carried
        if before is not None:  # "And gaming?" asks of gaming in the place of what was asked of before.
            own = {span.text for span in self.parts}
            others = [span for span in before.parts if own and span.text not in own]
            before = replace(before, periods=(*before.periods, *others))
        return f"{before.matter if before else ''} {self.own_matter}".strip()

    @property
    def asked(self) -> str:
        """As :attr:`matter`, with the words for the period: what figures are read together with. What is asked now comes first,
        apart from what it leaves unsaid.
        """
        before, own = self.carried, self._without(self.companies)
        return own if before is None else f"{own} | {before.matter if self.periods else before.asked}"

    @property
    def own_matter(self) -> str:
        """The question's own words without those for company and period."""
        return self._without((*self.companies, *self.periods))

    def _without(self, spans: Sequence[Span]) -> str:
        """The question without the words of ``spans``; with all where no other is left."""
        text = self.question
        for span in sorted(spans, key=lambda span: -span.start):
            behind = text[span.end :]
            for tail in ("'s", "’s"):
                behind = behind.removeprefix(tail)
            text = f"{text[: span.start]} {behind}"
        return " ".join(text.split()).strip(" ,:;-?") or self.question

    def of_companies(self, places: Sequence[tuple[int, int]]) -> Frame:
        """The frame with just these places as companies, and as nothing else: a name that the library does not know may be part
        of the matter, one that it knows is none. What the reader took for more of the name is a part: "acme services".
        """
        companies = tuple(Span(self.question[a:b], a, b) for a, b in places)
        targets, parts = (tuple(own for one in spans for own in _apart(one, companies)) for spans in (self.targets, self.parts))
        longer = tuple(own for one in self.companies if _meets(one, companies) for own in _apart(one, companies))
        return replace(self, companies=companies, targets=targets, parts=(*parts, *longer))


def _meets(span: Span, companies: Sequence[Span]) -> bool:
    return any(span.start < one.end and one.start < span.end for one in companies)


def _apart(span: Span, companies: Sequence[Span]) -> Iterator[Span]:
    """What ``span`` says beside the companies in it."""
    start = span.start
    for one in (*sorted((one for one in companies if _meets(span, (one,))), key=lambda one: one.start), None):
        end = span.end if one is None else one.start
        words = span.text[start - span.start : end - span.start].removeprefix("'s").removeprefix("’s").strip(" ,:-/'’&")
        if start < end and _names(words):
            first = span.text.index(words, start - span.start) + span.start
            yield Span(words, first, first + len(words))
        start = span.end if one is None else one.end


class FrameReader:
    """Reads questions with the trained encoder; about 10 ms each."""

    def __init__(self, encoder: SharedEncoder) -> None:
        self._encoder = encoder
        self._pages: Remembered[str, Page] = Remembered(_KEPT)

    def warm_up(self) -> None:
        """Load the weights; raises ``MissingAsset`` where they can't be read."""
        self._encoder.load()

    def paged(self, frame: Frame, companies: Sequence[tuple[int, int]] = ()) -> Frame:
        """``frame`` with the page that it wants: that takes nothing from the question before, and foretells nothing.

        ``companies`` are the places of the names that the library knows, which the reader may have taken for other words.
        """
        matter = (frame.of_companies(companies) if companies else frame).own_matter
        said = {word.group().lower() for word in _WORD.finditer(matter)}
        alone = frame.operation == "lookup" and frame.sure["figure"] >= _FIGURE_ALONE

        def wanted() -> Page:
            return page_of(self._encoder, matter, asks_figure=alone)

        page = self._pages.get(f"{matter} {alone}", wanted) if said - _REPEATS else ""
        is_bare = frame.carried is not None and not (frame.targets or frame.parts or frame.left_over)
        if not page or (is_bare and page in _OF_BARE) or (page == "sources" and frame.carried is not None):
            return frame  # "Fed by what?" asks what the figure before came from.
        if page == "business" and frame.carried is not None and len(said - _REPEATS) == 1:
            return frame  # "Activities?" after a figure of services is a part.
        if page == "sources" or page in ELSEWHERE:  # A filing may have no such table, and may tell of the others in words.
            return replace(frame, page=page)
        refusal = frame.refusal if frame.refusal not in _TOLD_BY_PAGE else ""
        return replace(frame, page=page, carried=None, before="", refusal=refusal)

    def read_if_able(self, question: str, before: Frame | None = None) -> Frame | None:
        """As :meth:`read`; None without weights: questions are then read by names and rules alone."""
        try:
            return self.read(question, before)
        except MissingAsset:
            return None

    def read(self, question: str, before: Frame | None = None) -> Frame:
        """The frame of ``question`` after the one ``before`` it in the conversation. Raises ``MissingAsset``."""
        scores, spans = self._encoder.read(question, before.question if before is not None else "")
        tags = self._encoder.labels["tags"]
        named = _with_lengths(question, _spans(question, tags, scores["tags"], spans))
        named["part"] = tuple(span for span in named["part"] if not _refers(question, span))
        more = _spans(question, tags, scores["tags"] - _GENEROUS * (np.array(tags) == _OUTSIDE), spans)
        shares = {name: dict(zip(kinds, map(float, _softmax(scores[name])), strict=True)) for name, kinds in self._labels}
        best = {name: max(of, key=of.__getitem__) for name, of in shares.items()}
        sure = {name: shares[name][best[name]] for name in best}
        figures = {kind: share for kind, share in shares["answer"].items() if kind in FIGURES}
        sure["figure"] = sum(figures.values())
        figures = {kind: share / sure["figure"] for kind, share in figures.items()}
        sure["refusal"] = 1 - shares["refusal"][""]
        called = {one: _least(question, one, tags, scores["tags"], spans) for one in named["company"]}
        kinds = [kind for kind in shares["refusal"] if kind]
        is_refused = sure["refusal"] >= _REFUSED and shares["operation"]["refuse"] >= _REFUSED_TOO
        refusal = max(kinds, key=shares["refusal"].__getitem__) if is_refused else ""
        is_whole = bool(named["company"] and named["target"])  # Of a question that says of whom and what the likeliest counts.
        is_own = best["carry"] == _OWN if is_whole else 1 - shares["carry"][_OWN] < _CARRIED
        carries = before is not None and not is_own
        pieces, sure["asks"] = pieces_of(question, scores["asks"], spans)
        frame = Frame(
            question, named["company"], named["period"], named["target"], named["part"], best["operation"], best["answer"],
            refusal, self._left_over(question, named), sure, figures, shares["operation"],
            (more["target"], more["part"]), self._operands(question, named, scores["operands"], spans),
            best["before"] if carries else "", before if carries else None, before,
            asks=tuple(Span(question[a:b], a, b) for a, b in pieces),
            may_name=tuple(_may_name(question, tags, scores["tags"], spans)), called=called,
        )  # fmt: skip
        return _filled(frame) if carries or before is None else _after(frame, before.whole)

    @property
    def _labels(self) -> list[tuple[str, Sequence[str]]]:
        return [(name, kinds) for name, kinds in self._encoder.labels.items() if name not in OF_TOKENS]

    def _operands(
        self, question: str, named: Mapping[str, Sequence[Span]], scores: Array, places: Sequence[tuple[int, int]]
    ) -> tuple[str, ...]:
        """The words for each operand, without those for company and period."""
        kinds = self._encoder.labels["operands"]
        aside = [span for kind in ("company", "period") for span in named[kind]]
        said: dict[str, list[str]] = {kind: [] for kind in kinds[1:]}
        words = words_of_tokens(question, places)
        for (start, end), score in zip(words, word_scores(words, scores, places), strict=True):
            kind = kinds[int(score.argmax())]
            if kind in said and not any(span.start < end and start < span.end for span in aside):
                said[kind].append(question[start:end])
        operands = (" ".join(one) for one in said.values())
        return tuple(one for one in operands if _names(one))

    def _left_over(self, question: str, named: Mapping[str, Sequence[Span]]) -> tuple[str, ...]:
        inside = [span for spans in named.values() for span in spans]
        words = ((match.group().lower(), match.start()) for match in _WORD.finditer(question))
        return tuple(
            word
            for word, start in words
            if word not in self._encoder.plain_words and not any(span.start <= start < span.end for span in inside)
        )


def _least(question: str, named: Span, tags: Sequence[str], scores: Array, places: Sequence[tuple[int, int]]) -> float:
    """The least probability of a word of a company's name that it is of one."""
    of_company = [at for at, tag in enumerate(tags) if tag.endswith("company")]
    words = [word for word in words_of_tokens(question, places) if named.start < word[1] and word[0] < named.end]
    shares = (_softmax(score)[of_company].sum() for score in word_scores(words, scores, places)) if words else ()
    return min(map(float, shares), default=1.0)


def _refers(question: str, part: Span) -> bool:
    """Whether the words for a part only refer to one that was named before."""
    return any(match.start() <= part.start and part.end <= match.end() + len("'s") for match in _OF_PART.finditer(question))


def _with_lengths(question: str, named: dict[str, tuple[Span, ...]]) -> dict[str, tuple[Span, ...]]:
    """``named`` with the unit of time behind a number as part of the period, and of nothing else: "12" of "12 months"."""
    longer: dict[Span, Span] = {}
    for span in named["period"]:
        unit = _WORD.search(question, span.end)
        is_length = unit is not None and not question[span.end : unit.start()].strip(" -") and unit.group().lower() in TIME_UNITS
        if unit is not None and is_length and span.text[-1:].isdigit() and not _is_year(span.text):
            longer[span] = Span(question[span.start : unit.end()], span.start, unit.end())
    if not longer:
        return named
    lengths = tuple(longer.values())
    others = {
        kind: tuple(own for one in spans for own in _apart(one, lengths)) for kind, spans in named.items() if kind != "period"
    }
    return {**others, "period": tuple(longer.get(span, span) for span in named["period"])}


def _is_year(period: str) -> bool:
    """Whether the last of the words for a period is a year in four digits: "2024 months" is no length of time."""
    return len(_WORD.findall(period)[-1]) == len("2024")


def _after(frame: Frame, before: Frame) -> Frame:
    """``frame``, marked where it names another figure than the one ``before`` it, and nothing of whose."""
    if frame.companies or frame.parts or not frame.targets or frame.operation in QUOTIENTS - {"margin"}:
        return frame
    own, earlier = ({stem for span in of.targets for stem in stems(span.text)} for of in (frame, before))
    return replace(frame, asks_another=not own & earlier)


def _filled(frame: Frame) -> Frame:
    """``frame`` with what it leaves to the question before: one that names only another company, period or part asks the same of
    it; one that sets side by side compares what was computed before.
    """
    if frame.carried is None:
        return frame
    before = frame.carried.whole
    joins = frame.operation == "compare" and len(frame.companies) < _BOTH
    if frame.targets or not before.is_figure:
        return replace(_after(frame, before), joins=joins)
    is_bare = frame.operation == "lookup" and (frame.companies or frame.parts)
    repeats = is_bare or (frame.periods and (frame.operation == "lookup" or _says_when_alone(frame)))
    before = _computing(before)
    if not repeats and not (joins and before.operation != "lookup"):
        if frame.operation in _OF_ONE_KIND and frame.answer in FIGURES - {"percent"} and before.answer in FIGURES:
            frame = replace(frame, answer=before.answer, kinds=before.kinds)
        return replace(frame, joins=joins)
    sure = {**frame.sure, **{name: before.sure[name] for name in ("operation", "answer", "figure")}}
    return replace(
        frame, joins=joins, operation=before.operation, operations={before.operation: 1.0}, answer=before.answer,
        kinds=before.kinds, sure=sure,
    )  # fmt: skip


def _says_when_alone(frame: Frame) -> bool:
    """Whether the words of ``frame`` that name no company and no part name one year, and ask for nothing: "and the year before?"
    is no comparison with it.
    """
    named = [span for spans in (frame.companies, frame.parts) for span in spans]
    said = [match for match in _WORD.finditer(frame.question.lower()) if not any(a.start <= match.start() < a.end for a in named)]
    others = [word for word in (match.group().strip("'’-") for match in said) if word not in _REPEATS]
    return len(others) < _BOTH and all(word.removeprefix("fy").isdigit() for word in others)


def _computing(before: Frame) -> Frame:
    """The frame whose operation is repeated: a share of nothing ("in %") is none."""
    of_nothing = before.operation in QUOTIENTS - {"margin"} and len(before.targets) < _BOTH and not before.parts
    return before.carried.whole if of_nothing and before.carried is not None else before


def _spans(text: str, tags: Sequence[str], scores: Array, places: Sequence[tuple[int, int]]) -> dict[str, tuple[Span, ...]]:
    """Runs of words of one kind, as they stand in the question. A word that the tokenizer parts has the mean of its scores."""
    found: dict[str, list[tuple[int, int]]] = {"company": [], "period": [], "target": [], "part": []}
    last = ""
    words = words_of_tokens(text, places)
    for (start, end), score in zip(words, word_scores(words, scores, places), strict=True):
        kind = tags[int(score.argmax())].partition("-")[2]
        # Between two names of a kind there is always something else.
        if kind and kind == last and not text[found[kind][-1][1] : start].strip(" -&/’'"):
            found[kind][-1] = (found[kind][-1][0], end)
        elif kind:
            found[kind].append((start, end))
        last = kind
    return {kind: tuple(Span(text[a:b], a, b) for a, b in runs if _names(text[a:b])) for kind, runs in found.items()}


def _may_name(text: str, tags: Sequence[str], scores: Array, places: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """The words of a matter or part that may be a company's name."""
    kinds = [tag.partition("-")[2] for tag in tags]
    is_name = np.array([kind == "company" for kind in kinds])
    words = words_of_tokens(text, places)
    for (start, end), score in zip(words, word_scores(words, scores, places), strict=True):
        is_other = kinds[int(score.argmax())] in ("target", "part")
        if is_other and float(_softmax(score)[is_name].sum()) >= _MAY_NAME:
            yield Span(text[start:end], start, end)


def _names(words: str) -> bool:
    """Whether any of the words can name something: "on its" and ")" can't."""
    return any(stems(word) and word not in _DANGLING for word in words.lower().split())


def _softmax(scores: Any) -> Any:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()
