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


def note_named(text: str, start: int, end: int) -> int | None:
    """The number of the first note that ``text[start:end]`` points to ("see Note 7")."""
    match = _NOTE.search(text, start, end)
    return int(match[1]) if match else None


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
