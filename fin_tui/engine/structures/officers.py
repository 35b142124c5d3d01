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
from fin_tui.language import YEAR, any_of, is_year, runs_of, split_sentences
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


_WHO = any_of("(and/for) who/whom/whose/which/what/name/when, (and) since when/which/what, how long, how many years")
_FIRM = any_of("auditor(s), accounting firm, independent/public accountant(s), audit, audits, audited, auditing")
_OF_FIRM = ("'", "’", " committee", " matter", " fee", " procedure", " opinion")
"""Behind one of these words, what is asked for is not the firm."""
_OTHER = any_of(
    "critical audit, audit committee/fee(s)/matter(s)/procedure(s), fee(s), internal audit*, tax(es), opinion, conclude, "
    "conclusion, disagree, consider, describe, say, said, address, find, found, identif*, report say/state, "
    "why, audited (by) (the) irs/tax"
)
_WHAT, _NAMES_FIRM = any_of("what did/does/do/was/were/is/are"), any_of("name, firm, auditor")
_NEAR_WHO, _NEAR_WHAT, _SHORTEST = 75, 32, 60
"""Characters behind "who" and "what is" in which the firm is named, and of a question that may name nothing else."""
_SERVED, _AUDITORS, _IS_SINCE = any_of("served as"), any_of("auditor(s)"), any_of("since")
_FAR, _REST = 100, 66
"""Characters from "served as" to the end of "auditor", and from there to the end of "since"."""
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
    said = text.strip(" \n\t\"'“”‘’?.!,:;-")
    who = _WHO.match(said)
    asked = said[who.end() : who.end() + _NEAR_WHO] if who else ""
    is_firm = any(not asked[match.end() :].startswith(_OF_FIRM) for match in _FIRM.finditer(asked))
    is_short = len(said) <= _SHORTEST and f" {said.lower()}".endswith((" auditor", " auditors"))
    named = [match.start() for match in _NAMES_FIRM.finditer(said)]
    is_what = any(not any(0 < at - m.end() < _NEAR_WHAT for at in named) for m in _WHAT.finditer(said))
    return (is_firm or is_short) and not is_what and not _OTHER.search(said)


def _since(text: str) -> Iterator[tuple[int, int]]:
    """The sentences that say since when the auditor has served."""
    for start, end in _serves(text, 0, len(text)):
        since = _IS_SINCE.search(text, end, end + _REST)
        if since is not None and "\n" not in text[end : since.start()]:
            yield from _sentence_around(text, start, since.end())


def _serves(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a line says that someone has "served as" auditor, to the end of that word."""
    for match in _SERVED.finditer(text, begin, end):
        who = _AUDITORS.search(text, match.end(), match.end() + _FAR)
        if who is not None and "\n" not in text[match.end() : who.start()]:
            yield match.start(), who.end()


def _sentence_around(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentence in which ``start`` stands, of the line from there to ``end``."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    spans = split_sentences(text[line : stop if stop >= 0 else len(text)])
    yield from ((line + a, line + b) for a, b in spans if line + a <= start < line + b)


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


_CALLED, _SHORT_NAME = any_of("critical audit matter(s)"), any_of("cam(s)")
_MORE = any_of("how, why, when, address*, test, tested, testing, procedure(s), mean*")
_OPENS = any_of("critical audit matter(s) communicated below")
_MATTERS, _IS_NONE = any_of("(no) critical audit matter(s)"), any_of("none")
_DESCRIBES = any_of(
    "as described/discussed/disclosed/of, as more fully, description of, critical audit matter description, "
    "the company, refer to note"
)
_NO_TITLE = any_of("critical audit matter(s) (description), table of contents")
_BEGINS_NO_TITLE = any_of("description, how we/the, as")
_LONGEST = 180
_REPORT_LENGTH = 16_000
"""The longest that auditors have written of their matters."""


def asks_audit_matters(text: str) -> bool:
    """Whether ``text`` asks which they are, or whether there are any; not how they were dealt with."""
    is_called = _CALLED.search(text) or any("auditor" in text[short.end() :].lower() for short in _SHORT_NAME.finditer(text))
    return bool(is_called) and not _MORE.search(text)


def audit_matters(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "The auditor's report … has 2 critical audit matters:" and their titles; None where no report has such a part."""
    text = reader.library.text(filing.id)
    opened = _OPENS.search(text)
    if opened is None:
        return _none(reader, filing, text)
    last = opened.end() + _REPORT_LENGTH
    closed, _ = next(_serves(text, opened.end(), last), (last, last))
    passages = Passages(reader, filing)
    told: dict[str, Sentence] = {}
    for begin, end in _titles(text, opened.end(), closed):
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
    for match in _MATTERS.finditer(text):
        behind = text[match.end() : match.end() + _NEAR_WHO].partition(".")[0]
        end = match.end() if match[0].lower().startswith("no") else match.end() + len(behind) if _IS_NONE.search(behind) else 0
        for a, b in _sentence_around(text, match.start(), end) if end else ():
            return one(f"No: {' '.join(text[a:b].split())}", reader.passage(1, filing, a, b))
    return None


def _titles(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Short lines under which a matter is described."""
    previous: tuple[int, int] | None = None
    for piece in text[begin:end].replace("\t", "\n").split("\n"):
        place, begin = (begin, begin + len(piece)), begin + len(piece) + 1
        line, said = piece.strip(), " ".join(runs_of(piece.lower()))
        if not line:
            continue
        if previous is not None and _DESCRIBES.match(said):
            yield previous
        is_other = said.isdigit() or _NO_TITLE.fullmatch(said) or _BEGINS_NO_TITLE.match(said)
        is_title = len(line) <= _LONGEST and line[-1] not in ".:;,)" and not is_other and line[0].isupper()
        previous = place if is_title else None
