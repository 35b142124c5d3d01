"""How many of something a company has in each state of the USA: a table whose rows are states, proven by its total.

Such tables stand in Item 2 with several states in a row. What is asked for is read off the frame: states, and one thing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.engine.evidence import as_text
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer, named
from fin_tui.facts.table_reader import read_cell
from fin_tui.facts.words import LINKS, spoken_name, stem, words
from fin_tui.records import Cell, Column, Document, Filing, QuotedTable, Sentence, Table

_STATE = frozenset((stem("state"), stem("states")))
_ORDER = frozenset(map(stem, "most number many total highest largest".split()))
"""Beside states and things these ask for the same table."""
STATES = frozenset(
    "alabama;alaska;arizona;arkansas;california;colorado;connecticut;delaware;district of columbia;florida;georgia;hawaii;idaho;"
    "illinois;indiana;iowa;kansas;kentucky;louisiana;maine;maryland;massachusetts;michigan;minnesota;mississippi;missouri;montana;"
    "nebraska;nevada;new hampshire;new jersey;new mexico;new york;north carolina;north dakota;ohio;oklahoma;oregon;pennsylvania;"
    "rhode island;south carolina;south dakota;tennessee;texas;utah;vermont;virginia;washington;west virginia;wisconsin;wyoming;"
    "puerto rico;guam;virgin islands;washington dc".split(";")
)
_FEWEST = 8
"""States of a table."""
_FEWEST_KINDS = 2
_TOLD = 5


@dataclass(frozen=True, slots=True)
class ByState:
    """The numbers of one thing by state, and their total."""

    thing: str
    """As the table calls it."""
    rows: tuple[tuple[Cell, Cell], ...]
    """State and number, column by column."""
    total: Cell
    title: str = ""
    kinds: tuple[str, ...] = ()
    """The columns that come to the number …"""
    cells: tuple[tuple[str, ...], ...] = ()
    """… and what stands in them, row by row, with the total's."""

    @property
    def quoted(self) -> QuotedTable:
        """The table, a row for each state."""
        if self.kinds:
            return QuotedTable(self.title, ("State", *self.kinds, "Total"), self.cells)
        told = [(state.text.strip(), number.text.strip()) for state, number in self.rows]
        return QuotedTable(self.title, ("State", self.thing), (*told, ("Total", self.total.text.strip())))


def asked_by_state(frame: Frame | None) -> str:
    """The stem of the one thing that is asked for by state; "" where the question wants something else."""
    if frame is None or frame.carried is not None or frame.refusal or frame.is_figure:
        return ""
    spans = (*(span.text for span in (*frame.targets, *frame.parts)), *frame.left_over)
    said = {word.stem for word in words(" ".join(spans)) if word.surface not in LINKS}
    things = said - _STATE - _ORDER
    return next(iter(things)) if said & _STATE and len(things) == 1 else ""


def by_state(reader: FilingReader, filing: Filing, thing: str) -> StructureAnswer | None:
    """The table, the states with most of them first in a line; None where no table proves it."""
    document = reader.document(filing)
    for table in (*_tables(document), *(block.table for block in document.blocks if block.table is not None)):
        found = _by_kind(table, thing) or _read(table, thing)
        if found is not None:
            return _told(found, reader, filing)
    return None


def _tables(document: Document) -> Iterator[Table]:
    """The tables, each with what goes on behind it without a header, as on the next page of a PDF."""
    whole: Table | None = None
    for block in document.blocks:
        own = block.table
        if (
            whole is not None
            and own is not None
            and not any(map(_header, own.columns))
            and len(own.columns) == len(whole.columns)
        ):
            whole = replace(whole, rows=(*whole.rows, *own.rows))
            continue
        if whole is not None:
            yield whole
        whole = own
    if whole is not None:
        yield whole


