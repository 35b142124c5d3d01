"""A damaged model file is named in one line before llama.cpp sees it."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fin_tui.engine.models.gguf import _BLOCKS, read_header
from fin_tui.errors import ModelFailed
from tests.unit.engine.models.gguf_files import gguf, written


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
