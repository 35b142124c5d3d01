"""A question to passages alone, as ``search`` shows them: companies, periods and figures are read as for an answer."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from fin_tui.config import Mode, Settings
from fin_tui.engine.evidence import scale_of
from fin_tui.engine.figures import Source
from fin_tui.engine.find import Searcher, find
from fin_tui.engine.grid import fill
from fin_tui.engine.hint import hint_of, wants_words
from fin_tui.engine.numbers import find_numbers
from fin_tui.engine.target import Target, whole_scope
from fin_tui.engine.understanding import Request, Understanding, understand
from fin_tui.facts.figures import Figure, Gap
from fin_tui.paths import Paths
from fin_tui.records import Filing, Hit, Ranks, Scope
from fin_tui.retrieval.statements import NAMED

if TYPE_CHECKING:
    from fin_tui.store import library as store

_MENTIONS = 8
_TELLING = frozenset(("1", "6", "7", "8"))
_GRAM = 4
_LOOK_BACK = 4
_MOST_OLDER = 2
_OLDER_FROM = 3
"""Position from which older filings may speak: what is asked without a year is first of all asked of today."""
_MOST_PLACES = 3
"""Passages put first because they print the figures asked for; the rest stays with what the words find."""


class Library(Protocol):
    """The library as a search sees it."""

    def filings(self) -> Sequence[Filing]: ...


@dataclass(frozen=True, slots=True)
class Passages:
    """What was found, best first, and where it was looked for."""

    hits: tuple[Hit, ...]
    target: Target
    timings_ms: Mapping[str, float]
    """encode, search, rerank, total."""
    mode: str
    """The mode that was really used."""
    notes: tuple[str, ...] = ()
    """For people: what is not held, what the search lacked."""


class Retriever(Searcher, Protocol):
    """The retriever as a search sees it."""

    def warm_up(self, *, mode: Mode | None = None, rerank: bool | None = None) -> tuple[str, ...]: ...


class Finder:
    """Searches one library for passages. The question narrows the scope that a user sets and never widens it."""

    def __init__(self, searcher: Retriever, library: Library, figures: Source | None = None, *, k: int = 10) -> None:
        """Without ``figures`` passages are found by their words alone; ``k`` is how many a search gives by default."""
        self._searcher = searcher
        self._library = library
        self._figures = figures
        self._k = k

    def warm_up(self, *, mode: Mode | None = None, rerank: bool | None = None) -> tuple[str, ...]:
        """Load everything a search needs; gives notes on what is missing."""
        return self._searcher.warm_up(mode=mode, rerank=rerank)

    def search(
        self,
        question: str,
        scope: Scope = Scope(),
        *,
        k: int | None = None,
        mode: Mode | None = None,
        rerank: bool | None = None,
        history: Sequence[str] = (),
    ) -> Passages:
        """The best ``k`` passages where the question looks; none where the library lacks what it names."""
        k = k or self._k
        names = self._figures.names if self._figures else None
        request = Request(question, scope, k, mode, rerank, history=tuple(history))
        understood = understand(request, self._library.filings(), names)
        hint = hint_of(question, names, understood.reading) if names else None
        target = understood.target
        periods = understood.question.periods
        if not (understood.question.companies or periods.named or periods.latest or periods.past or periods.back):
            target = whole_scope(understood.question, scope, understood.held)
        unknown = self._unknown(understood)
        scopes = () if unknown and not understood.question.companies else target.scopes
        started = time.perf_counter()
        figures, places = self._places(understood) if scopes else ([], [])
        if places and hint is not None and hint.weight != NAMED:
            hint = None  # The place of the figure itself is known.
        found = find(self._searcher, understood.question.query, scopes, k=k, mode=mode, rerank=rerank, hint=hint)
        is_stated = bool(found.hits) and any(prints(found.hits[0], figure) for figure in figures)
        hits = insert(places, found.hits, 1 if is_stated or not is_lookup(understood) else 0)
        if scopes and (older := _older(understood)):
            hits = with_older(hits, self._searcher.search(understood.question.query, older, k=k, mode=mode, rerank=False).hits)
        total = round((time.perf_counter() - started) * 1000, 2)
        return Passages(
            tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits[:k], start=1)),
            target if scopes else replace(target, scopes=(), filings=(), label="nothing"),
            {"encode": 0.0, "search": 0.0, "rerank": 0.0, **found.timings_ms, "total": total},
            found.mode,
            tuple(dict.fromkeys((*_notes(understood, unknown), *found.notes))),
        )

    def _unknown(self, understood: Understanding) -> str:
        """A company that the question names and the library lacks; "" when there is none.

        What filings speak of often enough is a product, a person or a place. A name whose company-wide figures are asked for
        must be the subject of a passage: rivals and customers are mentioned too.
        """
        given, question = understood.request.scope, understood.question
        if given.companies or given.filings:
            return ""
        wants_figure = self._figures is not None and any(self._figures.names.find(question.text))
        for name in question.unknown:
            word = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
            hits = find(self._searcher, name, understood.target.scopes, k=_MENTIONS, mode="sparse", rerank=False).hits
            speaking = [hit for hit in hits if word.search(hit.chunk.text)]
            about = [hit for hit in speaking if _tells_figures(hit) or word.search(hit.chunk.heading)]
            is_owner = re.search(rf"{re.escape(name)}['’]s\b|\b(?:did|does|has|was|is)\s+{re.escape(name)}\b", question.text)
            if not speaking or (wants_figure and is_owner and not about):
                return name
        return ""

    def _places(self, understood: Understanding) -> tuple[list[Figure], list[Hit]]:
        """The figures that the question needs, and the passages that print them: each year's own filing before later ones."""
        reading = understood.reading
        if self._figures is None or reading is None or not understood.subjects or wants_words(understood.question.text):
            return [], []
        grid = fill(reading, understood.subjects, self._figures.book, self._figures.names)
        own = [figure for cell in grid.cells for figure in cell.figures]
        later = self._repeated(own, understood) if len(own) == 1 else []
        items = understood.request.scope.items
        places: dict[str, Hit] = {}
        for figure in (*own, *later):
            hit = self._hit(figure)
            if hit is not None and (not items or hit.chunk.item in items):
                places.setdefault(hit.chunk.id, hit)
        return own, list(places.values())[:_MOST_PLACES]

    def _repeated(self, own: Iterable[Figure], understood: Understanding) -> list[Figure]:
        """The same figure in later filings of the company: one may be restated, and either may be meant."""
        assert self._figures is not None
        found = []
        for figure in own:
            metric = self._figures.names.get(figure.metric)
            if metric is None or figure.fact.dimensions:
                continue
            subject = next((s for s in understood.subjects if figure.filing in s.filings), None)
            others = [f for f in subject.filings if _end(f) > _end(figure.filing)] if subject else []
            for filing in sorted(others, key=_end):
                again = self._figures.book.figure(metric, [filing], figure.period)
                if not isinstance(again, Gap):
                    found.append(again)
        return found

    def _hit(self, figure: Figure) -> Hit | None:
        assert self._figures is not None
        fact = figure.fact
        if fact.end <= fact.start:
            return None
        chunk = self._figures.chunks.holding(figure.filing.id, fact.start, fact.end)
        return Hit(0, chunk, figure.filing, 1.0, Ranks()) if chunk else None


