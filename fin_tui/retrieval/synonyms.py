"""Other words for what a question asks, from a small file of finance synonyms."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from fin_tui.retrieval.tokens import tokenize

WEIGHT = 0.5
"""Of a synonym's token beside one of the question's own."""


def expand(query: str, tokens: Sequence[str]) -> dict[str, float]:
    """The question's tokens with weight 1, and those of what filings print for them with ``WEIGHT``."""
    weights = dict.fromkeys(tokens, 1.0)
    for pattern, printed in _matters():
        if pattern.search(query):
            for token in printed:
                weights.setdefault(token, WEIGHT)
    return weights


@cache
def _matters() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    raw = tomllib.loads(files("fin_tui.retrieval").joinpath("synonyms.toml").read_text(encoding="utf-8"))
    return tuple(
        (
            re.compile(rf"\b(?:{'|'.join(re.escape(word) for word in matter['said'])})\b", re.IGNORECASE),
            tuple(tokenize(" ".join(matter["printed"]))),
        )
        for matter in raw["matters"]
    )
