from __future__ import annotations

import pytest

from fin_tui.evaluation.agreement import citation_precision, citation_recall, named_items, plain, token_f1, tokens, yes_or_no

NONE: frozenset[int] = frozenset()
A, B = frozenset([0]), frozenset([1])


def test_markers_and_warning_signs_are_no_words() -> None:
    assert plain("Sales rose [1], [2, 3]. It rained ⚠") == "Sales rose,. It rained"
    assert plain("Sales rose [12].") == "Sales rose."


def test_tokens_keep_numbers_whole() -> None:
    assert tokens("The $391,035 million, 2.5%.") == ["391035", "million", "2.5"]


def test_f1_by_hand() -> None:
    # 3 shared tokens of 4 said and 5 wanted: P = 3/4, R = 3/5, F1 = 2/3.
    assert token_f1("Net sales rose sharply [1]", "net sales rose by 2%") == pytest.approx(2 / 3)


def test_f1_counts_repeated_tokens_once_each() -> None:
    # "up" is said three times and wanted once: P = 1/3, R = 1.
    assert token_f1("up up up", "up") == pytest.approx(0.5)
    assert token_f1("down", "up") == 0.0
    assert token_f1("The", "") == 1.0


def test_precision_is_the_share_of_citations_that_are_gold() -> None:
    assert citation_precision([A, NONE, B, NONE]) == 0.5
    assert citation_precision([]) is None


def test_recall_is_the_share_of_gold_that_is_cited() -> None:
    assert citation_recall([A, A, NONE], 2, lenient=False) == 0.5
    assert citation_recall([A, A, NONE], 2, lenient=True) == 1.0
    assert citation_recall([], 2, lenient=True) == 0.0
    assert citation_recall([A], 0, lenient=False) is None


def test_an_item_is_named_by_most_of_its_words_in_order() -> None:
    said = "Plants: Megafactory Shanghai and Gigafactory Berlin; led by Daniel C. McConeghy and Anu Rathninde. [1] H100, L40S."
    for item in (
        "Megafactory Shanghai",
        "megafactory shanghai (China)",
        'Daniel C. "Skip" McConeghy',
        "H100",
        "Anu Rathninde, CEO",
    ):
        assert named_items(said, [item]) == [True], item
    for item in ("Gigafactory Shanghai", "Megafactory Berlin Plants Shanghai Rathninde", "H200", "L40", "George Oliver"):
        assert named_items(said, [item]) == [False], item
    assert named_items("", ["Canon", "Sony"]) == [False, False]
    assert named_items("Canon Inc., Sony", ["Canon", "Sony", "Sharp"]) == [True, True, False]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Yes: it did. [1]", True),
        ("**Yes**, ", True),
        ("no", False),
        ("No.", False),
        ("No - sales fell", False),
        ("Nothing changed.", None),
        ("No figure was found.", None),
        ("It did, yes", None),
        ("", None),
    ],
)
def test_the_yes_or_no_that_a_text_begins_with(text: str, verdict: bool | None) -> None:
    assert yes_or_no(text) is verdict
