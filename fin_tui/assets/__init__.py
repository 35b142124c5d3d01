"""Weights and sample filings: what there is (``assets.toml`` and ``models.toml`` as typed records), and whether it is here.

``fetch_asset`` gets what is missing by the first way that works, verifies it, and moves it into place.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from fin_tui.errors import MissingAsset
from fin_tui.network import VARIABLE, is_offline
from fin_tui.paths import Paths
from fin_tui.records import Progress

if TYPE_CHECKING:
    from typing_extensions import Buffer


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
    """Files that belong together, with the ways to get them."""

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
        """The answer model that set-up downloads."""
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


Advance = Callable[[float, float], None]
"""Called with bytes done and bytes in all."""

_OFFLINE = "The Hugging Face hub can't be reached."
_TIMEOUT_S = 20
_SHA256_DIGITS = 64


def fetch_hub_file(
    repository: str, name: str, folder: Path, advance: Advance, *, revision: str = "main", sha256: str = ""
) -> Path:
    """Download one file into ``folder``; what an interrupted call left there is gone on with. ``sha256`` is that of the file,
    where it is known.

    Raises ``MissingAsset``: offline, no such file, licence not accepted, disk full, or not the bytes that the hub announced.
    """
    from huggingface_hub import constants, hf_hub_url
    from huggingface_hub.file_download import get_hf_file_metadata, http_get
    from huggingface_hub.utils._headers import build_hf_headers
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if is_offline():
        raise MissingAsset(f"{name} is at the hub, and offline mode is on.", f"Leave out --offline, or unset {VARIABLE}.")
    if constants.HF_HUB_OFFLINE:
        raise MissingAsset(f"{_OFFLINE} (HF_HUB_OFFLINE is set)", "Unset it, or put the file in place by hand.")
    disable_progress_bars("huggingface_hub.http_get")
    place = folder / name
    with _plain_errors(repository, name):
        url = hf_hub_url(repository, name, revision=revision, endpoint=os.environ.get("HF_ENDPOINT"))
        about = get_hf_file_metadata(url, timeout=_TIMEOUT_S)
        announced = (about.etag or "").strip('"')
        if sha256 and announced != sha256:
            what = f"The hub's {name} of {repository} is not the file that is known: its hash is another one."
            raise MissingAsset(what, "A newer release of fin-tui may know it; or put the file in place by hand.")
        # Named by what it will be: the rest of another version is never added to it.
        part = folder / f"{name}.{announced[:16]}.part"
        part.parent.mkdir(parents=True, exist_ok=True)
        headers = build_hf_headers()
        if urlsplit(about.location).netloc != urlsplit(url).netloc:
            headers.pop("authorization", None)
        with _ToldFile(part, advance, float(about.size or 0)) as file:
            http_get(about.location, file, resume_size=file.tell(), headers=headers, expected_size=about.size)
    # Files kept as large files are announced by their sha256; small ones by a git hash, which is shorter.
    if len(announced) == _SHA256_DIGITS and sha256_of(part) != announced:
        part.unlink()
        raise MissingAsset(f"{name} from {repository} is damaged: its hash is not the one announced.", "Try again.")
    part.replace(place)
    return place


class _ToldFile(io.FileIO):
    """A file written at its end, which tells how long it has become."""

    def __init__(self, path: Path, advance: Advance, size: float) -> None:
        super().__init__(path, "ab")
        self.seek(0, os.SEEK_END)
        self._advance, self._size = advance, size

    def write(self, data: Buffer) -> int:
        rest = memoryview(data)
        while len(rest):
            rest = rest[super().write(rest) :]
        self._advance(float(self.tell()), self._size)
        return memoryview(data).nbytes


@contextlib.contextmanager
def _plain_errors(repository: str, name: str) -> Iterator[None]:
    from huggingface_hub import errors

    hint = "Try again where there is a network, or put the file in place by hand."
    try:
        yield
    except errors.GatedRepoError as error:
        raise MissingAsset(f"{repository} wants its licence accepted first.", f"See its page on the hub. {hint}") from error
    except (errors.RepositoryNotFoundError, errors.RemoteEntryNotFoundError, errors.RevisionNotFoundError) as error:
        raise MissingAsset(f"The hub has no {name} in {repository}.", hint) from error
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError, errors.FileMetadataError) as error:
        raise MissingAsset(f"{_OFFLINE} ({type(error).__name__})", hint) from error
    except OSError as error:
        why = error.strerror or str(error).split("\n")[0]
        raise MissingAsset(
            f"The download of {name} stopped: {why}", "Run the same command again: it goes on from there."
        ) from error
    except Exception as error:
        # The connection errors of its HTTP client derive from nothing that the hub's library names.
        if any(kind.__name__ in ("TransportError", "RequestError") for kind in type(error).__mro__):
            raise MissingAsset(f"{_OFFLINE} ({type(error).__name__})", hint) from error
        raise


"""Called with bytes done and bytes in all."""


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
                words = line.split()
                if words[:1] == ["Progress"] and len(words) == 4 and words[1].isdigit() and words[3].isdigit():
                    advance(float(words[1]), float(words[3]))
                elif line.strip():
                    said.append(line.strip())
        except BaseException:  # Ctrl+C as well: pip must not go on by itself
            pip.kill()
            raise
    archive = _held(downloads)
    if pip.returncode != 0 or archive is None:
        raise MissingAsset(f"pip could not download {asset.package} {asset.version}: {_reason(said)}")
    return archive


def _reason(said: Sequence[str]) -> str:
    """pip's last complaint, without the addresses in it."""
    errors = [line for line in said if line.startswith("ERROR")] or list(said[-1:]) or ["pip gave no reason"]
    words = errors[-1].removeprefix("ERROR: ").split()
    return " ".join(word.partition("http")[0] + "the package index" if "://" in word else word for word in words)[:300]


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


Tell = Callable[[Progress], None]


def fetch_asset(asset: Asset, paths: Paths, ledger: Ledger, tell: Tell, folder: Path | None = None) -> bool:
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
    lines = [f"Works without it: {asset.without}.", "To add it by hand, put in place (or `fin-tui setup --from FOLDER`):"]
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
