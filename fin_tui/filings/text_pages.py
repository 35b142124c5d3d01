"""Plain-text filings: source lines with their page, printed page label and table markup; running headers and footers out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from fin_tui.language import any_of

_PAGE = re.compile(r"<PAGE>[ \t]*(\d{1,4}|[A-Z]-\d{1,3}|[ivxl]{1,6})?(?=\s|$)", re.I)
_TAG = re.compile(r"<(/?)(TABLE[^<>]*|FN|F\d{1,2}|CAPTION|TEXT|DOCUMENT|SEC-DOCUMENT|IMS-DOCUMENT|LEGEND|S|C)>", re.I)
"""Markup of tables and of the submission around: all but the page marks."""
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|nbsp|apos|#\d{2,4});", re.I)
_LABEL = re.compile(
    r"^[-–—\s(\[]*(?:page\s+)?([A-Z]{0,3}-?\d{1,3}(?:-\d{1,2})?|[ivxl]{1,6})(?:\s+of\s+\d{1,4})?[-–—\s)\].]*$", re.I
)
_RULE_MARKS = frozenset("-_=*~")
_MOST_DIGITS = 3
_UNITS = any_of("million(s), thousand(s), billion(s), dollars")
_TOP_LINES = 4
_BOTTOM_LINES = 3
_RUNNING_PAGES = 3
_SHORTEST_PAGE = 8


def is_rule(text: str) -> bool:
    """A line of dashes, equals signs or the like, with nothing else but blanks, bars and dots."""
    marks = sum(char in _RULE_MARKS for char in text)
    return marks >= 3 and all(char in _RULE_MARKS or char in " \t|." for char in text)


@dataclass(slots=True)
class SourceLine:
    """One line of the source, tabs expanded, markup taken out."""

    text: str
    page: int
    """From 1."""
    table: int = 0
    """Number of the ``<TABLE>`` it stands in; 0 outside."""
    columns: tuple[int, ...] = ()
    """Positions of ``<S>`` and ``<C>`` marks; such a line ends a table's header."""
    note: bool = False
    """A footnote of the table begins here (``<FN>``)."""


@dataclass(slots=True)
class Pages:
    """The lines that are left, the printed label of each page, and how many words went with running lines."""

    lines: list[SourceLine]
    count: int
    labels: dict[int, str] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    """Running headers, footers and page numbers that were taken out."""


def split_pages(text: str) -> Pages:
    """Lines by page: at ``<PAGE>`` marks and form feeds, else at printed page numbers that count up."""
    lines, printed = _source_lines(text)
    if lines and lines[-1].page < 3:
        _pages_by_numbers(lines)
    pages: dict[int, list[SourceLine]] = defaultdict(list)
    for line in lines:
        pages[line.page].append(line)
    out = Pages([], max(pages, default=1))
    running = _running_keys(pages)
    seen: set[tuple[str, str]] = set()
    for number, page in sorted(pages.items()):
        out.labels[number] = printed.get(number, "")
        _take_edges(page, number, running, seen, out)
        out.lines += page
    return out


def _source_lines(text: str) -> tuple[list[SourceLine], dict[int, str]]:
    lines: list[SourceLine] = []
    labels: dict[int, str] = {}
    page, table, count = 1, 0, 0
    begun = False
    for raw in text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n<PAGE>\n").split("\n"):
        line = _unescaped(raw).expandtabs(8).rstrip()
        if line.startswith("- -"):
            line = line[2:]
        if found := _PAGE.search(line):
            page += begun
            labels[page] = found[1] or ""
            begun = False
            line = (line[: found.start()] + line[found.end() :]).rstrip()
        tags, line, marks, note = _without_tags(line)
        for name in tags:
            if not name.startswith("/"):
                count += 1
            table = table if name.startswith("/") else count
        begun = begun or bool(line)
        lines.append(SourceLine(line, page, table, marks, note))
        if tags and tags[-1].startswith("/"):
            table = 0
    return lines, labels


def _without_tags(line: str) -> tuple[list[str], str, tuple[int, ...], bool]:
    """The table tags of a line, its text, where its columns are marked, and whether a footnote begins with it.

    A tag other than a table's leaves its width as blanks, as what follows stands in its column.
    """
    tables: list[str] = []
    marks: list[int] = []
    text, done, note = "", 0, False
    for tag in _TAG.finditer(line):
        text += line[done : tag.start()]
        name = tag[2].upper()
        if name.startswith("TABLE"):
            tables.append(tag[1] + name)
        else:
            if not tag[1] and name in ("S", "C"):
                marks.append(len(text))
            note = note or (not tag[1] and name.startswith("F") and not text.strip())
            text += " " * len(tag[0])
        done = tag.end()
    return tables, (text + line[done:]).rstrip(), tuple(marks), note


