"""Model files: which are here, the one that is meant, and whether it is the one that was published."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from fin_tui.assets import Ledger, load_catalogue
from fin_tui.engine.models.gguf import Header, read_header
from fin_tui.errors import FinTuiError, MissingAsset, ModelFailed, UsageError
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


_LAYER = "application/vnd.ollama.image.model"
_SMALLEST = 50_000_000
"""Bytes: what is smaller is a vocabulary or an adapter."""
_MOST = 200
"""Files that are looked at in one place."""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model file of another program."""

    name: str
    path: Path
    place: str
    """The program that keeps it: "LM Studio"."""
    header: Header

    @property
    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size


def found_models(home: Path | None = None, environment: Mapping[str, str] | None = None) -> tuple[FoundModel, ...]:
    """The instruct models in the usual places, each file once; those without a chat template can't answer and are left out.

    ``home`` is the user's folder, ``environment`` the variables; by default those of this process.
    """
    home, environment = home or Path.home(), os.environ if environment is None else environment
    seen: set[Path] = set()
    found: dict[str, FoundModel] = {}
    for place, name, path in _files(home, environment):
        real = path.resolve()
        if real in seen or not real.is_file() or real.stat().st_size < _SMALLEST:
            continue
        seen.add(real)
        header = _header(real, real.stat().st_mtime_ns)
        if header is not None and header.has_template:
            found.setdefault(name, FoundModel(name, real, place, header))
    return tuple(found.values())


def link(model: FoundModel, place: Path) -> None:
    """Make ``place``, under models/, a link to the file. Raises ``FinTuiError`` where none can be made."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(model.path)
    except OSError as error:
        hint = f"Use the file itself: fin-tui models use {model.path}"
        raise FinTuiError(f"{model.name} could not be linked under models/: {error.strerror}", hint) from error


def _files(home: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, str, Path]]:
    """Place, name and path of every candidate."""
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
    hub = environment.get("HF_HUB_CACHE") or Path(environment.get("HF_HOME") or cache / "huggingface") / "hub"
    yield from _gguf("Hugging Face's cache", Path(hub), "models--*/snapshots/*/**/*.gguf")
    for folder in (home / ".lmstudio" / "models", home / ".cache" / "lm-studio" / "models"):
        yield from _gguf("LM Studio", folder, "*/*/*.gguf")
    own = home / "Library" / "Caches" if sys.platform == "darwin" else cache
    yield from _gguf("llama.cpp's cache", Path(environment.get("LLAMA_CACHE") or own / "llama.cpp"), "*.gguf")
    shared = Path("/usr/share/ollama/.ollama/models")
    for folder in (Path(environment.get("OLLAMA_MODELS") or home / ".ollama" / "models"), shared):
        yield from _ollama(folder)


def _gguf(place: str, folder: Path, pattern: str) -> Iterator[tuple[str, str, Path]]:
    try:
        for _, path in zip(range(_MOST), sorted(folder.glob(pattern)), strict=False):
            yield place, path.stem.lower(), path
    except OSError:
        return


def _ollama(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """A manifest of Ollama names its layers by their hashes; the layer with the weights is a GGUF file."""
    try:
        manifests = [path for path in sorted((folder / "manifests").glob("**/*")) if path.is_file()][:_MOST]
    except OSError:
        return
    for manifest in manifests:
        try:
            layers = msgspec.json.decode(manifest.read_bytes(), type=_Manifest).layers
        except (OSError, msgspec.MsgspecError):
            continue
        name = re.sub(r"[^a-z0-9._-]+", "-", f"{manifest.parent.name}-{manifest.name}".lower())
        for layer in layers:
            if layer.media_type == _LAYER and ":" in layer.digest:
                yield "Ollama", name, folder / "blobs" / Path(layer.digest.replace(":", "-")).name


class _Layer(msgspec.Struct, rename={"media_type": "mediaType"}):
    digest: str
    media_type: str


class _Manifest(msgspec.Struct):
    layers: list[_Layer]


@lru_cache(maxsize=256)
def _header(path: Path, _modified: int) -> Header | None:
    """What the file says of itself, read once for a version of it; None for one that holds no answer model."""
    try:
        return read_header(path)
    except FinTuiError:
        return None
