"""Unit captions: "(In millions, except per share data)" and the factor they put on plain money amounts."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FACTORS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_LETTERS = {"MM": 1_000_000, "M": 1_000_000, "K": 1_000, "B": 1_000_000_000}
_WORD = re.compile(r"\b(thousand|million|billion)s\b|\$\s?(thousand|million|billion)\b", re.IGNORECASE)
_ZEROS = re.compile(
    r"(?:\$\s?|'|’|(?<!\d),|\(|\bin\s|^)(?P<zeros>(?:0?00,)?000)(?:['’]?s|\)|\b)|\$\s?(?P<letter>MM|M|K|B)\b", re.IGNORECASE
)
_CLAUSES = re.compile(r"[,;:]|\bexcept\b|\(|\)", re.IGNORECASE)
_NOT_MONEY = re.compile(
    r"\b(?:shares?|units?|options|rsus?|employees|barrels|tons|tonnes|gallons|feet|customers|warrants|subscribers|members|miles|hours)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"dollar|\$|amounts", re.IGNORECASE)
_BRACKETED = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\]")
_OPENING = re.compile(
    r"^\W*(?:in|dollars?|amounts?|all|u\.?s\.?|usd|thousands|millions|billions|expressed|stated|figures|tabular|unaudited|000)\b|^\W*\$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:in|of)\s+(?:u\.?s\.?\s+)?\$?\s?(?:dollars\s+)?(?:thousands|millions|billions)(?:\s+of\s+dollars)?\W*$", re.IGNORECASE
)
_DOLLARS = re.compile(r"^\W*(?:in|expressed in|amounts in)\s+(?:u\.?s\.?\s+)?(?:whole\s+)?dollars\b", re.IGNORECASE)
_LONGEST = 18  # Words of a caption that stands without brackets.


def scale_of(caption: str) -> int:
    """The factor on plain money amounts that ``caption`` states: 1, 1_000, 1_000_000 or 1_000_000_000.

    A clause about shares or customers is passed over, and one that names dollars goes first.
    """
    found: list[tuple[bool, str]] = []
    for clause in _CLAUSES.split(caption):
        at = 0
        for match in _WORD.finditer(clause):
            following = clause[match.end() :]
            of = clause[at : match.end()] + (following[:24] if following.lstrip().startswith("of ") else "")
            at = match.end()
            if _MONEY.search(of) or not _NOT_MONEY.search(of):
                found.append((_MONEY.search(of) is None, (match.group(1) or match.group(2)).lower()))
    if found:
        return _FACTORS[min(found, key=lambda pair: pair[0])[1]]
    zeros = _ZEROS.search(caption)
    if zeros is None:
        return 1
    if zeros.group("letter"):
        return _LETTERS[zeros.group("letter").upper()]
    return 1_000_000 if len(zeros.group("zeros")) > 3 else 1_000


def caption_in(text: str) -> str:
    """The unit caption that ``text`` is, or holds in brackets, as printed; empty when there is none."""
    if not _speaks_of_units(text):
        return ""
    for found in reversed(_BRACKETED.findall(text)):
        if _speaks_of_units(found) and len(found.split()) <= 2 * _LONGEST:
            return str(found)
    if len(text.split()) <= _LONGEST and (_OPENING.search(text) or _CLOSING.search(text)):
        return text
    return ""


def find_units(texts: Iterable[str]) -> tuple[str, int]:
    """(caption, scale) from the first of ``texts`` that holds one; ("", 1) when none does."""
    for text in texts:
        caption = caption_in(text)
        if caption:
            return caption, scale_of(caption)
    return "", 1


def _speaks_of_units(text: str) -> bool:
    return _WORD.search(text) is not None or _ZEROS.search(text) is not None or _DOLLARS.search(text) is not None
