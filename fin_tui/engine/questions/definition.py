"""A definition given in a question -> an expression over metrics, years resolved (pure).

"365 * (average accounts payable between FY2017 and FY2018) / (FY2018 COGS + change in inventory between FY2017 and FY2018)". What
can't be read completely is no definition at all: a formula with a hole would give a wrong number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from fin_tui.facts.expression import CalculationError, Name, Node, parse, rewrite
from fin_tui.facts.figures import Mention

_YEAR = re.compile(r"\b(?:FY|fiscal(?:\s+years?)?|years?)?\s*['’]?((?:19|20)\d\d)\b|\bFY\s*['’]?(\d\d)\b", re.I)
_SPAN = re.compile(
    r"\b(?:between|from|for|over)\s+(?:FY|fiscal(?:\s+years?)?)?\s*['’]?((?:19|20)?\d\d)\s*(?:and|to|-|–)\s*(?:FY|fiscal(?:\s+years?)?)?\s*"
    r"['’]?((?:19|20)?\d\d)\b",
    re.I,
)
_OPERATORS = (
    (re.compile(r"\bdivided\s+by\b|\bover\b|÷|\bper\b", re.I), "/"),
    (re.compile(r"\bmultiplied\s+by\b|\btimes\b|[×⋅·]", re.I), "*"),
    (re.compile(r"\bless\b|\bminus\b|\bnet\s+of\b|[–—−]", re.I), "-"),
    (re.compile(r"\bplus\b|\badded\s+to\b|&|\band\b", re.I), "+"),
    (re.compile(r"\[", re.I), "("),
    (re.compile(r"\]", re.I), ")"),
)
_DIVIDED = re.compile(r"\bdivided\s+by\b|(?<!\w)over\b", re.I)
_SIGNS = re.compile(r"[()/*÷×+\[\]]")
_FILLER = re.compile(
    r"\b(?:the|an?|of|its|their|total|net|year[- ]end|ending|annual|company'?s?|for|in|at|from|same|period|year|fiscal|"
    r"unadjusted|value|amount|both|expressed|percentage|as)\b|[,$'’]",
    re.I,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_AVERAGE = re.compile(r"(?<!weighted )(?<!weighted-)\b(?:average|mean|avg\.?)\s+(?:of\s+|in\s+)?", re.I)
_CHANGE = re.compile(r"\b(?:change|increase)\s+(?:in|of)\s+", re.I)
"""Taken out before metrics are looked for: a definition means the balances that it names, no line of the cash flow statement."""
_MARK = "QZ"
"""Begins the stand-ins for metrics while the text is read."""


def read_definition(
    text: str, find: Callable[[str], Sequence[Mention]], base_year: int | None
) -> tuple[Node, dict[str, Mention]] | None:
    """The expression of ``text`` with the metric of each name in it, or None when any of it can't be read.

    Names in the tree are metric ids, ``back`` counted from ``base_year`` (the year the question is about).
    """
    text = _CHANGE.sub(" qchg ", _AVERAGE.sub(" qavg ", _THOUSANDS.sub("", text)))
    text, mentions = _mark_metrics(text, find(text))
    if not mentions:
        return None
    latest = base_year if base_year is not None else max(_years(text), default=None)
    text = _loosest(_mark_years(text))
    for pattern, sign in _OPERATORS:
        text = pattern.sub(f" {sign} ", text)
    text = _apply(_FILLER.sub(" ", text))
    try:
        node = parse(text)
        return rewrite(node, lambda name: _named(name, mentions, latest)), {m.metric.id: m for m in mentions}
    except CalculationError:
        return None


def _loosest(text: str) -> str:
    """A division in words, the only one and beside no sign or bracket, divides all before it by all behind it."""
    found = list(_DIVIDED.finditer(text))
    if len(found) != 1 or _SIGNS.search(text):
        return text
    return f"({text[: found[0].start()]}) / ({text[found[0].end() :]})"


def _mark_metrics(text: str, mentions: Sequence[Mention]) -> tuple[str, list[Mention]]:
    """``text`` with each metric replaced by a stand-in."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    for index in range(len(kept) - 1, -1, -1):
        mention = kept[index]
        text = f"{text[: mention.start]} {_MARK}{index} {text[mention.end :]}"
    return text, kept


def _full(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _years(text: str) -> list[int]:
    return [_full(match.group(1) or match.group(2)) for match in _YEAR.finditer(text)]


def _mark_years(text: str) -> str:
    """Years as part of the stand-in next to them: "FY2017 QZ0" and "QZ0 between FY2016 and FY2017" -> "QZ0y2017"."""
    spanned = re.compile(rf"({_MARK}\d+)\s*{_SPAN.pattern}", re.I)
    text = spanned.sub(lambda m: f"{m.group(1)}y{_full(m.group(3))}", text)
    filler = r"(?:\s+(?:total|net|the|qavg|year[- ]end|unadjusted))*"
    before = re.compile(rf"(?:{_YEAR.pattern})({filler})\s+({_MARK}\d+)(?!y)", re.I)
    text = before.sub(lambda m: f"{m.group(3)} {m.group(4)}y{_full(m.group(1) or m.group(2))}", text)
    after = re.compile(rf"({_MARK}\d+)\s+(?:(?:in|for|at|of)\s+)?(?:the\s+end\s+of\s+)?(?:{_YEAR.pattern})", re.I)
    return after.sub(lambda m: f"{m.group(1)}y{_full(m.group(2) or m.group(3))}", text)


def _apply(text: str) -> str:
    """avg and change in function form, the words between taken out."""
    name = rf"({_MARK}\w+)"
    text = re.sub(rf"\bqavg\s+{name}", r" avg(\1) ", text)
    text = re.sub(rf"\bqavg\s*\(\s*{name}\s*\)", r" avg(\1) ", text)
    return re.sub(rf"\bqchg\s+{name}", r" (\1 - prior(\1)) ", text)


def _named(name: Name, mentions: Sequence[Mention], latest: int | None) -> Node:
    match = re.fullmatch(rf"{_MARK}(\d+)(?:y(\d+))?", name.name)
    if match is None:
        raise CalculationError(f"{name.name!r} is no metric.")
    back = latest - int(match.group(2)) if match.group(2) and latest is not None else 0
    return replace(name, name=mentions[int(match.group(1))].metric.id, back=name.back + back)
