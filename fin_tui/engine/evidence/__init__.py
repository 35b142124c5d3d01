"""Passages and what may be cited from them: a numbered passage, the citation of its words, and where a stored quote stands now.

A better parser may give a filing another clean text: spaces, tabs and line breaks differ, and everything moves. The words of
the quote stay, and what stood before and after it tells which of several equal places was meant. Pure.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from fin_tui.facts import vocabulary
from fin_tui.facts.index import statement_title
from fin_tui.facts.parts import column_words
from fin_tui.facts.words import without_note
from fin_tui.filings.table_header import caption_in
from fin_tui.language import any_of, clean, closing, only_digits, split_sentences
from fin_tui.records import Chunk, Citation, Column, Filing, Hit, QuotedTable, Span, Table, head_of
from fin_tui.records.answer import page_name

_INDENT = "  "


def quoted_table(table: Table, rows: Collection[int], title: str = "", words: str = "") -> QuotedTable | None:
    """The ``rows`` of ``table`` (by number) under the rows that head them; None where they hold nothing beside their labels, or
    no column says what it is of.

    ``title`` is taken where the table has none of its own; ``words``, a row in words, where its columns have no names: these
    stand over another table before it.
    """
    chosen = sorted(row for row in set(rows) if row >= table.header_rows)
    columns = sorted({cell.column for row in chosen for cell in table.rows[row] if cell.column and cell.text.strip()})
    if not columns:
        return None
    shared, names = _names([table.columns[at] if at < len(table.columns) else Column(()) for at in columns])
    if len(columns) > 1 and not any(names):
        names = _names_in(words, table, columns)
        if not names:
            return None
    told: list[tuple[str, ...]] = []
    above: tuple[str, ...] = ()
    for row in chosen:
        texts = {cell.column: _line(cell.text) for cell in table.rows[row]}
        path = tuple(filter(None, map(_line, table.row_paths[row] if row < len(table.row_paths) else ())))
        heads = path[:-1] if texts.get(0) or path[-1:] in [(text,) for text in texts.values()] else path
        period = _period_over(table, row)
        heads = (period, *heads) if period and period not in heads else heads
        known = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(heads, above, strict=False))))
        told += [(_INDENT * depth + heads[depth], *("" for _ in columns)) for depth in range(known, len(heads))]
        above = (*heads, texts[0]) if texts.get(0) else heads
        values = tuple(texts.get(at, "") for at in columns)
        if not texts.get(0) and known < len(heads):  # The heading is the name of a row without one.
            told[-1] = (told[-1][0], *values)
        else:
            told.append((_INDENT * len(heads) + texts.get(0, ""), *values))
    unit = _line(table.units).strip("()")
    return QuotedTable(
        _line(table.title).rstrip(": ") or title,
        (", ".join(filter(None, (unit, shared.rstrip(" ,:")))), *names),
        tuple(told),
    )


def _period_over(table: Table, row: int) -> str:
    """The year or day that heads a group of rows, though no label says so: the last row above that names a period alone."""
    for number in range(row - 1, table.header_rows - 1, -1):
        texts = [_line(cell.text) for cell in table.rows[number] if cell.text.strip()]
        if len(texts) == 1 and any(c.isdigit() for c in texts[0]) and not column_words(texts):
            return texts[0]
    return ""


def rows_at(table: Table, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The numbers of the rows that stand in any of ``spans`` (clean text)."""
    placed = [(number, row[0].start, row[-1].end) for number, row in enumerate(table.rows) if row]
    return [number for number, start, end in placed if any(begin < end and start < stop for begin, stop in spans)]


def as_text(quoted: QuotedTable) -> str:
    """Title and rows, for what reads text alone: a Markdown table."""
    return f"{quoted.title}\n\n{as_markdown(quoted)}".strip()


def as_markdown(quoted: QuotedTable) -> str:
    """The rows as a Markdown table."""
    lines = [quoted.header, ("---", *("---:" for _ in quoted.header[1:])), *quoted.rows]
    return "\n".join(f"| {' | '.join(cell.strip().replace('|', '/') for cell in line)} |" for line in lines)


def _names(columns: Sequence[Column]) -> tuple[str, list[str]]:
    """What the headers of all columns begin with ("Year ended December 31,"), and the rest of each; units stand elsewhere."""
    headers = [[_line(text) for text in column.header if text.strip() and caption_in(text) != text] for column in columns]
    shared: list[str] = []
    while len(headers) > 1 and all(len(header) > 1 for header in headers) and len({header[0] for header in headers}) == 1:
        shared.append(headers[0][0])
        headers = [header[1:] for header in headers]
    return " ".join(shared), [" ".join(header) for header in headers]


