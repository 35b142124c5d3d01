"""Whether a claim's number says the value of a reading, or of a row that its sentence names in full, and why (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, Protocol

from fin_tui.candidates import words_of
from fin_tui.engine.checking import claim_words
from fin_tui.engine.checking.claim_metrics import between, part_of
from fin_tui.engine.checking.claim_words import Sentence, has_new_clause
from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.checking.readings import HEADINGS, ClaimValue, accuracy_of
from fin_tui.engine.evidence.numbers import Match, compare_bounded, significant_digits
from fin_tui.engine.figures.as_text import period_of, show_figure
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.engine.questions.words import left_over
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import names_in
from fin_tui.facts.figures import Figure, Mention, Metric, Period, exact, show
from fin_tui.facts.index import NamedRow
from fin_tui.facts.row_labels import unit_of
from fin_tui.facts.words import stems, words
from fin_tui.language import clean, fiscal_years
from fin_tui.records import Fact, Filing

if TYPE_CHECKING:
    from fin_tui.engine.checking.claims import Claim
    from fin_tui.engine.checking.readings import ClaimValue, Reader
    from fin_tui.engine.questions.companies import Named

Status = Literal["supported", "contradicted", "unknown"]
_TURNS = ("income", "earnings", "profit", "equity", "cash flow", "per share", "result", "book value", "ebitda", "oci", "tax")
"""Figures that are negative when they are told as a loss, a deficit, cash used or a tax benefit."""
_LOOSE = ("opt(", "avg(", "prior(")
"""A formula with these is one of several ways to define its figure."""
_LEAST_DIGITS = 3
"""Numbers of fewer digits agree by chance."""
_OF_FOLD = 10
"""A word for a multiple is as near as a tenth of it: "tripled" from 2.7 to 3.3 times."""
_POINT = Decimal("0.1")
"""Points told as the difference of two rounded percentages are this far off."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of a claim."""

    status: Status
    why: str
    reading: ClaimValue | None = None
    stated: Decimal | None = None
    """The value that was compared, its sign as the words tell it."""


def is_loose(item: Item | None, names: Names) -> bool:
    """Whether a figure, or one that it is computed from, is defined in several ways, so that another value proves nothing."""
    metric = item.metric if item is not None else None
    return metric is not None and _is_loose(metric, names)


def _is_loose(metric: Metric, names: Names) -> bool:
    if any(function in metric.formula for function in _LOOSE):
        return True
    if metric.concepts:
        return False
    parts = (names.get(name) for name in names_in(metric.formula))
    return any(part is not None and _is_loose(part, names) for part in parts)


def is_certain(claim: Claim, reading: ClaimValue, names: Names) -> bool:
    """Whether another value than that of ``reading`` would make the number wrong."""
    if not claim.sure or claim.item is None or is_loose(claim.item, names):
        return False
    return claim.item.metric is not None or set(stems(claim.item.phrase)) == set(
        stems(reading.figure.fact.label.rpartition(" > ")[2])
    )


def is_result(label: str) -> bool:
    """Whether a figure of this name is negative when it is told as a loss, a deficit or cash used."""
    return any(name in label.lower() for name in _TURNS)


def stated_value(claim: Claim, reading: ClaimValue) -> Decimal | None:
    """The claim's number in the unit of ``reading`` with the sign that its words give it; None when the kinds don't fit."""
    number = claim.number
    value = number.value
    match number.kind:
        case "money":
            fits = reading.unit in ("usd", "usd/share")
        case "percent":
            fits = reading.unit in ("%", "ratio")
            value = value / 100 if reading.unit == "ratio" else value
        case _:
            fits = reading.unit in ("shares", "count", "ratio", "days", "usd/share") or (reading.unit == "usd" and number.scaled)
    if not fits:
        return None
    if claim.role in ("growth", "change", "points", "cagr"):
        return abs(value) * claim.direction if claim.direction and value > 0 else value
    turns = claim.item is not None and claim.item.metric is not None and is_result(claim.item.metric.names[0])
    return -abs(value) if claim.loss and turns else value


def matches(claim: Claim, reading: ClaimValue, stated: Decimal) -> Match:
    """Whether the number says the value of ``reading``."""
    accuracy = (
        claim.number.accuracy / 100 if claim.number.kind == "percent" and reading.unit == "ratio" else claim.number.accuracy
    )
    value, known = reading.value, reading.accuracy
    if claim.number.text.lower() in claim_words.FOLDS and claim.bound in ("exact", "about"):
        accuracy = claim.number.value / _OF_FOLD
    if reading.how == "computed":
        # Figures computed by others from rounded or from exact figures differ within their rounding: both are right.
        accuracy, known = accuracy + known, Decimal(0)
        accuracy = max(accuracy, _POINT) if claim.role == "points" else accuracy
    unsigned = reading.either_sign or (claim.role in ("growth", "change", "points") and not claim.direction and stated >= 0)
    if unsigned:
        stated, value = abs(stated), abs(value)
    return compare_bounded(stated, accuracy, value, known, claim.bound)


