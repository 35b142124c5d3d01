"""The figures of an answer as rows of text, for the evidence card and for copying. Pure; reads the answer's JSON fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import cast

from fin_tui.facts.figures import (
    HOW_READ,
    SCALES,
    SPLIT_UNTOLD,
    TOLD_PLACES,
    Unit,
    exact,
    printed_scale,
    rounded,
    show,
    show_printed,
    told_scale,
)
from fin_tui.language import clean
from fin_tui.records import (
    Answer,
    CalculationInput,
    CalculationRecord,
    Citation,
    Fact,
    FactRecord,
    QuotedTable,
    TableCell,
    TableRecord,
    TableRow,
)

GAP = "–"
JOINT = " · "
"""Between company and figure in a row's label."""
_DIGITS = frozenset("0123456789,.")
_UNITS = frozenset(map("".join, product(("", " trillion", " billion", " million", " thousand"), ("", " shares", " per share"))))


RESTATED = "®"
"""Stands at a figure that a later filing gives another value, and at what says so."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a cell, the passage behind it, and which fact of the answer it is (or rests on first)."""

    text: str
    citation: int | None = None
    fact: int | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the first column holds labels, all others figures."""

    header: tuple[str, ...]
    """The first may be empty, or name the unit of all figures."""
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """What to know about single cells: restated values, why a cell is empty."""
    labels: int = 1
    """How many columns on the left are words."""
    has_ends: bool = False
    """The first row tells on which days the columns' periods end."""

    @classmethod
    def of_table(cls, quoted: QuotedTable) -> Grid:
        """Rows that a filing prints."""
        return cls(quoted.header, tuple(tuple(map(Cell, row)) for row in quoted.rows))

    @property
    def tsv(self) -> str:
        """Tab-separated, header first; the notes stay out, so that it pastes as a table."""
        lines = ["\t".join(self.header), *("\t".join(cell.text for cell in row) for row in self.rows)]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Figures:
    """What an answer of figures rests on."""

    facts: tuple[FactRecord, ...] = ()
    calculation: CalculationRecord | None = None
    table: TableRecord | None = None

    def __bool__(self) -> bool:
        return bool(self.facts or self.table)

    @classmethod
    def of(cls, answer: Answer) -> Figures:
        """The figures of a finished answer."""
        return cls(answer.facts, answer.calculation, answer.table)

    def grid(self, citations: Sequence[Citation]) -> Grid:
        """The comparison table; of figures that nothing was computed of a row each. A single figure the answer itself states."""
        if self.table:
            return _comparison(self.table, self.facts)
        operands = self.operands(citations)
        if len(self.facts) < 2:
            return Grid((), ())
        return Grid((), (), operands.notes) if self.calculation else operands

    def page_grid(self, citations: Sequence[Citation]) -> Grid:
        """What a page or a spreadsheet gets: the grid, else the figures that the answer rests on."""
        grid = self.grid(citations)
        return grid if grid.rows else self.operands(citations)

    def operands(self, citations: Sequence[Citation]) -> Grid:
        """A row for each figure that the answer rests on."""
        return _rows(self.facts, {c.id: c for c in citations})

    @property
    def calculation_lines(self) -> tuple[str, ...]:
        """The formula in words, then with its figures, and the result; empty for figures as they stand."""
        sums = self.calculation
        if not sums:
            return ()
        inputs = sums.get("inputs") or {}
        items = [_in_words(given) for given in inputs.values()]
        several = {item for item in items if items.count(item) > 1}
        names = {
            letter: f"{item} ({given.get('period_end')})" if item in several else item
            for (letter, given), item in zip(inputs.items(), items, strict=True)
        }
        runs = ("".join(run) for _, run in groupby(clean(str(sums["expression"])), _is_of_name))
        formula = "".join(names.get(run, run) for run in runs)
        measured = ", measured by the size of the figure, which is negative" if sums.get("from_negative") else ""
        return (formula, f"= {clean(str(sums['substituted']))}", f"= {clean(str(sums['display']))}{_exactly(sums)}{measured}")


def cells_of(table: TableRecord | None) -> Iterator[TableCell]:
    """All cells of an answer's table; none where it has no table."""
    for row in table["rows"] if table is not None else ():
        yield from row["cells"]


def _is_of_name(char: str) -> bool:
    return char.isalnum() or char == "_"


def _in_words(given: CalculationInput) -> str:
    return clean(str(given.get("item", ""))).replace("_", " ")


