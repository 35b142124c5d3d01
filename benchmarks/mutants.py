"""``python -m benchmarks.mutants [--seconds N]``: how many small changes to the checking code the tests notice (mutmut).

A copy of the package and of the tests that concern it is mutated in a temporary folder, never the checkout. When time is up,
the mutants tried so far count. Exit code 1 below 85 % killed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_GOAL = 0.85
_FILES = (
    *(f"fin_tui/engine/evidence/{name}.py" for name in ("verify", "alignment", "citations", "numbers", "compare")),
    *(f"fin_tui/facts/{name}.py" for name in ("calculate", "expression")),
)
_TESTS = (
    *(f"tests/unit/engine/evidence/test_{name}.py" for name in ("numbers", "compare", "alignment", "citations")),
    "tests/unit/engine/searching/test_printed.py",
    *(f"tests/unit/engine/evidence/test_{name}_edges.py" for name in ("number", "alignment", "citation")),
    *(f"tests/unit/facts/test_{name}.py" for name in ("calculate", "expression_edges")),
)
_SURVIVED = 0
_NOT_TRIED = None
_NO_TESTS = 33
"""mutmut's codes; every other one is a test run that failed, died or hung: a mutant killed."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description="Mutation testing of the checking code.")
    parser.add_argument("--seconds", type=int, default=900, help="stop after so many (default 900)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--survivors", action="store_true", help="name the mutants that no test noticed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fin-tui-mutants-") as made:
        folder = Path(made)
        _copy(folder)
        command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(given.processes)]
        log = folder / "log"
        with log.open("w") as told:
            try:
                subprocess.run(command, cwd=folder, stdout=told, stderr=told, timeout=given.seconds, check=False)
            except subprocess.TimeoutExpired:
                print(f"Stopped after {given.seconds} s.", file=sys.stderr)
        return _report(folder, log, survivors=given.survivors)


def _copy(folder: Path) -> None:
    shutil.copytree(_ROOT / "fin_tui", folder / "fin_tui", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(_ROOT / "tests" / "unit", folder / "tests" / "unit", ignore=shutil.ignore_patterns("__pycache__"))
    for file in (_ROOT / "tests").glob("*.py"):
        shutil.copy(file, folder / "tests")
    lines = ["[tool.pytest.ini_options]", 'asyncio_mode = "auto"', "[tool.mutmut]", 'source_paths = ["fin_tui"]']
    lines += [f"only_mutate = {json.dumps(_FILES)}", f"pytest_add_cli_args_test_selection = {json.dumps(_TESTS)}"]
    lines += ['pytest_add_cli_args = ["--hypothesis-seed=0"]', "use_git_change_detection = false", "timeout_constant = 10.0"]
    (folder / "pyproject.toml").write_text("\n".join(lines) + "\n")


def _report(folder: Path, log: Path, *, survivors: bool) -> int:
    print(f"{'file':<34} tried  killed  share   not tried")
    every: Counter[str] = Counter()
    for name in _FILES:
        file = folder / "mutants" / f"{name}.meta"
        codes = json.loads(file.read_text())["exit_code_by_key"] if file.exists() else {}
        own = Counter(_verdict(code) for code in codes.values())
        every += own
        print(_line(name.removeprefix("fin_tui/"), own))
        for key in sorted(key for key, code in codes.items() if survivors and _verdict(code) == "survived"):
            print(f"  {key.rsplit('.', 1)[-1]}")
    print(_line("all", every))
    tried = every["killed"] + every["survived"]
    if not tried:
        print(log.read_text()[-2000:], file=sys.stderr)
    return 0 if tried and every["killed"] >= _GOAL * tried else 1


def _verdict(code: int | None) -> str:
    return "not tried" if code is _NOT_TRIED else "survived" if code in (_SURVIVED, _NO_TESTS) else "killed"


def _line(name: str, counts: Counter[str]) -> str:
    tried = counts["killed"] + counts["survived"]
    share = f"{counts['killed'] / tried:.1%}" if tried else "-"
    return f"{name:<34} {tried:>5} {counts['killed']:>7} {share:>7} {counts['not tried']:>9}"


if __name__ == "__main__":
    sys.exit(main())
