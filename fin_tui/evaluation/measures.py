"""What is measured of one question, by name. A measure that a question says nothing about is absent, never 0 (pure).

A name alone is the strict reading, with " lenient" behind it the lenient one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fin_tui.evaluation.agreement import citation_precision, citation_recall, named_items, token_f1, yes_or_no
from fin_tui.evaluation.passages import Gold, Place
from fin_tui.evaluation.ranking import DEEPEST, DEPTHS, Ranking, judge_list
from fin_tui.evaluation.scope_check import strays_from_company, strays_from_years, years_named
from fin_tui.evaluation.scores import Verdict, is_printed, is_value
from fin_tui.evaluation.sets import Row
from fin_tui.records import Answer, Filing

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
