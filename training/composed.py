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
_NAMED = re.compile(r"\b(?:at|for|did|in|from|to|between|and|of|as of|by)?\s*\{(?:company|period|from|to)\}(?:'s)?")
"""Words for company and period, which a follow-up leaves unsaid."""
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
    named = {slot: words.lower() if lower else words for slot, words in names.items()}
    return {
        "question": text, "follow_up_of": None, **spans, "operation": frame["operation"], "answer": frame["answer_type"],
        "refusal": "", "carry": None, "before": "", **_operands(named),
    }  # fmt: skip


def _operands(named: Mapping[str, str]) -> dict[str, Any]:
    """The words for each operand: of a figure over another, and of a part of a figure over all of it."""
    if "part2" in named or "b" not in named:
        return {}
    parts = [named["part"]] if "part" in named else []
    if "a" not in named:
        return {"operand": [*parts, named["b"]]} if parts else {}
    return {"operand": [named[slot] for slot in ("a", "b", "c") if slot in named], "of_any": parts}


def followed(
    frames: Sequence[Mapping[str, Any]], made: Sequence[Mapping[str, Any]], count: int, seed: int
) -> list[dict[str, Any]]:
    """``count`` follow-ups: a frame of two figures, neither company nor period in it, one of them meant by a small word, behind
    a question of ``made`` that asks for that one.
    """
    chance = random.Random(seed)
    pairs = [frame for frame in frames if {"a", "b"} == {*_SLOT.findall(unnamed(frame["text"]))}]
    before = [row for row in made if row["operation"] == "lookup" and len(row["target"]) == 1]
    found = []
    for _ in range(count):
        frame, asked, other = chance.choice(pairs), chance.choice(before), chance.choice(before)
        meant = chance.choice("ab")
        name, small = other["target"][0], chance.choice(("that", "it", "this", "those"))
        words = {meant: small, "b" if meant == "a" else "a": name}
        text = unnamed(frame["text"]).format(**words)
        first = meant == "a"
        found.append(
            {
                "question": text, "follow_up_of": asked["question"], "company": [], "period": [], "target": [name],
                "part": [], "operation": frame["operation"], "answer": frame["answer_type"], "refusal": "",
                "carry": "before", "before": "first" if first else "second",
                "operand": ["", name] if first else [name],
            }
        )  # fmt: skip
    return found


def unnamed(text: str) -> str:
    """A frame without the words for company and period."""
    return " ".join(_NAMED.sub(" ", text).split()).strip(" ,:;-?")
