"""A question to the passages that bear on it, the one path that ``search`` and ``ask`` share."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from fin_tui.config import Mode, Settings
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.figures.answer import Source
from fin_tui.engine.frame.reader import SIDE_BY_SIDE, FrameReader
from fin_tui.engine.questions.companies import is_large_company, not_held
from fin_tui.engine.questions.target import Target, in_scope
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.engine.searching.find import (
    GOOD,
    Hits,
    Printed,
    Searcher,
    find,
    find_printed,
    hint_of,
    insert,
    is_lookup,
    strength,
    turns_of,
)
from fin_tui.language import any_name
from fin_tui.paths import Paths
from fin_tui.records import Chunk, Filing, Hit, Scope
from fin_tui.retrieval.statements import NAMED
from fin_tui.store import Remembered

if TYPE_CHECKING:
    from fin_tui.retrieval.backend import Served
    from fin_tui.store import Corpus
    from fin_tui.store.library import Library as Held


GAIN = 0.15
"""How much stronger (0 to 1) the evidence of earlier filings must be to stand in for the latest one's."""
_ASKS = frozenset("did does has was is".split())
"""Stand before who is asked about: "did Toyota …"."""
_GRAM = 4
_LOOK_BACK = 4
_MOST_OLDER = 2
_OLDER_FROM = 3
"""Position from which older filings may speak: what is asked without a year is first of all asked of today."""


def earlier(understood: Understanding) -> Target | None:
    """The other filings of the companies asked about, when neither question nor user fixes a period; else None."""
    given = understood.request.scope
    keys = _companies(understood)
    searched = {filing.id for filing in understood.target.filings}
    others = [f for f in in_scope(understood.held, given) if f.company_key in keys and f.id not in searched]
    if not others:
        return None
    items = given.items or understood.question.items
    scope = Scope(items=items, forms=given.forms, filings=tuple(filing.id for filing in others))
    return Target((scope,), label(others), tuple(others))


def all_years(understood: Understanding) -> Scope | None:
    """All filings of the one company that the question asks about in words, without a year; None where that is not so."""
    keys = _companies(understood)
    if understood.reading is not None or not keys or len(understood.question.companies) > 1:
        return None
    given = understood.request.scope
    filings = tuple(f.id for f in in_scope(understood.held, given) if f.company_key in keys)
    return replace(given, companies=(), filings=filings, items=given.items or understood.question.items)


def with_older(hits: Sequence[Hit], of_all_years: Sequence[Hit]) -> tuple[list[Hit], tuple[Filing, ...]]:
    """``hits`` of the latest filing with what older ones say better, where the latest no longer says the like; and those filings.

    The latest filing keeps the first places.
    """
    latest = {hit.filing.id for hit in hits}
    said = [_grams(hit) for hit in (*hits, *of_all_years) if hit.filing.id in latest]
    told: list[Hit] = []
    for hit in of_all_years[:_LOOK_BACK]:
        mine = _grams(hit)
        if hit.filing.id not in latest and not any(_alike(mine, other) for other in said):
            told.append(hit)
            said.append(mine)
    told = told[:_MOST_OLDER]
    return insert(told, hits, _OLDER_FROM), tuple({hit.filing.id: hit.filing for hit in told}.values())


def note(latest: Sequence[Filing], found_in: Sequence[Filing]) -> str:
    """For people: which filing says little, and which ones answer instead."""
    return f"{label(latest)} says little of this; the answer comes from {label(found_in)}."


def note_also(found_in: Sequence[Filing]) -> str:
    """For people: which older filings stand beside the latest."""
    return f"Also shown: what {label(found_in)} said and the latest filing no longer says."


