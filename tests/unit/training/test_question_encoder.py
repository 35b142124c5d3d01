"""Which passages the questions that the encoder is trained on are answered by."""

from __future__ import annotations

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.rank.filing_rows import FilingRows
from fin_tui.records import Fact
from tests.unit.engine.made import hit

pytest.importorskip("torch")
pytest.importorskip("onnx")


def test_each_thing_needed_has_places_of_its_own() -> None:
    from training.question_encoder import needed

    assert needed({"right": [[3, 9], [20, 30]]}) == [[[3, 9], [20, 30]]]
    assert needed({"right": []}) == []
    assert needed({"places": {"a": [1, 2], "b": [5, 6]}}) == [[[1, 2]], [[5, 6]]]
    assert needed({"start": 4, "end": 7}) == [[(4, 7)]]
    assert needed({"value": 4.0}) == []


def test_a_place_is_found_in_each_passage_that_holds_some_of_it() -> None:
    from training.question_encoder import passages_at

    chunks = [hit("The kiln works lost money.").chunk]
    assert passages_at(chunks, [[chunks[0].start, chunks[0].start + 3]]) == (0,)
    assert passages_at(chunks, [[chunks[0].end, chunks[0].end + 3]]) == ()


def test_a_figure_is_found_in_the_rows_that_print_it_there_or_elsewhere() -> None:
    from training.question_encoder import rows_at

    def row(name: str, at: int, value: float, shown: str) -> Candidate:
        fact = Fact("table:x", name, value, shown, "usd", None, None, source="table", start=at, end=at + len(shown))
        return Candidate(fact, (name,))

    figures = [row("Kilns", 5, 1234.0, "1,234"), row("Vans", 20, 12.0, "12"), row("Ovens", 40, -1234.0, "(1,234)")]
    figures.append(row("Carts", 60, 12.0, "12"))
    known = {one.row: at for at, one in enumerate(figures)}
    rows = FilingRows(hit("x").filing, tuple(figures), None, known, (), {})
    assert rows_at(rows, 5, 10) == (0, 2)
    assert rows_at(rows, 20, 22) == (1,), "two digits may be the same by chance"
    assert rows_at(rows, 80, 90) == ()
