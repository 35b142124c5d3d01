"""A damaged model file is named in one line before llama.cpp sees it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fin_tui.engine.gguf import read_header
from fin_tui.errors import ModelFailed
from tests.unit.engine.gguf_files import gguf, written


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
