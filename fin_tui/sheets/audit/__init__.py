"""A user's own workbook held against the filings: every sheet read, its numbers judged, its formulas checked.

Here are the report and the marks of a copy; ``layout.py`` finds the numbers, ``judging.py`` judges one of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypedDict

from fin_tui.engine.services import Services
from fin_tui.language import any_of, count
from fin_tui.records import PlacedFact
from fin_tui.sheets.audit.held import HeldFacts
from fin_tui.sheets.audit.judging import AuditedCell, Judge, Status
from fin_tui.sheets.audit.layout import typed_numbers
from fin_tui.sheets.audit.year_facts import Meaning, Slip
from fin_tui.sheets.filling import Filler
from fin_tui.sheets.view import Mark, ReadCell, ReadSheet, Token, address
from fin_tui.sheets.xlsx import read_book, tokens_of
from fin_tui.store.filings import company_keys

Kind = Literal["total", "skipped row", "typed number", "inconsistent formula", "circular formula"]
_CONVERSIONS = frozenset((0.0, 1.0, 2.0, 4.0, 10.0, 12.0, 52.0, 100.0, 360.0, 365.0, 1000.0, 10_000.0, 1e6, 1e9))
"""Numbers that turn units and periods into others, and no figures."""
_ROUNDING = (
    "ROUND(",
    "ROUNDUP(",
    "ROUNDDOWN(",
    "MROUND(",
    "INDEX(",
    "OFFSET(",
    "VLOOKUP(",
    "HLOOKUP(",
    "XLOOKUP(",
    "CHOOSE(",
    "DATE(",
)
_RANGE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?")
_TOTAL = any_of("total, sub-total, subtotal")
_MOST_ROWS = 60
"""Rows that a typed total may be the sum of."""
_TOLERANCE = 0.51
_MOST_TOKENS = 400
_MOST_SUMMED = 10_000
"""Places of a range that is looked into."""
_MOST_LOOKED = 3_000_000
"""Places of a sheet that its sums and references are looked up in, so that a sheet made of long ranges takes seconds."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something about a formula or a sum that a reader should look at."""

    sheet: str
    cell: str
    kind: Kind
    why: str


def check_sheet(sheet: ReadSheet) -> tuple[Check, ...]:
    """All checks of one sheet, in reading order."""
    read = {place: tokens_of(cell.formula) for place, cell in sheet.cells.items() if cell.formula}
    found = [
        *_typed_numbers(sheet, read),
        *_skipped_rows(sheet, read),
        *_inconsistent(sheet, read),
        *_totals(sheet),
        *_circles(sheet, read),
    ]
    order = {cell.address: place for place, cell in sheet.cells.items()}
    return tuple(sorted(found, key=lambda check: order.get(check.cell, (0, 0))))


def _typed_numbers(sheet: ReadSheet, read: Mapping[tuple[int, int], tuple[Token, ...]]) -> Iterator[Check]:
    for place, tokens in read.items():
        held: list[str] = []
        inside: list[str] = []
        for at, token in enumerate(tokens[:_MOST_TOKENS]):
            if token.kind == "open":
                inside.append(token.text.upper())
            elif token.kind == "close" and inside:
                inside.pop()
            elif token.kind == "number" and not (inside and inside[-1] in _ROUNDING):
                is_power = at > 0 and tokens[at - 1].text == "^"
                if float(token.text) not in _CONVERSIONS and not is_power:
                    held.append(token.text)
        if held:
            cell = sheet.cells[place]
            yield Check(
                sheet.title, cell.address, "typed number", f"The formula {cell.formula} holds {', '.join(held)}, typed in."
            )


def _skipped_rows(sheet: ReadSheet, read: Mapping[tuple[int, int], tuple[Token, ...]]) -> Iterator[Check]:
    looked = 0
    for (row, column), tokens in read.items():
        rows = _summed(tokens, column)
        if len(rows) < 2 or row in rows:
            continue
        own = {at for at in rows if at < row} or rows
        first, last = min(own), max(own)
        # A sum reaches down to its own row, or begins right below it; in between nothing that is a number may be missing.
        between = range(first, row) if last < row else range(row + 1, last + 1)
        looked += len(between) + sum(len(_rows_below(sheet, of, column)) for of in rows)
        if looked > _MOST_LOOKED:
            return
        summed = {at for of in rows for at in _rows_below(sheet, of, column)}
        if any(_is_typed_total(sheet, at, column) for at in rows):
            continue  # What a typed total sums is not known.
        left_out = [at for at in between if at not in rows | summed and _is_item(sheet, at, column, rows)]
        left_out += [at for at in _before(sheet, first, column, rows) if at not in summed] if last < row else []
        # A sum of few rows among many takes them from a table above: nothing is forgotten.
        if 0 < len(left_out) <= len(rows):
            names = ", ".join(_named(sheet, at, column) for at in sorted(set(left_out))[:5])
            cell = sheet.cells[row, column]
            yield Check(sheet.title, cell.address, "skipped row", f"The sum {cell.formula} leaves out {names}.")


