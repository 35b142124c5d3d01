"""What there is, and how many: lists from tagged parts, headings, tables and sentences that enumerate, each item cited; numbers
that a sentence, or the total of a table, gives for what is counted.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.engine.evidence.extract import shorten, shorten_around
from fin_tui.engine.figures.as_text import possessive
from fin_tui.engine.figures.counted import counted
from fin_tui.engine.figures.prose import sentences_of
from fin_tui.engine.questions.kinds import Count, Listing, read_count, read_listing
from fin_tui.engine.questions.question import Question
from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer, named, passage_in
from fin_tui.engine.structures.enumeration import (
    Entry,
    Enumerated,
    best_enumeration,
    headings_under,
    paragraphs_under,
    rows_under,
)
from fin_tui.engine.structures.members import members
from fin_tui.facts.words import stems
from fin_tui.language import MONTHS, YEAR, any_of, split_sentences
from fin_tui.records import Block, Cell, Chunk, Filing, Sentence, Table

_FIRM = 1.35
"""An enumeration that fits so well is the answer whatever else the filing has."""
_FITS = 1.2
"""One that fits less well is no answer."""
_BRIEF = 200
_MONTHS = frozenset(stems(" ".join(MONTHS)))
"""A date says as of when, and narrows nothing."""
_SEGMENT = frozenset(("segment",))
_KINDS_OF_SEGMENT = frozenset(("report", "oper", "busi", "industri", "geograph"))
_MADE = frozenset(("product", "categori", "good"))
_TABLES = frozenset(("offic", "properti", "facil", "locat", "subsidiari", "director", "resort", "brand", "plant"))
"""What filings list in tables."""


def list_answer(question: Question, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The list that ``question`` asks for; None when the filing's structure does not give it."""
    listing = read_listing(question.subject)
    if listing is None:
        return None
    if listing.head in _SEGMENT:
        listing = replace(listing, kinds=listing.kinds - _KINDS_OF_SEGMENT, rest=frozenset(), is_making=False)
        said = best_enumeration(listing, reader, filing)
        said = said if said is not None and said.score >= _FITS else None
        return _tagged(listing, reader, filing, said) or (_of_sentence(said, reader, filing) if said else None)
    firm = _sentence(listing, reader, filing, _FIRM)
    if firm is not None:
        return firm
    return _structured(listing, reader, filing) or _sentence(listing, reader, filing, _FITS)