def _exactly(sums: CalculationRecord) -> str:
    """The result with more of its digits, where the answer rounds it."""
    if sums.get("unit") == "usd" and isinstance(sums.get("result"), int | float):
        value, scale = exact(float(sums["result"])), _scale_of(str(sums["display"]))
        is_rounded = scale > 1 and rounded(value / scale, TOLD_PLACES) * scale != value
        return f", exactly {show(value, 'usd')}" if is_rounded else ""
    if sums.get("unit") not in ("%", "ratio") or not isinstance(sums.get("result"), int | float):
        return ""
    digits = f"{abs(sums['result']):.6g}"
    exact_one = f"({digits})" if sums["result"] < 0 else digits
    return "" if digits in str(sums["display"]) else f", exactly {exact_one}{'%' if sums['unit'] == '%' else ''}"


def printed(fact: FactRecord) -> str:
    """A figure as its filing prints it, with currency and scale: "$416,161 million"."""
    text = clean(str(fact.get("as_reported") or ""))
    value, unit = fact.get("value"), str(fact.get("unit") or "")
    if value is None or not any(c.isdigit() for c in text):
        return text or GAP
    if value < 0 and not text.startswith(("(", "-", "\u2212", "$(", "$-")):
        text = f"({text})"  # A tag holds the digits alone: the filing's brackets stand around it.
    scale = printed_scale(_fact(fact)) if unit in ("usd", "shares", "count") else 1
    sign = "$" if unit.startswith("usd") and "$" not in text else ""
    after = {"%": "%", "shares": " shares", "usd/share": " per share"}.get(unit, "")
    word = f" {SCALES[scale]}" if scale in SCALES and SCALES[scale] not in text.lower() else ""  # A sentence says it itself.
    return f"{sign}{text}{word}{'' if after.strip() in text and after else after}"


def period(fact: FactRecord) -> str:
    """ "year to 2025-09-27", "at 2025-09-27", or both ends of a period that is not a year."""
    start, end = fact.get("period_start"), fact.get("period_end")
    if not end:
        return ""
    if not start:
        return f"at {end}"
    return f"year to {end}" if _is_year(str(start), str(end)) else f"{start} to {end}"


def _is_year(start: str, end: str) -> bool:
    import datetime as dt

    try:
        return 345 <= (dt.date.fromisoformat(end) - dt.date.fromisoformat(start)).days <= 385
    except ValueError:
        return False


def _fact(fact: FactRecord) -> Fact:
    return Fact("", "", float(fact["value"] or 0.0), str(fact.get("as_reported") or ""), str(fact.get("unit") or ""), None, None)


def _rows(facts: Sequence[FactRecord], citations: Mapping[int, Citation]) -> Grid:
    companies = {c.company for f in facts if (c := citations.get(f.get("citation") or 0))}
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for place, fact in enumerate(facts):
        number = fact.get("citation")
        label = clean(str(fact.get("label") or fact.get("concept") or ""))
        if len(companies) > 1 and (citation := citations.get(number or 0)):
            label = f"{clean(citation.company)} · {label}"
        restated = fact.get("restated")
        mark = f" {RESTATED}" if restated is not None else ""
        rows.append((Cell(label), Cell(period(fact)), Cell(printed(fact) + mark, number, place)))
        if restated is not None:
            notes.append(_restated(fact, f"{label}, {period(fact)}"))
    labels = [row[0].text for row in rows]
    return Grid(("Figure", "Period", "As printed"), tuple(rows), (*notes, *_own_notes(facts, labels)), labels=2)


def _restated(fact: FactRecord, what: str) -> str:
    later = show_printed(exact(float(fact["restated"] or 0.0)), cast("Unit", fact["unit"]), _fact(fact))
    return f"{RESTATED} restated later as {later}: {what}"


def _own_notes(facts: Sequence[FactRecord], labels: Sequence[str]) -> Sequence[str]:
    """What is to know of each figure; what holds for all figures of a label stands there once and without a period."""
    parts = [[HOW_READ.get(part, part) for part in clean(str(fact.get("note") or "")).split("; ")] for fact in facts]
    told: dict[str, None] = {}
    for label, own, fact in zip(labels, parts, facts, strict=True):
        same = [others for other, others in zip(labels, parts, strict=True) if other == label]
        for part in filter(None, own):
            is_shared = all(part in others for others in same)
            told[f"{label if is_shared else f'{label}, {period(fact)}'}: {part}"] = None
    return tuple(told)


