"""A question as rules read it: companies, periods, Items. No model is needed and nothing is searched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.companies import CompanyIndex, Named, unknown_companies
from fin_tui.engine.periods import Periods, find_periods
from fin_tui.records import Filing
from fin_tui.retrieval.tokens import tokenize_query

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
    before: str = ""
    """What the question before it asked, where this one can't be searched for by itself ("And in 2023?")."""

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
    def query(self) -> str:
        """What is searched for."""
        return f"{self.before} {self.text}".strip()


def read_question(text: str, filings: Sequence[Filing]) -> Question:
    """Read ``text`` against the companies of ``filings``."""
    index = CompanyIndex(filings)
    return Question(
        text=text,
        companies=index.find(text),
        unknown=unknown_companies(text, index),
        periods=find_periods(text),
        items=tuple(dict.fromkeys(match.upper() for match in _ITEM.findall(text))),
    )


def follow(question: Question, previous: Question) -> Question:
    """``question`` with what it leaves unsaid taken from ``previous``: companies, periods, and the matter itself."""
    own_words = [word for word in tokenize_query(question.subject) if not word.isdigit() and word not in _LINKING]
    periods = question.periods
    if not (periods.named or periods.latest or periods.past):
        periods = _earlier(previous.periods, periods.back)
    return replace(
        question,
        companies=question.companies
        or (() if question.unknown else tuple(replace(c, start=-1, end=-1) for c in previous.companies)),
        periods=periods,
        before=question.before or (previous.subject if len(own_words) < _SELF_CONTAINED else ""),
    )


def _earlier(periods: Periods, back: int) -> Periods:
    """``periods`` moved ``back`` years; the last of several years is the one that "the year before" starts from."""
    if not back:
        return periods
    years = tuple(year - back for year in periods.years[-1:])
    if not years and periods.dates:
        years = (periods.dates[-1].year - back,)
    return replace(periods, years=years, dates=(), back=0 if years else periods.back + back)


_SELF_CONTAINED = 2
_LINKING = frozenset("and also then same again instead fiscal year before after prior previous".split())