def _rows_below(sheet: ReadSheet, row: int, column: int) -> frozenset[int]:
    """The rows that the sum in a row adds up, where it is one."""
    cell = sheet.cells.get((row, column))
    return _summed(tokens_of(cell.formula), column) if cell is not None and cell.formula else frozenset()


def _is_typed_total(sheet: ReadSheet, row: int, column: int) -> bool:
    cell = sheet.cells.get((row, column))
    return cell is not None and not cell.formula and bool(_TOTAL.match(_label(sheet, row, column)))


@lru_cache(maxsize=20_000)
def _summed(tokens: tuple[Token, ...], column: int) -> frozenset[int]:
    """The rows of its own column that a formula adds up: SUM over a range, or a chain of additions; nothing else in it."""
    rows: set[int] = set()
    for token in tokens:
        if token.kind == "range":
            match = _RANGE.fullmatch(token.text)
            if match is None or _number(match[1]) != column or (match[3] and _number(match[3]) != column):
                return frozenset()
            first, last = int(match[2]), int(match[4] or match[2])
            if last - first > _MOST_SUMMED:
                return frozenset()
            rows |= set(range(first, last + 1))
        elif not (token.text.upper() in ("SUM(", ")", "(", "+", ",", "=") or token.kind == "space"):
            return frozenset()
    return frozenset(rows)


def _is_item(sheet: ReadSheet, row: int, column: int, rows: frozenset[int]) -> bool:
    """A number among those that are summed, and no sum of them itself."""
    cell = sheet.cells.get((row, column))
    if cell is None or not isinstance(cell.value, (int, float)):
        return False
    if cell.formula:
        inner = _summed(tokens_of(cell.formula), column)
        return not (inner & rows) and "/" not in cell.formula and "%" not in cell.number_format
    return "%" not in cell.number_format and not _TOTAL.match(_label(sheet, row, column))


def _before(sheet: ReadSheet, first: int, column: int, rows: frozenset[int]) -> list[int]:
    """The typed number right above a sum's first row, in the same block."""
    above = sheet.cells.get((first - 1, column))
    typed = above is not None and not above.formula and isinstance(above.value, (int, float)) and not above.is_date
    is_head = typed and above is not None and float(above.value or 0).is_integer() and 1985 <= float(above.value or 0) <= 2060
    if not typed or is_head or not _label(sheet, first - 1, column):
        return []
    return [first - 1] if _is_item(sheet, first - 1, column, rows) else []


def _inconsistent(sheet: ReadSheet, read: Mapping[tuple[int, int], tuple[Token, ...]]) -> Iterator[Check]:
    """In a row of formulas that all say the same of their own columns, the one that says something else."""
    by_row: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for (row, column), tokens in read.items():
        by_row[row].append((column, _relative(tokens, row, column)))
    for row, said in by_row.items():
        if len(said) < 3:
            continue
        usual, count = Counter(text for _, text in said).most_common(1)[0]
        odd = [column for column, text in said if text != usual]
        if count >= 2 and len(odd) == 1 and count == len(said) - 1:
            cell = sheet.cells[row, odd[0]]
            yield Check(sheet.title, cell.address, "inconsistent formula", f"{cell.formula} differs from the formulas beside it.")


def _relative(tokens: Sequence[Token], row: int, column: int) -> str:
    """A formula with its references as distances from its own cell."""

    def distance(match: re.Match[str]) -> str:
        parts = [(match[1], match[2]), (match[3], match[4])]
        return ":".join(f"R{int(number) - row}C{_number(letters) - column}" for letters, number in parts if letters)

    texts = []
    for token in tokens:
        is_plain = token.kind == "range" and "$" not in token.text
        texts.append(_RANGE.sub(distance, token.text) if is_plain else token.text)
    return "".join(texts)


