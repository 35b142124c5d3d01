"""A question as rules read it: companies, their periods, Items. No model is needed and nothing is searched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.frame.reader import SIDE_BY_SIDE, Frame
from fin_tui.engine.questions.companies import CompanyIndex, Named, unknown_companies
from fin_tui.engine.questions.periods import Periods, find_periods, period_spans
from fin_tui.engine.questions.quarters import WHOLE_YEAR
from fin_tui.engine.questions.wanted import CHANGES
from fin_tui.facts.words import stems
from fin_tui.records import Filing
from fin_tui.retrieval.tokens import tokenize_query


def with_own_periods(text: str, companies: Sequence[Named]) -> tuple[Named, ...]:
    """``companies`` with periods of their own where ``text`` gives each some: all behind the names, or all before them.

    "Apple FY2021-2024 and NVIDIA FY2022-2025" binds; "Apple and NVIDIA in 2024" asks the same of both.
    """
    companies = tuple(companies)
    if len(companies) < 2 or any(named.start < 0 for named in companies):
        return companies
    starts = [named.start for named in companies]
    ends = [named.end for named in companies]
    behind = [find_periods(text[a:b]) for a, b in zip(ends, [*starts[1:], len(text)], strict=True)]
    before = [find_periods(text[a:b]) for a, b in zip([0, *ends[:-1]], starts, strict=True)]
    if _each(behind) and not _says(before[0]):
        return _bound(companies, behind)
    if _each(before) and not _says(behind[-1]):
        return _bound(companies, before)
    return companies


def _says(periods: Periods) -> bool:
    return periods.named or periods.latest or bool(periods.past)


def _each(found: Sequence[Periods]) -> bool:
    """Whether there are periods for each company, and not the same for all."""
    return all(_says(periods) for periods in found) and len(set(found)) > 1


def _bound(companies: tuple[Named, ...], found: Sequence[Periods]) -> tuple[Named, ...]:
    return tuple(replace(named, periods=periods) for named, periods in zip(companies, found, strict=True))


_COMPANIES = re.compile(r"\bthe company(?:['’]s)?(?:,?\s+(?:and|or|vs\.?|versus|with|to|than)\s+the company)+", re.I)
_COMPARE = re.compile(r"^\W*(?:compare|contrast)\s+", re.I)
_ITEM = re.compile(r"\bitem\s+(\d{1,2}[abc]?)\b", re.I)


@dataclass(frozen=True, slots=True)
class Question:
    """What a question names."""

    text: str
    companies: tuple[Named, ...]
    unknown: tuple[str, ...]
    """Capitalised names in a company's place that no filing in the library carries."""
    periods: Periods
    items: tuple[str, ...]
    """Items named by number, upper case."""
    pair: tuple[int, ...] = ()
    """The year of the question before and this one's, where this one only moved on to another year."""
    before: str = ""
    """What the question before it asked, where this one can't be searched for by itself ("And in 2023?")."""
    brands: tuple[str, ...] = ()
    """Names that no company has, for whose owner it is asked: "Instagram"."""
    dated: tuple[int, ...] = ()
    """All years in its words, also those that date a part of the matter: "principal due in 2026"."""

    @property
    def subject(self) -> str:
        """The question without the company's name, for matching against passages that say "we" and "the Company"."""
        text = self.text
        for named in sorted(self.companies, key=lambda named: -named.start):
            if named.start >= 0:
                text = text[: named.start] + text[named.end :]
        text = re.sub(r"^\s*['’]s\b|(?<=\s)['’]s\b", "", text).strip() or self.text
        return f"{self.before} {text}".strip()

    @property
    def _repeats(self) -> bool:
        """It asks what was asked before of another company or year, and says no more: "What about Globex?"."""
        own = replace(self, before="").subject
        names = {token for named in self.companies for token in tokenize_query(named.name)}
        words = [word for word in tokenize_query(own) if not word.isdigit() and word not in _LINKING and word not in names]
        return bool(self.before) and not words

    @property
    def nameless(self) -> str:
        """The question with "the company" for the names of companies, as filings call themselves "we" and "the Company"."""
        text = self.text
        for named in sorted(self.companies, key=lambda named: -named.start):
            if named.start >= 0:
                text = f"{text[: named.start]}the company{text[named.end :]}"
        text = _COMPANIES.sub("the company", _COMPARE.sub("", text))
        return " ".join(self.before.split()) if self._repeats else f"{self.before} {text}".strip()

    def periods_of(self, company: str) -> Periods:
        """The periods asked of ``company`` (a name as in ``companies``): its own, or those of the whole question."""
        return next((named.periods for named in self.companies if named.name == company and named.periods), self.periods)

    @property
    def query(self) -> str:
        """What is searched for."""
        return " ".join(self.before.split()) if self._repeats else f"{self.before} {self.text}".strip()


_IN_WORDS = frozenset(("text", "list", "name", "date"))
"""Kinds of answers that lean on no figure of the question before."""


def read_question(text: str, filings: Sequence[Filing]) -> Question:
    """Read ``text`` against the companies of ``filings``."""
    index = CompanyIndex(filings)
    periods = find_periods(text)
    return Question(
        text=text,
        companies=with_own_periods(text, index.find(text)),
        unknown=unknown_companies(text, index),
        periods=periods,
        dated=periods.years,
        items=tuple(dict.fromkeys(match.upper() for match in _ITEM.findall(text))),
    )


