"""What in a filing can answer: figures with the row, column and title they stand under. Nothing here sees a question."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Protocol

from fin_tui.clauses import leading, marked
from fin_tui.facts.figures import LEAST_MONEY, SCALES, Period, printed_scale
from fin_tui.facts.from_tables import TableDates, labelled
from fin_tui.facts.index import LONGEST_QUARTER, NEAR, YEAR_DAYS, statements_of
from fin_tui.facts.parts import column_words
from fin_tui.facts.table_reader import TableReader, fact_of, read_cell, scale_of_things, side_labels
from fin_tui.facts.words import camel_words
from fin_tui.filings.table_header import counted_in, is_per_thing, names_money, scale_of
from fin_tui.language import YEAR, split_sentences
from fin_tui.records import Block, BlockKind, Cell, Column, Document, Fact, Table
from fin_tui.retrieval.shared_encoder import Array, SharedEncoder

_MOST_LABEL = 60
_MOST_TITLE = 12
"""Words of a label and of a title that are read: what is longer is a sentence, of which the end names the figure."""
_MOST_WORDS = 4
"""Words of a second label in a row; what is longer is a remark."""
_NO_NAME = ("Member", "Axis", "Domain")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A figure of a filing with its surroundings: tagged or not, in a table or in a sentence."""

    fact: Fact
    """Value, unit, period and place."""
    path: tuple[str, ...]
    """The row's labels from the outermost heading row in; of a sentence the words that lead to the figure."""
    column: str = ""
    """What the column's header says beside its period, and a year after that of the filing."""
    title: str = ""
    """Title of the table, or the tagged note or heading that the figure stands under."""
    statement: str = ""
    """"income", "balance" or "cash_flow" for a line of a primary statement."""
    loose_scale: int = 1
    """The scale of the statements, for money in a table that says no unit where the statements have one."""
    count_scale: int = 1
    """What a number of things that is printed here is multiplied by: 1_000 in a table "(in thousands)" that holds no money."""
    before: str = ""
    """Of a sentence the last words before it."""
    is_amount: bool = False
    """Whether what an untagged cell of a table prints without a unit is tagged as money elsewhere in the filing."""
    row: str = field(init=False, compare=False)
    """What the figure is, whatever its period: the text that row vectors are made of."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "row", self._row())

    @property
    def members(self) -> tuple[str, ...]:
        """The members of the fact's dimensions in words: "data center"."""
        return tuple(words_of(member) for member in self.fact.dimensions.values())

    def _row(self) -> str:
        own = _first_words(self.path[-1], _MOST_LABEL) if self.path else ""
        above = " < ".join(_last_words(part, _MOST_TITLE) for part in reversed(self.path[-3:-1]))
        tag = "" if self.fact.source != "xbrl" else words_of(self.fact.concept)
        parts = (own, above, self.column, ", ".join(self.members), tag, _first_words(self.title, _MOST_TITLE))
        return " | ".join(part for part in parts if part)


_UNITS_READ = {"usd": "$", "usd/share": "$ per share", "pure": "", "count": ""}


def as_read(one: Candidate, years: Sequence[Period]) -> str:
    """The figure as it is read together with a question: as printed, with unit and period, before its row. ``years`` are the
    fiscal years of the filing: "5,366 $ million | FY2018, at September 29, 2018 | Deemed repatriation tax payable | Total".
    """
    fact = one.fact
    when = _when(fact, years)
    if fact.source == "text":
        return " | ".join(filter(None, (when, one.row, one.before)))
    return " | ".join(filter(None, (f"{fact.text} {unit_read(fact)}".strip(), when, one.row, one.before)))


def unit_read(fact: Fact) -> str:
    """The unit and scale in which the filing prints a figure: "$ million"; "" for a plain number, and for one in a table that
    says no unit.
    """
    if fact.source == "table" and fact.unit == "usd" and printed_scale(fact) == 1 and "$" not in fact.text:
        return ""
    return " ".join(filter(None, (_UNITS_READ.get(fact.unit, fact.unit), SCALES.get(printed_scale(fact), ""))))


