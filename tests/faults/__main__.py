"""``python -m tests.faults [--kills N] [--seed S]``: kill the program N times, and print what was tried and survived."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.conftest import CHECKOUT
from tests.faults.kills import ORDER, Kills


def main() -> int:
    """Exit code 0 when the library survived all."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kinds", default=",".join(ORDER), help="of the work that is killed")
    parser.add_argument("--models", type=Path, default=CHECKOUT / "models")
    options = parser.parse_args()
    if not (options.models / "bge-small-en" / "model.onnx").is_file():
        print(f"There are no weights in {options.models}: run fin-tui setup.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="fin-tui-faults-") as folder:
        series = Kills(Path(folder), options.models.resolve(), options.seed)
        tally = series.run(options.kills, options.kinds.split(","), lambda line: print(line, file=sys.stderr, flush=True))
    print(f"{tally.total} kills survived in {tally.seconds:.0f} s over {tally.homes} libraries (seed {tally.seed})")
    for (kind, victim), count in sorted(tally.kills.items()):
        print(f"  {kind:<8}{victim:<8}{count:>4}")
    print(f"  {tally.after_reports} came after something had been reported; {tally.too_late} runs ended before their kill")
    return 0


if __name__ == "__main__":
    sys.exit(main())
