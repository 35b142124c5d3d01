"""Lines that are nearest to what a conversation looks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from fin_tui.candidates import Candidate
from fin_tui.engine.rank.excerpt import Excerpts
from fin_tui.engine.rank.filing_rows import FilingRows, RowBook
from fin_tui.engine.rank.nearest import NearLines
from fin_tui.records import Chunk, Fact, Scope
from fin_tui.retrieval.retriever import Nearest
from fin_tui.retrieval.shared_encoder import Array, SharedEncoder
from tests.unit.engine.figures.book import ACME

FILING = ACME[2]
SENTENCE = "Our kilns burnt 310 tons of coal."
SOUGHT = np.array([1.0, 0.0], np.float32)


def _row(name: str, at: int, value: str) -> Candidate:
    fact = Fact(
        "table:x", name, float(value), value, "count", None, None, source="table", block=at, start=at, end=at + len(value)
    )
    return Candidate(fact, (name,))


def _chunk(name: str, start: int, text: str, kind: str) -> Chunk:
    return Chunk(name, FILING.id, 0, start, start + len(text), 1, "", "1", "", cast(Any, kind), text, "", text)


TABLES = [_chunk("near", 100, "Ovens\t12", "table"), _chunk("far", 200, "Vans\t48", "table")]
SECOND = _chunk("second", 300, "Vans\t7", "table")
PROSE = _chunk("prose", 400, SENTENCE, "prose")
ROWS = FilingRows(
    FILING,
    (_row("Ovens", 106, "12"), _row("Vans", 205, "48"), _row("Vans", 305, "7")),
    np.array([[0.6, 0.8], [0.8, 0.6]], np.float32),
    {"Ovens": 0, "Vans": 1},
    (),
    {},
)


class _Book:
    def of(self, _: object) -> FilingRows:
        return ROWS


class _Chunks:
    def holding(self, _: str, start: int, end: int) -> Chunk | None:
        return next((one for one in (*TABLES, SECOND, PROSE) if one.start <= start and end <= one.end), None)


class _Encoder:
    name = "reader-1"

    def vectors(self, texts: Sequence[str]) -> Array:
        return np.tile(np.array([0.5, 0.8], np.float32), (len(texts), 1))


def _lines(passages: Sequence[tuple[Chunk, float]] | None) -> list[tuple[str, float]]:
    asked: list[tuple[object, ...]] = []

    def seek(conversation: Sequence[str], scope: Scope, rows: str, count: int) -> Nearest | None:
        asked.append((tuple(conversation), scope, rows))
        return Nearest(tuple(passages), SOUGHT) if passages is not None else None

    book = cast(RowBook, _Book())
    made = NearLines(book, Excerpts(book, _Chunks()), cast(SharedEncoder, _Encoder()), seek).of(["kilns?", "coal"], FILING)
    assert asked == [(("kilns?", "coal"), Scope(filings=(FILING.id,)), "reader-1")]
    return [(line.text, round(score, 3)) for line, score in made]


def test_a_line_counts_by_itself_and_by_its_passage() -> None:
    assert _lines([(TABLES[0], 0.7), (TABLES[1], 0.2)]) == [("Ovens: 12", 1.65), ("Vans: 48", 1.1)]
    assert _lines([(TABLES[1], 0.3), (TABLES[0], 0.3)]) == [("Vans: 48", 1.25), ("Ovens: 12", 1.05)]


def test_a_row_of_no_near_passage_counts_as_if_in_the_last() -> None:
    assert _lines([(TABLES[0], 0.4)]) == [("Vans: 48", 1.4), ("Ovens: 12", 1.2)]


def test_of_a_row_in_two_tables_that_of_the_nearer_passage_is_taken() -> None:
    assert _lines([(SECOND, 0.5), (TABLES[1], 0.2)])[0] == ("Vans: 7", 1.55)
    assert _lines([(TABLES[1], 0.5), (SECOND, 0.2)])[0] == ("Vans: 48", 1.55)


def test_sentences_stand_among_the_rows() -> None:
    found = _lines([(PROSE, 0.9), (TABLES[0], 0.2)])
    assert found == [(SENTENCE, 1.85), ("Vans: 48", 1.1), ("Ovens: 12", 0.9)]


def test_nothing_is_near_where_vectors_are_of_another_encoder() -> None:
    assert _lines(None) == []
