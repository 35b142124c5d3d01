"""Numbers told of a row that a sentence names in full: its label and its values decide, whatever the sentence's other words.

A value that the row states supports; one that no row of that label states for the year is wrong, and what it is instead is
looked for: the same digits in another unit, scale or sign, another year's or another row's figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol

from fin_tui.engine.checking import claim_words
from fin_tui.engine.checking.claim_parts import between, part_of
from fin_tui.engine.checking.claim_sentence import Sentence
from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.checking.judge import Verdict, matches, same_digits, stated_value
from fin_tui.engine.checking.named_rows import HEADINGS
from fin_tui.engine.checking.readings import Reading, accuracy_of
from fin_tui.engine.checking.why import show_reading
from fin_tui.engine.questions.words import left_over
from fin_tui.facts.figures import Figure, Mention, Metric, Period, exact
from fin_tui.facts.index import NamedRow
from fin_tui.facts.labels import unit_of
from fin_tui.facts.words import stems, words
from fin_tui.records import Fact, Filing

_SHARE = stems("shares")[0]
_NEAR_BEHIND = 40
_SCALES = tuple(Decimal(10) ** power for power in (3, -3, 6, -6, 9, -9))
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
        behind = [row for row in named if end <= row.start <= end + _NEAR_BEHIND]
        return ahead[-1] if ahead else behind[0] if behind else None

    def _is_of_period(self, row: NamedRow) -> bool:
        """Whether what looks like a label leads to a date: "for the year ended December 31"."""
        return self._blanked()[row.end :].lstrip().startswith("\0")

    def _readings(self, claim: Claim, row: NamedRow, year: int) -> list[Reading]:
        now = self.rows.rows_of_year(row, self.filings, year)
        if claim.role == "level":
            return [_plain(fact, filing, year, claim) for fact, filing in now]
        if claim.role not in ("growth", "change"):
            return []
        then = self.rows.rows_of_year(row, self.filings, year - claim.when.back)
        return [
            _moved(_plain(fact, filing, year, claim), _plain(earlier, filing, year, claim), claim.role)
            for fact, filing in now
            for earlier, other in then
            if other.id == filing.id and earlier.unit == fact.unit and earlier.value
        ]

    def _against(self, claim: Claim, at: int, row: NamedRow, readings: Sequence[Reading], *, is_certain: bool) -> Verdict | None:
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
            return None if blocked else Verdict("supported", show_reading(same[0]), *same)
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

    def _is_told_of(self, row: NamedRow, at: int) -> bool:
        """Whether nothing between the row's name and the number, or right before the name, makes it another figure."""
        mention = Mention(_NO_METRIC, row.start, row.end, 1.0)
        if part_of(self.sentence, mention)[0]:
            return False
        end = self.sentence.numbers[at].end
        if row.start >= end:
            return not left_over(self.sentence.text[end : row.start], [])
        return not between(self.sentence, mention, at)

    def _other_unit(self, claim: Claim, at: int, readings: Sequence[Reading]) -> Reading | None:
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

    def _instead(self, claim: Claim, row: NamedRow, reading: Reading, stated: Decimal) -> str:
        """What a wrong number is, where that can be seen."""
        said = show_reading(reading)
        if matches(claim, reading, -stated) == "same":
            return f"The sign is wrong: {said}"
        if reading.value and any(abs(stated * scale - reading.value) <= claim.number.accuracy * scale for scale in _SCALES):
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


def _plain(fact: Fact, filing: Filing, year: int, claim: Claim) -> Reading:
    unit = unit_of(fact)
    value = exact(fact.value or 0.0) * (100 if unit == "%" and fact.unit == "pure" else 1)
    label = fact.label.rpartition(" > ")[2]
    assert fact.period_end is not None
    figure = Figure(label, value, unit, fact, filing, Period(fact.period_end, fact.period_start, f"FY{year}"))
    return Reading(value, unit, figure, accuracy_of(figure), either_sign=claim.loss)


def _moved(now: Reading, then: Reading, role: str) -> Reading:
    """The change between two readings of a row, or its growth in percent."""
    change = now.value - then.value
    if role == "change":
        return replace(now, value=change, accuracy=now.accuracy + then.accuracy, how="computed")
    growth = change / abs(then.value) * 100
    relative = now.accuracy / abs(now.value or Decimal(1)) + then.accuracy / abs(then.value)
    return replace(now, value=growth, unit="%", accuracy=relative * (abs(growth) + 100), how="computed")


def _says_shares(sentence: Sentence, at: int) -> bool:
    following = words(sentence.after(at))
    return sentence.numbers[at].kind == "plain" and bool(following) and following[0].stem == _SHARE


def _is_other_unit(claim: Claim, sentence: Sentence, at: int, reading: Reading) -> bool:
    return stated_value(claim, reading) is None or (_says_shares(sentence, at) and reading.unit == "usd")


def _in_its_unit(claim: Claim, sentence: Sentence, at: int, verdict: Verdict) -> Verdict:
    """A number of shares is no amount of money, though its digits agree."""
    reading = verdict.reading
    if verdict.status != "supported" or reading is None or reading.unit != "usd" or not _says_shares(sentence, at):
        return verdict
    return replace(verdict, status="contradicted", why=f"The unit is wrong: {show_reading(reading)}")


def _is_narrower(verdict: Verdict, row: NamedRow) -> bool:
    """Whether a number is supported by a row that says all that ``row`` says, and more: a kind of the same figure."""
    if verdict.reading is None:
        return False
    label = set(stems(verdict.reading.figure.fact.label.rpartition(" > ")[2]))
    return set(row.stems) - HEADINGS <= label and bool(label - set(row.stems))


def _is_printed_negative(claim: Claim, stated: Decimal, reading: Reading) -> bool:
    """Whether a number is printed as a statement prints outflows: "$(8,426) million" is the filing's own way to write 8,426."""
    marked = any(mark in claim.number.text for mark in "(-−")
    return marked and stated < 0 and matches(claim, reading, -stated) == "same"