def _names_in(words: str, table: Table, columns: Sequence[int]) -> list[str]:
    """The names of the columns in "Services: 2024 73.9%; 2023 70.8%."; empty where a row with all columns is not worded so."""
    told = words.rpartition(": ")[2].split("; ")
    for row in table.rows[table.header_rows :]:
        cells = {cell.column: _line(cell.text) for cell in row}
        if len(told) == len(columns) and all(cells.get(at, "\0") in said for at, said in zip(columns, told, strict=True)):
            names = [said.partition(cells[at])[0].strip() for at, said in zip(columns, told, strict=True)]
            return names if all(names) else []
    return []


def _line(text: str) -> str:
    return " ".join(clean(text).split())


_DOT = " · "
_NIL = ("-", "–", "—")
_FILING_PARTS = 3
"""Parts of a contextual header that name the filing: company, form and period."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or a row."""

    text: str
    """What is shown: the sentence, or the row in words with its column headers."""
    start: int
    """Span of the sentence or row in the clean text."""
    end: int
    is_told: bool = True
    """Whether its words say what they are of; those of a table's heading rows ("2024  2023") do not."""


def units_of(hit: Hit) -> list[Unit]:
    """Sentences of a prose chunk; of a table chunk its rows, and the sentences that stand with it."""
    chunk = hit.chunk
    if chunk.kind == "table":
        return _rows(hit)
    return [Unit(chunk.text[a:b].strip(), chunk.start + a, chunk.start + b) for a, b in split_sentences(chunk.text)]


def words_of(hit: Hit, start: int, end: int) -> str:
    """The table rows that the span (clean text) touches, in words, a line for each; "" for prose."""
    if hit.chunk.kind != "table":
        return ""
    return "\n".join(unit.text for unit in _rows(hit) if unit.start < end and start < unit.end)


def _rows(hit: Hit) -> list[Unit]:
    chunk = hit.chunk
    worded = _worded(chunk.text, chunk.index_text[len(chunk.header) :])
    title, caption = _said_of_all(chunk.header)
    found = []
    at = 0
    lines = chunk.text.split("\n")
    names: dict[int, list[str]] = {}
    for number, line in enumerate(lines):
        told = worded.get(number, "")
        if told:
            names |= _names_of_columns(line, told)
        told = told or _by_names(line, names)
        text = told or " ".join(line.split())
        if text:
            is_row = "\t" in line and _has_figure(line.partition("\t")[2])
            text = _alone(text, title, caption) if is_row else text
            found.append(Unit(text, chunk.start + at, chunk.start + at + len(line), bool(told) or not is_row))
        at += len(line) + 1
    return found


def _names_of_columns(line: str, worded: str) -> dict[int, list[str]]:
    """The columns' names in a worded row, by their number: those of a row with as many figures, which is not worded itself."""
    cells = [" ".join(cell.split()) for cell in line.split("\t")[1:]]
    values = worded.rpartition(": ")[2].rstrip(".").split("; ")
    if len(cells) != len(values) or not all(value.endswith(cell) for value, cell in zip(values, cells, strict=True)):
        return {}
    return {len(cells): [value.removesuffix(cell).strip() for value, cell in zip(values, cells, strict=True)]}


def _has_letter(text: str) -> bool:
    return any(char.isalpha() for char in text)


def _has_figure(text: str) -> bool:
    """Whether a cell or a row has a digit, or is the dash of a nil."""
    return any(map(str.isdecimal, text)) or text.strip() in _NIL


def _by_names(line: str, names: Mapping[int, Sequence[str]]) -> str:
    """A row of figures in words by the columns' ``names`` of a row before it; "" without such names."""
    label, *cells = (" ".join(cell.split()) for cell in line.split("\t"))
    own = names.get(len(cells)) if cells and _has_figure(cells[0]) else None
    if own is None or not _has_letter(label):
        return ""
    return f"{label.rstrip(':')}: " + "; ".join(f"{name} {cell}".strip() for name, cell in zip(own, cells, strict=True)) + "."


