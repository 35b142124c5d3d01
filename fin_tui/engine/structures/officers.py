"""Who stands behind a filing: its executive officers.

Officers are named with age and office as the filing's own list gives them, else as they signed. Whether they are asked for is
read off the frame: one target, called officers or executives, with nothing beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile, zip_longest

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer, named
from fin_tui.facts.words import LINKS, stem, stems, without_note, words
from fin_tui.language import YEAR, is_year, runs_of, split_sentences
from fin_tui.records import Block, BlockKind, Cell, Document, Filing, Sentence, Table

_KIND = frozenset(map(stem, "executive executives officer officers senior".split()))
_OFFICERS = frozenset((stem("executive"), stem("officers")))
_MANY = frozenset(("officers", "executives"))
_ANSWERS = frozenset(("list", "name", "text"))
_HIGHEST = "chief executive officer"
_LEAST = 3
_REACH = 80
"""Blocks under a heading among which its list stands."""
_WORD = r"(?:[A-Z][\w.’'*-]*|(?:de|van|von|der|la|di|du|el|al)(?:[A-Z][\w’'-]*)?|\([A-Z]\w+\)(?=\s+[A-Z]))"
_NAME = rf"[A-Z][\w.’'*-]*(?:\s+{_WORD}){{1,4}}(?:,\s+(?:Jr|Sr|II|III|M\.\s?D|Ph\.?\s?D)\.?)*"
_NAMES = re.compile(_NAME)
_PERSON = re.compile(rf"(?P<name>{_NAME})(?:,|\s+\(|\s)\s*(?:age\s+)?(?P<age>[2-9]\d)\)?,?\s+(?P<office>\S.+)", re.S)
"""A paragraph that begins with a name and an age: "Jane Doe, 52, is Chief Executive Officer …"."""
_TITLED = re.compile(
    r"\b(?P<title>(?:Mr|Mrs|Ms|Dr)\.)\s+(?P<last>[A-Z][\w’'-]+(?:\s[A-Z][\w’'-]+)?)\s*\((?P<age>[2-9]\d)\),?\s+(?P<office>\S.+)",
    re.S,
)
"""A sentence about someone whose whole name stands before it: "Ms. Doe (52) has been …"."""
_NAMED = re.compile(rf"(?P<name>{_NAME})\*?(?:,\s*(?P<office>\S.+)|,|\s+\(.+)?$", re.S)
"""A cell with a name, and the office where both stand in one."""
_SIGNED = ("/s/", "/S/", "/s /", "/S /")
_BEFORE = (". Prior", ". Previously", ". Before", ". From")
_SINCE, _SHORT = ("(since", "since"), 47
"""What an office ends with, within so many characters of its end."""
_DIRECTORS, _OFFICER, _AGE = stem("directors"), stem("officer"), stem("age")
_LONGEST_OFFICE, _LONGEST_NAME = 160, 6  # Characters, words.
_TITLES, _SUFFIXES = frozenset(("Mr.", "Ms.", "Mrs.", "Dr.")), frozenset(("Jr", "Sr", "II", "III", "IV"))
_RANKS = frozenset("Chief Director EVP Executive General Group Managing President SVP Senior VP Vice".split())
_WITHIN = frozenset("and of the &".split()) | _RANKS
"""A rank begins a position, but not behind these."""


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
    """The words for the one office whose holder is asked for: "CFO"; "" where the question wants something else. Who runs a
    company holds the highest.
    """
    if frame is not None and frame.page == "leader":
        return _HIGHEST
    frame = frame.whole if frame is not None else None
    if frame is None or frame.operation not in ("who", "lookup") or frame.answer != "name" or frame.parts:
        return ""
    return frame.targets[0].text if len(frame.targets) == 1 and not frame.left_over else ""


def with_highest(found: StructureAnswer | None) -> StructureAnswer | None:
    """The officers, where the one who runs the company is among them: who is missing from a list may be the one asked for."""
    is_there = found is not None and any(_HIGHEST in one.text.lower() for one in found.sentences)
    return found if is_there else None


def office_holder(reader: FilingReader, filing: Filing, office: str) -> StructureAnswer | None:
    """Who signed ``filing`` in that office, else who is listed with it; None where nobody is, or more than one."""
    document = reader.document(filing)
    section = reader.section(filing, "", "signature")
    signed = signing_officers(document, section.start, section.end) if section is not None else ()
    listed, is_whole = listed_officers(document)
    for found in (signed, listed if is_whole else ()):  # Who is missing may hold it: the head of a division would pass for him.
        holders = [one for one in found if _is_called(one.office, office)]
        if len(holders) > 1:
            return None
        if holders:
            (one,) = holders
            passages = Passages(reader, filing)
            cited = passages.number(one.start, one.end)
            name = one.name.title() if one.name.isupper() else one.name
            told = f"{name}: {one.office} (by {filing.company}'s {named(filing)})."
            return StructureAnswer((Sentence(told, (cited,) if cited else (), "grounded"),), tuple(passages.made))
    return None


def _is_called(office: str, asked: str) -> bool:
    """Whether an office has the words asked for next to each other, or with these initials: "CFO". "Executive Vice President
    and Chief Financial Officer" is no chief executive officer.
    """
    said, of = stems(asked), stems(office)
    if said and any(of[at : at + len(said)] == said for at in range(len(of))):
        return True
    initials = "".join(word.surface[0] for word in words(office) if word.surface not in LINKS)
    return asked.isalpha() and len(asked) > 1 and asked.upper() in initials.upper()


def officers(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The officers, each with the place that names them; None when fewer than three are found, or signed."""
    document = reader.document(filing)
    found, is_whole = listed_officers(document)
    whose = f"{filing.company}'s {named(filing)}"
    if len(found) >= _LEAST:
        more = "" if is_whole else " (the list has more that could not be read)"
        return _told(f"{len(found)} executive officers in {whose}{more}:", found, reader, filing)
    section = reader.section(filing, "", "signature")
    signed = signing_officers(document, section.start, section.end) if section is not None else ()
    return _told(f"Officers who signed {whose}, as far as could be read:", signed, reader, filing) if signed else None


