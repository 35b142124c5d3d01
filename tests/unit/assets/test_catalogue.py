"""Hashing happens once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fin_tui import assets as verify
from fin_tui.assets import Ledger
from fin_tui.paths import Paths
from tests.unit.assets.made import CONTENT, asset


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
