"""How alike two names are: a phrase of a question against members, row labels, countries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from fin_tui.facts.words import LINKS, camel_words, words

_GENERIC = frozenset(
    "segment segments member revenue revenues sales net total product products service services business company".split()
)
_EMPTY = frozenset("segment segments member members division divisions group".split())
_TAIL = re.compile(r"(?:Segment|Segments|Member|Domain)+$")
_CLOSEST = 0.97
_COUNTRIES = dict(
    entry.split(maxsplit=1)
    for entry in (
        "US united states; GB united kingdom; CN china; TW taiwan; JP japan; DE germany; FR france; CA canada; MX mexico; IN "
        "india; KR south korea; SG singapore; HK hong kong; AU australia; BR brazil; IE ireland; NL netherlands; CH "
        "switzerland; IT italy; ES spain; SE sweden; NO norway; DK denmark; FI finland; IL israel; RU russia; ZA south africa; "
        "AE united arab emirates; SA saudi arabia; MY malaysia; TH thailand; VN vietnam; PH philippines; ID indonesia; BE "
        "belgium; AT austria; PL poland; TR turkey; AR argentina; CL chile; CO colombia; PE peru; NZ new zealand; PR puerto "
        "rico; BM bermuda; KY cayman islands; LU luxembourg; CZ czech republic; HU hungary; PT portugal; GR greece; RO romania; "
        "UA ukraine; EG egypt; NG nigeria; KE kenya; PK pakistan; BD bangladesh; KZ kazakhstan; CR costa rica; PA panama; DO "
        "dominican republic; MO macau"
    ).split("; ")
)
_SAME = {
    "us": "united states",
    "usa": "united states",
    "america": "united states",
    "domestic": "united states",
    "uk": "united kingdom",
    "britain": "united kingdom",
    "great britain": "united kingdom",
    "korea": "south korea",
    "prc": "china",
    "mainland china": "china",
    "people's republic of china": "china",
    "macao": "macau",
    "non us": "international",
    "outside united states": "international",
    "outside the united states": "international",
    "foreign": "international",
    "foreign countries": "international",
    "rest of world": "other countries",
    "europe middle east and africa": "emea",
    "asia pacific": "apac",
    "asia-pacific": "apac",
    "latin america": "latam",
}


@lru_cache(maxsize=20_000)
def plain(name: str) -> str:
    """``name`` in lower case with one name for what has several ("U.S." -> "united states")."""
    said = " ".join(word.surface for word in words(name) if word.surface not in ("the",))
    return _SAME.get(said, said)


@lru_cache(maxsize=20_000)
def member_names(member: str, company: str = "") -> tuple[str, ...]:
    """Names of a member: "country:US" -> united states; "nvda:DataCenterSegmentMember" -> data center; with its initials, and
    without the name of the ``company``.
    """
    prefix, _, local = member.partition(":")
    if prefix == "country":
        return (_COUNTRIES.get(local.upper(), local.lower()),)
    parts = camel_words(_TAIL.sub("", local) or local)
    names = [plain(" ".join(parts))]
    kept = [part for part in parts if part not in LINKS]
    if company:
        others = frozenset(word.surface for word in words(company))
        rest = [part for part in parts if part not in others]
        if 0 < len(rest) < len(parts):
            names.append(plain(" ".join(rest)))
    if 2 <= len(kept) <= 5:
        names.append("".join(part[0] for part in kept))
    return tuple(names)


@lru_cache(maxsize=50_000)
def likeness(phrase: str, name: str) -> float:
    """0 to 1: 1 for the same words, whatever their form or order; less for each word that only one of the two has."""
    phrase, name = plain(phrase), plain(name)
    if not phrase or not name:
        return 0.0
    if phrase == name or _squeezed(phrase) == _squeezed(name):
        return 1.0
    one, other = _kept(phrase), _kept(name)
    if one and one == other:
        return _CLOSEST
    if not one or not other:
        return 0.0
    from rapidfuzz import fuzz

    common = 2 * len(one & other) / (len(one) + len(other))
    letters = fuzz.ratio(_squeezed(phrase), _squeezed(name)) / 100
    return min(max(0.95 * common, 0.95 * letters if letters >= 0.8 else 0.0), 0.95)


def best_likeness(phrase: str, names: Sequence[str]) -> float:
    """The highest likeness of ``phrase`` to any of ``names``."""
    return max((likeness(phrase, name) for name in names), default=0.0)


def _kept(name: str) -> frozenset[str]:
    """The stems that tell a name from others; of a name made of general words alone, all of them."""
    found = [word for word in words(name) if word.surface not in LINKS]
    own = [word for word in found if word.surface not in _EMPTY] or found
    return frozenset(word.stem for word in own if word.surface not in _GENERIC) or frozenset(word.stem for word in own)


def _squeezed(name: str) -> str:
    return "".join(word.surface for word in words(name) if word.surface not in ("&", "and")).replace("and", "")
