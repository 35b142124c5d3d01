"""What changed between two years of an Item."""

from __future__ import annotations

from fin_tui.engine.changes import Change, compare_texts

OLD = "We make cars. Demand for cars may fall in any year. We have one plant.\nSales\t100\t90"
NEW = "We make cars. Demand for our electric cars may fall in any year. We have no debt at all.\nSales\t110\t100"


def test_added_removed_and_changed_sentences_are_told_apart() -> None:
    changes = compare_texts(OLD, NEW)
    assert [(c.kind, c.old, c.new) for c in changes] == [
        ("changed", "Demand for cars may fall in any year.", "Demand for our electric cars may fall in any year."),
        ("added", "", "We have no debt at all."),
        ("removed", "We have one plant.", ""),
    ]
    for change in changes:
        assert not change.new or NEW[change.start :].startswith(change.new)


def test_the_words_that_are_new_are_known() -> None:
    change = Change("changed", "Demand for cars may fall.", "Demand for our electric cars may rise.", 0)
    assert [change.new[a:b] for a, b in change.new_words] == ["our electric", "rise."]


def test_what_only_moved_or_changed_its_punctuation_did_not_change() -> None:
    assert compare_texts("Alpha is big. Beta is small. Gamma, too, grew.", "Beta is small. Gamma too grew! Alpha is big.") == ()


def test_an_empty_side_gives_all_or_nothing() -> None:
    assert compare_texts("", "") == ()
    assert [c.kind for c in compare_texts("", "One small thing. Another small thing.")] == ["added", "added"]
    assert [c.kind for c in compare_texts("One small thing. None. Second Quarter.", "")] == ["removed"]


def test_a_sentence_that_moved_and_changed_a_word_is_one_change() -> None:
    old = "Following an interruption we can lose sales for a long time. One. Two is here."
    new = "One. Something quite different stands here. Two is here. Following any interruption we can lose sales for a long time."
    assert [c.kind for c in compare_texts(old, new)] == ["added", "changed"]


def test_a_changed_sentence_is_beside_the_one_it_is_most_like_not_beside_the_first_that_will_do() -> None:
    kept = "Our failure to meet the wishes of our trade may harm us in any year."
    old = f"{kept} One."
    new = (
        "Our failure to meet the duties of the new law may harm us in any year. One. "
        "Our failure to meet the wishes of our trade and its markets may harm us in any year."
    )
    assert [(c.kind, c.old) for c in compare_texts(old, new)] == [("added", ""), ("changed", kept)]
