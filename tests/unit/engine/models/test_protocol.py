"""Frames between the program and its model process."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

from fin_tui.engine.models.protocol import Done, Generate, Message, Piece, Reply, Request, receive_reply, receive_request, send


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_messages_arrive_as_they_were(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    request: Request = Generate(7, [Message("user", "R&D — “é” \x00 \ud7ff")], 50)
    send(ours, request)
    assert receive_request(theirs) == request
    replies: list[Reply] = [Piece(7, "It "), Done(7, "end", 10, 4, 2, 1.5, 2.5)]
    for reply in replies:
        send(theirs, reply)
    assert [receive_reply(ours), receive_reply(ours)] == replies


def test_the_end_of_the_stream_is_none_even_inside_a_frame(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    theirs.sendall(struct.pack(">I", 100) + b"{}")
    theirs.close()
    assert receive_reply(ours) is None


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (struct.pack(">I", 2**31), "a frame of"),
        (struct.pack(">I", 4) + b"\x80\x04N.", "malformed"),
        (struct.pack(">I", 2) + b"{}", "type"),
    ],
)
def test_anything_else_is_refused(ends: tuple[socket.socket, socket.socket], frame: bytes, said: str) -> None:
    ours, theirs = ends
    theirs.sendall(frame)
    with pytest.raises(ValueError, match=said):
        receive_reply(ours)


def test_the_pace_is_told_by_what_was_read_anew() -> None:
    assert Done(7, "end", 300, 100, 20, 2000.0, 2.5).pace == 100
    assert Done(7, "end", 300, 290, 20, 2000.0, 2.5).pace == 0, "too few tokens to tell"
    assert Done(7, "cancelled", 300, 0, 0, 0.0, 0.0).pace == 0
