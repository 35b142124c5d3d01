"""What benchmarks have in common on the command line: a home, and figures for people or as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Options of every benchmark, ``doc`` above them."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--home", type=Path)
    made.add_argument("--json", action="store_true")
    return made


def show(figures: Mapping[str, Any], *, as_json: bool) -> None:
    """On standard output: one document, or a figure a line."""
    width = max(map(len, figures), default=0)
    print(json.dumps(figures) if as_json else "\n".join(f"{name:<{width}}  {value}" for name, value in figures.items()))


def measure(doc: str | None, run: Callable[[Path | None], Mapping[str, Any]]) -> None:
    """The whole command of a benchmark that needs nothing but a home."""
    arguments = parser(doc).parse_args()
    show(run(arguments.home), as_json=arguments.json)
