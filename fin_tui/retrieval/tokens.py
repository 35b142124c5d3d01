"""The finance tokenizer of the sparse index: what a filing writes and what a question asks for become the same tokens.

Kept whole: ``r&d``, ``at&t``, ``10-k405``, ``item_7a``, ``391035`` (also from 391,035), ``-2.4`` (from (2.4)), ``2.4%``,
``fy2024`` (also from "fiscal year 2024" and FY24), ``u.s``. Where a whole would hide its parts, both are given: "long-term" is
``longterm``, ``long``, ``term``; "Item 7A" is ``item_7a``, ``item``, ``7a``. Standard abbreviations and their long forms share a
token. Other words are stemmed (Snowball English); "not" and "no" are never dropped.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache

from fin_tui.language import any_name, any_of

VERSION = 1
"""Written into the manifest of every index: another version means another vocabulary."""

LONGEST = 48
"""Longer tokens are cut: they are identifiers or noise, and never typed whole."""

_STOP = frozenset(
    "a an the of to in and or for is are was were be been being by with as at on that this these those it its from which "
    "has have had will would may can could shall should such any our we their they there than then so if into".split()
)

_ABBREVIATIONS = {
    "research and development": "r&d",
    "selling, general and administrative": "sg&a",
    "sales, general and administrative": "sg&a",
    "general and administrative": "g&a",
    "property, plant and equipment": "pp&e",
    "management's discussion and analysis": "md&a",
    "mergers and acquisitions": "m&a",
    "earnings per share": "eps",
    "cost of goods sold": "cogs",
    "capital expenditures": "capex",
    "capital expenditure": "capex",
    "free cash flow": "fcf",
    "artificial intelligence": "ai",
    "united states": "u.s",
    "securities and exchange commission": "sec",
    "chief executive officer": "ceo",
    "chief financial officer": "cfo",
    "initial public offering": "ipo",
    "internal revenue service": "irs",
    "generally accepted accounting principles": "gaap",
}

_PHRASES = any_name(tuple(_ABBREVIATIONS))

_TOKEN = re.compile(
    r"""
      (?!FY|[Ff]y|[Ff]iscal|FISCAL|[Ii]tem|ITEM)[^\W\d_]{2,}+(?![^\W_]|[&'-])   # a plain word: most of all text, so first
    | (?:FY|[Ff]y|[Ff]iscal(?:\s+[Yy]ears?)?|FISCAL(?:\s+YEARS?)?)(?:\s+ended)?\s{0,3}['’]?\d{2}(?:\d\d)?\b   # FY24
    | (?:I|i)(?:tem|TEM)[Ss]?\s{1,3}\d{1,2}[A-Ca-c]?\b                   # Item 7A
    | \b(?:10|20|40|8|6|11|18)-?[KkQqFf](?:SB|sb|T|t|405)?(?:/A)?\b      # 10-K405, 10K, 10-K/A
    | (?:[^\W\d_]\.){2,}[^\W\d_]?(?![^\W_])                              # U.S., A.I.
    | [^\W_]+(?:&[^\W_]+)+                                               # R&D, AT&T
    | \(\s?[$€£¥]?\s?\d[\d,]*(?:\.\d+)?\s?\)(?:\s?%)?                    # (2.4)%
    | \(\s?[$€£¥]?\s?\d[\d,]*(?:\.\d+)?\s?%\s?\)                         # (2.4%)
    | (?<![\w)])-[$€£¥]?\d[\d,]*(?:\.\d+)?(?:\s?%)?(?![^\W\d])           # -2.4%
    | (?<![^\W\d_])\d[\d,]*(?:\.\d+)*(?:\s?%)?(?![^\W\d_])               # 391,035  2.4%
    | \.\d+(?:\s?%)?
    | [^\W_]+(?:[-'][^\W_]+)*                                            # words, also with a hyphen
    """,
    re.VERBOSE,
)

_TRANSLATE = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\uff07", "'"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),
        "\uff06": "&",
    }
)

_FORM = re.compile(r"(10|20|40|8|6|11|18)-?([kqf])(sb|t|405)?(/a)?$", re.IGNORECASE)
_OF_NUMBERS = "0123456789.,()-$€£¥% \t\n"
_FISCAL_YEAR = ("fy", "fiscal")

_MEMO_LIMIT = 400_000


def tokenize(text: str) -> list[str]:
    """The index tokens of ``text``, in reading order, abbreviations of phrases last. Never raises; ``[]`` for no words."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_TRANSLATE)).translate(_TRANSLATE)
    memo = _memo()
    tokens: list[str] = []
    for surface in _TOKEN.findall(text):
        known = memo.get(surface)
        if known is None:
            known = _remember(memo, surface)
        tokens.extend(known)
    tokens.extend(_ABBREVIATIONS[" ".join(phrase.lower().split())] for phrase in _PHRASES.findall(text))
    return tokens


def tokenize_query(text: str) -> list[str]:
    """The distinct tokens of a question, without the words that only make it a question.

    When nothing else is left ("what is it?"), the plain tokens are given.
    """
    tokens = list(dict.fromkeys(tokenize(_QUESTION_PHRASES.sub(" ", text))))
    return [token for token in tokens if token not in _filler()] or list(dict.fromkeys(tokenize(text)))


_QUESTION_PHRASES = any_of(
    "according to, as described/stated/reported/disclosed/mentioned/noted in/by, in its/the/their/this annual report, "
    "in its/the/their/this filing, in its/the/their/this 10-k/10k (report), "
    "(mentioned/described/provided/discussed/stated/given/outlined) in the text/passage/document/excerpt/context, "
    "how much/many, tell me (about), what kind(s)/type(s)/sort(s) of, can you, please"
)

_FILLER_WORDS = (
    "what how when where who whom whose why does do did give show tell explain describe discuss say said says mention state "
    "fiscal year according summarize company's company about please i me you your"
)


@cache
def _filler() -> frozenset[str]:
    return frozenset(tokenize(_FILLER_WORDS))


def _remember(memo: dict[str, tuple[str, ...]], surface: str) -> tuple[str, ...]:
    if len(memo) >= _MEMO_LIMIT:
        memo.clear()
    tokens = tuple(token[:LONGEST] for token in _expand(surface) if token)
    memo[surface] = tokens
    return tokens


def _expand(surface: str) -> Iterable[str]:
    """The tokens of one match of ``_TOKEN``."""
    lowered = surface.lower()
    if surface[0].isalpha():
        word, *number = lowered.split()
        digits = lowered[len(lowered.rstrip("0123456789")) :][-4:]
        if lowered.startswith(_FISCAL_YEAR) and len(digits) > 1:
            return _fiscal(digits)
        if number and word.startswith("item"):
            return (f"item_{number[0]}", "item", number[0])
        if "&" in surface:
            return (lowered,)
        if "." in surface:
            return (_acronym(lowered.replace(".", "")),)
        return _word(surface, lowered)
    if match := _FORM.match(lowered):
        return _form(match)
    if not lowered.strip(_OF_NUMBERS):
        return _number(lowered)
    return _word(surface, lowered)


def _fiscal(digits: str) -> tuple[str, ...]:
    if len(digits) == 2:
        digits = ("19" if digits >= "70" else "20") + digits
    return (f"fy{digits}", digits, "fiscal") if len(digits) == 4 else ("fiscal", digits)


def _form(match: re.Match[str]) -> tuple[str, ...]:
    base = f"{match[1]}-{match[2]}"
    whole = base + (match[3] or "") + (match[4] or "")
    return (whole,) if whole == base else (whole, base)


def _number(lowered: str) -> tuple[str, ...]:
    """``(2.4)%`` -> 2.4, 2.4%, -2.4; ``391,035`` -> 391035. Lists of digits ("1,2,3") lose their commas too."""
    digits = lowered.strip("()-$€£¥% \t\n").replace(",", "").rstrip(".")
    if not digits:
        return ()
    if digits.startswith("."):
        digits = "0" + digits
    percent = (digits + "%",) if "%" in lowered else ()
    negative = ("-" + digits,) if lowered[0] in "(-" else ()
    return (digits, *percent, *negative)


def _acronym(letters: str) -> str:
    return "u.s" if letters in ("us", "usa") else letters


def _word(surface: str, lowered: str) -> tuple[str, ...]:
    if surface in ("US", "USA"):
        return ("u.s",)
    if lowered.endswith("'s"):
        lowered = lowered[:-2]
    if lowered in _STOP:
        return ()
    if "-" not in lowered and "'" not in lowered:
        return (_stem(lowered),)
    parts = [part for part in lowered.replace("'", "-").split("-") if part]
    joined = "".join(parts)
    kept = [_stem(part) for part in parts if part not in _STOP]
    return (_stem(joined), *kept) if "-" in lowered else (_stem(joined),)


def _stem(word: str) -> str:
    if len(word) < 4 or not word.isalpha():
        return word
    return _stemmer()(word[:LONGEST])


_LOCAL = threading.local()


def _stemmer() -> Callable[[str], str]:
    """One stemmer a thread: PyStemmer objects are not safe to share."""
    stem: Callable[[str], str] | None = getattr(_LOCAL, "stem", None)
    if stem is None:
        import Stemmer

        stem = Stemmer.Stemmer("english", 0).stemWord
        _LOCAL.stem = stem
    return stem


def _memo() -> dict[str, tuple[str, ...]]:
    memo: dict[str, tuple[str, ...]] | None = getattr(_LOCAL, "memo", None)
    if memo is None:
        memo = _LOCAL.memo = {}
    return memo
