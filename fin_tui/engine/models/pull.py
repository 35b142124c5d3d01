"""Bring a language model of the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from fin_tui.assets import Ledger, bring, load_catalogue
from fin_tui.engine.models.gguf import read_header
from fin_tui.errors import MissingAsset, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Progress


def pull_model(name: str, paths: Paths, tell: Callable[[Progress], None]) -> None:
    """Put the model ``name`` in place, where it is not yet; a broken off download goes on. ``tell`` hears bytes done and in all.

    Raises ``UsageError`` for a name that the catalogue does not know, ``MissingAsset`` when it can't be brought,
    ``ModelFailed`` when what came is no model.
    """
    from fin_tui.assets.from_hub import fetch_hub_file

    catalogue = load_catalogue()
    if name == catalogue.shipped_model.name:
        bring(catalogue.shipped_model, paths, Ledger(paths), tell)
        return
    model = next((model for model in catalogue.models if model.name == name), None)
    if model is None:
        known = ", ".join(model.name for model in catalogue.models)
        raise UsageError(f"There is no model {name!r} in the catalogue.", f"Known: {known}.")
    place = paths.models / model.file
    if place.is_file():
        return
    incoming = paths.models / ".incoming" / model.name
    try:
        got = fetch_hub_file(model.hub, model.file, incoming, lambda done, total: tell(Progress("download", done, total, name)))
    except MissingAsset as error:
        by_hand = f"{error.hint} By hand: {model.file} of the hub repository {model.hub}, as {place}."
        raise MissingAsset(error.message, by_hand) from error
    read_header(got)
    got.replace(place)
