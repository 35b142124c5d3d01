"""Which file a model's name means, and which model files there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fin_tui.assets import Ledger, load_catalogue
from fin_tui.errors import MissingAsset, ModelFailed, UsageError
from fin_tui.paths import Paths


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on disk."""

    name: str
    path: Path


def find_model(name: str, paths: Paths) -> ModelFile:
    """The file for a catalogue name, a path, or the name of a file under models/.

    Raises ``MissingAsset`` for a model that is known and not here, ``UsageError`` for a name that means none.
    """
    if name.endswith(".gguf") and Path(name).expanduser().is_file():
        path = Path(name).expanduser().resolve()
        return ModelFile(path.stem.lower(), path)
    for known, path in known_files(paths).items():
        if name == known and path.is_file():
            return ModelFile(known, path)
    for path in local_files(paths):
        if name.lower() in (path.name.lower(), path.stem.lower()):
            return ModelFile(path.stem.lower(), path)
    bring = "`fin-tui setup`" if name == load_catalogue().shipped_model.name else f"`fin-tui models pull {name}`"
    if name in known_files(paths):
        raise MissingAsset(f"The language model {name} is not here.", f"{bring} brings it.")
    raise UsageError(f"There is no language model {name!r}.", "`fin-tui models list` shows what can be used.")


def published(model: ModelFile, paths: Paths) -> ModelFile:
    """``model``, when its file has the published bytes or no hash of it is known: what comes from the hub is checked on its way.

    Hashed once for a size and time. Raises ``ModelFailed``.
    """
    asset, ledger = load_catalogue().shipped_model, Ledger(paths)
    for file in asset.files:
        place = asset.place(paths, file)
        if model.path in (place, place.resolve()) and not ledger.holds(place, file):
            what = f"{place.name} is not the file that was published: its SHA-256 differs."
            raise ModelFailed(what, "`fin-tui setup` brings it again.")
    return model


def known_files(paths: Paths) -> dict[str, Path]:
    """Catalogue name -> where its file belongs, present or not."""
    catalogue = load_catalogue()
    shipped = catalogue.shipped_model
    places = {shipped.name: shipped.place(paths, shipped.files[0])}
    return places | {model.name: paths.models / model.file for model in catalogue.models}


def local_files(paths: Paths) -> list[Path]:
    """Every model file under models/, and every link there to one."""
    return sorted(path for path in paths.models.glob("*.gguf") if path.is_file()) if paths.models.is_dir() else []
