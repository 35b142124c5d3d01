"""What a filing says by a mark or a line: the check marks of its cover ("Is it a shell company?"), where the stock is traded and
under which symbol, when it was signed, an Item that reads "None.", and a sentence that denies what is asked for by yes or no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.figures.prose import sentences_of
from fin_tui.engine.structures import FilingReader, StructureAnswer, named, one, passage_in
from fin_tui.language import MONTHS, YEAR, any_name, any_of, runs_of, split_sentences
from fin_tui.records import Chunk, Filing

_COVER = 16_000
"""Characters from the start of a filing within which its cover stands."""
_CHECKED, _EMPTY = "☒☑", "☐◻□"
_MARKS = frozenset(_CHECKED + _EMPTY)


@dataclass(frozen=True, slots=True)
class _Box:
    """A statement of the cover that is checked or not."""

    asked: tuple[re.Pattern[str], ...]
    """All in the question."""
    printed: re.Pattern[str]
    """The words that stand before the marks."""
    is_class: bool = False
    """One of several boxes of which one mark each stands beside its words, without Yes and No."""


def _class(asked: str, printed: str = "") -> _Box:
    return _Box((any_of(asked),), any_of(printed or asked), is_class=True)


_BOXES = (
    _class("large-accelerated filer"),
    _class("non-accelerated filer, nonaccelerated filer"),
    _class("accelerated filer", "accelerated filer/filed"),
    _class("smaller reporting company"),
    _class("emerging growth company"),
    _Box((any_of("shell company"),), any_of("is a shell company")),
    _Box((any_of("well-known seasoned issuer, wksi"),), any_of("is a well-known seasoned issuer")),
    _Box(
        (any_of("attest, attested, attestation"), any_of("internal control(s)")),
        any_of("filed a report on and attestation to"),
    ),
    _Box(
        (any_of("filed all (the/its) (required) reports, filed all of the (required) reports"),),
        any_of("has filed all reports"),
    ),
    _Box((any_of("interactive data"),), any_of("submitted electronically every interactive data")),
)
_OTHER_CLASS = ("large", "non", "non-")
"""What stands before "accelerated filer" in the names of other classes."""
_ANSWERS = any_of("yes, no")


def cover(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The answer of the box that ``text`` asks about; None when it asks about none, or its marks can't be read."""
    box = next((box for box in _BOXES if all(words.search(text) for words in box.asked)), None)
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
    leading = None
    for match in box.printed.finditer(page):
        before, behind = page[: match.start()].rstrip(" \t"), page[match.end() :].lstrip(" \t")
        if before.lower().endswith(_OTHER_CLASS):
            continue
        if behind[:1] in _MARKS and not before.endswith(("“", '"')):
            return behind[0] in _CHECKED, match.start(), len(page) - len(behind) + 1
        if leading is None and before[-1:] in _MARKS:
            leading = before[-1] in _CHECKED, len(before) - 1, match.end()
    return leading


def _of_statement(box: _Box, page: str) -> tuple[bool, int, int] | None:
    """ "… is a shell company (as defined …). Yes ☐ No ☒", or one mark behind the statement."""
    statement = next((match for match in box.printed.finditer(page) if not box.is_class or _is_explained(page, match)), None)
    if statement is None:
        return None
    begin = max(page.rfind("Indicate by check", 0, statement.start()), page.rfind("\n", 0, statement.start()) + 1)
    stop = page.find("Indicate by check", statement.end())
    rest = page[statement.end() : stop if stop > 0 else statement.end() + 1200]
    answered = next(_answers(rest), None)
    if answered is not None:
        yes, no, end = answered
        checked = yes in _CHECKED if yes else no not in _CHECKED
        if yes and no and (yes in _CHECKED) == (no in _CHECKED):
            return None
        return checked, begin, statement.end() + end
    own = rest.partition("\n")[0]
    marks = [sign for sign in own if sign in _CHECKED + _EMPTY]
    if len(marks) != 1:
        return None
    return marks[0] in _CHECKED, begin, statement.end() + own.index(marks[0]) + 1


def _is_explained(page: str, match: re.Match[str]) -> bool:
    """ "… is a shell company (as defined …)"."""
    return page[: match.start()].lower().split()[-2:] in (["is", "a"], ["is", "an"]) and page[match.end() :].lstrip()[:1] == "("


