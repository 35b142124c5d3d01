"""Two texts sentence by sentence: what one says that the other does not, or says in other words (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from fin_tui.language import UNBROKEN, runs_of, split_sentences

_SAME_SENTENCE = 0.5
"""Share of common words in the same order from which a removed and an added sentence count as one that was changed."""
_SAME_MOVED = 0.75
_FEWEST_WORDS = 3
"""Of a sentence: "• Second Quarter." is none."""
_SIGNS = "_$%"
"""Count as letters where sentences are compared."""


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence that one text has and the other has not, or has in other words."""

    kind: Literal["added", "removed", "changed"]
    old: str
    new: str
    start: int
    """Where it stands in the new text; for a removed one, where it would."""

    @property
    def new_words(self) -> tuple[tuple[int, int], ...]:
        """Spans of ``new`` whose words ``old`` has not."""
        if self.kind != "changed":
            return ()
        words = list(UNBROKEN.finditer(self.new))
        matcher = SequenceMatcher(None, self.old.split(), [word.group() for word in words], autojunk=False)
        return tuple(
            (words[a].start(), words[b - 1].end()) for tag, _, _, a, b in matcher.get_opcodes() if tag in ("insert", "replace")
        )


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    key: str
    start: int


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands in one place of two texts in other words."""

    gone: tuple[_Sentence, ...]
    come: tuple[_Sentence, ...]
    place: int
    """In the new text."""


def compare_texts(old: str, new: str) -> tuple[Change, ...]:
    """Changes in the order of the new text. A sentence that only moved, or differs in punctuation or case, did not change.

    One that moved and changed counts once where nearly the same words are left of it; in one place half of them are enough.
    """
    before, after = _sentences(old), _sentences(new)
    held = ({sentence.key for sentence in before}, {sentence.key for sentence in after})
    matcher = SequenceMatcher(None, [s.key for s in before], [s.key for s in after], autojunk=False)
    parts = [
        _Part(
            tuple(s for s in before[old_from:old_to] if s.key not in held[1]),
            tuple(s for s in after[new_from:new_to] if s.key not in held[0]),
            after[new_from].start if new_from < len(after) else len(new),
        )
        for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes()
        if tag != "equal"
    ]
    pairs = _pairs([s for part in parts for s in part.gone], [s for part in parts for s in part.come], _SAME_MOVED)
    for part in parts:
        known = set(pairs.values())
        pairs |= _pairs([s for s in part.gone if s not in known], [s for s in part.come if s not in pairs], _SAME_SENTENCE)
    return tuple(_changes(parts, pairs))


def _changes(parts: Sequence[_Part], pairs: Mapping[_Sentence, _Sentence]) -> Iterator[Change]:
    known = set(pairs.values())
    for part in parts:
        for new in part.come:
            old = pairs.get(new)
            yield Change("changed", old.text, new.text, new.start) if old else Change("added", "", new.text, new.start)
        yield from (Change("removed", old.text, "", part.place) for old in part.gone if old not in known)


def _pairs(gone: Sequence[_Sentence], come: Sequence[_Sentence], least: float) -> dict[_Sentence, _Sentence]:
    """New sentence -> old one that it changes, the most alike pairs first, each sentence once."""
    import numpy as np
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    if not gone or not come:
        return {}
    words = [[sentence.key.split() for sentence in side] for side in (come, gone)]
    alike = process.cdist(*words, scorer=Indel.normalized_similarity, score_cutoff=least)
    found: dict[_Sentence, _Sentence] = {}
    taken: set[int] = set()
    rows, columns = np.nonzero(alike)
    for at in np.argsort(-alike[rows, columns], kind="stable"):
        new, old = come[rows[at]], int(columns[at])
        if new not in found and old not in taken:
            found[new] = gone[old]
            taken.add(old)
    return found


def _sentences(text: str) -> list[_Sentence]:
    return list(_prose(text))


def _prose(text: str) -> Iterator[_Sentence]:
    for start, end in split_sentences(text):
        sentence = text[start:end]
        key = _key(sentence)
        if "\t" not in sentence and len(runs_of(key)) >= _FEWEST_WORDS:
            yield _Sentence(sentence, key, start)


def _key(text: str) -> str:
    return " ".join(runs_of(text, _SIGNS)).casefold()