def _told(found: ByState, reader: FilingReader, filing: Filing) -> StructureAnswer:
    passages = Passages(reader, filing)
    ranked = sorted(found.rows, key=lambda row: -_value(row[1]))[:_TOLD]
    told = [*(number for _, number in ranked), found.total]
    spans = [(min(cell.start for cell in told), max(cell.end for cell in told))]
    if reader.chunks.holding(filing.id, *spans[0]) is None:
        spans = [(cell.start, cell.end) for cell in told]
    cited = [passages.number(*span) for span in spans]
    most = ", ".join(f"{state.text.strip()} {number.text.strip()}" for state, number in ranked)
    what = f"{spoken_name(filing.company)}, {found.thing.lower()} by state, {named(filing)}"
    lead = f"{what}: {found.total.text.strip()} in all; most in {most}."
    quoted = found.quoted
    numbers = tuple(dict.fromkeys(one for one in cited if one is not None))
    rest = Sentence(as_text(quoted), numbers[:1], "grounded", opens="paragraph", table=quoted)
    return StructureAnswer((Sentence(lead, numbers, "grounded"), rest), tuple(passages.made), float(_value(found.total)), "count")


def _by_kind(table: Table, thing: str) -> ByState | None:
    """A row for each state with a column for each kind of ``thing``, the last of which is their sum; None where one isn't."""
    *kinds, last = [_header(column) for column in table.columns[1:]] or [""]
    if len(kinds) < _FEWEST_KINDS or stem("total") not in _stems(last) or not any(thing in _stems(kind) for kind in kinds):
        return None
    if any(_stems(kind) == {thing} for kind in kinds):
        return None  # What is asked for has a column of its own.
    rows = [row for row in table.rows if len(row) == len(table.columns) and all(read_cell(cell.text) for cell in row[1:])]
    if any(sum(map(_value, row[1:-1])) != _value(row[-1]) for row in rows):
        return None
    states = [row for row in rows if bare_name(row[0].text) in STATES]
    whole = sum((_value(row[-1]) for row in states), Decimal(0))
    total = next((row for row in rows if stem("total") in _stems(row[0].text) and _value(row[-1]) == whole), None)
    if total is None or len(states) < _FEWEST:
        return None
    cells = tuple(tuple(cell.text.strip() for cell in row) for row in (*states, total))
    return ByState(_listed(kinds), tuple((row[0], row[-1]) for row in states), total[-1], "", tuple(kinds), cells)


def _listed(kinds: Sequence[str]) -> str:
    """ "supercenters, discount stores and clubs"."""
    return " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def _read(table: Table, thing: str) -> ByState | None:
    """The columns of states, each with the number behind it that is called ``thing``; None where they don't come to the total."""
    pairs, totals = [], []
    named_so = ""
    for row in table.rows:
        cells = sorted((cell for cell in row if cell.text.strip()), key=lambda cell: cell.column)
        for at, cell in enumerate(cells):
            label = bare_name(cell.text)
            number = next(iter(_numbers(table, cells[at + 1 :], thing, label)), None)
            if number is not None and label in STATES:
                pairs.append((cell, number))
                named_so = named_so or _name(table, number.column)
            elif number is not None and stem("total") in _stems(label):
                totals.append(number)
                named_so = named_so or (cell.text.strip() if thing in _stems(label) else "")
    if len({bare_name(state.text) for state, _ in pairs}) != len(pairs) or len(pairs) < _FEWEST or not named_so:
        return None
    whole = sum((_value(number) for _, number in pairs), Decimal(0))
    total = next((one for one in totals if _value(one) == whole), None)
    pairs.sort(key=lambda pair: (pair[0].column, pair[0].start))
    return ByState(named_so.removeprefix("Total "), tuple(pairs), total, table.title) if total is not None else None


def _numbers(table: Table, behind: Sequence[Cell], thing: str, label: str) -> Iterator[Cell]:
    """The number of ``thing`` behind a label, before the next label: by its column's name, or the only one of columns without."""
    own = []
    for cell in behind:
        if read_cell(cell.text) is None:
            break
        own.append(cell)
    yield from (cell for cell in own if thing in _stems(_name(table, cell.column)))
    if len(own) == 1 and not _name(table, own[0].column):
        yield own[0]


def _name(table: Table, column: int) -> str:
    return _header(table.columns[column]) if column < len(table.columns) else ""


def _header(column: Column) -> str:
    return column.header[-1] if column.header else ""


def _value(cell: Cell) -> Decimal:
    reading = read_cell(cell.text)
    return reading.value if reading is not None else Decimal(0)


def bare_name(text: str) -> str:
    """A name without case and marks, as ``STATES`` has it."""
    return " ".join("".join(c for c in text.casefold() if c.isalpha() or c.isspace()).split())


def _stems(text: str) -> set[str]:
    return {word.stem for word in words(text)}
