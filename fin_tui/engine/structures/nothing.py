"""Items that read "None." or "Not applicable.", which answer a yes-or-no question about their matter."""

from __future__ import annotations

import re

from fin_tui.engine.structures.desk import Desk, StructureAnswer, named, one
from fin_tui.records import Filing

_ITEMS = (
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
    item = next((item for pattern, item in _ITEMS if pattern.search(text)), None)
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