def same_digits(stated: Decimal, value: Decimal) -> bool:
    """Whether two numbers of several digits have the same but for their scale, as far as the one stated goes."""
    digits = len(stated.normalize().as_tuple().digits)
    if not value or digits < _LEAST_DIGITS:
        return False
    one, other = abs(stated), abs(value)
    return abs(one - other.scaleb(one.adjusted() - other.adjusted())) * 2 <= Decimal(1).scaleb(one.adjusted() - digits + 1)


def is_thousandfold(stated: Decimal, value: Decimal) -> bool:
    """Whether two amounts of several digits are one another a thousand, a million or a billion times over."""
    apart = abs(stated.adjusted() - value.adjusted())
    return apart in (3, 6, 9) and same_digits(stated, value)


_MANY_DIGITS = 5
_APART = Decimal("0.1")
_SCALES = tuple(Decimal(10) ** power for power in (3, -3, 6, -6, 9, -9, 1, -1, 2, -2))


def show_reading(reading: ClaimValue) -> str:
    """ "Apple Inc. total net sales, FY2024 (year ended 2024-09-28): $391,035 million"."""
    figure = reading.figure
    if reading.how == "computed":
        value = show(reading.value, reading.unit, places=2 if reading.unit != "usd" else None)
        of = "; ".join(dict.fromkeys(map(_stated, reading.operands or (figure,))))
        return f"{value}, computed from {figure.filing.company} {of}."
    value = show(reading.value, reading.unit) if reading.value != figure.value else show_figure(figure)
    how = f" ({reading.how})" if reading.how else ""
    return f"{figure.filing.company} {_called(figure)}, {period_of(figure)}: {value}{how}."


def _stated(figure: Figure) -> str:
    return f"{_called(figure)}, {period_of(figure)}: {show_figure(figure)}"


def _called(figure: Figure) -> str:
    """The row's own label; where that is a single word of several figures ("Diluted"), what the figure is called."""
    metric = vocabulary().get(figure.metric) if len(figure.label.split()) == 1 else None
    return metric.names[0] if metric is not None else figure.label


class Explainer:
    """Reasons for one claim."""

    def __init__(self, claim: Claim, company: Named, reader: Reader) -> None:
        self._claim = claim
        self._company = company
        self._reader = reader

    def wrong(self, reading: ClaimValue, stated: Decimal, year: int, other: ClaimValue | None) -> str:
        """What a contradicted number is instead, where that can be seen: a sign, a scale, another year or company."""
        said = show_reading(reading)
        value = reading.value
        if self._same(-stated, reading):
            return f"The sign is wrong: {said}"
        if value and any(self._same(stated * scale, reading, scale) for scale in _SCALES):
            return f"The scale is wrong: {said}"
        year_found = self._other_year(year)
        if year_found is not None:
            return f"That is FY{year_found}'s figure. {said}"
        if other is not None:
            return f"That is {other.figure.filing.company}'s figure. {said}"
        if self._claim.direction and reading.how == "computed" and (stated < 0) != (value < 0) and value:
            return f"It {'rose' if value > 0 else 'fell'}: {said}"
        return f"The filing says otherwise: {said}"

    def is_others(self, other: ClaimValue, nearest: ClaimValue | None, year: int) -> str:
        """The number is another company's; this one's own is not held."""
        said = f"That is {other.figure.filing.company}'s FY{year} figure."
        return f"{said} The nearest in the library of {self._company.name}: {show_reading(nearest)}" if nearest else said

    def missing(self, year: int, nearest: ClaimValue | None) -> str:
        """Why there is nothing to compare with."""
        covered = self._reader.years()
        if covered and year not in covered:
            return f"No filing in the library covers {self._company.name} FY{year} (covered: {fiscal_years(covered)})."
        near = f" Nearest: {show_reading(nearest)}" if nearest is not None else ""
        return f"No {self._sought()} of {self._company.name} for FY{year} found in the library.{near}"

    def _sought(self) -> str:
        """What the claim speaks of; words that are the text's own stand in quotes."""
        item = self._claim.item
        if item is None:
            return "such figure"
        return f"“{clean(item.label)}”" if item.phrase else item.label

    def is_distinct(self, nearest: ClaimValue | None) -> bool:
        """Whether the number has enough digits not to be another's by chance, and is far from this company's own."""
        number = self._claim.number
        if nearest is None:
            return significant_digits(number.value) >= _MANY_DIGITS
        own = nearest.value
        apart = own == 0 or abs(abs(number.value) / abs(own) - 1) > _APART
        return significant_digits(number.value) >= _LEAST_DIGITS and apart

    def _other_year(self, year: int) -> int | None:

        for other in self._reader.years():
            if other == year:
                continue
            for reading in self._reader.of(self._claim, other)[:1]:
                stated = stated_value(self._claim, reading)
                if stated is not None and matches(self._claim, reading, stated) == "same":
                    return other
        return None

    def _same(self, stated: Decimal, reading: ClaimValue, scale: Decimal = Decimal(1)) -> bool:
        return abs(stated - reading.value) <= self._claim.number.accuracy * abs(scale)


