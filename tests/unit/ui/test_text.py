"""Text from outside is made harmless, and only real citations become links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.records import Sentence
from fin_tui.ui.text import answer_markdown, citation_of, clean, in_paragraphs, lead_and_rest, shorten, streamed_markdown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain [text]\tand\nlines", "plain [text]\tand\nlines"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b2Jcleared", "cleared"),
        ("a\u202eb\u200bc\x00d\rE", "abcdE"),
        ("café 日本", "café 日本"),
    ],
)
def test_control_sequences_are_taken_out(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@given(st.text())
def test_nothing_a_terminal_obeys_is_left(text: str) -> None:
    assert all(c.isprintable() or c in "\n\t" or c.isspace() for c in clean(text))
    assert "\x1b" not in clean(text)
    assert clean(clean(text)) == clean(text)


def test_known_numbers_become_links_and_others_stay_text() -> None:
    assert answer_markdown("Yes [1]. No [7].", (), {1}) == "Yes [[1]](cite:1). No \\[7\\]."


def test_made_up_links_and_tags_fall_apart() -> None:
    text = answer_markdown("[x](http://evil) <script> [1](cite:2)", (), {1})
    assert "](http" not in text
    assert "<" not in text
    assert text.endswith("[[1]](cite:1) (cite:2)")
    assert streamed_markdown("[x](http://evil)<b>") == "[x] (http://evil)&lt;b>"


def test_marks_stand_after_the_citations_of_their_sentence_and_only_once() -> None:
    sentences = (Sentence("A is so.", (1,), "unsupported"), Sentence("B is.", (), "grounded"), Sentence("C.", (), "unsupported"))
    assert answer_markdown("A is so. [1] B is. C. ⚠", sentences, {1}) == "A is so. [[1]](cite:1) ⚠ B is. C. ⚠"


@pytest.mark.parametrize(
    ("href", "number"),
    [("cite:1", 1), ("cite:9", None), ("cite:-1", None), ("cite:", None), ("1", None), ("https://x", None), ("cite:１", None)],
)
def test_only_our_scheme_and_known_numbers_open(href: str, number: int | None) -> None:
    assert citation_of(href, {1, 2}) == number


def test_shorten_says_that_it_cut() -> None:
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abc", 4) == "abc"


def test_sentences_of_an_extract_stand_in_lines_of_their_own() -> None:
    assert in_paragraphs("One. [1] Two [sic]. [2][3] Three. ⚠ Four.") == "One. [1]\nTwo [sic]. [2][3]\nThree. ⚠\nFour."
    assert in_paragraphs("One. [1] Two. [2] Three. [3]", 2) == "One. [1] Two. [2]\nThree. [3]"
    assert in_paragraphs("- a [1]\n- b [2]") == "- a [1]\n- b [2]"
    assert in_paragraphs("Nothing cited. At all.") == "Nothing cited. At all."


def test_a_long_answer_has_paragraphs() -> None:
    said = [Sentence(f"Sentence {n}.", (1,), "grounded") for n in range(5)]
    text = answer_markdown(" ".join(f"{s.text} [1]" for s in said), said, {1})
    assert [part.count("Sentence") for part in text.split("\n\n")] == [3, 2]


def test_a_long_answer_begins_with_some_lines_and_a_short_rest_stays() -> None:
    lines = [f"Sentence {at} tells of the matter at some length, so that a screen is soon full of it. [{at}]" for at in range(12)]
    lead, rest = lead_and_rest("\n".join(lines))
    assert lead.split("\n") == lines[:7]
    assert rest.split("\n") == lines[7:]
    short = "\n".join(lines[:9])
    assert lead_and_rest(short) == (short, "")
    one = " ".join(lines)
    lead, rest = lead_and_rest(one)
    assert lead == " ".join(lines[:7])
    assert f"{lead} {rest}" == one


def test_a_list_begins_with_more_lines_than_prose() -> None:
    items = [f"{at}. Item {at} tells of the matter at some length, and a screen is soon full of it. [{at}]" for at in range(12)]
    lead, rest = lead_and_rest("\n".join(("The list:", *items)))
    assert lead.split("\n") == ["The list:", *items[:9]]
    assert rest.split("\n") == items[9:]
