"""What no figure is sure for, read out of the lines that were found: one of their numbers, or a calculation over two.

The ranking of figures and the reading of paragraphs each look at one thing at a time. Here a trained reader sees the question,
what was asked before, and the best sentences and rows together. How likely it holds each number and each calculation is weighed
with what else is known of them (``read_out_known``), by weights that ``python -m training.read_out`` fits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import zip_longest

import numpy as np

from fin_tui.engine.answering.read_out_known import FEATURES, NO_ANSWER, Known, Seen, known_of, known_of_none
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import FigureAnswer, Source, Unsure
from fin_tui.engine.figures.framed import weighed
from fin_tui.engine.figures.from_excerpt import Option, figures_of, options, told_of
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.weighed import ROUNDED
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.target import Target, label_of, with_months, year_ending
from fin_tui.engine.questions.understanding import Understanding, of_known_companies
from fin_tui.engine.rank.excerpt import Excerpt, Excerpts, Line, Place, joined
from fin_tui.engine.rank.nearest import NearLines, Seek
from fin_tui.engine.searching.find import turns_of
from fin_tui.errors import FinTuiError
from fin_tui.facts.figures import Figure
from fin_tui.records import Filing
from fin_tui.retrieval.excerpt_reader import ExcerptReader
from fin_tui.retrieval.shared_encoder import SharedEncoder

SURE = 0.8
"""Probability from which what is read out is told as the answer: by cross-validation 143 of 160 are right from there on, between
.7 and it 64 of 88, too few where one that misleads costs more than five that are not found.
"""
BORNE = 0.5
"""Probability below which a sentence is not quoted for a figure: by cross-validation, of those that two other readings agree on,
4 of 12 have the figure below it and 48 of 56 above it; of paragraphs that lead, 7 of 29 and 35 of 43.
"""
_CLEAR = 0.83
"""Share of that probability which one number must have to be told as the answer and not be left among the others of what is
quoted: by cross-validation 32 of 39 are right, where the paragraph itself answers in 34.
"""
_DOUBTED, _NAMED_DOUBTED = 0.2, 0.1
"""Probability below which a figure that was ranked first is no longer told, and one that was found by its name: 2 of 8 of the
former are right below it and 150 of 164 above, 2 of 5 of the latter and 57 of 64. Of 126 that are asked for by the names that
everybody uses none is below it.
"""
NOTE = "Read out of the passages below: check that these are the numbers that you mean."
"""What is said of it to people."""
_PARAGRAPHS = 5
_KEPT, _MOST_KEPT = 3, 64
"""Lines that a follow-up is read with, and turns of which they are held."""
_COMBINED = 16
"""Numbers that are combined with each other: those told before, then those that answer best or are read likeliest."""
_ENDS = 2
_FILINGS = 3
"""The newest filings whose lines are looked among for what the conversation looks for."""
_LIKELIEST = 40
"""Options whose values are compared."""


@dataclass(frozen=True, slots=True)
class ReadOut:
    """What the lines found come to."""

    options: tuple[Option, ...]
    known: Known
    """[options, features]."""
    none: Known
    """What is known of there being no answer."""
    figures: tuple[Figure, ...]
    """The numbers of the lines."""

    def likeliest(self, weights: Mapping[str, Known]) -> tuple[Option, float] | None:
        """The likeliest option by ``weights``, with the probability of all that come to its value; None where there is none."""
        if not self.options:
            return None
        shares = self._shares(weights)
        found: list[tuple[Option, float]] = []
        for place in np.argsort(-shares[:-1])[:_LIKELIEST]:
            one, share = self.options[place], float(shares[place])
            same = next((at for at, (other, _) in enumerate(found) if one.is_same(other)), None)
            if same is None:
                found.append((one, share))
            else:
                found[same] = (found[same][0], found[same][1] + share)
        return max(found, key=lambda of: of[1])

    def chance_in(self, text: str, weights: Mapping[str, Known]) -> float:
        """The probability that the answer is the value of one of the numbers printed in ``text``."""
        values = self.values_in(text)
        shares = self._shares(weights)[:-1]
        held = (share for one, share in zip(self.options, shares, strict=True) if not one.operation and one.value in values)
        return float(sum(held))

    def chance_of(self, value: float, weights: Mapping[str, Known]) -> float:
        """The probability that the answer comes to ``value``, but for sign and rounding, as a number or per cent."""
        shares = self._shares(weights)[:-1]
        held = (share for one, share in zip(self.options, shares, strict=True) if _comes_to(one.value, value))
        return float(sum(held))

    def holds(self, single: Figure) -> bool:
        """Whether a figure stands among the numbers of the lines; one that is hidden from readers stands nowhere."""
        own = single.fact  # A tag begins behind the "$" that a number of a sentence begins with.
        same = (one.fact for one in self.figures if one.filing.id == single.filing.id)
        return any(one.start < own.end and own.start < one.end for one in same)

    def values_in(self, text: str) -> frozenset[float]:
        """The values of the numbers that are printed in ``text``, and those that are the same but for rounding."""
        alone = [one for one in self.options if not one.operation]
        printed = [one for one in alone if is_printed(self.figures[one.places[0]].fact.text.strip(), text)]
        return frozenset(one.value for one in alone if any(map(one.is_same, printed)))

    def _shares(self, weights: Mapping[str, Known]) -> Known:
        """The probability of each option, and last that there is no answer."""
        scores = np.append(self.known @ weights["options"], self.none @ weights["none"])
        shares: Known = np.exp(scores - scores.max())
        shares /= shares.sum()
        return shares


class ReadsOut:
    """Reads figures out of lines."""

    def __init__(self, reader: ExcerptReader, source: Source, linked: Linked, encoder: SharedEncoder, seek: Seek) -> None:
        self._reader = reader
        self._book = linked.ranker.book
        self._source = source
        self._linked = linked
        self._excerpts = Excerpts(self._book, source.chunks)
        self._near = NearLines(self._book, self._excerpts, encoder, seek)
        self._lines: dict[Hashable, tuple[Line, ...]] = {}

    def warm_up(self) -> None:
        """Load the weights; raises ``MissingAsset`` where they can't be read."""
        self._reader.load()

    def judged(
        self,
        understood: Understanding,
        unsure: Unsure | None,
        evidence: Evidence,
        quoted: Sequence[str] = (),
        single: Figure | None = None,
    ) -> tuple[FigureAnswer | None, float]:
        """The figure or calculation that the lines surely come to, or the number of the sentences ``quoted`` that is clearly
        meant, None where none is; and the probability that these have it, or that it comes to the value of the ``single`` one
        that was looked up, 1 where nothing was read or that is not among the lines. Raises ``MissingAsset``.
        """
        read = self.of(understood, unsure, evidence, single)
        best = read.likeliest(_weights()) if read is not None else None
        if read is None or best is None or (single is not None and not read.holds(single)):
            return None, 1.0
        option, chance = best
        text = " ".join(quoted)
        borne = read.chance_in(text, _weights())
        if single is not None:  # A second figure that is told with it bears it out as well.
            borne = max(borne, read.chance_of(float(single.value), _weights()))
        is_quoted = not option.operation and option.value in read.values_in(text)
        is_clear = single is None and borne >= BORNE and chance >= _CLEAR * borne
        if not is_clear if is_quoted else chance < SURE:
            return None, borne
        sure = [replace(figure, sure=chance) for figure in read.figures]
        return told_of(option, sure, self._source), borne

    def of(
        self, understood: Understanding, unsure: Unsure | None, evidence: Evidence, single: Figure | None = None
    ) -> ReadOut | None:
        """What the question comes to by the lines of ``evidence``, of the figures that are ``unsure`` and of the ``single`` one
        that was found; None where it asks for no figure, where there are no lines, or they are of several companies. Raises
        ``MissingAsset``.
        """
        frame, filings = understood.frame, understood.target.filings
        if frame is None or not may_be_read(understood):
            return None
        if unsure is None:
            unsure = weighed(frame, understood, self._source, self._linked)
        near = self._near_lines(understood)
        excerpt = self._excerpt(understood, unsure, evidence, single, near)
        if not excerpt.spans:
            return None
        request = understood.request
        turns = (*request.history[understood.since - 1 :], request.question)
        chances = self._reader.read(joined(turns, _year(filings)), excerpt.text, excerpt.spans)
        frame = of_known_companies(frame, understood.question)
        years = {one.filing.id: self._book.of(one.filing).years for one in excerpt.lines}
        figures = figures_of(excerpt, years, frame)
        told = frozenset((one.filing.id, one.fact.start) for one in understood.told)
        asked = years_asked(understood.question, understood.target)
        fit = self._fit(frame.asked, excerpt)
        by_line = {line.key: score for lines in near for line, score in lines}
        seen = Seen(excerpt, figures, frame, chances, fit, told, evidence, unsure, asked, by_line)
        found = tuple(options(figures, seen.first[:_COMBINED], frame))
        return ReadOut(found, known_of(found, seen), known_of_none(seen), tuple(figures))

    def _near_lines(self, understood: Understanding) -> list[list[tuple[Line, float]]]:
        """Those of the newest filings that are asked, the nearest to what the conversation looks for first."""
        newest = sorted(understood.target.filings, key=lambda one: -(one.fiscal_year or 0))[:_FILINGS]
        try:
            return [self._near.of(turns_of(understood), one) for one in newest]
        except FinTuiError:  # What else was found is read without them: a corpus elsewhere may be out of reach.
            return []

    def _excerpt(
        self,
        understood: Understanding,
        unsure: Unsure | None,
        evidence: Evidence,
        single: Figure | None,
        near_lines: Sequence[Sequence[tuple[Line, float]]],
    ) -> Excerpt:
        request = understood.request
        paragraphs = [
            [Place(one.near.filing, piece.start, piece.end) for piece in one.near.paragraph.pieces]
            for one in evidence.paragraphs[:_PARAGRAPHS]
        ]
        companies = {one.company_key for one in understood.target.filings}
        told = [Place(one.filing, one.fact.start, one.fact.end) for one in understood.told if one.filing.company_key in companies]
        held = {one.id for one in understood.held if one.company_key in companies}
        known = self._lines.get((request.history, request.scope, tuple(one.id for one in understood.held)), ())
        before = [line for line in known if line.filing.id in held]
        ranked = unsure.near if unsure is not None else ()
        near = [line for some in zip_longest(*near_lines) for line, _ in filter(None, some)]
        is_printed = single is not None and single.fact.end > single.fact.start
        found = Place(single.filing, single.fact.start, single.fact.end) if single is not None and is_printed else None
        excerpt = self._excerpts.of(told, before, paragraphs, ranked, found, near)
        turns = (*request.history, request.question)
        self._lines[turns, request.scope, tuple(one.id for one in understood.held)] = excerpt.lines[:_KEPT]
        while len(self._lines) > _MOST_KEPT:
            self._lines.pop(next(iter(self._lines)))
        return excerpt

    def _fit(self, asked: str, excerpt: Excerpt) -> list[float]:
        """How well each number answers by itself: a logit of the cross-encoder."""
        found = [0.0] * len(excerpt.numbers)
        for filing in {one.id: one for _, one in excerpt.numbers}.values():
            places = [at for at, (_, one) in enumerate(excerpt.numbers) if one.id == filing.id]
            logits = self._linked.ranker.read(asked, [excerpt.numbers[at][0] for at in places], filing)
            for at, logit in zip(places, logits, strict=True):
                found[at] = logit
        return found


