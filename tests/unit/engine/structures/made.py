"""A library of one filing whose clean text a test writes, every paragraph a chunk."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.records import Block, BlockKind, Chunk, Cover, Document, Fact, Section
from tests.unit.engine.made import filing, hit


@dataclass
class Library:
    body: str
    held: tuple[Section, ...] = ()
    blocks: tuple[Block, ...] = ()
    facts: tuple[Fact, ...] = field(default=())

    def sections(self, filing_id: str) -> Sequence[Section]:
        return self.held

    def text(self, filing_id: str) -> str:
        return self.body

    def document(self, filing_id: str) -> Document:
        return Document("html", self.body, self.blocks or blocks(self.body), 3, Cover(), self.facts)


class Chunks:
    """The whole text as one chunk of Item 1, or a chunk for each paragraph with the Item that it is given."""

    def __init__(self, body: str, items: Sequence[str] = ()) -> None:
        whole = replace(hit(body or "-", of=filing()).chunk, item="1", heading="Business")
        lines = body.split("\n\n") if items else [body]
        begins = itertools.accumulate((len(line) + 2 for line in lines[:-1]), initial=0)
        self._chunks = tuple(
            replace(whole, id=f"c{at}", start=at, end=at + len(line), text=line, item=item)
            for line, at, item in zip(lines, begins, items or ("1",), strict=True)
        )

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        return next((chunk for chunk in self._chunks if chunk.start <= start and end <= chunk.end), None)

    def of_filing(self, filing_id: str) -> Sequence[Chunk]:
        return self._chunks


def blocks(body: str) -> tuple[Block, ...]:
    """A block for each line: "# …" headings (more #, deeper), "• …" list items, paragraphs."""
    found: list[Block] = []
    at = 0
    for line in body.split("\n"):
        if line:
            depth = len(line) - len(line.lstrip("#"))
            kind = BlockKind.HEADING if depth else BlockKind.LIST if line.startswith("•") else BlockKind.PARAGRAPH
            begin = at + (depth + 1 if depth else 0)
            found.append(Block(len(found), kind, begin, at + len(line), 1, level=depth))
        at += len(line) + 1
    return tuple(found)


def asked(target: str, *, left: tuple[str, ...] = (), operation: str = "list", answer: str = "list", **others: Any) -> Frame:
    """The frame of a question that wants ``target``."""
    sure = {"figure": 0.0, "refusal": 0.0, "operation": 0.9, "answer": 0.9}
    return replace(
        Frame(target, (), (), (Span(target, 0, len(target)),), (), operation, answer, "", left, sure),
        **others,
    )
