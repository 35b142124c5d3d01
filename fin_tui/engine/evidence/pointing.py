"""Sentences that stand for something said before them: "These segments reflect …" (pure)."""

from __future__ import annotations

import re

from fin_tui.engine.evidence.evidence import Focus
from fin_tui.engine.evidence.passage import Passage
from fin_tui.filings.sentences import split_sentences

_POINTS_BACK = re.compile(r"(?:It|Its|They|Their|This|These|That|Those|Such|However|Therefore|Accordingly|As a result)\b")


def begin_with_what_it_points_to(passage: Passage, focus: Focus) -> int:
    """Where ``focus`` begins in the clean text, or the sentence before it when it begins with a word that points there."""
    if not _POINTS_BACK.match(focus.text):
        return focus.start
    before = [start for start, end in split_sentences(passage.text) if passage.start + end <= focus.start]
    return passage.start + before[-1] if before else focus.start
