"""A piece repeated until it fills a large input: what takes more than its share of time or memory shows here.

Each input is read in a child of its own with a bound on processor time and address space, so that a regular expression that
runs away is stopped as well.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fuzz.targets import Target

SECONDS_PER_MB = 10.0
_SECONDS_EXTRA = 1.0
_BYTES_PER_BYTE = 900
"""Memory for each byte of input: a page of nothing but tags costs a tree and its events."""
_BYTES_EXTRA = 64 << 20


@dataclass(frozen=True)
class Swollen:
    """How one input fared. ``trouble`` is empty when it was read or refused within its bounds."""

    pieces: tuple[bytes, ...]
    seconds: float
    bytes: int
    trouble: str


def inputs(target: Target, rng: random.Random) -> Iterator[tuple[bytes, ...]]:
    """Every piece by itself, then pairs and triples without an end."""
    for piece in target.pieces:
        yield (piece,)
    while True:
        yield tuple(rng.choice(target.pieces) for _ in range(rng.randint(2, 3)))


def swell(target: Target, pieces: tuple[bytes, ...], size: int, *, seconds_per_mb: float = SECONDS_PER_MB) -> Swollen:
    """``pieces`` repeated to ``size`` bytes (or the target's largest), read in a child."""
    size = min(size, target.largest)
    repeated = b"".join(pieces)
    raw = target.head + repeated * max(1, size // len(repeated)) + target.tail
    seconds = _SECONDS_EXTRA + seconds_per_mb * len(raw) / 1e6
    room = _BYTES_EXTRA + _BYTES_PER_BYTE * len(raw)
    before = _status("VmRSS")  # Not the most it ever had: the child begins with what it has now.
    child = os.fork()
    if not child:
        _read(target, raw, seconds, room)
    _, status, usage = os.wait4(child, 0)
    taken = max(0, usage.ru_maxrss * 1024 - before)
    return Swollen(pieces, usage.ru_utime + usage.ru_stime, taken, _trouble(status, seconds, taken, room))


def _status(name: str) -> int:
    """A size of this process, in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith(f"{name}:")).split()[1]) * 1024


def _read(target: Target, raw: bytes, seconds: float, room: int) -> None:
    """Never returns."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (_status("VmSize") + room + (512 << 20), -1))
    try:
        target.run(raw)
    except BaseException:  # noqa: BLE001 - any exception is the finding, and the child has nobody to hand it to
        traceback.print_exc(file=sys.stderr)
        os._exit(1)
    os._exit(0)


def _trouble(status: int, seconds: float, taken: int, room: int) -> str:
    if os.WIFSIGNALED(status):
        return f"stopped by signal {os.WTERMSIG(status)} (bound: {seconds:.1f} s)"
    if os.WEXITSTATUS(status):
        return "raised something else than a FinTuiError"
    return f"took {taken >> 20} MB (bound: {room >> 20} MB)" if taken > room else ""
