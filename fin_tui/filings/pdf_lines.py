"""Positioned words -> rows: words on one baseline, cut into segments at wide gaps.

All coordinates are points in reading direction: ``x`` grows to the right, ``y`` downwards, and the text runs along ``x`` whatever
the rotation of the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

HYPHEN = "\ufffe"
"""Ends a word that was cut by a hyphen at the end of its line; whether the hyphen belongs to the word is decided later."""

_SEGMENT_GAP = 0.85
"""In ems. Justified prose stays below it on most lines, table columns above."""
_VALUE_GAP = 0.5
_BULLETS = frozenset("☐☑☒✓•●○◦▪■□▶►◆∙·§–—-*oØ➤\uf0b7")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,5})[.)]|\*{1,3}|[†‡]")
_ITEM = re.compile(
    r"(?i)(?:part\s+[iv]{1,3}[.,—–-]?\s*)?items?\s*\d{1,2}[abc]?\s*[.:—–-]?|part\s+[iv]{1,3}\.?|notes?\s*\d{1,2}\s*[.:—–-]?"
)
VALUE = re.compile(
    r"""(?ix) [($€£¥+\-–—\s]* (?: \d[\d,]*(?:\.\d+)? | \.\d+ ) \s* (?:%|x|bps|pts?\.?|pp)? [\s)%]* (?:\(?[a-z*\d]\))?
    | \(?[—–‒―-]{1,3}\)?\s*%? | [$€£¥]\s*[—–-]{1,2} | n/?a | n\.a\. | n/?m | n\.m\.f?\.? | \*{1,3} | [†‡]"""
)
_YEAR = re.compile(r"(?:19|20)\d\d(?:\s*\(?[a-z\d*]\))?")
_SIGNS, _CLOSERS = "($€£¥", ")%"


@dataclass(slots=True)
class Word:
    """A run of characters without white space."""

    text: str
    x0: float
    x1: float
    y: float
    """Baseline."""
    size: float
    """Font size in points as drawn."""
    bold: bool = False
    italic: bool = False
    spaced: bool = True
    """A space stands before it in the file: then it is not a piece of the word before it, however close that is."""


@dataclass(slots=True)
class Segment:
    """Words of a row with no wide gap between them: a line of prose, or a table cell."""

    words: list[Word]
    text: str
    x0: float
    x1: float
    left: float
    """Like ``x0``, with a currency sign that stands off to the left counted in."""
    is_value: bool
    """A number, a dash, or a mark that stands for a missing number."""

    @property
    def is_year(self) -> bool:
        return bool(_YEAR.fullmatch(self.text))


@dataclass(slots=True)
class Row:
    """Words that share a baseline, left to right."""

    words: list[Word]
    y: float
    size: float
    segments: list[Segment] = field(default_factory=list)
    marker: str = ""
    """Bullet or enumerator that the row starts with and that stands apart from its text."""

    @property
    def x0(self) -> float:
        return self.segments[0].left

    @property
    def x1(self) -> float:
        return self.segments[-1].x1

    @property
    def text(self) -> str:
        return " ".join(segment.text for segment in self.segments)

    @property
    def bold(self) -> bool:
        return all(word.bold for word in self.words)

    @property
    def italic(self) -> bool:
        return all(word.italic for word in self.words)


def with_doubled_letters(pages: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """The words of all pages, those put together again that the engine cut for want of a letter: of two like letters that are
    drawn into each other it drops the second, and reads "af ect". Together with it they are a word that the file has elsewhere,
    and has more often than one of the pieces.
    """
    known = Counter(_bare(word.text) for page in pages for word in page)
    mended = []
    for page in pages:
        kept: list[Word] = []
        for word in page:
            before = kept[-1] if kept else None
            if before is not None and (whole := _doubled(before, word, known)):
                kept[-1] = replace(before, text=whole, x1=word.x1)
            else:
                kept.append(word)
        mended.append(kept)
    return mended


def _doubled(first: Word, second: Word, known: Counter[str]) -> str:
    """The word that two pieces on one line are, with the last letter of the first twice; "" where they are none."""
    gap = second.x0 - first.x1
    if first.y != second.y or first.size != second.size or not -first.size < gap < first.size:
        return ""
    last = first.text[-1]
    if not (last.isalpha() and last.islower() and second.text[0].islower()):
        return ""
    whole = f"{first.text}{last}{second.text}"
    times = known[_bare(whole)]
    return whole if times > min(known[_bare(first.text)], known[_bare(second.text)]) else ""


def _bare(word: str) -> str:
    """A word in lower case, without the signs around it."""
    return word.strip(".,;:?!()[]“”\"'’‘").lower()


def build_rows(words: Sequence[Word]) -> list[Row]:
    """Rows of ``words`` from the top of the page down, superscripts with the row they belong to."""
    clusters: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (w.y, w.x0)):
        last = clusters[-1] if clusters else None
        if last and word.y - last[0].y <= 0.25 * max(word.size, last[0].size):
            last.append(word)
        else:
            clusters.append([word])
    return [row for cluster in _join_raised(clusters) if (row := make_row(cluster)) is not None]


def _join_raised(clusters: list[list[Word]]) -> list[list[Word]]:
    """Put clusters of small print (footnote marks, "st", "®") into the neighbouring cluster that they are raised or sunk from."""
    sizes = [max(word.size for word in cluster) for cluster in clusters]
    joined: list[list[Word]] = []
    carried: list[Word] = []
    for index, cluster in enumerate(clusters):
        size, y = sizes[index], cluster[0].y
        short = len(cluster) <= 6 and all(len(word.text) <= 6 for word in cluster)
        if (
            short
            and index + 1 < len(clusters)
            and size < 0.85 * sizes[index + 1]
            and clusters[index + 1][0].y - y < 0.6 * sizes[index + 1]
        ):
            carried += cluster
        elif (
            short
            and joined
            and not carried
            and size < 0.85 * sizes[index - 1]
            and y - clusters[index - 1][0].y < 0.4 * sizes[index - 1]
        ):
            joined[-1] += cluster
        else:
            joined.append(cluster + carried)
            carried = []
    return joined


def make_row(words: list[Word]) -> Row | None:
    """The row of ``words``; None when only leader dots are left of it."""
    words = _without_leaders(sorted(words, key=lambda word: word.x0))
    if not words:
        return None
    largest = max(word.size for word in words)
    main = max((word for word in words if word.size > 0.85 * largest), key=lambda word: len(word.text))
    for word in words[1:]:
        if word.size < 0.85 * main.size and main.y - word.y > 0.12 * main.size and _is_raised_mark(word.text):
            word.text, word.spaced = f"({word.text})", True
    row = Row(words, main.y, main.size)
    row.segments = _joined_signs(_segments(words, main.size))
    _mark(row)
    return row


def _is_raised_mark(text: str) -> bool:
    """A footnote mark; written "(1)" in the text, so that it is not read as a digit of the number or word before it."""
    is_letter = len(text) == 1 and text.isascii() and text.islower()
    return is_letter or all(mark.isdecimal() and len(mark) <= 2 for mark in text.split(","))


def _is_note_mark(text: str) -> bool:
    """ "1", "(a)", "12)"."""
    mark = text.removeprefix("(").removesuffix(")")
    return len(text) <= 3 and (mark.isdecimal() or (len(mark) == 1 and mark.isascii() and mark.islower()))


def _without_leaders(words: list[Word]) -> list[Word]:
    """``words`` without runs of three or more lone dots."""
    dots = [word.text.strip("._…") == "" and word.text != "_" for word in words]
    if sum(dots) < 3:
        return [word for word, dot in zip(words, dots, strict=True) if not (dot and len(word.text) > 3)]
    kept: list[Word] = []
    for index, word in enumerate(words):
        run = dots[index] and any(dots[max(0, index - 2) : index] + dots[index + 1 : index + 3])
        if not run:
            kept.append(word)
    return kept


def _segments(words: list[Word], size: float) -> list[Segment]:
    groups: list[list[Word]] = [[words[0]]]
    for before, word in pairwise(words):
        gap = word.x0 - before.x1
        values = _is_value_word(before) and _is_value_word(word)
        if gap > (_VALUE_GAP if values else _SEGMENT_GAP) * size:
            groups.append([word])
        else:
            groups[-1].append(word)
    return [make_segment(group) for group in groups]


def _is_value_word(word: Word) -> bool:
    return word.text[-1:].isdigit() or word.text[-1:] in ")%—*" or word.text[:1] in "$€£¥"


def make_segment(words: list[Word]) -> Segment:
    """The segment of ``words``, which stand left to right."""
    parts = [words[0].text]
    for before, word in pairwise(words):
        gap = word.x0 - before.x1
        # The engine parts words where baseline or font change, and filers leave a space before punctuation.
        joined = (not word.spaced and gap < 0.12 * word.size) or (
            word.text[0] in ",.;:)”%" and gap < 0.4 * word.size and word.text[1:2] != "."
        )
        parts.append(word.text if joined else " " + word.text)
    text = "".join(parts)
    return Segment(words, text, words[0].x0, words[-1].x1, words[0].x0, bool(VALUE.fullmatch(text)))


def _is_of(text: str, signs: str) -> bool:
    """Whether ``text`` is made of ``signs`` and blanks."""
    return bool(text) and all(char in signs or char.isspace() for char in text)


def _joined_signs(segments: list[Segment]) -> list[Segment]:
    """``segments`` with lone currency signs and brackets joined to the number that they belong to."""
    out: list[Segment] = []
    pending: Segment | None = None
    for segment in segments:
        if pending is not None:
            if segment.is_value or segment.text[:1].isdigit():
                text = pending.text.replace(" ", "") + segment.text
                segment = Segment(pending.words + segment.words, text, segment.x0, segment.x1, pending.left, segment.is_value)
            else:
                out.append(pending)
            pending = None
        if _is_of(segment.text, _SIGNS):
            pending = segment
        elif out and out[-1].is_value and _is_of(segment.text, _CLOSERS):
            last = out[-1]
            last.text += segment.text.replace(" ", "")
            last.words += segment.words
            last.x1 = segment.x1
        else:
            out.append(segment)
    return out if pending is None else [*out, pending]


def _mark(row: Row) -> None:
    """Note a bullet, an enumerator or "Item 7." that stands apart from the text, and join it to that text."""
    first = row.segments[0]
    head = first.words[0].text
    bullet = len(head) == 1 and head in _BULLETS
    raised = len(row.words) > 1 and first.words[0].size < 0.85 * row.size and _is_note_mark(head)
    marks = bullet or raised or bool(_ENUMERATOR.fullmatch(head))
    if marks and len(row.words) > 1 and not all(segment.is_value for segment in row.segments):
        row.marker = head
    if len(row.segments) < 2:
        return
    second = row.segments[1]
    alone = first.text == row.marker or bool(_ITEM.fullmatch(first.text))
    if alone and not second.is_value and (len(row.segments) == 2 or row.marker in _BULLETS):
        merged = make_segment(first.words + second.words)
        merged.text = f"{first.text} {second.text}"
        row.segments[:2] = [merged]
