from __future__ import annotations

from training.calculations import Named, of_readings, of_written


def test_readings_of_one_text_are_right_once_and_never_near() -> None:
    (pair,) = of_readings([("tin share", [("a / b", False), ("b / a", True), ("b / a", False), ("c / b", False)])])
    assert (pair.right, pair.near) == (("b / a",), ("a / b", "c / b"))


def test_where_nothing_is_right_all_are_near_and_nothing_to_choose_from_is_left_out() -> None:
    pairs = of_readings([("tin share", [("a / b", False)]), ("tin", [])])
    assert [(pair.right, pair.near) for pair in pairs] == [((), ("a / b",))]


def test_figures_as_people_name_them_are_put_together_within_one_filing() -> None:
    frames = [{"text": "{a} as % of {b} at {company}", "operation": "share"}]
    named = [
        Named("acme", "the bill for rent", "money", "Rent expense", ("Rent income",)),
        Named("acme", "turnover", "money", "Net sales", ("Cost of sales",)),
        Named("globex", "turnover", "money", "Revenue", ()),
    ]
    made = of_written(frames, named, 3, seed=1)
    assert len(made) == 3
    for pair in made:
        turned = "Net sales / Rent expense"
        right, other = (
            ("Rent expense / Net sales", turned) if pair.wording.startswith("the bill") else (turned, "Rent expense / Net sales")
        )
        assert pair.right == (right,)
        assert other in pair.near
        assert "acme" not in pair.wording
