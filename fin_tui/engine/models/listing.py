"""Which language models there are: what set-up brings, what the hub has, and any file under models/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fin_tui.assets import load_catalogue
from fin_tui.engine.models.files import faster_copy, faster_path, known_files, local_files
from fin_tui.engine.models.gguf import read_header
from fin_tui.engine.models.grounding import Grounding, read_grounding
from fin_tui.engine.models.record import read_record
from fin_tui.errors import FinTuiError
from fin_tui.paths import Paths

MB = 1_000_000
_FILE_MEMORY_MB = 200
"""What a file of which nothing more is known needs beside itself."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that is here, or could be brought."""

    name: str
    path: Path
    size_mb: int
    memory_mb: int
    license: str
    """Empty when it is unknown."""
    is_here: bool
    in_use: bool
    has_copy: bool = False
    """A copy made for this machine's processor is used in its place."""
    problem: str = ""
    """Why the file can't be used."""
    grounding: Grounding | None = None
    """What its sentences were worth, when that was measured."""
    decode: float = 0.0
    """Tokens it writes a second here; 0 when that was not measured."""


def list_models(paths: Paths, chosen: str) -> tuple[ListedModel, ...]:
    """All models; ``chosen`` is the name or path in the settings."""
    catalogue = load_catalogue()
    shipped, places = catalogue.shipped_model, known_files(paths)
    found = [_known(chosen, shipped.name, places[shipped.name], shipped.size // MB, 300, shipped.license)]
    found += [_known(chosen, m.name, places[m.name], m.size_mb, m.memory_mb, m.license) for m in catalogue.models]
    found += [_local(chosen, path) for path in local_files(paths) if path not in places.values()]
    return tuple(found)


def _known(chosen: str, name: str, path: Path, size: int, memory: int, license: str, problem: str = "") -> ListedModel:
    is_here = path.is_file()
    in_use = chosen == name or (chosen.endswith(".gguf") and Path(chosen).expanduser() == path)
    copy = faster_copy(path) if is_here else None
    return ListedModel(
        name, path, size, memory, license, is_here, in_use, copy is not None, problem, read_grounding(copy or path), _decode(path)
    )


def _local(chosen: str, path: Path) -> ListedModel:
    size, license, problem = path.stat().st_size // MB, "", ""
    try:
        license = read_header(path).license
    except FinTuiError as error:
        problem = error.message
    return _known(chosen, path.stem.lower(), path, size, size + _FILE_MEMORY_MB, license, problem)


def _decode(path: Path) -> float:
    """Tokens a second, as the grounding check or the requantisation found them."""
    known = read_grounding(path) or read_grounding(faster_path(path))
    if known is not None and known.decode:
        return known.decode
    verdict = read_record(path).get("requantised")
    measured = verdict.get("after" if verdict.get("kept") else "before") if isinstance(verdict, dict) else None
    found = measured.get("decode", 0.0) if isinstance(measured, dict) else 0.0
    return float(found) if isinstance(found, int | float) else 0.0
