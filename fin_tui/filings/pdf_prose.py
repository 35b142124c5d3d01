"""Rows outside tables -> paragraphs, headings and list items, in reading order, without running headers and footers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fin_tui.filings.pdf_lines import HYPHEN, Row, build_rows, make_row
from fin_tui.language import any_of, ends_with_stop
from fin_tui.records import BlockKind

_ITEM_HEADING = re.compile(r"(?i)(?:part\s+[iv]{1,3}\b\W{0,3}\s*)?items?\s*\d{1,2}[abc]?\s*(?:[.:—–-]|and\b|&|,|\s*$|\s+[A-Z])")
_PART_TITLES = frozenset(("", "financial information", "other information"))
_OVERHANG = re.compile(r"(?<=\bof)(?=[A-Z][a-z])")
"""Where an f leans into the space after it, the engine sees none."""
_MAX_HEADING = 240
_RUN_IN = 3
"""Level of a heading with text in its last line."""
_NEXT_LINE, _SAME_SIZE = 2.2, 0.12
"""Of the font size: the farthest that a line is below the one it goes on from, and how much larger or smaller it may be."""
_FULL = 0.72
"""Share of the column from which on a line is so long that it may go on in the next."""


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
    run_in: set[int] = set()
    for row in rows:
        if groups and (ends := _run_in(groups[-1], row, left, right)) is not None:
            run_in.add(len(groups) - 1)
            groups[-1].append(ends[0])
            groups.append([ends[1]])
        elif groups and not _breaks(groups[-1], row, left, right):
            groups[-1].append(row)
        else:
            groups.append([row])
    return [
        _passage(group, style, (left + right) / 2, right - left) if at not in run_in else _heading(group, style)
        for at, group in enumerate(groups)
    ]


def _run_in(group: Sequence[Row], row: Row, left: float, right: float) -> tuple[Row, Row] | None:
    """The end of a bold heading in whose last line the text begins, and that text; None where ``group`` is none that goes on in
    ``row``.
    """
    last = group[-1]
    is_near = 0 <= row.y - last.y <= _NEXT_LINE * row.size and abs(row.size - last.size) <= _SAME_SIZE * last.size
    is_open = row.text[:1].islower() or last.x1 - left > _FULL * (right - left)
    if row.bold or not is_near or not is_open or not all(one.bold for one in group) or ends_with_stop(last.text):
        return None
    bold = next(at for at, word in enumerate(row.words) if not word.bold)
    if not bold or not ends_with_stop(row.words[bold - 1].text) or sum(len(one.text) for one in group) > _MAX_HEADING:
        return None
    head, text = make_row(row.words[:bold]), make_row(row.words[bold:])
    if head is None or text is None or head.text.isupper() != last.text.isupper():
        return None  # "Principles of consolidation." under a title in capitals is a heading of its own.
    return head, text


def _heading(group: Sequence[Row], style: Style) -> Passage:
    return Passage(BlockKind.HEADING, join_lines([row.text for row in group], style.words), _RUN_IN)


def _breaks(group: Sequence[Row], row: Row, left: float, right: float) -> bool:
    """Whether ``row`` begins a new passage after ``group``."""
    last = group[-1]
    gap = row.y - last.y
    usual = group[1].y - group[0].y if len(group) > 1 else 1.3 * max(row.size, last.size)
    if gap > 1.25 * usual + 0.15 * row.size or gap > _NEXT_LINE * row.size or gap < 0:
        return True
    if abs(row.size - last.size) > _SAME_SIZE * last.size:
        return True
    if row.bold != group[0].bold and (row.bold or all(r.bold for r in group)):
        return True
    if _ITEM_HEADING.match(row.text) and row.bold:
        return True
    if last.words[-1].text.endswith(HYPHEN):
        return False
    first = row.words[0]
    fitted = last.x1 + 0.3 * row.size + (first.x1 - first.x0) < right - 0.5 * row.size
    if row.marker and (fitted or not row.marker.isascii() or ends_with_stop(last.text) or not _flows_on(row)):
        return True
    open_line = not ends_with_stop(last.text) and (row.text[:1].islower() or last.x1 - left > _FULL * (right - left))
    if fitted and not open_line:
        return True
    indented = row.x0 > last.x0 + 0.8 * row.size
    if indented and not group[0].marker and (len(group) > 1 or not row.text[:1].islower()) and ends_with_stop(last.text):
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


def _is_part(text: str) -> bool:
    """ "PART II", perhaps with a mark and a title."""
    word, _, behind = " ".join(text.lower().split()).partition(" ")
    rest = behind.lstrip("iv")
    return word == "part" and 1 <= len(behind) - len(rest) <= 3 and rest.strip(" .:—–-") in _PART_TITLES


def _heading_level(group: Sequence[Row], text: str, style: Style) -> int:
    """1 for a Part or Item, 2 to 4 for other headings by how much they stand out; 0 for none."""
    if len(group) > 4 or len(text) > _MAX_HEADING or not any(c.isalpha() for c in text):
        return 0
    bold = all(row.bold for row in group)
    upper = text.isupper() and len(text) > 3
    size = group[0].size
    sentence = text.endswith((".", ";", ",")) and len(text.split()) > 8
    marked = upper or all(word.bold for word in group[0].words[:3])
    plain = text[:4] in ("Item", "Part") and len(text) < 120
    if not sentence and (marked or plain) and (_is_part(text) or _ITEM_HEADING.match(text)):
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


_MAX_ROWS = 150
"""Rows that one pair of columns may have; keeps odd pages cheap."""


def reading_flows(rows: list[Row]) -> list[list[Row]]:
    """``rows`` of a page in reading order, cut where the page changes between one and two columns of prose.

    Within a flow the rows run from the top down. A page set in one column gives one flow.
    """
    flows: list[list[Row]] = [[]]
    index = 0
    while index < len(rows):
        found = _gutter(rows, index)
        if found is None:
            flows[-1].append(rows[index])
            index += 1
            continue
        end, middle = found
        words = [word for row in rows[index:end] for word in row.words]
        flows.append(build_rows([word for word in words if word.x0 < middle]))
        flows.append(build_rows([word for word in words if word.x0 >= middle]))
        flows.append([])
        index = end
    return [flow for flow in flows if flow]


def _gutter(rows: list[Row], start: int) -> tuple[int, float] | None:
    """``(end, x)`` when rows ``[start, end)`` are two columns of prose with the gutter at ``x``."""
    first = rows[start]
    gaps = [(a.words[-1].x1, b.words[0].x0) for a, b in pairwise(first.segments)]
    if start + 1 < len(rows) and rows[start + 1].y - first.y < 0.9 * first.size:  # the columns' baselines are not the same
        other = rows[start + 1]
        gaps += [(a.x1, b.x0) for a, b in ((first, other), (other, first)) if a.x1 < b.x0]
    for left, right in gaps:
        low, high, end = left, right, start + 1
        while end < min(len(rows), start + _MAX_ROWS):
            room = _room(rows[end], low, high)
            if room is None:
                break
            low, high = room
            end += 1
        if end - start >= 6 and _is_prose_pair(rows[start:end], (low + high) / 2):
            return end, (low + high) / 2
    return None


def _room(row: Row, low: float, high: float) -> tuple[float, float] | None:
    """What the row leaves free of the interval ``(low, high)``, when that is still a gutter."""
    for word in row.words:
        if word.x1 > low and word.x0 < high:
            middle = (low + high) / 2
            if word.x1 <= middle:
                low = word.x1
            elif word.x0 >= middle:
                high = word.x0
            else:
                return None
    return (low, high) if high - low >= 0.8 * row.size else None


def _is_prose_pair(rows: list[Row], middle: float) -> bool:
    for side in (0, 1):
        lines = [[w for w in row.words if (w.x0 >= middle) == bool(side)] for row in rows]
        lines = [line for line in lines if line]
        words = [word for line in lines for word in line]
        if len(lines) < 0.5 * len(rows) or len(words) < 4 * len(lines):
            return False
        right = max(word.x1 for word in words)
        left = min(word.x0 for word in words)
        filled = sum(line[-1].x1 - line[0].x0 > 0.7 * (right - left) for line in lines)
        lower = sum(word.text[:1].islower() for word in words)
        if filled < 0.55 * len(lines) or lower < 0.45 * len(words):
            return False
    return True


_DEPTH = 4
"""How many rows from the top and bottom of a page may be running ones."""
_MIN_PAGES = 3
_ENOUGH_PAGES = 8
"""In long documents, so that the titles and closing lines of half a dozen consecutive statements stay."""
_NUMBER = re.compile(
    r"(?i)[\s\-–—|\[(]*(?:page\s*)?((?:[a-z]{1,2}\s?[-–]\s?)?\d{1,4}|[ivxl]{1,7})(?:\s*(?:of|/)\s*\d{1,4})?[\s\-–—|\])]*"
)
_EDGE_NUMBER = re.compile(
    r"^(?:page\s*)?((?:[A-Z]{1,2}[-–])?\d{1,4})\b\s*[|•·–—-]?\s*|\s*[|•·–—-]?\s*\b(?:page\s*)?((?:[A-Z]{1,2}[-–])?\d{1,4})$",
    re.IGNORECASE,
)
_UNITS = any_of("(dollars/amounts) in/millions/thousands/billions, u.s. dollars in/millions/thousands/billions")
_PERIODS = ("year ", "years ", "fiscal year ", "fiscal years ", "twelve months ", "for the ")
_TOC = frozenset(("table of contents", "index"))


@dataclass(slots=True)
class PageFrame:
    """A page without its running rows."""

    rows: list[Row]
    label: str = ""
    """Page number as printed; empty when none is."""
    running: list[str] = field(default_factory=list)
    """Texts of the rows left out."""


def strip_running(pages: Sequence[list[Row]]) -> list[PageFrame]:
    """``pages`` (rows from the top down) without page numbers and the lines that repeat at the edges of neighbouring pages."""
    repeated = _repeated(pages)
    numbers = _numbers(pages)
    frames: list[PageFrame] = []
    for index, rows in enumerate(pages):
        frame = PageFrame(list(rows))
        for at in (0, -1):
            taken = 0
            while frame.rows and taken < _DEPTH:
                row = frame.rows[at]
                text = row.text
                number = numbers.get((index, id(row)))
                if number is not None:
                    frame.label = frame.label or number
                elif _key(text) in repeated.get(index, ()):
                    frame.label = frame.label or _edge_number(text, index)
                else:
                    break
                frame.running.append(text)
                frame.rows.pop(at)
                taken += 1
        frames.append(frame)
    return frames


def _key(text: str) -> str:
    """What stays the same of a running line from page to page."""
    return _EDGE_NUMBER.sub("#", " ".join(text.split())).casefold()


def _edge_number(text: str, index: int) -> str:
    match = _EDGE_NUMBER.search(text)
    found = (match.group(1) or match.group(2)) if match else ""
    return "" if found.isdigit() and abs(int(found) - index - 1) > 60 else found


def _edges(rows: Sequence[Row]) -> list[Row]:
    return list(rows) if len(rows) <= 2 * _DEPTH else [*rows[:_DEPTH], *rows[-_DEPTH:]]


def _repeated(pages: Sequence[list[Row]]) -> dict[int, set[str]]:
    """For each page index the keys of its edge rows that stand at the edge of neighbouring pages too."""
    where: dict[str, list[int]] = {}
    for index, rows in enumerate(pages):
        for key in {_key(row.text) for row in _edges(rows) if _may_run(row)}:
            where.setdefault(key, []).append(index)
    repeated: dict[int, set[str]] = {}
    for key, found in where.items():
        if len(found) > 1 and key.removeprefix("back to ").removesuffix(" and glossary") in _TOC:
            runs = set(found)
        else:
            present = set(found)
            runs = {i for i in found if present & {i - 2, i - 1} or present & {i + 1, i + 2}}
            if len(runs) < max(_MIN_PAGES, min(_ENOUGH_PAGES, len(pages) // 4)):
                continue
        for index in runs:
            repeated.setdefault(index, set()).add(key)
    return repeated


def _is_caption(text: str) -> bool:
    """Whether it is the caption of a table, which may go on over pages: never a running line."""
    lowered = text.lower()
    return bool(_UNITS.match(text.replace("(", ""))) or (lowered.startswith(_PERIODS) and "ended" in lowered)


def _may_run(row: Row) -> bool:
    text = row.text
    if len(text) > 160 or _is_caption(text) or text.count(",") > 6:
        return False
    figures = sum(segment.is_value for segment in row.segments)
    return figures <= 1 and any(c.isalpha() for c in text) and not (figures and "$" in text)


def _numbers(pages: Sequence[list[Row]]) -> dict[tuple[int, int], str]:
    """(page index, id of the row) -> printed page number, where the numbers of neighbouring pages agree."""
    candidates: list[tuple[int, int, str, int]] = []
    for index, rows in enumerate(pages):
        for row in {id(r): r for r in [*rows[:2], *rows[-3:]]}.values():
            match = _NUMBER.fullmatch(row.text) if len(row.text) <= 24 else None
            if match:
                candidates.append((index, id(row), match.group(1).replace(" ", ""), _ordinal(match.group(1))))
    near: dict[tuple[str, int], list[int]] = {}
    for index, _, text, value in candidates:
        near.setdefault((_prefix(text), value - index), []).append(index)
    found: dict[tuple[int, int], str] = {}
    for index, row_id, text, value in candidates:
        pages_alike = near[_prefix(text), value - index]
        at = bisect_left(pages_alike, index)
        if any(0 < abs(other - index) <= 6 for other in pages_alike[max(0, at - 1) : at + 3]) or _lone(
            pages, index, value, row_id
        ):
            found[index, row_id] = text
    return found


def _prefix(text: str) -> str:
    """What stands before the digits: "F-" of "F-12"; "" of a Roman numeral."""
    return text.rstrip("0123456789") if text[-1:].isdigit() else ""


def _lone(pages: Sequence[list[Row]], index: int, value: int, row_id: int) -> bool:
    """Whether a number that no neighbour confirms is still a page number: last on the page, and near the physical number."""
    rows = pages[index]
    return bool(rows) and id(rows[-1]) == row_id and len(pages) > 1 and 0 <= index + 1 - value <= 12


def _ordinal(text: str) -> int:
    if digits := text[len(text.rstrip("0123456789")) :]:
        return int(digits)
    total, before = 0, 0
    for letter in reversed(text.lower()):
        value = {"i": 1, "v": 5, "x": 10, "l": 50}.get(letter, 0)
        total += -value if value < before else value
        before = max(before, value)
    return total
