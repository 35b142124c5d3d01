"""A definition in words over metrics -> an expression: "365 * (average accounts payable between FY2017 and FY2018) / (FY2018 COGS
+ change in inventory between FY2017 and FY2018)".

What can't be read completely is no definition at all: a formula with a hole would give a wrong number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fin_tui.facts.expression import CalculationError, Name, Node, parse, rewrite
from fin_tui.facts.figures import Mention
from fin_tui.language import any_of, only_digits

_LEXEME = re.compile(
    r"(?P<year>(?:(?:FY|fiscal(?:\s+years?)?|years?)\s*['’]?)?(?<![\d.,])(?:19|20)\d\d\b|FY\s*['’]?\d\d\b)"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)|(?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)|(?P<sign>\S)",
    re.I,
)
"""A year, a number, a word, or one other character."""
_SAID = {
    **dict.fromkeys(("divided by", "over", "per"), "/"),
    **dict.fromkeys(("multiplied by", "times"), "*"),
    **dict.fromkeys(("less", "minus", "net of"), "-"),
    **dict.fromkeys(("plus", "added to", "and"), "+"),
}
_SIGNS = {**dict.fromkeys("/÷", "/"), **dict.fromkeys("*×⋅·", "*"), **dict.fromkeys("-–—−", "-"), **dict.fromkeys("+&", "+")}
_SIGNS |= {"(": "(", ")": ")", "[": "(", "]": ")", "^": "^", "%": "%"}
_DIVIDES, _BINDS = ("divided by", "over"), frozenset("()/*÷×+[]")
_FILLER = frozenset(
    "the a an of its their total net year-end ending annual company company's companys for in at from same period year fiscal "
    "unadjusted value amount both expressed percentage as between end , $ ' ’".split()
)
"""Say nothing of how the figures of a definition are computed from each other."""
_AVERAGES, _CHANGES = any_of("average/mean/avg/avg. (of/in)"), any_of("change/increase in/of")
"""Taken out before metrics are looked for: a definition means the balances that it names, no line of the cash flow statement."""
_METRIC = "metric"
"""Begins the stand-ins for metrics while a definition is read."""
_AND = ("and", "to", "-", "–")
"""Between the first and the last of two years."""


@dataclass(frozen=True, slots=True)
class _Lexeme:
    """A piece of a definition: a metric, a year, a number, an operation, a bracket, or a word that says nothing."""

    kind: Literal["metric", "year", "number", "average", "change", "sign", "filler", "unknown"]
    text: str
    sign: str = ""
    year: int = 0
    """The year that it is, or of a metric that it stands next to."""


def read_definition(
    text: str, find: Callable[[str], Sequence[Mention]], base_year: int | None
) -> tuple[Node, dict[str, Mention]] | None:
    """The expression of ``text`` with the metric of each name in it, or None when any of it can't be read.

    Names in the tree are metric ids, ``back`` counted from ``base_year`` (the year the question is about).
    """
    lexemes, mentions = _lexemes(text, find)
    if not mentions or any(one.kind in ("unknown", "year") for one in lexemes):
        return None
    latest = base_year if base_year is not None else max(one.year for one in lexemes) or None
    try:
        node = parse(_written(_loosest(lexemes)))
        return rewrite(node, lambda name: _metric_named(name, mentions, latest)), {m.metric.id: m for m in mentions}
    except CalculationError:
        return None


def _lexemes(text: str, find: Callable[[str], Sequence[Mention]]) -> tuple[list[_Lexeme], list[Mention]]:
    """The pieces of ``text`` that matter, years told to the metrics that they stand next to, and the metrics in order."""
    found: list[tuple[int, int, _Lexeme]] = []
    for match in _AVERAGES.finditer(text):
        if not text[: match.start()].lower().endswith(("weighted ", "weighted-")):
            found.append((*match.span(), _Lexeme("average", match.group())))
    found += [(*match.span(), _Lexeme("change", match.group())) for match in _CHANGES.finditer(text)]
    bare = text
    for start, end, _ in found:
        bare = bare[:start] + " " * (end - start) + bare[end:]
    mentions: list[Mention] = []
    for mention in sorted(find(bare), key=lambda one: (one.start, -one.end)):
        if not mentions or mention.start >= mentions[-1].end:
            mentions.append(mention)
    found += [(one.start, one.end, _Lexeme("metric", f"{_METRIC}_{at}")) for at, one in enumerate(mentions)]
    at = 0
    while (piece := _LEXEME.search(text, at)) is not None:
        inside = next((end for start, end, _ in found if start <= piece.start() < end), None)
        at = piece.end() if inside is None else inside
        if inside is None:
            found.append((*piece.span(), _lexeme(piece)))
    return _dated(_joined([one for _, _, one in sorted(found, key=lambda place: place[:2])])), mentions


def _lexeme(match: re.Match[str]) -> _Lexeme:
    said = match.group().lower()
    if match.lastgroup == "year":
        digits = only_digits(said)
        return _Lexeme("year", said, year=int(digits) if len(digits) == len("2024") else 2000 + int(digits))
    if match.lastgroup == "number":
        return _Lexeme("number", said.replace(",", ""))
    sign = _SIGNS.get(said) or _SAID.get(said)
    return _Lexeme("sign", said, sign) if sign else _Lexeme("filler" if said in _FILLER else "unknown", said)


def _joined(lexemes: Sequence[_Lexeme]) -> list[_Lexeme]:
    """What matters, in order, with operations of two words as one: "divided by"."""
    made: list[_Lexeme] = []
    for one in lexemes:
        both = f"{made[-1].text} {one.text}" if made else ""
        if both in _SAID:
            made[-1] = _Lexeme("sign", both, _SAID[both])
        elif one.kind != "filler":
            made.append(one)
    return made


def _dated(lexemes: Sequence[_Lexeme]) -> list[_Lexeme]:
    """Each metric with the year before or behind it, "FY2017 revenue", "inventory at the end of 2018"; of two years, "between
    FY2016 and FY2017", with the last.
    """
    made: list[_Lexeme] = []
    at = ahead = 0
    while at < len(lexemes):
        one, *behind = lexemes[at : at + 4]
        at += 1
        if one.kind == "year" and _leads_to_metric(lexemes, at):
            ahead = one.year
        elif one.kind != "metric":
            made.append(one)
        else:
            year, ahead = ahead, 0
            if [other.kind == "year" for other in behind] == [True, False, True] and behind[1].text in _AND:
                year, at = behind[2].year, at + 3
            elif not year and behind and behind[0].kind == "year" and not _leads_to_metric(lexemes, at + 1):
                year, at = behind[0].year, at + 1
            made.append(replace(one, year=year))
    return made


def _leads_to_metric(lexemes: Sequence[_Lexeme], at: int) -> bool:
    return next((one.kind for one in lexemes[at:] if one.kind not in ("average", "change")), "") == "metric"


def _loosest(lexemes: Sequence[_Lexeme]) -> Sequence[_Lexeme]:
    """A division in words, the only one and beside no sign or bracket, divides all before it by all behind it."""
    places = [at for at, one in enumerate(lexemes) if one.text in _DIVIDES]
    if len(places) != 1 or any(one.text in _BINDS for one in lexemes):
        return lexemes
    opened, closed = _Lexeme("sign", "(", "("), _Lexeme("sign", ")", ")")
    (at,) = places
    return [opened, *lexemes[:at], closed, lexemes[at], opened, *lexemes[at + 1 :], closed]


def _written(lexemes: Sequence[_Lexeme]) -> str:
    """The pieces as the reader of expressions takes them, averages and changes as functions of the metric behind them."""
    said = ""
    before = ""
    for one in lexemes:
        text = (f"{one.text}_{one.year}" if one.year else one.text) if one.kind == "metric" else one.sign or one.text
        if one.kind == "metric" and before == "average":
            text = f"({text})"
        elif one.kind == "metric" and before == "change":
            text = f"({text} - prior({text}))"
        said += " avg" if one.kind == "average" else "" if one.kind == "change" else f" {text}"
        before = one.kind
    return said


def _metric_named(name: Name, mentions: Sequence[Mention], latest: int | None) -> Node:
    kind, at, year = [*name.name.split("_"), "", ""][:3]
    if kind != _METRIC or not at.isdigit():
        raise CalculationError(f"{name.name!r} is no metric.")
    back = latest - int(year) if year and latest is not None else 0
    return replace(name, name=mentions[int(at)].metric.id, back=name.back + back)


BRACKET = re.compile(r"\(([^()]+)\)")
"""What stands in round brackets, with none within."""
_USING, _EXPLAINING = any_of("using"), any_of("i.e., :")
"""What leads to how a figure is computed; the second also to anything else that is said of it."""
_NAMES = ("and", "&", "per")
"""Stand in lists and names, too, where nothing is computed."""


def bracket_definition(text: str, find: Callable[[str], Sequence[Mention]]) -> str | None:
    """The calculation that ``text`` gives in brackets, or behind "using" or a colon; "" when there is none, None when none is
    read whole.
    """
    using, explained = (
        [(one.start(), text[one.end() :].strip(" ?.,")) for one in lead.finditer(text)][:1] for lead in (_USING, _EXPLAINING)
    )
    before = text[: using[0][0]] if using else text
    outer = (one for one in BRACKET.finditer(before) if before.count("(", 0, one.start()) == before.count(")", 0, one.start()))
    given = (*((one.start(), one[1]) for one in outer), *using, *explained)
    computing = [how for start, how in given if find(text[:start]) and _computes(*_lexemes(how, find))]
    return next((how for how in computing if read_definition(how, find, None) is not None), None if computing else "")


def _computes(lexemes: Sequence[_Lexeme], mentions: Sequence[Mention]) -> bool:
    return len(mentions) > 1 and any(one.sign in tuple("+-*/") and one.text not in _NAMES for one in lexemes)
