"""The figures of an answer as rows of text, for the evidence card and for copying. Pure; reads the answer's JSON fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fin_tui.facts.format import SCALES, printed_scale, show_fact
from fin_tui.facts.values import exact
from fin_tui.filings.cleaning import clean
from fin_tui.records import Answer, Citation, Fact

GAP = "–"


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
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """What to know about single cells: restated values, why a cell is empty."""

    @property
    def tsv(self) -> str:
        """Tab-separated, header first; the notes stay out, so that it pastes as a table."""
        lines = ["\t".join(self.header), *("\t".join(cell.text for cell in row) for row in self.rows)]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Figures:
    """What an answer of figures rests on."""

    facts: tuple[Mapping[str, Any], ...] = ()
    calculation: Mapping[str, Any] | None = None
    table: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        return bool(self.facts or self.table)

    @classmethod
    def of(cls, answer: Answer) -> Figures:
        """The figures of a finished answer."""
        return cls(answer.facts, answer.calculation, answer.table)

    def grid(self, citations: Sequence[Citation]) -> Grid:
        """The comparison table where there is one, else a row for each figure."""
        return _comparison(self.table) if self.table else _rows(self.facts, {c.id: c for c in citations})

    @property
    def calculation_lines(self) -> tuple[str, ...]:
        """The formula, the formula with its figures, and the result; empty for figures as they stand."""
        sums = self.calculation
        if not sums:
            return ()
        inputs = sums.get("inputs") or {}
        named = [f"{letter} = {clean(str(given.get('item', '')))}, {given.get('period_end')}" for letter, given in inputs.items()]
        lines = [clean(str(sums["expression"])), *named]
        return (*lines, f"{clean(str(sums['substituted']))} = {clean(str(sums['display']))}")


def printed(fact: Mapping[str, Any]) -> str:
    """A figure as its filing prints it, with currency and scale: "$416,161 million"."""
    text = clean(str(fact.get("as_reported") or ""))
    value, unit = fact.get("value"), str(fact.get("unit") or "")
    if value is None or not any(c.isdigit() for c in text):
        return text or GAP
    scale = printed_scale(_fact(fact)) if unit in ("usd", "shares", "count") else 1
    sign = "$" if unit.startswith("usd") and "$" not in text else ""
    after = {"%": " %", "shares": " shares", "usd/share": " per share"}.get(unit, "")
    word = f" {SCALES[scale]}" if scale in SCALES else ""
    return f"{sign}{text}{word}{'' if after.strip() in text and after else after}"


def period(fact: Mapping[str, Any]) -> str:
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


def _fact(fact: Mapping[str, Any]) -> Fact:
    return Fact("", "", float(fact["value"]), str(fact.get("as_reported") or ""), str(fact.get("unit") or ""), None, None)


def _rows(facts: Sequence[Mapping[str, Any]], citations: Mapping[int, Citation]) -> Grid:
    companies = {c.company for f in facts if (c := citations.get(f.get("citation") or 0))}
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for place, fact in enumerate(facts):
        number = fact.get("citation")
        label = clean(str(fact.get("label") or fact.get("concept") or ""))
        if len(companies) > 1 and (citation := citations.get(number or 0)):
            label = f"{clean(citation.company)} · {label}"
        restated = fact.get("restated")
        mark = " ®" if restated is not None else ""
        rows.append((Cell(label), Cell(period(fact)), Cell(printed(fact) + mark, number, place)))
        if restated is not None:
            later = show_fact(exact(float(restated)), fact["unit"], _fact(fact))
            notes.append(f"® restated later as {later}: {label}, {period(fact)}")
        if fact.get("note"):
            notes.append(f"{label}: {clean(str(fact['note']))}")
    return Grid(("Figure", "Period", "As printed"), tuple(rows), tuple(notes))


def _comparison(table: Mapping[str, Any]) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    notes: dict[str, None] = {}
    for row in table["rows"]:
        label = clean(str(row["label"]))
        cells = [Cell(clean(str(cell.get("display") or GAP)), cell.get("citation"), cell.get("fact")) for cell in row["cells"]]
        rows.append((Cell(label), *cells))
        for column, cell in zip(table["columns"], row["cells"], strict=True):
            if cell.get("gap"):
                notes[f"{GAP} {label}, {column}: {clean(str(cell['gap']))}"] = None
    return Grid(("", *(str(column) for column in table["columns"])), tuple(rows), tuple(notes))
