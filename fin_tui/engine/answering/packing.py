"""Evidence -> what the language model reads: the sentences and rows that carry the answer, within a token budget (pure).

The model process keeps what it read last and reads again only from the first difference on. So what a follow-up shares with the
question before it comes first, word for word as it stood there; the rest follows, what bears most on the question first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.evidence.evidence import Evidence, Focus
from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.evidence.pointing import begin_with_what_it_points_to

_ENOUGH = 0.35
"""A sentence scoring below this share of the best one carries no part of the answer."""
_GAP = 2
"""Characters between two sentences that still follow one another."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What the model reads of a passage."""

    filing: str
    start: int
    """Where the passage begins in the filing's clean text."""
    source: str
    text: str

    @property
    def block(self) -> str:
        """As it stands in the prompt."""
        return f"Source: {self.source}\n{self.text}"

    def is_of(self, passage: Passage) -> bool:
        return (self.filing, self.start) == (passage.citation.filing, passage.start)


def pack(evidence: Evidence, budget: int, count: Callable[[str], int], before: Sequence[Excerpt] = ()) -> tuple[Excerpt, ...]:
    """Excerpts of at most ``budget`` tokens (as ``count`` counts); ``before`` are those of the prompt that was read last.

    The longest beginning of ``before`` whose passages are all evidence again, and that says all that is wanted of them, is kept.
    """
    best = max((focus.score for focus in evidence.focuses), default=0.0)
    chosen: dict[int, list[Focus]] = {}
    for focus in sorted(evidence.focuses, key=lambda focus: -focus.score):
        if focus.score >= best * _ENOUGH:
            chosen.setdefault(focus.passage, []).append(focus)
    kept, left = _still_there(evidence, chosen, before, budget, count)
    shown = {next(at for at in chosen if one.is_of(evidence.passages[at])) for one in kept}
    packed = list(kept)
    for at, focuses in chosen.items():
        if at in shown:
            continue
        excerpt = _fitting(evidence.passages[at], focuses, left, count)
        if excerpt is not None:
            packed.append(excerpt)
            left -= count(excerpt.block)
    return tuple(packed)


def _still_there(
    evidence: Evidence, chosen: dict[int, list[Focus]], before: Sequence[Excerpt], left: int, count: Callable[[str], int]
) -> tuple[list[Excerpt], int]:
    kept: list[Excerpt] = []
    for excerpt in before:
        at = next((at for at in chosen if excerpt.is_of(evidence.passages[at])), None)
        if at is None or _said(evidence.passages[at], chosen[at][0]) not in excerpt.text or count(excerpt.block) > left:
            break
        kept.append(excerpt)
        left -= count(excerpt.block)
    return kept, left


def _fitting(passage: Passage, focuses: Sequence[Focus], left: int, count: Callable[[str], int]) -> Excerpt | None:
    """As many of ``focuses`` (best first) as fit, in reading order; None when not even the best does."""
    for most in range(len(focuses), 0, -1):
        excerpt = Excerpt(passage.citation.filing, passage.start, _source(passage), _joined(passage, focuses[:most]))
        if count(excerpt.block) <= left:
            return excerpt
    return None


def _joined(passage: Passage, focuses: Sequence[Focus]) -> str:
    text, end = "", None
    for focus in sorted(focuses, key=lambda focus: focus.start):
        start = focus.start if passage.kind == "table" else begin_with_what_it_points_to(passage, focus)
        if end is not None and focus.start < end:
            continue
        start = focus.start if end is not None and start < end else start
        gap = "" if end is None else "\n" if passage.kind == "table" else " " if start - end <= _GAP else " … "
        text += gap + _said(passage, replace(focus, start=start))
        end = focus.end
    return text


def _said(passage: Passage, focus: Focus) -> str:
    """A sentence as it stands; a row in words, with its column headers."""
    if passage.kind == "table":
        return focus.text.replace("\t", " ")
    return " ".join(passage.text[focus.start - passage.start : focus.end - passage.start].split()) or focus.text


def _source(passage: Passage) -> str:
    citation = passage.citation
    year = f" FY{citation.fiscal_year}" if citation.fiscal_year else ""
    return f"{citation.company}{year}, {citation.heading}".rstrip(", ")
