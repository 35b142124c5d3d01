"""A sentence -> what each of its numbers claims: which figure, of which company, of which year (pure).

Rules only. What a sentence leaves unsaid comes from the sentences before it. A claim that can't be read without a guess says so,
and is never the ground for calling a number wrong.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from fin_tui.engine.checking import claim_words as words
from fin_tui.engine.checking.claim_metrics import Attached, attach_metrics
from fin_tui.engine.checking.claim_words import PeriodMark, Sentence
from fin_tui.engine.evidence.numbers import Bound, Number, bound_before
from fin_tui.engine.questions.companies import Named
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.language import UNBROKEN, YEAR, any_of, begin_of, closing, runs_of

_AGAINST = closing("from, over, versus, vs, vs., compared to/with, than, against, since, on, relative to", "the, fiscal, year")
_COMPARES = any_of("from, over, than, versus, compared, on")
_BASIS = any_of("basic, primary, dilut*")
_WITHIN = 70
_OPENERS = (*(f"{word} " for word in "In in For for During during At at".split()), "As of ", "as of ")
_OPENING = range(3, 41)
"""Characters of a time or place that a sentence opens with."""
_NAME_SIGNS = "_&.-"
_NO_NAMES = frozenset(
    (
        "it we they the this that these those total net revenue revenues sales management our its their both each group profit "
        "earnings cash in for by as"
    ).split()
)
"""Begin what is the subject of a sentence and no company."""


@dataclass(frozen=True, slots=True)
class When:
    """The period of a number."""

    year: int | None = None
    """As the company labels it; None when nothing says."""
    day: dt.date | None = None
    """A day that is named instead."""
    back: int = 1
    """For a change: years between the two ends."""
    earlier: int = 0
    """Years before ``year`` (or ``day``, or the latest) that are meant: "the prior year"."""
    carried: bool = False
    """From an earlier sentence."""


class StatedNumber(Protocol):
    """What a number is told of, as far as its year depends on it."""

    @property
    def role(self) -> str: ...
    @property
    def beside(self) -> bool:
        """It stands beside another part's number, not another year's: "versus $101 billion in Europe"."""
        ...


def attach_periods(sentence: Sentence, told: Sequence[StatedNumber], years: Sequence[int], day: dt.date | None) -> list[When]:
    """The period of each number; ``years`` and ``day`` are those of the text before, for what the sentence leaves unsaid."""
    listed = _listed(sentence)
    base = _base(sentence, years, day)
    return [
        listed[at] if listed is not None and one.role == "level" else _when(sentence, at, one, base)
        for at, one in enumerate(told)
    ]


def main_period(sentence: Sentence) -> PeriodMark | None:
    """The period that a sentence is about: the latest that is not only compared with."""
    plain = [mark for mark in sentence.marks if (mark.years or mark.day) and not _is_compared(sentence, mark)]
    return max(plain, key=_last, default=None)


def _last(mark: PeriodMark) -> int:
    return max(mark.years, default=0) or (mark.day.year if mark.day else 0)


def _is_compared(sentence: Sentence, mark: PeriodMark) -> bool:
    """Whether ``mark`` is the year of a number that another is compared with: "up from $383 billion in fiscal 2023"."""
    if _against(sentence, mark):
        return True
    if len(sentence.companies) > 1:
        return False  # Companies are compared, not years.
    return any(words.is_prior(sentence.before(at)) and _behind(sentence, at) is mark for at in range(len(sentence.numbers)))


def _base(sentence: Sentence, years: Sequence[int], day: dt.date | None) -> When:
    """The year that the sentence is about, else that of the text before, which must be after a year it is compared with."""
    top = main_period(sentence)
    if top is not None:
        return When(max(top.years, default=None), None if top.years else top.day)
    compared = max((max(mark.years) for mark in sentence.marks if mark.years), default=None)
    if compared is not None and (not years or max(years) <= compared) and day is None:
        return When(compared + 1)
    return When(max(years, default=None), day, carried=True)


def _when(sentence: Sentence, at: int, told: StatedNumber, base: When) -> When:
    if told.role in ("growth", "change", "points", "multiple", "cagr"):
        return _span(sentence, at, base)
    behind = _behind(sentence, at) or _goes_on(sentence, at)
    if behind is not None:
        return _of(behind, base)
    if words.is_prior(sentence.before(at)) and not told.beside and len(sentence.companies) < 2:
        return When(base.year, base.day, earlier=1, carried=base.carried)
    ahead = [
        mark
        for mark in sentence.marks
        if mark.end <= sentence.begin(at)
        and not _is_used(sentence, mark, at)
        and not (mark.years and _is_compared(sentence, mark))
        and not (mark.back and _against(sentence, mark) and words.has_new_clause(sentence.text[mark.end : sentence.begin(at)]))
    ]
    return _of(ahead[-1], base) if ahead else base


def _behind(sentence: Sentence, at: int) -> PeriodMark | None:
    """The period named right behind a number, in the same clause."""
    end = sentence.numbers[at].end
    limit = sentence.begin(at + 1) if at + 1 < len(sentence.numbers) else len(sentence.text)
    for mark in sentence.marks:
        if end <= mark.start < limit:
            gap = sentence.text[end : mark.start]
            own = not words.has_new_clause(gap) and not _AGAINST.search(gap) and len(gap) < _WITHIN
            said = sentence.text[mark.start : mark.end]
            return mark if own and not _COMPARES.match(said) else None
    return None


def _goes_on(sentence: Sentence, at: int) -> PeriodMark | None:
    """The period that an earlier number of the same company was told of, behind an opening that has another: "In 2023 Acme
    earned $2 billion; Globex lost $1 billion in 2022 on revenue of $9 billion".
    """
    own = max((one.start for one in sentence.companies if one.end <= sentence.begin(at)), default=-1)
    if own < 0 or words.is_prior(sentence.before(at)):
        return None
    since = [mark for mark in sentence.marks if own < mark.start and mark.end <= sentence.begin(at) and mark.years]
    opens = any(mark.end <= own and mark.years for mark in sentence.marks)
    return since[-1] if opens and since and not _is_compared(sentence, since[-1]) else None


def _is_used(sentence: Sentence, mark: PeriodMark, at: int) -> bool:
    """Whether ``mark`` stands right behind an earlier number and so is that one's own."""
    return any(_behind(sentence, earlier) is mark for earlier in range(at))