def follow(question: Question, previous: Question, frame: Frame | None = None) -> Question:
    """``question`` with what it leaves unsaid taken from ``previous``: companies, periods, and, where its ``frame`` says so or
    it has hardly a word of its own, the matter itself.
    """
    own_words = _own_words(question)
    carries = frame.carried is not None if frame is not None else len(own_words) < _SELF_CONTAINED
    periods = question.periods
    earlier = previous.companies
    unsaid = not (periods.named or periods.latest or periods.past or period_spans(question.text))
    if previous.pair and unsaid and CHANGES.search(question.text):
        periods = replace(periods, years=previous.pair)
    if not (periods.named or periods.latest or periods.past):
        earlier = tuple(replace(c, periods=_earlier(c.periods, periods.back)) if c.periods else c for c in earlier)
        periods = replace(_earlier(previous.periods, periods.back), quarter=_quarter(question, previous))
    else:
        earlier = tuple(replace(c, periods=None) for c in earlier)
        if len(own_words) == 0 and not periods.latest:  # "And in 2005?" asks for the same quarter of that year.
            periods = replace(periods, quarter=_quarter(question, previous))
    earlier_years = set(previous.periods.years)
    narrows = len(earlier_years) > 2 and set(periods.years) < earlier_years  # "Only 2020."
    if frame is not None and frame.carried is not None and frame.operation in _OVER_TIME and periods.named and not narrows:
        periods = replace(periods, years=tuple(sorted({*earlier_years, *periods.years})))
    ranks = frame is not None and frame.carried is None and frame.operation == "rank" and frame.answer == "name"
    if ranks and len(earlier) == 1:
        earlier, periods = (), question.periods  # There is no rank among one.
    # "How much of it came from Rockets?" names a part of the company, whatever its capital.
    unknown = () if _PART_OF_IT.search(question.text) and earlier else question.unknown
    before = tuple(replace(c, start=-1, end=-1) for c in earlier)
    beside = before if frame is not None and frame.joins else ()
    return replace(
        question,
        companies=_distinct((*beside, *question.companies)) if question.companies else (() if unknown else before),
        unknown=unknown,
        periods=periods,
        pair=_moved(previous.periods, periods) if len(own_words) < _SELF_CONTAINED else (),
        # What stood by itself says the matter; the follow-ups between, searched for as well, only blur it.
        before=question.before or ((previous.before or previous.subject) if carries else ""),
    )


def stands_alone(question: Question, frame: Frame, previous: Question) -> bool:
    """Whether a question whose ``frame`` was read by itself leaves nothing to the ``previous`` one: it names whose filings it is
    about, and asks for words on a matter of its own, for another figure of companies that were not asked about, or says what to
    do with nothing but those names ("compare A and B").
    """
    named = [one for one in question.companies if one.start >= 0]
    if not named or question.unknown:
        return False
    if frame.answer in _IN_WORDS and frame.targets:
        return True
    if frame.targets:
        before = {key for one in previous.companies for key in one.keys}
        is_compared = len(named) > 1 and frame.operation in SIDE_BY_SIDE
        target = {stem for span in frame.targets for stem in stems(span.text)}
        is_of_others = bool(before) and not any(before & set(one.keys) for one in named)
        return is_of_others and (is_compared or not target & set(stems(previous.subject)))
    if frame.answer != "none" or frame.targets or frame.parts:
        return False
    if _COMPARE.search(question.text) or frame.operation in SIDE_BY_SIDE:
        return len(named) > 1
    return bool(_own_words(question) or frame.left_over)


def _distinct(companies: Sequence[Named]) -> tuple[Named, ...]:
    return tuple({one.keys: one for one in companies}.values())


def _own_words(question: Question) -> list[str]:
    return [word for word in tokenize_query(question.subject) if not word.isdigit() and word not in _LINKING]


def _quarter(question: Question, previous: Question) -> int:
    """The quarter asked about: the one it names, else that of the question before, unless it asks for the year."""
    own = question.periods.quarter
    return own or (0 if WHOLE_YEAR.search(question.text) else previous.periods.quarter)


def _moved(previous: Periods, now: Periods) -> tuple[int, ...]:
    """Both years, where one question asked of one and the next of another."""
    both = tuple(sorted({*previous.years, *now.years}))
    return both if len(previous.years) == len(now.years) == 1 and len(both) > 1 else ()


def _earlier(periods: Periods, back: int) -> Periods:
    """``periods`` moved ``back`` years; the last of several years is the one that "the year before" starts from."""
    if not back:
        return periods
    years = tuple(year - back for year in periods.years[-1:])
    if not years and periods.dates:
        years = (periods.dates[-1].year - back,)
    return replace(periods, years=years, dates=(), back=0 if years else periods.back + back)


_PART_OF_IT = re.compile(r"\b(?:of|from)\s+(?:it|that|this|those|them|these)\b", re.I)
_SELF_CONTAINED = 2
_OVER_TIME = frozenset(("growth", "cagr", "difference", "compare", "trend"))
"""What sets another year against that of the question before."""
_LINKING = frozenset(
    "and also then same again instead fiscal year before after prior previous what about how which who where when".split()
)
