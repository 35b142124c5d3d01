"""Raw model text comes out clean, whatever the pieces it came in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.engine.models.stream import TextStream


def streamed(text: str, size: int = 3, *, thinking: bool = False) -> tuple[str, str]:
    stream = TextStream(("### User",), thinking=thinking)
    shown = "".join(stream.feed(text[i : i + size]) for i in range(0, len(text), size))
    return shown + stream.finish(), stream.stopped


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize(
    ("raw", "shown", "stopped"),
    [
        ("Net sales rose.", "Net sales rose.", ""),
        ("  \n Net sales rose.", "Net sales rose.", ""),
        ("<think>hm, 5 < 6</think>\n\nIt rose.", "It rose.", ""),
        ("It <think>or not</think>rose.", "It rose.", ""),
        ("It rose.<|im_end|>\nIt fell.", "It rose.", "stop"),
        ("It rose.### User: more", "It rose.", "stop"),
        ("a < b and <b> and <thin", "a < b and <b> and <thin", ""),
        ("It\x1b[31m ro\x07se\u202e.\ufffd", "It[31m rose.", ""),
        ("<think>never ends", "", ""),
        ("</think>It rose.", "It rose.", ""),
    ],
)
def test_marks(raw: str, shown: str, stopped: str, size: int) -> None:
    assert streamed(raw, size) == (shown, stopped)


def test_a_prompt_that_ends_in_thinking_hides_the_start() -> None:
    assert streamed("so, sales...</think>They rose.", thinking=True) == ("They rose.", "")


@pytest.mark.parametrize("size", [1, 4, 200])
def test_a_repeated_sentence_is_never_shown(size: int) -> None:
    once = "The Company depends on partners in Asia. Their failure could harm it. "
    shown, stopped = streamed(once + "The Company depends on partners in Asia. Their failure could harm it.", size)
    assert shown.strip() == once.strip()
    assert stopped == "loop"


def test_a_repeated_last_sentence_without_an_end_is_not_shown() -> None:
    shown, _ = streamed("The Company depends on its partners. The Company depends on its partners", 2)
    assert shown.strip() == "The Company depends on its partners."


def test_sentences_that_only_begin_alike_are_kept() -> None:
    text = "Net sales of the Company rose in 2024. Net sales of the Company rose in 2023. It did not. It did not."
    assert streamed(text, 1) == (text, "")


def test_words_going_round_stop_the_stream() -> None:
    shown, stopped = streamed("risks " + "and the risk of " * 30, 5)
    assert stopped == "loop"
    assert shown.count("and the risk of") < 6


def test_a_list_of_like_figures_is_no_loop() -> None:
    text = "\n".join(f"- {year}: ${year * 7:,} million" for year in range(2015, 2025))
    assert streamed(text, 3) == (text, "")


@given(st.lists(st.sampled_from(["Sales ", "rose ", "fell ", "in ", "<", "2024", ". ", "\n", "é", "|", "th"]), max_size=30))
def test_the_cut_into_pieces_does_not_matter(words: list[str]) -> None:
    text = "".join(words)
    assert streamed(text, 1) == streamed(text, 1000) or streamed(text, 1)[1] == streamed(text, 1000)[1] == "loop"
