"""An answer in the shape that a follow-up asks for: as a table, in one sentence, as points (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.questions.shapes import Shape
from fin_tui.records import Sentence

Told = tuple[tuple[Sentence, ...], FigureAnswer | None]
_BULLET = "•"
CAN_BE = "An answer can be told as a table of its figures, in one sentence, or as points."
NO_TABLE = "No table of figures stands behind this answer."
WHOLE_LIST = "A list is told whole."


def reshaped(
    shape: Shape, sentences: Sequence[Sentence], figures: FigureAnswer | None, *, is_list: bool = False
) -> tuple[Told, str]:
    """The answer in ``shape``, and what to say where it stays as it was. ``is_list``: its sentences are the items of a list."""
    told = tuple(one for one in sentences if not one.is_detail)
    match shape:
        case "table":
            return _table(tuple(sentences), figures)
        case "sentence" if is_list and len(told) > 1:
            return (tuple(sentences), figures), WHOLE_LIST
        case "sentence":
            lead = told[:1] if figures is not None else _lead(told)
            bare = replace(figures, facts=(), table=None, calculation=None, plan=()) if figures is not None else None
            return (tuple(lead), bare), ""
        case "points" if figures is None:
            return (tuple(map(_point, told)), None), ""
        case "points":
            return (tuple(sentences), figures), ""
        case "same":
            return (tuple(sentences), figures), CAN_BE


def _table(sentences: tuple[Sentence, ...], figures: FigureAnswer | None) -> tuple[Told, str]:
    if figures is not None:
        return (figures.sentences, replace(figures, table=figures.table or figures.whole)), ""
    tables = tuple(one for one in sentences if one.table is not None)
    return (tables or sentences, None), "" if tables else NO_TABLE


def _lead(told: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """The first sentence of the first paragraph, which answers best, with the points that it opens."""
    plain = [one for one in told if one.table is None]
    first = next((at for at, one in enumerate(plain) if not one.text.startswith(_BULLET)), 0)
    rest = plain[first + 1 :] if plain and plain[first].text.endswith(":") else []
    return (*plain[first : first + 1], *takewhile(lambda one: one.text.startswith(_BULLET), rest))


def _point(sentence: Sentence) -> Sentence:
    if sentence.table is not None or sentence.text.startswith(_BULLET):
        return sentence
    return replace(sentence, text=f"{_BULLET} {sentence.text}", opens="line")
