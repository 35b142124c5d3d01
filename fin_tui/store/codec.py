"""How records become bytes and text in the database: zstd, MessagePack, JSON, ISO dates."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import Any, TypeVar

import msgspec
import zstandard

from fin_tui.errors import FinTuiError

T = TypeVar("T")
HASH_BYTES = 16


def compress(raw: bytes, level: int = 6) -> bytes:
    """One zstd frame that knows its size."""
    return zstandard.ZstdCompressor(level=level).compress(raw)


def decompress(packed: bytes) -> bytes:
    """The bytes given to :func:`compress`; raises ``FinTuiError`` when the frame is damaged."""
    try:
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise FinTuiError(
            f"A stored document is damaged: {error}", "Restore a copy of the library, or add the filing again."
        ) from error


def pack(record: object) -> bytes:
    """Compressed MessagePack of dataclasses and plain values."""
    return compress(msgspec.msgpack.encode(record))


def unpack(packed: bytes, kind: type[T]) -> T:
    """The record that :func:`pack` was given; raises ``FinTuiError`` when it is damaged or of another shape."""
    try:
        return msgspec.msgpack.decode(decompress(packed), type=kind)
    except msgspec.DecodeError as error:
        raise FinTuiError(f"A stored document can't be read: {error}", "Run fin-tui reindex.") from error


def to_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def from_json(text: str, kind: type[T]) -> T:
    """The record that :func:`to_json` was given; raises ``FinTuiError`` when it is damaged or of another shape."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError as error:
        raise FinTuiError(
            f"A stored record can't be read: {error}", "Restore a copy of the library, or delete what it belongs to."
        ) from error


def iso(date: dt.date | None) -> str | None:
    return date.isoformat() if date else None


def date(text: str | None) -> dt.date | None:
    return dt.date.fromisoformat(text) if text else None


def now() -> str:
    """This moment in UTC, ISO 8601."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")


def sha256(raw: bytes) -> str:
    """Hexadecimal."""
    return hashlib.sha256(raw).hexdigest()


def content_hash(text: str) -> bytes:
    """16 bytes that stand for a chunk's index text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
