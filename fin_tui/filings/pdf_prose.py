"""Rows outside tables -> paragraphs, headings and list items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.filings.pdf_lines import HYPHEN, Row
from fin_tui.records import BlockKind

_ITEM_HEADING = re.compile(r"(?i)(?:part\s+[iv]{1,3}\b\W{0,3}\s*)?items?\s*\d{1,2}[abc]?\s*(?:[.:—–-]|and\b|&|,|\s*$|\s+[A-Z])")
_PART_HEADING = re.compile(r"(?i)part\s+[iv]{1,3}\s*[.:—–-]*\s*(?:financial information|other information)?$")
_SENTENCE_END = re.compile(r"[.!?:;][\"”’)\]]*\s*$")
_OVERHANG = re.compile(r"(?<=\bof)(?=[A-Z][a-z])")
"""Where an f leans into the space after it, the engine sees none."""
_MAX_HEADING = 240


@dataclass(frozen=True, slots=True)
class Style:
    """What is usual in a document, so that what stands out can be told from it."""

    size: float
    """Font size of most of the text, in points."""
    words: frozenset[str]
    """Lower-case words that stand in one piece somewhere: tells which hyphens at line ends belong to the word."""


@dataclass(slots=True)
class Passage:
    """A paragraph, heading or list item in the making."""

    kind: BlockKind
    text: str
    level: int = 0


def style_of(pages: Iterable[Sequence[Row]]) -> Style:
    """The style of a document from the rows of its pages."""
    sizes: Counter[float] = Counter()
    words: set[str] = set()
    for rows in pages:
        for row in rows:
            sizes[round(row.size * 2) / 2] += len(row.words)
            words.update(word.text.strip(".,;:()“”\"'").lower() for word in row.words if not word.text.endswith(HYPHEN))
    return Style(sizes.most_common(1)[0][0] if sizes else 10.0, frozenset(words))


def passages(rows: Sequence[Row], left: float, right: float, style: Style) -> list[Passage]:
    """``rows`` that stand one under another, outside tables, as passages; ``left`` and ``right`` bound their column."""
    groups: list[list[Row]] = []
    for row in rows:
        if groups and not _breaks(groups[-1], row, left, right):
            groups[-1].append(row)
        else:
            groups.append([row])
    return [_passage(group, style, (left + right) / 2, right - left) for group in groups]


def _breaks(group: Sequence[Row], row: Row, left: float, right: float) -> bool:
    """Whether ``row`` begins a new passage after ``group``."""
    last = group[-1]
    gap = row.y - last.y
    usual = group[1].y - group[0].y if len(group) > 1 else 1.3 * max(row.size, last.size)
    if gap > 1.25 * usual + 0.15 * row.size or gap > 2.2 * row.size or gap < 0:
        return True
    if abs(row.size - last.size) > 0.12 * last.size:
        return True
    if row.bold != group[0].bold and (row.bold or all(r.bold for r in group)):
        return True
    if _ITEM_HEADING.match(row.text) and row.bold:
        return True
    if last.words[-1].text.endswith(HYPHEN):
        return False
    first = row.words[0]
    fitted = last.x1 + 0.3 * row.size + (first.x1 - first.x0) < right - 0.5 * row.size
    if row.marker and (fitted or not row.marker.isascii() or _SENTENCE_END.search(last.text) or not _flows_on(row)):
        return True
    open_line = not _SENTENCE_END.search(last.text) and (row.text[:1].islower() or last.x1 - left > 0.72 * (right - left))
    if fitted and not open_line:
        return True
    indented = row.x0 > last.x0 + 0.8 * row.size
    if indented and not group[0].marker and (len(group) > 1 or not row.text[:1].islower()) and _SENTENCE_END.search(last.text):
        return True
    return bool(group[0].marker) and row.x0 < group[0].x0 - 0.5 * row.size


def _flows_on(row: Row) -> bool:
    """Whether the enumerator that the row starts with may as well be part of a running sentence: "(ii) dividends on …"."""
    return len(row.words) > 1 and row.words[1].x0 - row.words[0].x1 < 0.6 * row.size and row.marker not in "-*o"


def _passage(group: Sequence[Row], style: Style, centre: float, width: float) -> Passage:
    text = join_lines([row.text for row in group], style.words)
    level = _heading_level(group, text, style) or 3 * _is_centred_title(group, text, centre, width)
    if level:
        return Passage(BlockKind.HEADING, text, level)
    if group[0].marker:
        return Passage(BlockKind.LIST, text)
    return Passage(BlockKind.PARAGRAPH, text)


def join_lines(lines: Sequence[str], words: frozenset[str]) -> str:
    """One line of ``lines``. A hyphen at the end of a line goes when the word stands without it elsewhere (``words``)."""
    out = ""
    for line in lines:
        if out.endswith(HYPHEN):
            head, tail = out[:-1].split(" ")[-1], line.split(" ")[0]
            whole = (head + tail).strip(".,;:()“”\"'").lower()
            out = out[:-1] + ("" if whole in words and whole.isalpha() else "-") + line
        else:
            out = f"{out} {line}" if out else line
    return _OVERHANG.sub(" ", out.replace(HYPHEN, "-"))


def _heading_level(group: Sequence[Row], text: str, style: Style) -> int:
    """1 for a Part or Item, 2 to 4 for other headings by how much they stand out; 0 for none."""
    if len(group) > 4 or len(text) > _MAX_HEADING or not any(c.isalpha() for c in text):
        return 0
    bold = all(row.bold for row in group)
    upper = text.isupper() and len(text) > 3
    size = group[0].size
    sentence = bool(re.search(r"[.;,]$", text)) and len(text.split()) > 8
    marked = upper or all(word.bold for word in group[0].words[:3])
    plain = text[:4] in ("Item", "Part") and len(text) < 120
    if not sentence and (marked or plain) and (_PART_HEADING.match(text) or _ITEM_HEADING.match(text)):
        return 1
    if text.endswith((",", ";")) or (sentence and not upper) or text.startswith("("):
        return 0
    if len(group) > 3 or len(text.split()) > 28:
        return 0
    if size > 1.12 * style.size or (upper and bold):
        return 2
    if bold or (upper and len(text.split()) > 1 and not text.endswith(".")):
        return 3
    italic = all(row.italic for row in group)
    return 4 if italic and len(group) == 1 and len(text.split()) <= 12 and not text.endswith(".") else 0


def _is_centred_title(group: Sequence[Row], text: str, centre: float, width: float) -> bool:
    """Whether a single line stands centred, short and capitalised like a title: statements in plain type have such."""
    row = group[0]
    if (
        len(group) > 1
        or row.marker
        or row.x1 - row.x0 > 0.6 * width
        or width < 20 * row.size
        or abs((row.x0 + row.x1) / 2 - centre) > 0.02 * width
    ):
        return False
    long = [word for word in text.split() if len(word) > 3]
    return bool(long) and all(word[0].isupper() for word in long) and not text.endswith((".", ",", ";"))
