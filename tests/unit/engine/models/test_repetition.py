from __future__ import annotations

from fin_tui.engine.models.repetition import Said


def test_the_same_in_another_order_is_not_new() -> None:
    said = Said()
    assert said.is_new("Partners in China, India and Japan make the hardware.")
    assert not said.is_new("In Japan, India and China the partners make hardware.")
    assert not said.enough
    assert not said.is_new("Partners in China make the hardware.")
    assert said.enough


def test_something_new_makes_good() -> None:
    said = Said()
    assert said.is_new("Sales rose.")
    assert not said.is_new("Sales rose.")
    assert said.is_new("Margins fell because of freight.")
    assert not said.enough
