"""Who the registrant is: several places of a filing name it, and they vote.

The cover names it over its caption or after the Commission file number; the signature, the auditor's report, the titles of the
statements and the definition of "the Company" name it again; running lines and a file's own title repeat it. A cover whose
columns run together, or whose name is a picture, is outvoted by the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fin_tui.filings.company_names import normal_company
from fin_tui.filings.cover_dates import parse_date

EXACT_NAME = re.compile(
    r"[(\[]?\s*(?:exact\s+names?\s+of\s+(?:the\s+)?(?:registrants?|issuing\s+entit(?:y|ies)|issuers?|trust|company)\b"
    r"|(?:exact\s+)?names?\s+of\s+(?:small\s+business\s+issuer|registrant|issuer)\s+(?:as\s+specified\s+)?in\s+its\s+charter)[^()\n]{0,80}[)\]]?",
    re.I,
)
"""The caption under the name on a cover."""
_RULE = r"\s*(?:[-_=*•·—–]\s*){3,}"
_LANDMARK = re.compile(
    r"\(?\s*commission\s+file\s+(?:number|no\.?|num\.?)\s*s?\s*\)?\s*[:.#]?\s*(?:\d{1,3}\s?-\s?\d{2,6}(?:-\d{1,3})?)?\.?"
    r"|exchange\s+act\s+of\s+1934(?:\s*\([^)]{0,40}\))?|[\d,]+\s*\(?no\s+fee\s+required\)?|washington,?\s*d\.?\s*c\.?,?\s*20549"
    r"|\bto\s+_{2,}|\b\d{10}\b|\(mark\s+one\)|\bform\s+10-?k\w*|\b(?:19|20)\d\d(?=\s)|_{3,}|[-=*]{4,}|\b\d{1,3}-\d{3,6}(?:-\d{1,3})?(?=\s)|\n\n",
    re.I,
)
_BEGINS = r"(?-i:(?=[A-Z\d]))"
_SIGNED = re.compile(
    rf"duly\s+caused\s+this\s+(?:annual\s+|transition\s+)?report[^.]{{0,200}}?duly\s+authorized(?:[,;]?\s+(?:in|on)\b[^.]{{0,140}})?\.?[\s:_]+({_BEGINS}[^\n\t(]{{2,100}}?)\s*(?=\(|\n|\t|/s/|\bBy\b|Date)",
    re.I,
)
_ADDRESSED = re.compile(
    rf"^[ \t]*To\s+the\s+[^\n.:]{{0,90}}?\b(?:directors|stockholders|shareholders|shareowners|owners|members|partners)\s+of\s+"
    rf"({_BEGINS}[^\n:;(]{{2,100}}?)\s*(?=[:\n;(]|$|\bWe\s+have\b|\bOpinions?\b)",
    re.M | re.I,
)
"""Whom an auditor's report is addressed to."""
_WORD = r"[A-Z\d][\w&.'’-]*,?"
_WORDS = rf"{_WORD}(?:[ \t]+(?:(?:of|and|the|&)[ \t]+)?{_WORD}){{0,8}}"
_DEFINED = re.compile(
    rf"^[ \t]*({_WORDS})(?:[ \t]+(?:and|together[ \t]with)[ \t]+(?:its|our)[ \t]+[^()\n]{{0,60}}?)?"
    r"[ \t]*\([ \t]*(?:[^()\n]{0,60}[ \t])?[“\"]?the[ \t]+[“\"]?(?:Company|Registrant|Corporation)\b[”\"]?",
    re.M,
)
"""'Acme Corp. (together with its subsidiaries, "the Company")', at the beginning of a paragraph."""
_CHARTER = re.compile(
    rf"\b(?i:(?:certificate|articles)\s+of\s+(?:incorporation|association|formation)|by-?laws)\s+of\s+({_WORDS})"
)
"""Whose charter the exhibit index lists."""
_WITH_SUBSIDIARIES = (
    r",?[ \t]+(?:and|&)[ \t]+(?:its[ \t]+)?(?:consolidated[ \t]+|wholly[- ]owned[ \t]+)?"
    r"subsidiar(?:y|ies)(?:[ \t]+compan(?:y|ies))?[ \t]*$"
)
_TITLED = re.compile(rf"^[ \t]*({_BEGINS}[^\n\t|;:]{{2,80}}?){_WITH_SUBSIDIARIES}", re.M | re.I)
"""A line over the statements: "Acme Corp. and Subsidiaries"."""
_ENDING = re.compile(
    r"\b(?:inc|incorporated|corp|corporation|company|co|cos|ltd|limited|llc|l\.l\.c|plc|lp|l\.p|n\.v|s\.a|trust|group|holdings?|bancorp|bank|fund|partners)\b",
    re.I,
)
_NUMBERED = re.compile(r"(?<![\d-])\d{2}\s?[-–]\s?\d{7}(?![\d-])|\(?\b\d{3}\)?[-\s]\d{3}-\d{4}\b")
"""An IRS or a telephone number: the text beside it is no name."""
_PLACE = re.compile(
    r"(?:the\s+)?(?:state|commonwealth)\s+of\s+\w+(?:\s\w+)?"
    r"|alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|district of columbia|florida"
    r"|georgia|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts"
    r"|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new (?:hampshire|jersey|mexico|york)"
    r"|(?:north|south) carolina|(?:north|south) dakota|ohio|oklahoma|oregon|pennsylvania|puerto rico"
    r"|rhode island|tennessee|texas|utah|vermont|(?:west )?virginia|washington|wisconsin|wyoming|bermuda|canada"
    r"|cayman islands|england(?: and wales)?|ireland|israel|jersey|liberia|luxembourg|marshall islands"
    r"|netherlands|panama|singapore|switzerland|united kingdom|united states(?: of america)?",
    re.I,
)
"""Where companies are incorporated: the column beside the name on a cover."""
_NO_NAME = re.compile(
    r"commission|securities\s+exchange|fiscal\s+year|file\s+n(?:umber|o)\b|transition\s+(?:report|period)|pursuant|washington,|registrant|^form\b"
    r"|\bannual\s+report\b|identification|incorporation|^(?:we|our|the)$|^(?:the\s+)?company$",
    re.I,
)
_NAME_LENGTH = 120
_SEARCHED = 600_000
"""Characters in which the Company is defined and statements have their titles."""
_MOST = 12
"""Hits of one kind that are counted: a line over every page says no more than one over a dozen."""
_COVER, _SIGNATURE, _OTHER, _BESIDE = 4.0, 3.0, 2.0, 1.0
_SURE = 3.0
"""Votes that a name needs: the cover or the signature has them alone, of the rest it takes two."""
_CONFIRMED = 3
"""Places of the filing beside the cover that confirm a name which ends as companies' names do."""


