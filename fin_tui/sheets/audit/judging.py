"""One typed number -> supported, contradicted or unknown, with the fact found and the slip that is likely."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Metric, Period
from fin_tui.facts.words import without_note
from fin_tui.records import Citation, FactRecord, PlacedFact, SheetCell, placed
from fin_tui.sheets.audit.held import HeldFacts, place_json
from fin_tui.sheets.audit.layout import TypedNumber
from fin_tui.sheets.audit.year_facts import (
    SCALES,
    Held,
    Meaning,
    Slip,
    YearFacts,
    affinity,
    bare,
    digits,
    equal,
    holds_all,
    is_digit_slip,
    is_outflow,
    is_scale_slip,
    label_words,
    restated_to,
    spelled_out,
    tag_words,
    without_fillers,
    words_alike,
)

Status = Literal["supported", "contradicted", "unknown"]
_ROUNDED = 0.01
_CLOSE = 0.8
_RELATED = 0.6
_HALF = 0.5
_MAJORITY = 0.7
_MONEY = "$€£"
_MOST_PERCENT = 200.0
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
    found: PlacedFact | None = None
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
    """Judges the typed numbers of a workbook."""

    def __init__(self, held: HeldFacts, meaning: Meaning, company: str = "") -> None:
        """``company``: whose numbers they are where the workbook does not say."""
        self._held = held
        self._meaning = meaning
        self._company = company
        self._votes: defaultdict[frozenset[str], Counter[str]] = defaultdict(Counter)
        """Label -> the tags of the rows that support its numbers."""

    def judge(
        self, sheets: Sequence[Sequence[TypedNumber]], tell: Callable[[int], None] = lambda done: None
    ) -> tuple[AuditedCell, ...]:
        """The verdicts on the numbers of each sheet, in their order. Where its captions name no scale it is the one that most
        numbers fit. ``tell`` hears how many sheets are done.
        """
        cells: list[AuditedCell] = []
        asked: list[tuple[TypedNumber, int, Sequence[str]]] = []
        for at, numbers in enumerate(sheets):
            tell(at)
            fitting = self._fitting_scale(numbers)
            mentioned = sorted({number.company for number in numbers} - {""})
            of_sheet = [(number, number.scale or fitting, mentioned) for number in numbers]
            cells += [self._judge(*one, is_first=True) for one in of_sheet]
            asked += of_sheet
        # What a label means, the numbers under it that are right tell; only then is it searched for.
        return tuple(
            self._judge(*one, is_first=False) if cell.status == "unknown" else cell
            for one, cell in zip(asked, cells, strict=True)
        )

    def _fitting_scale(self, numbers: Sequence[TypedNumber]) -> int:
        """The scale in which most numbers are what their labels name; 1 where none fits."""
        votes: Counter[int] = Counter()
        for number in numbers:
            place = self._place(number) if number.scale is None else None
            for expected in self._expected(number, 1, place, is_first=True) if place is not None else ():
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

    def _judge(self, number: TypedNumber, scale: int, mentioned: Iterable[str], *, is_first: bool) -> AuditedCell:
        company = number.company or self._company
        told = AuditedCell(number.sheet, number.address, number.label, None, number.value, "unknown", company=company)
        place = self._place(number)
        if place is None:
            return replace(told, why=self._why_no_place(number, company))
        year = place[1]
        told = replace(told, period_end=year.end.isoformat())
        facts = self._held.year(*place)
        hits = facts.stating(number, scale)
        # Rows called just so are at hand; the figure that the label names in other words may have to be searched for.
        rows = [*self._rows(number, facts, scale), *self._tagged(number, scale, place), *_under_its_tags(number, facts, scale)]
        own = next((one for one in rows if _states(number, one, scale)), None)
        if own is not None:
            return self._supported(told, own)
        supporting = self._by_row(number, hits, (), scale, facts, least=_CLOSE)
        expected = self._expected(number, scale, place, is_first=is_first) if supporting is None else ()
        own = next((one for one in (supporting, *expected) if one is not None and _states(number, one, scale)), None)
        if own is not None:
            return self._supported(told, own)
        supporting = supporting or self._by_row(number, hits, expected, scale, facts)
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
        return f"No filing in the library covers {number.period.end or f'FY{number.period.year}'}."

    def _why_unknown(self, number: TypedNumber, hits: Sequence[Held]) -> str:
        telling = next((held for held in hits if held.in_statement and digits(number) >= _TELLING_DIGITS), None)
        if telling is not None:
            return f"The label names no figure that is known; the number stands at {telling.label!r}."
        return "The label names no figure that is known, and no row says the number."

    def _expected(self, number: TypedNumber, scale: int, place: tuple[str, Period], *, is_first: bool) -> tuple[_Expected, ...]:
        """What the label may name, surest first: the figure of the vocabulary, rows called just so, what the engine finds."""
        facts, label = self._held.year(*place), _texts(number)[0]
        values = {one.concept: one for one in self._rows(number, facts, scale)}
        rows = tuple(values.values()) if len(values) == 1 else self._tagged(number, scale, place)
        is_known = _metric(label) is not None
        answer = self._answer(number, scale, place) if is_known else None
        if answer is None and not rows:
            meant = self._meaning.row(label, number, facts, facts.stating(number, scale))
            if meant is not None:
                return (_nearest(number, facts.of_concept(meant.fact.concept) or (meant,), scale),)
            if not is_first and (voted := self._voted(label, facts)):
                return (_nearest(number, voted, scale),)
            answer = None if is_known or is_first else self._answer(number, scale, place)
        if answer is not None:
            return (answer, *(one for one in values.values() if one.concept != answer.concept))
        if not rows and not values:
            close = [held for held in facts.rows if affinity(_texts(number), held) >= _CLOSE]
            close = close or [held for held in facts.rows if holds_all(label, held)]
            if len({(held.fact.concept, held.value) for held in close}) == 1:
                return (_of_row(close[0], facts.of_concept(close[0].fact.concept)),)
        return rows

    def _voted(self, label: str, facts: YearFacts) -> Sequence[Held]:
        """What is tagged as the numbers are that the label stands for elsewhere in the workbook."""
        votes = self._votes[label_words(label)]
        tag, most = next(iter(votes.most_common(1)), ("", 0))
        return facts.of_concept(tag) if most > _MAJORITY * votes.total() else ()

    def _answer(self, number: TypedNumber, scale: int, place: tuple[str, Period]) -> _Expected | None:
        """The figure that the engine finds by the label, alone or under the heading of its column."""
        for text in _names(number):
            if same := self._held.settled(*place, text):
                return _nearest(number, same, scale)
            cell = self._held.figure(*place, text)
            if cell is not None and cell.value is not None and not _is_note_mark(cell, number.label):
                answer = _of_amount(cell) if cell.unit == "%" and _is_amount(number) else _of_cell(cell)
                if answer is not None:
                    return answer
        return None

    def _rows(self, number: TypedNumber, facts: YearFacts, scale: int) -> tuple[_Expected, ...]:
        """The rows of the statements that are called just so, each value of a concept once."""
        same = facts.statement_rows(_texts(number)[0])
        rows = [_of_row(held, facts.of_concept(held.fact.concept) or same) for held in same]
        return tuple({(one.concept, one.value, one.later): one for one in rows}.values())

    def _tagged(self, number: TypedNumber, scale: int, place: tuple[str, Period]) -> tuple[_Expected, ...]:
        """The one tagged row that is called just so, in a statement or a note, or was in another year."""
        facts, label = self._held.year(*place), _texts(number)[0]
        called = facts.called(label)
        tags = {held.fact.concept for held in called if held.filing == called[0].filing}
        concept = tags.pop() if len(tags) == 1 else "" if tags else self._held.concept(place[0], label)
        same = facts.of_concept(concept)
        return (_nearest(number, same, scale),) if same else ()

    def _by_row(
        self, number: TypedNumber, hits: Sequence[Held], expected: Sequence[_Expected], scale: int, facts: YearFacts,
        *, least: float = _RELATED,
    ) -> _Expected | None:  # fmt: skip
        """A row that states the number and is called much as its label, with what a later filing states in it."""
        texts = _texts(number)
        best = max(hits, key=lambda held: affinity(texts, held), default=None)
        if best is None or not _agrees(number, best.value, _of_row(best, ()), scale):
            return None
        score = affinity(texts, best)
        if expected or least > _RELATED:
            # A heading above the row says nothing against a figure that the label names: the row's own words must.
            score = max(words_alike(text, best.label) for text in texts)
        if expected:
            named = max(words_alike(texts[0], one.label) for one in expected)
            is_rival = score >= _CLOSE or (score >= _HALF and score > named)
            if not is_rival or any(best.fact.concept == one.concept for one in expected):
                return None
        return _of_row(best, facts.of_concept(best.fact.concept)) if score >= (_HALF if expected else least) else None

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
            rows = [held for held in self._held.year(company, year).stating(number, scale) if held.in_statement]
            if rows:
                return "row", f"; the number typed is that of {rows[0].label!r}"
            other = next((one for one in mentioned if one != company and self._is_of(number, meant, scale, one)), "")
            if other:
                return "company", f"; the number typed is that of {self._held.name(other)}"
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
                if not self._held.covers(company, _year(year) + back):
                    continue
                cell = self._held.figure(company, Period(year.end, None, f"FY{_year(year) + back}"), number.label)
                if cell is not None and cell.value is not None and equal(number, cell.value, cell.unit or "", scale):
                    return f"FY{_year(year) + back}"
        return ""

    def _is_of(self, number: TypedNumber, meant: _Expected, scale: int, company: str) -> bool:
        """Whether the number is the same figure of another company."""
        year = self._held.period(company, number.period) if number.period is not None else None
        if year is None:
            return False
        theirs = self._held.year(company, year)
        same = (*theirs.of_concept(meant.concept), *theirs.called(_texts(number)[0]))
        return any(equal(number, held.value, held.unit, scale) for held in same)

    def _supported(self, told: AuditedCell, by: _Expected) -> AuditedCell:
        found, citation = self._found(by)
        if by.held is not None and by.held.is_tagged:
            self._votes[label_words(spelled_out(told.label))][by.concept] += 1
        note = "computed from figures that the filing states" if by.cell is not None and by.cell.calculation else ""
        return replace(told, status="supported", found=found, why=note, citation=citation)

    def _found(self, expected: _Expected) -> tuple[PlacedFact, Citation | None]:
        if expected.held is not None:
            return self._held.json(expected.held), self._held.citation(expected.held)
        cell = expected.cell
        assert cell is not None
        citation = cell.citations[0] if cell.citations else None
        fact: FactRecord = cell.facts[0] if cell.facts else {}
        if not cell.calculation:
            return placed(fact, **place_json(citation)), citation
        computed: PlacedFact = {
            "concept": "computed", "label": expected.label, "value": cell.value, "unit": cell.unit, "source": "computed",
            "period_end": cell.period_end, "as_reported": cell.line, "expression": cell.calculation["expression"],
            "filing": fact.get("filing"), "file": fact.get("file"),
        }  # fmt: skip
        return {**computed, **place_json(citation)}, citation


def _rounds_to(number: TypedNumber, held: Held, meant: _Expected, scale: int) -> bool:
    """Whether a row of a statement states the number that a sentence, in which the figure was found, tells rounded."""
    is_told = meant.cell is not None and bool(meant.cell.facts) and meant.cell.facts[0].get("source") == "text"
    is_near = abs(abs(held.value) - abs(meant.value)) <= _ROUNDED * abs(held.value)
    return is_told and held.in_statement and is_near and _agrees(number, held.value, _of_row(held, ()), scale)


def _is_note_mark(cell: SheetCell, label: str) -> bool:
    """Whether what was found is the "(1)" behind the row's words."""
    printed = str(cell.facts[0].get("as_reported") or "").strip() if cell.facts and not cell.calculation else ""
    return bool(printed) and not without_note(printed) and printed in label


