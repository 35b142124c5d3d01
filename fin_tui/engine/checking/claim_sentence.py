"""A sentence with the places of the companies, periods, metrics and numbers that it names (pure)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.engine.evidence.numbers import Number, find_numbers
from fin_tui.engine.questions.companies import CompanyIndex, Named, unknown_companies
from fin_tui.engine.questions.periods import find_periods, period_spans
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.questions.words import FIRM
from fin_tui.facts.figures import Mention
from fin_tui.language import MONTH_LIKE

_REFERENCE = re.compile(
    r"\b(?:items?|notes?|parts?|pages?|pp?\.|exhibits?|sections?|§|rule|topic|asc|asu|no\.|nos\.|number|form|chapter|table|figure|appendix|"
    r"footnote|level|tier|phase|scope|class|series|version|chapter|step|grade)\s*$|[#§]\s*$",
    re.I,
)
_DURATION = re.compile(r"^[\s-]*(?:weeks?|months?|years?|hours?|minutes?|quarters?|decades?)\b", re.I)
_NAMED = re.compile(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][A-Za-z&]*|[a-z]+[A-Z]\w*)\s+$")
_LIST_MARK = re.compile(r"^\s*(?:[-*•]\s*)?$")
_LIST_END = re.compile(r"^[.)]\s")
_POINTS = re.compile(r"^\s*(?:basis\s+points?|bps?)\b", re.I)
_CENTS = re.compile(r"^\s*(?:cents?|¢)(?=\W|$)", re.I)
_DAY = re.compile(r"^(?:st|nd|rd|th)\b", re.I)
_MONTH = re.compile(rf"\b{MONTH_LIKE}\.?\s+$", re.I)
_BACK = re.compile(r"\b(?:prior|previous|preceding|before|earlier|ago)\b", re.I)
_SMALL = 10_000
FOLDS = {
    word: Decimal(times)
    for word, times in (("halved", "0.5"), ("doubled", "2"), ("tripled", "3"), ("trebled", "3"), ("quadrupled", "4"))
}
"""Words that state how many times the year before a figure is."""
_FOLD = re.compile(rf"\b(?:{'|'.join(FOLDS)})\b", re.I)


@dataclass(frozen=True, slots=True)
class PeriodMark:
    """A period named at a place."""

    start: int
    end: int
    years: tuple[int, ...] = ()
    """Fiscal years as the company labels them, ascending."""
    day: dt.date | None = None
    back: int = 0
    """ "the prior year": years before the one that is otherwise meant."""
    latest: bool = False


def period_marks(text: str) -> tuple[PeriodMark, ...]:
    """The periods that ``text`` names, left to right, without overlap: the longest reading of each place."""
    known = set(find_periods(text).years)
    found: list[PeriodMark] = []
    for start, end in sorted(period_spans(text), key=lambda span: span[0] - span[1]):
        if any(start < mark.end and mark.start < end for mark in found):
            continue
        read = find_periods(text[start:end])
        back = 0 if read.named else int(bool(_BACK.search(text[start:end])))
        years = tuple(year for year in read.years if year in known)
        if years or read.dates or back or read.latest:
            found.append(PeriodMark(start, end, years, read.dates[-1] if read.dates else None, back, read.latest))
    return tuple(sorted(found, key=lambda mark: mark.start))


def figures_in(text: str, taken: Sequence[tuple[int, int]]) -> tuple[Number, ...]:
    """The numbers of ``text`` that state a figure: no dates, references, list marks, durations or names ("iPhone 15").

    ``taken`` are spans that mean something else. Cents become dollars, basis points percent.
    """
    found = []
    for number in find_numbers(text):
        if number.is_year or any(number.start < end and start < number.end for start, end in taken):
            continue
        before, after = text[: number.start], text[number.end :]
        if _DAY.match(after) or _REFERENCE.search(before) or _is_list_mark(number, before, after):
            continue
        if number.kind == "plain" and not number.scaled and (_DURATION.match(after) or _is_part_of_name(number, before)):
            continue
        found.append(_converted(number, after))
    for match in _FOLD.finditer(text):
        value = FOLDS[match.group().lower()]
        found.append(Number(match.group(), value, value / 20, "plain", match.start(), match.end(), False))
    return tuple(sorted(found, key=lambda number: number.start))


def _is_list_mark(number: Number, before: str, after: str) -> bool:
    bracket = re.search(r"[\[(]$", before) and re.match(r"^[\])]", after)
    return number.kind == "plain" and bool(
        (_LIST_MARK.match(before) and _LIST_END.match(after)) or (bracket and before[-1] == "[")
    )


def _is_part_of_name(number: Number, before: str) -> bool:
    small = abs(number.value) < _SMALL and "," not in number.text and "." not in number.text
    return small and bool(_NAMED.search(before) or _MONTH.search(before))


def _converted(number: Number, after: str) -> Number:
    hundredth = Decimal("0.01")
    if number.kind == "plain" and _POINTS.match(after):
        return replace(number, value=number.value * hundredth, accuracy=number.accuracy * hundredth, kind="percent")
    if number.kind == "plain" and _CENTS.match(after):
        return replace(number, value=number.value * hundredth, accuracy=number.accuracy * hundredth, kind="money")
    return number


_SUBJECT = re.compile(
    r"^\W*(?:(?:[Ii]n|[Ff]or|[Dd]uring|[Aa]s\s+of|[Aa]t)\s+[^,]{3,40},\s+)?(?P<name>[A-Z][\w&.-]*(?:\s+[A-Z&][\w&.-]*)*)(?:['’]s\b|\s+(?:reported|posted|earned|generated|recorded|had|has|booked|made|spent|lost|paid|saw|held)\b)"
)
_NO_NAMES = frozenset(
    (
        "it we they the this that these those total net revenue revenues sales management our its their both each group profit "
        "earnings cash in for by"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the places of what it names."""

    text: str
    companies: tuple[Named, ...]
    unknown: tuple[Named, ...]
    marks: tuple[PeriodMark, ...]
    mentions: tuple[Mention, ...]
    numbers: tuple[Number, ...]

    @property
    def named(self) -> tuple[tuple[int, int], ...]:
        """Spans of the companies and periods."""
        return (*((one.start, one.end) for one in self.companies), *((one.start, one.end) for one in self.marks))

    @property
    def plain(self) -> str:
        """The text with spaces for the companies: "Advanced Micro Devices" advances nothing."""
        text = self.text
        for one in self.companies:
            text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
        return text

    @property
    def stranger(self) -> Named | None:
        """A name that it is told of and that is neither a company held nor a figure: "In 2024, Acme had sales of $5 million"."""
        match = _SUBJECT.match(self.text)
        if match is None or self.companies or match["name"].split()[0].lower() in _NO_NAMES:
            return None
        start, end = match.span("name")
        taken = (*self.named, *((one.start, one.end) for one in self.mentions))
        return None if any(start < b and a < end for a, b in taken) else Named((), match["name"], start, end)

    def before(self, index: int) -> str:
        """The words before a number, back to the number before it."""
        start = self.numbers[index - 1].end if index else 0
        return self.plain[start : self.begin(index)]

    def after(self, index: int) -> str:
        """The words behind a number, up to the next."""
        end = self.begin(index + 1) if index + 1 < len(self.numbers) else len(self.text)
        return self.plain[self.numbers[index].end : end]

    def begin(self, index: int) -> int:
        """Where a number begins, its sign included."""
        number = self.numbers[index]
        return max(number.end - len(number.text), 0) if self.text[: number.end].endswith(number.text) else number.start


def read_sentence(text: str, index: CompanyIndex, names: Names) -> Sentence:
    """Find what ``text`` names."""
    companies = index.find(text)
    unknown = tuple(
        Named((), name, at, at + len(name)) for name in unknown_companies(text, index) if (at := text.find(name)) >= 0
    )
    marks = period_marks(text)
    spans = [*((c.start, c.end) for c in companies), *((m.start, m.end) for m in marks)]
    mentions = tuple(
        mention
        for mention in names.find(text)
        if mention.score >= FIRM
        and not _is_cut(text, mention)
        and not any(mention.start < end and start < mention.end for start, end in spans)
    )
    numbers = figures_in(text, [*spans, *((m.start, m.end) for m in mentions)])
    return Sentence(text, companies, unknown, marks, mentions, numbers)


def _is_cut(text: str, mention: Mention) -> bool:
    """Whether a name is the tail or head of a longer word: "non-trade receivables", "cash-settled"."""
    ahead, behind = text[max(0, mention.start - 2) : mention.start], text[mention.end : mention.end + 2]
    return (ahead[-1:] == "-" and ahead[:1].isalnum()) or (behind[:1] == "-" and behind[1:].isalnum())
