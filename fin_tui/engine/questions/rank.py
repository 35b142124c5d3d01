""" "Its largest liability", "which segment had the highest sales": what is to be ranked within one company (pure)."""

from __future__ import annotations

import re
from typing import Literal

from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.questions.words import FIRM
from fin_tui.facts.figures import Metric
from fin_tui.facts.ranking import Kind, Ranking

_MOST = r"(?P<most>largest|biggest|highest|greatest|most|top|leading|best)"
_LEAST = r"(?P<least>smallest|lowest|least|fewest|worst)"
_EXTREME = re.compile(rf"\b(?:{_MOST}|{_LEAST})\b", re.I)
_LINE = re.compile(
    r"\b(?:largest|biggest|highest|greatest|top|smallest|lowest)\s+(?:single\s+|individual\s+|reported\s+)?"
    r"(?P<narrowed>current|non-?\s?current|long-term|operating)?\s*(?P<kind>assets?|liabilit(?:y|ies)|(?:expenses?|costs?)(?!\s+of\s+(?:sales|revenues?|goods|capital|debt)\b))\b"
    r"(?!\s+(?:per|to|ratio|base|class(?:es)?)\b)",
    re.I,
)
_PART = re.compile(
    r"\b(?P<segment>segments?|divisions?|business(?:es)?(?:\s+(?:units?|lines?))?)\b|"
    r"\b(?P<product>products?(?:\s+(?:lines?|categor(?:y|ies)|groups?))?|categor(?:y|ies)|offerings?|service\s+lines?)\b|"
    r"\b(?P<region>regions?|geograph(?:y|ies|ic\s+(?:areas?|regions?|segments?|markets?))|countr(?:y|ies))\b",
    re.I,
)
_NOUN = r"(?:segments?|divisions?|products?|business(?:es)?|categor(?:y|ies)|regions?|countr(?:y|ies)|geograph\w*)"
_WHICH_PART = re.compile(rf"\b(?:which|what)\b.{{0,60}}?\b{_NOUN}\b", re.I)
_EXTREME_PART = re.compile(
    r"\b(?:largest|biggest|highest|greatest|most\s+profitable|least\s+profitable|top|leading|smallest|lowest)[\s-]+"
    rf"(?:\w+[\s-]+){{0,2}}?{_NOUN}\b(?!\s+(?:risks?|customers?|competitors?))",
    re.I,
)
_PROFITABLE = re.compile(r"\bprofitable\b|\bmost\s+(?:profit|money)\b", re.I)
_OTHER_MATTER = re.compile(
    r"\b(?:risks?|competitors?|customers?|suppliers?|shareholders?|change[ds]?|grew|grow(?:th|n)?|increase[ds]?|decrease[ds]?|"
    r"declined?|fell|rose)\b",
    re.I,
)
"""What ranks something else, or a change."""
_OF_PARTS = ("product_revenue", "service_revenue", "products_revenue", "services_revenue")
"""Found in "product by revenue", where they are not meant."""
_KINDS: dict[str, Kind] = {"a": "asset", "l": "liability", "e": "expense", "c": "expense"}


def read_rank(question: Question, names: Names) -> Ranking | None:
    """What ``question`` wants ranked within one company; None when it ranks companies or years, or nothing."""
    text = question.text
    if len(question.companies) > 1 or len(question.periods.years) > 1 or question.periods.quarter or _OTHER_MATTER.search(text):
        return None
    extreme = _EXTREME.search(text)
    if extreme is None:
        return None
    lowest = extreme["least"] is not None
    if _WHICH_PART.search(text) or _EXTREME_PART.search(text):
        part = _PART.search(text)
        metric = _metric_of(text, names)
        if part is None or metric is None:
            return None
        return Ranking("segment" if part["segment"] else "product" if part["product"] else "region", metric=metric, lowest=lowest)
    line = _LINE.search(text)
    if line is None:
        return None
    kind, narrowed = _KINDS[line["kind"][0].lower()], _narrowed(line["narrowed"] or "")
    if (narrowed == "operating") != (kind == "expense") and narrowed:
        return None
    return Ranking(kind, narrowed, lowest=lowest)


def _narrowed(word: str) -> Literal["", "current", "noncurrent", "operating"]:
    match word.lower().replace(" ", ""):
        case "":
            return ""
        case "current":
            return "current"
        case "operating":
            return "operating"
        case _:
            return "noncurrent"


def _metric_of(text: str, names: Names) -> Metric | None:
    """The figure that parts are compared by: operating income for "profitable", else the one named, else revenue."""
    if _PROFITABLE.search(text):
        return names.get("operating_income")
    named = [mention.metric for mention in names.find(text) if mention.score >= FIRM and mention.metric.unit == "usd"]
    if not named or named[0].id in _OF_PARTS:
        return names.get("revenue")
    return named[0]
