"""A name finds its file."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fin_tui.assets import load_catalogue
from fin_tui.engine.models import listing as pull
from fin_tui.engine.models.files import _BLOCKS, FoundModel, find_model, found_models, published, read_header
from fin_tui.engine.models.grounding import plain_kernels, record_path, remember_plain_kernels, update_record
from fin_tui.engine.models.listing import list_models, pull_model
from fin_tui.errors import FinTuiError, MissingAsset, ModelFailed, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Progress
from tests.unit.engine.models.gguf_files import gguf, written


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


TEMPLATE = {"tokenizer.chat_template": "{{ messages }}"}


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fin_tui.engine.models.files._SMALLEST", 1)


def put(path: Path, raw: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    return path


def kept(home: Path) -> dict[str, FoundModel]:
    return {model.name: model for model in found_models(home, {})}


def never(_progress: Progress) -> None:
    raise AssertionError("nothing is to be downloaded")


def ollama(home: Path, name: str, tag: str, raw: bytes) -> Path:
    digest = hashlib.sha256(raw).hexdigest()
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:00"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
    ]
    models = home / ".ollama" / "models"
    put(models / "manifests/registry.ollama.ai/library" / name / tag, json.dumps({"layers": layers}).encode())
    return put(models / "blobs" / f"sha256-{digest}", raw)


def test_each_program_s_folder_is_looked_into(tmp_path: Path) -> None:
    blob = put(tmp_path / ".cache/huggingface/hub/models--a--b/blobs/abc", gguf("qwen3", more=TEMPLATE))
    snapshot = tmp_path / ".cache/huggingface/hub/models--a--b/snapshots/1/Qwen3-1.7B-Q4_K_M.gguf"
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(blob)
    put(tmp_path / ".lmstudio/models/who/what/Phi-4.gguf", gguf("phi3", more=TEMPLATE))
    put(tmp_path / ".cache/llama.cpp/gemma.gguf", gguf("gemma3", more=TEMPLATE))
    ollama(tmp_path, "llama3.2", "1b", gguf("llama", more=TEMPLATE))
    places = {name: model.place for name, model in kept(tmp_path).items()}
    assert places == {
        "qwen3-1.7b-q4_k_m": "Hugging Face's cache",
        "phi-4": "LM Studio",
        "gemma": "llama.cpp's cache",
        "llama3.2-1b": "Ollama",
    }


def test_what_can_not_answer_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / ".cache/llama.cpp"
    put(folder / "base.gguf", gguf("llama"))
    put(folder / "encoder.gguf", gguf("bert", more=TEMPLATE))
    put(folder / "half.gguf", gguf("llama", more=TEMPLATE)[:-200])
    put(folder / "page.gguf", b"<html>not found</html>" * 9)
    put(tmp_path / ".ollama/models/manifests/x/library/broken/1b", b"{")
    assert kept(tmp_path) == {}


def test_the_programs_own_variables_move_their_folders(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere/hub/models--a--b/snapshots/1/one.gguf", gguf(more=TEMPLATE))
    put(tmp_path / "other/two.gguf", gguf("qwen2", more=TEMPLATE))
    variables = {"HF_HOME": str(tmp_path / "elsewhere"), "LLAMA_CACHE": str(tmp_path / "other")}
    assert {model.name for model in found_models(tmp_path / "empty", variables)} == {"one", "two"}


def test_one_is_used_by_a_link_and_nothing_is_written_beside_it(tmp_path: Path, paths: Paths) -> None:
    blob = ollama(tmp_path, "llama3.2", "1b", gguf(more=TEMPLATE))
    found = found_models(tmp_path, {})
    rows = {row.name: row for row in list_models(paths, "", found)}
    assert (rows["llama3.2-1b"].place, rows["llama3.2-1b"].is_here) == ("Ollama", False)
    pull_model("llama3.2-1b", paths, never, found)
    model = find_model("llama3.2-1b", paths)
    assert model.path.is_symlink()
    assert model.path.resolve() == blob
    update_record(model.path, seen=True)
    assert record_path(model.path).parent == paths.models
    assert len(list(blob.parent.iterdir())) == 1
    (row,) = (row for row in list_models(paths, "", found) if row.name == "llama3.2-1b")
    assert (row.place, row.is_here) == ("", True)
    blob.unlink()
    with pytest.raises(FinTuiError, match="no language model"):
        find_model("llama3.2-1b", paths)


def test_a_file_of_the_catalogue_that_lies_here_is_not_downloaded(
    tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = gguf("qwen2", more=TEMPLATE)
    catalogue = load_catalogue()
    mine = replace(catalogue.models[0], size=len(raw), sha256=hashlib.sha256(raw).hexdigest())
    for module in ("listing", "files"):
        monkeypatch.setattr(f"fin_tui.engine.models.{module}.load_catalogue", lambda: replace(catalogue, models=(mine,)))
    put(tmp_path / ".lmstudio/models/who/what/renamed.gguf", raw)
    found = found_models(tmp_path, {})
    rows = {row.name: row for row in list_models(paths, "", found)}
    assert rows[mine.name].place == "LM Studio"
    assert "renamed" not in rows
    pull.pull_model(mine.name, paths, never, found)
    assert find_model(mine.name, paths).path == paths.models / mine.file


def test_says_what_a_whole_file_is(tmp_path: Path) -> None:
    raw = gguf()
    header = read_header(written(tmp_path, raw))
    assert (header.architecture, header.title, header.quantisation) == ("llama", "Made", "Q4_1")
    assert (header.context, header.license, header.bytes_needed) == (2048, "mit", len(raw))


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not a GGUF"),
        (b"<html>" + bytes(100), "not a GGUF"),
        (gguf(magic=b"GGML"), "not a GGUF"),
        (gguf(version=1), "version 1"),
        (gguf(version=0x03000000), "version"),
        (gguf()[:-1], "truncated: "),
        (gguf()[:120], "truncated inside its header"),
        (gguf("bert"), "can't write answers"),
        (gguf(tokenizer=False), "no language model"),
        (gguf()[:8] + b"\xff" * 40, "damaged"),
        (gguf(more={"general.type": "adapter"}), "only a part of a model"),
        (gguf(more={"split.count": 3}), "one of 3 parts"),
        (gguf(kind=24, size=1)[:-1], "truncated: "),
    ],
)
def test_names_what_is_wrong(tmp_path: Path, raw: bytes, said: str) -> None:
    with pytest.raises(ModelFailed, match=said) as caught:
        read_header(written(tmp_path, raw))
    assert "\n" not in caught.value.message


def test_a_missing_file_is_named_with_what_brings_it(tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match="is not there") as caught:
        read_header(tmp_path / "none.gguf")
    assert "fin-tui setup" in caught.value.hint


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(4, 400), noise=st.binary(min_size=1, max_size=12))
def test_any_damage_to_the_header_is_a_model_failure_or_harmless(tmp_path: Path, cut: int, noise: bytes) -> None:
    raw = gguf()
    path = written(tmp_path, raw[:cut] + noise + raw[cut + len(noise) :])
    with contextlib.suppress(ModelFailed):
        assert read_header(path).bytes_needed <= path.stat().st_size


def test_blocks_of_every_type_are_those_of_the_engine() -> None:
    """The table of sizes against llama.cpp's own."""
    library = _base_library()
    for kind, (elements, size) in _BLOCKS.items():
        assert (library.ggml_blck_size(kind), library.ggml_type_size(kind)) == (elements, size), kind


def _base_library() -> ctypes.CDLL:
    package = importlib.util.find_spec("llama_cpp")
    found = [*(Path(package.origin or "").parent / "lib").glob("*ggml-base*")] if package else []
    if not found:
        pytest.skip(reason="llama-cpp-python is not here, or not as separate libraries")
    library = ctypes.CDLL(str(found[0]))
    library.ggml_type_size.restype = ctypes.c_size_t
    library.ggml_blck_size.restype = ctypes.c_int64
    return library
