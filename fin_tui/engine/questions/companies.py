"""Which companies of the library a question names.

A company is named by what it is called (see ``company_aliases``) and by its ticker. A leading word may be mistyped by a letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.company_aliases import Aliases, Keys, Words
from fin_tui.engine.questions.company_words import LEGAL_FORMS, NEVER, Token, name_words, split_words
from fin_tui.engine.questions.periods import Periods
from fin_tui.records import Filing

_PERIOD = re.compile(r"FY['’]?\d{2,4}|Q[1-4]", re.I)
_FUZZY_LENGTH = 5
_FUZZY_LOWER = 7
"""In a text without capitals any word may be a name, so that a short one is not taken for a slip of it."""
_TWO_SLIPS = 9
"""From this length on two letters may be wrong."""
_MOST_WORDS = 6
_ARTICLES = frozenset("a an the our its their any each no this that".split())


@dataclass(frozen=True, slots=True)
class Named:
    """A company named in a question."""

    keys: tuple[str, ...]
    """All company keys that stand for it: older filings may know it by another number."""
    name: str
    start: int
    """Where in the question it is named."""
    end: int
    periods: Periods | None = None
    """Its own periods, where the question gives each company some: "Apple FY2021-2024 and NVIDIA FY2022-2025"."""
    is_slip: bool = False
    """It is spelled otherwise than any of its names."""


class CompanyIndex:
    """Finds the companies of some filings in a text. Cheap enough to be made for each question."""

    def __init__(self, filings: Iterable[Filing]) -> None:
        self._called = Aliases(filings)

    def find(self, text: str, *, is_name: bool = False) -> tuple[Named, ...]:
        """The companies that ``text`` names, in order, each once. Of what ``is_name``, short words may be slips, too."""
        tokens = split_words(text)
        has_capitals = is_name or any(token.text[0].isupper() and not _PERIOD.fullmatch(token.text) for token in tokens)
        found: list[Named] = []
        taken: set[str] = set()
        at = 0
        while at < len(tokens):
            keys, used = self._match(tokens, at, has_capitals)
            is_slip = not keys
            if is_slip:
                keys, used = self._mistyped(tokens[at], has_capitals, is_name=is_name), 1
            if keys and not keys & taken:
                newest = self._called.newest_name(keys)
                used += _rest_of(name_words(newest), tokens[at + used :])
                used += _legal_form(tokens, at + used, text)
                found.append(Named(tuple(sorted(keys)), newest, tokens[at].start, tokens[at + used - 1].end, is_slip=is_slip))
                taken |= keys
            at += max(used, 1)
        return tuple(found)

    def _match(self, tokens: Sequence[Token], at: int, has_capitals: bool) -> tuple[Keys, int]:
        for count in range(min(_MOST_WORDS, len(tokens) - at), 0, -1):
            words = tuple(token.folded for token in tokens[at : at + count])
            keys = self._called.words.get(words) or (self._called.words.get(_singular(words)) if count > 1 else None)
            if keys and _looks_like_name(tokens, at, count, has_capitals):
                return keys, count
        token = tokens[at]
        as_ticker = self._called.tickers.get(token.text.upper())
        if as_ticker and (token.text.isupper() or not has_capitals) and (len(token.text) > 1 or token.possessive):
            return as_ticker, 1
        if token.text in self._called.pairs:
            return self._called.pairs[token.text], 1
        return frozenset(), 1

    def _mistyped(self, token: Token, has_capitals: bool, *, is_name: bool) -> Keys:
        shortest = _FUZZY_LENGTH if has_capitals else _FUZZY_LOWER
        is_common = has_capitals and not token.text[0].isupper() and not is_name
        if len(token.folded) < shortest or is_common or token.folded in NEVER:
            return frozenset()
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        heads = [words[0] for words in self._called.words if len(words) == 1 and words[0][0] == token.folded[0]]
        heads = [head for head in heads if len(head) >= _FUZZY_LENGTH]
        slips = 2 if len(token.folded) >= _TWO_SLIPS else 1
        match = process.extractOne(token.folded, heads, scorer=OSA.distance, score_cutoff=slips)
        return frozenset() if match is None else self._called.words[(match[0],)]


def _rest_of(name: Words, behind: Sequence[Token]) -> int:
    """How many words of a name stand behind its first, which may be mistyped."""
    return next(
        (at for at, (word, token) in enumerate(zip(name[1:], behind, strict=False)) if token.folded != word),
        min(len(name) - 1, len(behind)),
    )


def _legal_form(tokens: Sequence[Token], at: int, text: str) -> int:
    """How many words from ``at`` on are the legal form of the name before them: "Acme Corp", "Acme, Inc."."""
    count = 0
    while at + count < len(tokens) and tokens[at + count].folded in LEGAL_FORMS - {"the", "de", "se"}:
        if text[tokens[at + count - 1].end : tokens[at + count].start].strip(" .,"):
            break
        count += 1
    return count


def _singular(words: Words) -> Words:
    """A possessive typed without its apostrophe: "procter and gambles"."""
    return (*words[:-1], words[-1].removesuffix("s"))


def _looks_like_name(tokens: Sequence[Token], at: int, count: int, has_capitals: bool) -> bool:
    """Whether a company called by a common word ("target") is meant: by a capital, an 's, or a text typed without capitals."""
    token = tokens[at]
    if count > 1 or not token.text[0].islower():
        return True
    after_article = at > 0 and tokens[at - 1].folded in _ARTICLES
    return not after_article and (tokens[at].possessive or not has_capitals)
