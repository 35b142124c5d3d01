"""The encoders and the reranker with their real weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fin_tui import config
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths
from fin_tui.retrieval.encoder import Encoder, encoder_name, load_encoder
from fin_tui.retrieval.question_encoder import QuestionEncoder
from fin_tui.retrieval.rerank import Reranker, load_reranker
from fin_tui.retrieval.shared_encoder import SharedEncoder

SETTINGS = {
    "onnx": config.Encoder(kind="onnx", model="bge-small-en"),
    "sentence-transformers": config.Encoder(kind="sentence-transformers", model="all-MiniLM-L6-v2"),
}
PASSAGES = [
    "A significant majority of the Company's manufacturing is performed by outsourcing partners located primarily in China.",
    "The effective tax rate was 24.1%, compared to 14.7% in the prior year, due to a one-time charge.",
    "We lease retail stores; most leases have terms of ten years and contain renewal options.",
    "The Board of Directors raised the quarterly cash dividend by four percent.",
]
QUESTIONS = [
    "How dependent is the company on suppliers in Asia?",
    "Why did income taxes change?",
    "How long are the store leases?",
    "Was the dividend increased?",
]

ROWS = [
    "Accounts payable | Current liabilities | CONSOLIDATED BALANCE SHEETS",
    "Accrued product warranty | Current liabilities | CONSOLIDATED BALANCE SHEETS",
    "Operating lease liabilities | Noncurrent liabilities | CONSOLIDATED BALANCE SHEETS",
    "Long-term debt | Noncurrent liabilities | CONSOLIDATED BALANCE SHEETS",
]


@pytest.fixture(scope="session")
def paths(models_dir: Path) -> Paths:
    return Paths(models_dir.parent)


@pytest.fixture(scope="session", params=list(SETTINGS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def encoder(kind: str, paths: Paths) -> Encoder:
    if kind == "sentence-transformers":
        pytest.importorskip("torch", reason="torch is not installed")
        if not (paths.models / SETTINGS[kind].model).is_dir():
            pytest.skip(reason="no sentence-transformers folder in models/: run fin-tui setup")
    return load_encoder(SETTINGS[kind], paths)


def test_vectors_are_unit_rows_in_the_order_given(encoder: Encoder) -> None:
    vectors = encoder.encode_passages(PASSAGES)
    assert vectors.shape == (len(PASSAGES), encoder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    one_by_one = np.concatenate([encoder.encode_passages([text]) for text in PASSAGES])
    assert np.all(np.sum(vectors * one_by_one, axis=1) > 0.98)


def test_each_question_is_nearest_to_its_passage(encoder: Encoder) -> None:
    passages = encoder.encode_passages(PASSAGES)
    nearest = [int(np.argmax(passages @ encoder.encode_query(question))) for question in QUESTIONS]
    assert nearest == [0, 1, 2, 3]


def test_no_text_and_too_much_text_are_both_fine(encoder: Encoder) -> None:
    assert encoder.encode_passages([]).shape == (0, encoder.dimension)
    vectors = encoder.encode_passages(["", "word " * 5000, "\u0000 \U0001f600 漢字"])
    assert np.all(np.isfinite(vectors))


def test_the_name_tells_weights_apart_and_is_known_before_loading(encoder: Encoder, kind: str, paths: Paths) -> None:
    assert encoder.name.startswith(SETTINGS[kind].model + "@")
    assert encoder_name(SETTINGS[kind], paths) == encoder.name


@pytest.mark.parametrize("kind_of_engine", list(SETTINGS))
def test_missing_and_broken_weights_are_named(tmp_path: Path, kind_of_engine: str) -> None:
    settings = config.Encoder(kind=kind_of_engine, model="nothing-here")  # type: ignore[arg-type]
    with pytest.raises(MissingAsset, match="nothing-here"):
        load_encoder(settings, Paths(tmp_path))
    folder = tmp_path / "models" / "nothing-here"
    folder.mkdir(parents=True)
    for name in ("model.onnx", "model.safetensors", "tokenizer.json", "config.json"):
        (folder / name).write_bytes(b"not weights")
    with pytest.raises(MissingAsset, match="nothing-here"):
        load_encoder(settings, Paths(tmp_path))


@pytest.fixture(scope="session")
def reranker() -> Reranker:
    return load_reranker()


def test_the_reranker_puts_the_right_passage_first(reranker: Reranker) -> None:
    for place, question in enumerate(QUESTIONS):
        scores = [score for score in reranker.score(question, PASSAGES, seconds=60) if score is not None]
        assert int(np.argmax(scores)) == place


def test_the_reranker_stops_at_its_deadline(reranker: Reranker) -> None:
    assert reranker.score(QUESTIONS[0], PASSAGES, seconds=-1.0) == [None] * 4
    many = [f"{passage} {number}" for number in range(200) for passage in PASSAGES]
    scores = reranker.score(QUESTIONS[0], many, seconds=0.05)
    assert scores[-1] is None
    assert None not in reranker.score(QUESTIONS[0], many[:40])  # Without one all is read, however long that takes.


def test_a_follow_up_is_nearest_to_what_answers_it_in_its_conversation(paths: Paths) -> None:
    settings = SETTINGS["onnx"]
    questions = QuestionEncoder()
    assert questions.passages == encoder_name(settings, paths), "the encoder of the passages changed: train this one anew"
    passages = load_encoder(settings, paths).encode_passages(PASSAGES)
    leases = questions.encode(["where does the company rent its stores?", "and how long do these run?"]).passages
    dividend = questions.encode(["did the dividend go up?", "by how much?"]).passages
    assert np.argmax(passages @ leases) == 2
    assert np.argmax(passages @ dividend) == 3
    assert np.isclose(np.linalg.norm(leases), 1, atol=1e-5)


def test_a_follow_up_is_nearest_to_the_row_that_answers_it_in_its_conversation() -> None:
    questions, encoder = QuestionEncoder(), SharedEncoder()
    rows = encoder.vectors(ROWS)
    assert questions.rows == encoder.name, "the encoder of the rows changed: train this one anew"
    guides = questions.encode(["what do they owe the lift makers, ye31?", "set aside for broken lifts?"]).rows
    rent = questions.encode(["bonds and loans at the end of 2031?", "and what is owed on leases?"]).rows
    assert np.argmax(rows @ guides) == 1
    assert np.argmax(rows @ rent) == 2
    assert np.isclose(np.linalg.norm(rent), 1, atol=1e-5)
