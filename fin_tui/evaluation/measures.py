"""What is measured of one question, by name. A measure that a question says nothing about is absent, never 0 (pure).

A name alone is the strict reading, with " lenient" behind it the lenient one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.evaluation.sets import (
    FIGURE,
    PagePassage,
    Row,
    citation_precision,
    citation_recall,
    named_items,
    plain,
    token_f1,
    yes_or_no,
)
from fin_tui.language import runs_of
from fin_tui.records import Answer, Filing, Hit


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer was worth."""

    outcome: str
    """right, wrong, abstained (refused or without a value), error, or unjudged (the row has no gold)."""
    why: str = ""


def judge(answer: Answer, row: Row, *, cites_gold: bool | None = None) -> Verdict:
    """Right, wrong or abstained, by the first that the row has.

    A refusal to make, a value, a yes or no, items of a list, strings, gold passages.

    ``cites_gold`` tells whether the answer cites one of the gold passages; None leaves them out of the judgement.
    """
    if answer.status == "error":
        return Verdict("error", answer.answer)
    if row.expect == "refused":
        return _judge_refusal(answer, row)
    if answer.status == "refused":
        return Verdict("abstained", answer.refusal.kind if answer.refusal else "")
    if row.value is not None:
        return _judge_value(answer, row)
    if row.verdict is not None:
        return _judge_yes_or_no(answer, row, row.verdict)
    if row.items:
        return _judge_items(answer, row)
    if row.must_contain:
        return _judge_strings(answer, row)
    if row.evidence and cites_gold is False:
        return Verdict("wrong", "cites no gold passage")
    return Verdict("unjudged") if row.is_open else Verdict("right")


def _judge_refusal(answer: Answer, row: Row) -> Verdict:
    if answer.status != "refused" or answer.refusal is None:
        return Verdict("wrong", "answered")
    if row.refusal and answer.refusal.kind not in row.refusal:
        return Verdict("right", f"kind {answer.refusal.kind}, expected {' or '.join(row.refusal)}")
    return Verdict("right")


def _judge_value(answer: Answer, row: Row) -> Verdict:
    if answer.value is None:
        return Verdict("abstained", "no value")
    if not is_value(answer, row):
        return Verdict("wrong", f"{answer.value} for {row.value}")
    return _judge_strings(answer, row)


def _judge_yes_or_no(answer: Answer, row: Row, gold: bool) -> Verdict:
    found = yes_or_no(answer.answer)
    if found is None:
        return Verdict("abstained", "neither yes nor no")
    return _judge_strings(answer, row) if found == gold else Verdict("wrong", "the other of yes and no")


def _judge_items(answer: Answer, row: Row) -> Verdict:
    found = named_items(answer.answer, row.items)
    missing = [item for item, named in zip(row.items, found, strict=True) if not named]
    return Verdict("wrong", f"lacks {missing}") if missing else _judge_strings(answer, row)


def _judge_strings(answer: Answer, row: Row) -> Verdict:
    missing = [text for text in row.must_contain if text.lower() not in answer.answer.lower()]
    return Verdict("wrong", f"lacks {missing}") if missing else Verdict("right")


def is_value(answer: Answer, row: Row, *, strict: bool = False) -> bool:
    """Whether the answer's value is the row's, or one that the row accepts, within its tolerance; strict: in its unit too."""
    if answer.value is None or (strict and row.unit and answer.unit != row.unit):
        return False
    gold = [value for value in (row.value, *row.accept) if value is not None]
    return any(close(answer.value, value, row.tolerance) for value in gold)


def is_printed(answer: Answer, row: Row) -> bool:
    """Whether the answer's text prints the row's value, or one that it accepts; the sign is not looked at."""
    gold = [abs(value) for value in (row.value, *row.accept) if value is not None]
    return any(
        close(abs(float(number.value)), value, row.tolerance) for number in find_numbers(plain(answer.answer)) for value in gold
    )


def close(value: float, gold: float, tolerance: float) -> bool:
    """Within the relative ``tolerance``; sign included."""
    return abs(value - gold) <= tolerance * max(abs(gold), 1e-12)


GRAM = 5
FIRST_WORDS = 300
"""Of a hit only the first words count, so that a longer chunk is no better than a good one."""
_SHORT = 8
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES = (1.0, 1e3, 1e6, 1e9)


@lru_cache(maxsize=4096)
def grams(text: str) -> frozenset[tuple[str, ...]]:
    """Word 5-grams of the first 300 words, lower case, punctuation dropped; shorter texts give one gram of all their words."""
    words = [word.lower() for word in runs_of(text)[:FIRST_WORDS]]
    if len(words) < GRAM:
        return frozenset([tuple(words)]) if words else frozenset()
    return frozenset(tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1))


