"""Sentences, rows and Items that deny what a yes-or-no question asks for: no dividends, no preferred stock, "None."."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.structures.desk import Desk, StructureAnswer, named, one, passage_in
from fin_tui.language import split_sentences
from fin_tui.records import Chunk, Filing

_DENIALS = (
    (
        re.compile(
            r"\b(?:pay|pays|paid|paying|declare[sd]?)\b.{0,40}\bdividends?\b|\bdividends?\b.{0,40}\b(?:paid|declared)\b", re.I
        ),
        re.compile(
            r"\b(?:ha[sd]|have)\s+(?:never|not)\s+(?:declared\s+or\s+paid|paid|declared|paid\s+or\s+declared)\b[^.;]{0,60}\bdividends?\b"
            r"|\bno\s+(?:cash\s+)?dividends\s+(?:have\s+been|were)\s+(?:declared|paid)\b"
            r"|\b(?:do|does|did)\s+not\s+(?:currently\s+)?(?:pay|declare)\b[^.;]{0,40}\bdividends?\b",
            re.I,
        ),
    ),
    (
        re.compile(r"\bpreferred\s+(?:stock|shares?)\b", re.I),
        re.compile(
            r"\bpreferred\s+(?:stock|shares)\b[^.]{0,40}(?:\.\d+[^.]{0,160})?[^.]{0,120}\b(?:no|none)\b(?:\s+shares)?\s+"
            r"(?:(?:were|are|have\s+been)\s+)?(?:issued|outstanding)"
            r"|\b(?:no|none\s+of\s+the)\s+(?:shares\s+of\s+)?(?:\w+\s+)?preferred\s+(?:stock|shares)\b[^.]{0,60}\b(?:issued|outstanding)\b",
            re.I,
        ),
    ),
)
_ITEMS = ("5", "8", "15", "7", "1A", "")
"""Where such a denial is at home comes first."""


def denied(text: str, desk: Desk, filing: Filing) -> StructureAnswer | None:
    """ "No: …" with the sentence that denies it; None when none does."""
    pattern = next((denial for asked, denial in _DENIALS if asked.search(text)), None)
    if pattern is None:
        return None
    found = [
        (chunk, start, end)
        for chunk in desk.chunks.of_filing(filing.id)
        if pattern.search(chunk.text)
        for start, end in _pieces(chunk)
        if pattern.search(chunk.text[start:end])
    ]
    if not found:
        return None
    chunk, start, end = min(found, key=lambda place: _ITEMS.index(place[0].item) if place[0].item in _ITEMS else len(_ITEMS))
    said = shorten(chunk.text[start:end].replace("\t", " "))
    passage = passage_in(1, filing, chunk, chunk.start + start, chunk.start + end)
    return one(f"No: {filing.company}'s {named(filing)} reads “{said}”", passage)


def _pieces(chunk: Chunk) -> Iterator[tuple[int, int]]:
    """Sentences of prose, rows of a table."""
    if chunk.kind == "prose":
        yield from split_sentences(chunk.text)
        return
    at = 0
    for line in chunk.text.split("\n"):
        yield at, at + len(line)
        at += len(line) + 1


_EMPTY_ITEMS = (
    (re.compile(r"\bunresolved\s+(?:sec\s+)?(?:staff\s+)?comments?\b|\bstaff\s+comments?\b", re.I), "1B"),
    (re.compile(r"\bmine\s+safety\b|\bmining\s+(?:safety\s+)?violations?\b", re.I), "4"),
    (re.compile(r"\b(?:legal\s+proceedings?|lawsuits?|litigation)\b", re.I), "3"),
    (
        re.compile(
            r"\bdisagreements?\s+with\s+(?:its\s+|the\s+)?(?:accountants?|auditors?)\b|\bchanges?\s+(?:in|of)\s+accountants?\b",
            re.I,
        ),
        "9",
    ),
)
_NOTHING = re.compile(
    r"^\W*(?:none|not\s+applicable|no\b.{0,120}|nothing\b.{0,60}|(?:the\s+company|we)\s+(?:has|have)\s+(?:no|received\s+no)\b.*)\W*$",
    re.I | re.S,
)
_LONGEST = 300


def nothing(text: str, desk: Desk, filing: Filing) -> StructureAnswer | None:
    """ "No: Item 1B reads “None.”" when the Item of the question's matter says no more than that."""
    item = next((item for pattern, item in _EMPTY_ITEMS if pattern.search(text)), None)
    section = desk.section(filing, item) if item else None
    if section is None:
        return None
    body, begin = desk.body(filing, section)
    said = next((line.strip() for line in body.split("\n") if line.strip()), "")
    if not said or len(said) > _LONGEST or not _NOTHING.match(said):
        return None
    at = begin + body.index(said)
    passage = desk.passage(1, filing, at, at + len(said))
    return one(f"No: Item {item} of {filing.company}'s {named(filing)} reads “{said}”", passage)
