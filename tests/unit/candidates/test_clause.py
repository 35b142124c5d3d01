"""Which words of a sentence belong to one of its numbers."""

from __future__ import annotations

import pytest

from fin_tui.candidates.clause import marked, own_words


def _own(sentence: str, number: str) -> str:
    at = sentence.index(number)
    before, behind = own_words(sentence, at, at + len(number))
    return f"{before} [{number}] {behind}".strip()


@pytest.mark.parametrize(
    ("sentence", "number", "own"),
    [
        ("Of the total of 261 plants, we owned 133 and the balance were leased.", "133", "we owned [133]"),
        ("Of the total of 261 plants, we owned 133 and the balance were leased.", "261", "Of the total of [261] plants"),
        (
            "The portfolio represented approximately 10 percent of volumes and approximately 21 percent of loans.",
            "21 percent",
            "approximately [21 percent] of loans.",
        ),
        (
            "It held 118.9 million square feet: 83.2 million in the U.S.; 14.9 million in Canada; and 20.8 million elsewhere.",
            "14.9 million",
            "[14.9 million] in Canada",
        ),
        (
            "Plants in Peru, Chile and Norway made 35 percent, 29 percent and 21 percent of all shoes, respectively.",
            "29 percent",
            "Plants in Chile made [29 percent] of all shoes",
        ),
        (
            "We have operating and finance leases, with terms of $7 billion and $1.37 billion, respectively, for offices.",
            "$1.37 billion",
            "We have finance leases, with terms of [$1.37 billion]",
        ),
        (
            "Allowances of $63.9 million, $70.3 million and $71.7 million were booked for 2023, 2022 and 2021, respectively.",
            "$70.3 million",
            "Allowances of [$70.3 million] were booked for 2023",
        ),
        ("On May 4, 2023, we raised the dividend to $0.45 per share.", "$0.45", "we raised the dividend to [$0.45] per share."),
    ],
)  # fmt: skip
def test_a_number_has_the_words_that_are_said_of_it(sentence: str, number: str, own: str) -> None:
    assert _own(sentence, number) == own


def test_a_number_without_words_of_its_own_has_those_before_it() -> None:
    assert _own("Revenue was $5 million, $6 million.", "$6 million") == "Revenue was [$6 million] ."


def test_the_whole_sentence_stands_behind_the_clause() -> None:
    sentence = "We paid dividends of $12 million and bought back shares for $40 million."
    at = sentence.index("$40 million")
    assert marked(sentence, at, at + len("$40 million")) == (
        "bought back shares for [ $40 million ] . - We paid dividends of $12 million and bought back shares for [ $40 million ] ."
    )


def test_a_clause_that_is_the_sentence_is_said_once() -> None:
    sentence = "The rate was 21 % in all"
    at = sentence.index("21 %")
    assert marked(sentence, at, at + 4) == "The rate was [ 21 % ] in all"
