"""How many cores really compute."""

from __future__ import annotations

import pytest

from fin_tui.engine.models.machine import cores_in, memory_bytes, physical_cores, processor, quota_in

HYPERTHREADED = "\n\n".join(
    f"processor\t: {number}\nphysical id\t: 0\ncore id\t\t: {number % 4}\nmodel name\t: Made" for number in range(8)
)


def test_hyper_threads_count_once() -> None:
    assert cores_in(HYPERTHREADED, set(range(8))) == 4


def test_only_allowed_processors_count() -> None:
    assert cores_in(HYPERTHREADED, {0, 4, 1}) == 2


def test_a_cpuinfo_without_cores_says_nothing() -> None:
    assert cores_in("processor\t: 0\nBogoMIPS\t: 50", {0}) == 0


@pytest.mark.parametrize(("text", "cores"), [("max 100000", 0), ("150000 100000", 2), ("50000 100000", 1), ("", 0), ("x", 0)])
def test_container_quota(text: str, cores: int) -> None:
    assert quota_in(text) == cores


def test_this_machine_has_something() -> None:
    assert physical_cores() >= 1
    assert memory_bytes() >= 0
    assert processor()
