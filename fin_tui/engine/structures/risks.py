"""Every risk heading of Item 1A in order."""

from __future__ import annotations

import re

from fin_tui.engine.questions.question import Question
from fin_tui.engine.structures.desk import Desk, StructureAnswer, named, passage_in
from fin_tui.records import Chunk, Filing, Sentence

_RISKS = re.compile(r"\brisk\s+(?:factors?|headings?|titles?)\b|\b(?:main|key|principal|major|primary|all)\s+risks\b", re.I)
_LIST = re.compile(r"\b(?:list|enumerate|name|what\s+are|which\s+are|give|show|how\s+many)\b", re.I)
_LIST_WORDS = frozenset(
    (
        "list enumerate name what which are is the a an all of in its their main key principal major primary risk risks "
        "factor factors item 1a give show me us please disclosed discloses disclose does did do described describes "
        "identified identifies identify by for from to company fiscal year fy 10-k form filing annual report reports latest "
        "most recent how many has have it s and under section that this about heading headings title titles "
    ).split()
)
_OF_ALL = re.compile(r"item\s+1a\b|risk factors?\b|summary of\b.{0,30}\brisk", re.I)
"""Headings of the whole Item, and of its summary."""
_OWNER = re.compile(r"\b[A-Z]\w+(?:['’]s|s['’])(?=\s)")
"""What is left of a company's name where the question gives it one word more than the filing."""
_MOST = 120


def asks_risks(question: Question) -> bool:
    """Whether the list of all risk factors is asked for; "risk factors about export controls" is a search, not a list."""
    if not (_RISKS.search(question.text) and _LIST.search(question.text)):
        return False
    words = re.findall(r"[a-z0-9&'-]+", _OWNER.sub(" ", question.subject).lower())
    return all(word in _LIST_WORDS or word.isdigit() or re.fullmatch(r"fy\d+|'s", word) for word in words)


def risks(desk: Desk, filing: Filing) -> StructureAnswer | None:
    """The headings, each with the passage under it; None when Item 1A has not got two."""
    firsts = risk_headings(desk, filing)
    if len(firsts) < 2:
        return None
    chosen = list(firsts.items())[:_MOST]
    passages = tuple(
        passage_in(number, filing, chunk, chunk.start, first_line(chunk)) for number, (_, chunk) in enumerate(chosen, start=1)
    )
    head = Sentence(f"Item 1A of {filing.company}'s {named(filing)} has {len(firsts)} risk headings:", (), "computed")
    told = [Sentence(f"{number}. {heading}", (number,), "grounded") for number, (heading, _) in enumerate(chosen, start=1)]
    return StructureAnswer((head, *told), passages)


def risk_headings(desk: Desk, filing: Filing) -> dict[str, Chunk]:
    """Each heading of Item 1A with the first passage under it, in order."""
    firsts: dict[str, Chunk] = {}
    for chunk in desk.chunks.of_filing(filing.id):
        heading = " ".join(chunk.heading.split())
        if chunk.item == "1A" and heading and not _OF_ALL.match(heading):
            firsts.setdefault(heading, chunk)
    return firsts


def first_line(chunk: Chunk) -> int:
    """The end of a chunk's first line."""
    at = chunk.text.find("\n")
    return chunk.start + (at if at > 0 else len(chunk.text))
