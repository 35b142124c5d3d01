"""Which model is the best that this machine runs well, by its measured speed (pure).

Writing a token reads all weights once, so tokens a second fall with the size of the file: scaled from the measured model that is
nearest in size, they fall a little less than it grows, as a small model spends part of its time on other things. Two idle cores
wrote 106, 39 and 23 tokens a second with 145, 491 and 1,117 MB; from the first, 38 and 19 are foretold. Reading the prompt
computes with each weight, but how fast depends on the kind of quantisation more than on size: a wait for the first word is
foretold only from a model that is large enough to write.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.engine.models.grounding import FEWEST_PARAMETERS
from fin_tui.engine.models.listing import ListedModel
from fin_tui.engine.models.speed import Speed

SLOWEST = 5.0
"""Tokens written a second below which nobody waits for an answer."""
LONGEST_WAIT_S = 20.0
"""From the question to the first word, where that can be foretold."""
PROMPT_TOKENS = 800
"""Instructions, evidence and question."""
_FALL = 0.85
"""Tokens a second fall with the size of the file to this power."""
_SHARE_OF_MEMORY = 0.5
"""What the model may take of the machine's memory: filings, indexes and other programs need the rest."""
_CLEARLY_LARGER = 1.5
"""By how much more weights a download must beat what lies on this machine already."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that would do well here, with what it is expected to do."""

    model: ListedModel
    decode: float
    """Tokens written a second; 0 where nothing was measured to tell it from."""
    first_word_s: float
    """Seconds to the first word; 0 where no model was measured to tell it from."""

    @property
    def is_here(self) -> bool:
        """Whether it needs no download."""
        return self.model.is_here or bool(self.model.place)


def recommend(models: Sequence[ListedModel], speeds: Sequence[Speed], memory: int) -> Offer | None:
    """The best of ``models`` for a machine with so many bytes of ``memory`` and measured ``speeds``; None when none would do.

    The best has most weights of those that write at least ``SLOWEST`` tokens a second with memory to spare. One that lies on this
    machine is preferred to a download that is not clearly larger; a download has an open licence.
    """
    return next(iter(ranked(models, speeds, memory)), None)


def ranked(models: Sequence[ListedModel], speeds: Sequence[Speed], memory: int) -> tuple[Offer, ...]:
    """The best model, as ``recommend`` names it; behind a download the best that lies on this machine."""
    offers = [offer for model in models if (offer := estimate(model, speeds)) and _does_well(offer, memory)]
    here = max((offer for offer in offers if offer.is_here), key=_worth, default=None)
    away = max((offer for offer in offers if not offer.is_here and offer.model.is_open), key=_worth, default=None)
    if here is None or (away is not None and away.model.parameters >= here.model.parameters * _CLEARLY_LARGER):
        return tuple(offer for offer in (away, here) if offer is not None)
    return (here,)


def estimate(model: ListedModel, speeds: Sequence[Speed]) -> Offer:
    """What ``model`` is expected to do here."""
    if not speeds or not model.size_mb or not model.parameters:
        return Offer(model, model.decode, 0.0)
    size = model.size_mb * 1_000_000
    near = min(speeds, key=lambda speed: abs(math.log(speed.file_bytes / size)))
    decode = model.decode or near.decode * (near.file_bytes / size) ** _FALL
    prefill = near.prefill * near.parameters / model.parameters if near.parameters >= FEWEST_PARAMETERS else 0.0
    return Offer(model, decode, PROMPT_TOKENS / prefill if prefill else 0.0)


def _does_well(offer: Offer, memory: int) -> bool:
    model = offer.model
    measured_badly = model.grounding is not None and "writing" not in model.grounding.uses
    if model.problem or measured_badly or model.parameters < FEWEST_PARAMETERS:
        return False
    fits = not memory or model.memory_mb * 1_000_000 <= memory * _SHARE_OF_MEMORY
    is_quick = not offer.decode or (offer.decode >= SLOWEST and offer.first_word_s <= LONGEST_WAIT_S)
    return fits and is_quick


def _worth(offer: Offer) -> tuple[float, float]:
    return offer.model.parameters, -offer.model.memory_mb