def is_gold(text: str, gold: str) -> bool:
    """``text`` holds half of the gold's 5-grams, or half of its own (8 or more) are the gold's."""
    mine, wanted = grams(text), grams(gold)
    if not mine or not wanted:
        return False
    if len(next(iter(wanted))) < GRAM:
        needle = " ".join(next(iter(wanted)))
        return f" {needle} " in f" {' '.join(word.lower() for word in runs_of(text)[:FIRST_WORDS])} "
    shared = len(mine & wanted)
    return shared * 2 >= len(wanted) or (len(mine) >= _SHORT and shared * 2 >= len(mine))


def prints_figure(text: str, values: Sequence[float]) -> bool:
    """Whether ``text`` prints one of ``values`` at some scale, digit by digit; the sign is not looked at."""
    gold = [abs(value) for value in values]
    for match in _NUMBER.finditer(text):
        printed = float(match.group().replace(",", ""))
        if printed and any(abs(printed * scale - value) <= 1e-9 * value for value in gold for scale in _SCALES):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that was shown: its text, and where it stands."""

    text: str
    page: int
    file: str
    company: str = ""
    """The company's key."""


def place_of(shown: Hit | Passage, held: Mapping[str, Filing]) -> Place:
    """A hit or a passage of an answer as a place; ``held`` are the filings by id."""
    if isinstance(shown, Hit):
        return Place(shown.chunk.text, shown.chunk.page, shown.filing.file, shown.filing.company_key)
    filing = held.get(shown.citation.filing)
    return Place(shown.text, shown.citation.page, shown.citation.file, filing.company_key if filing else "")


@dataclass(frozen=True, slots=True)
class Gold:
    """What there is to find for a row: passages, or figures as printed, each with the values that will do."""

    passages: tuple[PagePassage, ...]
    figures: tuple[tuple[float, ...], ...]
    files: tuple[str, ...]
    """The filings that it stands in; empty when any will do."""
    company: str
    """The key of the first filing's company; "" when unknown."""

    def __len__(self) -> int:
        return len(self.passages) or len(self.figures)

    def matched(self, place: Place, *, lenient: bool) -> frozenset[int]:
        """Which pieces of the gold ``place`` is, by index."""
        if not self._is_there(place, lenient):
            return frozenset()
        if self.passages:
            return frozenset(at for at, gold in enumerate(self.passages) if self._is_passage(place, gold, lenient))
        return frozenset(at for at, values in enumerate(self.figures) if prints_figure(place.text, values))

    def _is_there(self, place: Place, lenient: bool) -> bool:
        if not self.files or place.file in self.files:
            return True
        return lenient and (not self.company or place.company == self.company)

    def _is_passage(self, place: Place, gold: PagePassage, lenient: bool) -> bool:
        if gold.page is None:
            return is_gold(place.text, gold.text)
        in_file = not self.files or place.file in self.files
        if in_file and abs(place.page - gold.page) <= int(lenient):
            return True
        return lenient and is_gold(place.text, gold.text)


def gold_of(row: Row, held: Sequence[Filing]) -> Gold:
    """The gold of ``row``: its passages, else the figures it was computed from, else its value as printed."""
    filing = next((filing for filing in held if filing.file == row.filing), None)
    company = filing.company_key if filing else next((f.company_key for f in held if row.ticker and f.ticker == row.ticker), "")
    return Gold(row.evidence, () if row.evidence else _printed(row), row.filings, company)


def class_of(row: Row) -> str:
    """The class that a row is reported in: its kind; figures by whether a gold passage prints the value, or it is computed.

    What is printed needs only to be found, whatever else it could be derived from, so a total of a table is looked up. A
    passage prints a value when it has its digits, at any scale.
    """
    if row.kind != FIGURE or row.value is None or not row.evidence:
        return row.kind or "all"
    printed = any(prints_figure(passage.text, (row.value,)) for passage in row.evidence)
    return f"{FIGURE}, {'looked up' if printed else 'computed'}"


def _printed(row: Row) -> tuple[tuple[float, ...], ...]:
    if row.inputs:
        return tuple((value,) for value in row.inputs)
    if row.value is None or not row.filing or row.unit in ("%", "ratio", "count", "days", "") or row.program:
        return ()
    return ((row.value, *row.accept),)


