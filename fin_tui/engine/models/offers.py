"""What this machine is offered: all models that there are, and the best of them, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui import config
from fin_tui.assets import load_catalogue
from fin_tui.engine.models.found import found_models
from fin_tui.engine.models.listing import ListedModel, list_models
from fin_tui.engine.models.machine import memory_bytes
from fin_tui.engine.models.recommend import Offer, ranked
from fin_tui.engine.models.speed import Speed, measure_once, read_speed
from fin_tui.paths import Paths

_SLOW_LINE = 50.0
"""Megabits a second, for the time of a download."""


def all_models(paths: Paths, chosen: str) -> tuple[ListedModel, ...]:
    """What set-up brings, the hub has, stands under models/, or another program keeps; ``chosen`` is the one in the settings."""
    return list_models(paths, chosen, found_models())


def best_models(paths: Paths, settings: config.Model) -> tuple[Offer, ...]:
    """The best model that this machine runs well, and behind a download the best that lies here; empty when none does.

    The shipped model is timed once for it, which takes some seconds; where it is not there, or the processor is busy, memory
    alone decides. Raises ``ModelFailed`` when it can't run.
    """
    shipped = load_catalogue().shipped_model
    measure_once(shipped.place(paths, shipped.files[0]), settings, paths)
    models = all_models(paths, settings.name)
    return ranked(models, _speeds(models), memory_bytes())


def offer_words(offer: Offer) -> str:
    """ "1,107 MB to download, 3 min at 50 Mbit/s · Apache-2.0 · about 12 tokens/s, first word after 9 s"."""
    model = offer.model
    minutes = max(1, round(model.size_mb * 8 / _SLOW_LINE / 60))
    away = f"{model.size_mb:,} MB to download, {minutes} min at {_SLOW_LINE:.0f} Mbit/s"
    here = f"{model.size_mb:,} MB, in {model.place}: no download" if model.place else f"{model.size_mb:,} MB, here"
    said = [here if offer.is_here else away, model.license or "licence unknown"]
    if offer.decode:
        wait = f", first word after {offer.first_word_s:.0f} s" if offer.first_word_s else ""
        said.append(f"about {offer.decode:.0f} tokens/s{wait}")
    return " · ".join(said)


def _speeds(models: Sequence[ListedModel]) -> list[Speed]:
    """What was measured while nothing else ran: what a busy processor shows would rule out models that run well."""
    found = [read_speed(model.path) for model in models if model.is_here]
    return [speed for speed in found if speed is not None and not speed.was_busy]
