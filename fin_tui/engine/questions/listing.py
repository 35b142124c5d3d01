""" "What types of X does it make?", "List its X": what is to be listed (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fin_tui.facts.words import Word, stem, words

_DETERMINERS = (
    r"(?:(?:all|the|of|its|their|his|any|some|each|main|principal|primary|major|key|current|currently|different|various|individual|"
    r"following|own|other|certain|important|largest|biggest|two|three|four|five|six|seven|eight|nine|ten|\d+|company['’]s|"
    r"companys|registrant['’]s|firm['’]s|me|us)\s+)*"
)
_AUX = r"(?:does|do|did|is|are|was|were|has|have|had|can|will)"
_KINDS = re.compile(
    rf"^\W*(?:what|which)\s+(?:are\s+)?{_DETERMINERS}(?:types?|kinds?|sorts?|categories|classes|forms|lines|varieties)\s+of\s+"
    rf"(?P<noun>.+?)(?:\s+{_AUX}\b(?P<rest>.*))?$",
    re.I | re.S,
)
_WHICH = re.compile(
    rf"^\W*(?:on\s+)?(?:what|which)\s+{_DETERMINERS}(?P<noun>(?:[\w&’'-]+\s+){{0,3}}[\w’'-]+s)\s+{_AUX}\b(?P<rest>.*)$",
    re.I | re.S,
)
_LIST = re.compile(rf"^\W*(?:please\s+)?(?:list|enumerate|name|identify|give|show)\s+{_DETERMINERS}(?P<noun>.+)$", re.I | re.S)
_ARE = re.compile(rf"^\W*(?:what|which|who)\s+(?:are|were)\s+{_DETERMINERS}(?P<noun>.+)$", re.I | re.S)
_CUT = re.compile(
    r"\s+(?:of|in|at|as|for|from|to|that|which|who|with|on|by|during|under|about|it|they|we|does|do|did|has|have|had|is|are|was|were|"
    r"according|disclosed|mentioned|listed|described|reported|and\s+(?:how|what|why|where|when))\b|[,;:?.!(]",
    re.I,
)
_EMPTY = frozenset(
    (
        "a an the of in on at as for from to by with and or its their his it they he she we our there that this these those "
        "did does do was were is are be been has have had can could will would company company's companys firm group "
        "corporation registrant filing annual report 10-k form fiscal year years end ended ending date currently current now "
        "today latest most recent main principal primary major key all different various each any according under item main "
        "disclosed mentioned listed described reported identified s use used using within into "
        "old age ages name names named title titles position positions role roles called"
    ).split()
)
_ABSTRACT = frozenset(
    map(
        stem,
        (
            "factors factor reasons reason causes cause drivers driver changes change effects effect impacts impact strategies "
            "strategy steps step methods method methodology information details risks risk benefits results result purposes "
            "conditions condition terms trends trend increases decreases expectations assumptions consequences implications "
            "challenges uncertainties plans plan goals goal objectives outcomes sources source ways amounts amount measures "
            "costs cost expenses expense sales revenues income earnings margins ratios dividends shares taxes debts debt assets "
            "liabilities figures numbers values balances percentages rates timeline capabilities contents features actions "
            "activities estimates"
        ).split(),
    )
)
"""Stems of what filings discuss and do not list, and of figures."""
_LISTED_WITH = frozenset(map(stem, "accounting exhibits".split()))
_VERBS = "make manufacture produce build design develop sell market offer provide deliver supply distribute operate own run"
_MAKING = frozenset(
    (
        "made",
        "built",
        "sold",
        "ran",
        "running",
        *(f"{verb}{end}" for verb in _VERBS.split() for end in ("", "s", "d", "ed", "ing")),
    )
) | frozenset(f"{verb[:-1]}ing" for verb in _VERBS.split() if verb.endswith("e"))
"""Verbs that companies use for one another of what they do with their products."""
_LONGEST = 5


@dataclass(frozen=True, slots=True)
class Listing:
    """What is to be listed. All words are stems."""

    name: str
    """The noun phrase as typed: "reportable segments"."""
    head: str
    """Its last word."""
    kinds: frozenset[str]
    """Its other words: "hybrid", "reportable"."""
    rest: frozenset[str]
    """What the question says of it: "deliver"."""
    is_making: bool
    """The question asks what is made, sold or offered."""
    surface: str
    """The noun as typed."""

    @property
    def words(self) -> frozenset[str]:
        return self.kinds | {self.head}


def read_listing(text: str) -> Listing | None:
    """What ``text`` wants listed; None when it wants something else. ``text`` is without the company's name."""
    text = " ".join(re.sub(r"\b(?:the\s+)?(?:company|registrant|firm)['’]s\b", " ", text, flags=re.I).split())
    for pattern in (_KINDS, _WHICH, _LIST, _ARE):
        match = pattern.match(text)
        if match is not None:
            groups = match.groupdict()
            return _listing(groups["noun"], groups.get("rest") or "")
    return None


def _listing(noun: str, rest: str) -> Listing | None:
    cut = _CUT.search(noun)
    if cut is not None:
        noun, rest = noun[: cut.start()], f"{noun[cut.end() :]} {rest}"
    named = [word for word in words(noun) if word.surface not in _EMPTY]
    if not named or len(named) > _LONGEST:
        return None
    head, kinds = named[-1], named[:-1]
    allowed = any(word.stem in _LISTED_WITH for word in kinds)
    if not _is_plural(head) or (head.stem in _ABSTRACT and not allowed):
        return None
    others = [word for word in words(rest) if word.surface not in _EMPTY and not word.surface.isdigit()]
    making = [word for word in others if is_making(word)]
    return Listing(
        " ".join(word.surface for word in named),
        head.stem,
        frozenset(word.stem for word in kinds),
        frozenset(word.stem for word in others if word not in making),
        bool(making),
        head.surface,
    )


def _is_plural(word: Word) -> bool:
    return word.surface in ("people", "personnel", "stock", "software", "equipment") or (
        word.surface.endswith("s") and not word.surface.endswith(("ss", "us"))
    )


def is_making(word: Word) -> bool:
    """Whether ``word`` is one of the verbs of making and selling; "operations" and "manufacturers" are none."""
    return word.surface in _MAKING