def _totals(sheet: ReadSheet) -> Iterator[Check]:
    """Typed totals that are not the sum of the rows above them, where in another column they are."""
    by_row: defaultdict[int, list[ReadCell]] = defaultdict(list)
    for (row, _), cell in sheet.cells.items():
        if isinstance(cell.value, (int, float)) and not cell.is_date and "%" not in cell.number_format:
            by_row[row].append(cell)
    for row, cells in by_row.items():
        typed = [cell for cell in cells if not cell.formula]
        if len(cells) < 2 or not typed or not any(_TOTAL.match(_label(sheet, row, cell.column)) for cell in typed):
            continue
        sums = {cell.column: _sums_above(sheet, row, cell.column) for cell in cells}
        adding = Counter(
            first for cell in cells for first, total in sums[cell.column].items() if _close(total, float(cell.value or 0.0))
        )
        if not adding:
            continue
        first, count = max(adding.items(), key=lambda pair: (pair[1], pair[0]))
        for cell in typed:
            total = sums[cell.column].get(first)
            if count >= len(cells) / 2 and total is not None and not _close(total, float(cell.value or 0.0)):
                why = f"The rows {first} to {row - 1} add up to {total:,.10g}, not {float(cell.value or 0):,.10g}."
                yield Check(sheet.title, cell.address, "total", why)


def _sums_above(sheet: ReadSheet, row: int, column: int) -> dict[int, float]:
    """First row -> the sum of the numbers from there down to the row before: of two at least."""
    sums: dict[int, float] = {}
    total = 0.0
    for above in range(row - 1, max(row - _MOST_ROWS, 0), -1):
        cell = sheet.cells.get((above, column))
        if cell is None or not isinstance(cell.value, (int, float)) or cell.is_date:
            continue
        total += float(cell.value)
        if above < row - 1:
            sums[above] = total
    return sums


def _circles(sheet: ReadSheet, read: Mapping[tuple[int, int], tuple[Token, ...]]) -> Iterator[Check]:
    """Formulas that rest on themselves, one for each circle; references to other sheets are not followed."""
    edges: dict[tuple[int, int], set[tuple[int, int]]] = {}
    looked = 0
    for place, tokens in read.items():
        found = _references(tokens) if looked < _MOST_LOOKED else set()
        looked += len(found)
        edges[place] = found & read.keys()
    state: dict[tuple[int, int], int] = {}
    for start in edges:
        if start in state:
            continue
        path: list[tuple[tuple[int, int], Iterator[tuple[int, int]]]] = [(start, iter(edges[start]))]
        state[start] = 1
        while path:
            place, rest = path[-1]
            following = next(rest, None)
            if following is None:
                state[place] = 2
                path.pop()
            elif state.get(following) == 1:
                cell = sheet.cells[following]
                yield Check(sheet.title, cell.address, "circular formula", f"{cell.formula} rests on itself.")
            elif following not in state:
                state[following] = 1
                path.append((following, iter(edges[following])))


def _references(tokens: Sequence[Token]) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for token in tokens[:_MOST_TOKENS]:
        match = _RANGE.fullmatch(token.text) if token.kind == "range" else None
        if match is not None:
            first, last = int(match[2]), int(match[4] or match[2])
            left, right = _number(match[1]), _number(match[3] or match[1])
            if (last - first + 1) * (right - left + 1) <= _MOST_SUMMED:
                found |= {(row, column) for row in range(first, last + 1) for column in range(left, right + 1)}
    return found


def _close(total: float, typed: float) -> bool:
    return abs(total - typed) <= max(_TOLERANCE if typed.is_integer() else 0.006, 1e-9 * abs(typed))


def _label(sheet: ReadSheet, row: int, column: int) -> str:
    for before in range(column - 1, max(column - 30, 0), -1):
        cell = sheet.cells.get((row, before))
        if cell is not None and isinstance(cell.value, str) and not cell.formula:
            return cell.value.strip()
    return ""


def _named(sheet: ReadSheet, row: int, column: int) -> str:
    label = _label(sheet, row, column)
    place = address(row, column)
    return f"{place} ({label})" if label else place


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


class CellRow(TypedDict):
    """A typed number of ``audit --json``; ``found`` is a fact object with its place."""

    sheet: str
    cell: str
    label: str
    period_end: str | None
    typed: float
    status: Status
    found: PlacedFact | None
    slip: Slip | None
    why: str
    company: str | None


class CheckRow(TypedDict):
    """A check of ``audit --json``."""

    sheet: str
    cell: str
    kind: Kind
    why: str


