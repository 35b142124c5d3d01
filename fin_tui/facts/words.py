"""Words of names, labels and questions, brought to one form so that they can be compared."""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from fin_tui.language import UNBROKEN, begin_of, camel_parts

_WORD = re.compile(r"\b[A-Za-z]/[A-Za-z]\b|[A-Za-z0-9]+(?:[&][A-Za-z0-9]+)+|(?:[A-Za-z]\.){2,}|[^\W_]+(?:['’]s\b)?|%")
_COMPOUNDS = {
    "cashflow": ("cash", "flow"), "cashflows": ("cash", "flows"), "buyback": ("buy", "back"), "buybacks": ("buy", "backs"),
    "pretax": ("pre", "tax"), "noninterest": ("non", "interest"), "nonoperating": ("non", "operating"),
    "noncurrent": ("non", "current"), "nonperforming": ("non", "performing"), "noncontrolling": ("non", "controlling"),
    "chargeoff": ("charge", "off"), "chargeoffs": ("charge", "offs"), "writedown": ("write", "down"),
    "writedowns": ("write", "downs"), "writeoff": ("write", "off"), "writeoffs": ("write", "offs"),
}  # fmt: skip
"""Words that people write as one, as two, or with a hyphen: all are read as two."""
_BRITISH = {
    "labour": "labor", "programme": "program", "programmes": "programs", "licence": "license", "licences": "licenses",
    "centre": "center", "centres": "centers", "defence": "defense", "favourable": "favorable", "unfavourable": "unfavorable",
    "amortised": "amortized", "unamortised": "unamortized", "capitalised": "capitalized", "recognised": "recognized",
    "unrecognised": "unrecognized", "annualised": "annualized", "instalments": "installments", "cheques": "checks",
}  # fmt: skip
LINKS = frozenset("the a an of and its their our s in by from for provided used".split())
"""Words that names and questions leave out or change at will: "cash from operating activities", "cash provided by operations"."""
_LOCAL = threading.local()


class Word(NamedTuple):
    """A word of a text: its comparable form, its surface in lower case, and where it stands."""

    stem: str
    surface: str
    start: int
    end: int


_LEGAL_FORMS = frozenset(
    "inc corp corporation co company companies ltd limited plc llc l.p lp holding holdings group incorporated".split()
)


def words(text: str) -> list[Word]:
    """The words of ``text`` in order; "Apple's" is "apple", "R&D" and "A/R" one word, "long-term" and "cashflow" two, "%" is
    "percent"; in American spelling.
    """
    return [
        Word(stem(part), part, match.start(), match.end())
        for match in _WORD.finditer(text)
        for part in _parts(_surface(match.group()))
    ]


def stems(text: str) -> tuple[str, ...]:
    """The stems of ``text`` without linking words."""
    return tuple(chain.from_iterable(map(_stems, _WORD.findall(text))))


def camel_words(name: str) -> list[str]:
    """The words of a tag's local name in lower case: "WearablesHomeandAccessories" -> wearables, homeand, accessories."""
    return [word for part in camel_parts(name) for word in _parts(part.lower())]


def tag_words(local: str) -> list[str]:
    """:func:`camel_words` of what the tag of an axis or a member names, without what it is: "DataCenterSegmentMember" -> data,
    center.
    """
    if local.endswith("Axis"):
        return camel_words(local.removesuffix("Axis") or local)
    bare = local
    while ending := next((one for one in _STRUCTURAL if bare.endswith(one) and not bare.endswith("NonSegment")), ""):
        bare = bare.removesuffix(ending)
    return camel_words(bare or local)


@lru_cache(maxsize=50_000)
def _stems(found: str) -> tuple[str, ...]:
    """The stems of one word as it stands in a text; none for a linking word."""
    return tuple(stem(part) for part in _parts(_surface(found)) if part not in LINKS)


def _parts(surface: str) -> tuple[str, ...]:
    return _COMPOUNDS.get(surface, (surface,))