def _said_of_all(header: str) -> tuple[str, str]:
    """What a contextual header says of all rows of its table: the title, or nearest heading, and the caption with the unit."""
    parts = header.split(_DOT)[_FILING_PARTS:]
    caption = caption_in(parts[-1]) if parts else ""
    names = parts[:-1] if caption else parts
    return (names[-1] if len(names) > 1 else ""), caption.strip("() ")


def _alone(text: str, title: str, caption: str) -> str:
    """A row that can stand without its table: a label that names no figure behind the title, amounts with their unit."""
    label, _, values = text.partition(": ")
    values = values or (text if _has_letter(text) else "")
    is_money = any(not value.rstrip(".").endswith("%") for value in values.split("; ") if _has_figure(value))
    says_little = len(label.split()) < 2 and vocabulary().named(label) is None
    text = f"{title} – {text}" if says_little and title else text
    return f"{text.rstrip('.')} ({caption})." if caption and is_money and caption.lower() not in text.lower() else text


def _worded(text: str, body: str) -> dict[int, str]:
    """Line number -> the sentence in ``body`` that words that row. Rows come in the same order in both."""
    body = f" {' '.join(body.split())}"  # A blank before the first sentence, as before all others.
    folded = body.lower()
    found: dict[int, tuple[int, int]] = {}
    # Rows of figures first: words that head columns are worded only where they stand a second time.
    for has_figures in (True, False):
        for number, line in enumerate(text.split("\n")):
            if _has_figure(line.partition("\t")[2]) is not has_figures:
                continue
            low = max((behind for other, (_, behind) in found.items() if other < number), default=0)
            high = min((begin for other, (begin, _) in found.items() if other > number), default=len(body))
            place = _place_of(body, folded, line, low, high)
            if place is not None:
                found[number] = place
    begins = sorted((number, begin) for number, (begin, _) in found.items())
    ends = [*(begin for _, begin in begins[1:]), len(body)]
    return {number: body[begin:end].strip() for (number, begin), end in zip(begins, ends, strict=False) if end > begin}


_WINDOW = 300
"""Characters of names between a row's label and its first figure, beyond the row's own."""


def _place_of(body: str, folded: str, line: str, low: int, high: int) -> tuple[int, int] | None:
    """Where the sentence begins in which ``body`` (``folded`` in small letters) words a row, between ``low`` and ``high``, and
    where the row's label ends: it is found by label and first figure; without a label by all of them.
    """
    label, *cells = (" ".join(cell.split()).lower() for cell in line.split("\t"))
    figure = next(filter(_has_figure, cells), "")
    name = without_note(label.rstrip(":"))
    if not name or not any(cells):
        return None
    place = folded.find(f"{name}:", low, high)
    while place >= 0:
        if figure in folded[place : place + _WINDOW + len(line)]:
            return _sentence_start(body, place), place + len(name) + 1
        place = folded.find(f"{name}:", place + 1, high)
    place = _place_of_figures(folded, line, low)
    # A row without a label is worded by the headings that it sums up.
    return (max(body.rfind(". ", 0, place) + 2, low), place + len(name)) if 0 <= place < high else None


def _place_of_figures(body: str, line: str, at: int) -> int:
    """Where ``body`` words a row of figures alone: the first of them, when the others follow in its sentence; else -1."""
    first, *others = (" ".join(cell.split()).lower() for cell in line.split("\t"))
    place = body.find(f"{first};" if others else f"{first}.", at)
    end = body.find(". ", place)
    values = f"{body[place : end if end >= 0 else len(body)].rstrip('.')};"
    return place if place >= 0 and all(f"{cell};" in values for cell in others) else -1


def _sentence_start(body: str, place: int) -> int:
    """Where the row's sentence begins: heading rows stand before its label ("Operating expenses – Research …")."""
    before = body.rfind(". ", 0, place)
    start = before + 2 if before >= 0 else 0
    return start if ": " not in body[start:place] else place