@dataclass(slots=True)
class _Named:
    """A name with the votes for it."""

    name: str
    votes: float


def registrant(cover: str, text: str, beside: Sequence[str] = ()) -> str:
    """The registrant's name as printed, by the votes of all places that name it; "" when none surely does.

    ``cover`` is the cover page, ``text`` the clean text. ``beside`` are texts outside it: running lines and the title of a PDF.
    They speak for names that stand elsewhere, and name nobody themselves.
    """
    printed = _of_cover(cover) or _after_file_number(cover)
    if _ENDING.search(printed) and text.casefold().count(printed.casefold()) > _CONFIRMED:
        return printed
    found: dict[str, _Named] = {}
    for name, votes in _candidates(printed, text):
        if key := _key(name):
            if key in found:
                found[key].votes += votes
            else:
                found[key] = _Named(name, votes)
    spoken = text.casefold()
    around = [f" {normal_company(line)} " for line in beside]
    for key, named in found.items():
        named.votes += _BESIDE * (_ENDING.search(named.name) is not None and spoken.count(named.name.casefold()) > _CONFIRMED)
        named.votes += _BESIDE * any(f" {key} " in line for line in around)
        # "Brightwater" for "Brightwater Pumps, Inc.": the short form speaks for the full one.
        named.votes += sum(other.votes / 2 for short, other in found.items() if short != key and key.startswith(f"{short} "))
    best = max(found.values(), key=lambda named: named.votes, default=None)
    return best.name if best is not None and best.votes >= _SURE else ""


