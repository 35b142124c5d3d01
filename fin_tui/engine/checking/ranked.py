"""A number of a text as a question, and what the figures that rank highest for its words say: supported, in conflict, neither.

The question is what the number's sentence calls it, read by the trained reader of questions. What it names is looked for among
all figures that the company's filings state for the year, in tables, tags and sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from fin_tui.candidates import Candidate
from fin_tui.clauses import own_words
from fin_tui.engine.checking import claim_words
from fin_tui.engine.checking.claim_words import Sentence
from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.checking.judge import Verdict, is_result, matches, moved, says_shares, show_reading, stated_value
from fin_tui.engine.checking.readings import ClaimValue, accuracy_of
from fin_tui.engine.evidence.numbers import Match, find_numbers, significant_digits
from fin_tui.engine.figures.linked_book import Linked, value_of
from fin_tui.engine.figures.telling import covering
from fin_tui.engine.frame.reader import Frame, FrameReader, Span
from fin_tui.engine.questions.companies import CompanyIndex, Named
from fin_tui.engine.rank.ranker import Scored
from fin_tui.engine.rank.wanted import Wanted
from fin_tui.facts.figures import Figure, Period
from fin_tui.facts.row_labels import unit_of
from fin_tui.facts.words import stems
from fin_tui.language import clean
from fin_tui.records import Filing

_SURE = 0.8
"""Probability of a figure from which another number is wrong."""
_AGREES = 0.3
"""Probability of a figure that equals the number from which it bears it out: that both are so by chance is unlikely."""
_FEW_DIGITS = 0.5
"""The same where the number has few digits, or is only a bound."""
_SEEN = 0.05
"""Probability of a figure that equals the number from which the number is not called wrong."""
_DISTINCT = 2
_LEAST_SUM = 10_000
"""Dollars from which an amount is of no one share."""
_OF_WHOLE = frozenset(stems("total net"))
"""Words of a row that add nothing to what its table is called."""
_ROUNDED = Decimal("0.006")
_YEAR_DAYS = 365.25
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class _Seen:
    """A figure that the number may be, held against it."""

    place: Place
    reading: ClaimValue
    stated: Decimal
    match: Match
    words: str
    """What the figure is called where it stands."""

    @property
    def share(self) -> float:
        """The probability that it is the figure told of."""
        return self.place.scored.probability


@dataclass(frozen=True)
class RankedProof:
    """Judges one number by the figures that its words may mean."""

    asker: Asker
    asked: Asked
    claim: Claim
    filings: Sequence[Filing]
    year: int
    is_contested: bool = False
    """A figure of the same name has another value: then what bears the number out must be likelier than not."""

    def judge(self) -> Verdict | None:
        """Supported or contradicted with the figure; None where nothing is sure."""
        equal = None
        for seen in self._looked_at():
            equal = _top([one for one in seen if one.match == "same" and not self._is_another(one, seen)])
            if equal is not None and equal.share >= self._least() and not self._is_in_doubt(equal, seen):
                return Verdict("supported", _said(equal), equal.reading, equal.stated)
        if equal is not None and equal.share >= _SEEN:
            return None
        may_be_wrong = not self.claim.blocked and (self.claim.sure or not self.claim.when.carried)
        wrong = self._wrong() if may_be_wrong and self.claim.bound in ("exact", "about") else None
        if wrong is None or self._is_stated_elsewhere(wrong):
            return None
        return Verdict("contradicted", f"{self._how(wrong)} {_said(wrong)}", wrong.reading, wrong.stated)

    def _looked_at(self) -> Iterator[list[_Seen]]:
        """The figures of the first way to look, then those of both: the second is taken only where the first leaves it open."""
        yield self._by_words
        yield [*self._by_words, *self._by_matter]

    @property
    def closest(self) -> ClaimValue | None:
        """The likeliest figure of what the number is told of, in a unit that it can have; None without one."""
        seen = _top([one for one in (*self._by_words, *self._by_matter) if one.share >= _SEEN and self._may_be_meant(one)])
        return seen.reading if seen is not None else None

    def _may_be_meant(self, seen: _Seen) -> bool:
        """Whether a figure is called as the number is, and is no sum of money where things are counted."""
        is_money = seen.reading.unit in ("usd", "usd/share")
        return self.asked.bears_target(seen.words) and not (is_money and self.claim.number.kind == "plain")

    def _least(self) -> float:
        is_loose = significant_digits(self.claim.number.value) < _DISTINCT or self.claim.bound in ("over", "under", "nearly")
        return _FEW_DIGITS if is_loose or self.is_contested else _AGREES

    @cached_property
    def _by_words(self) -> list[_Seen]:
        """The figures that part and figure name; for a change what it comes to from the year before."""
        match self.claim.role:
            case "level" | "share":
                return list(self._levels(self.asked.words, self.asked.kind))
            case "growth" | "change":
                return list(self._changes())
            case _:
                return []

    @cached_property
    def _by_matter(self) -> list[_Seen]:
        """The figures that the whole sentence may ask for, told in the number's own unit."""
        if self.claim.role not in ("level", "share", "growth", "change"):
            return []
        return list(self._levels(self.asked.matter, self.asked.kind))

    def _levels(self, words: str, kind: str) -> Iterator[_Seen]:
        for place in self.asker.rank(words, self.asked, kind, self.filings, self.year):
            reading = self._reading(place, kind)
            if self.claim.role in ("growth", "change") and not self._tells_change(place):
                continue
            yield from self._seen(place, reading)

    def _changes(self) -> Iterator[_Seen]:
        for place in self.asker.rank(self.asked.words, self.asked, "", self.filings, self.year):
            then = self.asker.before(place, self.claim.when.back)
            now = self._reading(place, "")
            if then is None or now.unit == "%" or place.scored.candidate.fact.source == "text":
                continue
            earlier = self._reading(then, "")
            if earlier.value and earlier.unit == now.unit:
                yield from self._seen(place, moved(now, earlier, self.claim.role))

    def _seen(self, place: Place, reading: ClaimValue) -> Iterator[_Seen]:
        stated = stated_value(self.claim, reading)
        is_sum = reading.unit == "usd" and abs(reading.value) >= _LEAST_SUM
        is_other_unit = (self.asked.of_shares and reading.unit == "usd") or (self.asked.kind == "per_share" and is_sum)
        if stated is not None and not is_other_unit:
            match = matches(self.claim, reading, stated)
            if match == "differs" and self._is_free_of_sign(place, reading):
                match = matches(self.claim, reading, -stated)
            yield _Seen(place, reading, stated, match, _words(place.scored.candidate))

    def _is_free_of_sign(self, place: Place, reading: ClaimValue) -> bool:
        """Whether the sign is a matter of print: outflows stand in brackets, losses are told by their words."""
        if self.claim.role not in ("level", "share") or self.claim.number.value < 0:
            return False
        row = " ".join(place.scored.candidate.path)
        return self.claim.loss or (reading.value < 0 and not is_result(row) and not claim_words.says_loss(row))

    def _tells_change(self, place: Place) -> bool:
        """Whether a printed figure is a change in the direction that the number is told with."""
        one = place.scored.candidate
        if one.fact.source != "text":
            return False
        before, _, behind = one.path[-1].partition("[")[2].partition("]")
        ahead = one.path[-1].partition("[")[0]
        told = claim_words.direction_of(ahead, behind)
        return bool(before) and told != 0 and told == (self.claim.direction or told)

    def _reading(self, place: Place, kind: str) -> ClaimValue:
        figure = _figure(place, self.asked, kind)
        fact = figure.fact
        accuracy = accuracy_of(figure)
        if fact.source == "text":
            accuracy = next((one.accuracy for one in find_numbers(fact.text)), accuracy)
        return ClaimValue(figure.value, figure.unit, figure, accuracy, either_sign=False)

    def _is_another(self, one: _Seen, seen: Sequence[_Seen]) -> bool:
        """Whether a likelier figure bears the words for the part, and this one does not; where the figure that goes by the name
        has another value, also whether this one goes by another.
        """
        if self.is_contested and not self.asked.bears_target(one.words):
            return True
        if self.asked.bears_part(one.words):
            return False
        return any(other.share > one.share and self.asked.bears_part(other.words) for other in seen if other.match == "differs")

    def _is_in_doubt(self, equal: _Seen, seen: Sequence[_Seen]) -> bool:
        """Whether another number of the same sentence is likelier: the one that is equal may be of another year."""
        fact = equal.reading.figure.fact
        others = (one for one in seen if one.reading.figure.fact.label == fact.label)
        return fact.source == "text" and any(one.match == "differs" and one.share > equal.share for one in others)

    def _wrong(self) -> _Seen | None:
        """The figure that surely is the one told of, and differs; None where it is not sure by both ways to look for it."""
        ways = (self._by_words, self._by_matter)
        for own, other in (ways, ways[::-1]):
            first = _top(own)
            if first is None or first.match != "differs" or first.share < _SURE or not self.asked.bears_part(first.words):
                continue
            if self.claim.role in ("growth", "change") and own is self._by_words:
                return first
            if any(_is_same(one, first) and one.share >= _AGREES for one in other):
                return first
        return None

    def _is_stated_elsewhere(self, wrong: _Seen) -> bool:
        """Whether another row of that year with the same words for figure and part states just this number."""
        if self.claim.role not in ("level", "share"):
            return False
        asked = frozenset(stems(self.asked.words))
        for filing in self.filings:
            for one in self.asker.linked.ranker.figures(filing):
                if asked <= frozenset(stems(_words(one))) and self._states(one, filing, wrong.reading):
                    return True
        return False

    def is_printed(self, other: ClaimValue) -> bool:
        """Whether a row of that year that is called by the words for figure and part, and nothing else, states just this number,
        which is not the ``other`` value.
        """
        asked = frozenset(stems(self.asked.words))
        if self.claim.role != "level" or not asked:
            return False
        for filing in self.filings:
            for one in self.asker.linked.ranker.figures(filing):
                own = frozenset(stems(" ".join(one.path))) - _OF_WHOLE
                if own <= asked <= frozenset(stems(_words(one))) and self._states(one, filing, other):
                    return True
        return False

    def _states(self, one: Candidate, filing: Filing, wrong: ClaimValue) -> bool:
        if one.fact.value is None or not self._is_of_year(one, filing):
            return False
        value = abs(value_of(one, Wanted("", self.asked.kind)))
        return value != abs(wrong.value) and abs(value - abs(self.claim.number.value)) <= self.claim.number.accuracy

    def _is_of_year(self, one: Candidate, filing: Filing) -> bool:
        if one.fact.period_end is None or filing.period_end is None or filing.fiscal_year is None:
            return True
        year = filing.fiscal_year + round((one.fact.period_end - filing.period_end).days / _YEAR_DAYS)
        return year == self.year

    def _how(self, wrong: _Seen) -> str:
        value = wrong.reading.value
        if matches(self.claim, wrong.reading, -wrong.stated) == "same":
            if self.claim.role in ("growth", "change"):
                return f"It {'rose' if value > 0 else 'fell'}:"
            return "The sign is wrong:"
        return "The filing says otherwise:"


