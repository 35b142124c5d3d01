"""A model that was put in place is tried, and chosen only where it writes well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fin_tui.config import Settings, load_settings
from fin_tui.engine.models.grounding import Grounding, write_grounding
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths
from fin_tui.records import Progress
from fin_tui.ui.live_work import LiveWork
from fin_tui.ui.services import JobLine, JobNews
from tests.unit.engine.models.gguf_files import gguf


@pytest.fixture
def model(paths: Paths) -> Path:
    paths.models.mkdir()
    path = paths.models / "mine.gguf"
    path.write_bytes(gguf())
    return path


def tried(paths: Paths) -> list[JobNews]:
    return list(LiveWork(paths, Settings, tuple).try_out("mine", lambda: False))


@pytest.mark.parametrize(("supported", "writes"), [(38, True), (20, False)])
def test_what_its_sentences_are_worth_decides(
    paths: Paths, model: Path, monkeypatch: pytest.MonkeyPatch, supported: int, writes: bool
) -> None:
    def try_model(_paths: Paths, _settings: Settings, client: Any, *, tell: Any, when_idle: bool, cancelled: Any) -> None:
        assert when_idle
        assert not cancelled()
        tell(3, 20)
        write_grounding(client.path, Grounding(client.path.stat().st_size, 20, 40, supported))

    monkeypatch.setattr("fin_tui.evaluation.trial.try_model", try_model)
    progress, line = tried(paths)
    assert progress == Progress("trial", 3, 20, "questions")
    assert isinstance(line, JobLine)
    assert (line.kind, f"{supported / 40:.0%} of 40 sentences" in line.text) == ("done" if writes else "skipped", True)
    assert load_settings(paths.settings, {}).model.name == ("mine" if writes else Settings().model.name)


def test_a_small_model_that_could_not_be_measured_is_not_chosen(
    paths: Paths, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def try_model(*_: Any, **__: Any) -> None:
        raise MissingAsset("The grounding check needs the sample filings.", "`fin-tui setup` downloads them.")

    monkeypatch.setattr("fin_tui.evaluation.trial.try_model", try_model)
    kinds = [line.kind for line in tried(paths) if isinstance(line, JobLine)]
    assert kinds == ["note", "skipped"]
    assert not paths.settings.exists()
