"""A sentence -> the passages it rests on, by matching its words and numbers (pure).

Citations are attached afterwards: small models write none, or wrong ones. A marker a model does write is kept only where the
passage it names bears the sentence out; every number that resolves to no passage is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from fin_tui.engine.evidence.alignment import objection
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.evidence.verify import numbers_unsupported
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Sentence
from fin_tui.retrieval.tokens import tokenize

MARKER = re.compile(r"\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]")
GROUNDED = 0.62
"""Share of a sentence's content words that a passage must hold. Chosen so that a faithful paraphrase passes and a sentence that
only shares the topic does not."""
_OWN = 0.34
"""Share that it must hold by itself, whatever of the rest the question said."""
_NEIGHBOUR = 0.12
"""A second passage is cited too when it alone covers nearly as much."""
_MOST = 2
_GAPS = {"": " ", "line": "\n", "paragraph": "\n\n"}
_OWN_VOICE = "the company we our says states reports according also including"


@dataclass(frozen=True, slots=True)
class Window:
    """Two neighbouring sentences or rows: a claim is borne out in one place, not by words picked from a page."""

    text: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Source:
    """A passage made ready for matching."""

    number: int
    text: str
    windows: tuple[Window, ...]
    names: frozenset[str]
    """Tokens of the whole passage, its company and its heading: who and what may be named."""
    scale: int

    def match(self, words: Set[str], known: Set[str] = frozenset()) -> tuple[float, str]:
        """The largest share of ``words`` that one window holds, and the text of that window.

        ``known`` words, as the question's own, may be missing as long as the window holds ``_OWN`` of all.
        """
        if not words or not self.windows:
            return 0.0, ""
        best = max(self.windows, key=lambda window: len(words & window.words))
        held = len(words & best.words)
        asked = len(words & known - best.words) if held >= _OWN * len(words) else 0
        return held / (len(words) - asked), best.text


def prepare(passages: Sequence[Passage]) -> tuple[Source, ...]:
    """Passages with their words, once for all sentences of an answer."""
    return tuple(_source(passage) for passage in passages)


def _source(passage: Passage) -> Source:
    """The name of the company, the heading and the words for a company's own voice belong to every window."""
    shared = frozenset(tokenize(f"{passage.citation.company} {passage.citation.heading} {_OWN_VOICE}"))
    lines = passage.text.split("\n") if passage.kind == "table" else [passage.text[a:b] for a, b in split_sentences(passage.text)]
    words = [frozenset(tokenize(line)) for line in lines]
    pairs = zip(zip(lines, [*lines[1:], ""], strict=True), zip(words, [*words[1:], frozenset()], strict=True), strict=True)
    windows = tuple(Window(f"{one}\n{two}", shared | first | second) for (one, two), (first, second) in pairs)
    return Source(passage.citation.id, passage.text, windows, shared.union(*words), passage.scale)


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


def attach(sentence: str, sources: Sequence[Source], known: Set[str] = frozenset()) -> Sentence:
    """``sentence`` with the numbers of the passages that bear it out, best first, or marked unsupported, with the reason.

    ``known``: tokens that need no support, as the question's own.
    """
    claimed = [int(number) for group in MARKER.findall(sentence) for number in group.split(",")]
    bare = MARKER.sub("", sentence).strip()
    words = _words(bare)
    ranked: list[tuple[float, int]] = []
    against: list[tuple[float, str]] = []
    for source in sources:
        share, place = source.match(words, known) if words else (float(any(c.isdigit() for c in bare)), source.text)
        if missing := numbers_unsupported(bare, source.text, (source.scale,)):
            against.append((share, f"{missing[0].text} is not printed there"))
        elif share >= GROUNDED and (words_against := objection(bare, place, known=known, names=source.names)):
            against.append((share, words_against))
        else:
            ranked.append((share + (0.05 if source.number in claimed else 0.0), source.number))
    ranked.sort(key=lambda pair: (-pair[0], pair[1]))
    if not ranked or ranked[0][0] < GROUNDED:
        best_against = max(against, default=(0.0, ""), key=lambda pair: pair[0])
        why = best_against[1] if best_against[0] >= GROUNDED else "no passage says this"
        return Sentence(bare, (), "unsupported", why)
    best = ranked[0][0]
    numbers = tuple(number for share, number in ranked[:_MOST] if share >= max(GROUNDED, best - _NEIGHBOUR))
    return Sentence(bare, numbers, "grounded")


def _words(sentence: str) -> set[str]:
    """Content words without the numbers, which are compared by value."""
    for number in reversed(list(find_numbers(sentence))):
        sentence = sentence[: number.start] + " " + sentence[number.end :]
    return set(tokenize(sentence))


def with_markers(sentences: Sequence[Sentence]) -> str:
    """One text with [n] behind each cited sentence: "… partners. [1]"; paragraphs apart, each bullet on a line of its own."""
    return joined([(sentence, "".join(f"[{number}]" for number in sentence.citations)) for sentence in sentences])


def joined(marked: Sequence[tuple[Sentence, str]]) -> str:
    """Sentences, each with what stands behind it, as one text."""
    text = ""
    for sentence, mark in marked:
        text += f"{_GAPS[sentence.opens] if text else ''}{sentence.text} {mark}".rstrip()
    return text
