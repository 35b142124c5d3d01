"""What the trained encoder of questions reads; its weights are tried in ``tests/integration/test_encoders.py``."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.question_encoder import QuestionEncoder, as_asked


def test_the_last_question_stands_behind_those_before_it() -> None:
    assert as_asked(["who makes the kilns?", "since when"]) == "who makes the kilns? | since when"


def test_of_a_long_conversation_the_first_and_the_last_three_are_kept() -> None:
    assert as_asked(["acme?", "one", "two", "three", "four"]) == "acme? | two | three | four"


def test_the_end_of_a_long_question_is_kept() -> None:
    words = [f"word{at}" for at in range(100)]
    assert as_asked([" ".join(words)]).split()[-1] == "word99"
    assert len(as_asked([" ".join(words)]).split()) < 64


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingAsset, match="can't be read"):
        QuestionEncoder(tmp_path)


def test_it_suits_the_encoders_of_passages_and_of_rows() -> None:
    package = files("fin_tui.retrieval")
    card = json.loads(package.joinpath("question_weights", "card.json").read_text(encoding="utf-8"))
    rows = json.loads(package.joinpath("reader_weights", "card.json").read_text(encoding="utf-8"))
    assert card["passages"].startswith("bge-small-en@")
    assert card["rows"] == rows["name"], "the encoder of rows changed: train that of questions anew"


def test_its_words_are_those_of_the_cross_encoder() -> None:
    onnx = pytest.importorskip("onnx")
    package = files("fin_tui.retrieval")
    words = json.loads(package.joinpath("cross_encoder_weights", "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    graph = onnx.load(str(package / "question_weights" / "model.onnx")).graph
    (table,) = (one for one in graph.initializer if one.name.endswith("word_embeddings.weight_quantized"))
    assert table.dims[0] == len(words), "one vector for each token"


def test_a_head_that_was_cut_off_is_named(tmp_path: Path) -> None:
    package = files("fin_tui.retrieval").joinpath("question_weights")
    for name in ("card.json", "model.onnx"):
        (tmp_path / name).write_bytes(package.joinpath(name).read_bytes())
    (tmp_path / "rows.npz").write_bytes(package.joinpath("rows.npz").read_bytes()[:1000])
    with pytest.raises(MissingAsset, match="can't be read"):
        QuestionEncoder(tmp_path)
