"""The words of a question that say what to do with its figures, and those that say nothing."""

from __future__ import annotations

import re

CHANGE = (
    r"chang(?:e[sd]?|ing)|increas(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|grow(?:n|s|ing)?|grew|growth|r[io]sen?|rising|"
    r"fall(?:en|s)?|fell|declin(?:e[sd]?|ing)|dropp?(?:ed|s)?|improv(?:e[sd]?|ing|ement)|deteriorat(?:e[sd]?|ing)|worsen(?:ed|ing|s)?|expand(?:ed|ing|s)?|shr[aiu]nk|"
    r"(?:go(?:ne|es|ing)?|went|mov(?:e|ed|es|ing))\s+(?:up|down)|climb(?:ed|s|ing)?|shift(?:ed|s)?(?=\s+(?:from|between)\b)|jump(?:ed|s|ing)?|surg(?:e[sd]?|ing)|soar(?:ed|s|ing)?|"
    r"plung(?:e[sd]?|ing)|slip(?:ped|s|ping)?|slid(?:e[sd]?|ing)?|contract(?:ed|ing)|swell(?:ed|s)?|swollen|widen(?:ed|s|ing)?|narrow(?:ed|ing)"
)
CHANGES = re.compile(rf"\b(?:{CHANGE})\b", re.I)
CAGR = re.compile(r"\bcagr\b|\bcompound(?:ed)?\s+(?:average\s+)?annual(?:i[sz]ed|ly)?\b|\bannuali[sz]ed\b(?=.*\bgrowth\b)", re.I)
RATE = re.compile(
    rf"\bby\s+what\s+(?:percent(?:age)?|%)|\b(?:percent(?:age)?|%)\s+(?:{CHANGE})\b|\bgrowth(?:\s+rate)?\b|"
    rf"\brate\s+of\s+(?:change|growth)\b|"
    rf"\bhow\s+(?:fast|quickly|rapidly|strongly)\b(?=.*\b(?:{CHANGE})\b)|"
    r"\bin\s+(?:percent|percentage\s+terms|%)(?=\W|$)|\byear[- ](?:over|on)[- ]year\b|\byoy\b|"
    rf"\b(?:{CHANGE})\b.{{0,40}}\b(?:percent(?:age)?|%)\s*\?",
    re.I,
)
MOVES = r"(?:develop|evolv|trend|mov|progress|far|perform|vari|fluctuat|shift|unfold|behav|look)(?:e|ed|y|s|es|ing)?"
TREND = re.compile(
    rf"(?<=\bhow)\s+(?:did|does|do|has|have|had|is|are|was|were)\b(?=.*\b{MOVES}\b)|"
    r"\b(?:trends?|trajector(?:y|ies)|evolution|development|progression|course|path|history|movements?)(?=\s+(?:of|in|for)\b)|"
    r"\bdevelopment(?=\s*(?:,|\?|$|from\b|between\b|over\b|since\b))|"
    r"\b(?:trend|trajectory|evolution|progression)\b|\bover\s+time\b|\b(?:year\s+by\s+year|by\s+year|year\s+after\s+year)\b|"
    r"\blook(?:ed)?\s+like\b(?=.*\b(?:to|through|over|since|between)\b)|"
    r"\b(?:over|across|during|throughout)\s+(?=(?:the\s+|its\s+)?(?:past|last|previous|prior|latest|(?:most\s+)?recent)\s+\w+\s+(?:\w+\s+)?years\b)",
    re.I,
)
MOVED = re.compile(rf"\b{MOVES}\b(?:\s+like\b)?", re.I)
AVERAGE = re.compile(r"\baverages?\b|\bmean\b", re.I)
SUM = re.compile(
    r"\b(?:sum|add(?:s|ed)?\s+up|adding\s+up|tot(?:al|ed|s)\s+up|put\s+together|combined|cumulative(?:ly)?|"
    r"together|in\s+aggregate|added\s+up|altogether)\b",
    re.I,
)
MOST = re.compile(
    r"\b(?:most(?!\s+recent)|highest|largest|greatest|biggest|more|higher|larger|greater|bigger|best|"
    r"maximum|peak|top|fattest|widest|strongest|richest|thickest)\b",
    re.I,
)
LEAST = re.compile(
    r"\b(?:least|lowest|smallest|less|lower|smaller|fewest|fewer|minimum|worst|"
    r"thinnest|slimmest|narrowest|weakest|trough)\b",
    re.I,
)
SUPERLATIVE = re.compile(
    r"highest|largest|greatest|biggest|lowest|smallest|fattest|widest|strongest|richest|thickest|thinnest|slimmest|narrowest|"
    r"weakest|peak|trough",
    re.I,
)
WHICH = re.compile(
    r"\b(?:which|what|who)\b(?:\s+(?:of|one|company|companies|firm|year|fiscal|the|two|these|them|in|spent|had|has|was|is|did|earned|made|reported|saw|"
    r"recorded|generated))*\s*$",
    re.I,
)
YEAR_ASKED = re.compile(
    r"\b(?:which|what|in\s+which|in\s+what)\s+(?:fiscal\s+)?year\b|^\W*when\b|\b(?:in\s+)?which\s+(?:one\s+)?of\s+(?:the|these|those|its)\b.{0,30}\byears\b",
    re.I,
)
COMPANY_ASKED = re.compile(r"\bwhich\s+(?:of|one|company|companies|firm|business)\b|\bwho\b", re.I)
DIFFERENCE = re.compile(
    r"\b(?:difference|gap)\b(?:\s+between)?|\bhow\s+much\s+(?:more|less|higher|lower|larger|smaller|greater|bigger)\b", re.I
)
TIMES = re.compile(
    r"\bhow\s+many\s+times\s+(?:as\s+(?:large|big|high|much|great)\s+(?:was|is|were|as)?|"
    r"(?:larger|bigger|higher|more|greater))\b(?:\s+than\b)?",
    re.I,
)
EXCEEDS = re.compile(
    r"\b(?P<more>exceed(?:s|ed)?|above|over|outsold?|outearn(?:ed)?|beat|top(?:ped)?|surpass(?:ed)?|outstrip(?:ped)?|"
    r"(?:higher|greater|larger|bigger|more|better)(?=\b.{0,60}\bthan\b))\b|"
    r"\b(?P<less>below|under|trail(?:ed)?|(?:lower|less|smaller|fewer|worse)(?=\b.{0,60}\bthan\b))\b",
    re.I,
)
RANK = re.compile(r"\brank(?:ed|ing|s)?\b|\bin\s+order\s+of\b|\bsort(?:ed)?\b", re.I)
TOTAL_OF_ALL = re.compile(r"\b(?:total|sum)\b.{0,40}\b(?:across|of|over|for)\s+(?:all|both|the\s+(?:two|three|four))\b", re.I)
COMPARE = re.compile(
    r"\b(?:(?:stack|measure|line)(?:s|d|ed)?\s+up|compare[sd]?|comparison|"
    r"versus|vs\.?|respectively|side\s+by\s+side)\b",
    re.I,
)
YES_NO = re.compile(r"^(?:and|so|but|then)?,?\s*(?:did|does|do|is|are|was|were|has|have|had)\b", re.I)
NARRATIVE = re.compile(
    r"^\W*how\s+(?:was|were|is|are)\b.{0,60}\b(?:stated|valued|measured|accounted|determined|recogni[sz]ed|treated|classified|"
    r"depreciated|amorti[sz]ed|tested|defined)\b|"
    r"^\W*(?:why|who|whom|whose|where|when|explain|describe|discuss|summari[sz]e|outline|on\s+what\s+date)\b|"
    r"^\W*how\s+(?:does|do|is|are|has|have|will|can|could)\b(?!.{0,90}\b(?:compare|chang|grow|increas|decreas|differ|develop|evolv|trend|mov(?:e|ed|ing)\b|progress|fare|perform|fluctuat|shift|stack|measure\s+up))|"
    r"^\W*what\s+(?:drove|drives|caused|causes|led|leads|contributed|pushed|triggered|(?:was|were|is|lay|stood)\s+behind|made(?!\s+up)|"
    r"explains?|factors?|risks?|types?|kinds?|are\s+the|is\s+the\s+(?:purpose|reason|nature|primary|main|impact)|"
    r"does\s+.{0,60}\b(?:say|state|disclose|mention|describe|predict|forecast|expect))\b|"
    r"\bwhat\b.{0,40}\bguidance\b",
    re.I,
)
SEGMENTS = re.compile(
    r"^\W*(?:please\s+)?(?:(?:what|which|who)\s+(?:are|were)|list|name|enumerate|identify)\b"
    r"(?!.*\b(?:number|how\s+many|revenues?|sales|income|profits?|margins?|assets|expenses?|earnings)\b).*\bsegments\b",
    re.I,
)
"""Segments by name; how many there are is a figure."""
DOWN = re.compile(r"\b(?:decreas|declin|fall|fell|drop|worsen|deteriorat|shr[aiu]nk)\w*", re.I)

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
        "across when large big slice chunk part "
        "carry carries carried stand stands stood sit sits sat reach reached hit bring brings brought take took taken "
        "achieve achieved "
        "amounted add adds added rank ranked ranking library up down eaten consumed absorbed swallowed "
        "bigger larger greater times "
        "sitting hand balance balances declare declares declared turn turned express expressed decimal decimals attributable "
        "spending "
        "long-run unadjusted more most less least higher lower larger smaller profile as-of in: than if any out "
    ).split()
)
"""Words that change nothing about which figure is meant."""

SHARE_BEFORE = re.compile(r"\b(?:percent(?:age)?|share|portion|proportion|fraction|%|part|slice|chunk|how\s+much)\s+of\s+", re.I)
"""What follows is the whole: "what percentage of revenue …"."""
SHARE_AFTER = re.compile(
    r"\b(?:as|at)\s+an?\s+(?:percent(?:age)?|share|%|proportion|fraction|portion)\s+of\s+|\brelative\s+to\s+|\bas\s+(?:percent|%)\s+of\s+|"
    r"(?<=\s)%\s+of\s+",
    re.I,
)
"""What follows is the whole, what stands before it the part."""
