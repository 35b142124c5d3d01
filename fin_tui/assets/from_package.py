"""Assets out of archives on the Python package index, brought by pip and opened without installing or running them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from fin_tui.assets.catalogue import Asset, AssetFile
from fin_tui.errors import MissingAsset

Advance = Callable[[float, float], None]
"""Called with bytes done and bytes in all."""

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")


def fetch_package(asset: Asset, files: Sequence[AssetFile], folder: Path, advance: Advance) -> None:
    """Put ``files`` into ``folder`` (by their names), unverified. Raises ``MissingAsset`` with pip's reason."""
    downloads = folder / ".archive" / f"{asset.package}-{asset.version}"
    archive = _held(downloads) or _download(asset, downloads, advance)
    try:
        _take_out(archive, {file.member: folder / file.name for file in files})
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, OSError) as error:
        shutil.rmtree(downloads, ignore_errors=True)
        raise MissingAsset(f"The archive {archive.name} can't be used: {error}") from error


def _held(downloads: Path) -> Path | None:
    """The archive when an asset before this one came out of the same package."""
    found = [*downloads.glob("*.whl"), *downloads.glob("*.tar.gz")]
    return found[0] if found else None


def _download(asset: Asset, downloads: Path, advance: Advance) -> Path:
    kind = ("--only-binary", ":all:") if asset.archive == "wheel" else ("--no-binary", asset.package)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar", "raw", *kind, "--dest", str(downloads), f"{asset.package}=={asset.version}"]
    downloads.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as pip:
        assert pip.stdout is not None
        said: list[str] = []
        try:
            for line in pip.stdout:
                if progress := _PROGRESS.match(line):
                    advance(float(progress[1]), float(progress[2]))
                elif line.strip():
                    said.append(line.strip())
        except BaseException:  # Ctrl+C as well: pip must not go on by itself
            pip.kill()
            raise
    archive = _held(downloads)
    if pip.returncode != 0 or archive is None:
        raise MissingAsset(f"pip could not bring {asset.package} {asset.version}: {_reason(said)}")
    return archive


def _reason(said: Sequence[str]) -> str:
    """pip's last complaint, without the addresses in it."""
    errors = [line for line in said if line.startswith("ERROR")] or list(said[-1:]) or ["pip gave no reason"]
    return re.sub(r"https?://\S+", "the package index", errors[-1].removeprefix("ERROR: "))[:300]


def _take_out(archive: Path, members: dict[str, Path]) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for member, place in members.items():
                with wheel.open(member) as source:
                    _write(source, place)
        return
    with tarfile.open(archive) as sdist:
        for member, place in members.items():
            source_file = sdist.extractfile(f"{archive.name.removesuffix('.tar.gz')}/{member}")
            if source_file is None:
                raise KeyError(member)
            with source_file as source:
                _write(source, place)


def _write(source: IO[bytes], place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
