"""Slips of the keyboard in a question: a word that no one knows, a letter away from one that questions use.

Names are left alone (``companies`` reads those), and so is every word that is in the reader's vocabulary as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fin_tui.engine.questions.shorthand import written_out
from fin_tui.errors import MissingAsset
from fin_tui.facts.words import stem, words
from fin_tui.language import runs_of

_WORD = re.compile(r"(?<![\w&./'’-])[A-Za-z]+(?![\w&./'’-])")
_SIGNS = "%$"
_SHORTEST = 5
"""Letters of a word from which on it may be a slip."""
_PLAIN = 7
"""Of a word that names nothing: short ones are a letter from others that are as good."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A text as it is read, and what was written otherwise: (as typed, as read)."""

    text: str
    slips: tuple[tuple[str, str], ...] = ()


class Spelling:
    """Corrects towards the words of some names and those that questions are made of."""

    def __init__(
        self,
        names: Iterable[str],
        is_word: Callable[[str], bool],
        plain_words: Callable[[], Iterable[str]],
        is_held: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """``names``: of figures; ``is_word``: whether a lower-case word is known as it stands, may raise ``MissingAsset``;
        ``is_held``: whether a filing has it: "issuer" is no slip of "issued".
        """
        self._names = tuple(names)
        self._is_word = is_word
        self._plain = plain_words
        self._is_held = is_held
        self._known: frozenset[str] = frozenset()

    def correct(self, text: str, is_company: Callable[[str], bool] = lambda _: False) -> Corrected:
        """``text`` with its slips mended, where the weights that know words are there; none that may be of a company's name."""
        slips: list[tuple[str, str]] = []

        def mended(match: re.Match[str]) -> str:
            typed = match.group()
            # A capital within a text makes a name; its first word has one anyway.
            if typed[1:] != typed[1:].lower() or (typed[0].isupper() and text[: match.start()].strip()):
                return typed
            meant = self._meant(typed.lower())
            if not meant or is_company(typed):
                return typed
            slips.append((typed, meant))
            return meant.capitalize() if typed[0].isupper() else meant

        try:
            read = _WORD.sub(mended, text)
        except MissingAsset:
            return Corrected(text)
        return Corrected(read, tuple(slips))

    def knows_none(self, text: str) -> bool:
        """Whether ``text`` is made of words of which neither the reader nor a filing knows any: keys hit at random. A sign of an
        amount says something ("% chg?").
        """
        typed = [] if any(sign in text for sign in _SIGNS) else runs_of(written_out(text).lower())
        try:
            return bool(typed) and not any(word.isdigit() or self._is_word(word) or self._is_held(word) for word in typed)
        except MissingAsset:
            return False

    def _meant(self, word: str) -> str:
        """The one word that ``word`` is a slip of; "" for none or several."""
        if len(word) < _SHORTEST or any(map(self._is_word, (word, word.removesuffix("s"), stem(word)))):
            return ""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        if any(_form(known) == _form(word) for known in self._words):
            return ""
        near = [known for known in self._words if known[0] == word[0]]
        found = process.extract(word, near, scorer=OSA.distance, score_cutoff=1, limit=2)
        if not found or (len(found) > 1 and found[1][1] == found[0][1] and _form(found[0][0]) != _form(found[1][0])):
            return ""
        return "" if self._is_held(word) else str(found[0][0])

    @property
    def _words(self) -> frozenset[str]:
        if not self._known:
            named = {word for text in self._names for word in runs_of(text.lower()) if len(word) >= _SHORTEST}
            # Those of questions are as people typed them.
            plain = {word for word in self._plain() if word.isalpha() and len(word) >= _PLAIN and self._is_word(word)}
            self._known = frozenset(named | plain)
        return self._known


def _form(word: str) -> str:
    """The stem in American spelling."""
    return words(word)[0].stem