class AuditDocument(TypedDict):
    """The document of ``audit --json``; ``counts``: status -> number of cells."""

    file: str
    counts: Mapping[str, int]
    cells: list[CellRow]
    checks: list[CheckRow]


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found in a workbook."""

    file: str
    cells: tuple[AuditedCell, ...]
    checks: tuple[Check, ...]

    @property
    def counts(self) -> Mapping[str, int]:
        """Status -> number of cells."""
        found = Counter(cell.status for cell in self.cells)
        return {status: found.get(status, 0) for status in ("supported", "contradicted", "unknown")}

    @property
    def document(self) -> AuditDocument:
        """The document of ``audit --json``."""
        cells: list[CellRow] = [
            {"sheet": c.sheet, "cell": c.cell, "label": c.label, "period_end": c.period_end, "typed": c.typed, "status": c.status,
             "found": c.found, "slip": c.slip, "why": c.why, "company": c.company or None}
            for c in self.cells
        ]  # fmt: skip
        checks: list[CheckRow] = [{"sheet": c.sheet, "cell": c.cell, "kind": c.kind, "why": c.why} for c in self.checks]
        return {"file": self.file, "counts": self.counts, "cells": cells, "checks": checks}

    @property
    def marks(self) -> dict[tuple[str, str], tuple[Mark, str]]:
        """(sheet, cell) -> how a copy is marked. A verdict comes before a check of the same cell."""
        found: dict[tuple[str, str], tuple[Mark, str]] = {
            (check.sheet, check.cell): ("check", f"{check.kind}: {check.why}") for check in self.checks
        }
        for cell in self.cells:
            place = cell.found.get("reference") if cell.found else None
            slip = f" Likely slip: {cell.slip}." if cell.slip and cell.slip != "other" else ""
            note = " ".join(filter(None, (cell.why + slip, f"Source: {place}." if place else "")))
            found[cell.sheet, cell.cell] = (cell.status, note)
        return found


def audit(
    services: Services, path: Path, *, company: str = "", tell: Callable[[int, int], None] = lambda done, total: None
) -> Audit:
    """Audit the workbook at ``path`` against the filings held. ``company`` (name, ticker or CIK) says whose numbers they are
    where the workbook does not; the one company of a library needs no naming. ``tell`` hears how many sheets are done.

    Raises ``FinTuiError`` for a file that can't be read, ``NotFound`` for a company that is not held.
    """
    sheets = read_book(path)
    filings = services.corpus.filings()
    held = HeldFacts(services.corpus, services.book, Filler(services.engine, filings))
    default = company_keys(company, filings)[0] if company else _only(held, path)
    judge = Judge(held, Meaning(services.encoder.vectors), default)
    numbers = [typed_numbers(sheet, held.company) for sheet in sheets]
    cells = judge.judge(numbers, lambda done: tell(done, len(sheets)))
    checks = tuple(check for sheet in sheets for check in check_sheet(sheet))
    tell(len(sheets), len(sheets))
    return Audit(path.name, cells, checks)


def _only(held: HeldFacts, path: Path) -> str:
    """The company that the file is called after, else the only one held."""
    name = path.stem.replace("_", " ").replace("-", " ")
    for text in (name, *name.split()):
        if key := held.company(text):
            return key
    return held.companies[0] if len(held.companies) == 1 else ""


def report(found: Audit) -> str:
    """The audit as Markdown: counts, what is contradicted, what the checks say, what is unknown."""
    told = found.counts
    lines = [f"# Audit of {_text(found.file)}", "", ", ".join(f"{number} {status}" for status, number in told.items()) + "."]
    wrong = [cell for cell in found.cells if cell.status == "contradicted"]
    if wrong:
        lines += [
            "",
            "## Contradicted",
            "",
            "| Cell | Label | Period end | Typed | Slip | Why | Source |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [_row(cell) for cell in wrong]
    if found.checks:
        lines += ["", "## Sums and formulas", "", "| Cell | What | Why |", "|---|---|---|"]
        lines += [f"| {_text(c.sheet)}!{c.cell} | {c.kind} | {_text(c.why)} |" for c in found.checks]
    reasons = Counter(cell.why for cell in found.cells if cell.status == "unknown")
    if reasons:
        lines += ["", "## Unknown", ""]
        lines += [f"- {count(number, 'cell')}: {_text(why)}" for why, number in reasons.most_common()]
    return "\n".join(lines) + "\n"


def _row(cell: AuditedCell) -> str:
    source = cell.found.get("reference") if cell.found else None
    parts = (
        f"{cell.sheet}!{cell.cell}",
        cell.label,
        cell.period_end or "",
        f"{cell.typed:,.10g}",
        cell.slip or "",
        cell.why,
        source or "",
    )
    return "| " + " | ".join(_text(part) for part in parts) + " |"


def _text(text: str) -> str:
    """Text of a workbook or filing within a table of Markdown: no markup, no further column."""
    for mark in "\\|<>*_`[]":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())
