"""What was fetched last is not fetched twice."""

from __future__ import annotations

from fin_tui.team.corpus import LruCache


def test_the_least_used_goes_first() -> None:
    kept: LruCache[str, int] = LruCache(2)
    made: list[str] = []

    def make(name: str) -> int:
        made.append(name)
        return len(made)

    def get(name: str) -> int:
        return kept.get(name, lambda: make(name))

    assert [get(name) for name in ("a", "b", "a", "c", "a", "b")] == [1, 2, 1, 3, 1, 4]
    assert made == ["a", "b", "c", "b"]
    assert kept.find("c") is None
