"""Questions with the lines of a filing that may answer them: which number does, or which two do and what is computed of them.

Where they come from: questions, turns and calculations written blind whose figures' places are known, and conversations that were
written over lines lying open (``excerpts.jsonl``), whose wording is a busy person's own. Filings of the aside part give nothing.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fin_tui.engine.figures.from_excerpt import SYMMETRIC, VALUES
from fin_tui.engine.rank.excerpt import Excerpts, Line, Place
from fin_tui.engine.rank.filing_rows import RowBook
from fin_tui.engine.rank.nearest import NearLines
from fin_tui.engine.services import Services
from fin_tui.facts.expression import CalculationError, Measure, evaluate, parse
from fin_tui.facts.figures import exact
from fin_tui.records import Fact
from fin_tui.retrieval.excerpt_reader import OPERATIONS
from fin_tui.store.library import Library
from training.train import DATA, lines

SINGLE, NONE = "single", "none"
SETS = ("people", "calculations", "follow_ups", "dialogues", "rows", "excerpts")
_OF_ROWS = 0.45
"""Share of the questions for single rows that is taken: they are many, and all alike."""
_BEFORE = 2
_NEAR, _SAME, _ROUNDED = 1e-9, 1e-6, 0.004
"""How far two numbers may be apart and be one: computed alike, printed alike, and rounded."""
_TELLING = 3
"""Digits of a number that stands twice for the same thing, and not by chance."""
Span = tuple[int, int]
Truth = tuple[str, int, int]
"""Operation, and the places of its two numbers; of one number the same place twice, of nothing 0."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question, or the last of some turns."""

    turns: tuple[str, ...]
    year: str
    """ "FY2021": that of the filing."""
    operation: str
    spans: tuple[Span, ...]
    """Where the numbers stand that it is computed from, in order."""
    right: tuple[Line, ...]
    """The lines that they stand in."""
    before: tuple[Line, ...]
    """What the turn before was about."""
    others: tuple[Line, ...]
    """Lines that are found for it as well, the nearest first."""
    told: frozenset[tuple[str, int]]
    """Where the figures stand (filing, start) that earlier turns were answered with."""
    source: str
    split: str