def _of(mark: PeriodMark, base: When) -> When:
    if mark.years:
        return When(mark.years[-1])
    if mark.day:
        return When(None, mark.day)
    return When(base.year, base.day, earlier=mark.back, carried=base.carried)


def _span(sentence: Sentence, at: int, base: When) -> When:
    """The two ends of a change: the years named with it, else the sentence's year and the one before."""
    end = sentence.numbers[at].end
    limit = sentence.begin(at + 1) if at + 1 < len(sentence.numbers) else len(sentence.text)
    behind = [mark for mark in sentence.marks if end <= mark.start < limit and mark.years]
    ahead = [
        mark for mark in sentence.marks if mark.end <= sentence.begin(at) and mark.years and not _is_used(sentence, mark, at)
    ]
    for marks in (behind, ahead):
        ends = {year for mark in marks for year in (mark.years[0], mark.years[-1])}
        if len(ends) == 2 and (len(marks) == 1 or any(_against(sentence, mark) for mark in marks)):
            return When(max(ends), back=max(ends) - min(ends))
    against = next((mark for mark in behind if _against(sentence, mark)), None)
    if against is not None:
        late = [year for mark in ahead for year in mark.years[-1:]] or ([] if base.carried or base.year is None else [base.year])
        year = max(late, default=0)
        return When(year, back=year - against.years[0]) if year > against.years[0] else When(against.years[0] + 1)
    own = _behind(sentence, at)
    if own is not None and not own.back:
        return _of(own, base)
    return _of(ahead[-1], base) if ahead and not _is_compared(sentence, ahead[-1]) else base


def _against(sentence: Sentence, mark: PeriodMark) -> bool:
    said = sentence.text[mark.start : mark.end]
    return bool(_AGAINST.search(sentence.text[: mark.start])) or bool(_COMPARES.match(said))


def _listed(sentence: Sentence) -> list[When] | None:
    """A year for each number of a list: "$391 billion and $383 billion in 2024 and 2023"."""
    numbers = sentence.numbers
    if len(numbers) < 2:
        return None
    gaps = [sentence.text[one.end : sentence.begin(at + 1)] for at, (one, _) in enumerate(pairwise(numbers))]
    if not all(words.is_linked(gap) for gap in gaps):
        return None
    years = [int(year) for mark in sentence.marks for year in YEAR.findall(sentence.text[mark.start : mark.end])]
    return [When(year) for year in years] if len(years) == len(numbers) and len(set(years)) == len(years) else None


_UNSAID = When()
_IN_CURRENCY = "It is stated in {}, the figures of the filings in US dollars: no exchange rates are held."


