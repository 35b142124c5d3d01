"""The answer without a language model: the sentences and rows of the evidence that bear most on the question (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from fin_tui.engine.evidence.bullets import bullets_after, without_glyph
from fin_tui.engine.evidence.evidence import Evidence, Focus
from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.evidence.pointing import begin_with_what_it_points_to
from fin_tui.records import Sentence

MOST = 4
_ENOUGH = 0.55
"""A sentence scoring below this share of the best one adds more noise than answer."""
_BEHIND = 4.0
"""The same where sentences were read: how far behind the best one their scores, and their logits, may be."""
_DOUBTFUL = -2.0
"""Behind the first sentence none stands with a logit below this."""
_TWIN = 88
"""Boilerplate repeats across passages; a near copy (rapidfuzz token_sort_ratio) is said once, with both citations."""
_SHORTEST = 4
_LONGEST = 600
_LONGEST_LIST = 1_200


def extract(evidence: Evidence, *, each: bool = False) -> tuple[Sentence, ...]:
    """Up to four sentences, best first, each citing the passages it stands in. Empty when nothing matches.

    With ``each`` every filing among the passages says something, the best of each before the rest.
    """
    chosen: list[tuple[Focus, list[int]]] = []
    for focus in (*(_firsts(evidence) if each else ()), *_bearing(evidence)):
        if any(focus is kept for kept, _ in chosen) or (chosen and _is_heading(focus, evidence)):
            continue
        twin = _twin_of(focus, [kept for kept, _ in chosen])
        if twin is not None:
            numbers = chosen[twin][1]
            if focus.passage + 1 not in numbers and len(numbers) < 3:
                numbers.append(focus.passage + 1)
        elif len(chosen) < MOST:
            chosen.append((focus, [focus.passage + 1]))
    told = [(_said(focus, evidence.passages[focus.passage]), numbers) for focus, numbers in chosen]
    return tuple(
        Sentence(text, tuple(numbers), "grounded")
        for at, (text, numbers) in enumerate(told)
        if not any(text in other for other, _ in told[:at])
    )


def _is_heading(focus: Focus, evidence: Evidence) -> bool:
    """A word or two of prose without an end say nothing beside a sentence."""
    is_prose = evidence.passages[focus.passage].kind == "prose"
    return is_prose and len(focus.text.split()) < _SHORTEST and focus.text.rstrip()[-1:] not in ".!?:"


def _firsts(evidence: Evidence) -> list[Focus]:
    """The best sentence of each of the first few filings."""
    firsts: dict[str, Focus] = {}
    for focus in evidence.focuses:
        if focus.logit is not None or evidence.sure is None:
            firsts.setdefault(evidence.passages[focus.passage].citation.filing, focus)
    return list(firsts.values())[:MOST]


def _bearing(evidence: Evidence) -> Iterator[Focus]:
    """The sentences that are about as good as the best."""
    read = [focus for focus in evidence.focuses if focus.logit is not None]
    if evidence.sure is None or not read:
        best = evidence.focuses[0].score if evidence.focuses else 0.0
        yield from (focus for focus in evidence.focuses if focus.score >= best * _ENOUGH)
        return
    for place, focus in enumerate(read):
        logit = focus.logit or 0.0
        is_near = focus.score >= read[0].score - _BEHIND and logit >= max(evidence.sure - _BEHIND, _DOUBTFUL)
        if place == 0 or is_near:
            yield focus


def _said(focus: Focus, passage: Passage) -> str:
    """The sentence, a list item without its glyph; one that announces a list goes on with the list."""
    if passage.kind == "prose" and focus.text.rstrip().endswith(":"):
        begin = focus.start - passage.start
        items = bullets_after(passage.text, focus.end - passage.start)
        if items:
            return shorten(passage.text[begin : items[-1][1]], _LONGEST_LIST)
    return shorten(without_glyph(_with_what_it_points_to(focus, passage)))


def _with_what_it_points_to(focus: Focus, passage: Passage) -> str:
    """The sentence, behind the one before it where it points there and both are short enough to be said."""
    begin = begin_with_what_it_points_to(passage, focus) if passage.kind == "prose" else focus.start
    both = passage.text[begin - passage.start : focus.end - passage.start]
    return both if begin < focus.start and len(both) <= _LONGEST else focus.text


def _twin_of(focus: Focus, kept: Sequence[Focus]) -> int | None:
    for index, other in enumerate(kept):
        if fuzz.token_sort_ratio(focus.text, other.text) >= _TWIN:
            return index
    return None


def shorten(text: str, longest: int = _LONGEST) -> str:
    """One line of at most ``longest`` characters, cut at a word and marked where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0] + " …"


def shorten_around(text: str, words: str, longest: int = _LONGEST) -> str:
    """:func:`shorten`, but what is kept of a long ``text`` holds ``words``, and a cut before them is marked, too."""
    line = " ".join(text.split())
    at = line.find(words)
    if at + len(words) <= longest - len(" …"):
        return shorten(line, longest)
    begin = line.find(" ", max(0, at - longest // 2)) + 1
    return "… " + shorten(line[begin:], longest)
