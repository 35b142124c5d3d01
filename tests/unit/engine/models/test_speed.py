"""A measured speed is kept beside the file, belongs to this machine, and gets better but never worse."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fin_tui.engine.models import listing
from fin_tui.engine.models.grounding import read_record, update_record
from fin_tui.engine.models.listing import measure, measure_once, read_speed
from fin_tui.engine.models.protocol import Benched
from fin_tui.paths import Paths


@pytest.fixture
def model(paths: Paths) -> Path:
    paths.models.mkdir()
    path = paths.models / "mine.gguf"
    path.write_bytes(b"weights")
    return path


def timed(model: Path, decode: float, monkeypatch: pytest.MonkeyPatch, *, is_busy: bool) -> None:
    """Measure a model that writes ``decode`` tokens a second."""
    monkeypatch.setattr(listing, "_bench", lambda _client, _prompt: Benched(1, 10 * decode, decode, 7))
    monkeypatch.setattr(listing, "_is_busy", lambda: is_busy)
    client = SimpleNamespace(path=model, context=4096, header=SimpleNamespace(parameters=9), describe=dict)
    measure(cast("Any", client))


def test_what_a_busy_machine_showed_is_measured_again_and_the_best_stays(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_speed(model) is None
    timed(model, 5.0, monkeypatch, is_busy=True)
    found = read_speed(model)
    assert found is not None
    assert (found.decode, found.was_busy, found.parameters) == (5.0, True, 9)
    timed(model, 20.0, monkeypatch, is_busy=False)
    timed(model, 10.0, monkeypatch, is_busy=True)
    found = read_speed(model)
    assert found is not None
    assert (found.decode, found.prefill, found.was_busy) == (20.0, 200.0, False)


def test_of_another_machine_or_file_it_says_nothing(model: Path, monkeypatch: pytest.MonkeyPatch, paths: Paths) -> None:
    timed(model, 5.0, monkeypatch, is_busy=False)
    update_record(model, speed={**read_record(model)["speed"], "here": {"processor": "another"}})
    assert read_speed(model) is None
    timed(model, 5.0, monkeypatch, is_busy=False)
    model.write_bytes(b"other weights")
    assert read_speed(model) is None
    assert measure_once(paths.models / "absent.gguf", cast("Any", None), paths) is None
