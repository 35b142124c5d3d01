"""Builds a filing's clean text and the blocks over it, one block at a time, for all readers.

Blocks are separated by one blank line. A table's rows are lines and its cells are separated by one tab, so that the clean
text of a table is readable, copies into a spreadsheet, and has a span for every cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.filings.tables import RawCell, make_table
from fin_tui.language import clean
from fin_tui.records import Block, BlockKind, Span, Table

SEPARATOR = "\n\n"


@dataclass(slots=True)
class Added:
    """Where a block landed."""

    block: Block
    cells: tuple[Span, ...] = ()
    """Tables only: for each raw cell, in the order given, the span of its text (empty span where it was dropped)."""


class DocumentBuilder:
    """Collects blocks in reading order; ``text`` and ``blocks`` are the result."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []

    @property
    def text(self) -> str:
        return SEPARATOR.join(self._parts)

    @property
    def next_start(self) -> int:
        """Where the next block will start in the clean text."""
        return self._length + (len(SEPARATOR) if self._parts else 0)

    def block_text(self, block: Block) -> str:
        """The clean text of a block that was added."""
        return self._parts[block.ordinal]

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        page: int,
        page_label: str = "",
        level: int = 0,
        note: str = "",
        is_clean: bool = False,
    ) -> Added | None:
        """Append a paragraph, heading or list item; None when nothing is left of it after cleaning.

        ``is_clean`` says that the caller has run :func:`clean` already, having computed offsets into the result.
        """
        text = text if is_clean else clean(text)
        if not text:
            return None
        block = self._append(text, kind, page, page_label, level, note, None)
        return Added(block)

    def add_table(
        self, cells: Sequence[RawCell], *, page: int, page_label: str = "", note: str = "", above: Sequence[str] = ()
    ) -> Added | None:
        """Append a table; ``above`` holds the texts of the few blocks before it, nearest last (titles, "(In millions)")."""
        made = make_table(cells, offset=self.next_start, above=above)
        if not made.text:
            return None
        block = self._append(made.text, BlockKind.TABLE, page, page_label, 0, note, made.table)
        return Added(block, made.spans)

    def _append(
        self, text: str, kind: BlockKind, page: int, page_label: str, level: int, note: str, table: Table | None
    ) -> Block:
        start = self.next_start
        block = Block(
            ordinal=len(self.blocks),
            kind=kind,
            start=start,
            end=start + len(text),
            page=page,
            page_label=page_label,
            level=level,
            table=table,
            note=note,
        )
        self._parts.append(text)
        self._length = start + len(text)
        self.blocks.append(block)
        return block