def _when(fact: Fact, years: Sequence[Period]) -> str:
    """ "FY2018, year to September 29, 2018"; "" for a figure without a period."""
    start, end = fact.period_start, fact.period_end
    if end is None:
        return ""
    label = next((year.label for year in years if abs((year.end - end).days) <= NEAR), "")
    days = (end - start).days + 1 if start is not None else 0
    length = "at" if not days else "quarter to" if days <= LONGEST_QUARTER else "year to" if days <= YEAR_DAYS[1] else "years to"
    return ", ".join(filter(None, (label, f"{length} {end:%B} {end.day}, {end.year}")))


def words_of(name: str) -> str:
    """The words of a tag or member: "us-gaap:IncomeTaxesPaidNet" -> "income taxes paid net"."""
    local = name.partition(":")[2] or name
    for tail in _NO_NAME:
        local = local.removesuffix(tail)
    return " ".join(camel_words(local))


def _last_words(text: str, most: int) -> str:
    return " ".join(text.split()[-most:])


def _first_words(text: str, most: int) -> str:
    return " ".join(text.split()[:most])


_WHOLE_DOLLARS = 1e7
_TELLING_DIGITS = 4
"""Digits of a number that is hardly that of another thing by chance."""
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
    cover = document.cover
    last_year = cover.fiscal_year or (cover.period_end or dt.date.max).year
    amounts = {abs(fact.value or 0.0) for fact in facts if fact.source == "xbrl" and fact.unit == "usd"}
    prints_money = any(_names_money(one.table) for one in document.blocks if one.table and one.ordinal in statements)
    found = [Candidate(fact, (fact.label or fact.concept,)) for fact in by_block.get(None, ())]
    heading = before = ""
    for block in document.blocks:
        text = document.text[block.start : block.end]
        if block.kind is BlockKind.HEADING:
            heading = text
        own = by_block.get(block.ordinal, [])
        if block.table is not None:
            cells = _of_table(
                block, labelled(block.table), own, heading, statements.get(block.ordinal, ""), f"{before}\n{text}", last_year
            )
            factor = loose.get(block.ordinal, 1)
            cells = _loosened(cells, factor) if factor > 1 else cells
            is_of_money = block.ordinal in statements or bool(block.table.units) or _names_money(block.table)
            found.extend(cells if is_of_money or not prints_money else _counted(cells, amounts))
        else:
            found.extend(_of_prose(text, block, own, heading))
        before = text
        if len(found) >= _MOST:
            break
    return tuple(replace(one, is_amount=True) if _is_among(one, amounts) else one for one in found[:_MOST])


def _is_among(one: Candidate, amounts: Set[float]) -> bool:
    """Whether a plain number of a table is one of the tagged ``amounts`` of money."""
    is_plain = one.fact.source == "table" and one.fact.unit == "usd"
    is_telling = is_plain and sum(map(str.isdecimal, one.fact.text)) >= _TELLING_DIGITS
    return is_telling and not amounts.isdisjoint({abs(one.fact.value or 0.0) * scale for scale in (1, one.loose_scale)})


def _names_money(table: Table) -> bool:
    """Whether anything in a table is a sum of money: of 547 tagged figures in tables that name none and have no unit, none is."""
    return names_money(table.units) or any(names_money(cell.text) for row in table.rows for cell in row)


def _counted(cells: Iterable[Candidate], amounts: Set[float]) -> Iterator[Candidate]:
    """The cells of a table that names no money, as numbers of things, but for tagged ``amounts`` that it repeats."""
    for one in cells:
        is_count = one.fact.source == "table" and one.fact.unit == "usd" and not _is_among(one, amounts)
        yield replace(one, fact=replace(one.fact, unit="count"), loose_scale=1) if is_count else one


