"""Who stands behind a filing: its executive officers, and its auditor with the critical audit matters.

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
from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer, named, one
from fin_tui.facts.words import LINKS, stem, stems, without_note, words
from fin_tui.language import any_of, is_year, runs_of, split_sentences
from fin_tui.records import Block, BlockKind, Cell, Document, Filing, Sentence, Table

_KIND = frozenset(map(stem, "executive executives officer officers senior".split()))
_OFFICERS = frozenset((stem("executive"), stem("officers")))
_MANY = frozenset(("officers", "executives"))
_ANSWERS = frozenset(("list", "name", "text"))
_LEAST = 3
_REACH = 80
"""Blocks under a heading among which its list stands."""
_WORD = r"(?:[A-Z][\w.’'*-]*|(?:de|van|von|der|la|di|du|el|al)(?:[A-Z][\w’'-]*)?|\([A-Z]\w+\)(?=\s+[A-Z]))"
_NAME = rf"[A-Z][\w.’'*-]*(?:\s+{_WORD}){{1,4}}(?:,\s+(?:Jr|Sr|II|III|M\.\s?D|Ph\.?\s?D)\.?)*"
_PERSON = re.compile(rf"(?P<name>{_NAME})(?:,|\s+\(|\s)\s*(?:age\s+)?(?P<age>[2-9]\d)\)?,?\s+(?P<office>\S.+)", re.S)
"""A paragraph that begins with a name and an age: "Jane Doe, 52, is Chief Executive Officer …"."""
_TITLED = re.compile(
    r"\b(?P<title>(?:Mr|Mrs|Ms|Dr)\.)\s+(?P<last>[A-Z][\w’'-]+(?:\s[A-Z][\w’'-]+)?)\s*\((?P<age>[2-9]\d)\),?\s+(?P<office>\S.+)",
    re.S,
)
"""A sentence about someone whose whole name stands before it: "Ms. Doe (52) has been …"."""
_NAMED = re.compile(rf"(?P<name>{_NAME})\*?(?:,\s*(?P<office>\S.+)|,|\s+\(.+)?$", re.S)
"""A cell with a name, and the office where both stand in one."""
_STRAY = re.compile(r"[2-9]\d(?:\s+[A-Z]|$)")
"""An age that stands apart from its name, as in a PDF whose lines are set one above the other."""
_OFFICE_ENDS = re.compile(
    r"\s+(?=(?:Mr|Ms|Mrs|Dr)\.\s)|;(?=.*\b(?:19|20)\d\d\b)|\s+\(?since\b.{0,40}$|\.\s+(?:Prior|Previously|Before|From)\b"
)
_SIGNER = re.compile(rf"{_NAME}$")
_SIGNED = re.compile(r"/s\s*/\s*", re.I)
_DIRECTORS, _OFFICER = stem("directors"), stem("officer")
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
    """The words for the one office whose holder is asked for: "CFO"; "" where the question wants something else."""
    frame = frame.whole if frame is not None else None
    if frame is None or frame.operation != "who" or frame.answer != "name" or frame.parts or frame.left_over:
        return ""
    return frame.targets[0].text if len(frame.targets) == 1 else ""


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
    """Whether an office has the words asked for, or words next to each other with these initials: "CFO"."""
    if stems(asked) and set(stems(asked)) <= set(stems(office)):
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
    return _told(f"Officers who signed {whose}; no list of all was found in it:", signed, reader, filing) if signed else None


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
        if block.kind is BlockKind.HEADING and match is None:
            if block.level <= level:
                return
            said = {word.stem for word in words(text)}
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
        elif _STRAY.match(text):
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


def _first_sentence(document: Document, block: Block) -> int:
    return block.start + split_sentences(document.text[block.start : block.end])[0][1]


def _titled(match: re.Match[str], before: str, start: int, end: int) -> Officer:
    """Who is called "Ms. Doe", by the whole name that was given last."""
    names = [one.group() for one in re.finditer(_NAME, before) if one.group().casefold().endswith(match["last"].casefold())]
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
        elif ages or (len(texts) > 1 and _STRAY.match(name)):
            found.append(Officer("", "", "", *place))
        before = f"{before} {' '.join(texts.values())}"
    # A table of something else may have numbers that look like ages.
    if any(one.name for one in found) or all(_STRAY.match(" ".join(cell.text for cell in row)) for row in table.rows[1:]):
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
        is_signed = [bool(cells) and _SIGNED.search(cells[0].text) is not None for cells in rows]
        has_titles = any(signed and len(cells) > 1 for signed, cells in zip(is_signed, rows, strict=True))
        for at, cells in enumerate(rows):
            if len(cells) < 2 or (has_titles and not is_signed[at]):
                continue
            name, title = _signer(cells[0].text), " ".join(cells[1].text.split())
            above = rows[at - 1] if at else []
            if is_signed[at] and len(above) == 1 and above[0].column == cells[1].column:
                title = f"{' '.join(above[0].text.split())} {title}"
            if _OFFICER in {word.stem for word in words(title)} and _SIGNER.match(name.title()):
                found.setdefault(name.title(), Officer(name, "", _office(title), cells[0].start, cells[-1].end))
    return tuple(found.values())


def _is_date(text: str) -> bool:
    """Whether a cell ends in a year, as that of a signature's day does."""
    return is_year("".join(runs_of(text)[-1:])) and text.rstrip()[-1].isdigit()