def _top(seen: Sequence[_Seen]) -> _Seen | None:
    return max(seen, key=lambda one: one.share, default=None)


def _is_same(one: _Seen, other: _Seen) -> bool:
    """Whether two figures are one, rounded differently."""
    first, second = abs(one.reading.value), abs(other.reading.value)
    return abs(first - second) <= max(one.reading.accuracy, other.reading.accuracy, _ROUNDED * first)


def _words(one: Candidate) -> str:
    """All that says what a figure is, also the sentence it stands in."""
    return " ".join((*one.path, one.column, *one.members, one.title, one.row))


def _figure(place: Place, asked: Asked, kind: str) -> Figure:
    one = place.scored.candidate
    fact, year = one.fact, place.year
    unit = unit_of(fact)
    value = value_of(one, Wanted("", kind))
    if unit == "usd" and kind == "count" and fact.source != "xbrl":
        unit, fact = "count", replace(fact, value=float(value), unit="count")
    elif unit == "usd":
        fact = replace(fact, value=float(value))
    end = fact.period_end or min(year.end, place.filing.period_end or year.end)
    is_sentence = fact.source == "text" or "[" in one.path[-1]
    label = asked.words or asked.matter if is_sentence else one.path[-1]
    if not is_sentence and asked.parts and not asked.bears_part(label) and asked.bears_part(_words(one)):
        label = f"{label} ({', '.join(asked.parts)})"
    period = replace(year, end=end, start=fact.period_start)
    return Figure(label, value, unit, fact, place.filing, period, sure=place.scored.probability, row=_words(one))