def _surface(found: str) -> str:
    lowered = found.lower().replace("’", "'").removesuffix("'s").replace(".", "")
    if lowered == "%":
        return "percent"
    bare = lowered.removesuffix("s")
    is_british = bare.endswith("isation") and len(bare) > len("xxisation")
    return _BRITISH.get(lowered) or (lowered.replace("isation", "ization") if is_british else lowered)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a lower-case word; short words and figures stay as they are."""
    if len(word) < 4 or not word.isalpha():
        return word
    return _stemmer()(word)


def _stemmer() -> Callable[[str], str]:
    """One stemmer a thread: PyStemmer objects are not safe to share."""
    made: Callable[[str], str] | None = getattr(_LOCAL, "stemmer", None)
    if made is None:
        import Stemmer

        made = Stemmer.Stemmer("english", 0).stemWord
        _LOCAL.stemmer = made
    return made


def _is_legal_form(word: str) -> bool:
    """Whether a last word of a name only says what kind of company it is, or in which state: "Inc.", "/DE/"."""
    bare = word.removesuffix(",").removesuffix(".").lower()
    return bare in _LEGAL_FORMS or (len(bare) > 2 and bare[0] == bare[-1] == "/" and bare.strip("/").isalnum())


def spoken_name(company: str) -> str:
    """The name as people say it, without its legal form: "Amazon.com" of "Amazon.com, Inc.", "Boeing" of "The Boeing Company"."""
    said = company.split()
    while len(said) > 1 and _is_legal_form(said[-1]):
        said.pop()
    short = " ".join(said).rstrip(" ,&") or company
    return short.removeprefix("The ") if short != company and " " in short else short


_GENERIC = frozenset(
    "segment segments member revenue revenues sales net total product products service services business company".split()
)
_EMPTY = frozenset("segment segments member members division divisions group".split())
_STRUCTURAL = ("Segments", "Segment", "Member", "Domain")
"""What the names of tags end with that says nothing of what they name."""
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


SHORTENING = 4
"""Letters of a ticker from which it may shorten a name: shorter ones begin many words."""


@lru_cache(maxsize=20_000)
def member_names(member: str, company: str = "", symbol: str = "") -> tuple[str, ...]:
    """Names of a member: "country:US" -> united states; "nvda:DataCenterSegmentMember" -> data center; with its initials, and
    without the name of the ``company``, also the one that its ``symbol`` shortens: "Globy Services" of GLOB is its services.
    """
    prefix, _, local = member.partition(":")
    if prefix == "country":
        return (_COUNTRIES.get(local.upper(), local.lower()),)
    parts = tag_words(local)
    names = [plain(" ".join(parts))]
    kept = [part for part in parts if part not in LINKS]
    if company:
        others = frozenset(word.surface for word in words(company))
        shortened = symbol.lower() if len(symbol) >= SHORTENING else None
        rest = [part for part in parts if part not in others and not (shortened and part.startswith(shortened))]
        if 0 < len(rest) < len(parts):
            names.append(plain(" ".join(rest)))
    if 2 <= len(kept) <= 5:
        names.append("".join(part[0] for part in kept))
    return tuple(names)


_PARTING = dict.fromkeys(map(ord, ",&/-'’"), " ")
"""What may stand between the words of a name."""
_CLOSING = (*'()“”":;', ". ")
"""What parts two names."""
_LEFT_OUT = frozenset(("and", "the", "of"))


def name_as_printed(name: str, text: str) -> str:
    """The words of a tag as a filing's ``text`` prints them most: "Compute & Networking" for Compute And Networking."""
    if name in text:
        return name
    wanted = _letters("".join(part for part in name.split() if part.lower() not in _LEFT_OUT))
    words, places = _places_of(text)
    starts = chain.from_iterable(places.get(wanted[:size], ()) for size in range(1, len(wanted) + 1))
    spans = ((words[at][0], _end_of(words, at, wanted)) for at in starts)
    found = (" ".join(text[start:end].split()) for start, end in spans if end and text[start].isupper())
    printed = Counter(one for one in found if not any(sign in one for sign in _CLOSING))
    return printed.most_common(1)[0][0] if printed else name


def _letters(word: str) -> str:
    return word.lower() if word.isalnum() else "".join(char for char in word if char.isalnum()).lower()


@lru_cache(maxsize=1)
def _places_of(text: str) -> tuple[list[tuple[int, int, str]], dict[str, list[int]]]:
    """Where the words of a filing begin and end, with their letters; and which words have these letters."""
    words: list[tuple[int, int, str]] = []
    places: defaultdict[str, list[int]] = defaultdict(list)
    for match in UNBROKEN.finditer(text.translate(_PARTING)):
        word = match[0]
        places[letters := _letters(word)].append(len(words))
        words.append((match.start() + begin_of(word), match.end() - begin_of(word[::-1]), letters))
    return words, dict(places)


def _end_of(words: Sequence[tuple[int, int, str]], at: int, wanted: str) -> int:
    """Where the words from ``at`` on have come to the letters ``wanted``, but for links between them; 0 where they don't."""
    said = ""
    for _, end, letters in words[at : at + len(wanted)]:
        if said + letters == wanted:
            return end
        if wanted.startswith(said + letters):
            said += letters
        elif letters not in _LEFT_OUT:
            return 0
    return 0


_SHORTEST = 4
"""Letters of a name from which another with almost the same ones may be a slip for it."""


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
    if min(len(_squeezed(phrase)), len(_squeezed(name))) < _SHORTEST:
        letters = 0.0  # "AWS" is no slip for the initials of automotive sales.
    return min(max(0.95 * common, 0.95 * letters if letters >= 0.8 else 0.0), 0.95)


def best_likeness(phrase: str, names: Sequence[str]) -> float:
    """The highest likeness of ``phrase`` to any of ``names``."""
    return max((likeness(phrase, name) for name in names), default=0.0)


@lru_cache(maxsize=20_000)
def _kept(name: str) -> frozenset[str]:
    """The stems that tell a name from others; of a name made of general words alone, all of them."""
    found = [word for word in words(name) if word.surface not in LINKS]
    own = [word for word in found if word.surface not in _EMPTY] or found
    return frozenset(word.stem for word in own if word.surface not in _GENERIC) or frozenset(word.stem for word in own)


@lru_cache(maxsize=20_000)
def _squeezed(name: str) -> str:
    return "".join(word.surface for word in words(name) if word.surface not in ("&", "and")).replace("and", "")


_NOTE_MARKS = re.compile(r"(?:\s*(?:\((?:\d{1,2}|[a-z])\)|\*+))+\s*$")


def without_note(name: str) -> str:
    """A row's name without the marks of footnotes that stick to it: "Other activities(c)", "Total *"."""
    return _NOTE_MARKS.sub("", name)
