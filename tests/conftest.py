"""What every test stands on: a home folder of its own, and the way to real weights and real filings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from fin_tui.paths import Paths

CHECKOUT = Path(__file__).resolve().parent.parent
MODELS_VARIABLE = "FIN_TUI_MODELS"
CORPUS_VARIABLE = "FIN_TUI_CORPUS"
# A busy machine makes any example slow: how long one takes is no finding.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the developer's own library, settings, or the network's caches."""
    for name in [name for name in os.environ if name.startswith("FIN_TUI_") and name not in (MODELS_VARIABLE, CORPUS_VARIABLE)]:
        monkeypatch.delenv(name)
    for name in ("LINES", "COLUMNS"):  # The caller's terminal: its size would win over that of a terminal made here.
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FIN_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """An empty home."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return Paths(home)


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real weights, as links in a folder of our own: what is written beside them stays there. Skips without them."""
    source = Path(os.environ.get(MODELS_VARIABLE) or CHECKOUT / "models")
    if not list(source.glob("*.gguf")):
        pytest.skip(reason=f"no weights in {source}: run fin-tui setup, or set {MODELS_VARIABLE}")
    folder = tmp_path_factory.mktemp("weights") / "models"
    folder.mkdir()
    for entry in source.iterdir():
        if entry.is_dir() or entry.suffix == ".gguf":
            (folder / entry.name).symlink_to(entry.resolve())
    return folder


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with filings/, pdf/ and qa/. Skips without it."""
    folder = os.environ.get(CORPUS_VARIABLE)
    if not folder:
        pytest.skip(reason=f"{CORPUS_VARIABLE} is not set: it names the folder of real filings")
    return Path(folder)
