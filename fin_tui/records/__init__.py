"""The small types that all layers share. Frozen, free of behaviour that needs another module, and of file paths.

Characters are counted in the filing's *clean text*: one string per filing, built by the reader, in which every block,
table cell, section and chunk is a half-open span ``[start, end)``. ``text[start:end]`` is always what is shown.
"""

from fin_tui.records.answer import (
    Answer,
    Citation,
    Hit,
    Progress,
    QuotedTable,
    Ranks,
    Refusal,
    Saved,
    Scope,
    Sentence,
    ShownPassage,
    Support,
)
from fin_tui.records.filing import Block, BlockKind, Cell, Chunk, Column, Cover, Document, Fact, Filing, Section, Span, Table
from fin_tui.records.sheet import CellState, ColumnKind, Sheet, SheetCell, SheetColumn, SheetRow

__all__ = [
    "Answer",
    "Block",
    "BlockKind",
    "Cell",
    "CellState",
    "Chunk",
    "Citation",
    "Column",
    "ColumnKind",
    "Cover",
    "Document",
    "Fact",
    "Filing",
    "Hit",
    "Progress",
    "QuotedTable",
    "Ranks",
    "Refusal",
    "Saved",
    "Scope",
    "Section",
    "Sentence",
    "Sheet",
    "SheetCell",
    "SheetColumn",
    "SheetRow",
    "ShownPassage",
    "Span",
    "Support",
    "Table",
]