def _answers(text: str) -> Iterator[tuple[str, str, int]]:
    """The marks of each "Yes ☐ No ☒" or "☐ Yes ☒ No", "" for one that has none, and where they end."""
    for yes, no in pairwise(_ANSWERS.finditer(text)):
        between, behind = text[yes.end() : no.start()].strip(), text[no.end() :].lstrip()
        mark, leading = behind[:1] if behind[:1] in _MARKS else "", text[: yes.start()].rstrip()[-1:]
        if (yes[0].lower(), no[0].lower()) != ("yes", "no") or not (between in _MARKS or (mark and not between)):
            continue
        if leading in _MARKS and between and not mark:
            yield leading, between, no.end()
        else:
            yield between, mark, len(text) - len(behind) + 1 if mark else no.end()


_ASKED_SYMBOL = any_of("ticker(s), trading/stock/ticker symbol(s), under which/what symbol")
_ASKED_EXCHANGE = (
    (any_of("which/what (stock) exchange(s)/market(s)"), any_of("list*, trade*, quote*")),
    (any_of("stock exchange(s)"), any_of("list*, trade*, regist*")),
    (any_of("where"), any_of("stock, share(s), security, securities"), any_of("listed, traded, trade(s), quoted")),
    (any_of("listed/traded/quoted on which/what"),),
)
_EXCHANGE = any_of("new york stock exchange, nyse, nasdaq, american stock exchange, otc, otcqb, otcqx, otcbb, over-the-counter")
_TRADED = any_of("traded, trade(s), listed, quoted, market for")
_STOCK = any_of("common/capital/ordinary stock/share(s), shares, class a")
_SYMBOL = any_of("symbol(s)")
_LONGEST_SYMBOL = 5
_NEAR = 120
"""Characters behind words within which those stand that belong to them."""
_FIRST_PAGES = 25_000
_ITEMS = ("5", "1", "")


