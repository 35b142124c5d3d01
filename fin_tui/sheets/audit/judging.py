"""One typed number -> supported, contradicted or unknown, with the fact found and the slip that is likely."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fin_tui.facts.figures import Period
from fin_tui.records import Citation, SheetCell
from fin_tui.sheets.audit.comparing import SCALES, Slip, digits, equal, is_digit_slip, is_outflow, is_scale_slip
from fin_tui.sheets.audit.held import Held, HeldFacts, affinity, holds_all, place_json, spelled_out, words_alike
from fin_tui.sheets.audit.layout import TypedNumber

Status = Literal["supported", "contradicted", "unknown"]
_NOTE_MARK = re.compile(r"\([\da-z]\)")
_SAME_ROW = 0.99
_ROUNDED = 0.01
_CLOSE = 0.8
_RELATED = 0.6
_HALF = 0.5
_TELLING_DIGITS = 3
"""A number of fewer digits stands in many rows by chance."""


@dataclass(frozen=True, slots=True)
class AuditedCell:
    """A typed number with its verdict: an object of ``audit --json``."""

    sheet: str
    cell: str
    label: str
    period_end: str | None
    typed: float
    status: Status
    found: Mapping[str, Any] | None = None
    slip: Slip | None = None
    why: str = ""
    company: str = ""
    citation: Citation | None = None
    """Where ``found`` stands."""


@dataclass(frozen=True, slots=True)
class _Expected:
    """What the label of a number names."""

    value: float
    unit: str
    concept: str
    label: str
    held: Held | None = None
    cell: SheetCell | None = None
    later: float | None = None
    """Another value of the same figure in the latest filing that covers its period."""


class Judge:
    """Judges the typed numbers of one sheet after another."""

    def __init__(self, held: HeldFacts, company: str = "") -> None:
        """``company``: whose numbers they are where the workbook does not say."""
        self._held = held
        self._company = company

    def judge(self, numbers: Sequence[TypedNumber]) -> tuple[AuditedCell, ...]:
        """The verdicts on the numbers of one sheet. Where its captions name no scale it is the one that most numbers fit."""
        fitting = self._fitting_scale(numbers)
        mentioned = {number.company for number in numbers} - {""}
        return tuple(self._judge(number, number.scale or fitting, mentioned) for number in numbers)

    def _fitting_scale(self, numbers: Sequence[TypedNumber]) -> int:
        """The scale in which most numbers are what their labels name; 1 where none fits."""
        votes: Counter[int] = Counter()
        for number in numbers:
            place = self._place(number) if number.scale is None else None
            for expected in self._expected(number, *place) if place is not None else ():
                if expected.unit == "usd":
                    votes.update(scale for scale in SCALES if equal(number, expected.value, "usd", scale))
        return votes.most_common(1)[0][0] if votes else 1

    def _place(self, number: TypedNumber) -> tuple[str, Period] | None:
        company = number.company or self._company
        head = number.period
        if not number.label or not company or head is None or head.is_estimate or head.is_part:
            return None
        year = self._held.period(company, head)
        return (company, year) if year is not None else None

    def _judge(self, number: TypedNumber, scale: int, mentioned: Iterable[str]) -> AuditedCell:
        company = number.company or self._company
        told = AuditedCell(number.sheet, number.address, number.label, None, number.value, "unknown", company=company)
        place = self._place(number)
        if place is None:
            return replace(told, why=self._why_no_place(number, company))
        year = place[1]
        told = replace(told, period_end=year.end.isoformat())
        # Rows called just so are at hand; the figure that the label names in other words may have to be searched for.
        rows = self._rows(_texts(number), *place)
        own = next((one for one in rows if _states(number, one, scale)), None)
        if own is not None:
            return self._supported(told, own)
        expected = self._expected(number, *place)
        hits = [held for held in self._held.facts(*place) if equal(number, held.value, held.unit, scale)]
        own = next((one for one in expected if _states(number, one, scale)), None)
        if own is not None:
            return self._supported(told, own)
        supporting = self._by_row(number, hits, expected, scale, place)
        if supporting is not None and _states(number, supporting, scale):
            return self._supported(told, supporting)
        if supporting is not None:
            expected = (supporting,)
        if not expected:
            return replace(told, why=self._why_unknown(number, hits))
        exact = next((held for held in hits if _rounds_to(number, held, expected[0], scale)), None)
        if exact is not None:
            return self._supported(told, _of_row(exact, ()))
        slip, why = self._slip(number, expected[0], scale, place, mentioned)
        found, citation = self._found(expected[0])
        said = f"{self._held.name(company)} states {_said(expected[0], scale)} for {year.label} ({year.end})"
        return replace(told, status="contradicted", found=found, slip=slip, why=f"{said}{why}.", citation=citation)

    def _why_no_place(self, number: TypedNumber, company: str) -> str:
        if not number.label:
            return "The number has no label."
        if number.period is not None and number.period.is_estimate:
            return "An estimate: not looked up."
        if number.period is not None and number.period.is_part:
            return "No fiscal year: figures of quarters and of the last twelve months are not looked up."
        if not company:
            return "The workbook does not say which company this is; --company does."
        if number.period is None:
            return "No header says which year this is."
        return f"No filing held covers {number.period.end or f'FY{number.period.year}'}."

    def _why_unknown(self, number: TypedNumber, hits: Sequence[Held]) -> str:
        telling = next((held for held in hits if held.in_statement and digits(number) >= _TELLING_DIGITS), None)
        if telling is not None:
            return f"The label names no figure that is known; the number stands at {telling.label!r}."
        return "The label names no figure that is known, and no row says the number."

    def _expected(self, number: TypedNumber, company: str, year: Period) -> tuple[_Expected, ...]:
        """What the label may name, surest first: rows of the statements called just so, then the figure that the engine finds."""
        texts = _texts(number)
        values = {one.concept: one for one in self._rows(texts, company, year)}
        cell = next((c for text in texts[:2] if (c := self._held.figure(company, year, text)) and c.value is not None), None)
        if cell is not None and not _is_note_mark(cell, number.label):
            answer = _of_cell(cell)
            others = [one for one in values.values() if one.concept != answer.concept]
            return (answer, *others)
        if not values:
            rows = [h for h in self._held.facts(company, year) if h.in_statement and not h.fact.dimensions]
            close = [held for held in rows if affinity(texts, held) >= _CLOSE] or [h for h in rows if holds_all(texts[0], h)]
            close = close or self._noted(texts[0], company, year)
            if len({(held.fact.concept, held.value) for held in close}) == 1:
                return (_of_row(close[0], close),)
        return tuple(values.values()) if len(values) == 1 else ()

    def _rows(self, texts: Sequence[str], company: str, year: Period) -> tuple[_Expected, ...]:
        """The rows of the statements that are called just so, each value of a concept once."""
        rows = [h for h in self._held.facts(company, year) if h.in_statement and not h.fact.dimensions]
        same = [held for held in rows if affinity(texts[:1], held) >= _SAME_ROW]
        return tuple({(one.concept, one.value, one.later): one for one in (_of_row(held, same) for held in same)}.values())

    def _noted(self, label: str, company: str, year: Period) -> list[Held]:
        """Tagged rows outside of the statements that are called just so, in the latest filing that has one."""
        facts = [held for held in self._held.facts(company, year) if held.fact.source == "xbrl" and not held.fact.dimensions]
        same = [held for held in facts if words_alike(label, held.label) >= _SAME_ROW]
        return [held for held in same if held.filing == same[0].filing]

    def _by_row(
        self, number: TypedNumber, hits: Sequence[Held], expected: Sequence[_Expected], scale: int, place: tuple[str, Period]
    ) -> _Expected | None:
        """A row that states the number and is called much as its label, with what a later filing states in it."""
        texts = _texts(number)
        best = max(hits, key=lambda held: affinity(texts, held), default=None)
        if best is None or not _agrees(number, best.value, _of_row(best, ()), scale):
            return None
        score = affinity(texts, best)
        if expected:
            # A heading above the row says nothing against a figure that the label names: the row's own words must.
            named = max(words_alike(texts[0], one.label) for one in expected)
            score = max(words_alike(text, best.label) for text in texts)
            is_rival = score >= _CLOSE or (score >= _HALF and score > named)
            if not is_rival or any(best.fact.concept == one.concept for one in expected):
                return None
        return _of_row(best, self._same(best, place)) if score >= _RELATED or (expected and score >= _HALF) else None

    def _same(self, row: Held, place: tuple[str, Period]) -> list[Held]:
        """The tagged row in all filings, the latest first."""
        if row.fact.source != "xbrl" or row.fact.dimensions:
            return []
        facts = (held for held in self._held.facts(*place) if held.fact.concept == row.fact.concept and not held.fact.dimensions)
        return [held for held in facts if held.fact.source == "xbrl" and words_alike(held.label, row.label) >= _SAME_ROW]

    def _slip(
        self, number: TypedNumber, meant: _Expected, scale: int, place: tuple[str, Period], mentioned: Iterable[str]
    ) -> tuple[Slip, str]:
        company, year = place
        if equal(number, meant.value, meant.unit, scale) < 0 and meant.later is None:
            return "sign", "; the sign differs"
        if meant.later is not None and equal(number, meant.value, meant.unit, scale):
            return (
                "restated",
                f"; the value typed was first reported, and restated to {_amount(meant.later, meant.unit, scale)} since",
            )
        if is_scale_slip(number, meant.value, meant.unit, scale):
            return "scale", "; the number is in another power of ten"
        other = self._other_year(number, meant, scale, place)
        if other:
            return "year", f"; the number typed is that of {other}"
        if digits(number) >= _TELLING_DIGITS:
            rows = [h for h in self._held.facts(company, year) if h.in_statement and equal(number, h.value, h.unit, scale)]
            if rows:
                return "row", f"; the number typed is that of {rows[0].label!r}"
            for one in mentioned:
                theirs = self._held.figure(one, year, number.label) if one != company else None
                if theirs is not None and theirs.value is not None and equal(number, theirs.value, theirs.unit or "", scale):
                    return "company", f"; the number typed is that of {self._held.name(one)}"
        if is_digit_slip(number, meant.value, meant.unit, scale):
            return "digit", "; a digit differs"
        return "other", ""

    def _other_year(self, number: TypedNumber, meant: _Expected, scale: int, place: tuple[str, Period]) -> str:
        company, year = place
        for held in self._held.other_years(company, meant.concept) if meant.concept else ():
            end = held.fact.period_end
            if end is not None and abs((end - year.end).days) > 300 and equal(number, held.value, held.unit, scale):
                return f"the period to {end}"
        if meant.cell is not None and meant.cell.calculation:
            for back in (-1, 1):
                cell = self._held.figure(company, Period(year.end, None, f"FY{_year(year) + back}"), number.label)
                if cell is not None and cell.value is not None and equal(number, cell.value, cell.unit or "", scale):
                    return f"FY{_year(year) + back}"
        return ""

    def _supported(self, told: AuditedCell, by: _Expected) -> AuditedCell:
        found, citation = self._found(by)
        note = "computed from figures that the filing states" if by.cell is not None and by.cell.calculation else ""
        return replace(told, status="supported", found=found, why=note, citation=citation)

    def _found(self, expected: _Expected) -> tuple[Mapping[str, Any], Citation | None]:
        if expected.held is not None:
            return self._held.json(expected.held), self._held.citation(expected.held)
        cell = expected.cell
        assert cell is not None
        citation = cell.citations[0] if cell.citations else None
        fact: Mapping[str, Any] = cell.facts[0] if cell.facts else {}
        if cell.calculation:
            fact = {"concept": "computed", "label": expected.label, "value": cell.value, "unit": cell.unit, "source": "computed",
                    "period_end": cell.period_end, "as_reported": cell.line, "expression": cell.calculation["expression"],
                    "filing": fact.get("filing"), "file": fact.get("file")}  # fmt: skip
        return {**fact, **place_json(citation)}, citation


def _rounds_to(number: TypedNumber, held: Held, meant: _Expected, scale: int) -> bool:
    """Whether a row of a statement states the number that a sentence, in which the figure was found, tells rounded."""
    is_told = meant.cell is not None and bool(meant.cell.facts) and meant.cell.facts[0].get("source") == "text"
    is_near = abs(abs(held.value) - abs(meant.value)) <= _ROUNDED * abs(held.value)
    return is_told and held.in_statement and is_near and _agrees(number, held.value, _of_row(held, ()), scale)


def _is_note_mark(cell: SheetCell, label: str) -> bool:
    """Whether what was found is the "(1)" behind the row's words."""
    printed = str(cell.facts[0].get("as_reported") or "").strip() if cell.facts and not cell.calculation else ""
    return bool(_NOTE_MARK.fullmatch(printed)) and printed in label