def may_be_read(understood: Understanding) -> bool:
    """Whether a question asks for a figure, and nothing else, of one company: no other is read together with lines."""
    frame, filings = understood.frame, understood.target.filings
    is_figure = frame is not None and frame.is_figure and not frame.wants_words_too
    return is_figure and len({one.company_key for one in filings}) == 1


def doubted_below(single: Figure) -> float:
    """The probability below which a figure that was looked up is not told."""
    return _NAMED_DOUBTED if single.sure is None else _DOUBTED


def _comes_to(value: float, told: float) -> bool:
    return any(math.isclose(abs(value), abs(told) * scale, rel_tol=ROUNDED) for scale in (1, 100, 0.01))


def is_printed(printed: str, text: str) -> bool:
    """Whether a number is printed in ``text``, and not as a part of another."""
    at = text.find(printed) if printed else -1
    while at >= 0:
        before, behind = text[:at][-1:], text[at + len(printed) :][:2]
        goes_on = behind[:1].isdigit() or (behind[:1] in (".", ",") and behind[1:].isdigit())
        if not (before.isdigit() or before in (".", ",") or goes_on):
            return True
        at = text.find(printed, at + 1)
    return False


def _year(filings: Sequence[Filing]) -> str:
    """The fiscal year of the newest of the filings that are asked."""
    newest = max((one.fiscal_year or 0 for one in filings), default=0)
    return f"FY{newest}" if newest else ""


def years_asked(question: Question, target: Target) -> frozenset[int]:
    """The fiscal years that a question names, of many the first and the last; none where it names none."""
    periods, filings = question.periods, target.filings
    labels = [label_of(one) for one in filings]
    if question.dated and set(question.dated).isdisjoint(periods.years):
        return frozenset(question.dated)  # What falls due in them, of what was told of another year.
    if not periods.named:
        is_back, is_ahead = periods.back > 0, periods.back < 0 and bool(labels)
        return frozenset(target.beyond or (labels if is_back else [max(labels) - periods.back] if is_ahead else ()))
    named = with_months(periods, filings)
    years = {*named.years, *(year_ending(day, filings) or day.year for day in named.dates)}
    if periods.since and labels:
        years.add(max(labels))
    return frozenset((min(years), max(years)) if len(years) > _ENDS else years)


@cache
def _weights() -> Mapping[str, Known]:
    card = json.loads(files("fin_tui.engine.answering").joinpath("read_out.json").read_text(encoding="utf-8"))
    named = {"options": FEATURES, "none": NO_ANSWER}
    return {part: np.array([card[part][name] for name in names], np.float64) for part, names in named.items()}
