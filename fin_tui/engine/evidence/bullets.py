"""Bullets in clean text (pure)."""

from __future__ import annotations

import re

_BULLET = re.compile(r"^[ \t]*(?:[•·▪‣●○◦■□➢*–—-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])[ \t]*(?=\S)")
_GLYPH = re.compile(r"^\s*[•·▪‣●○◦■□➢]\s*(?=\S)")
_MOST = 60


def is_item(line: str) -> bool:
    """Whether ``line`` begins with the glyph of a list item."""
    return bool(_GLYPH.match(line))


def without_glyph(line: str) -> str:
    """``line`` without the glyph of a list item; numbers and letters of a list stay."""
    return _GLYPH.sub("", line)


def with_glyph(item: str) -> str:
    """``item`` as it is told: behind a glyph, unless it has a mark of its own."""
    return item if _BULLET.match(item) else f"• {item}"


def bullets_after(text: str, at: int) -> tuple[tuple[int, int], ...]:
    """Spans of the list items whose lines follow ``at``, without their marks; empty when none follows directly."""
    spans: list[tuple[int, int]] = []
    begin = text.find("\n", at)
    if begin < 0 or text[at:begin].strip():
        return ()
    while 0 <= begin < len(text) and len(spans) < _MOST:
        end = text.find("\n", begin + 1)
        end = len(text) if end < 0 else end
        line = text[begin + 1 : end]
        if line.strip():
            mark = _BULLET.match(line)
            if mark is None:
                break
            spans.append((begin + 1 + mark.end(), begin + 1 + len(line.rstrip())))
        begin = end if end < len(text) else -1
    return tuple(spans)
