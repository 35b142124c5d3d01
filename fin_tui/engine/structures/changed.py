"""Which risk headings of Item 1A are new, and which are gone, between two filings of a company."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from rapidfuzz import fuzz, process

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.structures.desk import Desk, StructureAnswer, named, passage_in
from fin_tui.engine.structures.risks import first_line, risk_headings
from fin_tui.language import split_sentences
from fin_tui.records import Chunk, Filing, Sentence

_RISKS = re.compile(r"\brisk\s+(?:factors?|headings?)\b|\brisks\b", re.I)
_CHANGED = re.compile(
    r"\b(?:chang(?:e[ds]?|ing)|new(?:ly)?|add(?:ed|s|itions?)?|differ(?:s|ed|ent(?:ly)?|ences?)?|remov(?:ed?|es)|dropp(?:ed|ing)|gone|"
    r"no\s+longer|disappear(?:ed|s)?|delet(?:ed|es))\b",
    re.I,
)
_SAME = 80
"""Two headings at least so alike (rapidfuzz token_sort_ratio) are one; filings reword theirs from year to year."""
_HELD = 90
"""A heading whose words the other's hold nearly all (token_set_ratio) was cut or lengthened."""
_MOST = 25
_REWORDED = 62
"""A sentence less like any older one (rapidfuzz ratio) is said anew."""
_WORDY = 10
_MOST_ANEW = 8
"""Of them the longest are shown."""


def asks_risk_changes(text: str) -> bool:
    """Whether ``text`` asks what is different about the risks, and not about what risks say of change."""
    match = _RISKS.search(text)
    return match is not None and bool(_CHANGED.search(text)) and not re.search(r"\bclimate\b|\brisks?\s+of\b", text, re.I)


def pair(filings: Sequence[Filing], held: Sequence[Filing]) -> tuple[Filing, Filing] | None:
    """The older and the newer filing that are compared: the two asked about, or the one and the filing of the year before."""
    chosen = sorted(filings, key=lambda filing: filing.fiscal_year or 0)
    if len({filing.company_key for filing in chosen}) != 1 or any(filing.fiscal_year is None for filing in chosen):
        return None
    if len(chosen) == 1:
        newest = chosen[0]
        years = [one for one in held if one.company_key == newest.company_key and one.fiscal_year and one.form == newest.form]
        before = [one for one in years if (one.fiscal_year or 0) < (newest.fiscal_year or 0)]
        return (max(before, key=lambda one: one.fiscal_year or 0), newest) if before else None
    return chosen[0], chosen[-1]


def risk_changes(desk: Desk, older: Filing, newer: Filing) -> StructureAnswer | None:
    """The headings that one of the two has and the other has not, and what is said anew; None where one has no list of risks."""
    old, new = risk_headings(desk, older), risk_headings(desk, newer)
    if len(old) < 2 or len(new) < 2:
        return None
    passages: list[Passage] = []
    told: list[Sentence] = []
    added, gone = _without(new, old), _without(old, new)
    for words, mine, filing in ((f"new since {named(older)}", added, newer), ("no longer there", gone, older)):
        told.append(Sentence(_lead(newer, words, len(mine)), (), "computed", opens="paragraph"))
        for place, (heading, chunk) in enumerate(list(mine.items())[:_MOST], start=1):
            passages.append(passage_in(len(passages) + 1, filing, chunk, chunk.start, first_line(chunk)))
            told.append(Sentence(f"{place}. {heading}", (len(passages),), "grounded", opens="line"))
    fresh = _said_anew(desk, older, newer, set(added))
    if fresh:
        told.append(Sentence("Said anew under headings that both have:", (), "computed", opens="paragraph"))
    for chunk, start, end in fresh:
        passages.append(passage_in(len(passages) + 1, newer, chunk, chunk.start + start, chunk.start + end))
        told.append(Sentence(shorten(chunk.text[start:end]), (len(passages),), "grounded", opens="line"))
    return StructureAnswer(tuple(told), tuple(passages)) if passages else None


def _said_anew(desk: Desk, older: Filing, newer: Filing, added: Set[str]) -> list[tuple[Chunk, int, int]]:
    """The sentences of the newer Item 1A that the older one has nothing like, in order; none of ``added`` headings."""
    before = [chunk.text[a:b] for chunk in _prose(desk, older) for a, b in split_sentences(chunk.text)]
    mine = [
        (chunk, a, b)
        for chunk in _prose(desk, newer)
        if " ".join(chunk.heading.split()) not in added
        for a, b in split_sentences(chunk.text)
        if len(chunk.text[a:b].split()) >= _WORDY
    ]
    if not before or not mine:
        return []
    alike = process.cdist([chunk.text[a:b] for chunk, a, b in mine], before, scorer=fuzz.ratio, score_cutoff=_REWORDED)
    best = alike.max(axis=1)
    newest = sorted((at for at in range(len(mine)) if best[at] < _REWORDED), key=lambda at: -(mine[at][2] - mine[at][1]))
    return [mine[at] for at in sorted(newest[:_MOST_ANEW])]


def _prose(desk: Desk, filing: Filing) -> list[Chunk]:
    return [chunk for chunk in desk.chunks.of_filing(filing.id) if chunk.item == "1A" and chunk.kind == "prose"]


def _lead(newer: Filing, words: str, count: int) -> str:
    many = f"{count} risk heading{'s' if count != 1 else ''}" if count else "No risk heading"
    verb = "are" if count > 1 else "is"
    return f"{many} of {newer.company}'s Item 1A {verb} {words} ({named(newer)}){':' if count else '.'}"


def _without(mine: Mapping[str, Chunk], others: Mapping[str, Chunk]) -> dict[str, Chunk]:
    """Of ``mine`` what no heading of ``others`` is much like."""
    known = list(others)

    def is_there(heading: str) -> bool:
        alike = process.extractOne(heading, known, scorer=fuzz.token_sort_ratio, score_cutoff=_SAME)
        held = process.extractOne(heading, known, scorer=fuzz.token_set_ratio, score_cutoff=_HELD)
        return alike is not None or held is not None

    return {heading: chunk for heading, chunk in mine.items() if not is_there(heading)}
