"""A sentence with the places of the companies, periods, metrics and numbers that it names; and the words around a number.

They say what the number claims: a level, a change, a growth rate, a share, or what can't be looked up (pure).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from string import ascii_lowercase
from typing import Literal

from fin_tui.engine.evidence.numbers import Number, find_numbers, is_reference
from fin_tui.engine.questions.companies import CompanyIndex, Named, unknown_companies
from fin_tui.engine.questions.periods import find_periods, period_spans
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.questions.words import FIRM
from fin_tui.facts.figures import Mention
from fin_tui.language import STARTS, any_of, closing, runs_of

_LINKS = frozenset((",", "and", "&", ", and", ", versus", "versus", "vs", "vs."))
Role = Literal["level", "growth", "change", "points", "share", "multiple", "cagr"]
"""A figure itself; its change in percent, in its own unit, in percentage points; its part of a whole; how many times the year
before; growth a year over several years."""

_UP = (
    "increas*, grow*, grew, rise, rose, risen, rising, up, climb*, jump*, surg*, expand*, gain, gained, gains, higher, "
    "more, soar*, accelerat*"
)
_DOWN = (
    "decreas*, declin*, fell, fall, falls, fallen, falling, drop*, down, shrank*, shrink*, shrunk*, contracted, "
    "contraction, lower*, less, slump*, plung*, reduc*, slipp*, dipp*, tumbl*, narrowed, narrows"
)
_EITHER = "chang*, improv*, worsen*, deteriorat*, moved, movement, swung"
MOVES = any_of(f"{_UP}, {_DOWN}, {_EITHER}")
"""Words for a movement."""
_UPWARDS, _DOWNWARDS = any_of(_UP), any_of(_DOWN)
_ADVERBS = (
    "year-over-year, yoy, y/y, by, a, an, another, further, nearly, about, approximately, roughly, around, almost, more "
    "than, over, only, just, some, sharply, slightly, strongly, modestly, significantly"
)
_CHANGED_BY = closing(f"{_UP}, {_DOWN}, {_EITHER}", _ADVERBS)
"""The words before an amount of change: "rose", "increased by about"."""
_CHANGE = any_of(
    "increase(s), decrease(s), growth, decline(s), rise, drop, gain, jump, fall, reduction, change, improvement, expansion, "
    "contraction"
)
_IS_BY = closing("of/was/were/is/by", _ADVERBS)
_MOST_BETWEEN = 6
"""Words between a change and what it came to: "an increase in net sales of"."""
_KIND_OF_CHANGE = any_of("year-over-year, yoy, y/y, annual, sequential")
_UP_BY = any_of("up*, down*, more*, less*, gain*")
_PERIOD_AFTER = any_of("year-over-year, yoy, y/y, from/over/than/on/versus (the) prior/previous year")
_SHARE = any_of("of, as a share/percentage/portion of")
_POINTS = any_of("percentage point(s), point(s), basis point(s), bp(s), pp")
_PRIOR = closing(
    "from, compared/compares/comparing to/with, versus, vs, vs., against, than, relative to",
    "a, an, the, its, only, just, about, approximately, nearly",
)
_CAGR = any_of("cagr, compound/compounded (average) annual*")
_TIMES = any_of("x, times, fold, *-fold")
_NOT = any_of("not, never, neither, nor, without, failed to, no longer, *n't")
_AHEAD = any_of(
    "expect, expects, expected, expecting, expectation(s), guides, guided, guidance, forecast(s), outlook, projects, projected, "
    "projection(s), anticipate(s), anticipated, anticipating, will, would, could, may, might, targets, targeted, targeting, "
    "plan/plans/planned/planning to, consensus, assume(s), assumed, assuming, intend(s)"
)
_PART_OF_YEAR = any_of(
    "q1, q2, q3, q4, 1q*, 2q*, 3q*, 4q*, quarter(s), quarterly, quarter-end, three-month(s), six-month(s), nine-month(s), "
    "thirteen-month(s), three-week(s), six-week(s), nine-week(s), thirteen-week(s), twenty-six-week(s), "
    "thirty-nine-week(s), first-half, second-half, last-half, half-year, monthly, per month/week/day, trailing, ttm, ltm, h1, h2"
)
_LONGER = any_of(
    "cumulative, cumulatively, since inception, since 19*, since 20*, in aggregate, in total over, over the past/last * "
    "years, to date, combined, on average, two-year, three-year, four-year, five-year, ten-year"
)
_OWN_MEASURE = any_of(
    "adjusted, non-gaap, pro-forma, organic, organically, normalized, normalised, underlying, constant-currency, comparable, "
    "same-store, like-for-like, excluding, ex-*, before special items, core, run-rate, annualized, annualised, segment"
)
OWN_MEASURE = "It is not the figure that the statements report."  # It is on another basis, such as an adjusted one.
ASIDE = any_of(
    "including, includes, included, of which, excluding, net/because of, offset/driven by, "
    "due/related/attributable/owing/thanks to, reflecting, resulting from, after, before, despite"
)
"""What follows is told of something else than the figure before it."""
_LOSS = any_of("loss(es), deficit, outflow(s), used in/for/by, lost, tax(es) benefit, benefit from/for (income) tax*")
_DRAINS, _RIGHT_BEFORE = frozenset("lost losing burned burnt burning bled".split()), 3
_SIGNED = tuple("loss income expense benefit deficit decrease increase used earnings gain".split())
"""What a bracket begins with that gives a figure's other sign: "net income (loss)"."""