_SHARE = stems("shares")[0]
_NEAR_BEHIND = 40
_SCALES_OF_UNITS = tuple(Decimal(10) ** power for power in (3, -3, 6, -6, 9, -9))
_NO_METRIC = Metric("", ("",), "usd", statement="other", instant=False)


class Rows(Protocol):
    """Finds rows by their labels."""

    def rows_named(self, text: str, filings: Sequence[Filing]) -> Sequence[NamedRow]: ...
    def rows_of_year(self, row: NamedRow, filings: Sequence[Filing], year: int) -> Sequence[tuple[Fact, Filing]]: ...


@dataclass(frozen=True, slots=True)
class RowProof:
    """Judges the numbers of one sentence, told of one company."""

    rows: Rows
    sentence: Sentence
    filings: Sequence[Filing]

    def judge(self, claim: Claim, at: int, year: int, before: Verdict) -> Verdict:
        """``before``, or what the row that the number is told of says instead."""
        verdict = self._by_row(claim, at, year, before)
        return self._in_direction(claim, at, _in_its_unit(claim, self.sentence, at, verdict))

    def _by_row(self, claim: Claim, at: int, year: int, before: Verdict) -> Verdict:
        named = self.rows.rows_named(self._blanked(), self.filings)
        row = self._row(named, at)
        if row is None:
            return before
        readings = self._readings(claim, row, year)
        others = [one for one in named if one != row and not self._is_of_period(one) and self._readings(claim, one, year)]
        verdict = self._against(claim, at, row, readings, is_certain=not others)
        if verdict is None:
            return before
        if before.reading and verdict.reading and {before.reading.unit, verdict.reading.unit} == {"usd", "usd/share"}:
            return before  # "Paid dividends of $1 a share" is told of no total.
        within = [one for one in self.sentence.mentions if row.start <= one.start and one.end <= row.end]
        names_more = all(one.end - one.start < row.end - row.start for one in within)
        match verdict.status, before.status:
            case "supported", "contradicted":
                # The same value, held against the words for another reason, such as the direction that they tell.
                is_same = (
                    before.reading is not None and verdict.reading is not None and before.reading.value == verdict.reading.value
                )
                return before if is_same else verdict
            case "contradicted", "supported":
                return verdict if names_more and not _is_narrower(before, row) else before
            case "unknown", "contradicted":
                return verdict if within and names_more else before
            case _, "supported":
                return before
            case _:
                return verdict

    def _blanked(self) -> str:
        """The sentence with zero characters for companies, periods and numbers."""
        text = self.sentence.text
        spans = [*self.sentence.named, *((self.sentence.begin(n), one.end) for n, one in enumerate(self.sentence.numbers))]
        for start, end in spans:
            text = text[:start] + "\0" * (end - start) + text[end:]
        return text

    def _row(self, named: Sequence[NamedRow], at: int) -> NamedRow | None:
        """The row that a number is told of: the last one named before it, else the one right behind it."""
        begin, end = self.sentence.begin(at), self.sentence.numbers[at].end
        ahead = [row for row in named if row.end <= begin]
        behind = [
            row
            for row in named
            if end <= row.start <= end + _NEAR_BEHIND and not has_new_clause(self.sentence.text[end : row.start])
        ]
        return ahead[-1] if ahead else behind[0] if behind else None

    def _is_of_period(self, row: NamedRow) -> bool:
        """Whether what looks like a label leads to a date: "for the year ended December 31"."""
        return self._blanked()[row.end :].lstrip().startswith("\0")

    def _readings(self, claim: Claim, row: NamedRow, year: int) -> list[ClaimValue]:
        now = self.rows.rows_of_year(row, self.filings, year)
        if claim.role == "level":
            return [_plain(fact, filing, year, claim) for fact, filing in now]
        if claim.role not in ("growth", "change"):
            return []
        then = self.rows.rows_of_year(row, self.filings, year - claim.when.back)
        return [
            moved(_plain(fact, filing, year, claim), _plain(earlier, filing, year, claim), claim.role)
            for fact, filing in now
            for earlier, other in then
            if other.id == filing.id and earlier.unit == fact.unit and earlier.value
        ]

    def _against(
        self, claim: Claim, at: int, row: NamedRow, readings: Sequence[ClaimValue], *, is_certain: bool
    ) -> Verdict | None:
        if not readings:
            return None
        blocked, denied = self._blocked(claim, at, row)
        unit_wrong = self._other_unit(claim, at, readings)
        certain = is_certain and not blocked and self._is_told_of(row, at) and (not claim.when.carried or claim.sure)
        fitting = [(one, stated) for one in readings if (stated := stated_value(claim, one)) is not None]
        if unit_wrong is not None:
            why = f"The unit is wrong: {show_reading(unit_wrong)}"
            return Verdict("contradicted", why, unit_wrong, claim.number.value) if certain else None
        same = next(((one, stated) for one, stated in fitting if matches(claim, one, stated) == "same"), None)
        if same is not None and denied:
            is_exact = claim.bound == "exact" and claim.role == "level"
            why = f"The sentence denies what the filing states: {show_reading(same[0])}"
            return Verdict("contradicted", why, *same) if is_exact and not blocked else None
        if denied or not fitting:
            return None
        if same is not None:
            is_of_other = blocked or self._names_other_part(row, same[0])
            return None if is_of_other else Verdict("supported", show_reading(same[0]), *same)
        reading, stated = min(fitting, key=lambda one: abs(one[1] - one[0].value))
        if any(matches(claim, one, value) == "finer" for one, value in fitting):
            return Verdict("unknown", f"It is more exact than the filing: {show_reading(reading)}", reading, stated)
        is_tagged = any(one.figure.fact.source == "xbrl" for one in readings)
        if not certain or not is_tagged or _is_printed_negative(claim, stated, reading):
            return Verdict("unknown", f"It may be another figure than {show_reading(reading)}", reading, stated)
        return Verdict("contradicted", self._instead(claim, row, reading, stated), reading, stated)

    def _blocked(self, claim: Claim, at: int, row: NamedRow) -> tuple[str, bool]:
        """Why the number can't be judged, and whether it is denied, by the words outside the row's name."""
        text = self._blanked()
        text = text[: row.start] + " " * (row.end - row.start) + text[row.end :]
        begin = self.sentence.begin(at)
        start = self.sentence.numbers[at - 1].end if at else 0
        before = text[start:begin].replace("\0", " ")
        near = text[max(0, row.start - 40) : row.start].replace("\0", " ")
        denied = claim_words.denies(before)
        whole = text.replace("\0", " ")
        return claim_words.blocked_by(whole, "" if denied else before, near), denied

    def _names_other_part(self, row: NamedRow, reading: ClaimValue) -> bool:
        """Whether a part is named right before the row's name that nothing of the figure speaks of: another segment's."""
        part = frozenset(stems(part_of(self.sentence, Mention(_NO_METRIC, row.start, row.end, 1.0))[0]))
        figure = reading.figure
        words = (figure.label, figure.row, figure.fact.label, *map(words_of, figure.fact.dimensions.values()))
        return bool(part) and not part & frozenset(stems(" ".join(words)))

    def _is_told_of(self, row: NamedRow, at: int) -> bool:
        """Whether nothing between the row's name and the number, or right before the name, makes it another figure."""
        mention = Mention(_NO_METRIC, row.start, row.end, 1.0)
        if part_of(self.sentence, mention)[0]:
            return False
        end = self.sentence.numbers[at].end
        if row.start >= end:
            return not left_over(self.sentence.text[end : row.start], [])
        return not between(self.sentence, mention, at)

    def _other_unit(self, claim: Claim, at: int, readings: Sequence[ClaimValue]) -> ClaimValue | None:
        """The reading whose digits the number has, where it states them in another unit."""
        if claim.role != "level":
            return None
        wrong = [one for one in readings if _is_other_unit(claim, self.sentence, at, one)]
        return (
            next((one for one in wrong if same_digits(claim.number.value, one.value)), None)
            if len(wrong) == len(readings)
            else None
        )

    def _in_direction(self, claim: Claim, at: int, verdict: Verdict) -> Verdict:
        """A level that is right, told as the end of a movement from the level before it that went the other way."""
        if at == 0 or claim.role != "level" or verdict.status != "supported" or verdict.reading is None:
            return verdict
        ahead, between_both = self.sentence.before(at - 1), self.sentence.before(at)
        direction = claim_words.direction_of(ahead) if claim_words.is_prior(ahead) and claim_words.leads_to(between_both) else 0
        then, now = self.sentence.numbers[at - 1].value, claim.number.value
        if not direction or now == then or (now > then) == (direction > 0):
            return verdict
        went = "rose" if now > then else "fell"
        return replace(verdict, status="contradicted", why=f"It {went}: {show_reading(verdict.reading)}")

    def _instead(self, claim: Claim, row: NamedRow, reading: ClaimValue, stated: Decimal) -> str:
        """What a wrong number is, where that can be seen."""
        said = show_reading(reading)
        if matches(claim, reading, -stated) == "same":
            return f"The sign is wrong: {said}"
        if reading.value and any(
            abs(stated * scale - reading.value) <= claim.number.accuracy * scale for scale in _SCALES_OF_UNITS
        ):
            return f"The scale is wrong: {said}"
        own = int(reading.figure.period.label.removeprefix("FY"))
        for year in (own - 1, own + 1, own - 2, own + 2):
            others = (_plain(fact, filing, year, claim) for fact, filing in self.rows.rows_of_year(row, self.filings, year))
            if any(
                value is not None and matches(claim, one, value) == "same"
                for one in others
                for value in [stated_value(claim, one)]
            ):
                return f"That is FY{year}'s figure. {said}"
        return f"The filing says otherwise: {said}"


