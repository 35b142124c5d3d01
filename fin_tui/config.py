"""Settings: defaults, then the TOML file, then environment variables.

A key is named by its section, ``[search] k = 8`` or ``FIN_TUI_SEARCH_K=8``. Unknown keys and wrong values are refused, with
the file, the key, and the nearest valid one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from fin_tui.errors import UsageError

Mode = Literal["hybrid", "dense", "sparse"]
Fraction = Annotated[float, Meta(ge=0.0, le=1.0)]
Positive = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]


class Chunking(Struct, frozen=True, forbid_unknown_fields=True):
    """How a filing is cut into passages. Sizes count words."""

    strategy: Literal["section", "recursive", "sentence", "token"] = "section"
    size: Positive = 180
    overlap: Natural = 30
    minimum: Natural = 12


class Encoder(Struct, frozen=True, forbid_unknown_fields=True):
    """Which encoder makes vectors."""

    kind: Literal["onnx", "sentence-transformers"] = "onnx"
    model: str = "bge-small-en"
    """A folder name under models/, a path, or (sentence-transformers only) a hub id."""
    batch: Positive = 16


class Search(Struct, frozen=True, forbid_unknown_fields=True):
    """How passages are found and ranked."""

    mode: Mode = "hybrid"
    k: Positive = 10
    candidates: Positive = 60
    """How many each index gives before fusion."""
    fusion: Literal["rrf", "weighted"] = "weighted"
    rrf_k: Positive = 60
    dense_weight: Fraction = 0.5
    """The sparse weight is the rest. Presets: .6 and .7."""
    rerank: bool = True
    rerank_deadline_ms: Positive = 250


class Model(Struct, frozen=True, forbid_unknown_fields=True):
    """The language model that words answers."""

    name: str = "smollm2-135m-instruct"
    """A catalogue name or the path of a .gguf file."""
    context: Positive = 4096
    threads: Natural = 0
    """0 means the number of physical cores."""
    evidence_tokens: Positive = 600
    answer_tokens: Positive = 320


class App(Struct, frozen=True, forbid_unknown_fields=True):
    """The terminal app."""

    theme: str = "fin-dark"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings, by section."""

    chunking: Chunking = Chunking()
    encoder: Encoder = Encoder()
    search: Search = Search()
    model: Model = Model()
    app: App = App()


def load_settings(file: Path, environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from ``file`` (which may be absent) and the environment.

    Raises ``UsageError`` for a file that is not TOML, an unknown key, or a value of the wrong type or range.
    """
    raw = _read_toml(file)
    _refuse_unknown(raw, str(file))
    for section, key, text in _from_environment(os.environ if environment is None else environment):
        raw.setdefault(section, {})[key] = text
    try:
        return msgspec.convert(raw, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"{file}: {error}", "See the settings table in the README.") from error


def _read_toml(file: Path) -> dict[str, dict[str, Any]]:
    try:
        raw = msgspec.toml.decode(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}", "Mend the file, or move it away to use the defaults.") from error
    return dict(raw)


def _sections() -> dict[str, list[str]]:
    return {
        field.name: [inner.name for inner in msgspec.structs.fields(field.type)] for field in msgspec.structs.fields(Settings)
    }


def _refuse_unknown(raw: Mapping[str, Any], where: str) -> None:
    sections = _sections()
    for section, values in raw.items():
        if section not in sections:
            raise UsageError(f"{where}: unknown section [{section}]", _nearest(section, list(sections)))
        if not isinstance(values, dict):
            raise UsageError(f"{where}: [{section}] must be a table of keys", f"Write [{section}] on a line of its own.")
        for key in values:
            if key not in sections[section]:
                raise UsageError(f"{where}: unknown key {section}.{key}", _nearest(key, sections[section]))


def _nearest(word: str, valid: list[str]) -> str:
    from rapidfuzz import process

    match = process.extractOne(word, valid)
    return f"Did you mean {match[0]}? Valid: {', '.join(valid)}." if match else ""


def _from_environment(environment: Mapping[str, str]) -> list[tuple[str, str, str]]:
    return [
        (section, key, environment[name])
        for section, keys in _sections().items()
        for key in keys
        if (name := f"FIN_TUI_{section}_{key}".upper()) in environment
    ]
