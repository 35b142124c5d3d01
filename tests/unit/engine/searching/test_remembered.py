"""Results are kept while the library stays as it is."""

from __future__ import annotations

from fin_tui.engine.searching.remembered import Remembered


class World:
    def __init__(self) -> None:
        self.version = 1
        self.made = 0

    def make(self) -> int:
        self.made += 1
        return self.made


def test_a_repeat_is_not_made_again_until_something_changes() -> None:
    world = World()
    results: Remembered[int] = Remembered(lambda: world.version)
    assert [results.get("a", world.make), results.get("a", world.make)] == [1, 1]
    assert results.get("b", world.make) == 2
    world.version += 1
    assert results.get("a", world.make) == 3


def test_the_least_used_goes_first() -> None:
    world = World()
    results: Remembered[int] = Remembered(lambda: 0, most=2)
    for key in "abacab":
        results.get(key, world.make)
    assert world.made == 4
    assert len(results) == 2


def test_what_is_made_while_the_library_changes_is_not_kept() -> None:
    world = World()
    results: Remembered[int] = Remembered(lambda: world.version)

    def slow() -> int:
        world.version += 1
        return world.make()

    assert results.get("a", slow) == 1
    assert results.get("a", world.make) == 2


def test_without_a_version_nothing_is_kept() -> None:
    world = World()
    results: Remembered[int] = Remembered(None)
    assert [results.get("a", world.make), results.get("a", world.make)] == [1, 2]
