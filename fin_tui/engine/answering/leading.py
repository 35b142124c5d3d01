"""Whether the paragraph or table that leads states the figure asked for, where no figure is sure.

"Rent of our stores was $34 million in 2023, after $31 million" answers "what do the shops cost in rent?" as it stands, though the
ranking of all figures cannot tell which of its numbers is meant. Neither how well a paragraph reads nor how likely its figures
are tells that by itself: what is known of both is weighed together, by a logistic regression (``python -m training.leading``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from fin_tui.engine.answering.agreed import MOST, UNREAD
from fin_tui.engine.evidence.evidence import Bearing, Evidence
from fin_tui.engine.evidence.numbers import Number, find_numbers
from fin_tui.engine.figures.answer import Unsure
from fin_tui.engine.frame.reader import COMPUTED, Frame
from fin_tui.engine.questions.periods import find_periods
from fin_tui.facts.words import stems
from fin_tui.records import Sentence

SURE = 0.5
"""Probability from which what leads is told as the answer, until its numbers are read among all lines (``read_out.BORNE``): by
cross-validation over filings, of 437 questions whose lines were read, as no figure was sure for them, with both 35 of 43 are
answered, with .65 here 20 of 27.
"""
FEATURES = (
    "table", "reread", "ahead", "share", "likeliest", "said", "computed", "named", "asked", "numbers", "kind", "words", "years",
    "bias",
)  # fmt: skip
_LEAST = 0.01
_NUMBERS, _WORDS = 8, 50
"""More numbers say no more; the words that are one unit."""
_KINDS: Mapping[str, frozenset[str]] = {"money": frozenset(("money", "per_share")), "percent": frozenset(("percent",))}
"""Kind of a printed number -> the kinds of figure that it may be; any other may be a count."""
_COUNTS = frozenset(("count", "ratio", "days"))


def leading(told: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """The sentences of the first paragraph, or the first table, of what is told."""
    ends = (at for at, one in enumerate(told) if at and one.opens == "paragraph")
    return tuple(told[: next(ends, len(told))])


def is_sure(known: Sequence[float]) -> bool:
    """Whether what leads may be told as the answer: nothing that was not read with the conversation."""
    return known[FEATURES.index("reread")] > UNREAD and chance(known) >= SURE


def chance(known: Sequence[float]) -> float:
    """The probability that what leads states the figure asked for, by what is ``known`` of it."""
    weights = _weights()
    total = sum(weights[name] * value for name, value in zip(FEATURES, known, strict=True))
    return 1 / (1 + math.exp(-total))


def known_of(first: Sequence[Sentence], evidence: Evidence, unsure: Unsure | None, frame: Frame) -> tuple[float, ...]:
    """One for each of ``FEATURES``, of the sentences that lead."""
    text = " ".join(one.text for one in first)
    bearing = _bearing_of(first, evidence)
    read = [(one is bearing, logit) for one, logit in zip(evidence.paragraphs, evidence.reread, strict=False)]
    logit, others = (
        min(max((logit for is_first, logit in read if is_first is of), default=UNREAD), MOST) for of in (True, False)
    )
    figures = unsure.figures if unsure is not None else ()
    inside = [one.share for one in figures if bearing is not None and one.place is not None and bearing.holds(*one.place)]
    first_place = figures[0].place if figures else None
    named = {stem for span in (*frame.whole.targets, *frame.whole.parts) for stem in stems(span.text)}
    asked, said = set(stems(frame.asked)), set(stems(text))
    numbers = [one for one in find_numbers(text) if not one.is_year]
    years = {year for span in frame.periods for year in find_periods(span.text).years}
    return (
        float(any(one.table is not None for one in first)),
        logit,
        logit - others,
        math.log(max(max(inside, default=0.0), _LEAST)),
        float(bearing is not None and first_place is not None and bearing.holds(*first_place)),
        unsure.said.share if unsure is not None and unsure.said is not None else 0.0,
        sum(frame.operations.get(one, 0.0) for one in COMPUTED),
        len(named & said) / len(named) if named else 0.5,
        len(asked & said) / len(asked) if asked else 0.0,
        float(min(len(numbers), _NUMBERS)),
        _kind_of(numbers, frame),
        len(text.split()) / _WORDS,
        float(bool(years) and all(str(year) in text for year in years)),
        1.0,
    )


def _kind_of(numbers: Sequence[Number], frame: Frame) -> float:
    """The probability that a figure of the kind of one of the ``numbers`` is asked for."""
    kinds = frozenset[str]().union(*(_KINDS.get(one.kind, _COUNTS) for one in numbers))
    return sum(share for kind, share in frame.kinds.items() if kind in kinds)


def _bearing_of(first: Sequence[Sentence], evidence: Evidence) -> Bearing | None:
    """The paragraph that the sentences are of, by the passage that they cite."""
    cited = {evidence.passages[number - 1].citation.chunk_id for one in first for number in one.citations}
    is_table = any(one.table is not None for one in first)
    same = (one for one in evidence.paragraphs if any(chunk.id in cited for chunk in one.near.chunks))
    return next((one for one in same if (one.near.table is not None) == is_table), None)


@cache
def _weights() -> Mapping[str, float]:
    card = json.loads(files("fin_tui.engine.answering").joinpath("leading.json").read_text(encoding="utf-8"))
    weights: Mapping[str, float] = card["weights"]
    return weights
