"""Questions for a calculation with what may be computed for them, in the words of its rows: which of these is asked for.

Some are put together: a frame with slots, filled with wordings for tagged figures of one filing; right is the calculation of
their rows, near are the same turned round and those with a near row in the place of one. Some more are frames filled with figures
as people named them, of tables and of sentences. The others were written blind, each with the value that it comes to; right is
what the engine fills so that it comes to that.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.computed import as_read
from training.rows import Pair, Rows

_SLOT = re.compile(r"\{(\w+)\}")
_NAMED = re.compile(r"\b(?:at|for|did|in|from|to|between|and|of|as of|by)?\s*\{(?:company|period|from|to)\}(?:'s)?")
"""Words for company and period, which the frame takes out before a calculation is looked for."""
_SIGNS = {"difference": "-", "sum": "+"}
_NEAR = 6
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Named:
    """A figure of a filing with the words that people name it by."""

    filing: str
    name: str
    kind: str
    """money, count, percent …"""
    row: str
    near: Sequence[str]
    """Other rows that may be taken for what the words mean."""


def composed_calculations(
    frames: Sequence[Mapping[str, Any]], held: Sequence[Rows], said: Mapping[str, Sequence[str]], count: int, seed: int
) -> list[Pair]:
    """``count`` pairs of ``frames`` filled with figures of ``held``; ``said`` gives other wordings of a tag."""
    chance = random.Random(seed)
    usable = [one for one in frames if _is_usable({*_SLOT.findall(one["text"])})]
    rich = [one for one in held if len(one.by_tag) >= _TRIES]
    made: list[Pair] = []
    for _ in range(_TRIES * count):
        if len(made) >= count or not rich:
            break
        pair = _composed(chance.choice(usable), chance.choice(rich), said, chance)
        made += [pair] if pair is not None else []
    return made


def _is_usable(slots: set[str]) -> bool:
    return ({"a", "b"} <= slots and "c" not in slots) or ({"b", "part"} <= slots and "a" not in slots)


def _composed(frame: Mapping[str, Any], rows: Rows, said: Mapping[str, Sequence[str]], chance: random.Random) -> Pair | None:
    slots = {*_SLOT.findall(frame["text"])}
    whole = [facts for facts in rows.by_tag.values() if any(not one.fact.dimensions for one in facts)]
    of_part = [facts for facts in rows.by_tag.values() if any(len(one.fact.dimensions) == 1 for one in facts)]
    if not whole or ("part" in slots and not of_part):
        return None
    if "a" not in slots:  # A part's share of the whole.
        facts = chance.choice(of_part)
        second = next((one for one in facts if not one.fact.dimensions), None)
        first = chance.choice([one for one in facts if len(one.fact.dimensions) == 1])
        if second is None:
            return None
        part = " ".join(first.members)
        names = {"b": _name(second, said, chance), "part": part}
        asked = (f"{part} {names['b']}", names["b"])
    else:
        is_of_part = "part" in slots
        first, second = (_figure(chance.choice(of_part if is_of_part else whole), is_of_part, chance) for _ in range(2))
        if first.row == second.row or (is_of_part and first.members != second.members):
            return None
        names = {"a": _name(first, said, chance), "b": _name(second, said, chance), "part": " ".join(first.members)}
        asked = (f"{names['part']} {names['a']}", f"{names['part']} {names['b']}")
    text = " ".join(_NAMED.sub(" ", frame["text"]).split())
    text = _SLOT.sub(lambda slot: names.get(slot.group(1), ""), text)
    kind = "contribution" if frame["operation"] == "contribution" else _SIGNS.get(frame["operation"], "/")
    right = as_read(kind, (first.row, second.row))
    near = dict.fromkeys(_near(rows, kind, (first.row, second.row), asked, chance))
    near.pop(right, None)
    if kind == "+":
        near.pop(as_read(kind, (second.row, first.row)), None)
    return Pair(text.lower() if chance.random() < 0.4 else text, (right,), tuple(near), "calculation")


def _figure(facts: Sequence[Candidate], is_of_part: bool, chance: random.Random) -> Candidate:
    return chance.choice([one for one in facts if len(one.fact.dimensions) == int(is_of_part)])


def _name(one: Candidate, said: Mapping[str, Sequence[str]], chance: random.Random) -> str:
    """The figure in other words where there are any, else as the row prints it."""
    others = said.get(one.fact.concept.partition(":")[2], ())
    return chance.choice(others) if others and chance.random() < 0.7 else one.path[-1].lower()


def _near(
    rows: Rows, kind: str, right: tuple[str, str], asked: tuple[str, str], chance: random.Random
) -> Iterator[str]:  # fmt: skip
    """Calculations that are not asked for, with rows that share words with what is."""
    firsts, seconds = (rows.near(words, (row,), chance)[:_NEAR] for words, row in zip(asked, right, strict=True))
    yield from _beside(kind, right, (firsts, seconds), chance)


def _beside(
    kind: str, right: tuple[str, str], near: tuple[Sequence[str], Sequence[str]], chance: random.Random
) -> Iterator[str]:  # fmt: skip
    """Calculations that are not asked for: turned round, with a near row in the place of either, and with both."""
    yield as_read(kind, (right[1], right[0]))
    firsts, seconds = near
    for first in firsts:
        yield as_read(kind, (first, right[1]))
    for second in seconds:
        yield as_read(kind, (right[0], second))
    for first, second in zip(firsts, chance.sample(seconds, len(seconds)), strict=False):
        yield as_read(kind, (first, second))


def of_written(
    frames: Sequence[Mapping[str, Any]], named: Sequence[Named], count: int, seed: int
) -> list[Pair]:  # fmt: skip
    """``count`` pairs of ``frames`` filled with figures as people named them, of tables and of sentences.

    Near are the same turned round, and those with what the ranker would have read beside either figure.
    """
    chance = random.Random(seed)
    usable = [one for one in frames if {"a", "b"} <= {*_SLOT.findall(one["text"])} <= {"a", "b", "company", "period"}]
    by_filing: dict[str, list[Named]] = {}
    for one in named:
        by_filing.setdefault(one.filing, []).append(one)
    filings = [some for some in by_filing.values() if len(some) > 1]
    made: list[Pair] = []
    for _ in range(_TRIES * count):
        if len(made) >= count or not filings:
            break
        frame, (first, second) = chance.choice(usable), chance.sample(chance.choice(filings), 2)
        is_quotient = frame["operation"] in ("ratio", "per_unit")
        if first.row == second.row or not (is_quotient or first.kind == second.kind) or "percent" in (first.kind, second.kind):
            continue
        names = {"a": first.name, "b": second.name}
        text = _SLOT.sub(lambda slot: names.get(slot.group(1), ""), _NAMED.sub(" ", frame["text"]))  # noqa: B023
        text = " ".join(text.split())
        kind = "contribution" if frame["operation"] == "contribution" else _SIGNS.get(frame["operation"], "/")
        right = as_read(kind, (first.row, second.row))
        near = dict.fromkeys(_beside(kind, (first.row, second.row), (first.near[:_NEAR], second.near[:_NEAR]), chance))
        near.pop(right, None)
        if kind == "+":
            near.pop(as_read(kind, (second.row, first.row)), None)
        made.append(Pair(text.lower() if chance.random() < 0.4 else text, (right,), tuple(near), "calculation"))
    return made


def of_readings(questions: Sequence[tuple[str, Sequence[tuple[str, bool]]]]) -> list[Pair]:
    """Pairs of questions with what the engine may compute for each, likeliest first, and whether it comes to the right value.

    Where nothing does, all are near.
    """
    made = []
    for matter, readings in questions:
        right = dict.fromkeys(text for text, is_right in readings if is_right)
        near = tuple(dict.fromkeys(text for text, is_right in readings if not is_right and text not in right))
        if near:
            made.append(Pair(matter, tuple(right), near[: 5 * _NEAR], "calculation"))
    return made
