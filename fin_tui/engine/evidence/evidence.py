"""Hits -> numbered passages, with what of each bears on the question; their paragraphs, once a cross-encoder has read them.

Shared words put "Competition is fierce" before "Larger rivals include …" for "Whom does it compete with?", and boilerplate before
a paragraph that answers in other words. The cross-encoder reads question and paragraph together. It takes a name that both have
for an answer, while filings say "we": so question and paragraph both say "the company". What it had no time to read stands where
its words let expect it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.evidence import Passage, Unit, cite, scale_of, units_of
from fin_tui.engine.evidence.paragraphs import Near, says_nothing
from fin_tui.language import any_name, runs_of, word_at_end
from fin_tui.records import Hit
from fin_tui.retrieval.tokens import tokenize, tokenize_query

_RANK_WEIGHT = 0.12
"""How fast a sentence's score falls with the rank of its passage: the tenth counts about half of the first."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A sentence or table row of a passage, scored against the question."""

    passage: int
    """Index into the passages, from 0."""
    text: str
    """What is shown: the sentence, or the row as a sentence with its column headers."""
    start: int
    """Span of the sentence or row in the clean text."""
    end: int
    coverage: float
    """Share of the question's content words that it holds, rare words counting more; 0 to 1."""
    score: float
    """Coverage, less by the passage's rank."""
    logit: float | None = None
    """How well it answers, by a cross-encoder; None where none has read it."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """A paragraph with how well it answers."""

    near: Near
    score: float
    weights: Mapping[str, float]
    """The question's words (stems) that it holds, with what each is worth; all of the question's are worth 1."""
    logit: float | None = None

    def holds(self, filing: str, start: int) -> bool:
        """Whether a place of a filing's clean text stands in it."""
        is_here = self.near.filing.id == filing
        return is_here and any(piece.start <= start < piece.end for piece in self.near.paragraph.pieces)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answer may rest on."""

    passages: tuple[Passage, ...]
    focuses: tuple[Focus, ...]
    """All sentences and rows with any of the question's words, best first."""
    coverage: float
    """The largest share of the question's content words that one passage holds, rare words counting more."""
    absent: float = 0.0
    """Share of the question's content words that stand in no passage at all."""
    sure: float | None = None
    """The best logit of any paragraph that a cross-encoder read; None when none did."""
    paragraphs: tuple[Bearing, ...] = ()
    """The paragraphs in and beside the passages, best first."""
    reread: tuple[float, ...] = ()
    """How surely each of the first paragraphs answers, a logit, where they were read with the whole conversation."""


def gather(question: str, hits: Sequence[Hit]) -> Evidence:
    """Number the hits from 1 in their order and find what in them bears on ``question``."""
    wanted = wanted_words(question)
    units = [units_of(hit) for hit in hits]
    unit_stems = [[set(tokenize(unit.text)) for unit in part] for part in units]
    weights = _weights(wanted, [stems for part in unit_stems for stems in part])
    focuses: list[Focus] = []
    passages: list[Passage] = []
    coverage = 0.0
    for index, hit in enumerate(hits):
        inherited = set(tokenize(hit.chunk.header))
        mine = [
            Focus(index, unit.text, unit.start, unit.end, covered, _score(covered, index, unit, hit.chunk.kind == "prose"))
            for unit, stems in zip(units[index], unit_stems[index], strict=True)
            if (covered := _share(wanted, stems, weights, inherited)) > 0
        ]
        mine.sort(key=lambda focus: (-focus.score, focus.start))
        focuses.extend(mine)
        whole = set().union(inherited, *unit_stems[index]) if unit_stems[index] else set()
        coverage = max(coverage, _share(wanted, whole, weights, set()))
        passages.append(_passage(index + 1, hit, mine[0] if mine else None))
    focuses.sort(key=lambda focus: -focus.score)
    seen = set().union(*(stems for part in unit_stems for stems in part), *(tokenize(hit.chunk.header) for hit in hits))
    return Evidence(tuple(passages), tuple(focuses), coverage, len(wanted - seen) / len(wanted) if wanted else 0.0)


def wanted_words(question: str) -> set[str]:
    """The content words of the question; the fiscal year is left to the scope, and a hyphened word counts by its parts."""
    around = zip(f" {question}", question, f"{question[1:]} ", strict=False)
    parted = (" " if char == "-" and before.isalpha() and after.isalpha() else char for before, char, after in around)
    tokens = tokenize_query("".join(parted))
    return {token for token in tokens if not _is_fiscal(token)} or set(tokens)


def _is_fiscal(token: str) -> bool:
    return token in ("fiscal", "year") or (token.startswith("fy") and token[2:].isdigit())


def _weights(wanted: set[str], units: Sequence[set[str]]) -> Mapping[str, float]:
    counts: Counter[str] = Counter()
    for stems in units:
        counts.update(stems & wanted)
    total = len(units) + 1
    return {stem: math.log(1 + total / (1 + counts[stem])) for stem in wanted}


