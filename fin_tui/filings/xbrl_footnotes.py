"""Footnotes that inline XBRL ties to facts -> footnotes of the table cells that print them (pure)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from fin_tui.records import Block, Cell, Fact, Table


def with_fact_footnotes(
    blocks: Sequence[Block], facts: Sequence[Fact], footnotes: Callable[[int], Sequence[str]]
) -> tuple[Block, ...]:
    """``blocks`` with the footnotes of facts kept with their cells, in the way of the footnotes printed under a table.

    ``footnotes`` gives the texts tied to the fact at a place in ``facts``. A note that stands under its table already keeps its
    own marker; others are marked "[1]", "[2]", …
    """
    tied: defaultdict[int, list[tuple[Fact, Sequence[str]]]] = defaultdict(list)
    for index, fact in enumerate(facts):
        if fact.block is not None and (notes := footnotes(index)):
            tied[fact.block].append((fact, notes))
    return tuple(
        replace(block, table=_noted(block.table, tied[block.ordinal])) if block.table and block.ordinal in tied else block
        for block in blocks
    )


def _noted(table: Table, tied: Sequence[tuple[Fact, Sequence[str]]]) -> Table:
    notes = dict(table.footnotes)
    marks = {text: marker for marker, text in notes.items()}
    of_place: defaultdict[int, list[str]] = defaultdict(list)
    for fact, texts in tied:
        for text in texts:
            if text not in marks:
                marks[text] = f"[{len(marks) + 1}]"
                notes[marks[text]] = text
            of_place[fact.start].append(marks[text])

    def noted(cell: Cell) -> Cell:
        own = [mark for start, some in of_place.items() if cell.start <= start < cell.end for mark in some]
        return replace(cell, footnotes=tuple(dict.fromkeys((*cell.footnotes, *own)))) if own else cell

    return replace(table, rows=tuple(tuple(noted(cell) for cell in row) for row in table.rows), footnotes=notes)