def _told(head: str, found: Sequence[Officer], reader: FilingReader, filing: Filing) -> StructureAnswer:
    passages = Passages(reader, filing)
    told = [Sentence(head, (), "computed")]
    for number, officer in enumerate(found, start=1):
        cited = passages.number(officer.start, officer.end)
        told.append(Sentence(f"{number}. {officer.line}", (cited,) if cited else (), "grounded", opens="line"))
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
    """The officers under a heading, without those under a heading of the board; one without a name where an age stands alone."""
    level = document.blocks[at].level
    is_board, before = False, ""
    for block, following in zip_longest(document.blocks[at + 1 : at + _REACH], document.blocks[at + 2 : at + _REACH]):
        text = _text(block, document)
        match = _PERSON.match(text)
        said = {word.stem for word in words(text)}
        if block.kind is BlockKind.HEADING and match is None and _AGE not in said:  # That line heads the columns of its list.
            if block.level <= level:
                return
            is_board = _DIRECTORS in said and _OFFICER not in said
        elif is_board:
            pass
        elif block.table is not None:
            yield from _of_table(block.table, before)
        elif (titled := _TITLED.search(text)) is not None:
            yield _titled(titled, f"{before} {text[: titled.start()]}", block.start, _first_sentence(document, block))
        elif match is not None:
            yield Officer(
                match["name"].rstrip("*"), match["age"], _office(match["office"]), block.start, _first_sentence(document, block)
            )
        elif _is_stray(text):
            yield Officer("", "", "", block.start, block.end)
        elif following is not None and (over := _over(text, _text(following, document))) is not None:
            yield replace(over, start=block.start, end=block.end)
        before = text


