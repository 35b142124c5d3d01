"""The body of one answer, read piece by piece within bounds of size and time, unpacked as it comes.

Never more than a piece is waited for, so that a stop is seen at once, and a body that drips or never ends is given up.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

_PIECE = 1 << 16
_ANY_WRAPPING = 32 + zlib.MAX_WBITS


class Broken(Exception):
    """The transfer ended before its end, or not at all; worth another try, after ``pause`` seconds when EDGAR named them."""

    def __init__(self, why: str, pause: float | None = None) -> None:
        super().__init__(why)
        self.pause = pause


class TooLarge(Exception):
    """More bytes than are taken; another try brings the same."""


class Cancelled(Exception):
    """The user stopped it."""


def pieces(
    response: BaseHTTPResponse, *, largest: int, until: float, cancelled: Callable[[], bool], before: int = 0
) -> Iterator[bytes]:
    """The unpacked body. ``largest`` bounds ``before`` plus what comes; ``until`` is a ``time.monotonic`` instant.

    Raises ``Broken`` (cut, garbled, too slow), ``TooLarge``, ``Cancelled``.
    """
    unpack = _unpacker(response.headers.get("content-encoding", ""))
    size = before
    for raw in _raw(response, until, cancelled):
        for piece in unpack.feed(raw):
            size += len(piece)
            if size > largest:
                raise TooLarge
            yield piece
    unpack.end()


def _raw(response: BaseHTTPResponse, until: float, cancelled: Callable[[], bool]) -> Iterator[bytes]:
    from urllib3.exceptions import HTTPError

    try:
        while True:
            if cancelled():
                raise Cancelled
            if time.monotonic() > until:
                raise Broken("it took too long")
            piece = response.read1(_PIECE, decode_content=False)
            if not piece:
                return
            yield piece
    except (HTTPError, OSError) as error:
        raise Broken(f"it broke off ({type(error).__name__})") from error


class _Plain:
    def feed(self, raw: bytes) -> Iterator[bytes]:
        yield raw

    def end(self) -> None:
        return None


class _Zipped:
    """A bomb unpacks in bounded pieces, so the bound of size stops it."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(_ANY_WRAPPING)

    def feed(self, raw: bytes) -> Iterator[bytes]:
        try:
            while raw and not self._inner.eof:
                if piece := self._inner.decompress(raw, _PIECE):
                    yield piece
                raw = self._inner.unconsumed_tail
        except zlib.error as error:
            raise Broken("its packing is garbled") from error

    def end(self) -> None:
        if not self._inner.eof:
            raise Broken("it broke off")


def _unpacker(encoding: str) -> _Plain | _Zipped:
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return _Plain()
    if encoding in ("gzip", "x-gzip", "deflate"):
        return _Zipped()
    raise Broken(f"it is packed as {encoding[:20]!r}")


def unpacked(raw: bytes, largest: int) -> bytes:
    """A gzip file's content. Raises ``Broken`` or ``TooLarge``."""
    inner = _Zipped()
    found = bytearray()
    for piece in inner.feed(raw):
        found += piece
        if len(found) > largest:
            raise TooLarge
    inner.end()
    return bytes(found)
