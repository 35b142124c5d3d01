"""Target -> hits: one search for each company and year that a question names, merged so that each gets its share.

Passages that print the figures asked for come first: where the facts say a figure stands outranks any wording of it. What the
reader picked by hand leads the evidence or stays out of it.

How likely the evidence answers the question is told by a logistic model over what the search knows: the share of the question's
words in the best passage, the share that stands in no passage, the cosine of the passage nearest in meaning, and what a
cross-encoder makes of the best paragraph, where it has read. ``python -m benchmarks.strength`` fits it on questions that the
filings answer and on questions about matters that no 10-K discloses, and prints what each bound costs.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from fin_tui.config import Mode
from fin_tui.engine.evidence import scale_of
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.figures.answer import Source
from fin_tui.engine.figures.grid import fill
from fin_tui.engine.questions.instructions import read_instructions
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Names, Reading
from fin_tui.facts.expression import Measure, names_in
from fin_tui.facts.figures import Figure, Gap, Metric
from fin_tui.language import any_of
from fin_tui.records import Filing, Hit, Ranks, Scope
from fin_tui.retrieval.statements import BALANCE, CASH_FLOW, FIGURE, INCOME, NAMED, STRONG, WEAK, StatementBoost, named_in

_STATEMENTS = {
    "balance": BALANCE,
    "income": INCOME,
    "per_share": INCOME,
    "tax": INCOME,
    "cash_flow": CASH_FLOW,
}
_DEEPEST = 4
_WORDS_WANTED = any_of(
    "why, cause(s), caused, reason(s), driver(s), drove, driven, factor(s), contribut*, led to, affect*, policy, policies, "
    "method*, impact*, explain*, describ*, application(s), how does/do/is/are/did/has/have/was/were, use for, used for, "
    "related to, associated with"
)
_SURE = 0.9
"""A mention scored lower is a guess, and a guess must not move passages."""


def hint_of(text: str, names: Names, reading: Reading | None = None) -> StatementBoost:
    """The hint for a question as it was typed, its instructions and its own definition included."""
    asked = read_instructions(text)
    mentioned = [
        mention.metric for part in (asked.text, asked.definition) for mention in names.find(part) if mention.score >= _SURE
    ]
    if reading is not None:
        mentioned += [item.metric for item in reading.items.values() if item.metric is not None]
    leaves = list({metric.id: metric for metric in _leaves(mentioned, names, 0)}.values())
    implied = [_STATEMENTS[metric.statement] for metric in leaves if metric.statement in _STATEMENTS]
    named = named_in(text)
    if reading is not None and any(item.phrase for item in reading.items.values()):
        implied = []  # A part of the company stands in a note, not in the statement.
    statements = tuple(dict.fromkeys((*named, *implied)))
    words = tuple(dict.fromkeys(word for metric in leaves for word in (*metric.names[:2], *metric.labels[:2])))
    if not statements:
        return StatementBoost()
    if named:
        return StatementBoost(statements, words, NAMED)
    return StatementBoost(statements, words, WEAK if wants_words(text) else STRONG if reading is None else FIGURE)


def wants_words(text: str) -> bool:
    """Whether a question wants prose although a figure's name may stand in it: a cause, a policy, a method."""
    return _WORDS_WANTED.search(text) is not None


def _leaves(metrics: Iterable[Metric], names: Names, depth: int) -> Iterable[Metric]:
    """The metrics that statements print: a derived one gives the parts of its formula."""
    for metric in metrics:
        parts = names_in(metric.formula) if not metric.concepts and depth < _DEEPEST else ()
        if parts:
            yield from _leaves(filter(None, map(names.get, parts)), names, depth + 1)
        else:
            yield metric


_WHOLE = 0.5
"""Accuracy of a whole number."""
_MOST_TELLING = 2
"""Passages moved up because they tell what is computed."""
_MOST_PLACES = 3
"""Passages put first because they print the figures asked for; the rest stays with what the words find."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The figures of a question, and where they are printed."""

    figures: tuple[Figure, ...] = ()
    places: tuple[Hit, ...] = ()
    """Each year's own filing before later ones that repeat the figure."""
    results: tuple[Measure, ...] = ()
    """What is computed from them: "up 41 %"."""

    def lead(self, hits: Sequence[Hit], *, is_lookup: bool) -> list[Hit]:
        """``hits`` with the places among the first; behind a first hit that already tells the figure, or that a question for more
        than plain figures (``is_lookup`` False) brings.
        """
        is_stated = bool(hits) and any(prints(hits[0], figure) for figure in self.figures)
        order = insert(self.places, hits, 1 if is_stated or not is_lookup else 0)
        telling = [hit for hit in hits if any(tells(hit, result) for result in self.results) and self._is_told(hit)]
        return insert(telling[:_MOST_TELLING], order, 1)

    def _is_told(self, hit: Hit) -> bool:
        """A table holds many percentages: one that prints a figure beside what is computed from it tells that."""
        return hit.chunk.kind == "prose" or any(prints(hit, figure) for figure in self.figures)