def exchange_listing(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The answer to a question for the ticker or the exchange; None for another, or when the filing says neither."""
    symbol = _ASKED_SYMBOL.search(text) is not None
    if not symbol and not any(_in_turn(words, text) for words in _ASKED_EXCHANGE):
        return None
    chunks = sorted(reader.chunks.of_filing(filing.id), key=lambda chunk: _ITEMS.index(chunk.item) if chunk.item in _ITEMS else 9)
    for chunk in chunks:
        for start, end in sentences_of(chunk):
            said = chunk.text[start:end]
            if _says(said, symbol=symbol):
                return one(" ".join(said.split()), reader.passage(1, filing, chunk.start + start, chunk.start + end))
    return _on_cover(reader, filing, symbol=symbol)


def _in_turn(patterns: Sequence[re.Pattern[str]], text: str) -> bool:
    """Whether ``text`` has words for each of ``patterns``, none of them far behind those for the one before."""
    first, *others = patterns
    return any(not others or _in_turn(others, text[match.end() : match.end() + _NEAR]) for match in first.finditer(text))


def _says(sentence: str, *, symbol: bool) -> bool:
    if not _EXCHANGE.search(sentence) or not _TRADED.search(sentence) or not _STOCK.search(sentence):
        return False
    called = (sentence[match.end() :].lstrip(" :,“\"'(") for match in _SYMBOL.finditer(sentence))
    return not symbol or any(_is_symbol("".join(runs_of(name[: 2 * _LONGEST_SYMBOL], ".")[:1])) for name in called)


def _is_symbol(word: str) -> bool:
    """Whether ``word`` can be a ticker, with the letter of a class or without: "BRK.B"."""
    name, _, letter = word.rstrip(".").partition(".")
    return 0 < len(name) <= _LONGEST_SYMBOL and len(letter) < 2 and (name + letter).isalpha() and (name + letter).isupper()


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
_NOTHING = frozenset(("none", "not applicable"))
_BEGINS_NOTHING = any_of("no, nothing")
_HAVE_NONE = any_of("the company has/have (received) no, we has/have (received) no")
_BRIEF = 120
_LONGEST = 300


def empty_item(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "No: Item 1B reads “None.”" when the Item of the question's matter says no more than that."""
    item = next((item for pattern, item in _EMPTY_ITEMS if pattern.search(text)), None)
    section = reader.section(filing, item) if item else None
    if section is None:
        return None
    body, begin = reader.body(filing, section)
    said = next((line.strip() for line in body.split("\n") if line.strip()), "")
    if not said or len(said) > _LONGEST or not _says_nothing(said):
        return None
    at = begin + body.index(said)
    passage = reader.passage(1, filing, at, at + len(said))
    return one(f"No: Item {item} of {filing.company}'s {named(filing)} reads “{said}”", passage)


def _says_nothing(said: str) -> bool:
    words = runs_of(said.lower())
    begins = said[said.lower().index(words[0]) :] if words else ""
    is_no = len(begins) <= _BRIEF and _BEGINS_NOTHING.match(begins) is not None
    return " ".join(words) in _NOTHING or is_no or _HAVE_NONE.match(begins) is not None


_DENIALS = (
    (
        (any_of("pay, pays, paid, paying, declare, declares, declared"), any_of("dividend(s)")),
        (
            (
                any_of("has/had/have never/not (declared or) paid, has/had/have never/not (paid or) declared"),
                any_of("dividend(s)"),
            ),
            (any_of("no (cash) dividends were declared/paid, no (cash) dividends have been declared/paid"),),
            (any_of("do/does/did not (currently) pay/declare"), any_of("dividend(s)")),
        ),
    ),
    (
        (any_of("preferred stock/share(s)"),),
        (
            (any_of("preferred stock/shares"), any_of("no/none (shares) (were/are/have been) issued/outstanding")),
            (any_of("no/none (of the) (shares of) (*) preferred stock/shares"), any_of("issued, outstanding")),
        ),
    ),
)
"""What is asked for, and the words one behind the other that deny it."""
_HOME = ("5", "8", "15", "7", "1A", "")
"""Where such a denial is at home comes first."""


def denied(text: str, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "No: …" with the sentence that denies it; None when none does."""
    denials = next((denials for asked, denials in _DENIALS if all(words.search(text) for words in asked)), ())
    found = [
        (chunk, start, end)
        for chunk in reader.chunks.of_filing(filing.id)
        if any(words[0].search(chunk.text) for words in denials)
        for start, end in _pieces(chunk)
        if any(_in_turn(words, chunk.text[start:end]) for words in denials)
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


_WHEN, _SIGNED = any_of("when, what/which date/day"), any_of("signed, sign, filed, file, dated, submitted")
_MOST_BEFORE = 3
"""Words of a question before the one that asks when."""
_LONGEST_DAY = 20
_DATED, _ENDED = frozenset(("date", "dated", "on")), frozenset(("ended", "ending", "as of"))
"""What stands before the day of a signature, and before one that a period ends."""


def asks_date_signed(text: str) -> bool:
    """Whether ``text`` asks when the filing was signed or filed."""
    match = _WHEN.search(text)
    return match is not None and len(text[: match.start()].split()) <= _MOST_BEFORE and _in_turn((_WHEN, _SIGNED), text)


def date_signed(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "… was signed on February 3, 2025 and filed on 2025-02-04." """
    section = reader.section(filing, "", "signature")
    if section is None:
        return None
    text = reader.library.text(filing.id)[section.start : section.end]
    said = [(place, ["", *runs_of(text[: place[0]].lower())][-2:]) for place in _days(text)]
    dated = {place: before[-1] for place, before in said if before[-1] in _DATED}
    plain = [place for place, before in said if not _ENDED.intersection((before[-1], " ".join(before)))]
    place = next(iter(dated or plain), None)
    if place is None:
        return None
    told = f"{filing.company}'s {named(filing)} was signed on {text[place[0] : place[1]]}"
    if filing.filed is not None:
        told += f" and filed on {filing.filed.isoformat()}"
    start = text.lower().rfind(dated[place], 0, place[0]) if place in dated else place[0]
    return one(told + ".", reader.passage(1, filing, section.start + start, section.start + place[1]))


def _days(text: str) -> Iterator[tuple[int, int]]:
    """Where days are written out: "February 3, 2025"."""
    for year in YEAR.finditer(text):
        before = text[max(0, year.start() - _LONGEST_DAY) : year.start()]
        month, day = ["", "", *runs_of(before)][-2:]
        if before.rstrip().endswith(f"{day},") and day.isdigit() and month.lower() in MONTHS:
            yield text.rindex(month, 0, year.start()), year.end()
