"""Whether a place of a filing says what a sentence says, beyond sharing its words (pure).

Sharing most words is not saying the same: "demand declined" shares all but one with "demand grew", and half of one sentence
joined to an invention shares enough. What is compared here: names, what is denied, the direction of change, and stretches of the
sentence that the place has no word for.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache

from fin_tui.retrieval.tokens import tokenize

_FOREIGN = 4
"""So many content words in a row that neither the place nor the question has make a claim of their own."""
_REACH = 3
"""Content words beside a denial or a direction that it is about."""
_PUNCTUATION = ".,;:!?()[]{}\"'“”‘’«»•*–—"
_DENIALS = frozenset("not no never none neither nor cannot without".split())
_AUXILIARIES = frozenset("do doe did".split())
_OPPOSITES = (
    (
        "increase increased rose rise risen grow grew grown growth higher up improve improved",
        "decrease decreased decline declined fell fall fallen lower down drop dropped reduced reduction shrank deteriorated",
    ),
    ("more greater", "less fewer"),
    ("maximum most largest highest", "minimum least smallest lowest"),
    ("before prior", "after"),
    ("favorable", "unfavorable"),
    ("gain profit", "loss"),
    ("include included", "exclude excluded"),
    ("domestic", "foreign international"),
    ("able", "unable"),
)


@dataclass(frozen=True, slots=True)
class _Word:
    surface: str
    tokens: frozenset[str]
    ends: bool
    """It is the last of its sentence."""


def objection(sentence: str, place: str, *, known: Set[str] = frozenset(), names: Set[str] = frozenset()) -> str | None:
    """Why ``place`` does not say what ``sentence`` says, in a few words for people; ``None`` where nothing speaks against it.

    ``known``: tokens that need no support, as the question's own. ``names``: tokens of what may be named besides, as the
    whole passage and its company. Numbers are not looked at here.
    """
    said, there = _words(sentence), _words(place)
    held = frozenset().union(*(word.tokens for word in there)) if there else frozenset()
    if name := _unknown_name(sentence, held | names):
        return f"{name} is not named there"
    if _denies(said, there) or _denies(there, said, others_must_hold=True):
        return "one of the two denies what the other says"
    if turn := _opposite(said, there):
        return turn
    if run := _foreign_run(said, held | known):
        return f"nothing there about “{run}”"
    return None


def _words(text: str) -> list[_Word]:
    """Content words and denials in order."""
    words = []
    for surface in text.replace("n't", " not").replace("n’t", " not").replace(" up to ", " ").split():
        tokens = frozenset(token for token in tokenize(surface) if not token.lstrip("-")[:1].isdigit())
        if tokens - _AUXILIARIES:
            words.append(_Word(surface.strip(_PUNCTUATION), tokens, surface[-1] in ".!?"))
    return words


def _unknown_name(sentence: str, known: Set[str]) -> str | None:
    """A capitalised word inside the sentence, or one in capitals, none of whose tokens is known."""
    starts = True
    for word in sentence.split():
        bare = word.strip(_PUNCTUATION)
        if (bare[:1].isupper() and not starts) or (len(bare) > 1 and bare.isupper()):
            tokens = {*tokenize(bare), *tokenize(word)}
            if tokens and known.isdisjoint(tokens):
                return bare
        starts = word[-1] in ".!?:;•" or word[0] in "\"“‘'(•"
    return None


def _is_denial(word: _Word) -> bool:
    return not word.tokens.isdisjoint(_DENIALS)


def _beside(words: Sequence[_Word], at: int) -> frozenset[str]:
    """The tokens of the words near one, within its sentence."""
    first = next((one + 1 for one in range(at - 1, -1, -1) if words[one].ends), 0)
    last = next((one for one in range(at, len(words)) if words[one].ends), len(words) - 1)
    near = [*words[max(first, at - _REACH) : at], *words[at + 1 : min(last, at + _REACH) + 1]]
    return frozenset(token for word in near if not _is_denial(word) for token in word.tokens)


def _denies(text: Sequence[_Word], other: Sequence[_Word], *, others_must_hold: bool = False) -> bool:
    """``text`` denies something that ``other`` does not deny.

    ``others_must_hold``: only what ``other`` says in all its words counts, as a place denies much that a sentence leaves out.
    """
    denied_there = [_beside(other, at) for at, word in enumerate(other) if _is_denial(word)]
    all_there = frozenset().union(*(word.tokens for word in other)) if other else frozenset()
    for at, word in enumerate(text):
        if not _is_denial(word):
            continue
        behind = [one.tokens for one in text[at + 1 : at + 1 + _REACH]]
        if others_must_hold and (len(behind) < 2 or any(tokens.isdisjoint(all_there) for tokens in behind)):
            continue
        about = _beside(text, at)
        if not any(about & near for near in denied_there):
            return True
    return False


def _opposite(said: Sequence[_Word], there: Sequence[_Word]) -> str | None:
    """A direction that the place tells the other way of the same matter."""
    for sides in _opposites():
        for word, mine, about in _turns(said, sides):
            theirs = [(len(about & near), side, other) for other, side, near in _turns(there, sides)]
            if not theirs:
                continue
            same = max((score for score, side, _ in theirs if side == mine), default=-1)
            score, other = max(((score, other) for score, side, other in theirs if side != mine), default=(-1, ""))
            if score > same:
                return f"it says “{other}” there, not “{word}”"
    return None


def _turns(words: Sequence[_Word], sides: tuple[frozenset[str], frozenset[str]]) -> list[tuple[str, int, frozenset[str]]]:
    """Each word of one of the two sides, which side, and the words beside it."""
    return [
        (word.surface, side, _beside(words, at))
        for at, word in enumerate(words)
        for side in (0, 1)
        if not word.tokens.isdisjoint(sides[side])
    ]


@cache
def _opposites() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    return tuple((frozenset(tokenize(one)), frozenset(tokenize(other))) for one, other in _OPPOSITES)


def _foreign_run(said: Sequence[_Word], known: Set[str]) -> str | None:
    run: list[str] = []
    for word in said:
        if not word.tokens.isdisjoint(known) or _is_denial(word):
            run = []
            continue
        run.append(word.surface)
        if len(run) == _FOREIGN:
            return " ".join(run)
    return None
