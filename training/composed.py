"""Questions put together from frames with slots and names: calculations of any two figures, with each name's place known.

What the frames ("what % of {b} went to {a} at {company} in {period}?") teach is where a name begins and ends, whatever the name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

_SLOT = re.compile(r"\{(\w+)\}")
_SPAN = {
    "company": "company", "period": "period", "from": "period", "to": "period", "a": "target", "b": "target", "c": "target",
    "part": "part", "part2": "part",
}  # fmt: skip
"""Slot of a frame -> the kind of span that fills it."""
_LONGEST = 8
"""Words of a name."""


def composed(
    frames: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]], labels: Sequence[str], count: int, seed: int
) -> list[dict[str, Any]]:
    """``count`` questions as the heads are trained on them: ``frames`` {"text", "operation", "answer_type"} filled with the names
    of ``questions`` (labelled as the heads have them) and, for half of the figures, with ``labels`` of rows.
    """
    chance = random.Random(seed)
    names = {kind: sorted({name for row in questions for name in row[kind]}) for kind in ("company", "period", "part")}
    figures = sorted(
        {name for row in questions if row["answer"] not in ("text", "list", "yesno", "name") for name in row["target"]}
    )
    plain = [label for label in labels if len(label.split()) <= _LONGEST and label[:1].isalpha()]
    made: list[dict[str, Any]] = []
    while len(made) < count:
        frame = chance.choice(frames)
        filled = {}
        for slot in _SLOT.findall(frame["text"]):
            kind = _SPAN[slot]
            of = names[kind] if kind != "target" else figures if chance.random() < 0.5 or not plain else plain
            filled[slot] = chance.choice(of)
        if len(set(filled.values())) == len(filled):
            made.append(_filled(frame, filled, chance))
    return made


def _filled(frame: Mapping[str, Any], names: Mapping[str, str], chance: random.Random) -> dict[str, Any]:
    lower = chance.random() < 0.4
    text = ""
    spans: dict[str, list[str]] = {"company": [], "period": [], "target": [], "part": []}
    for place, piece in enumerate(_SLOT.split(frame["text"])):
        if place % 2:
            piece = names[piece].lower() if lower else names[piece]
            spans[_SPAN[_SLOT.findall(frame["text"])[place // 2]]].append(piece)
        text += piece.lower() if lower else piece
    return {
        "question": text, "follow_up_of": None, **spans, "operation": frame["operation"], "answer": frame["answer_type"],
        "refusal": "", "carry": None,
    }  # fmt: skip
