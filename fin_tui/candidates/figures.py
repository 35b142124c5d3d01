"""A filing's document -> its figures as candidates: each tagged fact, and each number of a table whether tagged or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Protocol

from fin_tui.candidates.candidate import Candidate
from fin_tui.candidates.clause import marked
from fin_tui.facts.index import statements_of
from fin_tui.facts.parts import column_words
from fin_tui.facts.table_reader import TableDates, TableReader, fact_of
from fin_tui.filings.table_header import names_money, scale_of
from fin_tui.language import split_sentences
from fin_tui.records import Block, BlockKind, Document, Fact, Table
from fin_tui.retrieval.shared_encoder import Array, SharedEncoder

_WHOLE_DOLLARS = 1e7
_MOST = 8_000
"""Figures of a filing; a table of a hundred thousand cells is data, not a statement."""


def figures_of(document: Document, facts: Sequence[Fact]) -> tuple[Candidate, ...]:
    """The figures of ``document`` in reading order; ``facts`` are those stored of it, tagged and read from tables.

    Hidden facts (cover data) come first. A number of a table that no fact covers is read by the table's own header and units;
    where its column names no period, it has none.
    """
    statements = statements_of(document.blocks)
    by_block: dict[int | None, list[Fact]] = {}
    for fact in facts:
        if fact.value is not None:
            by_block.setdefault(fact.block, []).append(fact)
    loose = _loose_scales(document, statements)
    found = [Candidate(fact, (fact.label or fact.concept,)) for fact in by_block.get(None, ())]
    heading = before = ""
    for block in document.blocks:
        text = document.text[block.start : block.end]
        if block.kind is BlockKind.HEADING:
            heading = text
        own = by_block.get(block.ordinal, [])
        if block.table is not None:
            cells = _of_table(block, block.table, own, heading, statements.get(block.ordinal, ""), f"{before}\n{text}")
            factor = loose.get(block.ordinal, 1)
            found.extend(_loosened(cells, factor) if factor > 1 else cells)
        else:
            found.extend(_of_prose(text, block, own, heading))
        before = text
        if len(found) >= _MOST:
            break
    return tuple(found[:_MOST])


def _of_table(
    block: Block, table: Table, facts: Sequence[Fact], heading: str, statement: str, around: str
) -> Iterator[Candidate]:
    """The figures of a table; ``around`` is its text and that of the block before it."""
    title = " ".join(dict.fromkeys(filter(None, (block.note, table.title or heading))))
    names = [column_words(column.header) for column in table.columns]
    by_start = {fact.start: fact for fact in sorted(facts, key=attrgetter("end"))}
    reader, dates = TableReader(table), TableDates(table)
    scales = _count_scales(table, reader, around)
    told: set[int] = set()
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        path = tuple(filter(None, (label.strip().rstrip(":") for label in table.row_paths[number])))
        for cell in row:
            name = names[cell.column] if cell.column < len(names) else ""
            fact = next((by_start[at] for at in range(cell.start, cell.end) if at in by_start), None)
            if fact is not None:
                told.add(fact.start)
                scale = scales.get(cell.column, 1) if fact.source == "table" else 1
                yield Candidate(fact, path or _path(fact), name, title, statement, count_scale=scale)
            elif (
                cell.column
                and path
                and not _counts_pages(table, cell.column, title)
                and (read := reader.read(number, cell)) is not None
            ):
                when = dates.of(number, cell.column) or (None, None)
                made = fact_of(cell, read, path[-1], (*path, name) if name else path, when, block.ordinal)
                yield Candidate(made, path, name, title, statement, count_scale=scales.get(cell.column, 1))
    # A cell may hold several tagged figures, and its label column some, too.
    for fact in facts:
        if fact.start not in told:
            yield Candidate(fact, _path(fact), "", title, statement)


def _counts_pages(table: Table, column: int, title: str) -> bool:
    """Whether a column of an index says on which pages things stand; its heading may have become the end of the title."""
    header = table.columns[column].header if column < len(table.columns) else ()
    named = header[-1] if header else title.rpartition(" ")[2] if column == len(table.columns) - 1 else ""
    return named.casefold().strip(" .:") in _PAGES


_PAGES = frozenset(("page", "pages", "page no", "page number", "page(s)"))


def _count_scales(table: Table, reader: TableReader, around: str) -> dict[int, int]:
    """Column -> the factor on numbers of things in it.

    A column's own caption holds for it. That of the table holds where no column has one, no amount of money stands in it, and
    the caption is its own: right above it or in it, not that of a statement before.
    """
    captions = {at: caption for at in range(len(table.columns)) if (caption := reader.caption(at))}
    if captions:
        return {at: scale_of(caption) for at, caption in captions.items() if not names_money(caption)}
    is_own = bool(table.units) and _plain(table.units) in _plain(around)
    has_money = names_money(table.units) or any(names_money(cell.text) for row in table.rows for cell in row)
    return {} if has_money or not is_own else dict.fromkeys(range(len(table.columns)), table.scale)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip("() ")


def _loose_scales(document: Document, statements: Mapping[int, str]) -> dict[int, int]:
    """Tables that say no unit where the statements have one -> the scale of the statements."""
    tables = {block.ordinal: block.table for block in document.blocks if block.table is not None}
    scales = {tables[ordinal].scale for ordinal in statements if ordinal in tables}
    if len(scales) != 1 or scales == {1}:
        return {}
    factor = scales.pop()
    return {ordinal: factor for ordinal, table in tables.items() if table.scale == 1 and not table.units}


def _loosened(cells: Iterator[Candidate], factor: int) -> Iterator[Candidate]:
    """Untagged money of a table without units; amounts of eight digits are printed in full."""
    held = list(cells)
    money = [abs(one.fact.value or 0.0) for one in held if one.fact.source == "table" and one.fact.unit == "usd"]
    is_full = max(money, default=0.0) >= _WHOLE_DOLLARS
    for one in held:
        is_loose = one.fact.source == "table" and one.fact.unit == "usd" and not is_full
        yield replace(one, loose_scale=factor) if is_loose else one


def _of_prose(text: str, block: Block, facts: Sequence[Fact], heading: str) -> Iterator[Candidate]:
    """Tagged figures of a paragraph, each marked in its sentence."""
    sentences = split_sentences(text) if facts else []
    for fact in facts:
        first, last = fact.start - block.start, fact.end - block.start
        around = next(((a, b) for a, b in sentences if a <= first and last <= b), None)
        path = (marked(text[around[0] : around[1]], first - around[0], last - around[0]),) if around else _path(fact)
        yield Candidate(fact, path, title=block.note or heading)


def _path(fact: Fact) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip().rstrip(":") for part in fact.label.split(" > ")))) or (fact.concept,)


LEAST_ROW = 3
"""Characters of a row that names anything."""
_FORM = 2
"""Which way the texts of rows are made: one higher whenever the same figure gets other words, so that its vector is made anew."""


def made_by(encoder: str) -> str:
    """The name under which row vectors of ``encoder`` are kept."""
    return f"{encoder}-{_FORM}"


class Rows(Protocol):
    """Where row vectors are kept."""

    def missing(self, encoder: str, /) -> Sequence[str]: ...
    def put(self, filing_id: str, encoder: str, texts: Sequence[str], vectors: Array, /) -> None: ...


def named_figures(document: Document, facts: Sequence[Fact]) -> tuple[Candidate, ...]:
    """The figures of a filing that stand in a row, or sentence, of words."""
    return tuple(one for one in figures_of(document, facts) if len(one.row) >= LEAST_ROW)


def add_missing(
    rows: Rows,
    document: Callable[[str], Document],
    facts: Callable[[str], Sequence[Fact]],
    encoder: SharedEncoder,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[int, int]]:
    """Make and keep the vectors of the rows of filings that lack them; gives (filings done, filings that lacked them).

    Raises ``MissingAsset`` when the weights can't be read.
    """
    encoder.load()
    lacking = rows.missing(made_by(encoder.name))
    for done, filing_id in enumerate(lacking, start=1):
        if cancelled():
            return
        texts = tuple(dict.fromkeys(one.row for one in named_figures(document(filing_id), facts(filing_id))))
        rows.put(filing_id, made_by(encoder.name), texts, encoder.vectors(texts))
        yield done, len(lacking)
