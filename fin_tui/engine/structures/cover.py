"""What a filing says by a mark or a line: the check marks of its cover ("Is it a shell company?"), where the stock is traded and
under which symbol, when it was signed, an Item that reads "None.", and a sentence that denies what is asked for by yes or no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.figures.prose import sentences_of
from fin_tui.engine.structures import FilingReader, StructureAnswer, named, one, passage_in
from fin_tui.language import MONTHS, any_name, any_of, runs_of, split_sentences
from fin_tui.records import Chunk, Filing

_COVER = 16_000
"""Characters from the start of a filing within which its cover stands."""
_CHECKED, _EMPTY = "☒☑", "☐"
_MARK = f"[{_CHECKED}{_EMPTY}]"


@dataclass(frozen=True, slots=True)
class _Box:
    """A statement of the cover that is checked or not."""

    asked: re.Pattern[str]
    """In the question."""
    printed: str
    """Pattern of the words that stand before the marks."""
    is_class: bool = False
    """One of several boxes of which one mark each stands beside its words, without Yes and No."""


_BOXES = (
    _Box(any_of("large-accelerated filer"), r"large\s+accelerated\s+filer", True),
    _Box(any_of("non-accelerated filer, nonaccelerated filer"), r"non-?\s*accelerated\s+filer", True),
    _Box(any_of("accelerated filer"), r"(?<!large )(?<!non-)(?<!non)accelerated\s+file[rd]", True),
    _Box(any_of("smaller reporting company"), r"smaller\s+reporting\s+company", True),
    _Box(any_of("emerging growth company"), r"emerging\s+growth\s+company", True),
    _Box(any_of("shell company"), r"is\s+a\s+shell\s+company"),
    _Box(any_of("well-known seasoned issuer, wksi"), r"is\s+a\s+well-known\s+seasoned\s+issuer"),
    _Box(
        re.compile(r"\battest(?:ed|ation)?\b.{0,60}\binternal\s+controls?\b|\binternal\s+controls?\b.{0,60}\battest", re.I),
        r"filed\s+a\s+report\s+on\s+and\s+attestation\s+to",
    ),
    _Box(
        any_of("filed all (the/its) (required) reports, filed all of the (required) reports"),
        r"has\s+filed\s+all\s+reports",
    ),
    _Box(any_of("interactive data"), r"submitted\s+electronically\s+every\s+interactive\s+data"),
)
_YES_NO = re.compile(rf"yes\s*(?P<yes>{_MARK})?\s*no\s*(?P<no>{_MARK})?", re.I)


def cover(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The answer of the box that ``text`` asks about; None when it asks about none, or its marks can't be read."""
    box = next((box for box in _BOXES if box.asked.search(text)), None)
    if box is None:
        return None
    page = reader.library.text(filing.id)[:_COVER]
    found = (box.is_class and _of_class(box, page)) or _of_statement(box, page)
    if found is None:
        return None
    yes, start, end = found
    said = " ".join(page[start:end].split())
    told = f"{'Yes' if yes else 'No'}: the cover of {filing.company}'s {named(filing)} reads “{said}”."
    return one(told, reader.passage(1, filing, start, end) or reader.passage(1, filing, start, start + 1))


def _of_class(box: _Box, page: str) -> tuple[bool, int, int] | None:
    """ "Large accelerated filer ☒": the mark behind the words, or before them where marks lead."""
    behind = re.search(rf"(?<![“\"\w])({box.printed})[ \t]*(?P<mark>{_MARK})", page, re.I)
    if behind is not None:
        return behind["mark"] in _CHECKED, behind.start(), behind.end()
    leading = re.search(rf"(?P<mark>{_MARK})[ \t]*({box.printed})\b", page, re.I)
    return (leading["mark"] in _CHECKED, leading.start(), leading.end()) if leading is not None else None


