"""A question -> its frame: the words for company, period, figure and part, what is to be done, what kind of answer is wanted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.shared_encoder import SharedEncoder

FIGURES = frozenset(("money", "count", "percent", "per_share", "ratio", "days"))
"""Answer types that a figure gives."""
_LIKELY = 0.5
_WORD = re.compile(r"[A-Za-z0-9&%/'’+-]+")
_DANGLING = frozenset("in at of for on by from during as the and end per to with vs its fy".split())


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the question that name something."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One typed reading of a question, by itself or after the one before it."""

    question: str
    companies: tuple[Span, ...]
    periods: tuple[Span, ...]
    targets: tuple[Span, ...]
    """The words for the figures or the matter asked for, in the order of the question."""
    parts: tuple[Span, ...]
    """Segment, product, region, instrument, class …"""
    operation: str
    answer: str
    """money, count, percent, per_share, ratio, days; text, list, yesno, name, date; none."""
    refusal: str
    """off_topic, advice, forecast, injection, private; "" for none."""
    left_over: tuple[str, ...]
    """Words outside of all spans that do more than ask, compute, or link: they narrow what is asked, and no span says how."""
    sure: Mapping[str, float]
    """Probability of operation, answer and refusal; of "figure", that any kind of figure is asked for."""

    @property
    def is_figure(self) -> bool:
        """A figure is asked for."""
        return self.sure["figure"] >= _LIKELY

    @property
    def label(self) -> str:
        """The matter for people, without the small words that stood before a company or period."""
        words = self.matter.split()
        while len(words) > 1 and words[-1].lower().strip(",") in _DANGLING:
            words.pop()
        return " ".join(words).strip(" ,")

    @property
    def kind(self) -> str:
        """The kind of figure that is asked for; "" where another kind of answer is likelier than each by itself."""
        return self.answer if self.answer in FIGURES else ""

    @property
    def matter(self) -> str:
        """The question without the words for company and period: what rows are looked for by."""
        text = self.question
        for span in sorted((*self.companies, *self.periods), key=lambda span: -span.start):
            behind = text[span.end :]
            for tail in ("'s", "’s"):
                behind = behind.removeprefix(tail)
            text = f"{text[: span.start]} {behind}"
        return " ".join(text.split()).strip(" ,:;-?") or self.question

    def of_companies(self, places: Sequence[tuple[int, int]]) -> Frame:
        """The frame with just these places as companies: a name that the library does not know may be part of the matter."""
        return replace(self, companies=tuple(Span(self.question[a:b], a, b) for a, b in places)) if places else self


class FrameReader:
    """Reads questions with the trained encoder; about 10 ms each."""

    def __init__(self, encoder: SharedEncoder) -> None:
        self._encoder = encoder

    def warm_up(self) -> None:
        """Load the weights; raises ``MissingAsset`` where they can't be read."""
        self._encoder.load()

    def read_if_able(self, question: str, before: str = "") -> Frame | None:
        """As :meth:`read`; None without weights: questions are then read by names and rules alone."""
        try:
            return self.read(question, before)
        except MissingAsset:
            return None

    def read(self, question: str, before: str = "") -> Frame:
        """The frame of ``question``; ``before`` is the question before it in the conversation. Raises ``MissingAsset``."""
        scores, spans = self._encoder.read(question, before)
        tags = self._encoder.labels["tags"]
        named = _spans(question, [tags[int(best)] for best in scores["tags"].argmax(axis=1)], spans)
        chosen: dict[str, str] = {}
        sure: dict[str, float] = {}
        for name in ("operation", "answer", "refusal"):
            shares = _softmax(scores[name])
            best = int(shares.argmax())
            if name == "answer":
                kinds = self._encoder.labels[name]
                sure["figure"] = sum(float(share) for share, kind in zip(shares, kinds, strict=True) if kind in FIGURES)
            chosen[name], sure[name] = self._encoder.labels[name][best], float(shares[best])
        return Frame(
            question, named["company"], named["period"], named["target"], named["part"],
            chosen["operation"], chosen["answer"], chosen["refusal"], self._left_over(question, named), sure,
        )  # fmt: skip

    def _left_over(self, question: str, named: Mapping[str, Sequence[Span]]) -> tuple[str, ...]:
        inside = [span for spans in named.values() for span in spans]
        words = ((match.group().lower(), match.start()) for match in _WORD.finditer(question))
        return tuple(
            word
            for word, start in words
            if word not in self._encoder.plain_words and not any(span.start <= start < span.end for span in inside)
        )


def _spans(text: str, tags: Sequence[str], places: Sequence[tuple[int, int]]) -> dict[str, tuple[Span, ...]]:
    """Runs of tokens of one kind, as they stand in the question."""
    found: dict[str, list[tuple[int, int]]] = {"company": [], "period": [], "target": [], "part": []}
    last, until = "", 0
    for tag, (start, end) in zip(tags, places, strict=True):
        if end <= start:
            continue
        edge, _, kind = tag.partition("-")
        # A word that the tokenizer parts is of one kind with its first piece.
        if start == until and last and text[start - 1 : start].isalnum() and text[start : start + 1].isalnum():
            kind, edge = last, "I"
        if kind and kind == last and (edge == "I" or start == until):
            found[kind][-1] = (found[kind][-1][0], end)
        elif kind:
            found[kind].append((start, end))
        last, until = kind, end
    return {kind: tuple(Span(text[a:b], a, b) for a, b in runs) for kind, runs in found.items()}


def _softmax(scores: Any) -> Any:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()
