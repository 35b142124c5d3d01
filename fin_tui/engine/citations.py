"""A sentence -> the passages it rests on, by matching its words and numbers (pure).

Citations are attached afterwards: small models write none, or wrong ones. A marker a model does write is kept only where the
passage it names bears the sentence out; every number that resolves to no passage is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.engine.events import Passage
from fin_tui.engine.numbers import find_numbers
from fin_tui.engine.verify import numbers_unsupported
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Sentence
from fin_tui.retrieval.tokens import tokenize

MARKER = re.compile(r"\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]")
GROUNDED = 0.62
"""Share of a sentence's content words that a passage must hold. Chosen so that a faithful paraphrase passes and a sentence that
only shares the topic does not."""
_NEIGHBOUR = 0.12
"""A second passage is cited too when it alone covers nearly as much."""
_MOST = 2
_OWN_VOICE = "the company we our says states reports according also including"


@dataclass(frozen=True, slots=True)
class Source:
    """A passage made ready for matching."""

    number: int
    text: str
    windows: tuple[frozenset[str], ...]
    """Words of each two neighbouring sentences or rows: a claim is borne out in one place, not by words picked from a page."""
    scale: int

    def share(self, words: set[str]) -> float:
        """The largest share of ``words`` that one window holds."""
        return max((len(words & window) / len(words) for window in self.windows), default=0.0) if words else 0.0


def prepare(passages: Sequence[Passage]) -> tuple[Source, ...]:
    """Passages with their words, once for all sentences of an answer."""
    return tuple(Source(p.citation.id, p.text, _windows(p), p.scale) for p in passages)


def _windows(passage: Passage) -> tuple[frozenset[str], ...]:
    """The name of the company, the heading and the words for a company's own voice belong to every window."""
    shared = frozenset(tokenize(f"{passage.citation.company} {passage.citation.heading} {_OWN_VOICE}"))
    lines = passage.text.split("\n") if passage.kind == "table" else [passage.text[a:b] for a, b in split_sentences(passage.text)]
    words = [frozenset(tokenize(line)) for line in lines]
    return tuple(shared | words[at] | (words[at + 1] if at + 1 < len(words) else frozenset()) for at in range(len(words)))


def split_answer(text: str) -> list[str]:
    """The sentences of an answer, markers kept with the sentence they follow; list items and lines stand alone."""
    sentences: list[str] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        for start, end in split_sentences(line):
            piece = line[start:end].strip()
            while sentences and start > 0 and (marker := MARKER.match(piece)):
                sentences[-1] += f" {marker.group().strip()}"
                piece = piece[marker.end() :].strip()
            if piece:
                sentences.append(piece)
    return sentences


def attach(sentence: str, sources: Sequence[Source]) -> Sentence:
    """``sentence`` with the numbers of the passages that bear it out, best first, or marked unsupported."""
    claimed = [int(number) for group in MARKER.findall(sentence) for number in group.split(",")]
    bare = MARKER.sub("", sentence).strip()
    words = _words(bare)
    ranked: list[tuple[float, int]] = []
    for source in sources:
        if numbers_unsupported(bare, source.text, (source.scale,)):
            continue
        share = source.share(words) if words else float(any(c.isdigit() for c in bare))
        if source.number in claimed:
            share += 0.05
        ranked.append((share, source.number))
    ranked.sort(key=lambda pair: (-pair[0], pair[1]))
    if not ranked or ranked[0][0] < GROUNDED:
        return Sentence(bare, (), "unsupported")
    best = ranked[0][0]
    numbers = tuple(number for share, number in ranked[:_MOST] if share >= max(GROUNDED, best - _NEIGHBOUR))
    return Sentence(bare, numbers, "grounded")


def _words(sentence: str) -> set[str]:
    """Content words without the numbers, which are compared by value."""
    for number in reversed(list(find_numbers(sentence))):
        sentence = sentence[: number.start] + " " + sentence[number.end :]
    return set(tokenize(sentence))


def with_markers(sentences: Sequence[Sentence]) -> str:
    """One text with [n] behind each cited sentence, before its full stop's end: "… partners. [1]"."""
    parts = []
    for sentence in sentences:
        markers = "".join(f"[{number}]" for number in sentence.citations)
        parts.append(f"{sentence.text} {markers}".rstrip())
    return " ".join(parts)
