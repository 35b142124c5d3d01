"""Put a language model in place: one of the catalogue by download, one of another program by a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fin_tui.assets import Ledger, bring, load_catalogue
from fin_tui.assets.verify import sha256_of
from fin_tui.engine.models.files import local_files
from fin_tui.engine.models.found import FoundModel, found_models, link
from fin_tui.engine.models.gguf import read_header
from fin_tui.engine.models.listing import same_file
from fin_tui.errors import MissingAsset, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Progress


def pull_model(name: str, paths: Paths, tell: Callable[[Progress], None], found: Sequence[FoundModel] | None = None) -> None:
    """Put the model ``name`` in place, where it is not yet; a broken off download goes on. ``tell`` hears bytes done and in all.

    A file that another program keeps (``found``, looked for when None) is linked, not downloaded. Raises ``UsageError`` for a
    name that means no model, ``MissingAsset`` when it can't be downloaded, ``ModelFailed`` when what came is no model.
    """
    from fin_tui.assets.from_hub import fetch_hub_file

    catalogue = load_catalogue()
    if name == catalogue.shipped_model.name:
        bring(catalogue.shipped_model, paths, Ledger(paths), tell)
        return
    model = next((model for model in catalogue.models if model.name == name), None)
    place = paths.models / model.file if model is not None else None
    if (place is not None and place.is_file()) or any(path.stem.lower() == name for path in local_files(paths)):
        return
    found = found_models() if found is None else found
    kept = same_file(model, found) if model is not None else next((one for one in found if one.name == name), None)
    if kept is not None and (model is None or model.sha256 in ("", sha256_of(kept.path))):
        link(kept, place or paths.models / f"{name}.gguf")
        return
    if model is None or place is None:
        known = ", ".join(model.name for model in catalogue.models)
        raise UsageError(f"There is no model {name!r} in the catalogue, nor on this machine.", f"Known: {known}.")
    incoming = paths.models / ".incoming" / model.name
    try:
        got = fetch_hub_file(
            model.hub,
            model.file,
            incoming,
            lambda done, total: tell(Progress("download", done, total, name)),
            sha256=model.sha256,
        )
    except MissingAsset as error:
        by_hand = f"{error.hint} By hand: {model.file} of the hub repository {model.hub}, as {place}."
        raise MissingAsset(error.message, by_hand) from error
    read_header(got)
    got.replace(place)
