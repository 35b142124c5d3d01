"""Leaving waits for nothing that can't be interrupted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from fin_tui.config import Settings
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.process import detached
from tests.ui.conftest import until
from tests.ui.fakes import FakeServices


@dataclass
class Loading(FakeServices):
    """Loads until it is released."""

    release: threading.Event = field(default_factory=threading.Event)

    def warm_up(self) -> Iterator[str]:
        yield "loading weights"
        self.release.wait(60)
        yield "loaded"


async def test_the_app_ends_while_weights_are_still_being_loaded() -> None:
    services = Loading()
    app = FinTuiApp(lambda: services, Settings())
    async with app.run_test() as pilot:
        await until(pilot, lambda: "loading weights" in str(app.main.query_one("#state").render()))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not [w for w in app.workers if w.is_running])
    assert not services.release.is_set()
    assert app.return_code == 0
    services.release.set()


def test_detached_work_gives_its_items_and_its_error() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        list(detached(items(), lambda: False))
    got = detached(items(), lambda: False)
    assert (next(got), next(got)) == (1, 2)
    assert list(detached(iter([1, 2, 3]), lambda: True)) == []