def _signer(text: str) -> str:
    """The name of who signed, once: "/s/ Jane Doe JANE DOE"."""
    said = _SIGNED.sub("", " ".join(text.split())).split()
    half = len(said) // 2
    is_twice = len(said) % 2 == 0 and [word.casefold() for word in said[:half]] == [word.casefold() for word in said[half:]]
    return " ".join(said[:half] if is_twice else said)


def _office(text: str) -> str:
    """The office without what its holder did before."""
    text = " ".join(text.split()).removeprefix("is ").removeprefix("has been ").removeprefix("has served as ")
    text = _OFFICE_ENDS.split(text, maxsplit=1)[0]
    text = text[: split_sentences(text)[0][1]]
    text = text.strip(" ,.;").removesuffix(" since").removesuffix(" and")
    return shorten(without_note(text), _LONGEST_OFFICE)


def _text(block: Block, document: Document) -> str:
    return " ".join(document.text[block.start : block.end].split())


_WHO = r"(?:who|whom|whose|which|what|name|since\s+when|since\s+(?:which|what)\s+year|how\s+long|when|how\s+many\s+years)"
_FIRM = (
    r"(?:(?:independent\s+)?(?:external\s+)?auditors?\b(?!['’]s?\s)|audit(?:ing)?\s+firm|(?:public\s+)?accounting\s+firm|"
    r"(?:independent|public)\s+accountants?|audit(?:s|ed|ing)?\b(?!\s+(?:committee|matter|fee|procedure|opinion)))"
)
_AUDITOR_ASKED = re.compile(
    rf"^\W*(?:and\s+|for\s+)?{_WHO}\b.{{0,70}}\b{_FIRM}|^\W*(?:the\s+)?(?:name\s+of\s+)?.{{0,40}}\bauditors?\W*$", re.I
)
_OTHER = re.compile(
    r"\bcritical\s+audit\b|\baudit\s+(?:committee|fees?|matters?|procedures?)\b|\bfees?\b|\binternal\s+audit|\btax(?:es)?\b|"
    r"\b(?:opinion|conclude|conclusion|disagree|consider|describe|say|said|address|find|found|identif\w+|report\s+(?:say|state))\b|"
    r"\bwhat\s+(?:did|does|do|was|were|is|are)\b(?!.{0,25}\b(?:name|firm|auditor)\b)|\bwhy\b|\baudited\s+(?:by\s+)?(?:the\s+)?(?:irs|tax)\b",
    re.I,
)
_SERVED = re.compile(r"\bserved\s+as\s[^\n]{0,90}?\bauditors?\b[^\n]{0,60}?\bsince\b", re.I)
_FIRM_SIGNED = re.compile(
    r"^[ \t]*(?:/?s/|\(signed\))[ \t]*"
    r"(?P<firm>[^\n]{3,70}?(?:\bL\.?\s?L\.?\s?P\.?|\bPLLC|\bP\.?C\.?|\bLLC|\bAG|\bLtd\.?|\bCPAs?|\bPLC))"
    r"(?=[ \t]*(?:\n|\t|$|[A-Z]))",
    re.I | re.M,
)
_NEAR = 400
"""Characters around "served as auditor since" within which the firm signs."""
_REPORT = any_of("independent registered public accounting firm, independent (public) accountant(s), independent auditor(s)")
_LONGEST_REPORT = 9_000
"""The longest report of the auditors: its heading stands no further before the signature."""


