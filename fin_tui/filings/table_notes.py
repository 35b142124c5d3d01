"""Note markers such as "(1)" or "*" in a table, and the note rows under it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from fin_tui.records import Block, BlockKind, Table

_MARKER = r"(?:\(\d{1,2}\)|\([a-z]{1,2}\)|\([A-Z]\)|\[\d{1,2}\]|\[[a-z]\]|\*{1,4}+(?!\*)|[†‡§#]|[¹²³⁴⁵⁶⁷⁸⁹]++)"
"""Nothing in it is tried twice: a row of asterisks, of which each could be a mark, would take for ever."""
_ALONE = re.compile(rf"^{_MARKER}(?:[\s,]*{_MARKER})*+$")
_TRAILING = re.compile(rf"(?<!\s)(?P<gap>\s*+)(?P<marks>{_MARKER}(?:[\s,]*{_MARKER})*+)$")
_EACH = re.compile(_MARKER)
_NOTE = re.compile(rf"^(?P<mark>{_MARKER}|\d{{1,2}}[.)])\s+(?P<text>\S.{{8,}})$", re.DOTALL)
_MOST_NOTES = 15
_LOOSE_MARK = re.compile(rf"^(?:{_MARKER}|\d{{1,2}}[.)]?|[a-z][.)]?)$")


def stands_alone(text: str) -> bool:
    """Whether ``text`` is nothing but note markers."""
    return _ALONE.match(text) is not None


def split_markers(text: str, is_number: Callable[[str], bool]) -> tuple[int, tuple[str, ...]]:
    """(length of ``text`` without the markers at its end, those markers).

    After a number any marker counts; after words only one that a blank sets off, or digits: "401(k)" keeps its bracket.
    """
    found = _TRAILING.search(text)
    if found is None or not found.start():
        return len(text), ()
    head, marks = text[: found.start()], found.group("marks")
    if not any(c.isalnum() for c in head) or is_number(text):
        return len(text), ()
    if not is_number(head) and not found.group("gap") and marks[:1] in "([" and marks[1:2].isalpha():
        return len(text), ()
    return found.start(), tuple(_EACH.findall(marks))


def note_of_row(texts: list[str]) -> tuple[str, str] | None:
    """(marker, note) when the row's cells are a note under a table, else None."""
    if len(texts) == 1:
        found = _NOTE.match(texts[0])
        return (found.group("mark"), found.group("text")) if found else None
    if len(texts) == 2 and _LOOSE_MARK.match(texts[0]) and len(texts[1].split()) >= 3:
        return texts[0], texts[1]
    return None


def with_notes_below(blocks: Sequence[Block], text: str) -> list[Block]:
    """``blocks`` with each table's footnotes completed by the paragraphs right under it that open with one of its markers."""
    out = list(blocks)
    for index, block in enumerate(blocks):
        if block.table is not None and (markers := _used(block.table) - block.table.footnotes.keys()):
            notes = _notes_below(blocks[index + 1 : index + 1 + _MOST_NOTES], text, markers)
            if notes:
                out[index] = replace(block, table=replace(block.table, footnotes={**block.table.footnotes, **notes}))
    return out


def _used(table: Table) -> set[str]:
    return {marker for row in table.rows for cell in row for marker in cell.footnotes}


def _notes_below(blocks: Sequence[Block], text: str, markers: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    bare = {marker.strip("()[]"): marker for marker in markers}
    for block in blocks:
        note = _NOTE.match(text[block.start : block.end]) if block.kind in (BlockKind.LIST, BlockKind.PARAGRAPH) else None
        if note is None:
            break
        if marker := bare.get(note["mark"].strip("()[].")):
            found.setdefault(marker, note["text"])
    return found