def _share(wanted: set[str], stems: set[str], weights: Mapping[str, float], inherited: set[str]) -> float:
    """Weighted share of ``wanted`` in ``stems``; a word that only the passage's header holds counts a third."""
    total = sum(weights.values())
    if not total or not (wanted & stems):
        return 0.0
    here = sum(weights[stem] for stem in wanted & stems)
    above = sum(weights[stem] for stem in (wanted & inherited) - stems)
    return (here + above / 3) / total


def _score(coverage: float, index: int, unit: Unit, is_prose: bool) -> float:
    words = unit.text.split()
    is_heading = len(words) < 4 or (is_prose and len(words) < 12 and unit.text[-1:] not in ".!?;:")
    brevity = 0.5 if is_heading else 1.0  # a heading repeats the question without answering it
    return coverage * brevity / (1 + _RANK_WEIGHT * index)


def _passage(number: int, hit: Hit, focus: Focus | None) -> Passage:
    chunk = hit.chunk
    start, end = (focus.start, focus.end) if focus else (chunk.start, chunk.end)
    scale = scale_of(chunk.header) if chunk.kind == "table" else 1
    return Passage(cite(number, hit, start, end), chunk.text, chunk.start, chunk.end, hit.score, chunk.kind, scale)


Judge = Callable[[str, Sequence[str]], Sequence[float | None]]
"""A question and paragraphs -> a logit for each, None for those left unread."""
_MOST = 16
"""Paragraphs that are read: among the first so many by words one that answers stands in 93 of 100 questions, as among all."""
_FEWEST = 2
"""With fewer read, words decide."""
_OLDER = 2.0
"""What a paragraph of an older filing must be ahead by, in logits."""
_WORDS = 4.0
"""What all of the question's words are worth beside a logit. Tried on 296 questions: the first paragraph answers in 74 %, the
first five hold all of the evidence in 83 %; by the cross-encoder that was trained on in 70 and 77 %."""
_ABOVE = 1 / 3
"""What a word that only the heading holds counts."""
_LATER = 0.06
"""What each place of its hit takes from a paragraph's words."""
_EXPECTED, _FLOOR = 9.9, -5.9
"""The logit of a paragraph that was not read, by the share of the question's words that it holds: a line fitted on 5,900 that
were read (correlation .53)."""
_SPREAD = 5.0
"""Difference in score between the best paragraph and one whose sentences count nothing."""
_SHORTEST_NAME = 2
_LEGAL = frozenset(
    (
        "inc incorporated corp corporation co company ltd limited plc llc holdings group international technologies platforms "
        "communications"
    ).split()
)
"""What sentences leave out of a company's name."""


def judged(
    question: str, nameless: str, evidence: Evidence, near: Sequence[Near], judge: Judge | None, older: Container[str] = ()
) -> Evidence:
    """``evidence`` with the paragraphs ``near`` in the order of how well they answer, and its sentences in that order.

    ``nameless`` is the question with the company called "the company". ``sure`` is the best logit; None when too little was read.
    ``older`` has the ids of filings that speak beside the newest, which leads unless they are far likelier to answer.
    """
    told = [one for one in near if not says_nothing(one.paragraph.text)]
    found = sorted(_by_words(question, told), key=lambda one: -one.score)
    first = found[:_MOST]
    logits = judge(nameless, [as_read(one.near) for one in first]) if judge and first else [None] * len(first)
    read = [
        replace(one, logit=logit, score=logit + _WORDS * one.score - _OLDER * (one.near.filing.id in older))
        for one, logit in zip(first, logits, strict=True)
        if logit is not None
    ]
    if len(read) < min(_FEWEST, len(first)) or not read:
        return replace(evidence, paragraphs=tuple(found))
    known = {id(one.near) for one in read}
    rest = [replace(one, score=_FLOOR + (_EXPECTED + _WORDS) * one.score) for one in found if id(one.near) not in known]
    order = tuple(sorted((*read, *rest), key=lambda one: -one.score))
    sure = max(one.logit for one in read if one.logit is not None)
    return replace(evidence, paragraphs=order, focuses=_focuses(evidence, order), sure=sure)


Rereader = Callable[[str, Sequence[str]], Sequence[float]]
"""A conversation and paragraphs -> how surely each answers its last question, a logit."""
REREAD = 6
"""Paragraphs that are read once more: one that answers is among them in 69 of 100 hard questions in words, where the search knows
the filing, and among 24 in 83.
"""
_REREAD_WORDS = 100
"""Words of such a paragraph, and its heading."""
_OF_BEFORE = 0.3
"""What the score of the first reading counts beside the logit of the second: from 0 to 0.8 the first paragraph answers in 101 to
105 of 190 questions, and one of the first three in 139 or 140.
"""