def _older(understood: Understanding) -> Scope | None:
    """All years of the one company that the question names without a year; None where that is not so."""
    question, given = understood.question, understood.request.scope
    periods = question.periods
    if len(question.companies) != 1 or periods.named or periods.latest or periods.past or periods.back:
        return None
    if given.fiscal_years or given.filings or understood.reading is not None:
        return None
    keys = tuple(key for key in question.companies[0].keys if not given.companies or key in given.companies)
    return replace(given, companies=keys, items=given.items or question.items) if keys else None


def _tells_figures(hit: Hit) -> bool:
    """A table of a part of the filing that tells figures; an index of exhibits names other companies too."""
    return hit.chunk.kind == "table" and hit.chunk.item in _TELLING


def with_older(hits: Sequence[Hit], all_years: Sequence[Hit]) -> list[Hit]:
    """``hits`` of the latest filing with what older ones say better, where the latest no longer says the like.

    The latest filing keeps the first places.
    """
    latest = {hit.filing.id for hit in hits}
    said = [grams_of(hit) for hit in (*hits, *all_years) if hit.filing.id in latest]
    told: list[Hit] = []
    for hit in all_years[:_LOOK_BACK]:
        mine = grams_of(hit)
        if hit.filing.id not in latest and not any(_alike(mine, other) for other in said):
            told.append(hit)
            said.append(mine)
    return insert(told[:_MOST_OLDER], hits, _OLDER_FROM)


def grams_of(hit: Hit) -> frozenset[tuple[str, ...]]:
    """The runs of four words of a hit's text."""
    words = hit.chunk.text.lower().split()
    return frozenset(zip(*(words[at:] for at in range(_GRAM)), strict=False))


def _alike(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    return bool(one) and 2 * len(one & other) >= min(len(one), len(other))


def _notes(understood: Understanding, unknown: str) -> Iterable[str]:
    if unknown:
        yield f"No filing of {unknown} is in the library."
    for missing in understood.target.missing:
        yield f"Not in the library: {missing}."


def open_finder(library: store.Library, paths: Paths, settings: Settings) -> Finder:
    """The finder over an open library; nothing heavy is loaded before its first search."""
    from fin_tui.facts.lookup import FactBook
    from fin_tui.facts.metrics import vocabulary
    from fin_tui.retrieval import retriever

    figures = Source(FactBook(library), vocabulary(), library.chunks)
    return Finder(retriever.Retriever(library, paths, settings), library, figures, k=settings.search.k)


def is_lookup(understood: Understanding) -> bool:
    """Whether the question asks for plain figures, so that the passage that prints them is what it wants."""
    reading = understood.reading
    return reading is not None and reading.over == "point"


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


def _end(filing: Filing) -> dt.date:
    return filing.period_end or dt.date(filing.fiscal_year or 1900, 12, 31)
