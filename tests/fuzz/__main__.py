"""``python -m tests.fuzz [--seconds N] [TARGET...]``: hostile input for every reader, for N seconds each and way.

Prints how many inputs each reader was given and what broke. Exit code 1 when anything did. Without atheris (the audit section
of the constraints) inputs are only swollen up.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.swell import inputs, swell
from tests.fuzz.targets import Target, targets

_UNITS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_PATIENCE = 2
"""So many times its seconds a target may take beyond them until every single piece was swollen."""
_TELLING = re.compile(r"ERROR|Error|error|assert|exceeded|Test unit written", re.I)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Hostile input for every reader.")
    parser.add_argument("target", nargs="*", help=f"of {', '.join(targets())}; all without")
    parser.add_argument("--seconds", type=int, default=10, help="for each target, each way (default 10)")
    parser.add_argument("--size", type=int, default=100_000, help="bytes of a swollen input (default 100000)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if unknown := set(given.target) - set(targets()):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    with_atheris = importlib.util.find_spec("atheris") is not None
    print("target       bytes tried   swollen   trouble", flush=True)
    broken = 0
    for name, target in targets().items():
        if given.target and name not in given.target:
            continue
        tried, found = _byte_by_byte(name, given.seconds, given.seed) if with_atheris else (0, [])
        swollen, slow = _swollen(target, given.seconds, given.size, given.seed)
        trouble = [*found, *slow]
        broken += len(trouble)
        print(f"{name:<12} {tried:>11,} {swollen:>9,}   {len(trouble) or ''}", flush=True)
        for one in trouble:
            print(f"  {one}", flush=True)
    if not with_atheris:
        print("atheris is not installed: no input was tried byte by byte.", file=sys.stderr)
    return 1 if broken else 0


def _byte_by_byte(name: str, seconds: int, seed: int) -> tuple[int, list[str]]:
    """How many inputs atheris tried, and what broke; an input that did is kept and named."""
    folder = Path(tempfile.mkdtemp(prefix=f"fin-tui-fuzz-{name}-"))
    corpus = folder / "corpus"
    command = [sys.executable, "-m", "tests.fuzz.atheris_child", name, str(seconds), str(corpus), str(seed)]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, env={**os.environ, "TMPDIR": str(folder)}
    )
    told = done.stdout + done.stderr
    units = _UNITS.search(told)
    tried = int(units[1]) if units else 0
    kept = sorted(corpus.glob("found-*"))
    if done.returncode == 0 and not kept:
        shutil.rmtree(folder)
        return tried, []
    lines = [line.strip() for line in told.splitlines() if _TELLING.search(line)][:6]
    return tried, [f"{' | '.join(lines)} ({', '.join(map(str, kept)) or 'no input kept'})"]


def _swollen(target: Target, seconds: int, size: int, seed: int) -> tuple[int, list[str]]:
    """How many inputs were swollen up within ``seconds`` (or until every single piece was), and what broke."""
    for raw in target.seeds:
        target.run(raw)
    rng, until, found = random.Random(seed), time.monotonic() + seconds, []
    tried = 0
    for pieces in inputs(target, rng):
        over = time.monotonic() - until
        if over > (0 if tried >= len(target.pieces) else _PATIENCE * seconds):
            break
        tried += 1
        one = swell(target, pieces, size)
        if one.trouble:
            found.append(f"{b' '.join(pieces)!r} x {size:,} bytes: {one.trouble}")
    return tried, found


if __name__ == "__main__":
    sys.exit(main())