def _candidates(printed: str, text: str) -> Iterator[tuple[str, float]]:
    """Names with their votes, each kind of place once for each name; that ``printed`` on the cover first."""
    if printed:
        yield printed, _COVER
    for kind, votes in ((_SIGNED, _SIGNATURE), (_ADDRESSED, _OTHER), (_DEFINED, _OTHER), (_TITLED, _OTHER), (_CHARTER, _BESIDE)):
        where = text[:_SEARCHED] if kind in (_DEFINED, _TITLED) else text
        yield from ((name, votes) for name in _often(kind, where))


def _often(kind: re.Pattern[str], text: str) -> list[str]:
    """The names that ``kind`` finds in ``text``: the most frequent, and those as frequent."""
    counts: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for number, hit in enumerate(kind.finditer(text)):
        if number >= _MOST:
            break
        name = _joined(hit[1])
        if _is_name(name) and not re.match(r"by\b|date|signature|/s/", name, re.I):
            counts[_key(name)] = counts.get(_key(name), 0) + 1
            spelled.setdefault(_key(name), name)
    most = max(counts.values(), default=0)
    return [spelled[key] for key, count in counts.items() if count == most]


def _key(name: str) -> str:
    return normal_company(name)


def _of_cover(cover: str) -> str:
    """The words between the landmark before them and "(Exact name of registrant ...)"; "" when they are no name."""
    for marker in EXACT_NAME.finditer(cover):
        before = re.sub(rf"{_RULE}\Z", "", cover[: marker.start()]).rstrip(" (\n")
        start = max((found.end() for found in _LANDMARK.finditer(before + " ")), default=0)
        stretch = before[start:]
        if not _is_name(_joined(stretch)):
            stretch = _after_blank(before)
        name = _joined(stretch)
        if _is_name(name):
            return name
        if name := _named_after(cover[marker.end() : marker.end() + 300]):
            return name
    return ""


def _after_blank(before: str) -> str:
    """The last paragraph of ``before``, or its last line when that is still too long for a name."""
    last = before.strip().split("\n\n")[-1]
    return last if len(_joined(last)) <= _NAME_LENGTH else last.split("\n")[-1]


def _named_after(text: str) -> str:
    """A name that follows its caption, as in the table that combined filers print: file number, name, state, IRS number."""
    found = re.search(r"(?<![\d-])(?:\d{1,2}|0\d\d|333)-\d{2,6}(?:-\d{1,3})?\s+([A-Z][^\n\t(\d]{3,80})", text)
    if found:
        return _joined(found[1])
    found = re.match(r"\s*:?\s*([A-Z][^\n\t(]{2,80})", text)
    name = _joined(found[1]) if found and _ENDING.search(found[1]) else ""
    return name if _is_name(name) else ""


def _after_file_number(cover: str) -> str:
    """The first name after the Commission file number, on covers that leave out the caption under the name."""
    if EXACT_NAME.search(cover):
        return ""
    for found in re.finditer(r"commission\s+file\s+(?:number|no\.?)\s*:?\s*[\d-]{4,14}\s+([A-Z\d][^\n]{1,100})", cover, re.I):
        name = _joined(found[1])
        if _is_name(name):
            return name
    table = re.search(r"commission\s[^\n]{0,80}registrant", cover, re.I)
    return _named_after(cover[table.end() : table.end() + 600]) if table else ""


def _joined(text: str) -> str:
    words = " ".join(re.sub(r"[_=*]{2,}|-{3,}|\bOR\b\s*$", " ", text).split())
    abbreviated = re.search(r"\b(?:inc|co|corp|ltd|cos|l\.p|n\.v|s\.a|p\.l\.c)\.\W*\Z", words, re.I)
    words = re.sub(r"^(?:to|or|from)\s+(?=[A-Z])", "", words)
    words = re.sub(rf"^.*\bdirectors\s+of\s+(?={_BEGINS})|{_WITH_SUBSIDIARIES}", "", words, flags=re.I)
    return words.strip(" ,;:.-–—|") + ("." if abbreviated else "")


def _is_name(name: str) -> bool:
    if not 2 <= len(name) <= _NAME_LENGTH or name.islower() or not re.search(r"[A-Za-z]{2}|[A-Z]&[A-Z]|\d[A-Z]|[A-Z]\d", name):
        return False
    return not (parse_date(name) or _NUMBERED.search(name) or _PLACE.fullmatch(name) or _NO_NAME.search(name))
