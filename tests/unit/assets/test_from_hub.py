"""Downloads from a stand-in for the hub: whole, resumed, damaged, absent, offline."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from huggingface_hub import constants

from fin_tui.assets.from_hub import fetch_hub_file
from fin_tui.errors import MissingAsset
from tests.unit.assets.made import hub

RAW = {"model.gguf": bytes(range(256)) * 400}


def ignore(_done: float, _total: float) -> None:
    return None


def test_brings_a_file_and_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[float, float]] = []
    with hub(RAW) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        got = fetch_hub_file("someone/model", "model.gguf", tmp_path, lambda done, total: told.append((done, total)))
    assert got.read_bytes() == RAW["model.gguf"]
    assert told[-1] == (102400, 102400)


def test_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It loses what it had not yet made a whole chunk of; ours are as small as our file.
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)
    with hub(RAW) as server:
        server.cut_after = 50_000
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        with contextlib.suppress(MissingAsset):  # whether the client tries again by itself is its own affair
            fetch_hub_file("someone/model", "model.gguf", tmp_path, ignore)
        got = fetch_hub_file("someone/model", "model.gguf", tmp_path, ignore)
    assert got.read_bytes() == RAW["model.gguf"]
    assert server.ranges
    assert int(server.ranges[0].removeprefix("bytes=").rstrip("-")) > 0


def test_damaged_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub(RAW) as server:
        server.announced["model.gguf"] = "0" * 64
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        with pytest.raises(MissingAsset, match="damaged"):
            fetch_hub_file("someone/model", "model.gguf", tmp_path, ignore)
    assert not (tmp_path / "model.gguf").exists()


def test_no_such_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub({}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        with pytest.raises(MissingAsset, match=r"no model\.gguf in someone/model"):
            fetch_hub_file("someone/model", "model.gguf", tmp_path, ignore)


def test_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(MissingAsset, match="can't be reached"):
        fetch_hub_file("someone/model", "model.gguf", tmp_path, ignore)