def _texts(number: TypedNumber) -> list[str]:
    """What the number may be called: its label, with the heading of its column, with that of its block."""
    label = spelled_out(number.label)
    return [label, *(f"{more} {label}" for more in (number.column, number.section) if more)]


def _under_its_tags(number: TypedNumber, facts: YearFacts, scale: int) -> Iterator[_Expected]:
    """The figures of the tags that have a name of the figure that the label names: where two are used, either may be meant."""
    metric = _metric(spelled_out(number.label))
    if metric is None or metric.negate:
        return
    for concept in metric.concepts:
        same = [held for held in facts.of_concept(concept) if (vocabulary().named(held.label) or metric).id == metric.id]
        if same and any(label_words(name) <= tag_words(concept) for name in metric.names):
            yield _nearest(number, same, scale)


def _metric(label: str) -> Metric | None:
    """What the vocabulary knows by the label."""
    texts = (label, bare(label), without_fillers(bare(label)))
    return next((metric for text in texts if (metric := vocabulary().named(text)) is not None), None)


def _names(number: TypedNumber) -> list[str]:
    """What the engine is asked for in turn: the label, where the vocabulary knows it also by its common name, else also with the
    heading of its column.
    """
    texts = _texts(number)
    if (metric := _metric(texts[0])) is not None:
        return list(dict.fromkeys((bare(texts[0]), metric.names[0])))
    return texts[:2] if number.column else texts[:1]