def role_of(kind: str, number_text: str, before: str, after: str) -> Role | None:
    """What a number of ``kind`` (money, percent, plain) claims by the words around it; None for a plain figure by them."""
    if number_text.lower() in FOLDS or (
        kind == "plain" and _TIMES.match(after.lstrip()) and any(_is_up(verb) for verb in MOVES.finditer(before))
    ):
        return "multiple"
    if kind == "percent":
        if _CAGR.search(before) or _CAGR.match(after.lstrip()) or _A_YEAR.match(after.lstrip()):
            return "cagr"
        if _POINTS.match(after.lstrip()) or "percentage point" in number_text.lower():
            return "points"
        if _SHARE.match(after.lstrip()):
            return "share"
    changed = _CHANGED_BY.search(before) is not None or _tells_change(before)
    follows = _verb_after(after)
    if follows and (after.lstrip().startswith(",") or (kind != "percent" and _UP_BY.match(after.lstrip()))) and not changed:
        follows = None  # "$391 billion, up 2 %": what is up is told by the next number.
    if changed or follows or (kind == "percent" and _PERIOD_AFTER.match(after.lstrip())):
        return "growth" if kind == "percent" else "change"
    return None


def _tells_change(before: str) -> bool:
    """Whether the words before a number name a change that it is the size of: "an increase in net sales of about"."""
    link = _IS_BY.search(before)
    for word in reversed(before[: link.start()].split()[-_MOST_BETWEEN - 1 :] if link else []):
        if _CHANGE.fullmatch(word):
            return True
        if word in ("of", "was", "were") or not "".join(part for part in word if part not in "_&'’-").isalnum():
            return False
    return False


def _verb_after(after: str) -> re.Match[str] | None:
    """The movement told right behind a number: "5 % year-over-year growth", ", up"."""
    said = after.lstrip(" ,")
    kind = _KIND_OF_CHANGE.match(said)
    return MOVES.match(said[kind.end() :].lstrip() if kind else said)


def _is_up(verb: re.Match[str]) -> bool:
    return _UPWARDS.fullmatch(verb.group()) is not None


def is_prior(before: str) -> bool:
    """Whether the number after ``before`` is the one that another is compared with: "from", "compared with"."""
    return bool(_PRIOR.search(before))


def direction_of(before: str, after: str = "") -> int:
    """1 when the words nearest the number say that something rose, -1 fell, 0 nothing or unclear."""
    verb = _verb_after(after) or _last_verb(before)
    if verb is None:
        return 0
    return 1 if _is_up(verb) else -1 if _DOWNWARDS.fullmatch(verb.group()) else 0


def blocked_by(sentence: str, before: str, near: str) -> str:
    """Why a number can't be judged by a year's figures; "" when it can.

    ``before``: the words of its clause before it; ``near``: those beside its metric.
    """
    if _PART_OF_YEAR.search(sentence):
        return "A 10-K's statements give whole years, not parts of them."
    if any(match.group().islower() for match in _AHEAD.finditer(sentence)):  # "May" is a month.
        return "It is told as an expectation, not as a reported figure."
    if denies(before):
        return "The sentence denies the figure."
    if _OWN_MEASURE.search(near):
        return OWN_MEASURE
    if _LONGER.search(sentence) and not _CAGR.search(sentence):
        return "It is told of several years together."
    return ""


_CURRENCIES = {
    "euros": ("€, EUR", "euro(s), EUR"),
    "pounds": ("£, GBP", "pound(s) sterling, british pound(s), GBP"),
    "yen": ("¥, JPY", "yen, JPY"),
    "yuan": ("CNY, RMB", "yuan, renminbi, CNY, RMB"),
    "Swiss francs": ("CHF, SFr, SFr.", "(swiss) franc(s), CHF"),
    "rupees": ("₹, INR", "(indian) rupee(s), INR"),
    "Canadian dollars": ("CAD, C$, CA$", "canadian dollar(s), CAD"),
    "Australian dollars": ("AUD, A$, AU$", "australian dollar(s), AUD"),
    "Hong Kong dollars": ("HKD, HK$", "hong kong dollar(s), HKD"),
}
"""Signs before an amount, and words behind it."""
_BEHIND_AMOUNT = {name: any_of(names) for name, (_, names) in _CURRENCIES.items()}
_BEFORE_SIGN = (" ", "(", "–", "—", "-")


