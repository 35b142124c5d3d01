"""What goes wrong at EDGAR: answers that the stand-in gives instead of the right one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.edgar_server import Handler

Answer = Callable[["Handler", bytes], None]
"""Answers one request its own way; gets the body that was asked for."""


def status(code: int, **headers: str) -> Answer:
    """An error with a page, as EDGAR sends it."""
    extra = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.send(code, b"<html><body>Request Rate Threshold Exceeded</body></html>", extra)


def page(text: str = "<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head></html>") -> Answer:
    """A page with 200 instead of what was asked for."""
    return lambda handler, _: handler.send(200, text.encode(), {})


def cut(after: int) -> Answer:
    """The body breaks off after so many bytes; nothing is packed."""

    def answer(handler: Handler, body: bytes) -> None:
        handler.send(200, body[:after], {}, length=len(body))
        handler.close_connection = True

    return answer


def short_length(length: int) -> Answer:
    """A Content-Length that says less than there is."""

    def answer(handler: Handler, body: bytes) -> None:
        handler.send(200, body[:length], {})
        handler.close_connection = True

    return answer


def drip(every_s: float = 0.1) -> Answer:
    """One byte after another, for ever."""

    def answer(handler: Handler, _: bytes) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        while not handler.server.stopping.wait(every_s):
            handler.wfile.write(b"x")

    return answer


def endless(piece: bytes = b" " * 65536) -> Answer:
    """As much as is taken, as fast as it is taken."""

    def answer(handler: Handler, _: bytes) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        while not handler.server.stopping.is_set():
            handler.wfile.write(piece)

    return answer


def silent(handler: Handler, _: bytes) -> None:
    """No answer at all."""
    handler.close_connection = True
    handler.server.stopping.wait(20)


def raw_body(body: bytes, **headers: str) -> Answer:
    """This body, with these headers."""
    extra = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.send(200, body, extra)
