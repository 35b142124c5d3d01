from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.paths import Paths
from fin_tui.store.library import Library


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "home")


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with Library.open(paths) as opened:
        yield opened
