"""How names of companies are written: as people write them, for all capitals; and what tells that two names are one company's."""

from __future__ import annotations

import re
from collections import Counter

_SMALL = {"of", "and", "the", "for", "in", "at", "de", "du", "la", "le", "und", "on", "to", "by"}
_USUAL = frozenset(
    (
        "INC CORP CO LTD THE AND OF FOR NEW OLD BIG RED ONE TWO SUN SEA AIR OIL GAS BANK TRUST FUND FIRST BEST BUY BAY "
        "CAP CITY ICE HOT MAX PET TOY VAN WAY ART BOX CAR EYE FOX GAP KEY LAB MAN NET PAY RIM RUN SKY TAX TOP WEB ZOO "
        "CASH LIFE FORD GYM LYNX DRY FLY "
    ).split()
)
"""Short words of names that are written as words."""
_FIXED = {
    "LLC": "LLC",
    "LP": "LP",
    "PLC": "plc",
    "NV": "N.V.",
    "SA": "S.A.",
    "AG": "AG",
    "SE": "SE",
    "USA": "USA",
    "US": "US",
    "II": "II",
    "III": "III",
    "IV": "IV",
}
_ENDINGS = {
    "incorporated": "inc", "corporation": "corp", "company": "co", "companies": "cos", "limited": "ltd", "the": "",
    "and": "", "of": "",
}  # fmt: skip
_VOWELS = frozenset("AEIOU")
_KEY = frozenset("abcdefghijklmnopqrstuvwxyz0123456789& ")


def tidy_company(name: str, text: str) -> str:
    """``name`` as people write it: the filing's own mixed-case spelling when it has one, else title case with care for acronyms.

    ``text`` is the filing's clean text.
    """
    name = _without_state(" ".join(name.split())).strip(" ,;:*†")
    name += "." if name.endswith(("Inc", "INC")) and not name[-4:-3].isalnum() else ""
    letters = _letters(name)
    if not letters or not letters.removesuffix("plc").isupper():
        return name
    name = name.removesuffix("plc") + "PLC" if name.endswith(" plc") else name
    return _spelled_in(text, name) or " ".join(_title(word, n, text) for n, word in enumerate(name.split()))


def _without_state(name: str) -> str:
    """ "ACME CORP /DE/" -> "ACME CORP"."""
    head, slash, state = name.removesuffix("/").rpartition("/")
    is_state = slash and 2 <= len(state) <= 5 and state.isascii() and state.isalpha() and state.isupper()
    return head if is_state else name


def normal_company(name: str) -> str:
    """A name as a key: lower case, no punctuation, endings shortened ("Apple, Inc." and "APPLE INC" are one)."""
    words = "".join(char for char in name.lower().replace("-", " ").replace("/", " ") if char in _KEY).split()
    return " ".join(short for word in words if (short := _ENDINGS.get(word, word)))


def _spelled_in(text: str, name: str) -> str:
    """The commonest spelling of ``name`` in ``text`` that is not all capitals, whatever its spacing; "" when there is none."""
    pattern = r"\s*".join(re.escape(char) + ("?" if char in ",." else "") for char in name if not char.isspace())
    counts: Counter[str] = Counter()
    for found in re.finditer(rf"(?<![\w&])(?:the\s+)?{pattern}(?!\w)", text, re.I):
        words = " ".join(found[0].split())
        if words.lower().startswith("the ") and not name.lower().startswith("the "):
            words = words[4:]
        if words[:1].islower() and not name[:1].islower():
            words = words[0].upper() + words[1:]
        if not _shouted(words):
            counts[words] += 1
    if not counts:
        return ""
    # A spelling with other word breaks (small capitals, stray markup) counts only when none has the same.
    as_many = {words: count for words, count in counts.items() if len(words.split()) == len(name.split())}
    best = max(as_many or counts, key=lambda words: counts[words])
    return best if not name.endswith(".") or best.endswith(".") else best + "."


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalpha())


def _shouted(words: str) -> bool:
    """All capitals, or with more capitals in a word than a name has ("MGM R ESORTS")."""
    letters = _letters(words)
    lower = sum(letter.islower() for letter in letters)
    return lower * 3 < len(letters)


def _title(word: str, position: int, text: str) -> str:
    core = "".join(char for char in word if "A" <= char <= "Z")
    is_initials = word.removesuffix(",") in (core[:1], "".join(f"{letter}." for letter in core))
    if core in _FIXED and position and "." not in word:
        return _FIXED[core] + ("," if word.endswith(",") else "")
    if position and word.lower() in _SMALL:
        return word.lower()
    if "&" in word or any(char.isdigit() for char in word) or is_initials:
        return word
    if len(core) <= 4 and core not in _USUAL:
        sure = not set(core) & _VOWELS
        if sure or _stays_upper(core, text):
            return word
    return "-".join("/".join(map(_capital, part.split("/"))) for part in word.split("-"))


def _stays_upper(core: str, text: str) -> bool:
    """Whether the prose of the filing writes the word in capitals, too."""
    written = re.findall(rf"\b(?:({core})(?:['’]s)?\s+[a-z]|{core.capitalize()}\b)", text)
    return 2 * sum(map(bool, written)) > len(written)


def _capital(word: str) -> str:
    lowered = word.lower()
    if lowered.startswith("mc") and len(lowered) > 4:
        return "Mc" + lowered[2:].capitalize()
    if lowered.startswith(("o'", "d'")) and len(lowered) > 2:
        return lowered[:2].upper() + lowered[2:].capitalize()
    begin = next((at for at, char in enumerate(lowered) if char.isalpha()), 0)
    return lowered[:begin] + lowered[begin:].capitalize()


def spelled_out(name: str, cover_name: str) -> str:
    """``cover_name`` when it is the same company as ``name`` (a conformed name such as "NVIDIA CORP"), else ``name``."""
    return cover_name if cover_name and normal_company(name) == normal_company(cover_name) else name