def auditor(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "Example LLP audited …", and the sentence that says since when; None where neither is found."""
    text = reader.library.text(filing.id)
    since = next(_since(text), None)
    place = _tagged(reader, filing) or _near(text, since) or _under_report(text)
    passages = Passages(reader, filing)
    told = []
    if place is not None:
        number = passages.number(*place)
        firm = " ".join(text[place[0] : place[1]].split()).replace(" ,", ",").replace(" .", ".")
        if number is not None:
            told.append(Sentence(f"{firm} audited {filing.company}'s {named(filing)}.", (number,), "grounded"))
    if since is not None:
        number = passages.number(*since)
        if number is not None:
            told.append(Sentence(" ".join(text[since[0] : since[1]].split()), (number,), "grounded"))
    return StructureAnswer(tuple(told), tuple(passages.made)) if told else None


def asks_auditor(text: str) -> bool:
    """Whether ``text`` asks who audits, or since when; not what auditors say, do or cost."""
    return bool(_AUDITOR_ASKED.search(text)) and not _OTHER.search(text)


def _since(text: str) -> Iterator[tuple[int, int]]:
    """The sentences that say since when the auditor has served."""
    for match in _SERVED.finditer(text):
        begin = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        line = text[begin : end if end >= 0 else len(text)]
        for a, b in split_sentences(line):
            if begin + a <= match.start() < begin + b:
                yield begin + a, begin + b


def _tagged(reader: FilingReader, filing: Filing) -> tuple[int, int] | None:
    """Where the tagged name of the auditor stands."""
    facts = (fact for fact in reader.document(filing).facts if fact.concept == "dei:AuditorName" and fact.end > fact.start)
    fact = next(facts, None)
    return None if fact is None else (fact.start, fact.end)


def _near(text: str, since: tuple[int, int] | None) -> tuple[int, int] | None:
    """The signature nearest to where the auditor says since when it has served."""
    if since is None:
        return None
    begin = max(0, since[0] - _NEAR)
    signed = [match.span("firm") for match in _FIRM_SIGNED.finditer(text, begin, since[1] + _NEAR)]
    return min(signed, key=lambda place: min(abs(place[1] - since[0]), abs(place[0] - since[1])), default=None)


def _under_report(text: str) -> tuple[int, int] | None:
    """The first signature of a firm that stands under a report of independent auditors."""
    for match in _FIRM_SIGNED.finditer(text):
        if _REPORT.search(text, max(0, match.start() - _LONGEST_REPORT), match.start()):
            return match.span("firm")
    return None


_ASKED = re.compile(r"\bcritical\s+audit\s+matters?\b|\bcams?\b(?=.*\bauditor)", re.I)
_MORE = any_of("how, why, when, address*, test, tested, testing, procedure(s), mean*")
_OPENS = any_of("critical audit matter(s) communicated below")
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
_REPORT_LENGTH = 16_000
"""The longest that auditors have written of their matters."""


def asks_audit_matters(text: str) -> bool:
    """Whether ``text`` asks which they are, or whether there are any; not how they were dealt with."""
    return bool(_ASKED.search(text)) and not _MORE.search(text)


def audit_matters(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "The auditor's report … has 2 critical audit matters:" and their titles; None where no report has such a part."""
    text = reader.library.text(filing.id)
    opened = _OPENS.search(text)
    if opened is None:
        return _none(reader, filing, text)
    closed = _CLOSES.search(text, opened.end(), opened.end() + _REPORT_LENGTH)
    passages = Passages(reader, filing)
    told: dict[str, Sentence] = {}
    for begin, end in _titles(text, opened.end(), closed.start() if closed else opened.end() + _REPORT_LENGTH):
        title = " ".join(text[begin:end].split())
        number = passages.number(begin, end) if title not in told else None
        if number is not None:
            told[title] = Sentence(f"{len(told) + 1}. {title}", (number,), "grounded", opens="line")
    if not told:
        return None
    many = f"{len(told)} critical audit matter{'s' if len(told) > 1 else ''}"
    head = Sentence(f"The auditor's report in {filing.company}'s {named(filing)} has {many}:", (), "computed")
    return StructureAnswer((head, *told.values()), tuple(passages.made))


def _none(reader: FilingReader, filing: Filing, text: str) -> StructureAnswer | None:
    match = _NONE.search(text)
    if match is None:
        return None
    line = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    for a, b in split_sentences(text[line : end if end >= 0 else len(text)]):
        if line + a <= match.start() < line + b:
            told = " ".join(text[line + a : line + b].split())
            return one(f"No: {told}", reader.passage(1, filing, line + a, line + b))
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