_CONTEXT = 64
_SCALE, _IN = any_of("thousands, millions, billions"), closing("in (u.s.)", within=3)
_FACTORS = {"thousands": 1_000, "millions": 1_000_000, "billions": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered piece of evidence: what [n] opens."""

    citation: Citation
    """``citation.id`` is its number; quote and span are the sentences or rows that carry the answer."""
    text: str
    """The whole passage (the chunk's clean text)."""
    start: int
    """Span of ``text`` in the clean text."""
    end: int
    score: float
    kind: Literal["prose", "table"] = "prose"
    scale: int = 1
    """Factor of the plain figures of a table ("In millions": 1_000_000)."""


def scale_of(header: str) -> int:
    """The factor that a unit caption in a contextual header names: "(In millions)" -> 1_000_000; 1 when none does."""
    for match in _SCALE.finditer(header):
        if _IN.search(header[: match.start()]) or header[match.end() :].lower().startswith(" of"):
            return _FACTORS[match.group().lower()]
    return 1


def cite(number: int, hit: Hit, start: int, end: int) -> Citation:
    """The citation ``[number]`` of the span ``start:end`` (clean text), which must lie inside the hit's chunk."""
    chunk, filing = hit.chunk, hit.filing
    text = chunk.text
    a, b = start - chunk.start, end - chunk.start
    return Citation(
        id=number, chunk_id=chunk.id, **head_of(filing), item=chunk.item or None,
        heading=_heading(chunk),
        page=chunk.page, page_label=chunk.page_label or None, quote=text[a:b], start=start, end=end,
        url=filing.url or None, reference=reference(filing, chunk.item, page_name(chunk.page, chunk.page_label)),
        prefix=text[max(0, a - _CONTEXT) : a], suffix=text[b : b + _CONTEXT],
        row=words_of(hit, start, end),
    )  # fmt: skip


def _heading(chunk: Chunk) -> str:
    """What stands over a passage. A statement without a heading of its own would stand under that of whatever comes before it."""
    over = [part for part in chunk.header.split(_DOT)[_FILING_PARTS:] if not part.startswith("Item ")]
    title = statement_title([*over, chunk.heading]) if chunk.kind == "table" else ""
    named = [part for part in over if not is_caption(part)]
    return title or ("" if is_caption(chunk.heading) else chunk.heading) or next(reversed(named), "") or _item_title(chunk)


def _item_title(chunk: Chunk) -> str:
    """What the header calls the Item; "" outside of one."""
    named = [part for part in chunk.header.split(_DOT)[_FILING_PARTS:] if part.startswith("Item ")]
    return " ".join(named[0].split()[2:]) if named else ""


def is_caption(heading: str) -> bool:
    """Whether a heading says units and nothing else: "(in millions, except per share data)"."""
    return bool(heading) and caption_in(heading) == heading


def requote(passage: Passage, start: int, end: int, words: str) -> Passage:
    """``passage`` quoted by its span ``start:end`` (clean text), which says ``words``."""
    a, b, text = start - passage.start, end - passage.start, passage.text
    before, behind = text[max(0, a - _CONTEXT) : a], text[b : b + _CONTEXT]
    row = words if passage.kind == "table" else ""
    cited = replace(passage.citation, quote=text[a:b], start=start, end=end, prefix=before, suffix=behind, row=row, figure=None)
    return replace(passage, citation=cited)


def reference(filing: Filing, item: str, page: str) -> str:
    """ "Apple Inc. 10-K FY2024 (2024-09-28), Item 8, p. 32"; ``page`` as it is named."""
    year = f" FY{filing.fiscal_year}" if filing.fiscal_year else ""
    end = f" ({filing.period_end.isoformat()})" if filing.period_end else ""
    where = f", Item {item}" if item else ""
    return f"{filing.company} {filing.form}{year}{end}{where}, {page}"


SHORTEST = 40
"""Letters and digits that a quote must have to be looked for by likeness."""
LIKE = 94.0
"""Of 100; about one changed letter in seventeen."""
APART = 6.0
"""How much less like the second best place must be."""
_DENIAL = any_of("no, not, none, nor, neither, never, without, except, unless, cannot, *n't")


def find_reworded(quote: str, text: str) -> Span | None:
    """The one place in ``text`` that says ``quote`` in nearly its letters; None where there is none, or more than one."""
    (letters, offsets), (wanted, _) = _letters(text), _letters(quote)
    if not wanted:
        return None
    first = letters.find(wanted)
    if first >= 0:
        is_only = letters.find(wanted, first + 1) < 0
        return _span(text, offsets, first, first + len(wanted)) if is_only else None
    return _alike(quote, wanted, text, letters, offsets) if len(wanted) >= SHORTEST else None


def _alike(quote: str, wanted: str, text: str, letters: str, offsets: list[int]) -> Span | None:
    from rapidfuzz import fuzz

    best = fuzz.partial_ratio_alignment(wanted, letters, score_cutoff=LIKE)
    if best is None or not best.dest_end - best.dest_start:
        return None
    for rest in (letters[: best.dest_start], letters[best.dest_end :]):
        if len(rest) >= len(wanted) and fuzz.partial_ratio(wanted, rest, score_cutoff=best.score - APART):
            return None
    place = _span(text, offsets, *_fitted(wanted, letters, best.dest_start, best.dest_end))
    found = text[place.start : place.end]
    same_figures = only_digits(found) == only_digits(quote)
    same_sense = len(_DENIAL.findall(found)) == len(_DENIAL.findall(quote))
    return place if same_figures and same_sense else None


def _fitted(wanted: str, letters: str, start: int, end: int) -> tuple[int, int]:
    """The likeness was measured in a window as long as the quote; letters more or less move its ends a little."""
    from rapidfuzz import fuzz

    slack = len(wanted) // 12 + 1
    ends = range(max(start + 1, end - slack), min(len(letters), end + slack) + 1)
    end = max(ends, key=lambda at: (fuzz.ratio(wanted, letters[start:at]), -at))
    starts = range(max(0, start - slack), min(start + slack, end - 1) + 1)
    start = max(starts, key=lambda at: (fuzz.ratio(wanted, letters[at:end]), at))
    return start, end


@lru_cache(maxsize=4)
def _letters(text: str) -> tuple[str, list[int]]:
    """Lower-case letters and digits of ``text`` in their plain forms, and where in ``text`` each stands."""
    found, offsets = list[str](), list[int]()
    for at, character in enumerate(text):
        plain = character if character.isascii() else unicodedata.normalize("NFKC", character)
        kept = [one for one in plain.lower() if one.isalnum()]
        found += kept
        offsets += [at] * len(kept)
    return "".join(found), offsets


def _span(text: str, offsets: list[int], start: int, end: int) -> Span:
    """From the first to the last letter, with the sign or bracket that closes a figure or a sentence."""
    first, last = offsets[start], offsets[end - 1] + 1
    while last < len(text) and text[last] in '.)%”"':
        last += 1
    while first and text[first - 1] in '($“"':
        first -= 1
    return Span(first, last)


_MOST_PLACES = 500
"""A quote as short as "2024" stands in thousands of places; the first ones decide."""
_VERSION_BYTES = 8


@dataclass(frozen=True, slots=True)
class _Bare:
    """A text without white space, and the offset of each of its characters in the text."""

    text: str
    offsets: Sequence[int]


def text_version(text: str) -> str:
    """16 hex digits that stand for a clean text: spans of one version mean nothing in another."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_VERSION_BYTES).hexdigest()


def find_again(citation: Citation, text: str) -> Span | None:
    """Where the quote of ``citation`` stands in the clean ``text``: at its span, else by its words, else where one place alone
    says it in nearly the same letters; None when it is gone.
    """
    quote = citation.quote
    if not quote.strip():
        return None
    if text[citation.start : citation.end] == quote:
        return Span(citation.start, citation.end)
    exact = [Span(at, at + len(quote)) for at in _places(text, quote)]
    if exact:
        return _best(citation, text, exact)
    bare, wanted = _bare(text), "".join(quote.split())
    last = len(wanted) - 1
    loose = [Span(bare.offsets[at], bare.offsets[at + last] + 1) for at in _places(bare.text, wanted)]
    return _best(citation, text, loose) if loose else find_reworded(quote, text)


def at_place(citation: Citation, place: Span) -> Citation:
    """``citation`` with the span that its quote has now."""
    return replace(citation, start=place.start, end=place.end)


def _places(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    for _ in range(_MOST_PLACES if at >= 0 else 0):
        yield at
        if (at := text.find(words, at + 1)) < 0:
            return


def _bare(text: str) -> _Bare:
    offsets = [at for at, character in enumerate(text) if not character.isspace()]
    return _Bare("".join([text[at] for at in offsets]), offsets)


def _best(citation: Citation, text: str, places: Sequence[Span]) -> Span:
    """The place whose surroundings agree most with those that were kept; of equals the nearest to where the quote stood."""
    before, after = "".join(citation.prefix.split()), "".join(citation.suffix.split())

    def agreement(place: Span) -> tuple[int, int]:
        left = "".join(text[max(place.start - 2 * len(citation.prefix), 0) : place.start].split())
        right = "".join(text[place.end : place.end + 2 * len(citation.suffix)].split())
        same = _common(before[::-1], left[::-1]) + _common(after, right)
        return same, -abs(place.start - citation.start)

    return max(places, key=agreement)


def _common(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
