"""A few kills of each kind of work; ``make faults`` tries a hundred."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.faults.kills import ORDER, Kills

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc to see who is left over")


def test_a_library_survives_kills_of_everything_that_writes(models_dir: Path, tmp_path: Path) -> None:
    told: list[str] = []
    tally = Kills(tmp_path / "faults", models_dir, seed=11).run(len(ORDER), ORDER, told.append)
    assert tally.total == len(told) == len(ORDER)
    assert {kind for kind, _ in tally.kills} == set(ORDER)
