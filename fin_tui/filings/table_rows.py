"""Row labels -> paths: under which label rows, and deeper than which lines, a row stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.filings.table_cells import GridCell

_DEEPEST = 4
# Labels that mean nothing without the line of figures above them. Other indented lines, totals above all, stand for themselves.
_PART = re.compile(
    r"(?:as )?(?:a )?(?:percent|%|of which|basic|diluted|growth|change|increase|decrease|margin|year[- ]over|organic|constant)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Open:
    label: str
    indent: int
    heading: bool
    flat: bool = False
    """A heading whose rows are not indented: it holds until the next heading or the total."""


def row_paths(rows: Sequence[Sequence[GridCell]], header_rows: int, note_rows: int) -> list[tuple[str, ...]]:
    """For each row its labels from the outermost in; header and note rows and rows without a label have none of their own."""
    paths: list[tuple[str, ...]] = [()] * len(rows)
    stack: list[_Open] = []
    last = len(rows) - note_rows
    pending = ""
    for i in range(header_rows, last):
        row = rows[i]
        label = row[0].value if row and row[0].column == 0 and not row[0].is_data else ""
        if not label:
            paths[i] = _unlabelled(row, stack)
            continue
        indent = row[0].raw.indent
        if pending:
            label, pending = f"{pending} {label}", ""
        if _heads(row):
            following = rows[i + 1][0].value if i + 1 < last and rows[i + 1] else ""
            if following[:1].islower() and not label.endswith(":"):
                pending = label
                paths[i] = (*(entry.label for entry in stack if entry.indent < indent), label)
                continue
            _close(stack, indent, heading=True)
            paths[i] = (*(entry.label for entry in stack), label)
            stack.append(_Open(label, indent, heading=True))
            del stack[:-_DEEPEST]
            continue
        _settle(stack, indent)
        _close(stack, indent, heading=False)
        part_of = _PART.match(label) is not None
        parents = [entry for entry in stack if entry.heading or (part_of and entry.indent < indent)]
        paths[i] = (*(entry.label for entry in parents), label)
        if label.lower().startswith("total"):
            _end_group(stack)
        else:
            stack.append(_Open(label, indent, heading=False))
    return paths


def _unlabelled(row: Sequence[GridCell], stack: Sequence[_Open]) -> tuple[str, ...]:
    """A row that has no label of its own: a total of the open headings, or a further line of the label above it."""
    words = next((cell.value for cell in row if not cell.is_number), "")
    if words and row[0].value == words:
        return (*(entry.label for entry in stack), words)
    return tuple(entry.label for entry in stack if entry.heading)


def _heads(row: Sequence[GridCell]) -> bool:
    return len(row) == 1


def _end_group(stack: list[_Open]) -> None:
    """A total ends the group that it sums up."""
    while stack:
        if stack.pop().heading:
            return


def _settle(stack: list[_Open], indent: int) -> None:
    """The first row under a heading tells whether its rows are indented."""
    if stack and stack[-1].heading and not stack[-1].flat and stack[-1].indent >= indent:
        stack[-1].flat = True
        stack[-1].indent = min(stack[-1].indent, indent)


def _close(stack: list[_Open], indent: int, *, heading: bool) -> None:
    while stack:
        top = stack[-1]
        if top.flat and not heading and top.indent <= indent:
            return
        if top.flat and heading and top.indent < indent:
            return
        if top.indent >= indent:
            stack.pop()
        else:
            return