def _said(seen: _Seen) -> str:
    """The figure for people; a sentence speaks for itself."""
    figure = seen.reading.figure
    if figure.fact.source != "text":
        return show_reading(seen.reading)
    told = clean(figure.fact.label)
    told = told if len(told) <= _LONGEST else f"{told[:_LONGEST].rsplit(' ', 1)[0]} …"
    return f"{figure.filing.company} FY{figure.filing.fiscal_year or '?'} says: “{told}”"


Owner = Callable[[str], str]
"""The name of a brand or product -> the company whose filings speak of it; "" where none or several do."""
_ASKS = {"money": "how much", "percent": "what percentage", "plain": "how many"}
_OTHER = "some"
"""What stands in the place of the other numbers of a sentence."""
_KINDS = {"money": "money", "percent": "percent", "plain": "count"}
_COVERING = 2
"""Filings of a year that are looked through: its own, and one that gives it for comparison."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a number is told of, by the words of its sentence."""

    target: str
    """The words for the figure; "" where the sentence has none."""
    parts: tuple[str, ...]
    """The words for segment, product, region …"""
    matter: str
    """The whole sentence as a question, without company and period."""
    kind: str
    """money, count, percent, per_share; "" for any."""
    of_shares: bool = False
    """The number counts shares."""

    @property
    def words(self) -> str:
        """Part and figure together, as a row names them."""
        return " ".join((*self.parts, self.target)).strip()

    def bears_target(self, words: str) -> bool:
        """Whether ``words`` of a row have all the words for the figure."""
        return frozenset(stems(self.target)) <= frozenset(stems(words))

    def bears_part(self, words: str) -> bool:
        """Whether ``words`` of a row name all the parts."""
        return frozenset(stems(" ".join(self.parts))) <= frozenset(stems(words))