def _of_table(
    block: Block, table: Table, facts: Sequence[Fact], heading: str, statement: str, around: str, last_year: int
) -> Iterator[Candidate]:
    """The figures of a table; ``around`` is its text and that of the block before it, ``last_year`` the year of the filing."""
    title = " ".join(dict.fromkeys(filter(None, (block.note, table.title or heading))))
    names = [_name_of_column(column, last_year) for column in table.columns]
    by_start = {fact.start: fact for fact in sorted(facts, key=attrgetter("end"))}
    reader, dates = TableReader(table), TableDates(table)
    scales, counted = _count_scales(table, reader, around), counted_in(table.units)
    told: set[int] = set()
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        whole = tuple(filter(None, (label.strip().rstrip(":") for label in table.row_paths[number])))
        beside = side_labels(table, number)
        for cell in row:
            path = (
                (beside[cell.column],)
                if cell.column in beside
                else (*whole, *(more for more in _more_labels(row, cell) if more not in whole))
            )
            name = names[cell.column] if cell.column < len(names) else ""
            fact = next((by_start[at] for at in range(cell.start, cell.end) if at in by_start), None)
            if fact is not None:
                told.add(fact.start)
                scale = scale_of_things(path, counted) or scales.get(cell.column, 1) if fact.source == "table" else 1
                yield Candidate(fact, path or _path(fact), name, title, statement, count_scale=scale)
            elif (
                cell.column
                and path
                and not _counts_pages(table, cell.column, title)
                and (read := reader.read(number, cell)) is not None
            ):
                when = dates.of(number, cell.column) or (None, None)
                made = fact_of(cell, read, path[-1], (*path, name) if name else path, when, block.ordinal)
                scale = scale_of_things(path, counted) or scales.get(cell.column, 1)
                yield Candidate(made, path, name, title, statement, count_scale=scale)
    # A cell may hold several tagged figures, and its label column some, too.
    for fact in facts:
        if fact.start not in told:
            yield Candidate(fact, _path(fact), "", title, statement)


def _name_of_column(column: Column, last_year: int) -> str:
    """What a column is called beside its period: with the year, or years, after that of the filing that its header names, as
    nothing else tells such columns apart.
    """
    ahead = [line.strip() for line in column.header if len(years := YEAR.findall(line)) > 1 and int(max(years)) > last_year]
    named = {year for line in column.header for year in YEAR.findall(line)}
    year = [*named] if len(named) == 1 and last_year < int(max(named)) else []
    rest = [line for line in column.header if line.strip() not in ahead]
    return " ".join(filter(None, (column_words(rest), *ahead, *year)))


def _more_labels(row: Sequence[Cell], cell: Cell) -> tuple[str, ...]:
    """What the row says in words between its first label and ``cell``: the region behind a product."""
    between = (other.text.strip().rstrip(":") for other in row if 0 < other.column < cell.column)
    words = (text for text in between if sum(map(str.isalpha, text)) > 1 and not any(map(str.isdigit, text)))
    return tuple(text for text in words if len(text.split()) <= _MOST_WORDS)[-1:]


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
    captions = {at: caption for at in range(1, len(table.columns)) if (caption := reader.caption(at))}
    if captions:
        return {at: _scale_said(caption) for at, caption in captions.items() if not names_money(caption)}
    is_own = bool(table.units) and _plain(table.units) in _plain(around)
    return {} if _names_money(table) or not is_own else dict.fromkeys(range(len(table.columns)), _scale_said(table.units))


def _scale_said(caption: str) -> int:
    """The factor on the numbers under ``caption``, which may name the things that it is of: "square feet in thousands"."""
    of_things = set(counted_in(caption).values())
    return of_things.pop() if len(of_things) == 1 else scale_of(caption)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip("() ")