def _unescaped(line: str) -> str:
    import html

    return _ENTITY.sub(lambda found: html.unescape(found[0]), line) if "&" in line else line


def _pages_by_numbers(lines: list[SourceLine]) -> None:
    """Renumbers pages of a file without page marks by its printed numbers: alone on a line, counting up, some lines apart."""
    chain: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        printed = line.text.replace("-", " ").strip()
        if line.table or not (len(printed) <= _MOST_DIGITS and printed.isdecimal()):
            continue
        number = int(printed)
        far = not chain or index - chain[-1][0] >= _SHORTEST_PAGE
        if far and (chain[-1][1] < number <= chain[-1][1] + 2 if chain else number <= 3):
            chain.append((index, number))
    if len(chain) < 3:
        return
    at_top = chain[0][0] < _SHORTEST_PAGE
    page = 1
    cuts = {index for index, _ in chain}
    for index, line in enumerate(lines):
        if at_top and index in cuts and index != chain[0][0]:
            page += 1
        line.page = page
        if not at_top and index in cuts:
            page += 1


def _key(text: str) -> str:
    """A line without the number it begins or ends with: what running lines of different pages share."""
    words = text.lower().split()
    begins = len(words) > 1 and words[0].isdecimal()
    series, number = _parted(words[-1]) if words else ("", "")
    letters = series.removesuffix("-")
    if len(words) > 1 + begins and 1 <= len(number) <= 4 and len(letters) <= 2 and (not letters or letters.isalpha()):
        words[-1] = "#"
    return " ".join(["#", *words[1:]] if begins else words)


def _edges(page: Sequence[SourceLine]) -> tuple[list[SourceLine], list[SourceLine]]:
    """The first and the last few lines with text, from the edge inwards; a marked table ends an edge."""
    top: list[SourceLine] = []
    for line in page:
        if line.table or len(top) == _TOP_LINES:
            break
        if line.text.strip():
            top.append(line)
    bottom: list[SourceLine] = []
    for line in reversed(page):
        if line.table or len(bottom) == _BOTTOM_LINES:
            break
        if line.text.strip():
            bottom.append(line)
    return top, bottom


def _running_keys(pages: dict[int, list[SourceLine]]) -> set[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for page in pages.values():
        top, bottom = _edges(page)
        counts.update({("top", _key(line.text)) for line in top} | {("bottom", _key(line.text)) for line in bottom})
    return {key for key, count in counts.items() if count >= _RUNNING_PAGES and not _UNITS.search(key[1])}


def _take_edges(
    page: list[SourceLine], number: int, running: set[tuple[str, str]], seen: set[tuple[str, str]], out: Pages
) -> None:
    """Takes running lines and the page number off both ends of ``page``, in place; the first of a running line stays."""
    top, bottom = _edges(page)
    labels: list[str] = []
    for name, edge in (("bottom", bottom), ("top", top)):
        for line in edge:
            key = (name, _key(line.text))
            label = _LABEL.match(line.text)
            words = line.text.split()
            numbered = _LABEL.match(words[-1]) if words[-2:-1] and words[-2].lower().endswith("page") else None
            if is_rule(line.text):
                continue
            if label and _counts_on(label[1], out.labels, number):
                labels.append(label[1])
            elif key in running:
                if numbered:
                    labels.append(numbered[1])
                first = key not in seen
                seen.add(key)
                if first and "#" not in key[1]:
                    continue
            else:
                break
            out.dropped.append(line.text)
            line.text = ""
    if labels:
        out.labels[number] = labels[0]


def _counts_on(label: str, labels: dict[int, str], number: int) -> bool:
    """Whether ``label`` fits the page numbers before it: one to three further, another series, or a new start."""
    (series, mine), (other, before) = _parted(label), _parted(labels.get(number - 1, ""))
    if not mine or not before or series.lower() != other.lower():
        return True
    return int(mine) <= 3 or 0 < int(mine) - int(before) <= 3


def _parted(label: str) -> tuple[str, str]:
    """ "F-12" -> "F-", "12"."""
    series = label.rstrip("0123456789")
    return series, label[len(series) :]