def reread(conversation: str, evidence: Evidence, reads: Rereader, older: Container[str] = ()) -> Evidence:
    """``evidence`` with the best paragraphs that were read in the order of how surely they answer the last question of a
    conversation; no other one stands before them. ``older`` as for :func:`judged`.
    """
    first = [one for one in evidence.paragraphs if one.logit is not None][:REREAD]
    if not first:
        return evidence
    logits = reads(conversation, [as_reread(one.near) for one in first])
    best = max(one.score for one in first)
    # The first score holds what an older filing must be ahead by; in full it is taken from what both come to.
    behind = [(1 - _OF_BEFORE) * _OLDER * (one.near.filing.id in older) for one in first]
    both = [logit + _OF_BEFORE * (one.score - best) - by for logit, one, by in zip(logits, first, behind, strict=True)]
    made = [replace(one, score=best + score - max(both)) for one, score in zip(first, both, strict=True)]
    order = sorted(range(len(made)), key=lambda place: -made[place].score)
    least, known = made[order[-1]].score, set(map(id, first))
    rest = [replace(one, score=min(one.score, least)) for one in evidence.paragraphs if id(one) not in known]
    paragraphs = (*(made[place] for place in order), *rest)
    sure = tuple(logits[place] for place in order)
    return replace(evidence, paragraphs=paragraphs, focuses=_focuses(evidence, paragraphs), reread=sure)


def as_reread(near: Near) -> str:
    """What is read once more of a paragraph: the fiscal year of its filing, its heading, and its words."""
    year = f"FY{near.filing.fiscal_year} " if near.filing.fiscal_year else ""
    return year + " ".join(as_read(near).split()[:_REREAD_WORDS])


def _by_words(question: str, near: Sequence[Near]) -> list[Bearing]:
    """Scored by the share of the question's words that each holds, rare words counting more."""
    wanted = wanted_words(question)
    held = [wanted.intersection(tokenize(one.paragraph.text)) for one in near]
    counts = Counter(stem for stems in held for stem in stems)
    plain = {stem: math.log(1 + (len(near) + 1) / (1 + counts[stem])) for stem in wanted}
    total = sum(plain.values()) or 1.0
    worth = {stem: value / total for stem, value in plain.items()}
    made = []
    for one, stems in zip(near, held, strict=True):
        above = wanted.intersection(tokenize(one.paragraph.heading)) - stems
        score = sum(worth[stem] for stem in stems) + _ABOVE * sum(worth[stem] for stem in above) - _LATER * one.rank
        made.append(Bearing(one, score, {stem: worth[stem] for stem in stems}))
    return made


def _focuses(evidence: Evidence, order: Sequence[Bearing]) -> tuple[Focus, ...]:
    """The sentences of the paragraphs that were read, those of the best first, then the other ones."""
    best = order[0].score
    places = {passage.citation.chunk_id: at for at, passage in enumerate(evidence.passages)}
    made: dict[tuple[int, int], Focus] = {}
    known = {(focus.passage, focus.start): focus for focus in evidence.focuses}
    for one in order:
        if one.logit is None:
            continue
        for piece, chunk in zip(one.near.paragraph.pieces, one.near.chunks, strict=True):
            place = (places.get(chunk.id, -1), piece.start)
            if place[0] >= 0 and place not in made:
                coverage = known[place].coverage if place in known else 0.0
                score = max(0.01, 1 + (one.score - best) / _SPREAD) + coverage / 100
                made[place] = Focus(place[0], piece.text, piece.start, piece.end, coverage, score, one.logit)
    mine = sorted(made.values(), key=lambda focus: -focus.score)
    return (*mine, *(replace(one, score=0.0) for place, one in known.items() if place not in made))


def as_read(near: Near) -> str:
    """What the cross-encoder reads: the paragraph under its heading, which often names the subject; the company's name is "the
    Company".
    """
    paragraph = near.paragraph
    heading = paragraph.heading.rpartition(" – ")[2]
    text = f"{heading}: {paragraph.text}" if heading and not paragraph.text.startswith(heading) else paragraph.text
    name = _short(near.filing.company)
    return _as_company(text, name) if name else text


def _as_company(text: str, name: str) -> str:
    """``text`` with "the Company" for ``name``, with or without an article and its legal forms."""
    named, kept = any_name((name,)), ""
    while found := named.search(text):
        head, before = text[: found.start()], text[: found.start()].rstrip()
        has_article = head != before and word_at_end(before, "_").lower() == "the"
        kept += (before[: -len("the")] if has_article else head) + "the Company"
        text = _behind_forms(text[found.end() :])
    return kept + text


def _behind_forms(text: str) -> str:
    """``text`` without the legal forms that it begins with: ", Inc. was" -> " was"."""
    while (behind := text.removeprefix(","))[:1].isspace():
        behind = behind.lstrip()
        word = next(iter(runs_of(behind.partition(" ")[0], "_")), "")
        if word.lower() not in _LEGAL or not behind.startswith(word):
            break
        text = behind[len(word) :].removeprefix(".")
    return text


def _short(company: str) -> str:
    """The name as sentences use it, without its legal form and article; "" of one that is too short to be told from words."""
    words = company.split()
    while words and words[-1].strip(",.").lower() in _LEGAL:
        words.pop()
    short = " ".join(words).rstrip(",")
    first, _, rest = short.partition(" ")
    short = rest.lstrip() if first.lower() == "the" else short
    return short if len(short) >= _SHORTEST_NAME else ""