@dataclass(frozen=True, slots=True)
class Place:
    """A figure that may be the one a number is told of, with where it was found."""

    scored: Scored
    filing: Filing
    year: Period


@dataclass(frozen=True, slots=True)
class Asker:
    """Reads numbers as questions and ranks the figures that may be the answer."""

    frames: FrameReader
    linked: Linked
    owner: Owner

    def read(self, sentence: Sentence, at: int, claim: Claim) -> Asked | None:
        """What a number of ``sentence`` is told of; None without the reader's weights, or where nothing names it."""
        frame = self.frames.read_if_able(_question(sentence, at, _OTHER))
        if frame is None:
            return None
        targets, parts = _own(frame, sentence, at)
        if not targets and len(sentence.numbers) > 1 and (other := self.frames.read_if_able(_question(sentence, at, ""))):
            frame, (targets, parts) = other, _own(other, sentence, at)
        matter = frame.matter
        if claim.brand and claim.brand not in matter:
            matter = f"{claim.brand} {matter}"
        if claim.brand and not any(claim.brand in part or part in claim.brand for part in parts):
            parts = (claim.brand, *parts)
        if not targets and not parts:
            return None
        return Asked(" ".join(targets), parts, matter, _kind(claim, sentence, at), says_shares(sentence, at))

    def company(self, sentence: Sentence, claim: Claim, index: CompanyIndex) -> tuple[Named | None, str]:
        """The company held whose brand or product the sentence is told of, and what it is called; (None, "") without one."""
        frame = None if claim.unknown else self.frames.read_if_able(sentence.text)
        names = [claim.unknown] if claim.unknown else [span.text for span in frame.companies] if frame else []
        for name in names:
            found = index.find(owner) if (owner := self.owner(name)) else ()
            if found:
                return found[0], name
        return None, ""

    def rank(self, words: str, asked: Asked, kind: str, filings: Sequence[Filing], year: int) -> list[Place]:
        """The figures of ``year`` that ``words`` may mean, of the first filing that has any, likeliest first."""
        wanted = Wanted(words, kind, " ".join(asked.parts))
        for filing, period in covering(filings, year)[:_COVERING]:
            scored = self.linked.rank(wanted, filing, period)
            if scored:
                return [Place(one, filing, period) for one in scored]
        return []

    def before(self, place: Place, back: int) -> Place | None:
        """The same row of the same filing, ``back`` years earlier."""
        year = int(place.year.label.removeprefix("FY")) - back
        for filing, period in covering((place.filing,), year):
            found = self.linked.ranker.in_year(place.scored.candidate, filing, period)
            if found is not None:
                return Place(replace(place.scored, candidate=found), filing, period)
        return None


def _question(sentence: Sentence, at: int, other: str) -> str:
    """The sentence with the number asked for, and ``other`` in the place of the others."""
    text = sentence.text
    for place in reversed(range(len(sentence.numbers))):
        asks = f" {_ASKS[sentence.numbers[place].kind] if place == at else other} "
        text = f"{text[: sentence.begin(place)]}{asks}{text[sentence.numbers[place].end :]}"
    return f"{' '.join(text.split()).rstrip('.')}?"


def _own(frame: Frame, sentence: Sentence, at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words for figure and parts that belong to the number: those of its own clause, else those the sentence begins with."""
    begin, end = sentence.begin(at), sentence.numbers[at].end
    clause = " ".join(own_words(sentence.text, begin, end))
    opening = sentence.text[: sentence.begin(0)]
    targets = _within(frame.targets, clause) or _within(frame.targets, opening)[-1:]
    parts = _within(frame.parts, clause) or _within(frame.parts, opening)
    return targets, parts


def _within(spans: Sequence[Span], text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(span.text for span in spans if span.text in text))


def _kind(claim: Claim, sentence: Sentence, at: int) -> str:
    metric = claim.item.metric if claim.item is not None else None
    number = sentence.numbers[at]
    if metric is not None and metric.unit == "usd/share" and number.kind != "percent":
        return "per_share"
    return "" if number.kind == "plain" and number.scaled else _KINDS[number.kind]
