"""Sentence boundaries in filing prose.

Rules instead of a model: filings are full of "Inc.", "U.S.", "No. 2", "Item 1A." and decimal numbers, which general splitters
break at, and the result must be the same on every machine because citations point at sentences.
"""

from __future__ import annotations

import re

_BREAK = re.compile(
    r"""(?<![.!?])(?P<mark>[.!?]+) # the mark itself, from its first character on: leader dots are one mark
        (?P<close>["'”’)\]]*)      # closing quotes and brackets belong to the sentence
        (?P<gap>\s+)
        (?=["'“‘(\[•·▪–—*]*\s?[A-Z0-9$])""",
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"[\w&’'.\-/]+$")
_FIRST_WORD = re.compile(r"[^\w$]*([\w$’']+)")
_LINE = re.compile(r"[^\n]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never end a sentence, whatever follows.
_TITLES = _words("mr mrs ms dr prof hon messrs rev gen sen rep gov vs v cf e.g i.e eg ie approx est incl excl al st mt ft")
# Go on to a number and to nothing else: "No. 5", but "No. We do not".
_BEFORE_NUMBER = _words("no nos art arts sec secs fig figs vol ch para p pp")
# End a sentence only when what follows can hardly go on with it.
_OPEN = _words(
    "inc corp co ltd llc lp l.p l.l.c l.l.p n.a s.a n.v a.g p.l.c plc cos bros assn dept div intl mfg u.s u.k u.n e.u u.s.a d.c "
    "n.y p.r jr sr etc jan feb mar apr jun jul aug sept sep oct nov dec a.m p.m ph.d m.d j.d b.s m.b.a esq reg regs "
    "conn fla mich minn pa tex va ave blvd"
)
_STARTERS = _words(
    "a an the this that these those we our us it its they their he she his her you i in on at as if when while where after "
    "before although because since during for from with without under upon to by of and but or however additionally also "
    "further furthermore moreover accordingly therefore thus consequently such some many most each any all no there here "
    "certain other both not what who how"
)
_BEFORE = 80
"""Characters before a mark that tell what it ends; a longer word is no abbreviation."""
_NUMBERED = re.compile(
    r"(?:^|\s)(?:item|items|part|note|notes|exhibit|section|rule|schedule|table|chapter|topic|article)\s+[\w().\-]*$", re.I
)
_INITIAL = re.compile(r"(?:^|[\s(“\"])[A-Z]$")
_ENUMERATOR = re.compile(r"^\W*(?:[0-9]{1,2}|[a-zA-Z]|[ivxIVX]{1,4})$")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences of ``text``, in order, without white space at their ends.

    A line break always ends a sentence. Every character that is not white space is in exactly one span.
    """
    spans: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        start = line.start()
        for match in _BREAK.finditer(text, line.start(), line.end()):
            if _ends(text, start, match):
                _append(spans, text, start, match.start("gap"))
                start = match.end("gap")
        _append(spans, text, start, line.end())
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the mark that ``match`` found ends the sentence that began at ``start``."""
    mark = match.group("mark")
    if mark[0] != "." or match.group("close"):
        return True
    at = match.start("mark")
    before = text[max(start, at - _BEFORE) : at]
    found = _LAST_WORD.search(before)
    if found is None:
        return True
    word = found.group()
    plain = word.lower().strip("'’-/")
    if plain in _TITLES:
        return False
    if plain in _BEFORE_NUMBER and not _INITIAL.search(before):
        return not text[match.end("gap") : match.end("gap") + 1].isdigit()
    if (at - start < _BEFORE and _ENUMERATOR.match(before.strip())) or (at - start < 60 and _NUMBERED.search(before)):
        return False
    if plain in _OPEN or _INITIAL.search(before):
        return _next_word(text, match.end("gap")) in _STARTERS
    return True


def _next_word(text: str, at: int) -> str:
    found = _FIRST_WORD.match(text, at)
    return found.group(1).lower() if found else ""
