"""A question as rules read it: companies, their periods, Items; and what its frame knows better: which of the years are asked
about, which names are companies. Nothing is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fin_tui.engine.frame.reader import SIDE_BY_SIDE, Frame, Span
from fin_tui.engine.questions.companies import CompanyIndex, Named, is_large_company, unknown_companies
from fin_tui.engine.questions.named import (
    Owner,
    is_plain,
    may_be_meant,
    may_name,
    mistyped_beside,
    named_by_frame,
    slips,
    within_matter,
)
from fin_tui.engine.questions.periods import (
    WHOLE_YEAR,
    Periods,
    both_years,
    counts_years,
    find_periods,
    is_base_named,
    names_an_ended_quarter,
    opening,
    period_spans,
    read_period,
    years_earlier,
    years_long,
)
from fin_tui.engine.questions.wanted import CHANGES, KINDS_OF_PART
from fin_tui.facts import vocabulary
from fin_tui.facts.words import stems
from fin_tui.filings.table_header import dates_in
from fin_tui.language import any_of, begin_of, runs_of
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


_COMPARE = any_of("compare/contrast")


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
    basis: Periods | None = None
    """The periods that the conversation is about, where ``periods`` are later ones of which their filings may tell beforehand."""

    @property
    def subject(self) -> str:
        """The question without the company's name, for matching against passages that say "we" and "the Company"."""
        text = self.text
        for named in sorted(self.companies, key=lambda named: -named.start):
            if named.start >= 0:
                behind = text[named.end :].removeprefix("'s").removeprefix("’s")
                text = text[: named.start] + behind
        return f"{self.before} {text.strip() or self.text}".strip()

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
        compare = _COMPARE.match(text, begin_of(text))
        text = text[compare.end() :].lstrip() if compare is not None else text
        return " ".join(self.before.split()) if self._repeats else f"{self.before} {text}".strip()

    def periods_of(self, company: str) -> Periods:
        """The periods asked of ``company`` (a name as in ``companies``): its own, or those of the whole question."""
        return next((named.periods for named in self.companies if named.name == company and named.periods), self.periods)

    @property
    def query(self) -> str:
        """What is searched for."""
        return " ".join(self.before.split()) if self._repeats else f"{self.before} {self.text}".strip()


_MOST_ITEMS = 100
_IN_WORDS = frozenset(("text", "list", "name", "date"))
"""Kinds of answers that lean on no figure of the question before."""


def read_question(text: str, filings: Sequence[Filing]) -> Question:
    """Read ``text`` against the companies of ``filings``."""
    index, periods = CompanyIndex(filings), find_periods(text)
    return Question(
        text=text,
        companies=with_own_periods(text, index.find(text)),
        unknown=unknown_companies(text, index),
        periods=periods,
        dated=periods.years,
        items=tuple(dict.fromkeys(_items(text))),
    )


def _items(text: str) -> Iterator[str]:
    """The Items named by number, as "7A"."""
    for word, number in pairwise(runs_of(text.upper())):
        if word == "ITEM" and number.rstrip("ABC").isdigit() and int(number.rstrip("ABC")) < _MOST_ITEMS:
            yield number


ASKS_ALL = any_of("all/every/each/any/which/what (of the) company/companies/firm(s)/filing(s)/business(es), companies")
"""What is asked of all companies, not of the one asked about before."""


