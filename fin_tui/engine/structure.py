"""Answers that a filing's structure gives: an Item that reads "None.", the date of signature, the list of risk headings.

Words are taken from the section itself, so that the answer is what the filing says there and not what a search finds near it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fin_tui.engine.events import Passage
from fin_tui.engine.evidence import cite
from fin_tui.engine.question import Question
from fin_tui.records import Chunk, Filing, Hit, Ranks, Section, Sentence

_YES_NO = re.compile(r"^(?:and|so|but)?,?\s*(?:did|does|do|is|are|was|were|has|have|had)\b", re.I)
_ITEMS = (
    (re.compile(r"\bunresolved\s+(?:sec\s+)?(?:staff\s+)?comments?\b|\bstaff\s+comments?\b", re.I), "1B"),
    (re.compile(r"\bmine\s+safety\b|\bmining\s+(?:safety\s+)?violations?\b", re.I), "4"),
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
_LONGEST_NOTHING = 300
_SIGNED = re.compile(
    r"\b(?:when|(?:on\s+)?(?:what|which)\s+(?:date|day))\b.{0,90}\b(?:signed|sign|filed|file|dated|submitted)\b", re.I
)
_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2},\s+(?:19|20)\d\d\b",
    re.I,
)
_DATED = re.compile(rf"\b(?:date|dated|on)\b\W{{0,6}}(?P<date>{_DATE.pattern})", re.I)
_ENDED = re.compile(r"\b(?:ended|ending|as\s+of)\W*$", re.I)
_RISKS = re.compile(r"\brisk\s+factors?\b|\b(?:main|key|principal|major|primary|all)\s+risks\b", re.I)
_LIST = re.compile(r"\b(?:list|enumerate|name|what\s+are|which\s+are|give|show|how\s+many)\b", re.I)
_LIST_WORDS = frozenset(
    (
        "list enumerate name what which are is the a an all of in its their main key principal major primary risk risks "
        "factor factors item 1a give show me us please disclosed discloses disclose does did do described describes "
        "identified identifies identify by for from to company fiscal year fy 10-k form filing annual report latest "
        "most recent how many has have it s and under section that this about "
    ).split()
)
_MOST_RISKS = 120


class StructureLibrary(Protocol):
    """Sections, texts and chunks of filings."""

    def sections(self, filing_id: str) -> Sequence[Section]: ...
    def text(self, filing_id: str) -> str: ...


class FilingChunks(Protocol):
    """Chunks by filing."""

    def of_filing(self, filing_id: str) -> Sequence[Chunk]: ...
    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None: ...


@dataclass(frozen=True, slots=True)
class StructureAnswer:
    """Sentences and the passages that they cite."""

    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...]


class Structure:
    """Answers questions from sections. One filing at a time: the one that the question is about."""

    def __init__(self, library: StructureLibrary, chunks: FilingChunks) -> None:
        self._library = library
        self._chunks = chunks

    def answer(self, question: Question, filings: Sequence[Filing]) -> StructureAnswer | None:
        """The answer when the question asks for one of these and a section gives it; None otherwise."""
        if len(filings) != 1:
            return None
        text, filing = question.text, filings[0]
        if _SIGNED.search(text):
            return self._signed(filing)
        for pattern, item in _ITEMS:
            if pattern.search(text) and _YES_NO.match(text):
                return self._nothing(filing, item)
        if _RISKS.search(text) and _LIST.search(text) and _is_plain_list(question):
            return self._risks(filing)
        return None

    def _section(self, filing: Filing, item: str, title: str = "") -> Section | None:
        found = [s for s in self._library.sections(filing.id) if s.item == item and title in s.title.lower()]
        return max(found, key=lambda section: section.confidence, default=None)

    def _nothing(self, filing: Filing, item: str) -> StructureAnswer | None:
        """ "No: Item 1B reads “None.”" when that is all the Item says."""
        section = self._section(filing, item)
        if section is None:
            return None
        text = self._library.text(filing.id)[section.start : section.end]
        heading, _, body = text.partition("\n")
        said = next((line.strip() for line in body.split("\n") if line.strip()), "")
        if not said or len(said) > _LONGEST_NOTHING or not _NOTHING.match(said):
            return None
        at = section.start + len(heading) + 1 + body.index(said)
        passage = self._passage(1, filing, at, at + len(said))
        return _one(f"No: Item {item} of {filing.company}'s {_named(filing)} reads “{said}”", passage)

    def _signed(self, filing: Filing) -> StructureAnswer | None:
        section = self._section(filing, "", "signature")
        if section is None:
            return None
        text = self._library.text(filing.id)[section.start : section.end]
        matches = list(_DATED.finditer(text)) or list(_DATE.finditer(text))
        match = next((m for m in matches if not _ENDED.search(text[: m.start()])), None)
        if match is None:
            return None
        date = match["date"] if "date" in match.re.groupindex else match.group()
        a, b = section.start + match.start(), section.start + match.end()
        told = f"{filing.company}'s {_named(filing)} was signed on {date}"
        if filing.filed is not None:
            told += f" and filed on {filing.filed.isoformat()}"
        return _one(told + ".", self._passage(1, filing, a, b))

    def _risks(self, filing: Filing) -> StructureAnswer | None:
        """Every risk heading of Item 1A in order, each with the passage under it."""
        firsts: dict[str, Chunk] = {}
        for chunk in self._chunks.of_filing(filing.id):
            heading = " ".join(chunk.heading.split())
            if chunk.item == "1A" and heading and not re.match(r"item\s+1a\b|risk factors\b", heading, re.I):
                firsts.setdefault(heading, chunk)
        if len(firsts) < 2:
            return None
        chosen = list(firsts.items())[:_MOST_RISKS]
        passages = tuple(_under(number, filing, chunk) for number, (_, chunk) in enumerate(chosen, start=1))
        head = Sentence(f"Item 1A of {filing.company}'s {_named(filing)} has {len(firsts)} risk headings:", (), "computed")
        told = [Sentence(f"{number}. {heading}", (number,), "grounded") for number, (heading, _) in enumerate(chosen, start=1)]
        return StructureAnswer((head, *told), passages)

    def _passage(self, number: int, filing: Filing, start: int, end: int) -> Passage | None:
        chunk = self._chunks.holding(filing.id, start, end)
        if chunk is None:
            return None
        hit = Hit(number, chunk, filing, 1.0, Ranks())
        return Passage(cite(number, hit, start, end), chunk.text, chunk.start, chunk.end, 1.0, chunk.kind)


def _under(number: int, filing: Filing, chunk: Chunk) -> Passage:
    hit = Hit(number, chunk, filing, 1.0, Ranks())
    end = chunk.start + min((len(chunk.text), *(at for at in [chunk.text.find("\n")] if at > 0)))
    return Passage(cite(number, hit, chunk.start, end), chunk.text, chunk.start, chunk.end, 1.0, chunk.kind)


def _one(text: str, passage: Passage | None) -> StructureAnswer | None:
    if passage is None:
        return None
    return StructureAnswer((Sentence(text, (passage.citation.id,), "grounded"),), (passage,))


def _named(filing: Filing) -> str:
    return f"{filing.form} for FY{filing.fiscal_year}" if filing.fiscal_year else filing.form


def _is_plain_list(question: Question) -> bool:
    """Whether nothing narrows the list: "risk factors about export controls" is a search, not a list."""
    words = re.findall(r"[a-z0-9&'-]+", question.subject.lower())
    return all(word in _LIST_WORDS or word.isdigit() or re.fullmatch(r"fy\d+|'s", word) for word in words)