def find_printed(understood: Understanding, source: Source) -> Printed:
    """The figures that the question needs, and the passages that print them; nothing for a question that wants words."""
    reading = understood.reading
    if reading is None or not understood.subjects or wants_words(understood.question.text):
        return Printed()
    grid = fill(reading, understood.subjects, source.book, source.names)
    own = tuple(figure for cell in grid.cells for figure in cell.figures)
    later = _repeated(own, understood, source) if len(own) == 1 else []
    items = understood.request.scope.items
    places: dict[str, Hit] = {}
    for figure in (*own, *later):
        hit = _hit(figure, source)
        if hit is not None and (not items or hit.chunk.item in items):
            places.setdefault(hit.chunk.id, hit)
    computed = (cell.measure for cell in grid.cells if cell.measure is not None and cell.single is None)
    return Printed(own, tuple(places.values())[:_MOST_PLACES], tuple(m for m in computed if m.unit == "%"))


def is_lookup(understood: Understanding) -> bool:
    """Whether the question asks for plain figures, so that the passage that prints them is what it wants."""
    return understood.reading is not None and understood.reading.over == "point"


def prints(hit: Hit, figure: Figure) -> bool:
    """Whether a hit of the figure's filing states it, exactly or rounded ("$13.30 billion")."""
    if hit.filing.id != figure.filing.id:
        return False
    scale = scale_of(hit.chunk.header) if hit.chunk.kind == "table" else 1
    value = abs(figure.value)
    return any(
        abs(abs(number.value) * by - value) <= number.accuracy * by and abs(number.value) * by >= 2 * number.accuracy * by
        for number in find_numbers(hit.chunk.text)
        for by in ({1} if number.scaled or number.kind == "percent" else {1, scale})
        if not number.is_year
    )


def tells(hit: Hit, result: Measure) -> bool:
    """Whether a hit says the percentage that was computed, as a whole number or more closely; 0 and 100 are said of anything."""
    value = abs(float(result.value))
    return not any(abs(value - common) < 0.5 for common in (0, 100)) and any(
        number.kind == "percent" and number.accuracy <= _WHOLE and abs(abs(float(number.value)) - value) <= float(number.accuracy)
        for number in find_numbers(hit.chunk.text)
    )


def insert(places: Sequence[Hit], hits: Sequence[Hit], at: int) -> list[Hit]:
    """``hits`` with each of ``places`` no later than positions ``at``, ``at + 1``, …; what already stands before stays."""
    order = list(hits)
    for wanted, place in enumerate(places, start=at):
        now = next((i for i, hit in enumerate(order) if hit.chunk.id == place.chunk.id), None)
        if now is None:
            order.insert(wanted, place)
        elif now > wanted:
            order.insert(wanted, order.pop(now))
    return order


def _repeated(own: Iterable[Figure], understood: Understanding, source: Source) -> list[Figure]:
    """The same figure in later filings of the company: one may be restated, and either may be meant."""
    found = []
    for figure in own:
        metric = source.names.get(figure.metric)
        if metric is None or figure.fact.dimensions:
            continue
        subject = next((s for s in understood.subjects if figure.filing in s.filings), None)
        others = [f for f in subject.filings if _end(f) > _end(figure.filing)] if subject else []
        for filing in sorted(others, key=_end):
            again = source.book.figure(metric, [filing], figure.period)
            if not isinstance(again, Gap):
                found.append(again)
    return found


def _hit(figure: Figure, source: Source) -> Hit | None:
    fact = figure.fact
    if fact.end <= fact.start:
        return None
    chunk = source.chunks.holding(figure.filing.id, fact.start, fact.end)
    return Hit(0, chunk, figure.filing, 1.0, Ranks()) if chunk else None


def _end(filing: Filing) -> dt.date:
    return filing.period_end or dt.date(filing.fiscal_year or 1900, 12, 31)