def _comparison(table: TableRecord, facts: Sequence[FactRecord]) -> Grid:
    """The table with each row's unit said once: beside its label, or over all labels where it is the same for all. A figure that
    stands on another basis than its neighbours may is marked, and a note says so.
    """
    table = _in_one_scale(table)
    units = [_unit_of_row(row) for row in table["rows"]]
    known = {unit for row, unit in zip(table["rows"], units, strict=True) if any(cell.get("display") for cell in row["cells"])}
    shared = known.pop() if len(known) == 1 else ""
    labels, what = without_shared([clean(str(row["label"])) for row in table["rows"]])
    rows: list[tuple[Cell, ...]] = []
    notes = dict.fromkeys(clean(str(note)) for note in table.get("notes") or ())
    for row, label, unit in zip(table["rows"], labels, units, strict=True):
        cells = []
        for column, cell in zip(table["columns"], row["cells"], strict=True):
            told = _basis(cell, facts, label, str(column))
            mark = f" {RESTATED}" if told.startswith(RESTATED) else ""
            cells.append(Cell(_bare(cell, unit) + mark, cell.get("citation"), cell.get("fact")))
            notes |= dict.fromkeys(filter(None, (told,)))
        rows.append((Cell(label if not unit or shared else f"{label}, {_beside(label, unit)}"), *cells))
    notes |= dict.fromkeys(_gaps(labels, table))
    ends = _period_ends(table, labels)
    over_all = ", ".join(filter(None, (what, _beside(f"{what} {labels[0]}", shared))))
    columns = tuple(map(str, table["columns"]))
    header = ("", over_all) if columns == (what,) else (over_all, *columns)
    if len(ends) == 1:
        rows.insert(0, (Cell("period end"), *(Cell(end) for end in ends[0][1])))
        return Grid(header, tuple(rows), tuple(notes), has_ends=True)
    if ends and len(header) == _LABEL_AND_FIGURE:
        rows = [(label, Cell(days[0] or GAP), cell) for (label, cell), (_, days) in zip(rows, ends, strict=True)]
        return Grid((header[0], "period end", header[1]), tuple(rows), tuple(notes), labels=2)
    if ends:
        notes["Periods end: " + "; ".join(f"{label} {', '.join(filter(None, days))}" for label, days in ends if any(days))] = None
    return Grid(header, tuple(rows), tuple(notes))


def _basis(cell: TableCell, facts: Sequence[FactRecord], label: str, column: str) -> str:
    """That a later filing restates the figure, that it is the restated one, or that a stock split may lie between it and others,
    which is the same for all years of a row; "" of what is computed, and where nothing is to be said.
    """
    place = cell.get("fact")
    if place is None or place >= len(facts) or facts[place].get("value") != cell.get("value"):
        return ""
    fact = facts[place]
    if fact.get("restated") is not None:
        return _restated(fact, f"{label}, {column}")
    parts = clean(str(fact.get("note") or "")).split("; ")
    told = [part for part in parts if part.startswith(("restated", "first reported as")) or "stock split" in part]
    what = label if told and all(part.startswith(SPLIT_UNTOLD) for part in told) else f"{label}, {column}"
    return f"{what}: {'; '.join(told)}" if told else ""


def _gaps(labels: Sequence[str], table: TableRecord) -> Sequence[str]:
    """Why cells are empty: a note for each reason, whatever the year it names; rows that lack the same for the same share one."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for label, row in zip(labels, table["rows"], strict=True):
        for columns, why in _gaps_of_row(table["columns"], row["cells"]):
            lacking.setdefault((columns, why), []).append(label)
    return [
        f"{GAP} {', '.join((*(() if 1 < len(rows) == len(labels) else rows), columns))}: {why}"
        for (columns, why), rows in lacking.items()
    ]


def _gaps_of_row(columns: Sequence[str], cells: Sequence[TableCell]) -> Iterator[tuple[str, str]]:
    """The columns that are empty, and why."""
    found: dict[str, list[tuple[str, str]]] = {}
    for column, cell in zip(columns, cells, strict=True):
        if cell.get("gap"):
            why = clean(str(cell["gap"]))
            found.setdefault(why.replace(f"fiscal {str(column)[-4:]}", "these years"), []).append((str(column), why))
    for reason, of in found.items():
        yield ", ".join(column for column, _ in of), reason if len(of) > 1 else of[0][1]


def _in_one_scale(table: TableRecord) -> TableRecord:
    """The table with each figure's amounts, of whatever company and year, in the scale that most of them are printed in."""
    of_figure: dict[str, list[TableCell]] = {}
    for row in table["rows"]:
        of_figure.setdefault(_figure_of(row), []).extend(cell for cell in row["cells"] if cell.get("display"))
    scales = {figure: _shared_scale(cells) for figure, cells in of_figure.items()}
    rows: list[TableRow] = [
        {**row, "cells": [_scaled(cell, scale) for cell in row["cells"]]} if (scale := scales[_figure_of(row)]) else row
        for row in table["rows"]
    ]
    return {**table, "rows": rows}


def _figure_of(row: TableRow) -> str:
    """What a row is of, without whose it is."""
    return str(row["label"]).rpartition(JOINT)[2]