def label(filings: Iterable[Filing]) -> str:
    """For people: "Acme FY2022, Acme FY2023"."""
    names = dict.fromkeys(f"{filing.company} FY{filing.fiscal_year}" for filing in filings)
    return ", ".join(list(names)[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _companies(understood: Understanding) -> set[str]:
    """Keys of the companies asked about, by name or as the only one in scope; empty where a period or a filing is fixed."""
    question, given = understood.question, understood.request.scope
    periods = question.periods
    if periods.named or periods.latest or periods.past or periods.back or given.fiscal_years or len(given.filings) == 1:
        return set()
    if question.companies:
        return {key for named in question.companies for key in named.keys}
    only = {filing.company_key for filing in in_scope(understood.held, given)}
    return only if len(only) == 1 else set()


def _grams(hit: Hit) -> frozenset[tuple[str, ...]]:
    """The runs of four words of a hit's text."""
    words = hit.chunk.text.lower().split()
    return frozenset(zip(*(words[at:] for at in range(_GRAM)), strict=False))


def _alike(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    return bool(one) and 2 * len(one & other) >= min(len(one), len(other))


def anywhere(understood: Understanding) -> Scope | None:
    """All that the user lets be asked; None where the question names a company or has no name, or its year left nothing out."""
    question, given = understood.question, understood.request.scope
    if question.companies or not question.unknown or given.fiscal_years or given.filings:
        return None
    filings = tuple(filing.id for filing in in_scope(understood.held, given))
    if len(filings) <= len(understood.target.filings):
        return None
    return replace(given, companies=(), items=given.items or question.items, filings=filings)


MOST = 128
"""Results kept; one is about 20 KB."""
_OF_BRAND, _LEAST_OWN, _MOSTLY = 20, 3, 0.7
"""Of so many passages the least that speak of a brand, and the share of them in one company's filings, that make it its own."""
_MENTIONS = 8
_OF_ONE = 10
"""Passages in which a figure is looked for."""
_TELLING = frozenset(("1", "6", "7", "8"))


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


class Finder:
    """Searches one library for passages. The question narrows the scope that a user sets and never widens it."""

    def __init__(
        self,
        searcher: Searcher,
        library: Library,
        figures: Source | None = None,
        *,
        k: int = 10,
        state: Callable[[], Hashable] | None = None,
        frames: FrameReader | None = None,
    ) -> None:
        """Without ``figures`` passages are found by their words alone; ``k`` is how many a search gives by default.

        ``state`` tells the version of the library; with it the results of the last questions are remembered.
        """
        self._searcher = searcher
        self._library = library
        self._figures = figures
        self._k = k
        self._frames = frames
        most = MOST if state is not None else 0
        self._found: Remembered[Hashable, Hits] = Remembered(most, state)
        self._lacking: Remembered[Hashable, str] = Remembered(most, state)
        self._owners: Remembered[Hashable, str] = Remembered(most, state)

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
        started = time.perf_counter()
        names = self._figures.names if self._figures else None
        request = Request(question, scope, k or self._k, mode, rerank, history=tuple(history))
        understood = understand(request, self._library.filings(), names, frames=self._frames, owner=self.owner)
        target, unknown = understood.target, self.unknown(understood)
        if unknown and not understood.question.companies:
            understood = replace(understood, target=replace(target, scopes=(), filings=(), label="nothing"))
        found = self.find(understood)
        total = round((time.perf_counter() - started) * 1000, 2)
        return Passages(
            found.hits[: request.k],
            understood.target,
            {"encode": 0.0, "search": 0.0, "rerank": 0.0, **found.timings_ms, "total": total},
            found.mode,
            tuple(dict.fromkeys((*_notes(target, unknown), *found.notes, *filter(None, (found.of_others,))))),
        )

    def passages_of(self, words: str, filing: Filing) -> Sequence[Chunk]:
        """The passages of one filing that bear on ``words``, best first; not reranked."""
        found = self._searcher.search(words, Scope(filings=(filing.id,)), k=_OF_ONE, rerank=False)
        return [hit.chunk for hit in found.hits]

    def find(self, understood: Understanding, *, more: int = 0) -> Hits:
        """The hits for a question, best first: ``k`` of its request and ``more``, or two of each company and year.

        An older filing speaks where the question leaves the year open, and a note says so.
        """
        request, target = understood.request, understood.target
        k = (request.k or self._k) + more
        asked = (request.question, request.history, understood.question.query, request.scope, request.mode, request.rerank, k)
        return self._found.get((*asked, target.scopes, repr(understood.reading)), lambda: self._find(understood, k))

    def unknown(self, understood: Understanding) -> str:
        """A company that the question names and the library lacks; "" when there is none."""
        names, scopes = understood.question.unknown, understood.target.scopes
        if not names:
            return ""
        return self._lacking.get((understood.question.text, names, scopes), lambda: self._unknown(understood))

    def holds(self, word: str) -> bool:
        """Whether a passage has the word."""
        hits = self._searcher.search(word, Scope(), k=1, mode="sparse", rerank=False).hits
        return any(any_name((word,)).search(hit.chunk.text) for hit in hits)

    def owner(self, name: str, before: frozenset[str] = frozenset()) -> str:
        """The company whose filings speak of ``name``, a brand, product or place: one of those with the keys ``before``, else the
        only one; "" where none or several do.
        """
        return self._owners.get((name.lower(), before), lambda: self._owner(name, before))

    def _owner(self, name: str, before: frozenset[str]) -> str:
        word = _one_or_more(name)

        def speaking_in(scope: Scope, most: int) -> list[Hit]:
            hits = self._searcher.search(name, scope, k=most, mode="sparse", rerank=False).hits
            return [hit for hit in hits if word.search(hit.chunk.text)]

        if before:
            of_before = speaking_in(Scope(companies=tuple(sorted(before))), _MENTIONS)
            if len(of_before) >= (_LEAST_OWN if is_large_company(name) else 1):
                return of_before[0].filing.company
        if is_large_company(name):
            return ""
        hits = speaking_in(Scope(), _OF_BRAND)
        speaking = Counter(hit.filing.company_key for hit in hits)
        first = speaking.most_common(1)
        if not first or first[0][1] < _LEAST_OWN or first[0][1] < _MOSTLY * speaking.total():
            return ""
        return next(hit.filing.company for hit in hits if hit.filing.company_key == first[0][0])

    def _find(self, understood: Understanding, k: int) -> Hits:
        request, target = understood.request, understood.target
        started = time.perf_counter()
        names = self._figures.names if self._figures else None
        hint = hint_of(request.question, names, understood.reading) if names else None
        printed = find_printed(understood, self._figures) if self._figures and target.scopes else Printed()
        if printed.places and hint is not None and hint.weight != NAMED:
            hint = None  # The place of the figure itself is known.
        # Figures that were looked up need no reading of prose, unless it is asked for.
        rerank = False if printed.figures and request.rerank is None else request.rerank
        found = find(
            self._searcher, understood.question.query, target.scopes, k=k, mode=request.mode, rerank=rerank, hint=hint,
            conversation=turns_of(understood),
        )  # fmt: skip
        found = replace(found, hits=tuple(printed.lead(found.hits, is_lookup=is_lookup(understood))))
        if not printed.figures:
            found = self._look_elsewhere(understood, self._look_back(understood, found, k), k)
        most = max(k, 2 * len(target.scopes)) if len(target.scopes) > 1 else k
        hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(found.hits[:most], start=1))
        total = round((time.perf_counter() - started) * 1000, 2)
        return replace(found, hits=hits, timings_ms={**found.timings_ms, "total": total})

    def _look_back(self, understood: Understanding, found: Hits, k: int) -> Hits:
        """``found`` with what earlier filings say better; theirs in its place where the latest says little of the matter."""
        target, query, mode = earlier(understood), understood.question.query, understood.request.mode
        if target is None:
            return found
        now = strength(gather(understood.question.subject, found.hits), found.similarity)
        if now < GOOD:
            asked = turns_of(understood)
            older = find(self._searcher, query, target.scopes, k=k, mode=mode, rerank=False, conversation=asked)
            if strength(gather(understood.question.subject, older.hits), older.similarity) >= now + GAIN:
                told = tuple({hit.filing.id: hit.filing for hit in older.hits[:3]}.values())
                return replace(older, others=told, of_others=note(understood.target.filings, told))
        scope = all_years(understood)
        if scope is None:
            return found
        ranked = find(self._searcher, query, (scope,), k=k, mode=mode, rerank=False, conversation=turns_of(understood))
        hits, told = with_older(found.hits, ranked.hits)
        return replace(found, hits=tuple(hits), others=told, of_others=note_also(told)) if told else found

    def _look_elsewhere(self, understood: Understanding, found: Hits, k: int) -> Hits:
        """``found``; where it has no word of the names asked about, what filings of other years say of them."""
        scope, names = anywhere(understood), [name.lower() for name in understood.question.unknown]
        if scope is None or any(name in hit.chunk.text.lower() for hit in found.hits for name in names):
            return found
        query, mode = understood.question.query, understood.request.mode
        others = find(self._searcher, query, (scope,), k=k, mode=mode, rerank=False)
        if not any(name in hit.chunk.text.lower() for hit in others.hits[:3] for name in names):
            return found
        told = tuple({hit.filing.id: hit.filing for hit in others.hits[:3]}.values())
        return replace(others, others=told, of_others=note(understood.target.filings, told))

    def _unknown(self, understood: Understanding) -> str:
        """See :meth:`unknown`.

        What filings speak of often enough is a product, a person or a place. A name whose company-wide figures are asked for
        must be the subject of a passage: rivals and customers are mentioned too. A large company of which nothing more is asked
        than how it does is itself the subject, and no filing of others tells it.
        """
        given, question = understood.request.scope, understood.question
        everywhere = anywhere(understood)
        scopes = (everywhere,) if everywhere is not None else understood.target.scopes
        is_given = bool(given.companies or given.filings)
        frame = understood.frame
        wants_figure = self._figures is not None and any(self._figures.names.find(question.text))
        wants_figure = wants_figure or (frame is not None and frame.is_figure and not frame.parts)
        for name in question.unknown:
            word = _one_or_more(name)
            hits = find(self._searcher, name, scopes, k=_MENTIONS, mode="sparse", rerank=False).hits
            speaking = [hit for hit in hits if word.search(hit.chunk.text)]
            about = [hit for hit in speaking if _tells_figures(hit) or word.search(hit.chunk.heading)]
            is_owner = any(_is_owner(question.text, found) for found in word.finditer(question.text))
            is_large = is_large_company(name)
            is_subject = not is_given and is_large and _asks_of_company_alone(understood)
            if not speaking or is_subject or (wants_figure and (is_owner or is_large) and not about and not is_given):
                return name
        return ""


def _asks_of_company_alone(understood: Understanding) -> bool:
    """Nothing but a company is named: no figure, part or other matter of it; or companies to compare, none of which is held."""
    frame = understood.frame
    if frame is None or not frame.companies:
        return False
    if frame.operation in SIDE_BY_SIDE and len(frame.companies) > 1:
        return not understood.question.companies
    return len(frame.companies) == 1 and not (frame.targets or frame.parts or frame.left_over)


def _is_owner(text: str, name: re.Match[str]) -> bool:
    """Whether something is asked that the name owns or does: "Toyota's …", "did Toyota …"."""
    ahead = text[: name.start()].split()[-1:]
    return text[name.end() :].startswith(("'s", "’s")) or (bool(ahead) and ahead[0] in _ASKS)


def _one_or_more(name: str) -> re.Pattern[str]:
    """A pattern for a name, which may be asked about in the plural: "how many Rocketbooks"."""
    return any_name((name, name.removesuffix("s") or name))


def _tells_figures(hit: Hit) -> bool:
    """A table of a part of the filing that tells figures; an index of exhibits names other companies too."""
    return hit.chunk.kind == "table" and hit.chunk.item in _TELLING


def _notes(target: Target, unknown: str) -> Iterable[str]:
    if unknown:
        yield not_held(unknown)
    for missing in target.missing:
        yield f"Not in the library: {missing}."


def state_of(corpus: Corpus) -> Callable[[], Hashable]:
    """Tells the version of ``corpus``: it differs after any change of filings, passages or vectors, by any process."""
    return lambda: (corpus.generation(), corpus.vector_generation())


def open_finder(corpus: Held | Served, paths: Paths, settings: Settings) -> Finder:
    """The finder over an open library or corpus; nothing heavy is loaded before its first search."""
    from fin_tui.facts import vocabulary
    from fin_tui.facts.lookup import FactBook
    from fin_tui.retrieval.backend import open_retriever

    figures = Source(FactBook(corpus), vocabulary(), corpus.chunks)
    searcher = open_retriever(corpus, paths, settings)
    return Finder(searcher, corpus, figures, k=settings.search.k, state=state_of(corpus))
