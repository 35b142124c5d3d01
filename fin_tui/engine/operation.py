"""The words of a question that say what to do with its figures, and those that say nothing (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Over = Literal["point", "change", "growth", "cagr", "average", "sum", "highest", "lowest"]
"""What happens along the years: nothing, or one of these."""
Across = Literal["each", "difference", "highest", "lowest"]
"""What happens across companies."""

_CHANGE = (
    r"chang(?:e[sd]?|ing)|increas(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|grow(?:n|s|ing)?|grew|growth|r[io]sen?|rising|"
    r"fall(?:en|s)?|fell|declin(?:e[sd]?|ing)|dropp?(?:ed|s)?|improv(?:e[sd]?|ing|ement)|deteriorat(?:e[sd]?|ing)|worsen(?:ed|ing|s)?|expand(?:ed|ing|s)?|shr[aiu]nk"
)
_CHANGES = re.compile(rf"\b(?:{_CHANGE})\b", re.I)
_CAGR = re.compile(r"\bcagr\b|\bcompound(?:ed)?\s+(?:average\s+)?annual(?:i[sz]ed|ly)?\b|\bannuali[sz]ed\b(?=.*\bgrowth\b)", re.I)
_RATE = re.compile(
    rf"\bby\s+what\s+(?:percent(?:age)?|%)|\b(?:percent(?:age)?|%)\s+(?:{_CHANGE})\b|\bgrowth(?:\s+rate)?\b|"
    rf"\brate\s+of\s+(?:change|growth)\b|\bin\s+(?:percent|percentage\s+terms|%)(?=\W|$)|\byear[- ](?:over|on)[- ]year\b|\byoy\b|"
    rf"\b(?:{_CHANGE})\b.{{0,40}}\b(?:percent(?:age)?|%)\s*\?",
    re.I,
)
_AVERAGE = re.compile(r"\baverages?\b|\bmean\b", re.I)
_SUM = re.compile(r"\b(?:sum|combined|cumulative(?:ly)?|together|in\s+aggregate|added\s+up|altogether)\b", re.I)
_MOST = re.compile(
    r"\b(?:most(?!\s+recent)|highest|largest|greatest|biggest|more|higher|larger|greater|bigger|best|maximum|peak|top)\b", re.I
)
_LEAST = re.compile(r"\b(?:least|lowest|smallest|less|lower|smaller|fewest|fewer|minimum|worst)\b", re.I)
_SUPERLATIVE = re.compile(r"highest|largest|greatest|biggest|lowest|smallest", re.I)
_WHICH = re.compile(
    r"\b(?:which|what|who)\b(?:\s+(?:of|one|company|companies|firm|year|fiscal|the|two|these|them|in|spent|had|has|was|is|did|earned|made|reported|saw|"
    r"recorded|generated))*\s*$",
    re.I,
)
_YEAR_ASKED = re.compile(r"\b(?:which|what|in\s+which|in\s+what)\s+(?:fiscal\s+)?year\b", re.I)
_COMPANY_ASKED = re.compile(r"\bwhich\s+(?:of|one|company|companies|firm|business)\b|\bwho\b", re.I)
_DIFFERENCE = re.compile(
    r"\b(?:difference|gap)\b(?:\s+between)?|\bhow\s+much\s+(?:more|less|higher|lower|larger|smaller|greater|bigger)\b", re.I
)
_COMPARE = re.compile(r"\b(?:compare[sd]?|comparison|versus|vs\.?|respectively|side\s+by\s+side)\b", re.I)
_YES_NO = re.compile(r"^(?:and|so|but|then)?,?\s*(?:did|does|do|is|are|was|were|has|have|had)\b", re.I)
_NARRATIVE = re.compile(
    r"^\W*(?:why|who|whom|whose|where|when|explain|describe|discuss|summari[sz]e|outline|on\s+what\s+date)\b|"
    r"^\W*how\s+(?:does|do|is|are|has|have|will|can|could)\b(?!.{0,90}\b(?:compare|chang|grow|increas|decreas|differ))|"
    r"^\W*what\s+(?:drove|drives|caused|causes|explains?|factors?|risks?|types?|kinds?|are\s+the|is\s+the\s+(?:purpose|reason|nature|primary|main|impact)|"
    r"does\s+.{0,60}\b(?:say|state|disclose|mention|describe|predict|forecast|expect))\b|"
    r"\bwhat\b.{0,40}\bguidance\b",
    re.I,
)
_DOWN = re.compile(r"\b(?:decreas|declin|fall|fell|drop|worsen|deteriorat|shr[aiu]nk)\w*", re.I)


@dataclass(frozen=True, slots=True)
class Operation:
    """What a question does with its figures."""

    over: Over = "point"
    across: Across = "each"
    yes_no: bool = False
    down: bool = False
    """A yes-or-no question asks whether something fell."""
    compare: bool = False
    narrative: bool = False
    """The question wants words, not a figure."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in the text the words for it stand."""