_WITH_VECTORS = {"coverage": 4.66, "absent": -0.86, "similarity": 17.05, "bias": -14.75}
_READ = {"coverage": 1.6, "absent": 0.0, "similarity": 11.7, "sure": 0.49, "bias": -9.0}
_SUREST = 5.0
"""Logits beyond this say no more."""
_BY_WORDS = {"coverage": 5.74, "absent": -1.10, "bias": -2.98}
_READ_BY_WORDS = {"coverage": 2.92, "absent": -0.19, "sure": 0.25, "bias": -1.4}
ENOUGH = 0.1
"""Below this the matter is taken to be absent: so are 3 of 23 questions about what filings leave out, and 12 of 485 that they
answer, most of them follow-ups.
"""
ENOUGH_BY_WORDS = 0.1
"""The same without vectors, where the estimate is coarser: an answer with its source shown beats a wrong refusal."""
SURE = 0.6
"""Below this the reader is told that the passages may not answer."""
GOOD = 0.7
"""From here on there is no need to look elsewhere."""


def strength(evidence: Evidence, similarity: float | None) -> float:
    """0 to 1; 0 without any sentence that shares a word with the question."""
    if not evidence.focuses:
        return 0.0
    sure = evidence.sure
    by_words, with_vectors = (_BY_WORDS, _WITH_VECTORS) if sure is None else (_READ_BY_WORDS, _READ)
    weights = by_words if similarity is None else with_vectors
    total = weights["bias"] + weights["coverage"] * evidence.coverage + weights["absent"] * evidence.absent
    if similarity is not None:
        total += weights["similarity"] * similarity
    if sure is not None:
        total += weights["sure"] * min(max(sure, -_SUREST), _SUREST)
    return 1 / (1 + math.exp(-total))


TOLD = 0.5
"""Probability of an answer from which what is told stands as one. Readers who knew what answers judged 288 questions
(``training/data/judged.jsonl``): of those told from here on 153 of 193 were answered in full and 13 misleading; from .6 on 141 of
175 and 13, from .4 on 167 of 217 and 16.
"""
FIRST = 3
"""Paragraphs of which one is to answer: so many are nearly always told."""
_REREAD = {
    "first": 0.545, "second": -0.007, "third": -0.216, "similarity": -0.247, "coverage": 1.139, "sure": 0.032, "bias": -0.208,
}  # fmt: skip
"""A logistic regression by ``python -m training.answers`` on 466 questions that the reader was not trained on, for two of three
on no other one over their filing either. What readers judged it tells as well (AUC .79) as one that is fitted on that (.78, by
cross-validation over filings).
"""
_LEAST, _WITHOUT = -5.0, 0.75
"""The lowest logit that says more, and what stands for the similarity where search goes by words alone."""


def chance_to_answer(evidence: Evidence, similarity: float | None) -> float:
    """The probability that one of the first paragraphs answers, where they were read with the whole conversation."""
    total = sum(weight * known for weight, known in zip(_REREAD.values(), known_to_answer(evidence, similarity), strict=True))
    return 1 / (1 + math.exp(-total))


def known_to_answer(evidence: Evidence, similarity: float | None) -> tuple[float, ...]:
    """What that is told by, in the order of its weights."""
    first = [min(max(logit, _LEAST), _SUREST) for logit in (*evidence.reread, *[_LEAST] * FIRST)[:FIRST]]
    sure = min(max(evidence.sure if evidence.sure is not None else _LEAST, _LEAST), _SUREST)
    return (*first, similarity if similarity is not None else _WITHOUT, evidence.coverage, sure, 1.0)


def is_enough(evidence: Evidence, similarity: float | None) -> bool:
    """Whether the evidence is strong enough to answer from."""
    return strength(evidence, similarity) >= (ENOUGH_BY_WORDS if similarity is None else ENOUGH)


NO_ANSWER = "No exact answer found; closest passages below."
NO_FIGURE = "No exact figure found; closest passages below."


def caution(evidence: Evidence, similarity: float | None, *, wants_figure: bool = False) -> str:
    """What the reader is told of evidence that is enough to show and too weak to rely on; empty where it is strong.

    ``wants_figure``: a figure is asked for, and none was found. What surely answers and prints no number shows that none is
    wanted: of 468 questions for figures that were not found that is so for 5.
    """
    if wants_figure and not (evidence.reread and _is_without_numbers(evidence.paragraphs[0].near.paragraph.text)):
        return NO_FIGURE
    if evidence.reread:
        weak = NO_FIGURE if wants_figure else NO_ANSWER
        return "" if chance_to_answer(evidence, similarity) >= TOLD else weak
    if similarity is None or strength(evidence, similarity) >= SURE:
        return ""
    return NO_ANSWER


