"""Tags of tokens -> words of the question."""

from __future__ import annotations

import numpy as np

from fin_tui.engine.frame.reader import _spans

TAGS = ("O", "B-target", "I-target", "B-part", "I-part")


def spans(text: str, tokens: list[tuple[str, int]]) -> dict[str, list[str]]:
    """Spans for tokens, each with the tag that scores highest."""
    places, scores, at = [], [], 0
    for token, tag in tokens:
        at = text.index(token, at)
        places.append((at, at + len(token)))
        at += len(token)
        scores.append(np.eye(len(TAGS), dtype=np.float32)[tag])
    return {kind: [span.text for span in found] for kind, found in _spans(text, TAGS, np.array(scores), places).items()}


def test_a_word_that_the_tokenizer_parts_is_of_one_kind() -> None:
    found = spans("memberships sold", [("member", 1), ("ship", 1), ("s", 0), ("sold", 0)])
    assert found["target"] == ["memberships"]
    assert spans("KC-46 losses", [("KC", 3), ("-", 0), ("46", 3), ("losses", 1)])["part"] == ["KC-46"]


def test_words_in_a_row_make_one_span() -> None:
    assert spans("net debt", [("net", 1), ("debt", 1)])["target"] == ["net debt"]
    assert spans("cash, debt", [("cash", 1), (",", 0), ("debt", 1)])["target"] == ["cash", "debt"]
