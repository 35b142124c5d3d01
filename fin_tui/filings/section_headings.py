"""Places where an Item may begin: numbered headings in prose, lists and tables, and headings that are an Item's title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from fin_tui.language import any_of, from_first_word, runs_of
from fin_tui.records import Block, BlockKind, Document


class Item(NamedTuple):
    """One Item: ``title`` is today's wording, ``pattern`` what its heading has begun with since the 1990s (plain form)."""

    number: str
    part: str
    title: str
    pattern: re.Pattern[str]


def _item(number: str, part: str, title: str, pattern: str) -> Item:
    return Item(number, part, title, re.compile(pattern))


ITEMS: tuple[Item, ...] = (
    _item("1", "I", "Business", r"(?:description of |the |our |narrative description of )?business\b|general\b"),
    _item("1A", "I", "Risk Factors", r"(?:summary of )?risk factors|cautionary (?:factors|statements?)"),
    _item("1B", "I", "Unresolved Staff Comments", r"unresolved (?:sec )?staff comments"),
    _item("1C", "I", "Cybersecurity", r"cyber ?security"),
    _item("2", "I", "Properties", r"(?:description of |our )?propert(?:y|ies)\b"),
    _item("3", "I", "Legal Proceedings", r"(?:pending )?legal (?:proceedings|matters)"),
    _item(
        "4", "I", "Mine Safety Disclosures", r"mine safety|submission of matters|\(?removed|\(?reserved|no matters|none submitted"
    ),
    _item("4A", "I", "Executive Officers", r"(?:information about (?:our )?)?executive officers"),
    _item("5", "II", "Market for Registrant's Common Equity", r"markets? (?:for|price|information)|price range of"),
    _item(
        "6",
        "II",
        "Selected Financial Data",
        r"(?:consolidated )?selected\b|\(?removed|\(?reserved|summary (?:of )?(?:selected )?financial",
    ),
    _item(
        "7",
        "II",
        "Management's Discussion and Analysis of Financial Condition and Results of Operations",
        r"(?:our )?management ?s discussion|managements? narrative|financial review|discussion and analysis|md&a",
    ),
    _item(
        "7A",
        "II",
        "Quantitative and Qualitative Disclosures About Market Risk",
        r"(?:quantitative|qualitative) (?:and|&) (?:qualitative|quantitative)|(?:disclosures? (?:about|of) )?market risk",
    ),
    _item(
        "8",
        "II",
        "Financial Statements and Supplementary Data",
        r"(?:consolidated |index to (?:consolidated )?)?financial statements?\b",
    ),
    _item(
        "9",
        "II",
        "Changes in and Disagreements with Accountants",
        r"changes? in (?:and|&|or) disagreements?|disagreements?|changes? in (?:registrant ?s|accountant)",
    ),
    _item(
        "9A", "II", "Controls and Procedures", r"(?:disclosure )?controls? (?:and|&) procedures?|managements? report on internal"
    ),
    _item("9B", "II", "Other Information", r"other information"),
    _item("9C", "II", "Disclosure Regarding Foreign Jurisdictions that Prevent Inspections", r"disclosures? regarding foreign"),
    _item(
        "10",
        "III",
        "Directors, Executive Officers and Corporate Governance",
        r"(?:our )?directors?\b|(?:executive officers|management) (?:and|of)",
    ),
    _item(
        "11",
        "III",
        "Executive Compensation",
        r"(?:executive|management|director and executive) (?:officer )?(?:compensation|remuneration)|compensation\b",
    ),
    _item(
        "12",
        "III",
        "Security Ownership of Certain Beneficial Owners and Management",
        r"(?:security|share|stock|beneficial) ownership|ownership of",
    ),
    _item(
        "13",
        "III",
        "Certain Relationships and Related Transactions",
        r"certain (?:relationships?|transactions?|business relationships)|related (?:party|person)|transactions with",
    ),
    _item(
        "14",
        "III",
        "Principal Accountant Fees and Services",
        r"princip(?:al|le) account|exhibits?\b|controls? and|independent (?:registered )?(?:public )?account|audit fees|auditor",
    ),
    _item(
        "15",
        "IV",
        "Exhibits and Financial Statement Schedules",
        r"exhibits?\b|financial statements?\b|princip(?:al|le) account|index to exhibits",
    ),
    _item("16", "IV", "Form 10-K Summary", r"(?:form )?10-?k summary|summary\b"),
)
BY_NUMBER = {item.number: item for item in ITEMS}
ORDER = {item.number: place for place, item in enumerate(ITEMS)}

