"""Places in a filing's text: words that are looked for, and the notes that a sentence points to. Pure."""

from __future__ import annotations

import re

from fin_tui.records import Span

_CONTENTS = re.compile(r"\t\s*\d+\s*$")
_NOTE = re.compile(r"\bNotes?\s+(\d{1,2})\b", re.IGNORECASE)


def find_all(text: str, words: str) -> list[Span]:
    """Every place of ``words``, whatever their case and the white space between them."""
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    return [Span(m.start(), m.end()) for m in re.finditer(pattern, text, re.IGNORECASE)] if pattern else []


def paragraph_at(text: str, start: int) -> Span:
    """The first line with words that begins at ``start`` or after it, or that ``start`` stands in."""
    begin = text.rfind("\n", 0, start) + 1
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        if text[begin:end].strip():
            return Span(begin, end)
        begin = end + 1
    return Span(len(text), len(text))


def note_named(text: str, start: int, end: int) -> int | None:
    """The number of the first note that ``text[start:end]`` points to ("see Note 7")."""
    match = _NOTE.search(text, start, end)
    return int(match[1]) if match else None


def line_start(text: str, offset: int) -> int:
    """Where the table row around ``offset`` begins, so that its label is named; in prose the place itself."""
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    return start if "\t" in text[start : end if end >= 0 else len(text)] else offset


def notes_named(text: str) -> list[Span]:
    """Every place that points to a note; the headings of the notes themselves are none."""
    return [Span(m.start(), m.end()) for m in _NOTE.finditer(text) if text[max(m.start() - 1, 0)] != "\n"]


def note_heading(text: str, number: int) -> int | None:
    """Where note ``number`` begins: the last line that reads as its heading; contents, which name a page, are none."""
    for pattern in (rf"note[ \t]+{number}\b", rf"{number}[ \t]*[.)–—-][ \t]+(?=[A-Z])"):
        lines = re.finditer(rf"^[ \t]*{pattern}[^\n]{{0,120}}$", text, re.IGNORECASE | re.MULTILINE)
        starts = [
            line.start() for line in lines if not _CONTENTS.search(line.group()) and not line.group().rstrip().endswith(".")
        ]
        if starts:
            return starts[-1]
    return None