def _structured(listing: Listing, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    if listing.rest - _MONTHS:  # Something narrows the list; headings and tables can't tell.
        return None
    document = reader.document(filing)
    entries = headings_under(listing, document)
    where = "headings"
    if not entries and listing.head in _TABLES:
        entries, where = rows_under(listing, document), "rows"
    if not entries:
        entries, where = paragraphs_under(listing, document), "paragraphs"
    if entries:
        return _of_entries(f"under “{listing.name}”", where, entries, reader, filing)
    return _tagged(listing, reader, filing) if listing.head in _MADE or not listing.kinds else None


def _tagged(listing: Listing, reader: FilingReader, filing: Filing, said: Enumerated | None = None) -> StructureAnswer | None:
    """The parts for which figures are tagged, behind the sentence that names as many of them."""
    if listing.kinds - _MADE:
        return None
    found = members(listing, reader.document(filing).facts, filing)
    if found is None:
        return None
    what, parts = found
    entries = [Entry(part.name, *_row(reader, filing, part.fact.start, part.fact.end)) for part in parts]
    agrees = said is not None and len(said.found.items) == len(entries)
    return _of_entries("for which figures are tagged", what, entries, reader, filing, said if agrees else None)


def _row(reader: FilingReader, filing: Filing, start: int, end: int) -> tuple[int, int]:
    """The line of the clean text around a figure: its table row."""
    text = reader.library.text(filing.id)
    last = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, last if last >= 0 else len(text)


def _of_entries(
    how: str, what: str, entries: Sequence[Entry], reader: FilingReader, filing: Filing, said: Enumerated | None = None
) -> StructureAnswer:
    passages = Passages(reader, filing)
    first = passages.number(said.start, said.end) if said is not None else None
    told = []
    for number, entry in enumerate(entries, start=1):
        cited = passages.number(entry.start, entry.end)
        told.append(Sentence(shorten(f"{number}. {entry.text}"), (cited,) if cited else (), "grounded", opens="line"))
    head = f"{filing.company}'s {named(filing)} has {len(entries)} {what} {how}:"
    lead = (Sentence(_quote(said, reader, filing), (first,), "grounded"),) if said is not None and first else ()
    return StructureAnswer((*lead, Sentence(head, (), "computed", opens="paragraph"), *told), tuple(passages.made))


def _brief(item: str) -> str:
    """The first sentence of a long item."""
    return item if len(item) <= _BRIEF else shorten(item[: split_sentences(item)[0][1]])


def _sentence(listing: Listing, reader: FilingReader, filing: Filing, least: float) -> StructureAnswer | None:
    best = best_enumeration(listing, reader, filing)
    return _of_sentence(best, reader, filing) if best is not None and best.score >= least else None


def _of_sentence(best: Enumerated, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    passages = Passages(reader, filing)
    first = passages.number(best.start, best.end)
    if first is None:
        return None
    items = best.found.items
    told = [Sentence(_quote(best, reader, filing), (first,), "grounded")]
    if best.found.stated is not None and best.found.stated != len(items):
        return StructureAnswer(tuple(told), tuple(passages.made), is_open=True)
    told.append(Sentence(f"It names {len(items)}:", (), "computed", opens="paragraph"))
    for number, item in enumerate(items, start=1):
        cited = passages.number(*best.places[number - 1]) if best.places else first
        told.append(Sentence(f"{number}. {_brief(item)}", (cited or first,), "grounded", opens="line"))
    return StructureAnswer(tuple(told), tuple(passages.made), is_open=True)


def _quote(best: Enumerated, reader: FilingReader, filing: Filing) -> str:
    return shorten(reader.library.text(filing.id)[best.start : best.end])


_WHOLE, _AT_END = any_of("(grand) total, ending"), any_of("end of, year-end")
_MEASURE = any_of(
    "square, feet, average, per, %, $, sales, opened, opening(s), closed, closure(s), closing(s), thousands, millions"
)
_PLAIN = frozenset(stems("total grand ending end of the year period fiscal count counts number year-end at as in"))
_NEAR = dt.timedelta(days=10)


@dataclass(frozen=True, slots=True)
class _Found:
    """A cell that states the count, with its row."""

    value: int
    score: float
    label: str
    column: str
    start: int
    end: int
    day: dt.date | None
    """The day of its column, else the end of the filing's year."""


def count_in_cells(count: Count, question: Question, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The total that the filing's tables give for what is counted at the end of the year asked; None where they differ."""
    end = _end_asked(question, filing)
    found = [one for block in reader.document(filing).blocks for one in _of_block(block, count, end, filing)]
    best = [one for one in found if one.score == max(other.score for other in found)]
    if not best or len({one.value for one in best}) > 1:
        return None
    first = best[0]
    chunk = reader.chunks.holding(filing.id, first.start, first.end)
    if chunk is None:
        return None
    passage = passage_in(1, filing, chunk, first.start, first.end)
    when = f", at {first.day}" if first.day is not None else ""
    told = f"{possessive(filing.company)} {first.label}{f' ({first.column})' if first.column else ''}{when}: {first.value:,}."
    return StructureAnswer((Sentence(told, (1,), "grounded"),), (passage,), float(first.value), "count")


def _end_asked(question: Question, filing: Filing) -> dt.date | None:
    """The last day of the year asked about, by the filing's own calendar."""
    periods, own = question.periods, filing.period_end
    if days := (*periods.dates, *periods.months):
        return days[-1]
    if own is None or filing.fiscal_year is None or not periods.years:
        return own
    return own - dt.timedelta(days=round(365.25 * (filing.fiscal_year - periods.years[-1])))


def _of_block(block: Block, count: Count, end: dt.date | None, filing: Filing) -> Iterator[_Found]:
    table = block.table
    if table is None or table.scale > 1:  # Whether its scale is that of things or of money, rows of figures know.
        return
    is_of_another_day = end is not None and filing.period_end is not None and abs(filing.period_end - end) > _NEAR
    if is_of_another_day and all(column.period_end is None for column in table.columns):
        return  # A table without days tells of the end of the filing's year.
    company = set(stems(filing.company))
    for number in range(table.header_rows, min(len(table.rows), len(table.row_paths))):
        path = [part.strip().rstrip(":") for part in table.row_paths[number]]
        if not path or not (_WHOLE.match(path[-1]) or _AT_END.search(path[-1])) or _MEASURE.search(path[-1]):
            continue
        own = set(stems(path[-1]))
        if own - _PLAIN - count.heads - count.narrowed - company:
            continue  # The total of a part: "Total domestic stores".
        for cell in table.rows[number]:
            if cell.column and _is_number(cell.text) and (one := _read(table, path, own, cell, count, end)):
                row = table.rows[number]
                day = table.columns[cell.column].period_end if cell.column < len(table.columns) else None
                start = row[0].start if row[0].end > row[0].start else cell.start
                yield _Found(*one, start, cell.end, day or filing.period_end)


def _is_number(text: str) -> bool:
    """Whether a cell is a whole number, its thousands parted by commas: "1,204", no year."""
    digits = text.replace(",", "")
    return digits.isdecimal() and text == f"{int(digits):,}"


def _read(
    table: Table, path: Sequence[str], own: set[str], cell: Cell, count: Count, end: dt.date | None
) -> tuple[int, float, str, str] | None:
    column = table.columns[cell.column] if cell.column < len(table.columns) else None
    header = " ".join(column.header) if column else ""
    outer = " ".join(path[:-1])
    if _MEASURE.search(header) or _MEASURE.search(outer) or not _is_of(table, column.period_end if column else None, header, end):
        return None
    heads = count.heads
    named = set(stems(header))
    score = 3.0 if own & heads else 2.0 if set(stems(outer)) & heads else 1.0 if _is_head(named, header, count) else 0.0
    wanted = count.narrowed <= own | named | set(stems(outer)) | set(stems(table.title)) | _PLAIN
    if not score or not wanted:
        return None
    value = int(cell.text.replace(",", ""))
    label = path[-1] if own & heads else ", ".join(filter(None, (outer if score == 2.0 else "", path[-1].lower())))
    return value, score, label[0].lower() + label[1:], header


def _is_head(named: set[str], header: str, count: Count) -> bool:
    """Whether a column is of what is counted and nothing else: "Stores", "Number of stores, January 31, 2026"."""
    words = {word for word in named if word.isalpha()} - _MONTHS
    return bool(words & count.heads) and not words - _PLAIN - count.heads - count.narrowed and bool(header)


def _is_of(table: Table, day: dt.date | None, header: str, end: dt.date | None) -> bool:
    if end is None:
        return True
    if day is not None:
        return abs(day - end) <= _NEAR
    return not YEAR.search(header) and all(column.period_end is None for column in table.columns)


_LEAST = 1.05
"""A sentence that fits less well may count something else."""
_MARGIN = 0.2
"""Two different numbers closer than this are both shown, and neither is the value."""
_ITEMS = {"1": 0.15, "2": 0.15, "5": 0.1, "7": 0.05, "1A": -0.15}
_MOST = 3
_AFTER = dt.timedelta(days=70)
"""Holders of record are counted shortly before a filing is made."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A number with the sentence that gives it."""

    value: Decimal
    score: float
    chunk: Chunk
    start: int
    end: int


def counts(question: Question, reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The number that a sentence of the filing gives for what is counted; every reading where several fit as well."""
    count = read_count(question.subject)
    if count is None:
        return None
    readings = _readings(count, _years(question, filing), reader, filing)
    if not readings or readings[0].score < _LEAST:
        return count_in_cells(count, question, reader, filing)
    near = [reading for reading in readings if reading.score > readings[0].score - _MARGIN][:_MOST]
    chosen = near if len({reading.value for reading in near}) > 1 else near[:1]
    passages = tuple(passage_in(n, filing, r.chunk, r.start, r.end) for n, r in enumerate(chosen, start=1))
    told = [
        Sentence(shorten_around(passage.citation.words, f"{reading.value:,}"), (passage.citation.id,), "grounded")
        for passage, reading in zip(passages, chosen, strict=True)
    ]
    if len({(reading.start, reading.end) for reading in chosen}) < len(chosen):
        return StructureAnswer(tuple(told[:1]), passages[:1])  # One sentence gives both; it tells them apart itself.
    if len(chosen) > 1:
        values = " or ".join(f"{reading.value:,}" for reading in chosen)
        head = Sentence(
            f"The filing can be read in more than one way: {values}.", tuple(p.citation.id for p in passages), "computed"
        )
        return StructureAnswer((head, *told), passages)
    return StructureAnswer(tuple(told), passages, float(chosen[0].value), "count")


def _years(question: Question, filing: Filing) -> frozenset[int]:
    end = filing.period_end
    own = {filing.fiscal_year, *((end.year, (end + _AFTER).year) if end else ())} - {None}
    asked = set(question.periods.years) | {date.year for date in question.periods.dates}
    return frozenset(year for year in asked or own if year)


def _readings(count: Count, years: frozenset[int], reader: FilingReader, filing: Filing) -> list[_Reading]:
    """One for each number, the best sentence of it first."""
    best: dict[Decimal, _Reading] = {}
    for chunk in reader.chunks.of_filing(filing.id):
        if not any(head in chunk.text.lower() for head in count.heads):
            continue
        for start, end in sentences_of(chunk):
            sentence = chunk.text[start:end]
            if not any(head in sentence.lower() for head in count.heads):
                continue
            for found in counted(sentence, count, years):
                score = found.score + _ITEMS.get(chunk.item, 0.0)
                known = best.get(found.value)
                if known is None or score > known.score:
                    best[found.value] = _Reading(found.value, score, chunk, chunk.start + start, chunk.start + end)
    return sorted(best.values(), key=lambda reading: -reading.score)
