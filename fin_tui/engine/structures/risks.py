"""The risk headings of Item 1A in order, in the filing's own groups; all of them, or those that name a matter.

Whether they are asked for is read off the frame: one target, called risks or risk factors, with nothing beside it but the matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.structures.desk import Desk, Passages, StructureAnswer, named, passage_in
from fin_tui.facts.words import LINKS, stem, stems, words
from fin_tui.language import count
from fin_tui.records import BlockKind, Chunk, Filing, Sentence

_KIND = frozenset(map(stem, "risk risks factor factors heading headings title titles item 1a".split()))
"""What risks are called."""
_OF_RANK = frozenset(map(stem, "main key principal major primary top big biggest largest greatest material important".split()))
"""What says that some weigh more than others, which filings don't tell."""
_LINKS = LINKS | frozenset("about on to related relating".split())
_HEADS = frozenset("risks factors headings titles".split())
_WORDS_OF = frozenset(("text", "list"))
_OF_ALL = re.compile(r"item\s+1a\b|risk factors?\b|summary\b.{0,30}\brisk|risk\b.{0,20}\bsummary", re.I)
"""Headings of the whole Item, and of its summary."""
_GROUP = re.compile(
    r"(?:certain\s+)?risks?\s+(?:and\s+uncertainties\s+)?(?:related\s+to|relating\s+to|of)\s+(?:our\s+|the\s+)?", re.I
)
"""What the heading of a group begins with before it says its matter."""
_MOST = 120
_FEWEST = 2
_SAME = 4
"""Letters from which words that begin alike are one: "regulation", "regulatory"."""
_LONGEST_GROUP = 12
"""Words of a group's heading; a longer one is a risk."""


@dataclass(frozen=True, slots=True)
class Risk:
    """A risk heading with the first passage under it."""

    heading: str
    chunk: Chunk
    group: str = ""
    place: tuple[int, int] = (0, 0)
    """Of the group's heading in the clean text."""


def asked_risks(frame: Frame | None) -> tuple[str, ...] | None:
    """The words of the matter whose risks are asked for, none for all of them; None when the question wants something else."""
    frame = frame.whole if frame is not None else None
    if frame is None or frame.answer not in _WORDS_OF or frame.parts or len(frame.targets) != 1 or frame.is_figure:
        return None
    said = [word for word in words(frame.targets[0].text) if word.surface not in _LINKS]
    left = [word for word in words(" ".join(frame.left_over)) if word.surface not in _LINKS]
    if all(word.stem in _OF_RANK for word in said):
        said += left  # "main" alone was taken for what is asked.
    if all(word.stem != stem("risk") for word in said) or not any(word.surface in _HEADS for word in said):
        return None
    if any(word.stem not in _KIND | _OF_RANK for word in left):
        return None
    return tuple(word.surface for word in said if word.stem not in _KIND | _OF_RANK)


def risks(desk: Desk, filing: Filing, matter: Sequence[str] = ()) -> StructureAnswer | None:
    """The headings, each with the passage under it; None when Item 1A has not got two (on the ``matter``)."""
    found = grouped_risks(desk, filing)
    chosen = [risk for risk in found if _names(risk, matter)]
    if len(chosen) < _FEWEST:
        return None
    passages = Passages(desk, filing)
    where = f"Item 1A of {filing.company}'s {named(filing)}"
    groups = Counter(risk.group for risk in chosen if risk.group)
    if matter:
        these = f"{len(chosen)} of the {len(found)} risk headings in {where}"
        head = f"{these} name “{' '.join(matter)}” or stand under a heading that does:"
    elif len(groups) > 1:
        shares = ", ".join(f"{group_matter(group)} ({many})" for group, many in groups.items())
        head = f"{where} has {len(found)} risk headings in {count(len(groups), 'group')}: {shares}."
    elif all(_GROUP.match(risk.heading) for risk in found):
        head = f"{where} has {count(len(found), 'group')} of risks, which stand in the text under these headings:"
    else:
        head = f"{where} has {len(found)} risk headings:"
    told = [Sentence(head, (), "computed")]
    group = ""
    for number, risk in enumerate(chosen[:_MOST], start=1):
        if risk.group and risk.group != group and len(groups) > 1 and not matter:
            group, at = risk.group, passages.number(*risk.place)
            told.append(Sentence(group, (at,) if at else (), "grounded", opens="paragraph"))
        own = passages.take(passage_in(1, filing, risk.chunk, risk.chunk.start, first_line(risk.chunk)))
        told.append(Sentence(shorten(f"{number}. {risk.heading}"), (own,), "grounded", opens="line"))
    return StructureAnswer(tuple(told), tuple(passages.made), is_open=bool(matter))


def group_matter(group: str) -> str:
    """ "Operations" of "Risks Related to Our Operations", and of "RISKS RELATED TO OUR OPERATIONS:"."""
    short = _GROUP.sub("", group, count=1).rstrip(" :.")
    return short.capitalize() if short.isupper() else short[:1].upper() + short[1:]


def _names(risk: Risk, matter: Sequence[str]) -> bool:
    said = {word.stem for word in words(f"{risk.group} {risk.heading}")}
    return all(any(_alike(stem(asked), one) for one in said) for asked in matter)


def _alike(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _SAME and (one.startswith(other) or other.startswith(one)))


def grouped_risks(desk: Desk, filing: Filing) -> list[Risk]:
    """Every risk heading with the heading that it stands under; what a summary of the risks names stays out."""
    firsts = risk_headings(desk, filing)
    section = desk.section(filing, "1A")
    if section is None:
        return [Risk(heading, chunk) for heading, chunk in firsts.items()]
    document = desk.document(filing)
    blocks = [block for block in document.blocks if section.start <= block.start < section.end]
    headings = [
        (at, block, " ".join(document.text[block.start : block.end].split()))
        for at, block in enumerate(blocks)
        if block.kind is BlockKind.HEADING
    ]
    # A heading that comes again has named its group in a summary before.
    last = {stems(text): block.start for _, block, text in headings}
    found: dict[str, Risk] = {}
    group, place = "", (0, 0)
    for at, block, text in headings:
        if _OF_ALL.match(text) or block.start < last[stems(text)]:
            continue
        is_over = at + 1 < len(blocks) and blocks[at + 1].kind is BlockKind.HEADING
        if is_over and len(text.split()) <= _LONGEST_GROUP:
            group, place = text, (block.start, block.end)
        elif text in firsts:
            found.setdefault(text, Risk(text, firsts[text], group, place))
    return list(found.values())


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