@dataclass(frozen=True, slots=True)
class Context:
    """What the text so far is about."""

    company: Named | None = None
    others: tuple[tuple[Named, int | None], ...] = ()
    """Further companies of the sentence that named it last, each with the year told of it: "its" may be any of theirs."""
    unknown: str = ""
    """A company that is not in the library, when the text has turned to it."""
    years: tuple[int, ...] = ()
    day: dt.date | None = None
    given: bool = True
    """``years`` or ``day`` were said of this company, or set by the user; not only of another company before it."""
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A number and what it says."""

    number: Number
    role: words.Role
    item: Item | None
    """The figure it claims to be, or that it tells the change of; for a share, the part."""
    whole: Item | None = None
    """For a share: what it is a part of."""
    company: Named | None = None
    unknown: str = ""
    """A company named for it that is not in the library."""
    host: Named | None = None
    """The company that the text spoke of before: what is called unknown may be a part of it."""
    others: tuple[tuple[Named, int | None], ...] = ()
    """Companies that may be meant as well, each with the year that the text told of it."""
    brand: str = ""
    """The brand or product by which the company is named."""
    said: str = ""
    """The figure's name as the text writes it."""
    has_basis: bool = False
    """The sentence says that something is basic or diluted."""
    when: When = _UNSAID
    bound: Bound = "exact"
    direction: int = 0
    """1: said to have risen, -1: fallen, 0: nothing said."""
    loss: bool = False
    """Said as a loss, a deficit, cash used: the figure is negative where the number is not."""
    sure: bool = True
    """Figure and year are identified beyond doubt; only then can the number be wrong."""
    is_named: bool = True
    """The figure is, whatever its year."""
    of_others_year: bool = False
    """Its year was only told of another company."""
    denied: bool = False
    """The sentence says that it is not so."""
    currency: str = ""
    """That it is stated in, where not in US dollars."""
    blocked: str = ""
    """Why it can't be judged by a year's figures."""


def read_claims(sentence: Sentence, context: Context, names: Names) -> tuple[tuple[Claim, ...], Context]:
    """The claims of ``sentence`` after ``context``, and the context after it."""
    attached = attach_metrics(sentence, names, context.item)
    whens = attach_periods(sentence, attached, context.years, context.day)
    claims = tuple(_claim(sentence, at, one, whens[at], context) for at, one in enumerate(attached))
    return claims, _after(sentence, claims, context)


def _claim(sentence: Sentence, at: int, attached: Attached, when: When, context: Context) -> Claim:
    number, before, after = sentence.numbers[at], sentence.before(at), sentence.after(at)
    company, unknown = _company(sentence, at, context)
    others = context.others if not sentence.companies and company is context.company else ()
    near = sentence.text[max(0, attached.start - 40) : attached.end] if attached.start >= 0 else before
    name = sentence.text[max(0, attached.start - 12) : attached.end + 14] if attached.start >= 0 else before[-40:]
    linked = before
    if at and words.is_same(before):
        linked = sentence.before(at - 1)
    tells_direction = attached.role != "level" or words.tells_direction(before)
    currency = words.currency_of(sentence.text, number)
    is_named = attached.sure and not others
    of_others_year = when.carried and not _is_said(sentence, company, context)
    return Claim(
        number=number,
        role=attached.role,
        item=attached.item,
        whole=attached.whole,
        said=attached.said,
        has_basis=_BASIS.search(sentence.text) is not None,
        company=company,
        unknown=unknown,
        host=context.company if unknown else None,
        others=others,
        when=when,
        bound=_bound(sentence, at),
        direction=words.direction_of(linked, after) if tells_direction and not words.is_prior(before) else 0,
        loss=words.says_loss(name) or words.is_drained(before),
        sure=is_named and not of_others_year,
        is_named=is_named,
        of_others_year=of_others_year,
        denied=words.denies(before),
        currency=currency,
        blocked=_IN_CURRENCY.format(currency) if currency else words.blocked_by(_outside(sentence), before, near),
    )


def _bound(sentence: Sentence, at: int) -> Bound:
    """What is said of a number: "about", "more than"; the ends of "between $5 billion and $6 billion" bound it from two sides."""
    if at + 1 < len(sentence.numbers) and words.is_range(sentence.before(at), sentence.after(at)):
        return "over"
    if at and words.is_range(sentence.before(at - 1), sentence.after(at - 1)):
        return "under"
    return bound_before(sentence.before(at))


def _is_said(sentence: Sentence, company: Named | None, context: Context) -> bool:
    """Whether the year of the text before was said of the same company."""
    same = context.company is None or company is None or company.keys == context.company.keys
    return context.given and same