DEPTHS = (1, 3, 5, 10)
DEEPEST = max(DEPTHS)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One list, judged."""

    rank: int | None
    """Rank from 1 of the first hit that is gold; None when none of the first ten is."""
    ndcg: float

    @property
    def reciprocal(self) -> float:
        """1 / rank, 0 without one."""
        return 1 / self.rank if self.rank else 0.0

    def within(self, depth: int) -> float:
        """1 when a gold passage is among the first ``depth``, else 0: any one of several counts."""
        return float(self.rank is not None and self.rank <= depth)


def judge_list(matched: Sequence[Set[int]], golds: int) -> Ranking:
    """``matched`` tells for each hit in order which of the ``golds`` pieces it is; only the first ten count.

    nDCG (Järvelin and Kekäläinen 2002) with a gain of 1 for each piece where it first appears, the ideal list bringing one
    piece a rank; a hit that brings several at once can't make it more than 1.
    """
    seen: set[int] = set()
    rank: int | None = None
    gain = 0.0
    for at, pieces in enumerate(matched[:DEEPEST], start=1):
        if pieces and rank is None:
            rank = at
        gain += len(pieces - seen) / math.log2(1 + at)
        seen |= pieces
    ideal = sum(1 / math.log2(1 + at) for at in range(1, min(golds, DEEPEST) + 1))
    return Ranking(rank, min(1.0, gain / ideal) if ideal else 0.0)


LOOKED_AT = 5
"""How many of the first hits are held against the question."""
_YEAR = re.compile(r"(?<![\d$,.])(?:fy\s?)?((?:19|20)\d{2})(?![\d%]|[.,]\d)", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"\bfy\s?['’]?(\d{2})\b", re.IGNORECASE)
_FISCAL = frozenset(("fiscal", "year", "fy"))
_RANGES = frozenset(("to", "through", "until", "-", "–"))
_STILL_COVERED = 2
"""Statements show up to two years before their own."""


def years_named(question: str) -> frozenset[int]:
    """The years that stand in a question, those between two ends of a range too; "FY23" is 2023."""
    years = {int(year) for year in _YEAR.findall(question)}
    years |= {(1900 if int(short) > 60 else 2000) + int(short) for short in _SHORT_YEAR.findall(question)}
    for first, last in pairwise(_YEAR.finditer(question)):
        before = [word for word in question[: first.start()].lower().split() if word not in _FISCAL][-1:]
        between = "".join(word for word in question[first.end() : last.start()].lower().split() if word not in _FISCAL)
        if between in _RANGES or (between == "and" and before == ["between"]):
            years |= set(range(int(first[1]), int(last[1]) + 1))
    return frozenset(years)


def strays_from_company(filings: Sequence[Filing], companies: Set[str]) -> bool | None:
    """Whether one of the first five hits stands in a filing of none of ``companies`` (keys); None when none is named."""
    if not companies or not filings:
        return None
    return any(filing.company_key not in companies for filing in filings[:LOOKED_AT])


def strays_from_years(
    filings: Sequence[Filing], years: Set[int], *, figures: bool, lenient: bool, gold: Collection[str] = ()
) -> bool | None:
    """Whether one of the first five hits stands in a filing of another year; None when no year is named or nothing was found.

    What is told in words comes from the filing of that year. A figure may come from any filing that covers the period: that
    of the year and the two after it. Lenient: for words as for figures, and the filing of the year before too, which says
    what was expected. A filing is of its fiscal year and of the year its period ends in; the files of the
    gold are always right.
    """
    if not years or not filings:
        return None
    after = _STILL_COVERED if figures or lenient else 0
    allowed = {year + ahead for year in years for ahead in range(-int(lenient), after + 1)}
    return any(not (_years(filing) & allowed) and filing.file not in gold for filing in filings[:LOOKED_AT])


def _years(filing: Filing) -> set[int]:
    years = {filing.fiscal_year} if filing.fiscal_year else set()
    return years | ({filing.period_end.year} if filing.period_end else set())


LENIENT = " lenient"
_BOTH = (False, True)
_MEANS = (
    "MRR", f"nDCG@{DEEPEST}", "shown MRR", "items",
    "citation precision", "citation recall", "supported", "relevance", "token F1",
)  # fmt: skip
_SHARES = (
    *(f"R@{depth}" for depth in DEPTHS), "shown R@5", "wrong company", "wrong year",
    "accuracy", "answered", "value", "wrong value", "printed", "yes or no",
    "refusal precision", "refusal recall", "refusal kind", "program", "full", "misleads",
)  # fmt: skip


def is_share(name: str) -> bool:
    """Whether a measure is yes or no for each question; the others are numbers from 0 to 1. Raises ``KeyError``."""
    plain = name.removesuffix(LENIENT)
    if plain not in _SHARES and plain not in _MEANS:
        raise KeyError(name)
    return plain in _SHARES


@dataclass(frozen=True, slots=True)
class Search:
    """What a search gave."""

    places: Sequence[Place]
    filings: Sequence[Filing]
    """Of each hit, in order."""
    companies: frozenset[str]
    """The keys of the companies that the question names."""
    figures: bool
    """Whether the question asks for a figure, which later filings repeat."""


def ranking(places: Sequence[Place], gold: Gold, *, lenient: bool) -> Ranking:
    """``places`` judged as a ranked list."""
    return judge_list([gold.matched(place, lenient=lenient) for place in places[:DEEPEST]], len(gold))


def of_search(search: Search, row: Row, gold: Gold) -> dict[str, float]:
    """Recall, MRR and nDCG where there is gold to find; straying where the question names a company or a year."""
    found: dict[str, float] = {}
    for lenient in _BOTH if len(gold) else ():
        judged, suffix = ranking(search.places, gold, lenient=lenient), LENIENT * lenient
        found |= {f"R@{depth}{suffix}": judged.within(depth) for depth in DEPTHS}
        found |= {f"MRR{suffix}": judged.reciprocal, f"nDCG@{DEEPEST}{suffix}": judged.ndcg}
    strayed = strays_from_company(search.filings, search.companies)
    if strayed is not None:
        found["wrong company"] = float(strayed)
    years = years_named(row.line.question)
    for lenient in _BOTH:
        off = strays_from_years(search.filings, years, figures=search.figures, lenient=lenient, gold=row.filings)
        if off is not None:
            found[f"wrong year{LENIENT * lenient}"] = float(off)
    return found


def of_shown(places: Sequence[Place], gold: Gold) -> dict[str, float]:
    """The same for the passages on an answer's evidence card."""
    found: dict[str, float] = {}
    for lenient in _BOTH if len(gold) else ():
        judged = ranking(places, gold, lenient=lenient)
        found |= {f"shown R@5{LENIENT * lenient}": judged.within(5), f"shown MRR{LENIENT * lenient}": judged.reciprocal}
    return found