def _of_statement(box: _Box, page: str) -> tuple[bool, int, int] | None:
    """ "… is a shell company (as defined …). Yes ☐ No ☒", or one mark behind the statement."""
    statement = re.search(rf"is\s+an?\s+{box.printed}\s+\(" if box.is_class else box.printed, page, re.I)
    if statement is None:
        return None
    begin = max(page.rfind("Indicate by check", 0, statement.start()), page.rfind("\n", 0, statement.start()) + 1)
    stop = page.find("Indicate by check", statement.end())
    rest = page[statement.end() : stop if stop > 0 else statement.end() + 1200]
    answered = next((m for m in _YES_NO.finditer(rest) if m["yes"] or m["no"]), None)
    if answered is not None:
        yes, no = answered["yes"], answered["no"]
        checked = yes in _CHECKED if yes else no not in _CHECKED if no else False
        if yes and no and (yes in _CHECKED) == (no in _CHECKED):
            return None
        return checked, begin, statement.end() + answered.end()
    own = rest.partition("\n")[0]
    marks = [sign for sign in own if sign in _CHECKED + _EMPTY]
    if len(marks) != 1:
        return None
    return marks[0] in _CHECKED, begin, statement.end() + own.index(marks[0]) + 1


_ASKED_SYMBOL = any_of("ticker(s), trading/stock/ticker symbol(s), under which/what symbol")
_ASKED_EXCHANGE = re.compile(
    r"\b(?:which|what)\s+(?:stock\s+)?(?:exchanges?|markets?)\b.{0,80}\b(?:list|trade|quote)|\bstock\s+exchanges?\b.{0,60}\b(?:list|trade|regist)|"
    r"\bwhere\b.{0,60}\b(?:stock|shares?|securities)\b.{0,40}\b(?:listed|traded|trades?|quoted)\b|"
    r"\b(?:listed|traded|quoted)\s+on\s+(?:which|what)\b",
    re.I,
)
_EXCHANGE = re.compile(
    r"\bnew\s+york\s+stock\s+exchange\b|\bNYSE\b|\bnasdaq\b|\bamerican\s+stock\s+exchange\b|\bOTC(?:QB|QX|BB)?\b|\bover-the-counter\b",
    re.I,
)
_TRADED = any_of("traded, trade(s), listed, quoted, market for")
_STOCK = any_of("common/capital/ordinary stock/share(s), shares, class a")
_SYMBOL = re.compile(r"\bsymbols?\b[\s:,]*[“\"'(]*\s*(?P<symbol>[A-Z]{1,5}(?:\.[A-Z])?)\b")
_FIRST_PAGES = 25_000
_ITEMS = ("5", "1", "")


def exchange_listing(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The answer to a question for the ticker or the exchange; None for another, or when the filing says neither."""
    symbol = _ASKED_SYMBOL.search(text) is not None
    if not symbol and not _ASKED_EXCHANGE.search(text):
        return None
    chunks = sorted(reader.chunks.of_filing(filing.id), key=lambda chunk: _ITEMS.index(chunk.item) if chunk.item in _ITEMS else 9)
    for chunk in chunks:
        for start, end in sentences_of(chunk):
            said = chunk.text[start:end]
            if _says(said, symbol=symbol):
                return one(" ".join(said.split()), reader.passage(1, filing, chunk.start + start, chunk.start + end))
    return _on_cover(reader, filing, symbol=symbol)


def _says(sentence: str, *, symbol: bool) -> bool:
    if not _EXCHANGE.search(sentence) or not _TRADED.search(sentence) or not _STOCK.search(sentence):
        return False
    return not symbol or _SYMBOL.search(sentence) is not None


def _on_cover(reader: FilingReader, filing: Filing, *, symbol: bool) -> StructureAnswer | None:
    """The line of the cover that names the common stock and its exchange."""
    page = reader.library.text(filing.id)[:_FIRST_PAGES]
    at = 0
    for line in page.split("\n"):
        start, end = at, at + len(line)
        at = end + 1
        if not _STOCK.search(line) or not _EXCHANGE.search(line) or len(line) > 300:
            continue
        if symbol and not (filing.ticker and any_name((filing.ticker,)).search(line)):
            continue
        said = " ".join(line.split())
        return one(
            f"The cover reads “{said}”.", reader.passage(1, filing, start, end) or reader.passage(1, filing, start, start + 1)
        )
    return None


_EMPTY_ITEMS = (
    (any_of("unresolved (sec) (staff) comment(s), staff comment(s)"), "1B"),
    (any_of("mine safety, mining (safety) violation(s)"), "4"),
    (any_of("legal proceeding(s), lawsuit(s), litigation"), "3"),
    (
        any_of("disagreement(s) with (its/the) accountant(s)/auditor(s), change(s) in/of accountant(s)"),
        "9",
    ),
)
_NOTHING = re.compile(
    r"^\W*(?:none|not\s+applicable|no\b.{0,120}|nothing\b.{0,60}|(?:the\s+company|we)\s+(?:has|have)\s+(?:no|received\s+no)\b.*)\W*$",
    re.I | re.S,
)
_LONGEST = 300


def empty_item(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "No: Item 1B reads “None.”" when the Item of the question's matter says no more than that."""
    item = next((item for pattern, item in _EMPTY_ITEMS if pattern.search(text)), None)
    section = reader.section(filing, item) if item else None
    if section is None:
        return None
    body, begin = reader.body(filing, section)
    said = next((line.strip() for line in body.split("\n") if line.strip()), "")
    if not said or len(said) > _LONGEST or not _NOTHING.match(said):
        return None
    at = begin + body.index(said)
    passage = reader.passage(1, filing, at, at + len(said))
    return one(f"No: Item {item} of {filing.company}'s {named(filing)} reads “{said}”", passage)


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
        any_of("preferred stock/share(s)"),
        re.compile(
            r"\bpreferred\s+(?:stock|shares)\b[^.]{0,40}(?:\.\d+[^.]{0,160})?[^.]{0,120}\b(?:no|none)\b(?:\s+shares)?\s+"
            r"(?:(?:were|are|have\s+been)\s+)?(?:issued|outstanding)"
            r"|\b(?:no|none\s+of\s+the)\s+(?:shares\s+of\s+)?(?:\w+\s+)?preferred\s+(?:stock|shares)\b[^.]{0,60}\b(?:issued|outstanding)\b",
            re.I,
        ),
    ),
)
_HOME = ("5", "8", "15", "7", "1A", "")
"""Where such a denial is at home comes first."""


