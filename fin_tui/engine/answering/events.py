"""What happens while a question is answered. The chat pane, ``ask``, the MCP server and the evaluation read the same stream.

Order: ``Understood``; then ``Refused`` or ``EvidenceReady``; then, with a model, any number of ``Status`` and ``Token``
with a ``SentenceDone`` for each finished sentence, and ``ModelEnded`` where it broke off; a second ``EvidenceReady`` takes the
place of the first where a model bore out the figure that was not sure; last always exactly one ``Finished`` (also when refused or
stopped) or one ``Failed``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fin_tui.engine.evidence import Passage as Passage
from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.records import Answer, Refusal, Scope, Sentence

if TYPE_CHECKING:
    from fin_tui.engine.figures.answer import FigureAnswer


@dataclass(frozen=True, slots=True)
class Understood:
    """The question has been read: what it is limited to."""

    question: str
    scope: Scope
    scope_label: str
    """For people: "Apple Inc. · FY2024", or "all 3 filings"."""
    interpretation: Interpretation = field(default_factory=Interpretation)
    """What was read in the question, and what can be changed in it."""


@dataclass(frozen=True, slots=True)
class EvidenceReady:
    """The evidence card: the extractive answer and its passages, before any model has said a word."""

    extract: str
    """Sentences chosen from the passages, with [n]."""
    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...]
    notes: tuple[str, ...] = ()
    """What the reader must know: vectors not ready, no encoder weights, …"""
    figures: FigureAnswer | None = None
    """For a question that asks for figures: value, facts, calculation and table."""
    caution: str = ""
    """Where what follows is not surely the answer: "No exact figure found; closest passages below."."""
    is_proven: bool = False
    """Figures, or a yes or a no, say all that is asked."""
    may_change: bool = False
    """It is read once more with the lines found (status ``READING``), after which another card may take its place."""


READING = "reading the lines found"
"""Status while a card that may change is read once more."""


@dataclass(frozen=True, slots=True)
class Status:
    """The model is loading, or reading the sources."""

    text: str


@dataclass(frozen=True, slots=True)
class Token:
    """The next piece of the model's text, as it comes; control characters already removed."""

    text: str


@dataclass(frozen=True, slots=True)
class SentenceDone:
    """A sentence of the model's text is finished and has been matched to the evidence."""

    sentence: Sentence
    index: int


@dataclass(frozen=True, slots=True)
class ModelEnded:
    """The language model failed while it wrote; the answer goes on without it."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """There will be no answer, and this is why."""

    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Finished:
    """The end, with everything in one record."""

    answer: Answer
    passages: tuple[Passage, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Failed:
    """The end, by an error; what was shown stays."""

    message: str
    hint: str = ""


Event = Understood | EvidenceReady | Status | Token | SentenceDone | ModelEnded | Refused | Finished | Failed