def _over(text: str, after: str) -> Officer | None:
    """Who is named with an office in a line over "Ms. Doe joined us in 2001. … Age 52."; None where it is no such line."""
    title, said = (after.split() or [""])[0], [*after.split()[1:4], ""]
    names, told = text.split(), [word.strip(".,") for word in after.split()]
    last = next((at for at, word in enumerate(names[:_LONGEST_NAME]) if at and word.strip(",") == said[0]), len(names))
    last += sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(names[last + 1 :], said[1:], strict=False)))
    while last + 1 < len(names) and names[last + 1].strip(",.") in _SUFFIXES:
        last += 1
    if title not in _TITLES or not names[last + 1 :] or len(text) > _LONGEST_OFFICE:
        return None
    age = next((age for word, age in pairwise(told) if word.lower() == "age" and _is_age(age)), "")
    return Officer(" ".join(names[: last + 1]).strip(","), age, _office(" ".join(names[last + 1 :])), 0, 0)


def _is_age(text: str) -> bool:
    bare = text.removeprefix("(").removesuffix(")")
    return len(bare) == 2 and bare.isascii() and bare.isdigit() and bare >= "20"


def _is_stray(text: str) -> bool:
    """Whether an age stands apart from its name, as in a PDF whose lines are set one above the other."""
    age, behind = text[:2], text[2:]
    return _is_age(age) and (not behind or (behind[0].isspace() and behind.lstrip()[:1].isupper()))


def _first_sentence(document: Document, block: Block) -> int:
    return block.start + split_sentences(document.text[block.start : block.end])[0][1]


def _titled(match: re.Match[str], before: str, start: int, end: int) -> Officer:
    """Who is called "Ms. Doe", by the whole name that was given last."""
    names = [name for name in _NAMES.findall(before) if name.casefold().endswith(match["last"].casefold())]
    name = names[-1] if names else f"{match['title']} {match['last']}"
    return Officer(name.title() if name.isupper() else name, match["age"], _office(match["office"]), start, end)


def _of_table(table: Table, before: str = "") -> Iterator[Officer]:
    """The entries of a table with ages; ``before`` is the text above it. A line without a figure heads the names under it that
    stand without an office: "Senior Vice Presidents".
    """
    found: list[Officer] = []
    head = ""
    for cells in _entries(table):
        texts = {column: " ".join(" ".join(cell.text for cell in held).split()) for column, held in cells.items()}
        place = (next(iter(cells.values()))[0].start, list(cells.values())[-1][-1].end)
        name, *others = texts.values()
        marks = [mark for mark in next(iter(cells.values()))[0].footnotes if _is_age(mark)]
        ages = marks or [text for text in others if _is_age(text)]  # "(52)" behind a name looks like a footnote's mark.
        match = _NAMED.match(name) if len(ages) == 1 and 0 in texts else None
        if (titled := _TITLED.search(name)) is not None:
            found.append(_titled(titled, before, *place))
        elif match is not None:
            said = next((text for text in others if text != ages[0] and any(c.isalpha() for c in text)), "")
            own = match["office"] or _newest(said, others)
            office = own if said or not head else f"{own} ({head})" if own else head
            found.append(Officer(match["name"] if office else "", ages[0].strip("()"), _office(office), *place))
        elif len(texts) == 1 and 0 in texts:
            head = name
        elif ages or (len(texts) > 1 and _is_stray(name)):
            found.append(Officer("", "", "", *place))
        before = f"{before} {' '.join(texts.values())}"
    # A table of something else may have numbers that look like ages.
    if any(one.name for one in found) or all(_is_stray(" ".join(cell.text for cell in row)) for row in table.rows[1:]):
        yield from found


def _newest(positions: str, others: Sequence[str]) -> str:
    """The first of positions that run on, where another cell gives a span of years for each: "2015 to present 2008 to 2015"."""
    pairs = enumerate(pairwise(said := positions.split()), start=1)
    starts = [at for at, (before, word) in pairs if word.strip(",") in _RANKS and before not in _WITHIN and before[-1] != ","]
    spans = max((text.split().count("to") for text in others if text != positions and text[:1].isdigit()), default=0)
    return " ".join(said[: starts[0]]) if spans > len(starts) > 0 else positions


