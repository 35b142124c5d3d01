"""Weights and sample filings: what there is (``assets.toml`` and ``models.toml`` as typed records), and whether it is here.

What is missing is brought by ``bring.py``.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from fin_tui.paths import Paths


class AssetFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One file of an asset."""

    name: str
    """Path below the asset's folder."""
    sha256: str
    size: int
    member: str
    """Path inside the package's archive."""
    hub: str = ""
    """Path inside the hub repository; empty when the hub has no such file."""


class Grounded(Struct, frozen=True, forbid_unknown_fields=True):
    """What the grounding check found of a model before it was shipped."""

    questions: int
    sentences: int
    supported: int
    """How many of the sentences the evidence supports."""


class Asset(Struct, frozen=True, forbid_unknown_fields=True):
    """Files that belong together, with the ways to bring them."""

    name: str
    role: str
    license: str
    folder: str
    """Below the home folder."""
    package: str
    version: str
    archive: Literal["wheel", "sdist"]
    download: int
    """Bytes of the archive."""
    without: str
    """What still works when it is not there."""
    files: tuple[AssetFile, ...]
    hub: str = ""
    revision: str = "main"
    page: str = ""
    """Where a person finds the files."""
    optional: bool = False
    grounding: Grounded | None = None
    """For the answer model's file as it comes."""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)

    def place(self, paths: Paths, file: AssetFile) -> Path:
        """Where ``file`` belongs."""
        return paths.home / self.folder / file.name


class HubModel(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer model on the hub."""

    name: str
    hub: str
    file: str
    license: str
    is_open: bool
    """Whether the licence lets anybody use it for anything."""
    size: int
    """Bytes."""
    parameters: float
    """Billions."""
    memory_mb: int
    sha256: str = ""
    """Empty when it is unknown."""
    thinking: Literal["", "switch"] = ""
    """Whether its chat template thinks unless it is told not to."""


class _Assets(Struct, frozen=True, forbid_unknown_fields=True):
    assets: tuple[Asset, ...]


class _Models(Struct, frozen=True, forbid_unknown_fields=True):
    models: tuple[HubModel, ...]


class Catalogue(Struct, frozen=True):
    """Everything that can be downloaded."""

    assets: tuple[Asset, ...]
    models: tuple[HubModel, ...]
    """Smallest first."""

    def asset(self, name: str) -> Asset:
        """By name. Raises ``KeyError``."""
        return {asset.name: asset for asset in self.assets}[name]

    @property
    def shipped_model(self) -> Asset:
        """The answer model that set-up brings."""
        return next(asset for asset in self.assets if any(file.name.endswith(".gguf") for file in asset.files))


@cache
def load_catalogue() -> Catalogue:
    """The catalogue that comes with the program."""
    folder = resources.files("fin_tui.assets")
    assets = msgspec.toml.decode(folder.joinpath("assets.toml").read_bytes(), type=_Assets)
    models = msgspec.toml.decode(folder.joinpath("models.toml").read_bytes(), type=_Models)
    return Catalogue(assets.assets, models.models)


class Ledger:
    """Remembers which files were verified, so that the second start reads no weights."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._file = paths.data / "verified.json"
        self._known: dict[str, list[int | str]] = self._read()

    def missing(self, asset: Asset) -> tuple[AssetFile, ...]:
        """The files of ``asset`` that are absent or not what they should be."""
        return tuple(file for file in asset.files if not self.holds(asset.place(self._paths, file), file))

    def holds(self, place: Path, file: AssetFile) -> bool:
        """Whether ``place`` is ``file``, by its hash."""
        try:
            status = place.stat()
        except OSError:
            return False
        if status.st_size != file.size:
            return False
        key = place.relative_to(self._paths.home).as_posix()
        seen: list[int | str] = [status.st_size, status.st_mtime_ns, file.sha256]
        if self._known.get(key) == seen:
            return True
        if sha256_of(place) != file.sha256:
            return False
        self._known[key] = seen
        self._write()
        return True

    def _read(self) -> dict[str, list[int | str]]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, list[int | str]])
        except (OSError, msgspec.MsgspecError):
            return {}

    def _write(self) -> None:
        part = self._file.with_suffix(f".{os.getpid()}.part")
        with contextlib.suppress(OSError):  # it only saves time
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(msgspec.json.encode(self._known))
            part.replace(self._file)


def sha256_of(file: Path) -> str:
    """Hex digest of the file's bytes. Raises ``OSError``."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
