"""A sentence of the model, checked as it ends: against the passages, and against the figures that stand above it (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.citations import attach, prepare
from fin_tui.engine.events import Passage
from fin_tui.engine.numbers import agrees, find_numbers
from fin_tui.records import Sentence

_LEAD_IN = re.compile(r"^(?:the )?answer(?: to (?:this|the|your) question)? is(?: that|:)?\s*", re.I)
"""Says nothing that a passage could bear out, and nothing that could be wrong."""


class Checker:
    """Checks the sentences of one answer."""

    def __init__(self, passages: Sequence[Passage], figures: Sequence[Sentence] = ()) -> None:
        """``figures`` are the sentences of an answer from facts; empty where the question asks for no figure."""
        self._sources = prepare(passages)
        self._figures = tuple(number for sentence in figures for number in find_numbers(sentence.text) if not number.is_year)

    def check(self, text: str) -> Sentence:
        """``text`` with its citations, or marked unsupported.

        A passage prints the figures of other years and other rows too: asked for a figure, a sentence that states amounts but
        none of those that were looked up or computed is unsupported, wherever its numbers come from.
        """
        sentence = attach(text, self._sources)
        if answer := _LEAD_IN.sub("", text):
            sentence = replace(attach(answer, self._sources), text=sentence.text)
        stated = [number for number in find_numbers(sentence.text) if not number.is_year]
        if not self._figures or not stated or any(agrees(mine, known, (1,)) for mine in stated for known in self._figures):
            return sentence
        return replace(sentence, citations=(), support="unsupported")
