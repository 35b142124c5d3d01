"""A short soak over a real filing: the whole one is ``python -m benchmarks.soak``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.soak import run

ROOT = Path(__file__).parents[2]
FILING = ROOT / "data" / "samples" / "aapl_2025_10k.html"

pytestmark = pytest.mark.skipif(not FILING.is_file(), reason="the sample filing is not here: fin-tui setup brings it")


def test_twenty_questions_leave_nothing_behind(tmp_path: Path) -> None:
    home = tmp_path / "soaked"
    (home / "models").mkdir(parents=True)
    shutil.copy(FILING, home / FILING.name)
    subprocess.run(
        [sys.executable, "-m", "fin_tui", "add", str(home / FILING.name)],
        env={**os.environ, "FIN_TUI_HOME": str(home), "FIN_TUI_ENCODER_MODEL": "none"},
        check=True,
        capture_output=True,
        timeout=240,
    )
    figures = run(home, 20)
    assert figures["questions"] == 20
    assert figures["left"] == []
    assert figures["threads"]["late"] <= figures["threads"]["early"]
    assert figures["children"]["late"] <= figures["children"]["early"]
    # Caches still fill in so short a run; a leak of a megabyte a question would be seen.
    assert figures["growth_percent"] < 15, figures