# Whole headings that stand for an Item where the filing does not number it. Words that head other parts as well ("General",
# "Compensation") are left out.
NAMES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (number, re.compile(pattern))
    for number, pattern in (
        ("1", r"(?:description of )?business"),
        ("1A", r"risk factors"),
        ("1B", r"unresolved staff comments"),
        ("1C", r"cyber ?security"),
        ("2", r"(?:description of )?propert(?:y|ies)"),
        ("3", r"legal proceedings"),
        ("4", r"mine safety disclosures?|submission of matters to a vote of security holders"),
        ("5", r"market for (?:the )?(?:registrant|company|our|\w+ ?s).{0,20}common.{0,140}"),
        (
            "6",
            r"(?:five[ -]year |consolidated )?selected (?:consolidated |historical )?financial (?:data|information)(?: and .*)?",
        ),
        ("7", r"management(?: ?s)? discussion(?: (?:and|&) analysis)?(?: of .{0,110})?|financial review"),
        ("7A", r"quantitative and qualitative disclosures? (?:about|of|regarding) market risks?"),
        ("8", r"(?:consolidated )?financial statements and (?:supplement\w+|financial) (?:data|information|schedules?)"),
        ("9", r"changes in and disagreements with .{0,90}"),
        ("9A", r"controls and procedures"),
        ("9C", r"disclosure regarding foreign jurisdictions.{0,60}"),
        ("10", r"directors,? (?:and )?executive officers.{0,60}"),
        ("11", r"executive compensation"),
        ("12", r"security ownership of certain.{0,110}"),
        ("13", r"certain relationships and related.{0,80}"),
        ("14", r"principal account(?:ant|ing) fees and services"),
        ("15", r"exhibits(?:,| and)(?: financial statement schedules?)?.{0,60}"),
        ("16", r"form 10-?k summary"),
    )
)
_NO_APOSTROPHES = str.maketrans("'’‘`´", "     ")
_SPACED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z&]\s){3,}[A-Za-z](?![A-Za-z])")


def unspaced(text: str) -> str:
    """Letter-spaced words ("B U S I N E S S") closed up; wider gaps between them are kept as word gaps."""
    return _SPACED.sub(lambda match: match.group().replace(" ", ""), text)


def plain(text: str) -> str:
    """``text`` for comparing titles: lower case, one blank, apostrophes as a blank before s, no marks around."""
    lowered = unspaced(text).translate(_NO_APOSTROPHES).lower()
    return " ".join(lowered.split()).strip(" .:;-–—*_[]()")


def title_fits(number: str, title: str) -> bool:
    """Whether ``title`` begins as a heading of that Item does."""
    item = BY_NUMBER.get(number)
    return item is not None and item.pattern.match(plain(title)) is not None


def named_item(text: str) -> str:
    """The Item whose title the whole of ``text`` is; empty when it is none."""
    words = plain(text)
    if not words or len(words) > 170:
        return ""
    return next((number for number, pattern in NAMES if pattern.fullmatch(words)), "")


