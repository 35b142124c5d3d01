"""A turn of a conversation written out in full: what has to be looked up for it, and what is computed from that.

A small language model was trained for this on conversations that people rewrote (``training/rewriter.py``). It sees whose report
is asked about and the turns, and never a filing: what it writes is a question, not an answer. The figures are looked up by the
words it writes, in the filings, by the same code as those of any question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from fin_tui.facts.expression import CalculationError, Node, names, parse
from fin_tui.store import Remembered

COMPANY = "@"
"""What stands for the company whose report is asked about."""
_LOOKED_UP, _SEVERAL = " | ", " && "
_IN_WORDS = "ask"
_MOST_TURNS, _FORGOTTEN = 8, 4
"""Turns that are read together, and how many of a longer conversation are left out at once: what was written for the others leans
on the first of them, and is written anew then.
"""
_MOST_TOKENS, _MOST_OPERANDS = 160, 8
_LETTERS = "abcdefgh"
_NOTHING_KNOWN = -9.0
"""Counts as the log probability of a line whose tokens have none."""
_KEPT = 256
"""Turns whose rewriting is kept: each is what the next one leans on."""


class Continues(Protocol):
    """A model that goes on with a text."""

    def continue_line(self, text: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> tuple[str, Sequence[float]]:
        """The rest of the line that ``text`` begins, and the log probability of each of its tokens; "" where it comes to no end.
        Raises ``ModelFailed``.
        """


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A question for one figure: its operands in words that stand for themselves, and how it is computed from them."""

    node: Node
    """Names are "a", "b", …: places in ``lookups``."""
    lookups: tuple[str, ...]
    least: float = 0.0
    """The log probability of the least likely token that was written."""


class Rewriter:
    """Writes turns out in full."""

    def __init__(self, model: Continues) -> None:
        self._model = model
        self._lines: Remembered[tuple[str, ...], tuple[str, Sequence[float]]] = Remembered(_KEPT)

    def of(
        self, company: str, year: int, turns: Sequence[str], cancelled: Callable[[], bool] = lambda: False
    ) -> Rewritten | None:
        """The last of ``turns``, asked of the annual report of ``company`` for ``year``; None where it asks for no figure, or for
        several things. Raises ``ModelFailed``.
        """
        about = f"{company} {year}"
        left_out = math.ceil(max(0, len(turns) - _MOST_TURNS) / _FORGOTTEN) * _FORGOTTEN
        asked = [" ".join(turn.split()) for turn in turns[left_out:]]
        written: list[str] = []
        chances: Sequence[float] = ()
        for at in range(len(asked)):
            key = (about, *asked[: at + 1])
            kept = self._lines.find(key)
            if kept is None:
                before = "".join(f"? {turn}\n= {told}\n" for turn, told in zip(asked, written, strict=False))
                text = f"{about}\n{before}? {asked[at]}\n="
                line, chances = self._model.continue_line(text, max_tokens=_MOST_TOKENS, cancelled=cancelled)
                if not line.strip():
                    return None
                kept = line.strip(), chances
                self._lines.put(key, kept)
            written.append(kept[0])
            chances = kept[1]
        rewritten = read(written[-1], company)
        return replace(rewritten, least=min(chances, default=_NOTHING_KNOWN)) if rewritten is not None else None


def read(line: str, company: str) -> Rewritten | None:
    """What a rewritten turn looks up and computes; None for one in words, for several things, and for what can't be read."""
    first, *lookups = line.split(_LOOKED_UP)
    if not line.isprintable() or _SEVERAL in line or first.strip() == _IN_WORDS or not 0 < len(lookups) <= _MOST_OPERANDS:
        return None
    try:
        node = parse(first.replace("**", "^"))
    except CalculationError:
        return None
    operands = list(names(node))
    if {one.name for one in operands} != set(_LETTERS[: len(lookups)]) or any(one.back for one in operands):
        return None  # Of the year before, too, there is a look-up.
    said = tuple(" ".join(one.replace(COMPANY, f" {company} ").split()) for one in lookups)
    return Rewritten(node, said) if all(said) else None