def currency_of(text: str, number: Number) -> str:
    """The currency of an amount that is none of US dollars, as people call it; "" of US dollars, and where none is named."""
    digits = next((at for at, char in enumerate(number.text) if char.isdigit()), 0)
    before, after = text[: number.end - len(number.text) + digits].rstrip(), text[number.end :].lstrip()
    named = (name for name, behind in _BEHIND_AMOUNT.items() if _ends_in_sign(before, name) or behind.match(after))
    return next(named, "") if number.kind != "percent" else ""


def _ends_in_sign(before: str, currency: str) -> bool:
    signs = _CURRENCIES[currency][0].split(", ")
    return any(before.endswith(sign) and f" {before.removesuffix(sign)}".endswith(_BEFORE_SIGN) for sign in signs)


_NEW_CLAUSE = any_of("and, while, whereas, but, versus, vs, compared, then")


def has_new_clause(text: str) -> bool:
    """Whether a clause begins in ``text``."""
    return "," in text or ";" in text or _NEW_CLAUSE.search(text) is not None


def is_range(before: str, after: str) -> bool:
    """Whether a number is the low end of a range, by the words before it and those between it and the high end."""
    is_between = before.casefold().split()[-1:] == ["between"] and after.strip().casefold() == "and"
    return is_between or after.strip() in ("-", "–", "—")


def denies(before: str) -> bool:
    """Whether the words before a number say that it is not so."""
    return bool(_NOT.search(before))


def says_loss(words: str) -> bool:
    """Whether the words for a figure turn its sign: "net loss", "cash used in", "accumulated deficit", "tax benefit"."""
    return bool(_LOSS.search(words)) and not _has_both_signs(words.lower())


def _has_both_signs(words: str) -> bool:
    bracketed = (behind for behind in words.split("(")[1:] if ")" in behind)
    return any(behind.startswith(_SIGNED) for behind in bracketed) or any(
        side.rstrip().endswith("loss") or other.lstrip(" (").startswith("loss") for side, other in pairwise(words.split("/"))
    )


def is_drained(before: str) -> bool:
    """Whether the verb right before a number turns its sign: "burned $3 billion of operating cash"."""
    return not _DRAINS.isdisjoint(before.lower().split()[-_RIGHT_BEFORE:])


_BOUNDS = frozenset("by about approximately nearly some".split())
_REPORTS = any_of("'s, reported, posted, earned, generated, recorded, had, has, booked, said, made, spent, lost, paid, announced")
_TO = closing("to/at", within=3)


_BEHIND = any_of("at/for/by/from/of (the)")


def is_linked(between: str) -> bool:
    """Whether ``between`` stands between numbers that are told as one list."""
    return " ".join(between.split()).casefold() in _LINKS


def is_same(between: str) -> bool:
    """Whether ``between`` stands between two numbers that tell the same: "$1.5 billion, or 5 %", "$1.5 billion (5 %)"."""
    first, *others = between.casefold().replace("(", "( ").lstrip(" ,").split() or [""]
    return first in ("or", "(") and _BOUNDS.issuperset(others)


def is_behind(between: str, *, is_held: bool) -> bool:
    """Whether ``between`` joins a number to the company it is of, "$245 billion at Microsoft"; to a name that is not held only
    "at" does.
    """
    words = between.strip()
    return _BEHIND.fullmatch(words) is not None if is_held else words.casefold() == "at"


def is_subject(text: str, start: int, end: int) -> bool:
    """Whether the name at the span owns or reports what follows: "Toyota's net income", "Toyota reported"."""
    return bool(_REPORTS.match(text[end:].lstrip())) and (
        start < 30 or text[:start].rstrip().endswith((",", ";")) or text[start - 4 : start] == "and "
    )


def tells_direction(before: str) -> bool:
    """Whether a level is told as the end of a movement: "rose to", "fell 3 % to"."""
    match = _last_verb(before)
    return match is not None and bool(_TO.search(before[match.end() :]))


def leads_to(between: str) -> bool:
    """Whether the words between two numbers make the second the end of a movement: "from $2 in 2023 to"."""
    return bool(_TO.search(between))


def _last_verb(text: str) -> re.Match[str] | None:
    return next(iter(list(MOVES.finditer(text))[-1:]), None)


