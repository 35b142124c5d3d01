"""What reads lines and a question together: where numbers stand among the tokens, and what broken weights say."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.excerpt_reader import ExcerptReader, tokens_of
from fin_tui.retrieval.rerank import CrossEncoder

OFFSETS = [(0, 0), (0, 4), (0, 0), (0, 2), (3, 5), (5, 6), (6, 9), (10, 15), (0, 0)]
IS_SECOND = [False, False, False, True, True, True, True, True, True]
"""Of "[CLS] much [SEP] of 12,400 plants [SEP]"."""


def test_a_number_is_all_of_its_tokens_and_what_was_cut_off_is_none() -> None:
    assert tokens_of(OFFSETS, IS_SECOND, [(3, 9), (10, 15), (20, 22)]) == [(4, 6), (7, 7), None]


def test_broken_weights_are_named(tmp_path: Path) -> None:
    (tmp_path / "heads.npz").write_bytes(b"none")
    with pytest.raises(MissingAsset, match="can't be read"):
        ExcerptReader(CrossEncoder(), tmp_path).load()
