"""A language model's second look at the likeliest figure, where the ranker is not sure enough of it.

The model reads the question beside what was found, in the words of the filing's rows, and says yes or no; nothing it writes is
shown. Its word and the ranker's probability are weighed together as was measured for that very model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from fin_tui.engine.figures.answer import Unsure
from fin_tui.engine.models.grounding import Weights
from fin_tui.engine.models.protocol import Message
from fin_tui.errors import ModelFailed

SURE, LIKELY = 0.85, 0.75
"""From these probabilities on the figure stands as the answer, and is told as the closest that was found."""
LEAST = 0.1
"""The ranker's own probability below which no model is asked: its word could not carry the figure over ``LIKELY``."""
_YES, _NO = "Yes", "No"
_SYSTEM = (
    "You check figures found in a company's annual report. You get a question and a figure, with how it was found or computed. "
    "Say Yes if the figure is what the question asks for: the same thing, the same part, the right calculation and unit. "
    "Otherwise say No."
)
_EXAMPLES = (
    ("What share of Acme's 2019 sales came from Europe?", "Europe | Net sales / Total | Net sales, FY2019 = 25%", _YES),
    ("What share of Acme's 2019 sales came from Europe?", "Europe | Net sales / Long-lived assets, FY2019 = 107.9%", _NO),
    (
        "how many people work at Borealis per store, fy21",
        "Selling expenses / Total | Number of stores, FY2021 = $7.524 million",
        _NO,
    ),
    ("Cobalt Corp growth in interest expense 2020 to 2021", "growth: Interest expense, FY2020 to FY2021 = 26.83%", _YES),
)


@runtime_checkable
class Reads(Protocol):
    """A model that may take the second look."""

    @property
    def name(self) -> str: ...

    @property
    def reading(self) -> Weights | None:
        """What its word weighs; None where it was not measured to be worth anything."""

    def weigh(self, messages: Sequence[Message], choices: Sequence[str], cancelled: Callable[[], bool]) -> tuple[float, ...]:
        """The log probability of each choice; () once cancelled. Raises ``ModelFailed``."""


def log_odds(model: Reads, question: str, told: str, cancelled: Callable[[], bool]) -> float | None:
    """How much likelier the model says yes than no to ``told`` as what ``question`` asks for; None once cancelled.

    Raises ``ModelFailed``.
    """
    messages = [Message("system", _SYSTEM)]
    for asked, figure, said in _EXAMPLES:
        messages += [Message("user", _beside(asked, figure)), Message("assistant", said)]
    messages.append(Message("user", _beside(question, told)))
    logs = model.weigh(messages, (_YES, _NO), cancelled)
    return logs[0] - logs[1] if logs else None


def chance(model: Reads, question: str, unsure: Unsure, cancelled: Callable[[], bool]) -> float:
    """The probability that the figure is what ``question`` asks for, once ``model`` has read both; 0 where the model fails, is
    stopped, or was not measured.
    """
    weights = model.reading
    if weights is None:
        return 0.0
    try:
        said = log_odds(model, question, unsure.told, cancelled)
    except ModelFailed:
        return 0.0
    return weights.chance(unsure.share, said, is_computed=unsure.is_computed) if said is not None else 0.0


def _beside(question: str, told: str) -> str:
    return f"Question: {question}\nFigure: {told}"
