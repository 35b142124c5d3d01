"""A name finds its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.engine.models.files import find_model, published
from fin_tui.engine.models.record import plain_kernels, remember_plain_kernels
from fin_tui.errors import MissingAsset, ModelFailed, UsageError
from fin_tui.paths import Paths


def placed(paths: Paths, name: str = "SmolLM2-135M-Instruct.Q4_1.gguf") -> Path:
    paths.models.mkdir(parents=True, exist_ok=True)
    path = paths.models / name
    path.write_bytes(b"weights")
    return path


def test_a_catalogue_name_a_file_name_and_a_path_all_find_it(paths: Paths) -> None:
    path = placed(paths)
    for name in ("smollm2-135m-instruct", path.name, path.stem.lower(), str(path)):
        assert find_model(name, paths).path == path
    assert find_model("smollm2-135m-instruct", paths).name == "smollm2-135m-instruct"


def test_what_is_missing_says_how_to_bring_it(paths: Paths) -> None:
    with pytest.raises(MissingAsset) as shipped:
        find_model("smollm2-135m-instruct", paths)
    assert "setup" in shipped.value.hint
    with pytest.raises(MissingAsset) as known:
        find_model("qwen2.5-0.5b-instruct", paths)
    assert "models pull qwen2.5-0.5b-instruct" in known.value.hint
    with pytest.raises(UsageError, match="no language model 'gpt-9'"):
        find_model("gpt-9", paths)


def test_a_crash_of_special_kernels_is_remembered(paths: Paths) -> None:
    original = placed(paths)
    assert not plain_kernels(original)
    remember_plain_kernels(original)
    assert plain_kernels(original)


def test_a_damaged_record_counts_as_none(paths: Paths) -> None:
    original = placed(paths)
    original.with_suffix(".json").write_text("{ not json")
    assert find_model("smollm2-135m-instruct", paths).path == original


def test_other_bytes_than_the_published_ones_are_not_loaded(paths: Paths) -> None:
    path = placed(paths)
    for name in ("smollm2-135m-instruct", str(path)):
        with pytest.raises(ModelFailed, match="not the file that was published") as caught:
            published(find_model(name, paths), paths)
        assert "setup" in caught.value.hint
    other = placed(paths, "other.gguf")
    assert published(find_model("other", paths), paths).path == other