_NUMBER = r"(?:1[0-6]|[1-9])(?!\d)\s?(?:\(?[ABC]\)?(?:\s?\(T\))?(?![A-Za-z]))?"
_HEAD = re.compile(
    rf"^(?:table of contents\s*)?[\W_]*(?:part\s+[iv]{{1,3}}\b[\s.,:;\-–—]*)?(?P<word>i\s?t\s?e\s?m\s?s?)\s*[.:#\-–—]?\s*"
    rf"(?P<numbers>{_NUMBER}(?:(?:\s*[.,]?\s*(?:,|and|&|through|to|-|–|—|/)\s*(?:items?\s*)?){_NUMBER}\b)*)(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_EACH = re.compile(r"(?P<number>1[0-6]|[1-9])(?!\d)\s?\(?(?P<letter>[ABC])?(?![A-Za-z])", re.IGNORECASE)
_RANGES = ("through", "-", "–", "—")
_PAGE = re.compile(r"(?:[\s.…_]{2,}|\s|\t)(?:pages?\s*)?(?:[A-Z]-)?\d{1,3}(?:\s*[-–—,]\s*(?:[A-Z]-)?\d{1,3})*\s*$")
_REFERENCE = re.compile(
    r"^\W*(?:(?:of|in|to|under|above|below|herein|hereof|contained|included|is|are|was|were|for|we|and|or|which|that|see|as|does|may"
    r"|has|should)\b|[,)”\"]\s*(?:above|of|in|and|“|\"))",
    re.IGNORECASE,
)
_ONWARD = any_of('”, ", of/in this/our (annual) report/form, see, refer to')
_CONTINUED = any_of("continued, contd, cont'd")
_TITLE_END = re.compile(r"(?<=[a-z)\]])[.:]\s|\s[-–—]{1,2}\s|\.\s?[-–—]")
_LONGEST = 260
_TOC_ROWS = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where Items ``numbers`` may begin. ``[start, end)`` is the heading in the clean text."""

    numbers: tuple[str, ...]
    start: int
    end: int
    title: str
    block: int
    page: int
    score: float
    titled: bool
    """Its title is that of the Item."""
    numbered: bool = True
    paged: bool = False
    """A page number stands at its end."""
    listed: bool = False
    """It stands in a table of contents."""
    target: str = ""
    """That page number."""

    @property
    def order(self) -> int:
        return ORDER[self.numbers[0]]


def find_candidates(document: Document) -> list[Candidate]:
    """All candidates in reading order, tables of contents included."""
    found: list[Candidate] = []
    blocks = document.blocks
    for index, block in enumerate(blocks):
        if block.kind is BlockKind.TABLE:
            found.extend(_in_table(document.text, blocks, index))
            continue
        text = document.text[block.start : min(block.end, block.start + 600)]
        made = _numbered(text, block, block.start, block.end) or _named(text, block)
        if made is not None:
            found.append(_with_title_below(made, document.text, blocks, index) if not made.title else made)
    return found


def _in_table(text: str, blocks: Sequence[Block], index: int) -> Iterator[Candidate]:
    block = blocks[index]
    if block.table is None:
        return
    rows = [row for row in block.table.rows if row]
    made: list[Candidate] = []
    for row in rows:
        line = " ".join(cell.text for cell in row)
        candidate = _numbered(line, block, row[0].start, row[-1].end)
        if candidate is not None:
            made.append(candidate)
    whole = len(rows) <= 2
    for candidate in made:
        if len(made) >= _TOC_ROWS or (candidate.paged and len(rows) > 2):
            yield replace(candidate, listed=True)
        elif not candidate.title:
            yield _with_title_below(candidate, text, blocks, index)
        else:
            # A heading laid out as a table has the table to itself.
            yield replace(candidate, score=candidate.score + (1.0 if whole else -1.0))
    if whole and not made:
        named = _named(text[block.start : block.end].replace("\t", " ").replace("\n", " "), block)
        if named is not None:
            yield named


def _numbered(text: str, block: Block, start: int, end: int) -> Candidate | None:
    if "tem" not in text[:60].lower() and "t e m" not in text[:60].lower() and "te m" not in text[:60].lower():
        return None
    match = _HEAD.match(unspaced(text)) if text[:1] != " " else None
    if match is None:
        return None
    numbers = _expand(match.group("numbers"))
    if not numbers:
        return None
    rest = match.group("rest")
    page = _PAGE.search(rest) if len(rest) < _LONGEST else None
    title = (rest[: page.start()] if page else rest).strip(" .:-–—\t\n|*_")
    titled = title_fits(numbers[0], title)
    if not titled and (_REFERENCE.match(rest) or len(title) > _LONGEST):
        return None
    is_whole = end - start <= _LONGEST
    if not is_whole and not (titled and _TITLE_END.search(title[:_LONGEST])) and block.kind is not BlockKind.HEADING:
        return None
    score = 2.0 + 3.0 * titled + 2.0 * (block.kind is BlockKind.HEADING) + 1.0 * is_whole
    score += 0.5 * (block.kind is BlockKind.HEADING and block.level == 1) + 0.5 * match.group("word").isupper()
    score -= 2.0 * (_CONTINUED.search(rest[:_LONGEST]) is not None)
    score -= 3.0 * (titled and _reads_on(title))
    score -= 1.0 * (bool(title) and not titled)
    if not is_whole:
        cut = _TITLE_END.search(title)
        title = title[: cut.start()] if cut else title[:120]
        end = start + min(end - start, text.find(title[-12:]) + 12 if title else len(text))
    target = page.group().strip(" .…_\t\n") if page else ""
    return Candidate(numbers, start, end, title, block.ordinal, block.page, score, titled, paged=page is not None, target=target)


def _reads_on(title: str) -> bool:
    """A sentence that only begins with an Item's name: "Item 1A, Risk Factors, of this report describes"."""
    return _ONWARD.search(title[:_LONGEST]) is not None


def _is_range(text: str) -> bool:
    return any(sign in text for sign in _RANGES) or "to" in runs_of(text)


def _expand(text: str) -> tuple[str, ...]:
    """ "1 and 2" -> 1, 2; "10 through 14" -> 10 … 14."""
    numbers = [m.group("number") + (m.group("letter") or "").upper() for m in _EACH.finditer(text)]
    if not all(number in ORDER for number in numbers):
        return ()
    if len(numbers) == 2 and _is_range(text.lower()) and not any(sign in text for sign in ("and", "&", ",")):
        low, high = ORDER[numbers[0]], ORDER[numbers[1]]
        if high - low < 2 or numbers[0][-1].isalpha():
            return tuple(numbers) if high > low else (numbers[0],)
        return tuple(number for number, place in ORDER.items() if low <= place <= high and number.isdigit())
    kept = [numbers[0]] if numbers else []
    for number in numbers[1:]:
        if ORDER[number] <= ORDER[kept[-1]]:
            break
        kept.append(number)
    return tuple(kept)


def _named(text: str, block: Block) -> Candidate | None:
    if len(text) > 200 or (block.kind is not BlockKind.HEADING and not text.isupper() and not text.istitle()):
        return None
    page = _PAGE.search(text)
    title = (text[: page.start()] if page else text).strip()
    number = named_item(title)
    if not number:
        return None
    score = 1.0 + 1.5 * (block.kind is BlockKind.HEADING) + 0.5 * (block.level == 1) - 1.0 * (_CONTINUED.search(text) is not None)
    target = page.group().strip(" .…_\t\n") if page else ""
    place = (block.start, block.end, title, block.ordinal, block.page)
    return Candidate((number,), *place, score, True, numbered=False, paged=page is not None, target=target)


def _with_title_below(candidate: Candidate, text: str, blocks: Sequence[Block], index: int) -> Candidate:
    """The title of a heading that is only "Item 7." stands in the next block, or there is none."""
    if index + 1 >= len(blocks):
        return candidate
    following = blocks[index + 1]
    title = text[following.start : min(following.end, following.start + _LONGEST)].replace("\t", " ").replace("\n", " ")
    if not title_fits(candidate.numbers[0], title):
        return candidate
    if following.end - following.start > _LONGEST:
        return replace(candidate, titled=True, score=candidate.score + 1.0)
    page = _PAGE.search(title)
    return replace(
        candidate,
        title=(title[: page.start()] if page else title).strip(" .:-–—"),
        end=following.end,
        titled=True,
        score=candidate.score + 3.0,
        paged=page is not None,
        target=page.group().strip(" .…_\t\n") if page else "",
    )


ROMAN = frozenset(f"{tens}{ones}" for tens in ("", "x", "xx") for ones in "i ii iii iv v vi vii viii ix x".split())
"""Roman numbers to thirty, in small letters."""


_ROOM_OF_DIVISIONS = 80


def opening_divisions(text: str) -> tuple[str, ...]:
    """The Parts and Items of a filing that ``text`` opens with: "PART II, Item 7A. Market Risk" -> "part ii", "item 7a"."""
    head = from_first_word(text[:_ROOM_OF_DIVISIONS]).casefold()
    if not head.startswith(("part", "item")):
        return ()
    words = runs_of(head.replace("items", "item").replace("item", "item "))
    pairs = zip(words[::2], words[1::2], strict=False)
    return tuple(f"{kind} {number}" for kind, number in takewhile(lambda pair: _is_division(*pair), pairs))


def _is_division(kind: str, number: str) -> bool:
    if kind == "part":
        return number in ROMAN or number in "1234"
    digits = number[:-1] if number[-1] in "abc" else number
    return kind == "item" and digits.isdigit()


def opens_note(text: str) -> bool:
    """Whether ``text`` begins as the heading of a numbered note does: "Note 7 – Leases"."""
    before, _, behind = text.casefold().partition("note")
    return not any(map(str.isalnum, before)) and behind[:1].isspace() and behind.lstrip()[:1].isdigit()
