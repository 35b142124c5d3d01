"""A sentence -> the passages it rests on, by matching its words and numbers (pure).

Citations are attached afterwards: small models write none, or wrong ones. A marker a model does write is kept only where the
passage it names bears the sentence out; every number that resolves to no passage is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache

from fin_tui.engine.evidence import Passage, as_markdown
from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers
from fin_tui.language import split_sentences
from fin_tui.records import Sentence
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
_DONE_TO = (("benefit benefited positively favorably", "negatively adversely unfavorably harm harmed hurt"),)
"""What something does to what is named behind it: the same thing helps the one and harms the other."""


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
    for sides, is_behind in _opposites():
        for word, mine, about in _turns(said, sides, is_behind=is_behind):
            theirs = [(len(about & near), side, other) for other, side, near in _turns(there, sides, is_behind=is_behind)]
            if not theirs:
                continue
            same = max((score for score, side, _ in theirs if side == mine), default=-1)
            score, other = max(((score, other) for score, side, other in theirs if side != mine), default=(-1, ""))
            if score > same:
                return f"it says “{other}” there, not “{word}”"
    return None


def _turns(
    words: Sequence[_Word], sides: tuple[frozenset[str], frozenset[str]], *, is_behind: bool
) -> list[tuple[str, int, frozenset[str]]]:
    """Each word of one of the two sides, which side, and the words beside it, or just those behind it."""
    return [
        (word.surface, side, _beside(words[at:] if is_behind else words, 0 if is_behind else at))
        for at, word in enumerate(words)
        for side in (0, 1)
        if not word.tokens.isdisjoint(sides[side])
    ]


@cache
def _opposites() -> tuple[tuple[tuple[frozenset[str], frozenset[str]], bool], ...]:
    """The two sides of each pair, and whether only what stands behind such a word is what it is of."""
    pairs = [*((pair, False) for pair in _OPPOSITES), *((pair, True) for pair in _DONE_TO)]
    return tuple(((frozenset(tokenize(one)), frozenset(tokenize(other))), behind) for (one, other), behind in pairs)


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


def numbers_unsupported(sentence: str, source: str, scales: Sequence[int] = (1,)) -> tuple[Number, ...]:
    """The numbers of ``sentence`` that ``source`` doesn't print under any of ``scales``."""
    stated = tuple(find_numbers(sentence))
    if not stated:
        return ()
    printed = tuple(find_numbers(source))
    return tuple(number for number in stated if not _is_printed(number, printed, scales))


def _is_printed(number: Number, printed: Sequence[Number], scales: Sequence[int]) -> bool:
    if number.is_year:
        return any(other.value == number.value for other in printed)
    return any(agrees(number, other, scales) for other in printed)


MARKER = re.compile(r"\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
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
    """Tokens of the whole passage, its company by name and ticker, its heading, and the filing's form and year: who and what may
    be named."""
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


def prepare(passages: Sequence[Passage], called: str = "") -> tuple[Source, ...]:
    """Passages with their words, once for all sentences of an answer; ``called`` is what else their one company is called."""
    return tuple(_source(passage, called) for passage in passages)


def _source(passage: Passage, called: str) -> Source:
    """The name of the company, the heading and the words for a company's own voice belong to every window."""
    shared = frozenset(tokenize(f"{passage.citation.company} {passage.citation.heading} {_OWN_VOICE}"))
    lines = passage.text.split("\n") if passage.kind == "table" else [passage.text[a:b] for a, b in split_sentences(passage.text)]
    words = [frozenset(tokenize(line)) for line in lines]
    pairs = zip(zip(lines, [*lines[1:], ""], strict=True), zip(words, [*words[1:], frozenset()], strict=True), strict=True)
    windows = tuple(Window(f"{one}\n{two}", shared | first | second) for (one, two), (first, second) in pairs)
    citation = passage.citation
    filing = tokenize(f"{citation.ticker or ''} {citation.form} {called}")
    names = shared.union(filing, (f"fy{citation.fiscal_year}",), *words)
    return Source(passage.citation.id, passage.text, windows, names, passage.scale)


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
    words = _bare_words(bare)
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


def _bare_words(sentence: str) -> set[str]:
    """Content words without the numbers, which are compared by value."""
    for number in reversed(list(find_numbers(sentence))):
        sentence = sentence[: number.start] + " " + sentence[number.end :]
    return set(tokenize(sentence))


def with_markers(sentences: Sequence[Sentence]) -> str:
    """One text with [n] behind each cited sentence: "… partners. [1]"; paragraphs apart, each bullet on a line of its own."""
    return joined([(sentence, "".join(f"[{number}]" for number in sentence.citations)) for sentence in sentences])


def without_markers(text: str) -> str:
    """``text`` without the numbers of its sources: "… partners."."""
    return MARKER.sub("", text)


def joined(marked: Sequence[tuple[Sentence, str]]) -> str:
    """Sentences, each with what stands behind it (behind the title of a table), as one text."""
    text = ""
    is_table = False
    for sentence, mark in marked:
        gap = "\n\n" if is_table else _GAPS[sentence.opens]
        table = sentence.table
        is_table = table is not None
        said = f"{sentence.text} {mark}" if table is None else f"{table.title} {mark}\n\n{as_markdown(table)}".lstrip()
        text += f"{gap if text else ''}{said.rstrip()}"
    return text
