"""Which passages the questions that the encoder is trained on are answered by."""

from __future__ import annotations

import pytest

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
