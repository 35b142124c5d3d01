"""What changed between two texts, sentence by sentence (pure). Table rows are left out: their figures change every year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from fin_tui.language import split_sentences

_SAME_SENTENCE = 0.5
"""Share of common words in the same order from which a removed and an added sentence count as one that was changed."""
_SAME_MOVED = 0.75
_NOT_WORDS = re.compile(r"[^\w$%]+")
_WORD = re.compile(r"\S+")


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
        words = list(_WORD.finditer(self.new))
        matcher = SequenceMatcher(None, self.old.split(), [word.group() for word in words], autojunk=False)
        return tuple(
            (words[a].start(), words[b - 1].end()) for tag, _, _, a, b in matcher.get_opcodes() if tag in ("insert", "replace")
        )


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    key: str
    start: int


def compare_texts(old: str, new: str) -> tuple[Change, ...]:
    """Changes in the order of the new text. A sentence that only moved, or differs in punctuation or case, did not change."""
    before, after = _sentences(old), _sentences(new)
    held = ({sentence.key for sentence in before}, {sentence.key for sentence in after})
    matcher = SequenceMatcher(None, [s.key for s in before], [s.key for s in after], autojunk=False)
    changes: list[Change] = []
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            continue
        place = after[new_from].start if new_from < len(after) else len(new)
        removed = [s for s in before[old_from:old_to] if s.key not in held[1]]
        added = [s for s in after[new_from:new_to] if s.key not in held[0]]
        changes += _paired(removed, added, place)
    return tuple(_moved(changes))


def _sentences(text: str) -> list[_Sentence]:
    return list(_prose(text))


def _prose(text: str) -> Iterator[_Sentence]:
    for start, end in split_sentences(text):
        sentence = text[start:end]
        key = _key(sentence)
        if "\t" not in sentence and any(c.isalpha() for c in key):
            yield _Sentence(sentence, key, start)


def _key(text: str) -> str:
    return _NOT_WORDS.sub(" ", text).strip().casefold()


def _moved(changes: Sequence[Change]) -> Iterator[Change]:
    """Sentences that were both moved and changed count once: nearly the same words must be left for that."""
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    gone = {place: _key(change.old).split() for place, change in enumerate(changes) if change.kind == "removed"}
    before: dict[int, int] = {}
    for place, change in enumerate(changes):
        if change.kind == "added" and gone:
            words = _key(change.new).split()
            found = process.extractOne(words, gone, scorer=Indel.normalized_similarity, score_cutoff=_SAME_MOVED)
            if found is not None:
                before[place] = found[2]
                del gone[found[2]]
    for place, change in enumerate(changes):
        if place in before:
            yield Change("changed", changes[before[place]].old, change.new, change.start)
        elif change.kind != "removed" or place in gone:
            yield change


def _paired(removed: Sequence[_Sentence], added: Sequence[_Sentence], place: int) -> list[Change]:
    """Each added sentence with the removed one that is most like it, each used once; then what is left of the removed."""
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    left = [(sentence, sentence.key.split()) for sentence in removed]
    changes: list[Change] = []
    for sentence in added:
        words = sentence.key.split()
        like = Indel.normalized_similarity
        found = process.extractOne(words, [old for _, old in left], scorer=like, score_cutoff=_SAME_SENTENCE)
        if found is None:
            changes.append(Change("added", "", sentence.text, sentence.start))
        else:
            changes.append(Change("changed", left.pop(found[2])[0].text, sentence.text, sentence.start))
    changes += [Change("removed", sentence.text, "", place) for sentence, _ in left]
    return changes