def _plain(fact: Fact, filing: Filing, year: int, claim: Claim) -> ClaimValue:
    unit = unit_of(fact)
    value = exact(fact.value or 0.0) * (100 if unit == "%" and fact.unit == "pure" else 1)
    label = fact.label.rpartition(" > ")[2]
    assert fact.period_end is not None
    figure = Figure(label, value, unit, fact, filing, Period(fact.period_end, fact.period_start, f"FY{year}"))
    return ClaimValue(value, unit, figure, accuracy_of(figure), either_sign=claim.loss)


def moved(now: ClaimValue, then: ClaimValue, role: str) -> ClaimValue:
    """The change between two readings of a row, or its growth in percent."""
    change, operands = now.value - then.value, (now.figure, then.figure)
    if role == "change":
        return replace(now, value=change, accuracy=now.accuracy + then.accuracy, how="computed", operands=operands)
    growth = change / abs(then.value) * 100
    relative = now.accuracy / abs(now.value or Decimal(1)) + then.accuracy / abs(then.value)
    accuracy = relative * (abs(growth) + 100)
    return replace(now, value=growth, unit="%", accuracy=accuracy, how="computed", operands=operands)


def says_shares(sentence: Sentence, at: int) -> bool:
    """Whether a number without a unit of its own counts shares."""
    following = words(sentence.after(at))
    return sentence.numbers[at].kind == "plain" and bool(following) and following[0].stem == _SHARE