def _is_without_numbers(text: str) -> bool:
    """Whether a text prints none but years."""
    return all(one.is_year for one in find_numbers(text))


class Found(Protocol):
    """What a search gives."""

    @property
    def hits(self) -> tuple[Hit, ...]: ...
    @property
    def timings_ms(self) -> Mapping[str, float]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def mode(self) -> Mode: ...
    @property
    def similarity(self) -> float | None: ...


class Searcher(Protocol):
    """The retriever as the engine sees it."""

    def search(
        self,
        query: str,
        scope: Scope,
        *,
        k: int | None = None,
        mode: Mode | None = None,
        rerank: bool | None = None,
        hint: StatementBoost | None = None,
        conversation: Sequence[str] = (),
    ) -> Found: ...

    def warm_up(self, *, mode: Mode | None = None, rerank: bool | None = None) -> tuple[str, ...]:
        """Load everything a search needs; gives notes on what is missing."""
        ...


@dataclass(frozen=True, slots=True)
class Hits:
    """Merged hits of all scopes, ranks counted anew."""

    hits: tuple[Hit, ...]
    timings_ms: Mapping[str, float]
    notes: tuple[str, ...]
    mode: Mode
    similarity: float | None = None
    """The largest cosine of the question and a passage in meaning; None without vectors."""
    others: tuple[Filing, ...] = ()
    """Filings of other years that stand in for the latest or beside it, …"""
    of_others: str = ""
    """… and what is to be said of that where one of their passages is shown."""


def turns_of(understood: Understanding) -> tuple[str, ...]:
    """The questions since the conversation came to the companies of the last, as they were typed; that one last."""
    request = understood.request
    return (*request.history[understood.since - 1 :], request.question)


def find(
    searcher: Searcher,
    query: str,
    scopes: Sequence[Scope],
    *,
    k: int,
    mode: Mode | None,
    rerank: bool | None,
    hint: StatementBoost | None = None,
    conversation: Sequence[str] = (),
) -> Hits:
    """The best ``k`` hits over ``scopes`` for a query, which ends the ``conversation`` where there is one; with several scopes,
    at least two of each are kept, taken in turn by rank.
    """
    each = k if len(scopes) == 1 else max(2, -(-k // max(len(scopes), 1)) + 1)
    lists: list[Sequence[Hit]] = []
    timings: dict[str, float] = {}
    notes: dict[str, None] = {}
    used: Mode = mode or "hybrid"
    similarities: list[float] = []
    for scope in scopes:
        found = searcher.search(query, scope, k=each, mode=mode, rerank=rerank, hint=hint, conversation=conversation)
        lists.append(found.hits)
        used = found.mode
        similarities += [] if found.similarity is None else [found.similarity]
        notes.update(dict.fromkeys(found.notes))
        for name, value in found.timings_ms.items():
            timings[name] = timings.get(name, 0.0) + value
    merged = _in_turn(lists)
    count = max(k, 2 * len(scopes)) if len(scopes) > 1 else k
    return Hits(
        tuple(replace(hit, rank=rank) for rank, hit in enumerate(merged[:count], start=1)),
        timings,
        tuple(notes),
        used,
        max(similarities, default=None),
    )


def _in_turn(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    merged: dict[str, Hit] = {}
    for depth in range(max((len(hits) for hits in lists), default=0)):
        for hits in lists:
            if depth < len(hits):
                merged.setdefault(hits[depth].chunk.id, hits[depth])
    return list(merged.values())


def with_picks(hits: Hits, pinned: Sequence[Hit], excluded: Collection[str], k: int) -> Hits:
    """``hits`` (``k`` and one more for each of ``excluded``, chunk ids) with ``pinned`` first; ranks counted anew."""
    if not pinned and not excluded:
        return hits
    found = {hit.chunk.id: hit for hit in hits.hits if hit.chunk.id not in excluded}
    first = [found.pop(hit.chunk.id, hit) for hit in pinned if hit.chunk.id not in excluded]
    most = max(k, len(hits.hits) - len(excluded))
    kept = [*first, *found.values()][: max(most, len(first))]
    return replace(hits, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1)))
