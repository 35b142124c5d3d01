"""Is a file what it should be? Hashed once; after that its size and time are enough."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from fin_tui.assets.catalogue import Asset, AssetFile
from fin_tui.paths import Paths


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
