"""Which tokens the weights do without."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers")

from training import vocabulary
from training.vocabulary import needless, shared, take_out

WORDS = ["[PAD]", "[unused1]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", "a", "##b", "茶", "rent", "##ship", "castle", "lease"]


def test_what_no_text_has_goes_in_order_of_need() -> None:
    vocabulary = {word: at for at, word in enumerate(WORDS)}
    used = np.array([word in ("rent", "a") for word in WORDS], np.int64)
    assert [WORDS[at] for at in needless(vocabulary, used)] == ["茶", "[unused1]", "##ship", "lease", "castle"]


def test_weights_and_vocabulary_lose_the_same_tokens(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    rows = np.arange(len(WORDS) * 2, dtype=np.uint8).reshape(-1, 2)
    table = onnx.numpy_helper.from_array(rows, "bert.embeddings.word_embeddings.weight_quantized")
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "bert", [], [], [table])), str(tmp_path / "model.onnx"))
    special = {"[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}
    held = {
        "model": {"vocab": {word: at for at, word in enumerate(WORDS)}},
        "added_tokens": [{"id": 3, "content": "[SEP]"}],
        "post_processor": {"special_tokens": special},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(held), encoding="utf-8")
    (tmp_path / "card.json").write_text('{"name": "reader", "words": ["barn"]}', encoding="utf-8")
    take_out(tmp_path, {1, 8, 11})
    assert json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))["words"] == ["barn", "castle"]
    made = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    assert made["model"]["vocab"]["[SEP]"] == made["added_tokens"][0]["id"] == 2
    assert made["post_processor"]["special_tokens"]["[SEP]"]["ids"] == [2]
    kept = onnx.numpy_helper.to_array(onnx.load(str(tmp_path / "model.onnx")).graph.initializer[0])
    assert kept.tolist() == [rows[at].tolist() for at, word in enumerate(WORDS) if word not in ("[unused1]", "茶", "castle")]


def test_the_words_of_the_package_are_found_in_a_whole_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"rent": 1, "[PAD]": 0}}}), encoding="utf-8")
    monkeypatch.setattr(vocabulary, "FOLDERS", [tmp_path])
    assert shared({"[PAD]": 0, "castle": 1, "rent": 2}) == [0, 2]