def denied(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "No: …" with the sentence that denies it; None when none does."""
    pattern = next((denial for asked, denial in _DENIALS if asked.search(text)), None)
    if pattern is None:
        return None
    found = [
        (chunk, start, end)
        for chunk in reader.chunks.of_filing(filing.id)
        if pattern.search(chunk.text)
        for start, end in _pieces(chunk)
        if pattern.search(chunk.text[start:end])
    ]
    if not found:
        return None
    chunk, start, end = min(found, key=lambda place: _HOME.index(place[0].item) if place[0].item in _HOME else len(_HOME))
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


_DATE_ASKED = re.compile(
    r"^(?:\W*[\w'’]+){0,3}?\W*\b(?:when|(?:on\s+)?(?:what|which)\s+(?:date|day))\b"
    r".{0,90}\b(?:signed|sign|filed|file|dated|submitted)\b",
    re.I,
)
_DAY = re.compile(
    rf"\b(?:{'|'.join(MONTHS)})\s+\d{{1,2}},\s+(?:19|20)\d\d\b",
    re.I,
)
_DATED, _ENDED = frozenset(("date", "dated", "on")), frozenset(("ended", "ending", "as of"))
"""What stands before the day of a signature, and before one that a period ends."""


def asks_date_signed(text: str) -> bool:
    """Whether ``text`` asks when the filing was signed or filed."""
    return _DATE_ASKED.search(text) is not None


def date_signed(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "… was signed on February 3, 2025 and filed on 2025-02-04." """
    section = reader.section(filing, "", "signature")
    if section is None:
        return None
    text = reader.library.text(filing.id)[section.start : section.end]
    said = [(match, ["", *runs_of(text[: match.start()].lower())][-2:]) for match in _DAY.finditer(text)]
    dated = {match: before[-1] for match, before in said if before[-1] in _DATED}
    plain = [match for match, before in said if not _ENDED.intersection((before[-1], " ".join(before)))]
    match = next(iter(dated or plain), None)
    if match is None:
        return None
    told = f"{filing.company}'s {named(filing)} was signed on {match.group()}"
    if filing.filed is not None:
        told += f" and filed on {filing.filed.isoformat()}"
    start = text.lower().rfind(dated[match], 0, match.start()) if match in dated else match.start()
    return one(told + ".", reader.passage(1, filing, section.start + start, section.start + match.end()))
