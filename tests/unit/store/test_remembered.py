"""What was made of a corpus is remembered while the corpus stays as it is, and only so much of it."""

from __future__ import annotations

from fin_tui.store import Remembered


class World:
    """What values are made from."""

    def __init__(self) -> None:
        self.version = 1
        self.made = 0

    def make(self) -> int:
        self.made += 1
        return self.made


def test_a_repeat_is_not_made_again_until_something_changes() -> None:
    world = World()
    results: Remembered[str, int] = Remembered(9, lambda: world.version)
    assert [results.get("a", world.make), results.get("a", world.make)] == [1, 1]
    assert results.get("b", world.make) == 2
    world.version += 1
    assert results.get("a", world.make) == 3
    assert len(results) == 1


def test_the_least_used_goes_first() -> None:
    world = World()
    results: Remembered[str, int] = Remembered(2)
    assert [results.get(key, world.make) for key in "abacab"] == [1, 2, 1, 3, 1, 4]
    assert len(results) == 2
    assert (results.find("a"), results.find("c")) == (1, None)
    results.put("d", 9)
    assert (results.find("a"), results.find("b"), results.find("d")) == (1, None, 9)


def test_what_is_made_while_the_state_changes_is_not_kept() -> None:
    world = World()
    results: Remembered[str, int] = Remembered(9, lambda: world.version)

    def slow() -> int:
        world.version += 1
        return world.make()

    assert results.get("a", slow) == 1
    assert results.get("a", world.make) == 2


def test_what_is_made_while_another_thread_sees_a_later_state_is_not_kept() -> None:
    world = World()
    results: Remembered[str, int] = Remembered(9, lambda: world.version)

    def slow() -> int:
        world.version = 2
        results.get("b", world.make)
        world.version = 1
        return world.make()

    assert results.get("a", slow) == 2
    assert results.find("a") is None
    assert results.find("b") == 1


def test_a_memory_for_nothing_makes_each_value_anew() -> None:
    world = World()
    results: Remembered[str, int] = Remembered(0)
    assert [results.get("a", world.make), results.get("a", world.make)] == [1, 2]