def _loose_scales(document: Document, statements: Mapping[int, str]) -> dict[int, int]:
    """Tables that say no unit where the statements have one -> the scale of the statements."""
    factor = _scale_of_statements(document, statements)
    tables = ((block.ordinal, block.table) for block in document.blocks if block.table is not None)
    return {ordinal: factor for ordinal, table in tables if factor > 1 and table.scale == 1 and not table.units}


def _scale_of_statements(document: Document, statements: Mapping[int, str]) -> int:
    """The scale that all statements have; 1 where they differ."""
    scales = {block.table.scale for block in document.blocks if block.table is not None and block.ordinal in statements}
    return scales.pop() if len(scales) == 1 else 1


_LEAST_LOOSE, _LOOSE_SHARE = 40, 0.25
"""How many small amounts of its sentences a filing prints without a scale, and as what share of all, before that is its habit: of
60 filings four have 114 to 283, 44 % and more, the others at most 26.
"""


def scale_of_prose(document: Document) -> int:
    """The scale of small amounts in sentences: that of the statements, where the filing says "amounts in millions" once and
    prints "$515" for 515 million; 1 elsewhere.
    """
    prose = (block for block in document.blocks if block.table is None and block.kind is not BlockKind.HEADING)
    amounts = [amount for block in prose for amount in document.text[block.start : block.end].split("$")[1:]]
    loose = sum(map(_is_loose, amounts))
    is_habit = loose >= _LEAST_LOOSE and loose >= _LOOSE_SHARE * (loose + sum(map(_has_scale, amounts)))
    return _scale_of_statements(document, statements_of(document.blocks)) if is_habit else 1


def _is_loose(amount: str) -> bool:
    """Whether a text that begins behind "$" begins with a small whole number and no scale."""
    number, *_ = amount.split(maxsplit=1) or [""]
    whole = number.rstrip(".,;:)").replace(",", "")
    return whole.isdecimal() and int(whole) < LEAST_MONEY and not _has_scale(amount)


def _has_scale(amount: str) -> bool:
    """Whether a text that begins behind "$" says a scale behind the number."""
    return len(words := amount.split(maxsplit=2)) > 1 and words[1].startswith(_SCALES)


_SCALES = tuple(name for name in SCALES.values() if name)


_BASE = 100.0
"""What an investment is set to in the first year, when its performance is shown."""


def _loosened(cells: Iterator[Candidate], factor: int) -> Iterator[Candidate]:
    """Untagged money of a table without units; amounts of eight digits are printed in full, and so is what 100 dollars became."""
    held = list(cells)
    money = [abs(one.fact.value or 0.0) for one in held if one.fact.source == "table" and one.fact.unit == "usd"]
    is_full = max(money, default=0.0) >= _WHOLE_DOLLARS or money.count(_BASE) > 1
    for one in held:
        is_sum = one.fact.source == "table" and one.fact.unit == "usd" and not is_per_thing(one.fact.label)
        is_loose = is_sum and not is_full and not ((printed := read_cell(one.fact.text)) and printed.has_cents)
        yield replace(one, loose_scale=factor) if is_loose else one


def _of_prose(text: str, block: Block, facts: Sequence[Fact], heading: str) -> Iterator[Candidate]:
    """Tagged figures of a paragraph, each marked in its sentence."""
    sentences = split_sentences(text) if facts else []
    for fact in facts:
        first, last = fact.start - block.start, fact.end - block.start
        around = next(((a, b) for a, b in sentences if a <= first and last <= b), None)
        path = (marked(text[around[0] : around[1]], first - around[0], last - around[0]),) if around else _path(fact)
        yield Candidate(fact, path, title=block.note or heading, before=leading(text, around[0]) if around else "")


def _path(fact: Fact) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip().rstrip(":") for part in fact.label.split(" > ")))) or (fact.concept,)


LEAST_ROW = 3
"""Characters of a row that names anything."""
_FORM = 5
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
