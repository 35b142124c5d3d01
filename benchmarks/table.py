"""Rows of measured figures, and how they are printed and kept."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_BEGIN = "<!-- budgets: begin -->"
_END = "<!-- budgets: end -->"
_PACKAGES = ("textual", "llama-cpp-python", "onnxruntime", "hnswlib", "bm25s", "selectolax", "pypdfium2", "numpy")


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure beside its budget."""

    what: str
    budget: str
    measured: str
    command: str


def machine() -> str:
    """CPU, Python and library versions, in one line."""
    cpu = platform.processor() or platform.machine()
    try:
        match = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        cpu = match[1] if match else cpu
    except OSError:
        pass
    import os

    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}; " + ", ".join(_versions())


def _versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} absent")
    return found


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | budget | measured | command |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {row.budget} | {row.measured} | `{row.command}` |" for row in rows]
    return "\n".join(lines)


def keep(file: Path, rows: Sequence[Row]) -> None:
    """Replace the budget table of ``file`` (made when absent); the rest of the page stays as it is."""
    part = f"{_BEGIN}\n{machine()}\n\n{markdown(rows)}\n{_END}"
    text = file.read_text(encoding="utf-8") if file.exists() else f"# Benchmarks\n\n{part}\n"
    if _BEGIN in text and _END in text:
        before, _, rest = text.partition(_BEGIN)
        text = before + part + rest.partition(_END)[2]
    elif part not in text:
        text = f"{text.rstrip()}\n\n{part}\n"
    file.write_text(text, encoding="utf-8")
