"""Answers that are lists: from tagged parts, headings, tables and sentences that enumerate, each item cited, with a count."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.questions.kinds import Listing, read_listing
from fin_tui.engine.questions.question import Question
from fin_tui.engine.structures import Desk, Passages, StructureAnswer, named
from fin_tui.engine.structures.enumeration import (
    Entry,
    Enumerated,
    best_enumeration,
    headings_under,
    paragraphs_under,
    rows_under,
    securities,
)
from fin_tui.engine.structures.members import members
from fin_tui.facts.words import stem
from fin_tui.language import split_sentences
from fin_tui.records import Filing, Sentence

_FIRM = 1.35
"""An enumeration that fits so well is the answer whatever else the filing has."""
_FITS = 1.2
"""One that fits less well is no answer."""
_BRIEF = 200
_REGISTERED = re.compile(
    r"\bexchanges?\b.{0,60}\b(?:list|trad|regist)|\bclass(?:es)?\s+of\s+(?:\w+\s+)?(?:stock|shares|securities)\b", re.I
)
_MONTHS = frozenset(stem(month.lower()) for month in calendar.month_name[1:])
"""A date says as of when, and narrows nothing."""
_SEGMENT = frozenset(("segment",))
_KINDS_OF_SEGMENT = frozenset(("report", "oper", "busi", "industri", "geograph"))
_MADE = frozenset(("product", "categori", "good"))
_TABLES = frozenset(("offic", "properti", "facil", "locat", "subsidiari", "director", "resort", "brand", "plant"))
"""What filings list in tables."""


def lists(question: Question, desk: Desk, filing: Filing) -> StructureAnswer | None:
    """The list that ``question`` asks for; None when the filing's structure does not give it."""
    listing = read_listing(question.subject)
    if listing is None:
        return None
    if listing.head in _SEGMENT:
        listing = replace(listing, kinds=listing.kinds - _KINDS_OF_SEGMENT, rest=frozenset(), is_making=False)
        said = best_enumeration(listing, desk, filing)
        said = said if said is not None and said.score >= _FITS else None
        return _tagged(listing, desk, filing, said) or (_of_sentence(said, desk, filing) if said else None)
    if _REGISTERED.search(question.text):
        entries = securities(desk.document(filing))
        return _of_entries("registered on an exchange", "securities", entries, desk, filing) if entries else None
    firm = _sentence(listing, desk, filing, _FIRM)
    if firm is not None:
        return firm
    return _structured(listing, desk, filing) or _sentence(listing, desk, filing, _FITS)


def _structured(listing: Listing, desk: Desk, filing: Filing) -> StructureAnswer | None:
    if listing.rest - _MONTHS:  # Something narrows the list; headings and tables can't tell.
        return None
    document = desk.document(filing)
    entries = headings_under(listing, document)
    where = "headings"
    if not entries and listing.head in _TABLES:
        entries, where = rows_under(listing, document), "rows"
    if not entries:
        entries, where = paragraphs_under(listing, document), "paragraphs"
    if entries:
        return _of_entries(f"under “{listing.name}”", where, entries, desk, filing)
    return _tagged(listing, desk, filing) if listing.head in _MADE or not listing.kinds else None


def _tagged(listing: Listing, desk: Desk, filing: Filing, said: Enumerated | None = None) -> StructureAnswer | None:
    """The parts for which figures are tagged, behind the sentence that names as many of them."""
    if listing.kinds - _MADE:
        return None
    found = members(listing, desk.document(filing).facts, filing)
    if found is None:
        return None
    what, parts = found
    entries = [Entry(part.name, *_row(desk, filing, part.fact.start, part.fact.end)) for part in parts]
    agrees = said is not None and len(said.found.items) == len(entries)
    return _of_entries("for which figures are tagged", what, entries, desk, filing, said if agrees else None)


def _row(desk: Desk, filing: Filing, start: int, end: int) -> tuple[int, int]:
    """The line of the clean text around a figure: its table row."""
    text = desk.library.text(filing.id)
    last = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, last if last >= 0 else len(text)


def _of_entries(
    how: str, what: str, entries: Sequence[Entry], desk: Desk, filing: Filing, said: Enumerated | None = None
) -> StructureAnswer:
    passages = Passages(desk, filing)
    first = passages.number(said.start, said.end) if said is not None else None
    told = []
    for number, entry in enumerate(entries, start=1):
        cited = passages.number(entry.start, entry.end)
        told.append(Sentence(shorten(f"{number}. {entry.text}"), (cited,) if cited else (), "grounded", opens="line"))
    head = f"{filing.company}'s {named(filing)} has {len(entries)} {what} {how}:"
    lead = (Sentence(_quote(said, desk, filing), (first,), "grounded"),) if said is not None and first else ()
    return StructureAnswer((*lead, Sentence(head, (), "computed", opens="paragraph"), *told), tuple(passages.made))


def _brief(item: str) -> str:
    """The first sentence of a long item."""
    return item if len(item) <= _BRIEF else shorten(item[: split_sentences(item)[0][1]])


def _sentence(listing: Listing, desk: Desk, filing: Filing, least: float) -> StructureAnswer | None:
    best = best_enumeration(listing, desk, filing)
    return _of_sentence(best, desk, filing) if best is not None and best.score >= least else None


def _of_sentence(best: Enumerated, desk: Desk, filing: Filing) -> StructureAnswer | None:
    passages = Passages(desk, filing)
    first = passages.number(best.start, best.end)
    if first is None:
        return None
    items = best.found.items
    told = [Sentence(_quote(best, desk, filing), (first,), "grounded")]
    if best.found.stated is not None and best.found.stated != len(items):
        return StructureAnswer(tuple(told), tuple(passages.made), is_open=True)
    told.append(Sentence(f"It names {len(items)}:", (), "computed", opens="paragraph"))
    for number, item in enumerate(items, start=1):
        cited = passages.number(*best.places[number - 1]) if best.places else first
        told.append(Sentence(f"{number}. {_brief(item)}", (cited or first,), "grounded", opens="line"))
    return StructureAnswer(tuple(told), tuple(passages.made), is_open=True)


def _quote(best: Enumerated, desk: Desk, filing: Filing) -> str:
    return shorten(desk.library.text(filing.id)[best.start : best.end])