def of_citations(cited: Sequence[Place], gold: Gold) -> dict[str, float]:
    """Citation precision and recall of an answer that was given; nothing where there is no gold to cite."""
    found: dict[str, float] = {}
    for lenient in _BOTH if len(gold) else ():
        pieces = [gold.matched(place, lenient=lenient) for place in cited]
        precision = citation_precision(pieces)
        recall = citation_recall(pieces, len(gold), lenient=lenient)
        found |= {} if precision is None else {f"citation precision{LENIENT * lenient}": precision}
        found |= {} if recall is None else {f"citation recall{LENIENT * lenient}": recall}
    return found


def of_answer(answer: Answer, row: Row, verdict: Verdict) -> dict[str, float]:
    """Accuracy, values, a yes or no, the items of a list, support, agreement with gold text, refusals."""
    refused, wanted = answer.status == "refused", row.expect == "refused"
    found: dict[str, float] = {}
    if verdict.outcome != "unjudged":
        found["accuracy"] = float(verdict.outcome == "right")
    if refused:
        found["refusal precision"] = float(wanted)
    if wanted:
        found["refusal recall"] = float(refused)
        if refused and row.refusal and answer.refusal:
            found["refusal kind"] = float(answer.refusal.kind in row.refusal)
        return found
    found["answered"] = float(answer.status == "answered")
    if row.value is not None:
        found["value"] = float(is_value(answer, row, strict=True))
        found[f"value{LENIENT}"] = float(is_value(answer, row))
        found["wrong value"] = float(answer.value is not None and not is_value(answer, row))
        found["printed"] = float(answer.status == "answered" and is_printed(answer, row))
    if row.verdict is not None:
        found["yes or no"] = float(answer.status == "answered" and yes_or_no(answer.answer) == row.verdict)
    if row.items:
        named = named_items(answer.answer if answer.status == "answered" else "", row.items)
        found["items"] = sum(named) / len(named)
    if answer.status != "answered":
        return found
    if answer.sentences:
        found["supported"] = sum(one.support != "unsupported" for one in answer.sentences) / len(answer.sentences)
    if row.answer:
        found["token F1"] = token_f1(answer.answer, row.answer)
    return found


def ordered(names: Mapping[str, object] | Sequence[str]) -> list[str]:
    """Names of measures in the order of a report: search, answer, refusals; each strict before lenient."""
    order = (*(f"R@{depth}" for depth in DEPTHS), "MRR", f"nDCG@{DEEPEST}", "shown R@5", "shown MRR", *_SHARES, *_MEANS)
    return sorted(names, key=lambda name: (order.index(name.removesuffix(LENIENT)), name))
