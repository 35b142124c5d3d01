"""What was found out about a model on this machine, beside its file: ``models/<name>.json``.

Everything in it can be found out again; a record made on another processor or by another llama.cpp does not count.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
from pathlib import Path
from typing import Any

import msgspec

from fin_tui.engine.models.machine import processor


def record_path(model: Path) -> Path:
    return model.with_suffix(".json")


def read_record(model: Path) -> dict[str, Any]:
    """The record of ``model``; empty when there is none that can be read."""
    try:
        found = msgspec.json.decode(record_path(model).read_bytes())
    except (OSError, msgspec.DecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def update_record(model: Path, **values: Any) -> None:
    """Set keys of the record. A folder that can't be written to is no error: the record only saves time."""
    record = msgspec.json.format(msgspec.json.encode({**read_record(model), **values}), indent=2)
    part = record_path(model).with_suffix(f".json.{os.getpid()}.part")
    with contextlib.suppress(OSError):
        part.write_bytes(record + b"\n")
        part.replace(record_path(model))


def here() -> dict[str, str]:
    """What a finding about speed or kernels depends on: the processor, and the very build of llama.cpp."""
    try:
        version = importlib.metadata.version("llama-cpp-python")
    except importlib.metadata.PackageNotFoundError:
        version = ""
    return {"processor": processor(), "llama_cpp_python": version, "build": _build()}


def _build() -> str:
    """Total size of the compiled libraries: the same version compiled in another way differs in it."""
    package = importlib.util.find_spec("llama_cpp")
    if package is None or package.origin is None:
        return ""
    libraries = (Path(package.origin).parent / "lib").glob("*ggml-cpu*")
    return str(sum(library.stat().st_size for library in libraries))


def plain_kernels(model: Path) -> bool:
    """Whether the kernels special to this CPU crashed before, here and with this llama.cpp."""
    return bool(read_record(model).get("plain_kernels") == here())


def remember_plain_kernels(model: Path) -> None:
    update_record(model, plain_kernels=here())
