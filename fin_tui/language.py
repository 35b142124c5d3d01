"""How English text is written, for all that reads or shows it: characters, sentences, months, plurals (pure).

Words to look for are written as lists of phrases (:func:`any_of`). Sentences end by rules instead of a model: filings are full
of "Inc.", "U.S.", "No. 2", "Item 1A." and decimal numbers, which general splitters break at, and the result must be the same on
every machine because citations point at sentences.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Set
from functools import lru_cache

_KEPT_CONTROLS = "\n\t"
_UNWANTED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))


def clean(text: str) -> str:
    """``text`` without control and escape characters, zero-width marks or runs of white space; line breaks become spaces.

    Filing text is untrusted: nothing that a terminal could take for a command gets past this.
    """
    if not text.isprintable():
        # Few different characters stand in a text: look at each of them once.
        unwanted = {ord(c): None for c in set(text) if c not in _KEPT_CONTROLS and unicodedata.category(c) in _UNWANTED}
        text = text.translate(unwanted) if unwanted else text
    return " ".join(text.split())


def printable(text: str) -> str:
    """``text`` without control, escape and zero-width characters; white space stays as it is."""
    if text.isprintable():
        return text
    unwanted = {ord(c): None for c in set(text) if not c.isspace() and unicodedata.category(c) in _UNWANTED}
    return text.translate(unwanted) if unwanted else text


_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def without_ligatures(text: str) -> str:
    """``text`` with the letters of typographic ligatures: "ﬁnancial" is found as "financial"."""
    return text if text.isascii() else text.translate(_LIGATURES)


@lru_cache(maxsize=1024)
def any_of(phrases: str) -> re.Pattern[str]:
    """A pattern for any of ``phrases``, which commas part: whole words, in small letters for either case, white space between.

    ``sum/total`` is one word or the other, ``(of the)`` and the end of ``risk(s)`` and ``move(s|d)`` may be missing, ``expect*``
    has any ending, ``*growth`` any beginning; a hyphen may be a blank, an apostrophe be curved. Of two phrases that begin alike
    the first that fits is found.
    """
    each = [_pieces(phrase) for phrase in phrases.split(",")]
    words = [word for phrase in each for optional, plain in phrase for word in (optional or plain).split("/")]
    # A word's edge is asked for once, where all phrases are words: the pattern then looks at few places of a text.
    is_open = any(not word[0].isalnum() for word in words)
    is_free = any(not word[-1].isalnum() and word[-1] not in "*)" for word in words)
    source = "|".join(_phrase(phrase, is_open, is_free) for phrase in each)
    return re.compile(("" if is_open else r"\b") + f"(?:{source})" + ("" if is_free else r"\b"), re.IGNORECASE)


def _pieces(phrase: str) -> list[tuple[str, str]]:
    """The words of a phrase in order: (what may be missing, "") or ("", what may not)."""
    pieces: list[str] = []
    for word in phrase.split():
        if pieces and pieces[-1].startswith("(") and not pieces[-1].endswith(")"):
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    return [(piece[1:-1], "") if piece.startswith("(") and piece.endswith(")") else ("", piece) for piece in pieces]


@lru_cache(maxsize=1024)
def closing(phrases: str, loose: str = "", within: int = 0) -> re.Pattern[str]:
    """A pattern for any of ``phrases`` (as :func:`any_of`) at the end of a text: behind it only those called ``loose`` may stand,
    and then up to ``within`` words of any kind.
    """
    behind = rf"(?:\s+{any_of(loose).pattern})*" if loose else ""
    behind += rf"(?:\s+\w+){{0,{within}}}" if within else ""
    return re.compile(rf"{any_of(phrases).pattern}{behind}\s*$", re.IGNORECASE)


def _phrase(pieces: Iterable[tuple[str, str]], is_open: bool, is_free: bool) -> str:
    source, is_begun = "", False
    for optional, plain in pieces:
        either = "|".join(_word(word, is_open, is_free) for word in (optional or plain).split("/"))
        either = f"(?:{either})" if "|" in either else either
        if optional:
            source += rf"(?:\s+{either})?" if is_begun else rf"(?:{either}\s+)?"
        else:
            source += (r"\s+" if is_begun else "") + either
            is_begun = True
    return source


def _word(text: str, is_open: bool, is_free: bool) -> str:
    inner, _, ending = text.strip("*").removesuffix(")").partition("(")
    parts = (r"[-\s]".join(map(re.escape, word.split("-"))) for word in inner.split())
    source = r"\s+".join(parts).replace("'", "['’]")
    before = r"\b" if is_open and text[0].isalnum() else ""
    after = r"\w*" if text.endswith("*") else f"(?:{ending})?" if ending else ""
    return before + source + after + (r"\b" if is_free and (ending or text[-1].isalnum()) else "")


@lru_cache(maxsize=1024)
def any_name(names: tuple[str, ...], ending: str = "") -> re.Pattern[str]:
    """A pattern for any of ``names`` as whole words in either case, the longest first; a hyphen may be a blank, an apostrophe
    before an "s" may be there or not, and an ``ending`` may follow, as of a plural ("s|es").
    """
    words = (map(_with_apostrophe, name.replace("-", "- ").split()) for name in sorted(names, key=len, reverse=True))
    source = "|".join(r"\s+".join(parts).replace(r"\-\s+", r"[\s-]+") for parts in words)
    return re.compile(rf"(?<!\w)(?:{source})(?:{ending})?(?!\w)", re.IGNORECASE)


def _with_apostrophe(word: str) -> str:
    """The pattern of a word of a name: "Wendy's" may be typed "wendys"."""
    stem = word.lower().removesuffix("s").rstrip("'’") if word.lower().endswith("s") else ""
    return f"{re.escape(stem)}['’]?s" if stem else re.escape(word)


def is_followed(text: str, first: re.Pattern[str], then: re.Pattern[str]) -> bool:
    """Whether ``text`` has something of ``first`` and, anywhere behind it, something of ``then``."""
    lead = first.search(text)
    return lead is not None and then.search(text, lead.end()) is not None


def leads_to(text: str, nouns: Set[str], most: int) -> bool:
    """Whether one of ``nouns`` is among the first words of ``text``, behind at most ``most`` others and no mark but the dot of an
    initial.
    """
    for word in text.lower().replace("-", " ").split()[: most + 1]:
        if not nouns.isdisjoint(runs_of(word)[:1]):
            return True
        if not word.isalnum() and not (len(word) == len("A.") and word[0].isalpha() and word[1] == "."):
            return False
    return False


def runs_of(text: str, kept: str = "") -> list[str]:
    """The runs of letters, digits and the signs ``kept`` in ``text``, in order."""
    return "".join(char if char.isalnum() or char in kept else " " for char in text).split()


def figures_of(text: str, kept: str = "") -> list[str]:
    """The runs of digits and the signs ``kept`` in ``text``, in order."""
    return "".join(char if char.isdecimal() or char in kept else " " for char in text).split()


def from_first_word(text: str) -> str:
    """``text`` without the signs and blanks before its first letter or digit."""
    return text[begin_of(text) :]


def word_at_end(text: str, kept: str = "") -> str:
    """The run of letters, digits and the signs ``kept`` that ``text`` ends with; "" when it ends otherwise."""
    last = runs_of(text, kept)[-1:]
    return last[0] if last and text.endswith(last[0]) else ""


def is_enumerator(text: str) -> bool:
    """Whether ``text`` can number a line of a list: at most two digits, one letter, or up to five letters of Roman numbers."""
    if not text.isascii():
        return False
    if text.isdigit():
        return len(text) <= 2
    return text.isalpha() and (len(text) == 1 or (len(text) <= 5 and set(text.lower()) <= set("ivx")))


_BREAK = re.compile(
    r"""(?<![.!?])(?P<mark>[.!?]+) # the mark itself, from its first character on: leader dots are one mark
        (?P<close>["'”’)\]]*)      # closing quotes and brackets belong to the sentence
        (?P<gap>\s+)
        (?=["'“‘(\[•·▪–—*]*\s?[A-Z0-9$])""",
    re.VERBOSE,
)


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
_NUMBERED = _words("item items part note notes exhibit section rule schedule table chapter topic article")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences of ``text``, in order, without white space at their ends.

    A line break always ends a sentence. Every character that is not white space is in exactly one span.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        for match in _BREAK.finditer(text, start, end):
            if _ends(text, start, match):
                _append(spans, text, start, match.start("gap"))
                start = match.end("gap")
        _append(spans, text, start, end)
        start = end + 1
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
    word = word_at_end(before, "_&’'.-/")
    if not word:
        return True
    plain = word.lower().strip("'’-/")
    if plain in _TITLES:
        return False
    is_initial = "A" <= before[-1] <= "Z" and (not before[:-1] or before[-2].isspace() or before[-2] in '(“"')
    if plain in _BEFORE_NUMBER and not is_initial:
        return not text[match.end("gap") : match.end("gap") + 1].isdigit()
    if (at - start < _BEFORE and is_enumerator(from_first_word(before).rstrip())) or (at - start < 60 and _is_numbered(before)):
        return False
    if plain in _OPEN or is_initial:
        return _next_word(text, match.end("gap")) in _STARTERS
    return True


def _is_numbered(text: str) -> bool:
    """Whether ``text`` ends with the number of a part, a note or the like."""
    *before, number = text.split()
    return bool(before) and before[-1].lower() in _NUMBERED and runs_of(number, "_().-") == [number]


def _next_word(text: str, at: int) -> str:
    runs = runs_of(text[at : at + _BEFORE], "_$’'")
    return next((word for run in runs if (word := run.lstrip("’'"))), "").lower()


MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
STARTS = tuple(name[:3] for name in MONTHS)
"""Three letters tell a month: "jan", "feb", …"""
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""A pattern for the name of a month and for its usual abbreviations, in lower case, without a dot."""
MONTH_LIKE = rf"(?:{'|'.join(STARTS)})[a-z]*"
"""A pattern for every word that begins as a month does: also one that is misspelt, hyphenated or cut."""


def month_number(name: str) -> int:
    """1 to 12 of a name or an abbreviation. Raises ``ValueError`` for what begins like none."""
    return STARTS.index(name[:3].lower()) + 1


def day_of(year: int, month: int, day: int) -> dt.date | None:
    """That day; None where there is none, as in "February 30"."""
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def is_year(text: str) -> bool:
    """Whether ``text`` is nothing but a year of 1900 to 2099."""
    return len(text) == len("2024") and text.isascii() and text.isdigit() and text.startswith(("19", "20"))


def year_span(text: str) -> tuple[int, int] | None:
    """First and last year of "2022-2025", "FY2022..FY2025" or "2024"; None for anything else."""
    years = [year.strip().removeprefix("fy") for year in text.casefold().replace("–", "-").replace("..", "-").split("-")]
    is_span = len(years) <= 2 and all(len(year) == len("2024") and year.isascii() and year.isdigit() for year in years)
    return (int(years[0]), int(years[-1])) if is_span else None


UNBROKEN = re.compile(r"\S+")
"""A word with all signs that touch it, to find where words stand."""
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
"""A year of 1900 to 2099 in a text."""
_STOPS, _CLOSERS = tuple(".!?:;"), "\"'”’)]"


def ends_with_stop(text: str) -> bool:
    """Whether ``text`` ends as a sentence or a lead does, whatever closes behind the mark."""
    return text.rstrip().rstrip(_CLOSERS).endswith(_STOPS)


def ends_open(text: str, words: frozenset[str], signs: tuple[str, ...]) -> bool:
    """Whether ``text`` goes on: it ends with one of ``signs`` or, as a whole word, of ``words``."""
    return text.endswith(signs) or (text[-1:].isalnum() and runs_of(text)[-1] in words)


_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def camel_parts(name: str) -> list[str]:
    """ "NetIncomeLoss" -> "Net", "Income", "Loss"."""
    return _CAMEL.findall(name)


def begin_of(text: str) -> int:
    """Where the first letter or digit of ``text`` stands; its length without one."""
    return next((at for at, char in enumerate(text) if char.isalnum()), len(text))


def only_digits(text: str) -> str:
    """``text`` without all that is no digit."""
    return "".join(char for char in text if char.isdigit())


def count(number: int, noun: str) -> str:
    """ "1 filing", "1,204 passages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


_FEWEST_IN_RANGE = 4


def ranges(numbers: Iterable[int], fewest: int = _FEWEST_IN_RANGE) -> list[tuple[int, ...]]:
    """Numbers in order as they are told: (1,), (2,), or both ends of ``fewest`` and more in a row: (3, 9)."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told: list[tuple[int, ...]] = []
    for run in runs:
        told += [(run[0], run[-1])] if len(run) >= fewest else [(number,) for number in run]
    return told


_RUN = 3


def fiscal_years(years: Iterable[int]) -> str:
    """Fiscal years for people, runs of three or more as one: "FY1993, FY2021-FY2024"."""
    return ", ".join("-".join(f"FY{year}" for year in run) for run in ranges(years, _RUN))
