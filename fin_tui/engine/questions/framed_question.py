"""What the frame knows better than rules: which of a question's years are asked about, and which names are companies (pure)."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.companies import CompanyIndex, Named, is_large_company
from fin_tui.engine.questions.periods import Periods, find_periods, read_period
from fin_tui.engine.questions.quarters import names_an_ended_quarter
from fin_tui.engine.questions.question import Question
from fin_tui.filings.table_header import dates_in
from fin_tui.records import Filing

_OF_YEARS = frozenset(("fiscal", "calendar", "year", "fy"))
_COVERED_YEARS = 2
"""A 10-K's statements reach two years before its own."""


Owner = Callable[[str, frozenset[str]], str]
"""A name that no filing carries, and the keys of the companies that were asked about before -> the company whose filings speak of
it, as they call it: one of those, else the only one; "" for none or several."""


def by_frame(
    question: Question, frame: Frame, held: Sequence[Filing], owner: Owner | None = None, before: Sequence[Named] = ()
) -> Question:
    """``question`` without the years that date something else (a maturity, a program), and with just the companies that the
    frame sees named: "cost" is no ticker beside one, nor where companies were asked about ``before``. A name that no company
    has may be a brand, which its ``owner`` speaks of, where no company held is plainly named.
    """
    periods = question.periods
    names = _places((*frame.companies, *question.companies))
    days = [day for span in frame.periods for day in dates_in(span.text) if "/" in span.text]
    loose = [read_period(span.text) for span in frame.periods if not _is_read(span.text)]
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
    index = CompanyIndex(held)
    named = [one for one in question.companies if any(_meet(one, span) for span in frame.companies)]
    others = []
    for span in frame.companies:
        if not any(_meet(one, span) for one in question.companies):
            # By itself a name is known however it is typed; within the question a small letter may make it a common word.
            own = index.find(span.text) or index.find(span.text.removesuffix("s"))  # "ciscos"
            own = own or index.find(span.text, is_name=True) or _first_word(index, span.text)
            named += [replace(one, start=span.start + one.start, end=span.start + one.end) for one in own]
            others += [] if own else [_name_in(span.text)]
    keys = frozenset(key for one in before for key in one.keys)
    # By itself a large company's name asks for that company, "and Delta?"; with a matter of its own it may be a partner.
    partners = keys and (frame.targets or frame.parts or frame.left_over)
    owned = {name: owner(name, keys) for name in others if owner is not None and (partners or not is_large_company(name))}
    owners = dict.fromkeys(filter(None, owned.values()))
    # Where a brand stands is no place to leave out: "Sam's Club" is a part of what is asked of its owner.
    brands = [replace(one, start=-1, end=-1) for company in owners for one in index.find(company)[:1]]
    companies = tuple({one.keys: one for one in (*brands, *named)}.values())
    if others and not named and (plain := tuple(one for one in question.companies if _is_plain(one, question.text))):
        return replace(question, periods=periods, companies=plain, unknown=())
    unknown = () if brands else tuple(name for name in others if _may_name(name, question.text, follows=bool(before)))
    seen = () if others else question.companies
    companies = companies or tuple(one for one in seen if not before or not question.text[one.start : one.end].islower())
    return replace(
        question,
        periods=periods,
        companies=companies,
        unknown=unknown,
        brands=tuple(name for name, company in owned.items() if brands and company),
    )


def _first_word(index: CompanyIndex, name: str) -> tuple[Named, ...]:
    """The company that the first word of a name is by itself: a ticker in small letters before another name, "amd THATIC"."""
    return tuple(one for one in index.find(name.split()[0]) if not one.is_slip)


def _is_read(period: str) -> bool:
    """Whether the words for a period are understood wherever they stand, or name no number."""
    found = find_periods(period)
    return found != Periods() or bool(dates_in(period)) or not any(sign.isdigit() for sign in period)


def _meet(named: Named, span: Span) -> bool:
    return named.start < span.end and span.start < named.end


def _is_plain(named: Named, text: str) -> bool:
    """Whether a company is named as names are written: with a capital, and neither by a slip nor by its ticker."""
    said = text[named.start : named.end]
    return not named.is_slip and said[:1].isupper() and not said.isupper()


def _name_in(words: str) -> str:
    """The words as far as they are written as a name: "Globex" of "Globex parent", all of "globex parent"."""
    kept = words.split()
    while not kept[-1][:1].isupper() and kept[0][:1].isupper():
        kept = kept[:-1]
    return " ".join(kept).removesuffix("'s").removesuffix("’s")


def _may_name(name: str, text: str, *, follows: bool) -> bool:
    """Whether a name that nothing held knows may be a company's: not where it alone of a text has no capital, and of a question
    that ``follows`` one of a company, not without a capital at all unless it is known elsewhere.
    """
    return name != name.lower() or (text == text.lower() and (not follows or is_large_company(name)))


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