def _outside(sentence: Sentence) -> str:
    """The sentence without the names in it: "Target" is no expectation, "projected benefit obligation" no forecast."""
    text = sentence.text
    for start, end in (*sentence.named, *((one.start, one.end) for one in sentence.mentions)):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _company(sentence: Sentence, at: int, context: Context) -> tuple[Named | None, str]:
    """The company of a number: named just behind it, else last before it, else first in the sentence, else from before."""
    start, end = sentence.begin(at), sentence.numbers[at].end
    limit = sentence.begin(at + 1) if at + 1 < len(sentence.numbers) else len(sentence.text)
    strangers = {one.start: one for one in (*sentence.unknown, _stranger(sentence)) if one is not None}
    everyone = sorted((*sentence.companies, *strangers.values()), key=lambda one: one.start)
    listed = _company_listed(sentence, at)
    if listed is not None:
        return listed, ""
    behind = [
        one
        for one in everyone
        if end <= one.start < limit and words.is_behind(sentence.text[end : one.start], is_held=bool(one.keys))
    ]
    ahead = [one for one in everyone if one.end <= start and (one.keys or words.is_subject(sentence.text, one.start, one.end))]
    chosen = behind[0] if behind else ahead[-1] if ahead else next((one for one in everyone if one.keys), None)
    if chosen is None:
        return context.company, context.unknown
    return (chosen, "") if chosen.keys else (None, chosen.name)


def _stranger(sentence: Sentence) -> Named | None:
    """A name that it is told of and that is neither a company held nor a figure: "In 2024, Acme had sales of $5 million"."""
    text, begin = sentence.text, begin_of(sentence.text)
    opening, comma, _ = text[begin:].partition(",")
    opener = next((one for one in _OPENERS if opening.startswith(one)), "")
    is_opened = bool(comma and opener) and len(opening) - len(opener) in _OPENING
    spans = [_name_at(text, at) for at in (begin + len(opening) + 1, begin)[not is_opened :]]
    start, end = next(((a, b) for a, b in spans if a < b and words.is_subject(text, a, b)), (0, 0))
    taken = (*sentence.named, *((one.start, one.end) for one in sentence.mentions))
    is_known = bool(sentence.companies) or any(start < b and a < end for a, b in taken)
    is_name = start < end and not is_known and text[start:end].split()[0].lower() not in _NO_NAMES
    return Named((), text[start:end], start, end) if is_name else None


def _name_at(text: str, at: int) -> tuple[int, int]:
    """Where the words in capitals begin and end that ``text`` goes on with from ``at``."""
    start = end = at
    for word in UNBROKEN.finditer(text, at):
        said = next(iter(runs_of(word[0], _NAME_SIGNS)), "")
        if not word[0].startswith(said) or not (said[:1].isupper() or (said[:1] == "&" and start < end)):
            break
        start, end = start if start < end else word.start(), word.start() + len(said)
        if said != word[0]:
            break
    return start, end


def _company_listed(sentence: Sentence, at: int) -> Named | None:
    """The company in the same place of its list: "Apple and Nvidia earned $94 billion and $73 billion, respectively"."""
    count = len(sentence.companies)
    if "respectively" not in sentence.text.lower() or count < 2 or len(sentence.numbers) != count:
        return None
    return sentence.companies[at]


def _year_of(company: Named, claims: Sequence[Claim]) -> int | None:
    """The year of the last number told of a company."""
    years = [one.when.year for one in claims if one.company is not None and one.company.keys == company.keys]
    return years[-1] if years else None


def _after(sentence: Sentence, claims: Sequence[Claim], context: Context) -> Context:
    previous = context.company
    subject = next((one for one in sentence.unknown if words.is_subject(sentence.text, one.start, one.end)), None)
    if sentence.companies:
        first = sentence.companies[0]
        others = {one.keys: (one, _year_of(one, claims)) for one in sentence.companies if one.keys != first.keys}
        context = replace(context, company=first, others=tuple(others.values()), unknown="", item=None)
    elif subject is not None:
        context = replace(context, company=None, others=(), unknown=subject.name, item=None)
    period = main_period(sentence)
    if period is not None:
        context = replace(context, years=period.years[-1:], day=period.day, given=True)
    elif sentence.companies and previous is not None and sentence.companies[0].keys != previous.keys:
        context = replace(context, given=False)
    items = [claim.item for claim in claims if claim.item is not None]
    return replace(context, item=items[-1]) if items else context
