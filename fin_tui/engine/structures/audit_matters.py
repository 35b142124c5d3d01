"""The critical audit matters of an auditor's report, by their titles, or the sentence that there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fin_tui.engine.structures.desk import Desk, Passages, StructureAnswer, named, one
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Filing, Sentence

_ASKED = re.compile(r"\bcritical\s+audit\s+matters?\b|\bcams?\b(?=.*\bauditor)", re.I)
_MORE = re.compile(r"\b(?:how|why|when|address\w*|test(?:ed|ing)?|procedures?|mean\w*)\b", re.I)
_OPENS = re.compile(r"\bcritical\s+audit\s+matters?\s+communicated\s+below\b", re.I)
_CLOSES = re.compile(r"\bserved\s+as\s[^\n]{0,90}?\bauditors?\b", re.I)
_NONE = re.compile(r"\bno\s+critical\s+audit\s+matters\b|\bcritical\s+audit\s+matters?\b[^.]{0,60}\bnone\b", re.I)
_DESCRIBES = re.compile(
    r"^\W*(?:as\s+(?:described|discussed|disclosed|more\s+fully|of)\b|description\s+of\b|critical\s+audit\s+matter\s+description|"
    r"the\s+company|refer\s+to\s+note)",
    re.I,
)
_NO_TITLE = re.compile(
    r"^\W*(?:critical\s+audit\s+matters?(?:\s+description)?|description\b.*|how\s+(?:we|the)\b.*|table\s+of\s+contents|\d+|as\s+.*)\W*$",
    re.I,
)
_LONGEST = 180
_REACH = 16_000
"""The longest that auditors have written of their matters."""


def asks_audit_matters(text: str) -> bool:
    """Whether ``text`` asks which they are, or whether there are any; not how they were dealt with."""
    return bool(_ASKED.search(text)) and not _MORE.search(text)


def audit_matters(desk: Desk, filing: Filing) -> StructureAnswer | None:
    """ "The auditor's report … has 2 critical audit matters:" and their titles; None where no report has such a part."""
    text = desk.library.text(filing.id)
    opened = _OPENS.search(text)
    if opened is None:
        return _none(desk, filing, text)
    closed = _CLOSES.search(text, opened.end(), opened.end() + _REACH)
    passages = Passages(desk, filing)
    told: dict[str, Sentence] = {}
    for begin, end in _titles(text, opened.end(), closed.start() if closed else opened.end() + _REACH):
        title = " ".join(text[begin:end].split())
        number = passages.number(begin, end) if title not in told else None
        if number is not None:
            told[title] = Sentence(f"{len(told) + 1}. {title}", (number,), "grounded", opens="line")
    if not told:
        return None
    many = f"{len(told)} critical audit matter{'s' if len(told) > 1 else ''}"
    head = Sentence(f"The auditor's report in {filing.company}'s {named(filing)} has {many}:", (), "computed")
    return StructureAnswer((head, *told.values()), tuple(passages.made))


def _none(desk: Desk, filing: Filing, text: str) -> StructureAnswer | None:
    match = _NONE.search(text)
    if match is None:
        return None
    line = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    for a, b in split_sentences(text[line : end if end >= 0 else len(text)]):
        if line + a <= match.start() < line + b:
            told = " ".join(text[line + a : line + b].split())
            return one(f"No: {told}", desk.passage(1, filing, line + a, line + b))
    return None


def _titles(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Short lines under which a matter is described."""
    previous: tuple[int, int] | None = None
    for match in re.finditer(r"[^\n\t]+", text[begin:end]):
        line = match.group().strip()
        if not line:
            continue
        place = (begin + match.start(), begin + match.end())
        if previous is not None and _DESCRIBES.match(line):
            yield previous
        is_title = len(line) <= _LONGEST and line[-1] not in ".:;,)" and not _NO_TITLE.match(line) and line[0].isupper()
        previous = place if is_title else None
