"""Sources numbered from 1 in the order in which the answer cites them, those it does not cite behind (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.records import Sentence


def in_order_of_appearance(
    told: Sequence[Sentence], evidence: Evidence, figures: FigureAnswer | None
) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer | None]:
    """The same with other numbers: what the first line cites is [1], then come the table's cells, then the details."""
    cited = dict.fromkeys(number for number in _appearing(told, figures) if 1 <= number <= len(evidence.passages))
    order = [*cited, *(number for number in range(1, len(evidence.passages) + 1) if number not in cited)]
    if order == sorted(order):
        return tuple(told), evidence, figures
    new = {old: at for at, old in enumerate(order, start=1)}
    passages = tuple(_numbered(evidence.passages[old - 1], new) for old in order)
    focuses = tuple(replace(focus, passage=new[focus.passage + 1] - 1) for focus in evidence.focuses)
    sentences = tuple(_sentence(sentence, new) for sentence in told)
    return sentences, replace(evidence, passages=passages, focuses=focuses), _figures(figures, new) if figures else None


def _appearing(told: Sequence[Sentence], figures: FigureAnswer | None) -> Iterator[int]:
    for sentence in told:
        if not sentence.is_detail:
            yield from sentence.citations
    for row in (figures.table or {}).get("rows", ()) if figures else ():
        yield from (cell["citation"] for cell in row["cells"] if cell.get("citation"))
    for sentence in told:
        yield from sentence.citations


def _sentence(sentence: Sentence, new: Mapping[int, int]) -> Sentence:
    return replace(sentence, citations=tuple(new.get(number, number) for number in sentence.citations))


def _numbered(passage: Passage, new: Mapping[int, int]) -> Passage:
    return replace(passage, citation=replace(passage.citation, id=new[passage.citation.id]))


def _cited(record: Mapping[str, Any], new: Mapping[int, int]) -> Mapping[str, Any]:
    number = record.get("citation")
    return record if number is None else {**record, "citation": new.get(number, number)}


def _figures(figures: FigureAnswer, new: Mapping[int, int]) -> FigureAnswer:
    table = figures.table
    if table is not None:
        table = {**table, "rows": [{**row, "cells": [_cited(cell, new) for cell in row["cells"]]} for row in table["rows"]]}
    return replace(
        figures,
        sentences=tuple(_sentence(sentence, new) for sentence in figures.sentences),
        passages=tuple(_numbered(passage, new) for passage in figures.passages),
        facts=tuple(_cited(fact, new) for fact in figures.facts),
        table=table,
    )