def read_operation(text: str, taken: list[tuple[int, int]], companies: int, metrics: int) -> Operation:
    """What ``text`` does with its figures. Words inside ``taken`` (metric names, companies) say nothing about it."""
    spans: list[tuple[int, int]] = []

    def find(pattern: re.Pattern[str]) -> re.Match[str] | None:
        for match in pattern.finditer(text):
            if not any(match.start() >= a and match.end() <= b for a, b in taken):
                spans.append(match.span())
                return match
        return None

    for match in _CHANGES.finditer(text):
        if not any(match.start() >= a and match.end() <= b for a, b in taken):
            spans.append(match.span())
    yes_no = bool(_YES_NO.match(text))
    cagr, changes, rate = find(_CAGR), find(_CHANGES), find(_RATE)
    average, difference, compare = find(_AVERAGE), find(_DIFFERENCE), find(_COMPARE)
    over: Over = "point"
    if cagr:
        over = "cagr"
        find(re.compile(r"\bgrowth\b(?:\s+rate)?|\brate\b", re.I))
    elif changes and (rate or changes.group().lower() == "growth"):
        over = "growth"
    elif changes:
        over = "change"
    elif average:
        over = "average"
    elif find(_SUM) and companies < 2:
        over = "sum"
    across: Across = "difference" if difference and companies == 2 else "each"
    if difference and companies < 2 and metrics < 2 and over == "point":
        over = "change"
    extreme = _extreme(text, taken, spans) if across == "each" and not yes_no else None
    narrative = bool(_NARRATIVE.search(text))
    if extreme is not None and companies < 2 and _YEAR_ASKED.search(text):
        over = extreme
    elif extreme is not None and (companies >= 2 or _COMPANY_ASKED.search(text)):
        across = extreme
    elif extreme is not None:
        narrative = True  # "What was its largest liability?" asks which one, not how much of a metric.
    return Operation(over, across, yes_no, bool(_DOWN.search(text)), compare is not None, narrative, tuple(spans))


def _extreme(text: str, taken: list[tuple[int, int]], spans: list[tuple[int, int]]) -> Literal["highest", "lowest"] | None:
    found: tuple[Literal["highest", "lowest"], re.Pattern[str]]
    for found in (("highest", _MOST), ("lowest", _LEAST)):
        for match in found[1].finditer(text):
            inside = any(match.start() >= a and match.end() <= b for a, b in taken)
            before = text[: match.start()]
            asked = _WHICH.search(before) or re.search(r"\b(?:which|who)\b", before, re.I)
            if not inside and (asked or _SUPERLATIVE.fullmatch(match.group())):
                spans.append(match.span())
                return found[0]
    return None


EMPTY = frozenset(
    (
        "operate operates operated fast quickly sharply strongly table tables grid chart breakdown summary overview "
        "a an the of in on for by to from at as its it it's their they that this these those with per and or but so "
        "then also again what which how much many was were is are be been being did does do has have had who whose one "
        "ones same instead now total overall amount amounts value values figure figures number numbers level levels "
        "size exactly report reports reported reporting record records recorded disclose disclosed state stated list "
        "listed show shows shown spend spends spent spending earn earns earned earning generate generated generates "
        "make makes made hold holds held pay pays paid incur incurred recognize recognized book booked post posted "
        "having own owned owed owe company company's companies firm firms registrant business corporation corporation's "
        "group please give tell me us i you can could would find calculate compute determine provide need want know get "
        "look up according based 10-k 10-ks 10k form filing filings annual statement statements financial consolidated "
        "basis fy fiscal year years year's years' period end ended ending year-end yearend date during over through "
        "throughout within between full whole each every all both respective respectively approximately about roughly "
        "around nearly dollar dollars usd us$ $ million millions billion billions thousand thousands percent percentage "
        "% terms points ratio rate share proportion portion fraction come comes came coming derive derived there here "
        "time cover page face after before until compare compared comparison versus vs vs. difference gap trend history "
        "long-run unadjusted more most less least higher lower larger smaller profile as-of in: than if any out "
    ).split()
)
"""Words that change nothing about which figure is meant."""

SHARE_BEFORE = re.compile(r"\b(?:percent(?:age)?|share|portion|proportion|fraction|%|part|how\s+much)\s+of\s+", re.I)
"""What follows is the whole: "what percentage of revenue …"."""
SHARE_AFTER = re.compile(
    r"\b(?:as|at)\s+an?\s+(?:percent(?:age)?|share|%|proportion|fraction|portion)\s+of\s+|\brelative\s+to\s+|\bas\s+(?:percent|%)\s+of\s+|"
    r"(?<=\s)%\s+of\s+",
    re.I,
)
"""What follows is the whole, what stands before it the part."""
