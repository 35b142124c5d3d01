"""Model files: which are here, which is meant, what each says of itself, and whether it is whole and as published.

llama.cpp aborts the process on some damaged files and names the reason only in its log; this reader names it in a line.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from fin_tui.assets import Ledger, load_catalogue
from fin_tui.errors import FinTuiError, MissingAsset, ModelFailed, UsageError, said
from fin_tui.language import runs_of
from fin_tui.paths import Paths

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_Value = str | int | None
"""Of a header's entry; of lists nothing is kept."""
_STRING, _ARRAY = 8, 9
_LONGEST_VALUE = 4 * 1024 * 1024
_TENSOR_LIMIT = 1_000_000

_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 36),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
}
"""Tensor type -> (elements per block, bytes per block): F32, F16, Q4_0 and so on; a type not named here is not measured."""

_QUANTISATIONS = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S"}
_QUANTISATIONS |= {12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 32: "BF16"}

_NOT_ANSWERING = {"bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "modern-bert", "neo-bert", "eurobert"}
_NOT_ANSWERING |= {"clip", "t5encoder", "wavtokenizer-dec", "gemma-embedding", "whisper", "mmproj", "flux", "sd1", "sd3", "sdxl"}
"""Architectures that hold no text generator: encoders, vision towers, image and sound models."""


@dataclass(frozen=True, slots=True)
class Header:
    """The facts of a GGUF file that the program uses."""

    architecture: str
    title: str
    quantisation: str
    """"Q4_1", …; empty when the file does not say."""
    context: int
    """Tokens it was trained for; 0 when unknown."""
    license: str
    bytes_needed: int
    """How long the file must be to hold its tensors."""
    parameters: int
    """Weights in all tensors."""
    has_template: bool
    """Whether it brings a chat template: a model without one continues text and follows no instructions."""


def read_header(path: Path) -> Header:
    """Read and check ``path``. Raises ``ModelFailed``: missing, not GGUF, damaged, truncated, or no answer model."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if size < 24:
                raise ModelFailed(f"{path.name} is not a GGUF model ({size} bytes).", "Download it again: `fin-tui models pull`.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                header = _Reader(view, path.name).header()
    except FileNotFoundError as error:
        raise ModelFailed(
            f"{path} is not there.", "`fin-tui setup` downloads the shipped model; `fin-tui models list` names all."
        ) from error
    except OSError as error:
        raise ModelFailed(f"{path} can't be read: {said(error)}", "Check its permissions.") from error
    if size < header.bytes_needed:
        raise ModelFailed(
            f"{path.name} is truncated: {size:,} of {header.bytes_needed:,} bytes.",
            "The download stopped half-way: download it again.",
        )
    if header.architecture in _NOT_ANSWERING:
        raise ModelFailed(
            f"{path.name} is a “{header.architecture}” model, which can't write answers.",
            "Choose an instruct model in GGUF format.",
        )
    return header


class _Reader:
    """Walks the header; every read stays inside the file."""

    def __init__(self, view: mmap.mmap, name: str) -> None:
        self._view = view
        self._name = name
        self._at = 0

    def header(self) -> Header:
        magic = self._view[:4]
        if magic != b"GGUF":
            raise ModelFailed(f"{self._name} is not a GGUF model (it begins {magic!r}).", "Choose a file that ends in .gguf.")
        self._at = 4
        version = self._number("I")
        if version not in (2, 3):
            raise ModelFailed(
                f"{self._name} has GGUF version {version}; 2 and 3 can be read.",
                "Big-endian and very old files must be converted.",
            )
        tensors, values = self._number("Q"), self._number("Q")
        if tensors > _TENSOR_LIMIT or values > _TENSOR_LIMIT:
            raise self._damaged()
        metadata = self._metadata(values)
        self._refuse_parts(metadata)
        architecture = _text(metadata, "general.architecture")
        if not architecture or ("tokenizer.ggml.model" not in metadata and architecture not in _NOT_ANSWERING):
            raise ModelFailed(f"{self._name} holds no language model.", "Choose an instruct model in GGUF format.")
        end, parameters = self._tensors(tensors, alignment=max(1, _whole(metadata, "general.alignment") or 32))
        return Header(
            architecture=architecture,
            title=_text(metadata, "general.name"),
            quantisation=_QUANTISATIONS.get(_whole(metadata, "general.file_type", -1), ""),
            context=_whole(metadata, f"{architecture}.context_length"),
            license=_text(metadata, "general.license"),
            bytes_needed=end,
            parameters=parameters,
            has_template=bool(_text(metadata, "tokenizer.chat_template")),
        )

    def _refuse_parts(self, metadata: dict[str, _Value]) -> None:
        """An adapter changes another model; a shard holds some of a model's tensors."""
        kind = _text(metadata, "general.type")
        if kind not in ("", "model"):
            raise ModelFailed(
                f"{self._name} holds only a part of a model (“{kind}”).", "Choose an instruct model in GGUF format."
            )
        if (count := _whole(metadata, "split.count")) > 1:
            raise ModelFailed(
                f"{self._name} is one of {count} parts of a model.", "Join them with llama-gguf-split --merge first."
            )

    def _metadata(self, count: int) -> dict[str, _Value]:
        found: dict[str, _Value] = {}
        for _ in range(count):
            key = self._string()
            found[key] = self._value(self._number("I"))
        return found

    def _tensors(self, count: int, *, alignment: int) -> tuple[int, int]:
        """Where the last of them ends, and how many weights they hold."""
        end = weights = 0
        for _ in range(count):
            self._string()
            elements = 1
            for _ in range(self._number("I")):
                elements *= self._number("Q")
            kind, offset = self._number("I"), self._number("Q")
            per_block, block_bytes = _BLOCKS.get(kind, (1, 0))
            end = max(end, offset + elements // per_block * block_bytes)
            weights += elements
        return (self._at + alignment - 1) // alignment * alignment + end, weights

    def _value(self, kind: int) -> _Value:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(self._scalar(kind))
        inner, count = self._number("I"), self._number("Q")
        if inner == _STRING:
            for _ in range(count):
                self._skip(self._number("Q"))
        elif inner == _ARRAY:
            raise self._damaged()
        else:
            self._skip(count * struct.calcsize(f"<{self._scalar(inner)}"))
        return None

    def _scalar(self, kind: int) -> str:
        if kind not in _SCALARS:
            raise self._damaged()
        return _SCALARS[kind]

    def _number(self, code: str) -> int:
        layout = struct.Struct(f"<{code}")
        at = self._at
        self._skip(layout.size)
        (value,) = layout.unpack_from(self._view, at)
        return int(value) if isinstance(value, int) else 0

    def _string(self) -> str:
        size = self._number("Q")
        if size > _LONGEST_VALUE:
            raise self._damaged()
        at = self._at
        self._skip(size)
        return self._view[at : at + size].decode("utf-8", "replace")

    def _skip(self, size: int) -> None:
        self._at += size
        if self._at > len(self._view):
            raise ModelFailed(
                f"{self._name} is truncated inside its header.", "The download stopped half-way: download it again."
            )

    def _damaged(self) -> ModelFailed:
        return ModelFailed(f"{self._name} is damaged: its header makes no sense.", "Download it again.")


def _text(metadata: dict[str, _Value], key: str) -> str:
    value = metadata.get(key)
    return value if isinstance(value, str) else ""


def _whole(metadata: dict[str, _Value], key: str, otherwise: int = 0) -> int:
    value = metadata.get(key)
    return value if isinstance(value, int) else otherwise


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
    command = "`fin-tui setup`" if name == load_catalogue().shipped_model.name else f"`fin-tui models pull {name}`"
    if name in known_files(paths):
        raise MissingAsset(f"The language model {name} is not here.", f"{command} downloads it.")
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
            raise ModelFailed(what, "`fin-tui setup` downloads it again.")
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
        name = "-".join(runs_of(f"{manifest.parent.name}-{manifest.name}".lower(), "._-"))
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