def _shared_scale(cells: Sequence[TableCell]) -> int:
    """The scale of most amounts of money, the larger of two; 0 where they have one already, with like digits, or aren't money."""
    scales = Counter(_scale_of(str(cell["display"])) for cell in cells)
    digits = {_decimals(cell) for cell in cells}
    of_one_scale = len(scales) < 2 and not (0 in digits and max(digits) > TOLD_PLACES)
    if of_one_scale or {cell.get("unit") for cell in cells} != {"usd"}:
        return 0
    scales = Counter(told_scale(exact(float(cell["value"] or 0.0)), _scale_of(str(cell["display"]))) for cell in cells)
    return max(scales, key=lambda one: (scales[one], one))


def _scaled(cell: TableCell, scale: int) -> TableCell:
    is_told_so = _scale_of(str(cell.get("display"))) == scale and _decimals(cell) <= TOLD_PLACES
    if not cell.get("display") or is_told_so:
        return cell
    value = exact(float(cell["value"] or 0.0))
    small = -(value / scale).adjusted() + 1 if value else 0  # Two digits of what would be rounded to nothing.
    return {**cell, "display": show(value, "usd", scale=scale, places=max(TOLD_PLACES, small))}


def _decimals(cell: TableCell) -> int:
    """Decimal places that a cell shows."""
    return len(str(cell.get("display") or "").partition(".")[2].partition(")")[0].partition(" ")[0])


def _scale_of(display: str) -> int:
    return next((factor for factor, name in SCALES.items() if f" {name}" in display), 1)


def grouped(grid: Grid) -> Grid:
    """Rows "Americas: revenue", … "Americas: operating income" under a heading for each figure, where several have some rows."""
    figures = [row[0].text.rpartition(_OF_PART)[2] if _OF_PART in row[0].text else "" for row in grid.rows]
    if any(figures.count(name) < _FEWEST_IN_GROUP for name in figures if name) or len(set(figures) - {""}) < _FEWEST_IN_GROUP:
        return grid
    rows: list[tuple[Cell, ...]] = []
    current = ""
    for row, figure in zip(grid.rows, figures, strict=True):
        label = row[0].text
        if figure and figure != current:
            rows.append((Cell(figure), *(Cell("") for _ in row[1:])))
            current = figure
        if figure:
            rows.append((Cell(f"  {label.removesuffix(_OF_PART + figure)}"), *row[1:]))
        elif current and label.endswith(f" {current}"):
            rows.append((Cell(f"  {label.removesuffix(current).rstrip()}"), *row[1:]))
        else:
            rows.append(row)
            current = ""
    return replace(grid, rows=tuple(rows))


_OF_PART = ": "
_FEWEST_IN_GROUP = 2
_LABEL_AND_FIGURE = 2
"""Columns of a table of one figure a row."""


def _beside(label: str, unit: str) -> str:
    """The unit without what the label says: "earnings per share, $"."""
    return unit.removesuffix(" per share") if "per share" in label else unit


def without_shared(names: Sequence[str]) -> tuple[list[str], str]:
    """ "Acme · revenue" and "Zenith · revenue" -> Acme and Zenith, and what they share; of one the figure and its company."""
    heads, tails = zip(*(name.rpartition(JOINT)[::2] for name in names), strict=True) if names else ((), ())
    if not names or len(set(tails)) > 1 or not all(heads):
        return list(names), ""
    return (list(heads), tails[0]) if len(names) > 1 else (list(tails), heads[0])


def _unit_of_row(row: TableRow) -> str:
    """ "$ million" where all cells are printed so; empty where they differ, or carry their unit in themselves."""
    found = {_parted(cell)[1] for cell in row["cells"] if cell.get("display")}
    return found.pop() if len(found) == 1 else ""


def _bare(cell: TableCell, unit: str) -> str:
    if not cell.get("display"):
        return GAP
    return clean(_parted(cell)[0] if unit else str(cell["display"]))


def _parted(cell: TableCell) -> tuple[str, str]:
    """The digits of a cell, and its unit in words."""
    shown = str(cell["display"])
    number, blank, unit = shown.removeprefix("$").partition(" ")
    digits, unit = number.removeprefix("(").removesuffix(")"), blank + unit
    if not digits or not _DIGITS.issuperset(digits) or unit not in _UNITS:
        return shown, ""
    return number, f"{'$' if shown.startswith('$') else ''}{unit}".strip()


def _period_ends(table: TableRecord, labels: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The period ends of all rows at once where they agree, else of each row; empty where none is known."""
    rows = [
        (label, [str(cell.get("period_end") or "") for cell in row["cells"]])
        for label, row in zip(labels, table["rows"], strict=True)
    ]
    merged: list[str] = []
    for column in zip(*(days for _, days in rows), strict=True):
        known = {day for day in column if day}
        if len(known) > 1:
            return rows
        merged.append(known.pop() if known else "")
    return [("", merged)] if any(merged) else []
