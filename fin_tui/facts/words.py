"""Words of names, labels and questions, brought to one form so that they can be compared."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

_WORD = re.compile(r"\b[A-Za-z]/[A-Za-z]\b|[A-Za-z0-9]+(?:[&][A-Za-z0-9]+)+|(?:[A-Za-z]\.){2,}|[^\W_]+(?:['’]s\b)?|%")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
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
_ISATION = re.compile(r"(?<=\w{3})isation(?=s?$)")
LINKS = frozenset("the a an of and its their our s in by from for provided used".split())
"""Words that names and questions leave out or change at will: "cash from operating activities", "cash provided by operations"."""
_LOCAL = threading.local()


class Word(NamedTuple):
    """A word of a text: its comparable form, its surface in lower case, and where it stands."""

    stem: str
    surface: str
    start: int
    end: int


_LEGAL_FORM = re.compile(
    r"(?:,?\s+(?:inc|corp|corporation|co|company|companies|ltd|limited|plc|llc|l\.p|lp|holdings?|group|incorporated|/\w+/)\.?)+$",
    re.IGNORECASE,
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
    return [word for part in _CAMEL.findall(name) for word in _parts(part.lower())]


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
    return _BRITISH.get(lowered) or _ISATION.sub("ization", lowered)


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


def spoken_name(company: str) -> str:
    """The name as people say it, without its legal form: "Amazon.com" of "Amazon.com, Inc.", "Boeing" of "The Boeing Company"."""
    short = _LEGAL_FORM.sub("", company).rstrip(" ,") or company
    return short.removeprefix("The ") if short != company and " " in short else short