def _is_amount(number: TypedNumber) -> bool:
    """Whether a number can't be a percentage: its label says so, or it is too large for one."""
    return not number.is_percent and (any(sign in number.label for sign in _MONEY) or abs(number.value) > _MOST_PERCENT)


def _nearest(number: TypedNumber, same: Sequence[Held], scale: int) -> _Expected:
    """One figure in all filings, the latest first: as the one states it that states the number, else the latest."""
    return _of_row(next((held for held in same if equal(number, held.value, held.unit, scale)), same[0]), same)


def _of_row(held: Held, same: Sequence[Held]) -> _Expected:
    """The row of a filing; ``same`` is its figure in all filings, the latest first: it may state another value."""
    return _Expected(held.value, held.unit, held.fact.concept, held.label, held, later=restated_to(held, same))


def _of_amount(cell: SheetCell) -> _Expected | None:
    """What a ratio is of, in money: a "gross margin" of 1,294 is the profit, and no share of sales. None for other ratios."""
    above: FactRecord = cell.facts[0] if cell.calculation and cell.facts else {}
    value = above.get("value")
    if above.get("unit") != "usd" or value is None:
        return None
    return _of_cell(replace(cell, value=float(value), unit="usd", calculation=None, facts=cell.facts[:1]))


def _of_cell(cell: SheetCell) -> _Expected:
    fact: FactRecord = cell.facts[0] if cell.facts else {}
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