def follow(question: Question, previous: Question, frame: Frame | None = None) -> Question:
    """``question`` with what it leaves unsaid taken from ``previous``: companies, periods, and, where its ``frame`` says so or
    it has hardly a word of its own, the matter itself.
    """
    own_words = _own_words(question)
    carries = _leans(frame) if frame is not None else len(own_words) < _SELF_CONTAINED
    periods = question.periods
    earlier = previous.companies
    unsaid = not (periods.named or periods.latest or periods.past or period_spans(question.text))
    moves = CHANGES.search(question.text) or (frame is not None and frame.operation in ("growth", "difference"))
    if previous.pair and unsaid and moves:
        periods = replace(periods, years=previous.pair, quarter=previous.periods.quarter)
    if not (periods.named or periods.latest or periods.past):
        earlier = tuple(replace(c, periods=years_earlier(c.periods, periods.back)) if c.periods else c for c in earlier)
        periods = replace(years_earlier(previous.periods, periods.back), quarter=_quarter(question, previous))
    elif base := _compared_with(question, previous):
        periods, earlier = replace(periods, years=base), tuple(replace(c, periods=None) for c in earlier)
    else:
        # "And Globex in 2022?" set against Acme's 2023 leaves that as it is.
        keeps = frame is not None and frame.joins and question.companies and len(earlier) == 1
        earlier = tuple(replace(c, periods=previous.periods_of(c.name) if keeps else None) for c in earlier)
        is_same = not own_words or bool(previous.pair and unsaid) or _SAME_QUARTER.search(question.text) is not None
        if is_same and not (periods.latest or periods.by_quarter):  # "And in 2005?" asks for the same quarter of that year.
            periods = replace(periods, quarter=_quarter(question, previous))
    earlier_years = set(previous.periods.years)
    narrows = len(earlier_years) > 2 and set(periods.years) < earlier_years  # "Only 2020."
    # "And in 2022?" after the growth of one year asks for that of another.
    asked = frame.carried.operation if frame is not None and frame.carried is not None else ""
    repeats = frame is not None and not frame.targets and asked == frame.operation and len(earlier_years) == 1
    is_range = len(periods.years) > 2 and periods.years[-1] - periods.years[0] == len(periods.years) - 1
    repeats = repeats or is_range  # "2028 to 2031?" has a beginning of its own.
    if frame is not None and asked and not repeats and frame.operation in _OVER_TIME and periods.named and not narrows:
        periods = replace(periods, years=tuple(sorted({*earlier_years, *periods.years})))
    ranks = frame is not None and frame.operation == "rank" and frame.answer in ("name", "list")
    # "Largest suppliers?" ranks what one company has, "who has the highest margin?" the companies.
    names = frame is not None and any(vocabulary().find(span.text) for span in frame.targets)
    has_several = not KINDS_OF_PART.isdisjoint(stems(question.text))
    is_of_one = has_several or (frame is not None and (frame.carried is not None or frame.answer == "list" or not names))
    if ranks and len(earlier) == 1 and (not is_of_one or ASKS_ALL.search(question.text)):  # There is no rank among one.
        earlier, periods = (), question.periods
    # "How much of it came from Rockets?" names a part of the company, whatever its capital.
    unknown = () if _PART_OF_IT.search(question.text) and earlier else question.unknown
    before = tuple(replace(c, start=-1, end=-1) for c in earlier)
    beside = before if frame is not None and frame.joins else ()
    asked_of = tuple({one.keys: one for one in (*beside, *question.companies)}.values())
    return replace(
        question,
        companies=asked_of if question.companies else (() if unknown else before),
        unknown=unknown,
        periods=periods,
        pair=both_years(previous.periods, periods) if len(own_words) < _SELF_CONTAINED else (),
        # What stood by itself says the matter, or where a turn moved to; the others between, searched for too, only blur it.
        before=question.before or (((frame and frame.moved_to) or previous.before or previous.subject) if carries else ""),
    )


def _compared_with(question: Question, previous: Question) -> tuple[int, ...]:
    """The year that a follow-up sets that of the ``previous`` one against ("why did it fall from 2022?"), and both; else none."""
    years, last = question.periods.years, previous.periods.years[-1:]
    is_base = len(years) == 1 and bool(last) and years < last and CHANGES.search(question.text) and is_base_named(question.text)
    return (*years, *last) if is_base else ()


def _leans(frame: Frame) -> bool:
    """Whether a follow-up leaves its matter to the question before: a figure that it names is none of what was told in words."""
    before = frame.carried
    return before is not None and not (frame.is_figure and frame.targets and not before.whole.is_figure)


def stands_alone(question: Question, frame: Frame, previous: Question, *, leans: bool, is_of_filing: bool = False) -> bool:
    """Whether a question whose ``frame`` was read by itself leaves nothing to the ``previous`` one: it names whose filings it is
    about, and asks for words on a matter of its own, for a figure of a period that it names, for another figure of companies that
    were not asked about, for one of the same companies without any word for when, or says what to do with nothing but those names
    ("compare A and B"). ``leans``: read after the one before, it leaves its matter to that. ``is_of_filing``: that was asked of
    the filing for one year, which words of the same company ("does Acme say why?") are taken to be of, too.
    """
    named = [one for one in question.companies if one.start >= 0]
    if not named or question.unknown:
        return False
    before = {key for one in previous.companies for key in one.keys}
    is_of_same = before == {key for one in named for key in one.keys} and _is_undated(question, frame)
    stays = is_of_same and is_of_filing and not _NOW.search(question.text)
    if frame.answer in _IN_WORDS and frame.targets:
        return not stays
    if frame.targets and frame.is_figure and question.periods.named and not frame.joins:
        return True
    if frame.targets:
        is_compared = len(named) > 1 and frame.operation in SIDE_BY_SIDE
        target = {stem for span in frame.targets for stem in stems(span.text)}
        is_of_others = bool(before or previous.unknown) and not any(before & set(one.keys) for one in named)
        is_anew = is_of_same and not leans and (frame.is_figure or not stays)
        return is_anew or (is_of_others and (is_compared or not target & set(stems(previous.subject))))
    if frame.answer != "none" or frame.targets or frame.parts:
        return False
    if _COMPARE.search(question.text) or frame.operation in SIDE_BY_SIDE:
        return len(named) > 1
    return bool(_own_words(question) or frame.left_over)


