"""A sentence -> what each of its numbers claims: which figure, of which company, of which year (pure).

Rules only. What a sentence leaves unsaid comes from the sentences before it. A claim that can't be read without a guess says so,
and is never the ground for calling a number wrong.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.checking import claim_words as words
from fin_tui.engine.checking.claim_metrics import Attached, attach_metrics
from fin_tui.engine.checking.claim_periods import When, attach_periods, main_period
from fin_tui.engine.checking.claim_sentence import Sentence
from fin_tui.engine.evidence.compare import Bound, bound_before
from fin_tui.engine.evidence.numbers import Number
from fin_tui.engine.questions.companies import Named
from fin_tui.engine.questions.wanted import Item, Names

_UNSAID = When()


@dataclass(frozen=True, slots=True)
class Context:
    """What the text so far is about."""

    company: Named | None = None
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
    said: str = ""
    """The figure's name as the text writes it."""
    when: When = _UNSAID
    bound: Bound = "exact"
    direction: int = 0
    """1: said to have risen, -1: fallen, 0: nothing said."""
    loss: bool = False
    """Said as a loss, a deficit, cash used: the figure is negative where the number is not."""
    sure: bool = True
    """The figure is identified beyond doubt; only then can the number be wrong."""
    denied: bool = False
    """The sentence says that it is not so."""
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
    near = sentence.text[max(0, attached.start - 40) : attached.end] if attached.start >= 0 else before
    name = sentence.text[max(0, attached.start - 12) : attached.end + 14] if attached.start >= 0 else before[-40:]
    linked = before
    if at and words.IS_SAME.match(before):
        linked = sentence.before(at - 1)
    tells_direction = attached.role != "level" or words.tells_direction(before)
    return Claim(
        number=number,
        role=attached.role,
        item=attached.item,
        whole=attached.whole,
        said=attached.said,
        company=company,
        unknown=unknown,
        host=context.company if unknown else None,
        when=when,
        bound=_bound(sentence, at),
        direction=words.direction_of(linked, after) if tells_direction and not words.is_prior(before) else 0,
        loss=words.says_loss(name) or words.is_drained(before),
        sure=attached.sure and (not when.carried or _is_said(sentence, company, context)),
        denied=words.denies(before),
        blocked=words.blocked_by(_outside(sentence), before, near),
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
    strangers = {one.start: one for one in (*sentence.unknown, sentence.stranger) if one is not None}
    everyone = sorted((*sentence.companies, *strangers.values()), key=lambda one: one.start)
    listed = _listed(sentence, at)
    if listed is not None:
        return listed, ""
    behind = [
        one
        for one in everyone
        if end <= one.start < limit and (words.IS_BEHIND if one.keys else words.IS_AT).match(sentence.text[end : one.start])
    ]
    ahead = [one for one in everyone if one.end <= start and (one.keys or words.is_subject(sentence.text, one.start, one.end))]
    chosen = behind[0] if behind else ahead[-1] if ahead else next((one for one in everyone if one.keys), None)
    if chosen is None:
        return context.company, context.unknown
    return (chosen, "") if chosen.keys else (None, chosen.name)


def _listed(sentence: Sentence, at: int) -> Named | None:
    """The company in the same place of its list: "Apple and Nvidia earned $94 billion and $73 billion, respectively"."""
    count = len(sentence.companies)
    if "respectively" not in sentence.text.lower() or count < 2 or len(sentence.numbers) != count:
        return None
    return sentence.companies[at]


def _after(sentence: Sentence, claims: Sequence[Claim], context: Context) -> Context:
    previous = context.company
    subject = next((one for one in sentence.unknown if words.is_subject(sentence.text, one.start, one.end)), None)
    if sentence.companies:
        context = replace(context, company=sentence.companies[0], unknown="", item=None)
    elif subject is not None:
        context = replace(context, company=None, unknown=subject.name, item=None)
    period = main_period(sentence)
    if period is not None:
        context = replace(context, years=period.years[-1:], day=period.day, given=True)
    elif sentence.companies and previous is not None and sentence.companies[0].keys != previous.keys:
        context = replace(context, given=False)
    items = [claim.item for claim in claims if claim.item is not None]
    return replace(context, item=items[-1]) if items else context
