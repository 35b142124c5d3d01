"""The contents of a filing as the reader lists them: Items, statements, notes, bookmarks. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fin_tui.records import Section
from fin_tui.ui.text import one_line, shorten

if TYPE_CHECKING:
    from fin_tui.engine.reader.outline import Heading
    from fin_tui.store.bookmarks import Bookmark

_INDENTS = {"item": "", "statement": "  ", "note": "  "}
_WIDTH = 60
_CONSOLIDATED = re.compile(r"^.*\bconsolidated\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the contents."""

    label: str
    start: int


def contents_of_sections(sections: Sequence[Section]) -> list[Entry]:
    """The Items alone, while the rest is not read yet."""
    return [Entry(f"{one_line(s.item):<3} {shorten(one_line(s.title), _WIDTH)}", s.start) for s in sections]


def contents(headings: Sequence[Heading], bookmarks: Sequence[Bookmark]) -> list[Entry]:
    """Everything in the order of the text; bookmarks carry a star and their words."""
    entries = [(h.start, 0, Entry(_INDENTS[h.kind] + _label(h), h.start)) for h in headings]
    entries += [(b.at, 1, Entry(f"★ {shorten(one_line(b.quote), _WIDTH)}", b.at)) for b in bookmarks]
    return [entry for *_, entry in sorted(entries, key=lambda found: found[:2])]


def section_at(sections: Sequence[Section], offset: int) -> int | None:
    """Which of ``sections`` is the innermost that holds ``offset``; None where none does."""
    inside = [(section.start, index) for index, section in enumerate(sections) if section.start <= offset < section.end]
    return max(inside)[1] if inside else None


def _label(heading: Heading) -> str:
    if heading.kind == "item":
        number, _, title = heading.title.partition(" ")
        return f"{one_line(number):<3} {shorten(one_line(title), _WIDTH)}"
    title = one_line(heading.title)
    # All begin with it, and the list is narrow.
    return shorten(_CONSOLIDATED.sub("", title) if heading.kind == "statement" else title, _WIDTH)
