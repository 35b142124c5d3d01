"""One target under atheris, in a process of its own: ``python -m tests.fuzz.atheris_child TARGET SECONDS CORPUS SEED``.

libFuzzer ends the process when time is up, or at the first input that breaks a property, takes too long or too much memory.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

_BYTES = 20_000
_SLOW_S = 10
_MEMORY_MB = 1_500


def main(name: str, seconds: int, corpus: Path, seed: int) -> None:
    atheris: Any = importlib.import_module("atheris")  # only the audit section installs it
    with atheris.instrument_imports(include=["fin_tui"]):
        from tests.fuzz.targets import targets
    target = targets()[name]
    corpus.mkdir(parents=True, exist_ok=True)
    for number, raw in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(raw)
        # Modules are imported on first use: here, where they are instrumented as well.
        with atheris.instrument_imports(include=["fin_tui"]):
            target.run(raw)
    words = corpus.with_suffix(".dict")
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in {*target.words, *target.pieces} if len(word) <= 64))
    bounds = [f"-max_total_time={seconds}", f"-timeout={_SLOW_S}", f"-rss_limit_mb={_MEMORY_MB}", f"-max_len={_BYTES}"]
    told = [f"-dict={words}", f"-artifact_prefix={corpus}/found-", f"-seed={seed}", "-print_final_stats=1", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *bounds, *told, str(corpus)], target.run)
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