_TEST = {letter: 2.0 + math.sqrt(place + 2) for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
"""Numbers of which no two operations come to the same."""


def operation_of(expression: str) -> tuple[str, tuple[str, ...]] | None:
    """The operation that ``expression`` over letters is, but for a factor of a hundred, and its letters in order; None for one
    of more than two numbers, and for any other of two.
    """
    letters = sorted(set(re.findall(r"\b[a-z]\b", expression)))
    try:
        value = float(evaluate(parse(expression), lambda name: Measure(exact(_TEST[name.name]), "ratio")).value)
    except CalculationError:
        return None
    if len(letters) == 1:
        return (SINGLE, (letters[0],)) if _is_alike(value, _TEST[letters[0]]) else None
    pairs = ((letters[0], letters[1]), (letters[1], letters[0])) if len(letters) == len("ab") else ()
    made = (
        (name, pair) for name in OPERATIONS for pair in pairs if _is_alike(value, VALUES[name](_TEST[pair[0]], _TEST[pair[1]]))
    )
    return next(made, None)


def _is_alike(value: float, other: float) -> bool:
    return any(math.isclose(value, other * by, rel_tol=_NEAR) for by in (1.0, 100.0, 0.01))


def result_of(operation: str, first: float, second: float) -> float | None:
    """What an operation on two numbers comes to; None where it divides by zero."""
    try:
        return VALUES[operation](first, second)
    except ZeroDivisionError:
        return None


def stands_in(fact: Fact, span: Sequence[int]) -> bool:
    """Whether a figure stands, with any of its characters, within a span of the filing's clean text."""
    return fact.start < span[1] and max(fact.end, fact.start + 1) > span[0]


def truths(example: Example, found: Sequence[Line]) -> set[Truth]:
    """What answers ``example`` among the numbers of the lines ``found``, one after the other: each operation on two of them, and
    each number, that says the same; NONE where a number that it needs is not there.
    """
    numbers = [one.candidate.fact for line in found for one in line.printed]
    printed = [line.text[one.start : one.end] for line in found for one in line.printed]
    values = [fact.value or 0.0 for fact in numbers]
    at: list[list[int]] = []
    for span in example.spans:
        own = [place for place, fact in enumerate(numbers) if stands_in(fact, span)]
        if not own:
            return {(NONE, 0, 0)}
        known = own[0]
        digits = sum(map(str.isdigit, printed[known]))
        same = (place for place, value in enumerate(values) if math.isclose(value, values[known], rel_tol=_SAME))
        alike = (place for place in same if numbers[place].unit == numbers[known].unit)
        at.append(sorted({*own, *(alike if digits >= _TELLING else ())}))
    if example.operation == SINGLE:
        return {(SINGLE, place, place) for place in at[0]}
    made = {(example.operation, a, b) for a in at[0] for b in at[1] if a != b}
    if example.operation in SYMMETRIC:
        made |= {(operation, b, a) for operation, a, b in made}
    result = result_of(example.operation, values[at[0][0]], values[at[1][0]])
    if result:  # What the filing prints for it answers as well.
        telling = (place for place, text in enumerate(printed) if len(re.sub(r"\D", "", text).strip("0")) > 1)
        made |= {(SINGLE, place, place) for place in telling if math.isclose(abs(values[place]), abs(result), rel_tol=_ROUNDED)}
    return made or {(NONE, 0, 0)}


class Finder:
    """Finds lines for questions: those nearest to what a conversation looks for."""

    def __init__(self, services: Services, library: Library) -> None:
        """Raises ``MissingAsset`` where what reads rows can't be loaded."""
        services.encoder.load()  # The vectors of rows are known by its name.
        book = RowBook(library, services.encoder, library.figure_rows)
        self._held = {filing.id: filing for filing in library.filings()}
        self._excerpts = Excerpts(book, library.chunks)
        self._near = NearLines(book, self._excerpts, services.encoder, services.retriever.near)

    def examples(self, asked: Sequence[Mapping[str, Any]], source: str, seed: int = 5) -> Iterator[Example]:
        """Examples of {"turns" or "question", "expression", "places", "filing", "split"}."""
        chance = random.Random(seed)
        known: dict[tuple[str, ...], Example] = {}
        for row in asked:
            is_taken = source != "rows" or chance.random() < _OF_ROWS
            made = self._example(row, source, known) if is_taken and row["split"] != "aside" else None
            if made is not None:
                known = {**known, made.turns: made} if len(made.turns) > 1 else {made.turns: made}
                yield made

    def _example(self, row: Mapping[str, Any], source: str, known: Mapping[tuple[str, ...], Example]) -> Example | None:
        turns = tuple(row.get("turns") or (row["question"],))
        filing, operation = self._held.get(row["filing"]), operation_of(row.get("expression", "a"))
        places = row.get("places") or ({"a": (row["start"], row["end"])} if "start" in row else {})
        if filing is None or operation is None or not set(operation[1]) <= set(places):
            return None
        spans = tuple((int(places[letter][0]), int(places[letter][1])) for letter in operation[1])
        right = [self._excerpts.at(Place(filing, *span)) for span in spans]
        last = known.get(turns[:-1])
        earlier = [one for back in (1, 2) if (one := known.get(turns[:-back])) is not None and one.operation == SINGLE]
        return Example(
            turns,
            f"FY{filing.fiscal_year}" if filing.fiscal_year else "",
            operation[0],
            spans,
            tuple({line.text: line for line in right if line is not None}.values()),
            (*last.right, *last.others)[:_BEFORE] if last is not None else (),
            tuple(line for line, _ in self._near.of(turns, filing)),
            frozenset(
                (filing.id, one.candidate.fact.start)
                for before in earlier for line in before.right for one in line.printed
                if stands_in(one.candidate.fact, before.spans[0])
            ),
            source,
            row["split"],
        )  # fmt: skip


def asked_of(name: str) -> list[dict[str, Any]]:
    """The questions of one of the ``SETS``."""
    return lines(DATA / f"{name}.jsonl")
