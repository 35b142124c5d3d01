"""A company's executive officers: name, age and office as the filing's own list gives them, else those who signed as officers.

Whether they are asked for is read off the frame: one target, called officers or executives, with nothing beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.structures.desk import Desk, Passages, StructureAnswer, named
from fin_tui.facts.words import LINKS, stem, stems, words
from fin_tui.language import split_sentences
from fin_tui.records import Block, BlockKind, Document, Filing, Sentence, Table

_KIND = frozenset(map(stem, "executive executives officer officers senior".split()))
_OFFICERS = frozenset((stem("executive"), stem("officers")))
_MANY = frozenset(("officers", "executives"))
_ANSWERS = frozenset(("list", "name", "text"))
_LEAST = 3
_REACH = 80
"""Blocks under a heading among which its list stands."""
_NAME = r"[A-Z][\w.’'*-]*(?:\s+(?:[A-Z][\w.’'*-]*|de|van|von|der|la)){1,4}(?:,\s+(?:Jr|Sr|II|III|M\.\s?D|Ph\.?\s?D)\.?)*"
_PERSON = re.compile(rf"(?P<name>{_NAME})(?:,|\s+\(|\s)\s*(?P<age>[2-9]\d)\)?,?\s+(?P<office>\S.+)", re.S)
"""A paragraph that begins with a name and an age: "Jane Doe, 52, is Chief Executive Officer …"."""
_NAMED = re.compile(rf"(?P<name>{_NAME})\*?(?:,\s+(?P<office>\S.+)|\s+\(.+)?$", re.S)
"""A cell with a name, and the office where both stand in one."""
_STRAY = re.compile(r"[2-9]\d(?:\s+[A-Z]|$)")
"""An age that stands apart from its name, as in a PDF whose lines are set one above the other."""
_AGE = re.compile(r"\(?([2-9]\d)\)?$")
_OFFICE_ENDS = re.compile(r"\s+(?=(?:Mr|Ms|Mrs|Dr)\.\s)|;|\s+\(?since\b.{0,40}$|\.\s+(?:Prior|Previously|Before|From)\b")
_SIGNER = re.compile(rf"{_NAME}$")
_SIGNED = re.compile(r"/s/\s*", re.I)
_DATE = re.compile(r"\b(?:19|20)\d\d$")
_LONGEST_OFFICE = 160


@dataclass(frozen=True, slots=True)
class Officer:
    """One of them, and where that stands in the clean text."""

    name: str
    age: str
    office: str
    start: int
    end: int

    @property
    def line(self) -> str:
        """ "Jane Doe, 52: Chief Executive Officer"."""
        return shorten(f"{', '.join(filter(None, (self.name, self.age)))}: {self.office}")


def asks_officers(frame: Frame | None) -> bool:
    """Whether all executive officers are asked for, not one by an office."""
    frame = frame.whole if frame is not None else None
    if frame is None or frame.answer not in _ANSWERS or frame.parts or len(frame.targets) != 1 or frame.left_over:
        return False
    said = [word for word in words(frame.targets[0].text) if word.surface not in LINKS]
    return bool(said) and said[-1].surface in _MANY and all(word.stem in _KIND for word in said)


def asked_office(frame: Frame | None) -> str:
    """The words for the one office whose holder is asked for: "CFO"; "" where the question wants something else."""
    frame = frame.whole if frame is not None else None
    if frame is None or frame.operation != "who" or frame.answer != "name" or frame.parts or frame.left_over:
        return ""
    return frame.targets[0].text if len(frame.targets) == 1 else ""


def office_holder(desk: Desk, filing: Filing, office: str) -> StructureAnswer | None:
    """Who signed ``filing`` in that office, else who is listed with it; None where nobody is, or more than one."""
    document = desk.document(filing)
    section = desk.section(filing, "", "signature")
    signed = signing_officers(document, section.start, section.end) if section is not None else ()
    for found in (signed, listed_officers(document)[0]):
        holders = [one for one in found if _is_called(one.office, office)]
        if len(holders) > 1:
            return None
        if holders:
            (one,) = holders
            passages = Passages(desk, filing)
            cited = passages.number(one.start, one.end)
            name = one.name.title() if one.name.isupper() else one.name
            told = f"{name}, by {filing.company}'s {named(filing)}: {one.office}."
            return StructureAnswer((Sentence(told, (cited,) if cited else (), "grounded"),), tuple(passages.made))
    return None


def _is_called(office: str, asked: str) -> bool:
    """Whether an office has the words asked for, or words next to each other with these initials: "CFO"."""
    if stems(asked) and set(stems(asked)) <= set(stems(office)):
        return True
    initials = "".join(word[0] for word in re.findall(r"[A-Za-z]+", office) if word.lower() not in LINKS)
    return asked.isalpha() and len(asked) > 1 and asked.upper() in initials.upper()


def officers(desk: Desk, filing: Filing) -> StructureAnswer | None:
    """The officers, each with the place that names them; None when fewer than three are found, or signed."""
    document = desk.document(filing)
    found, is_whole = listed_officers(document)
    whose = f"{filing.company}'s {named(filing)}"
    if len(found) >= _LEAST:
        more = "" if is_whole else " (the list has more that could not be read)"
        return _told(f"{len(found)} executive officers in {whose}{more}:", found, desk, filing)
    section = desk.section(filing, "", "signature")
    signed = signing_officers(document, section.start, section.end) if section is not None else ()
    return _told(f"Officers who signed {whose}; no list of all was found in it:", signed, desk, filing) if signed else None


def _told(head: str, found: Sequence[Officer], desk: Desk, filing: Filing) -> StructureAnswer:
    passages = Passages(desk, filing)
    told = [Sentence(head, (), "computed")]
    for number, one in enumerate(found, start=1):
        cited = passages.number(one.start, one.end)
        told.append(Sentence(f"{number}. {one.line}", (cited,) if cited else (), "grounded", opens="line"))
    return StructureAnswer(tuple(told), tuple(passages.made))


def listed_officers(document: Document) -> tuple[tuple[Officer, ...], bool]:
    """Those under the heading of executive officers that has most, and whether nobody seems to be missing."""
    found: tuple[tuple[Officer, ...], bool] = ((), True)
    for at, block in enumerate(document.blocks):
        if block.kind is not BlockKind.HEADING or not {word.stem for word in words(_text(block, document))} >= _OFFICERS:
            continue
        under = list(_under(document, at))
        listed = tuple({one.name: one for one in under if one.name and one.office.lower() != "director"}.values())
        if len(listed) > len(found[0]):
            found = listed, all(one.name for one in under)
    return found


def _under(document: Document, at: int) -> Iterator[Officer]:
    """The officers under a heading; one without a name where an age stands by itself."""
    level = document.blocks[at].level
    for block in document.blocks[at + 1 : at + _REACH]:
        if block.kind is BlockKind.HEADING and block.level <= level and not _PERSON.match(_text(block, document)):
            return
        if block.table is not None:
            yield from _of_table(block.table)
        elif (match := _PERSON.match(_text(block, document))) is not None:
            end = block.start + split_sentences(document.text[block.start : block.end])[0][1]
            yield Officer(match["name"].rstrip("*"), match["age"], _office(match["office"]), block.start, end)
        elif _STRAY.match(_text(block, document)):
            yield Officer("", "", "", block.start, block.end)


def _of_table(table: Table) -> Iterator[Officer]:
    """The rows of a table with a column of ages."""
    for row in table.rows:
        cells = [cell for cell in row if cell.text.strip()]
        texts = [" ".join(cell.text.split()) for cell in cells]
        ages = [text for text in texts[1:] if _AGE.match(text)]
        match = _NAMED.match(texts[0]) if len(ages) == 1 else None
        if match is not None:
            others = (text for text in texts[1:] if text != ages[0] and any(c.isalpha() for c in text))
            office = match["office"] or next(others, "")
            if office:
                yield Officer(match["name"], ages[0].strip("()"), _office(office), cells[0].start, cells[-1].end)
        elif len(cells) > 1 and _STRAY.match(texts[0]):
            yield Officer("", "", "", cells[0].start, cells[-1].end)


def signing_officers(document: Document, start: int, end: int) -> tuple[Officer, ...]:
    """Those who signed with the title of an officer."""
    found: dict[str, Officer] = {}
    for block in document.blocks:
        if block.table is None or not start <= block.start < end:
            continue
        for row in block.table.rows:
            cells = [cell for cell in row if cell.text.strip() and not _DATE.search(cell.text.strip())]
            texts = [_SIGNED.sub("", " ".join(cell.text.split())).strip() for cell in cells]
            if len(cells) >= 2 and stem("officer") in {word.stem for word in words(texts[1])} and _SIGNER.match(texts[0].title()):
                found.setdefault(texts[0].title(), Officer(texts[0], "", _office(texts[1]), cells[0].start, cells[-1].end))
    return tuple(found.values())


def _office(text: str) -> str:
    """The office without what its holder did before."""
    text = " ".join(text.split()).removeprefix("is ").removeprefix("has been ").removeprefix("has served as ")
    text = _OFFICE_ENDS.split(text, maxsplit=1)[0]
    text = text[: split_sentences(text)[0][1]]
    return shorten(text.strip(" ,.").removesuffix(" since"), _LONGEST_OFFICE)


def _text(block: Block, document: Document) -> str:
    return " ".join(document.text[block.start : block.end].split())
