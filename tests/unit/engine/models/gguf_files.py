"""GGUF files made by hand: a header and as many bytes of tensors as it promises."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

_STRING, _U32, _ARRAY = 8, 4, 9


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def entry(key: str, value: str | int | list[str]) -> bytes:
    """One key of the metadata."""
    if isinstance(value, str):
        return text(key) + struct.pack("<I", _STRING) + text(value)
    if isinstance(value, int):
        return text(key) + struct.pack("<II", _U32, value)
    return text(key) + struct.pack("<IIQ", _ARRAY, _STRING, len(value)) + b"".join(map(text, value))


def gguf(
    architecture: str = "llama",
    *,
    magic: bytes = b"GGUF",
    version: int = 3,
    tokenizer: bool = True,
    elements: int = 256,
    kind: int = 0,
    size: int = 4,
    more: Mapping[str, str | int] = MappingProxyType({}),
) -> bytes:
    """A whole file with one tensor of type ``kind`` (F32), ``size`` bytes a number."""
    values = [entry("general.architecture", architecture), entry("general.name", "Made"), entry("general.file_type", 3)]
    values += [entry(f"{architecture}.context_length", 2048), entry("general.license", "mit")]
    if tokenizer:
        values += [entry("tokenizer.ggml.model", "gpt2"), entry("tokenizer.ggml.tokens", ["a", "b", "long token"])]
    values += [entry(key, value) for key, value in more.items()]
    head = magic + struct.pack("<IQQ", version, 1, len(values)) + b"".join(values)
    head += text("weight") + struct.pack("<IQIQ", 1, elements, kind, 0)
    return head + bytes(-len(head) % 32) + bytes(size * elements)


def written(folder: Path, raw: bytes, name: str = "made.gguf") -> Path:
    path = folder / name
    path.write_bytes(raw)
    return path