_DURATION = any_of("week(s), month(s), year(s), hour(s), minute(s), quarter(s), decade(s)")
_GAP = " \t\n-"
_BASIS_POINTS = any_of("basis point(s), bp(s)")
_A_YEAR = any_of("a/per year, annually")
_CENTS = any_of("cent(s), ¢")
_ORDINALS = ("st", "nd", "rd", "th")
_BACK = any_of("prior, previous, preceding, before, earlier, ago")
_SMALL = 10_000
FOLDS = {
    word: Decimal(times)
    for word, times in (("halved", "0.5"), ("doubled", "2"), ("tripled", "3"), ("trebled", "3"), ("quadrupled", "4"))
}
"""Words that state how many times the year before a figure is."""
_FOLD = any_of(", ".join(FOLDS))


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
        if _is_ordinal(after) or is_reference(before) or _is_list_mark(number, before, after):
            continue
        if (
            number.kind == "plain"
            and not number.scaled
            and (_DURATION.match(after.lstrip(_GAP)) or _is_part_of_name(number, before))
        ):
            continue
        found.append(_converted(number, after))
    for match in _FOLD.finditer(text):
        value = FOLDS[match.group().lower()]
        found.append(Number(match.group(), value, value / 20, "plain", match.start(), match.end(), False))
    return tuple(sorted(found, key=lambda number: number.start))


def _is_ordinal(after: str) -> bool:
    return after[:2].lower() in _ORDINALS and not after[2:3].isalnum()


def _is_list_mark(number: Number, before: str, after: str) -> bool:
    is_mark = before.strip() in ("", "-", "*", "•") and after[:1] in (".", ")") and after[1:2].isspace()
    return number.kind == "plain" and (is_mark or (before.endswith("[") and after.startswith(("]", ")"))))


def _is_part_of_name(number: Number, before: str) -> bool:
    small = abs(number.value) < _SMALL and "," not in number.text and "." not in number.text
    return small and (_ends_in_name(before) or _is_month(before))


def _ends_in_name(before: str) -> bool:
    """Whether the last word before a number is a name, and no sentence begins with it: "the iPhone 15"."""
    *others, last = before.split() or [""]
    word = "".join(runs_of(last, "&_")[-1:])
    is_capital = word[:1].isupper() and word.replace("&", "").isalpha()
    is_camel = word[:1].islower() and word.lstrip(ascii_lowercase)[:1].isupper()
    is_first = last == word and (not others or others[-1].endswith((".", "!", "?")))
    return before[-1:].isspace() and last.endswith(word) and (is_capital or is_camel) and not is_first


def _is_month(before: str) -> bool:
    """Whether the words before a number end in the name of a month."""
    last = before.lower().split()[-1:] if before.endswith(" ") else []
    return bool(last) and last[0].strip("(,").startswith(STARTS) and last[0].strip("(,").rstrip(".").isalpha()


def _converted(number: Number, after: str) -> Number:
    hundredth = Decimal("0.01")
    if number.kind == "plain" and _BASIS_POINTS.match(after.lstrip()):
        return replace(number, value=number.value * hundredth, accuracy=number.accuracy * hundredth, kind="percent")
    if number.kind == "plain" and _CENTS.match(after.lstrip()):
        return replace(number, value=number.value * hundredth, accuracy=number.accuracy * hundredth, kind="money")
    return number


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


def clauses_of(sentence: Sentence, index: CompanyIndex, names: Names) -> tuple[Sentence, ...]:
    """``sentence`` as the clauses of it that each tell of a company of their own behind a semicolon: each with spaces in the
    place of the others, so that places stay, and with the words that the sentence opens with, which hold for all.
    """
    text = sentence.text
    named = sorted(one.start for one in (*sentence.companies, *sentence.unknown))
    begins = [0]
    for at in (place for place, sign in enumerate(text) if sign == ";"):
        number = next((begin for n in range(len(sentence.numbers)) if (begin := sentence.begin(n)) > at), len(text))
        if any(at < start < number for start in named):
            begins.append(at + 1)
    if len(begins) == 1:
        return (sentence,)
    opening = text[: named[0]] if named[0] < begins[1] else ""
    ends = [*begins[1:], len(text)]
    own = (
        f"{opening}{' ' * (max(begin, len(opening)) - len(opening))}{text[max(begin, len(opening)) : end]}"
        for begin, end in zip(begins, ends, strict=True)
    )
    return tuple(read_sentence(clause, index, names) for clause in own)


def _is_cut(text: str, mention: Mention) -> bool:
    """Whether a name is the tail or head of a longer word: "non-trade receivables", "cash-settled"."""
    ahead, behind = text[max(0, mention.start - 2) : mention.start], text[mention.end : mention.end + 2]
    return (ahead[-1:] == "-" and ahead[:1].isalnum()) or (behind[:1] == "-" and behind[1:].isalnum())