def _is_undated(question: Question, frame: Frame) -> bool:
    """Whether a question has no word for when, as "that year" is one, so that it asks for the newest."""
    return not frame.periods and question.periods == Periods() and not period_spans(question.text)


def _own_words(question: Question) -> list[str]:
    return [word for word in tokenize_query(question.subject) if not word.isdigit() and word not in _LINKING]


def _quarter(question: Question, previous: Question) -> int:
    """The quarter asked about: the one it names, else that of the question before, unless it asks for the year."""
    own = question.periods.quarter
    return own or (0 if WHOLE_YEAR.search(question.text) else previous.periods.quarter)


_SAME_QUARTER = any_of("same/that/this (fiscal) quarter/qtr")
_NOW = any_of("now/nowadays/today/current/currently/newest/recent/recently, these days")
_PART_OF_IT = any_of("of/from it/that/this/those/them/these")
_SELF_CONTAINED = 2
"""Own words of a question that says its matter."""
_OVER_TIME = frozenset(("growth", "cagr", "difference", "compare", "trend"))
"""What sets another year against that of the question before."""
_LINKING = frozenset(
    "and also then same again instead fiscal year before after prior previous what about how which who where when".split()
)


_OF_YEARS = frozenset(("fiscal", "calendar", "year", "fy"))
_COURSES = SIDE_BY_SIDE | {"trend", "growth", "cagr", "average"}
"""Operations over years, which are the last ones where they are only counted."""
_NAMED = 0.85
"""Probability from which a word that no company held is called by names another one: below it are 62 of 120 nicknames,
abbreviations and things of questions in words, and 46 of 1,554 names of companies.
"""
_COVERED_YEARS = 2
"""A 10-K's statements reach two years before its own."""


def by_frame(
    question: Question,
    frame: Frame,
    held: Sequence[Filing],
    owner: Owner | None = None,
    before: Sequence[Named] = (),
    is_strange: Callable[[str], bool] = lambda _: False,
) -> Question:
    """``question`` without the years that date something else (a maturity, a program), and with just the companies that the
    frame sees named, or that may be meant all the same: "cost" in small letters is no ticker. A name that no company has may be a
    brand, which its ``owner`` speaks of, where no company held is plainly named. What ``is_strange`` to filings and questions
    alike is a name or a slip of one, however it is typed, where it is surely taken for one. ``before``: the companies that were
    asked about before, if any.
    """
    periods = _periods_by_frame(question, frame, held)
    if frame.operation == "lookup" and frame.is_figure:
        periods = opening(periods, question.text)
    index = CompanyIndex(held)
    named, others = named_by_frame(question.text, question.companies, frame, index, is_strange, owner)
    # Beside another company it is surely one, and a figure of the wrong company is worse than none.
    if not named and not frame.is_figure and frame.operation not in SIDE_BY_SIDE:
        others = [name for name in others if is_large_company(name) or _is_called(name, frame)]
    bracketed = [one for one in index.in_brackets(question.text) if all(one.keys != other.keys for other in named)]
    named = [*named, *bracketed]
    if not named and not others and (before or not question.companies):
        named = [] if before else within_matter(frame, index)  # In a conversation it is a matter of the company asked about.
        named = named or slips(question.text, index, is_strange)
    if len(named) == 1 and not others and frame.operation in SIDE_BY_SIDE:
        named = sorted((*named, *mistyped_beside(question.text, frame, index)), key=lambda one: one.start)
    keys = frozenset(key for one in before for key in one.keys)
    # By itself a large company's name asks for that company, "and Southwest?"; with a matter of its own it may be a partner.
    replaced = () if frame.carried is None or frame.targets else tuple(span.text for span in frame.carried.whole.parts)
    partners = keys and (frame.targets or frame.parts or frame.left_over or replaced)
    owned = {name: owner(name, keys) for name in others if owner is not None and (partners or not is_large_company(name))}
    if keys:  # In small letters a word of a follow-up may be any: it moves to no other company.
        is_own = {name: any(keys & set(one.keys) for one in index.find(company)) for name, company in owned.items() if company}
        owned = {name: company if is_own.get(name) or not name.islower() else "" for name, company in owned.items()}
    owned = dict.fromkeys(others, bracketed[0].name) if bracketed else owned  # "Rockets (ACME)" are those of Acme.
    owners = dict.fromkeys(filter(None, owned.values()))
    # Where a brand stands is no place to leave out: "Sam's Club" is a part of what is asked of its owner.
    brands = [replace(one, start=-1, end=-1) for company in owners for one in index.find(company)[:1]]
    companies = tuple({one.keys: one for one in (*brands, *named)}.values())
    if others and not named and (plain := tuple(one for one in question.companies if is_plain(one, question.text))):
        return replace(question, periods=periods, companies=plain, unknown=())
    # "And HP?" after Dell's share of sales: another partner, whether a filing of it is held or not.
    beside = tuple(name for name in others if keys and not owned.get(name) and any(map(is_large_company, replaced)))
    may_be = [name for name in others if is_strange(name) or may_name(name, question.text, follows=bool(before))]
    unknown = () if brands else tuple(name for name in may_be if name not in beside)
    seen = () if others else question.companies
    companies = companies or tuple(one for one in seen if may_be_meant(one, question.text, frame, index, follows=bool(before)))
    return replace(
        question,
        periods=periods,
        companies=companies,
        unknown=unknown,
        brands=(*(name for name, company in owned.items() if brands and company), *beside),
    )


