from __future__ import annotations

from training.calculations import of_readings


def test_readings_of_one_text_are_right_once_and_never_near() -> None:
    (pair,) = of_readings([("tin share", [("a / b", False), ("b / a", True), ("b / a", False), ("c / b", False)])])
    assert (pair.right, pair.near) == (("b / a",), ("a / b", "c / b"))


def test_where_nothing_is_right_all_are_near_and_nothing_to_choose_from_is_left_out() -> None:
    pairs = of_readings([("tin share", [("a / b", False)]), ("tin", [])])
    assert [(pair.right, pair.near) for pair in pairs] == [((), ("a / b",))]
