"""A sentence with the places of the companies, periods, metrics and numbers that it names; and the words around a number.

They say what the number claims: a level, a change, a growth rate, a share, or what can't be looked up (pure).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from fin_tui.engine.evidence.numbers import Number, find_numbers, is_reference
from fin_tui.engine.questions.companies import CompanyIndex, Named, unknown_companies
from fin_tui.engine.questions.periods import find_periods, period_spans
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.questions.words import FIRM
from fin_tui.facts.figures import Mention
from fin_tui.language import STARTS, any_of

_LINKS = frozenset((",", "and", "&", ", and", ", versus", "versus", "vs", "vs."))
Role = Literal["level", "growth", "change", "points", "share", "multiple", "cagr"]
"""A figure itself; its change in percent, in its own unit, in percentage points; its part of a whole; how many times the year
before; growth a year over several years."""

_UP = (
    r"increas\w*|grow\w*|grew|r[io]se|risen|rising|up|climb\w*|jump\w*|surg\w*|expand\w*|gain(?:ed|s)?|higher|more|soar\w*|"
    r"accelerat\w*"
)
_DOWN = (
    r"decreas\w*|declin\w*|fell|fall(?:s|en|ing)?|drop\w*|down|shr[aiu]nk\w*|contract(?:ed|ion)|lower\w*|less|slump\w*|plung\w*|reduc\w*|"
    r"slipp\w*|dipp\w*|tumbl\w*|narrow(?:ed|s)"
)
_EITHER = r"chang\w*|improv\w*|worsen\w*|deteriorat\w*|mov(?:ed|ement)|swung"
MOVES = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<either>{_EITHER}))\b", re.I)
"""Words for a movement, by its direction."""
_ADVERB = (
    r"(?:\s+(?:year[- ]over[- ]year|yoy|y/y|by|an?|another|further|nearly|about|approximately|roughly|around|almost|more\s+than|"
    r"over|only|just|some|sharply|slightly|strongly|modestly|significantly))*"
)
CHANGED_BY = re.compile(rf"\b(?P<verb>{_UP}|{_DOWN}|{_EITHER}){_ADVERB}\s*$", re.I)
"""The words before an amount of change: "rose", "increased by about"."""
_NOUN = r"increases?|decreases?|growth|declines?|rise|drop|gain|jump|fall|reduction|change|improvement|expansion|contraction"
_CHANGE_OF = re.compile(
    rf"\b(?P<verb>{_NOUN})(?:\s+(?!of\b|was\b|were\b)[\w&'’-]+){{0,6}}?\s+(?:of|was|were|is|by){_ADVERB}\s*$", re.I
)
_CHANGE_AFTER = re.compile(
    rf"^\s*,?\s*(?:year[- ]over[- ]year\s+|yoy\s+|y/y\s+|annual\s+|sequential\s+)?(?P<verb>{_UP}|{_DOWN}|{_EITHER})\b", re.I
)
_UP_BY = any_of("up*, down*, more*, less*, gain*")
_PERIOD_AFTER = re.compile(
    r"^\s*(?:year[- ]over[- ]year|yoy|y/y|(?:from|over|than|on|versus)\s+(?:the\s+)?(?:prior|previous)\s+year)\b", re.I
)
_SHARE = any_of("of, as a share/percentage/portion of")
_POINTS = any_of("percentage point(s), point(s), basis point(s), bp(s), pp")
_PRIOR = re.compile(
    r"\b(?:from|compar(?:ed|es|ing)\s+(?:to|with)|versus|vs\.?|against|than|relative\s+to)\s+(?:an?\s+|the\s+|its\s+|only\s+|just\s+|about\s+|approximately\s+|nearly\s+)*$",
    re.I,
)
_CAGR = any_of("cagr, compound/compounded (average) annual*")
_TIMES = any_of("x, times, fold, *-fold")
_NOT = any_of("not, never, neither, nor, without, failed to, no longer, *n't")
_AHEAD = re.compile(
    r"\b(?:expect(?:s|ed|ing|ations?)?|guid(?:es|ed|ance)|forecasts?|outlook|project(?:s|ed|ions?)|anticipat(?:es?|ed|ing)|will|would|could|"
    r"may|might|target(?:s|ed|ing)|plan(?:s|ned|ning)?\s+to|consensus|assum(?:es?|ed|ing)|intends?|price\s+target)\b"
)
_PART_OF_YEAR = re.compile(
    r"\bQ[1-4]\b|\b[1-4]Q\d*\b|\bquarter(?:s|ly|-end)?\b|\b(?:three|six|nine|thirteen|twenty-six|thirty-nine)[- ]"
    r"(?:months?|weeks?)\b|\b(?:first|second|last)[- ]half\b|\bhalf[- ]year\b|\bmonthly\b|"
    r"\bper\s+(?:month|week|day)\b|\btrailing\b|\bTTM\b|\bLTM\b|\bH[12]\b",
    re.I,
)
_LONGER = re.compile(
    r"\b(?:cumulative(?:ly)?|since\s+(?:inception|(?:19|20)\d\d)|in\s+aggregate|in\s+total\s+over|over\s+the\s+(?:past|last)\s+\w+\s+years|"
    r"to\s+date|combined|on\s+average|"
    r"(?:three|five|ten|two|four)[- ]year)\b",
    re.I,
)
_OWN_MEASURE = re.compile(
    r"\b(?:adjusted|non-gaap|pro[- ]forma|organic(?:ally)?|normali[sz]ed|underlying|constant[- ]currency|comparable|"
    r"same[- ]store|like[- ]for[- ]like|excluding|ex-|before\s+special\s+items|core|run[- ]rate|annuali[sz]ed|segment)\b",
    re.I,
)
OWN_MEASURE = "It is not the figure that the statements report."
"""Why a figure on another basis, such as an adjusted one, is not held against the statements."""
ASIDE = any_of(
    "including, includes, included, of which, excluding, net/because of, offset/driven by, "
    "due/related/attributable/owing/thanks to, reflecting, resulting from, after, before, despite"
)
"""What follows is told of something else than the figure before it."""
_LOSS = any_of("loss(es), deficit, outflow(s), used in/for/by, lost, tax(es) benefit, benefit from/for (income) tax*")
_DRAINS, _RIGHT_BEFORE = frozenset("lost losing burned burnt burning bled".split()), 3
_BOTH_SIGNS = re.compile(
    r"\((?:loss|losses|income|expense|benefit|deficit|decrease|increase|used|earnings|gain)[^)]*\)|\bloss\s*/|/\s*\(?loss", re.I
)


def role_of(kind: str, number_text: str, before: str, after: str) -> Role | None:
    """What a number of ``kind`` (money, percent, plain) claims by the words around it; None for a plain figure by them."""
    if number_text.lower() in FOLDS or (
        kind == "plain" and _TIMES.match(after.lstrip()) and any(verb["up"] for verb in MOVES.finditer(before))
    ):
        return "multiple"
    if kind == "percent":
        if _CAGR.search(before) or _CAGR.match(after.lstrip()) or _A_YEAR.match(after.lstrip()):
            return "cagr"
        if _POINTS.match(after.lstrip()) or "percentage point" in number_text.lower():
            return "points"
        if _SHARE.match(after.lstrip()):
            return "share"
    changed = CHANGED_BY.search(before) or _CHANGE_OF.search(before)
    follows = _CHANGE_AFTER.match(after)
    if (
        follows
        and (after.lstrip().startswith(",") or (kind != "percent" and _UP_BY.match(follows.group().lstrip())))
        and not changed
    ):
        follows = None  # "$391 billion, up 2 %": what is up is told by the next number.
    if changed or follows or (kind == "percent" and _PERIOD_AFTER.match(after)):
        return "growth" if kind == "percent" else "change"
    return None


def is_prior(before: str) -> bool:
    """Whether the number after ``before`` is the one that another is compared with: "from", "compared with"."""
    return bool(_PRIOR.search(before))


def direction_of(before: str, after: str = "") -> int:
    """1 when the words nearest the number say that something rose, -1 fell, 0 nothing or unclear."""
    follows = _CHANGE_AFTER.match(after)
    match = (MOVES.search(follows.group()) if follows else None) or _last_verb(before)
    if match is None:
        return 0
    return 1 if match["up"] else -1 if match["down"] else 0


def blocked_by(sentence: str, before: str, near: str) -> str:
    """Why a number can't be judged by a year's figures; "" when it can.

    ``before``: the words of its clause before it; ``near``: those beside its metric.
    """
    if _PART_OF_YEAR.search(sentence):
        return "A 10-K's statements give whole years, not parts of them."
    if _AHEAD.search(sentence):
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
_BEFORE_AMOUNT = {
    name: re.compile(rf"(?:^|(?<=[\s(–—-]))(?:{'|'.join(map(re.escape, signs.split(', ')))})\s*$")
    for name, (signs, _) in _CURRENCIES.items()
}
_BEHIND_AMOUNT = {name: any_of(names) for name, (_, names) in _CURRENCIES.items()}


def currency_of(text: str, number: Number) -> str:
    """The currency of an amount that is none of US dollars, as people call it; "" of US dollars, and where none is named."""
    digits = next((at for at, char in enumerate(number.text) if char.isdigit()), 0)
    before, after = text[: number.end - len(number.text) + digits], text[number.end :].lstrip()
    named = (name for name in _CURRENCIES if _BEFORE_AMOUNT[name].search(before) or _BEHIND_AMOUNT[name].match(after))
    return next(named, "") if number.kind != "percent" else ""


NEW_CLAUSE = re.compile(r"[;,]|\b(?:and|while|whereas|but|versus|vs|compared|then)\b", re.I)


def is_range(before: str, after: str) -> bool:
    """Whether a number is the low end of a range, by the words before it and those between it and the high end."""
    is_between = before.casefold().split()[-1:] == ["between"] and after.strip().casefold() == "and"
    return is_between or after.strip() in ("-", "–", "—")


def denies(before: str) -> bool:
    """Whether the words before a number say that it is not so."""
    return bool(_NOT.search(before))


def says_loss(words: str) -> bool:
    """Whether the words for a figure turn its sign: "net loss", "cash used in", "accumulated deficit", "tax benefit"."""
    return bool(_LOSS.search(words)) and not _BOTH_SIGNS.search(words)


def is_drained(before: str) -> bool:
    """Whether the verb right before a number turns its sign: "burned $3 billion of operating cash"."""
    return not _DRAINS.isdisjoint(before.lower().split()[-_RIGHT_BEFORE:])


IS_SAME = re.compile(r"^\s*(?:,\s*)?(?:or|\()\s*(?:by\s+)?(?:about\s+|approximately\s+|nearly\s+|some\s+)?$", re.I)
"""Between two numbers that tell the same: "$1.5 billion, or 5 %", "$1.5 billion (5 %)"."""
_REPORTS = re.compile(
    r"^(?:['’]s\b|\s+(?:reported|posted|earned|generated|recorded|had|has|booked|said|made|spent|lost|paid|announced)\b)", re.I
)
_TO = re.compile(r"\b(?:to|at)\s+(?:\w+\s+){0,3}$", re.I)


_BEHIND = any_of("at/for/by/from/of (the)")


def is_linked(between: str) -> bool:
    """Whether ``between`` stands between numbers that are told as one list."""
    return " ".join(between.split()).casefold() in _LINKS


def is_behind(between: str, *, is_held: bool) -> bool:
    """Whether ``between`` joins a number to the company it is of, "$245 billion at Microsoft"; to a name that is not held only
    "at" does.
    """
    words = between.strip()
    return _BEHIND.fullmatch(words) is not None if is_held else words.casefold() == "at"


def is_subject(text: str, start: int, end: int) -> bool:
    """Whether the name at the span owns or reports what follows: "Toyota's net income", "Toyota reported"."""
    return bool(_REPORTS.match(text[end:])) and (
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
_NAMED = re.compile(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][A-Za-z&]*|[a-z]+[A-Z]\w*)\s+$")
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
    return small and bool(_NAMED.search(before) or _is_month(before))


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
