"""What was measured of a model's sentences decides what its text may be used for."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fin_tui.assets import load_catalogue
from fin_tui.engine.models.grounding import (
    FEWEST_PARAMETERS,
    Grounding,
    Tally,
    may_read,
    may_write,
    read_grounding,
    read_record,
    record_path,
    remember_plain_kernels,
    resting,
    write_grounding,
)
from fin_tui.paths import Paths

_SMALL, _LARGE = FEWEST_PARAMETERS // 9, FEWEST_PARAMETERS * 9


@pytest.fixture
def model(paths: Paths) -> Path:
    paths.models.mkdir()
    path = paths.models / "Mine-1B.Q4_1.gguf"
    path.write_bytes(b"weights")
    return path


def found(model: Path, supported: int) -> Grounding:
    return Grounding(model.stat().st_size, 5, 10, supported, 3, 120.5, 40.0)


def test_enough_supported_sentences_make_a_model_that_writes_answers(model: Path) -> None:
    write_grounding(model, found(model, 8))
    assert read_grounding(model) == found(model, 8)
    assert found(model, 8).uses == ("writing",)
    assert may_write(model, _SMALL)


@pytest.mark.parametrize("supported", [0, 7])
def test_too_few_make_a_model_that_rests(model: Path, supported: int) -> None:
    write_grounding(model, found(model, supported))
    assert found(model, supported).uses == ()
    assert not may_write(model, _LARGE)


def test_a_model_that_says_nothing_is_worth_nothing(model: Path) -> None:
    assert Grounding(7, 20, 0, 0).share == 0
    assert Grounding(7, 20, 0, 0).uses == ()


def test_a_large_model_that_was_never_measured_is_judged_by_each_answer_and_a_small_one_rests(model: Path) -> None:
    assert read_grounding(model) is None
    assert may_write(model, FEWEST_PARAMETERS)
    assert not may_write(model, FEWEST_PARAMETERS - 1)
    assert read_grounding(model.with_name("absent.gguf")) is None


def test_a_file_that_was_changed_is_measured_anew(model: Path) -> None:
    remember_plain_kernels(model)
    write_grounding(model, found(model, 9))
    assert "plain_kernels" in read_record(model)
    model.write_bytes(b"made again, and different")
    assert read_grounding(model) is None


def test_a_record_that_is_no_record_counts_for_nothing(model: Path) -> None:
    for text in ('{"grounding": 3}', '{"grounding": {"Mine-1B.Q4_1.gguf": {"sentences": "many"}}}', "{"):
        record_path(model).write_text(text)
        assert read_grounding(model) is None
    write_grounding(model, found(model, 9))
    assert may_write(model, _SMALL)


def test_the_shipped_model_comes_with_its_figures_but_a_measurement_here_wins(paths: Paths) -> None:
    asset = load_catalogue().shipped_model
    path = asset.place(paths, asset.files[0])
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(asset.files[0].size)
    assert asset.grounding is not None
    assert may_write(path, _LARGE) == (asset.grounding.supported / asset.grounding.sentences >= 0.8)
    write_grounding(path, found(path, 10))
    assert may_write(path, _SMALL)
    with path.open("ab") as file:
        file.write(b"changed")
    assert read_grounding(path) is None


@pytest.mark.parametrize(
    ("tally", "pays"),
    [
        (Tally(8, 4, 0, 0), True),
        (Tally(8, 3, 1, 0), False),
        (Tally(8, 8, 0, 1), False),
        (Tally(8, 8, 2, 2), True),
        (Tally(), True),
    ],
)
def test_a_kind_of_question_rests_where_words_seldom_stand_or_lose_more_than_they_gain(
    model: Path, tally: Tally, pays: bool
) -> None:
    assert resting(model) == frozenset()
    write_grounding(model, replace(found(model, 9), kinds={"words": Tally(4, 4), "yesno": tally}))
    assert resting(model) == (frozenset() if pays else {"yesno"})
    assert may_write(model, _SMALL)


@pytest.mark.parametrize(("asked", "right", "reads"), [(20, 10, True), (20, 9, False), (0, 0, False)])
def test_a_model_that_works_out_enough_of_the_trials_figures_may_speak_for_some(
    model: Path, asked: int, right: int, reads: bool
) -> None:
    known = Grounding(7, 0, 0, 0, worked_asked=asked, worked_right=right)
    write_grounding(model, known)
    assert ("reading" in known.uses) == reads
    assert may_read(model) == reads