def _is_called(name: str, frame: Frame) -> bool:
    """Whether words that no company held is called by surely name another one."""
    return max((chance for span, chance in frame.called.items() if name in span.text), default=1.0) >= _NAMED


def _periods_by_frame(question: Question, frame: Frame, held: Sequence[Filing]) -> Periods:
    """The periods of ``question`` without the years that date something else."""
    periods = question.periods
    may_be = frame.operation in _COURSES or frame.answer == "none"
    lengths = map(years_long, (*(one.text for one in frame.periods), *frame.left_over))
    if may_be and not _says(periods) and (past := max(lengths, default=0)):
        return replace(periods, past=past)  # "Compare A and B over three years", "3-year CAGR": the last ones.
    names = _places((*frame.companies, *question.companies))
    days = [day for span in frame.periods for day in dates_in(span.text) if "/" in span.text]
    known = {*periods.years, *(day.year for day in periods.dates)}
    named = [span.text for span in frame.periods if not counts_years(frame.question, span.start, span.end)]
    loose = [read_period(text) for text in named if not (_is_read(text) and known.issuperset(find_periods(text).years))]
    if periods.dates:
        loose = [one for one in loose if not one.months]  # "From May 14 to June 12, 2019": a day of that year.
    if days or any(one.named for one in loose):
        dates = {*periods.dates, *days, *(day for one in loose for day in one.dates)}
        years = {year for one in loose for year in one.years} | (set() if days else set(periods.years))
        months = {*periods.months, *(month for one in loose for month in one.months)}
        periods = replace(
            periods, dates=tuple(sorted(dates)), years=tuple(sorted(years)), months=tuple(sorted(months)),
            by_quarter=names_an_ended_quarter(question.text),
        )  # fmt: skip
    elif periods.named and not (bare := find_periods(_blanked(question.text, names))).named:
        periods = bare  # The year is a part of a name: "Auto Trust 2019-3".
    elif periods.named:
        # The year in which something falls due narrows it as a part does, and is looked ahead to.
        due = [span for span in frame.parts if is_year(span.text)]
        outside = frozenset(range(len(question.text))) - _places((*frame.periods, *due))
        asked = find_periods(_blanked(question.text, outside))
        if asked.named or not _covers(held, periods):
            periods = replace(asked, past=periods.past, back=periods.back, latest=periods.latest, since=periods.since)
    return periods


def _is_read(period: str) -> bool:
    """Whether the words for a period are understood wherever they stand, or name no number."""
    found = find_periods(period)
    return found != Periods() or bool(dates_in(period)) or not any(sign.isdigit() for sign in period)


def is_year(text: str) -> bool:
    """Whether the words are a year and nothing else: "2027", "fiscal 2027"."""
    return bool(find_periods(text).years) and all(word.isdigit() or word in _OF_YEARS for word in text.lower().split())


def _blanked(text: str, places: Container[int]) -> str:
    """``text`` with spaces for the digits that stand at the places."""
    return "".join(" " if sign.isdigit() and place in places else sign for place, sign in enumerate(text))


def _places(spans: Sequence[Span | Named]) -> frozenset[int]:
    return frozenset(place for span in spans for place in range(span.start, span.end))


def _covers(held: Sequence[Filing], periods: Periods) -> bool:
    """Whether some filing covers one of the years named."""
    years = {*periods.years, *(date.year for date in periods.dates)}
    return any(0 <= (filing.fiscal_year or 0) - year <= _COVERED_YEARS for filing in held for year in years)