def _is_other_unit(claim: Claim, sentence: Sentence, at: int, reading: ClaimValue) -> bool:
    return stated_value(claim, reading) is None or (says_shares(sentence, at) and reading.unit == "usd")


def _in_its_unit(claim: Claim, sentence: Sentence, at: int, verdict: Verdict) -> Verdict:
    """A number of shares is no amount of money, though its digits agree."""
    reading = verdict.reading
    if verdict.status != "supported" or reading is None or reading.unit != "usd" or not says_shares(sentence, at):
        return verdict
    return replace(verdict, status="contradicted", why=f"The unit is wrong: {show_reading(reading)}")


def _is_narrower(verdict: Verdict, row: NamedRow) -> bool:
    """Whether a number is supported by a row that says all that ``row`` says, and more: a kind of the same figure."""
    if verdict.reading is None:
        return False
    label = set(stems(verdict.reading.figure.fact.label.rpartition(" > ")[2]))
    return set(row.stems) - HEADINGS <= label and bool(label - set(row.stems))


def _is_printed_negative(claim: Claim, stated: Decimal, reading: ClaimValue) -> bool:
    """Whether a number is printed as a statement prints outflows: "$(8,426) million" is the filing's own way to write 8,426."""
    marked = any(mark in claim.number.text for mark in "(-−")
    return marked and stated < 0 and matches(claim, reading, -stated) == "same"
