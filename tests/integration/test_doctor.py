"""``fin-tui doctor`` as a user runs it, with the real weights."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.store.library import Library
from tests.unit.ingest.made import make_html


@pytest.fixture
def home(models_dir: Path, tmp_path: Path) -> Paths:
    """A filing without vectors and index; the weights are copies, so that they can be damaged."""
    paths = Paths(tmp_path / "with-weights")
    shutil.copytree(models_dir, paths.models)
    (tmp_path / "a.htm").write_bytes(make_html())
    with Library.open(paths) as library:
        list(add_files(library, Settings(), [tmp_path / "a.htm"]))
    return paths


def run(paths: Paths, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fin_tui", "--home", str(paths.home), "doctor", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def test_missing_vectors_and_index_are_made(home: Paths) -> None:
    before = run(home, "--quick")
    assert before.returncode == 1
    assert "PROBLEM  vectors" in before.stdout
    assert "fin-tui doctor --repair" in before.stdout
    repaired = run(home, "--repair", "--json")
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    document = json.loads(repaired.stdout)
    assert document["healthy"]
    states = {(finding["check"], finding["state"]) for finding in document["findings"]}
    assert ("vectors", "mended") in states
    assert ("models", "ok") in states
    (filing,) = document["filings"]
    assert filing["embedded"] == filing["chunks"] > 0
    after = run(home, "--quick")
    assert after.returncode == 0, after.stdout
    assert "mended" not in after.stdout
    assert after.stdout.rstrip().endswith("Healthy.")


def test_changed_weights_are_named(home: Paths) -> None:
    model = next(home.models.glob("SmolLM2*Q4_1.gguf"))
    raw = bytearray(model.read_bytes())
    raw[-1] ^= 1
    model.write_bytes(bytes(raw))
    (home.models / "cut.gguf").write_bytes(raw[:4096])
    done = run(home)
    assert done.returncode == 1
    assert "SmolLM2-135M-Instruct.Q4_1.gguf is not the published file" in done.stdout
    assert "cut.gguf is truncated" in done.stdout
    assert "PROBLEM  models" in done.stdout
    assert "Traceback" not in done.stderr