def _texts(number: TypedNumber) -> list[str]:
    """What the number may be called: its label, with the heading of its column, with that of its block."""
    label = spelled_out(number.label)
    return [label, *(f"{more} {label}" for more in (number.column, number.section) if more)]


def _of_row(held: Held, same: Sequence[Held]) -> _Expected:
    """The row of a statement; ``same`` are the same rows in all filings, the latest first: it may state another value."""
    later = next((one for one in same if one.fact.concept == held.fact.concept), held)
    differs = later.value != held.value and abs(later.value - held.value) > 5e-4 * abs(held.value)
    return _Expected(held.value, held.unit, held.fact.concept, held.label, held, later=later.value if differs else None)


def _of_cell(cell: SheetCell) -> _Expected:
    fact: Mapping[str, Any] = cell.facts[0] if cell.facts else {}
    is_one = not cell.calculation
    label = str(fact.get("label") or "") if is_one else ""
    later = fact.get("restated") if is_one else None
    concept = str(fact.get("concept") or "") if is_one else ""
    return _Expected(float(cell.value or 0.0), cell.unit or "", concept, label, cell=cell, later=later)


def _states(number: TypedNumber, meant: _Expected, scale: int) -> bool:
    """Whether the number is what is meant, as the latest filing states it."""
    return _agrees(number, meant.value if meant.later is None else meant.later, meant, scale)


def _agrees(number: TypedNumber, value: float, meant: _Expected, scale: int) -> bool:
    """The same number, and the same sign unless it is of what goes out and typed negative."""
    same = equal(number, value, meant.unit, scale)
    if same < 0:
        outflow = is_outflow(meant.concept, f"{meant.label} {number.label}")
        # A change in working capital has one sign as tagged and the other as printed.
        return outflow and (number.value < 0 or "IncreaseDecrease" in meant.concept)
    return same > 0


def _said(meant: _Expected, scale: int) -> str:
    return _amount(meant.value if meant.later is None else meant.later, meant.unit, scale)


def _amount(value: float, unit: str, scale: int) -> str:
    """A value as the sheet would hold it."""
    if unit == "usd":
        return f"{value / scale:,.10g}" if scale == 1 or (value / scale) % 1 else f"{value / scale:,.0f}"
    return f"{value:,.10g}{'%' if unit == '%' else ''}"


def _year(year: Period) -> int:
    return int(year.label.removeprefix("FY")) if year.label.startswith("FY") else year.end.year
