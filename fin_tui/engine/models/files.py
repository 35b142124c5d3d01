"""Which file a model's name means, and which model files there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fin_tui.assets import Ledger, load_catalogue
from fin_tui.engine.models.record import FASTER_MARK, read_record
from fin_tui.errors import MissingAsset, ModelFailed, UsageError
from fin_tui.paths import Paths


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on disk."""

    name: str
    path: Path
    """The file to load: the copy made for this processor where there is one."""
    original: Path


def find_model(name: str, paths: Paths) -> ModelFile:
    """The file for a catalogue name, a path, or the name of a file under models/.

    Raises ``MissingAsset`` for a model that is known and not here, ``UsageError`` for a name that means none.
    """
    if name.endswith(".gguf") and Path(name).expanduser().is_file():
        path = Path(name).expanduser().resolve()
        return ModelFile(path.stem.lower(), faster_copy(path) or path, path)
    for known, path in known_files(paths).items():
        if name == known and path.is_file():
            return ModelFile(known, faster_copy(path) or path, path)
    for path in local_files(paths):
        if name.lower() in (path.name.lower(), path.stem.lower()):
            return ModelFile(path.stem.lower(), faster_copy(path) or path, path)
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
        if model.original in (place, place.resolve()) and not ledger.holds(place, file):
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
    """Every model file under models/, without the copies made for this processor."""
    found = paths.models.glob("*.gguf") if paths.models.is_dir() else ()
    return sorted(path for path in found if not path.stem.endswith(FASTER_MARK))


def faster_path(original: Path) -> Path:
    """Where a copy made for this processor belongs."""
    return original.with_name(f"{original.stem}{FASTER_MARK}.gguf")


def faster_copy(original: Path) -> Path | None:
    """The requantised copy of ``original``, where set-up found it faster here and its answers the same."""
    verdict = read_record(original).get("requantised")
    copy = faster_path(original)
    if not isinstance(verdict, dict) or not verdict.get("kept") or not copy.is_file():
        return None
    same = verdict.get("source_bytes") == original.stat().st_size and verdict.get("copy_bytes") == copy.stat().st_size
    return copy if same else None