def _entries(table: Table) -> Iterator[dict[int, list[Cell]]]:
    """The rows, by column; one that leaves the first column empty goes on with the row above, unless both have an age."""
    entry: dict[int, list[Cell]] = {}
    for row in table.rows:
        cells = [cell for cell in row if cell.text.strip()]
        has_age = any(_is_age(cell.text.strip()) for cell in cells)
        is_aged = any(_is_age(cell.text.strip()) for held in entry.values() for cell in held)
        if cells and (cells[0].column == 0 or 0 not in entry or (has_age and is_aged)):
            if entry:
                yield entry
            entry = {}
        for cell in cells:
            entry.setdefault(cell.column, []).append(cell)
    if entry:
        yield entry


def signing_officers(document: Document, start: int, end: int) -> tuple[Officer, ...]:
    """Those who signed with the title of an officer.

    In a table with signatures ("/s/") the rows that have one count, with a title that stands alone in the row above: under it
    the name may stand beside the title of who signed next.
    """
    found: dict[str, Officer] = {}
    for block in document.blocks:
        if block.table is None or not start <= block.start < end:
            continue
        rows = [[cell for cell in row if cell.text.strip() and not _is_date(cell.text)] for row in block.table.rows]
        is_signed = [bool(cells) and any(mark in cells[0].text for mark in _SIGNED) for cells in rows]
        has_titles = any(signed and len(cells) > 1 for signed, cells in zip(is_signed, rows, strict=True))
        for at, cells in enumerate(rows):
            if len(cells) < 2 or (has_titles and not is_signed[at]):
                continue
            name, title = _signer(cells[0].text), " ".join(cells[1].text.split())
            above = rows[at - 1] if at else []
            if is_signed[at] and len(above) == 1 and above[0].column == cells[1].column:
                title = f"{' '.join(above[0].text.split())} {title}"
            if _OFFICER in {word.stem for word in words(title)} and _NAMES.fullmatch(name.title()):
                found.setdefault(name.title(), Officer(name, "", _office(title), cells[0].start, cells[-1].end))
    return tuple(found.values())


def _is_date(text: str) -> bool:
    """Whether a cell ends in a year, as that of a signature's day does."""
    return is_year("".join(runs_of(text)[-1:])) and text.rstrip()[-1].isdigit()


def _signer(text: str) -> str:
    """The name of who signed, once: "/s/ Jane Doe JANE DOE"."""
    for mark in _SIGNED:
        text = text.replace(mark, " ")
    said = text.split()
    half = len(said) // 2
    is_twice = len(said) % 2 == 0 and [word.casefold() for word in said[:half]] == [word.casefold() for word in said[half:]]
    return " ".join(said[:half] if is_twice else said)


def _office(text: str) -> str:
    """The office without what its holder did before."""
    text = " ".join(text.split()).removeprefix("is ").removeprefix("has been ").removeprefix("has served as ")
    text = text[: min(_ends_of_office(text), default=None)]
    text = text[: split_sentences(text)[0][1]]
    text = text.strip(" ,.;").removesuffix(" since").removesuffix(" and")
    return shorten(without_note(text), _LONGEST_OFFICE)


def _ends_of_office(text: str) -> Iterator[int]:
    """Where a text about an officer may turn from the office to its holder, or to what came before."""
    ends = [*(f" {title} " for title in _TITLES), *_BEFORE]
    yield from (at for at in map(text.find, ends) if at >= 0)
    yield from (at for word in _SINCE if (at := text.find(f" {word} ", max(0, len(text) - _SHORT))) >= 0)
    if ";" in text and YEAR.search(text, text.index(";")):
        yield text.index(";")


def _text(block: Block, document: Document) -> str:
    return " ".join(document.text[block.start : block.end].split())
