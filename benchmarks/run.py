"""Measures every budget and prints the table; keeps it in benchmarks/README.md.

    python -m benchmarks.run [--home DIR] [--only NAME]

Each part runs in a process of its own, one after the other, so that none measures another's memory or warmth.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.table import Row, keep, machine, markdown

_PAGE = Path(__file__).with_name("README.md")
Figures = Mapping[str, Any]


def _terminal(f: Figures) -> list[Row]:
    return [
        Row("start to a usable prompt", "0.8 s", f"{f['start_s']['median']} s (best {f['start_s']['best']} s)", "terminal"),
        Row("quit, also while models load", "0.5 s", f"{f['quit_s']['median']} s (max {f['quit_s']['max']} s)", "terminal"),
        Row(
            "key press to screen while generating",
            "50 ms",
            f"{f['key_ms']['median']} ms (p95 {f['key_ms']['p95']} ms, idle {f['key_idle_ms']['median']} ms)",
            "terminal",
        ),
    ]


def _reading(f: Figures) -> list[Row]:
    what = f"the longest filing ({f['characters']:,} characters) opened at the cited words"
    return [Row(what, "200 ms", f"{f['open_ms']['median']} ms (max {f['open_ms']['max']} ms)", "reading")]


def _adding(f: Figures) -> list[Row]:
    return [Row("filing added to searchable (worst of the samples)", "1.5 s", f"{f['searchable_s']} s", "adding")]


def _embedding(f: Figures) -> list[Row]:
    return [Row("embedding against sentence-transformers MiniLM, same texts", ">= 1.3 x", f"{f['ratio']} x", "embedding")]


def _search(f: Figures) -> list[Row]:
    plain, reranked = f["ms"]["hybrid, all"], f["ms"]["hybrid + rerank, all"]
    return [
        Row(
            f"hybrid search, {f['chunks']:,} chunks, warm, p95",
            "30 ms",
            f"{plain['p95']} ms (median {plain['median']} ms)",
            "search",
        ),
        Row("the same with rerank, p95", "300 ms", f"{reranked['p95']} ms (median {reranked['median']} ms)", "search"),
    ]


def _answers(f: Figures) -> list[Row]:
    evidence, stop = f["evidence_ms"], f["stop_s"]
    rows = [Row("evidence card, warm, no rerank", "150 ms", f"{evidence['median']} ms (max {evidence['max']} ms)", "answers")]
    if f["model"]:
        rows += [
            Row(f"first model token, {f['model']}", "1.5 s", f"{f['first_token_s']} s", "answers"),
            Row(
                "stop to idle, while the model reads the prompt", "0.3 s", f"{stop['median']} s (max {stop['max']} s)", "answers"
            ),
        ]
    return [
        *rows,
        Row(f"resident memory, engine + children, {f['filings']} filings", "900 MB", f"{f['memory_mb']} MB", "answers"),
    ]


def _model_speed(f: Figures) -> list[Row]:
    extra = f["overhead_percent"]
    measured = f"reads {extra['read']} %, writes {extra['write']} %"
    return [Row(f"time over bare llama.cpp, {f['model']}", "10 %", measured, "model_speed")]


def _scale(f: Figures) -> list[Row]:
    rows = []
    for size in f["sizes"]:
        what = f"hybrid search by the indexes, {size['chunks']:,} chunks, p95: all, one company, one filing"
        p95 = [size["ms"][f"hybrid, {scope}"]["p95"] for scope in ("all", "one company", "one filing")] if size["whole"] else []
        rows.append(Row(what, "–", f"{', '.join(map(str, p95))} ms" if p95 else "not made in the time given", "scale"))
    return rows


PARTS: dict[str, Callable[[Figures], list[Row]]] = {
    "terminal": _terminal,
    "reading": _reading,
    "adding": _adding,
    "embedding": _embedding,
    "search": _search,
    "answers": _answers,
    "model_speed": _model_speed,
    "scale": _scale,
}


_LONG = {"scale"}
"""Measured only when asked for."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--only", choices=sorted(PARTS))
    arguments = parser.parse_args()
    rows: list[Row] = []
    failed = []
    for name, to_rows in PARTS.items():
        if arguments.only != name and (arguments.only or name in _LONG):
            continue
        print(f"measuring {name} …", file=sys.stderr)
        command = [
            sys.executable,
            "-m",
            f"benchmarks.{name}",
            "--json",
            *(["--home", str(arguments.home)] if arguments.home else []),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failed.append(name)
            print(done.stderr[-2000:], file=sys.stderr)
            continue
        figures = json.loads(done.stdout.splitlines()[-1])
        rows += [Row(row.what, row.budget, row.measured, f"python -m benchmarks.{row.command}") for row in to_rows(figures)]
    print(f"{machine()}\n\n{markdown(rows)}")
    if not failed and arguments.only is None:
        keep(_PAGE, rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
