"""The cross-encoder's scores: each text by itself, each once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from fin_tui.retrieval.rerank import CrossEncoder


class Encoding:
    def __init__(self, pair: tuple[str, str]) -> None:
        self.text = pair[1]
        self.ids = [0] * len(pair[1])


class CountingModel:
    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def tokenize(self, pairs: Sequence[tuple[str, str]]) -> list[Encoding]:
        return [Encoding(pair) for pair in pairs]

    def run_all(self, batches: Sequence[Sequence[Encoding]]) -> list[np.ndarray]:
        self.batches += [[one.text for one in batch] for batch in batches]
        return [np.array([[float(len(one.text))] for one in batch]) for batch in batches]


@pytest.fixture
def model() -> CountingModel:
    return CountingModel()


@pytest.fixture
def reader(model: CountingModel) -> CrossEncoder:
    made = CrossEncoder()
    made._model = model  # type: ignore[assignment]
    return made


def test_each_text_is_read_by_itself_the_longest_first(reader: CrossEncoder, model: CountingModel) -> None:
    assert reader.read("q", ["a", "ccc", "bb", "a"]) == [1.0, 3.0, 2.0, 1.0]
    assert model.batches == [["ccc"], ["bb"], ["a"]]


def test_what_was_read_for_a_question_is_not_read_again(reader: CrossEncoder, model: CountingModel) -> None:
    reader.read("q", ["a", "bb"])
    assert reader.read("q", ["bb", "dddd"]) == [2.0, 4.0]
    assert reader.read("other", ["bb"]) == [2.0]
    assert model.batches == [["bb"], ["a"], ["dddd"], ["bb"]]
