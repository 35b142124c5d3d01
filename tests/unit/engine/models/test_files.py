"""A name finds its file, and the faster copy where it was found to be worth it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.engine.models.files import faster_path, find_model, local_files, published
from fin_tui.engine.models.protocol import Traced
from fin_tui.engine.models.quantize import Measured, compare, judge
from fin_tui.engine.models.record import plain_kernels, remember_plain_kernels, update_record
from fin_tui.errors import MissingAsset, ModelFailed, UsageError
from fin_tui.paths import Paths

SLOW, FAST = Measured(100, 50, 1, 1), Measured(300, 50, 1, 1)


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


def test_the_faster_copy_is_loaded_only_while_it_belongs_to_its_original(paths: Paths) -> None:
    original = placed(paths)
    copy = faster_path(original)
    copy.write_bytes(b"faster weights")
    assert find_model("smollm2-135m-instruct", paths).path == original
    verdict = judge(SLOW, FAST, 0.99, 0.01, original.stat().st_size, copy.stat().st_size)
    update_record(original, requantised=verdict)
    assert find_model("smollm2-135m-instruct", paths).path == copy
    assert local_files(paths) == [original]
    original.write_bytes(b"other weights, of another size")
    assert find_model("smollm2-135m-instruct", paths).path == original


def test_a_crash_of_special_kernels_is_remembered_for_the_copy_too(paths: Paths) -> None:
    original = placed(paths)
    assert not plain_kernels(original)
    remember_plain_kernels(original)
    assert plain_kernels(original)
    assert plain_kernels(faster_path(original))


def test_a_damaged_record_counts_as_none(paths: Paths) -> None:
    original = placed(paths)
    original.with_suffix(".json").write_text("{ not json")
    assert find_model("smollm2-135m-instruct", paths).path == original


@pytest.mark.parametrize(
    ("after", "agreement", "drift", "kept", "why"),
    [
        (FAST, 0.99, 0.02, True, "3.0 times as fast"),
        (FAST, 0.80, 0.02, False, "answers differ"),
        (FAST, 0.99, 0.50, False, "answers differ"),
        (SLOW, 1.0, 0.0, False, "no faster"),
    ],
)
def test_a_copy_is_kept_only_when_faster_and_the_same(
    after: Measured, agreement: float, drift: float, kept: bool, why: str
) -> None:
    verdict = judge(SLOW, after, agreement, drift, 10, 15)
    assert verdict.kept is kept
    assert why in verdict.why


def test_agreement_is_counted_step_by_step() -> None:
    ours = [Traced(1, [5, 6, 7], [-0.1, -0.2, -0.3]), Traced(2, [9], [-1.0])]
    theirs = [Traced(3, [5, 6, 8], [-0.1, -0.4, -0.3]), Traced(4, [9], [-1.0])]
    agreement, drift = compare(ours, theirs)
    assert agreement == 0.75
    assert drift == pytest.approx(0.05)


def test_other_bytes_than_the_published_ones_are_not_loaded(paths: Paths) -> None:
    path = placed(paths)
    for name in ("smollm2-135m-instruct", str(path)):
        with pytest.raises(ModelFailed, match="not the file that was published") as caught:
            published(find_model(name, paths), paths)
        assert "setup" in caught.value.hint
    other = placed(paths, "other.gguf")
    assert published(find_model("other", paths), paths).path == other
