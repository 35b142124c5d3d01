"""Which language models there are: what set-up brings, what the hub has, any file under models/, and what other programs keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fin_tui.assets import load_catalogue
from fin_tui.assets.catalogue import HubModel
from fin_tui.engine.models.files import known_files, local_files
from fin_tui.engine.models.found import FoundModel
from fin_tui.engine.models.gguf import read_header
from fin_tui.engine.models.grounding import Grounding, read_grounding
from fin_tui.engine.models.speed import read_speed
from fin_tui.errors import FinTuiError
from fin_tui.paths import Paths

MB = 1_000_000
_FILE_MEMORY_MB = 600
"""What a file of which nothing more is known needs beside itself."""
_SHIPPED_PARAMETERS, _SHIPPED_MEMORY_MB = 135_000_000, 300


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that is here, or could be."""

    name: str
    path: Path
    size_mb: int
    memory_mb: int
    license: str
    """Empty when it is unknown."""
    is_here: bool
    """Under models/, as a file or a link."""
    in_use: bool
    problem: str = ""
    """Why the file can't be used."""
    grounding: Grounding | None = None
    """What its sentences were worth, when that was measured."""
    decode: float = 0.0
    """Tokens it writes a second here; 0 when that was not measured."""
    parameters: int = 0
    """Weights; 0 when unknown."""
    is_open: bool = True
    """Whether its licence lets anybody use it for anything, as far as that is known."""
    place: str = ""
    """The other program that keeps the file; empty for one that is here, or must be downloaded."""


def list_models(paths: Paths, chosen: str, found: Sequence[FoundModel] = ()) -> tuple[ListedModel, ...]:
    """All models; ``chosen`` is the name or path in the settings, ``found`` the files of other programs."""
    catalogue = load_catalogue()
    shipped, places = catalogue.shipped_model, known_files(paths)
    locals_ = [path for path in local_files(paths) if path not in places.values()]
    linked = {path.resolve() for path in (*locals_, *places.values()) if path.is_file()}
    others = [model for model in found if model.path not in linked]
    rows = [
        _known(
            chosen, shipped.name, places[shipped.name], shipped.size // MB, _SHIPPED_MEMORY_MB, shipped.license,
            parameters=_SHIPPED_PARAMETERS,
        )
    ]  # fmt: skip
    rows += [_of_hub(chosen, model, places[model.name], others) for model in catalogue.models]
    taken = {row.path for row in rows if row.place}
    rows += [_local(chosen, path) for path in locals_]
    rows += [_elsewhere(chosen, model) for model in others if model.path not in taken]
    return tuple(rows)


def same_file(model: HubModel, found: Sequence[FoundModel]) -> FoundModel | None:
    """The file among ``found`` that is ``model``, by its size to the byte."""
    return next((one for one in found if one.size == model.size), None)


def _of_hub(chosen: str, model: HubModel, path: Path, found: Sequence[FoundModel]) -> ListedModel:
    twin = same_file(model, found) if not path.is_file() else None
    return _known(
        chosen,
        model.name,
        twin.path if twin else path,
        model.size // MB,
        model.memory_mb,
        model.license,
        place=twin.place if twin else "",
        parameters=round(model.parameters * 1e9),
        is_open=model.is_open,
    )


def _known(
    chosen: str,
    name: str,
    path: Path,
    size: int,
    memory: int,
    license: str,
    problem: str = "",
    *,
    place: str = "",
    parameters: int = 0,
    is_open: bool = True,
) -> ListedModel:
    is_here = not place and path.is_file()
    in_use = chosen == name or (chosen.endswith(".gguf") and Path(chosen).expanduser() == path)
    known = read_grounding(path) if is_here else None
    speed = read_speed(path) if is_here else None
    decode = known.decode if known is not None and known.decode else speed.decode if speed is not None else 0.0
    return ListedModel(name, path, size, memory, license, is_here, in_use, problem, known, decode, parameters, is_open, place)


def _local(chosen: str, path: Path) -> ListedModel:
    size, license, problem, parameters = path.stat().st_size // MB, "", "", 0
    try:
        header = read_header(path)
        license, parameters = header.license, header.parameters
    except FinTuiError as error:
        problem = error.message
    return _known(chosen, path.stem.lower(), path, size, size + _FILE_MEMORY_MB, license, problem, parameters=parameters)


def _elsewhere(chosen: str, model: FoundModel) -> ListedModel:
    size, about = model.size // MB, model.header
    memory = size + _FILE_MEMORY_MB
    return _known(chosen, model.name, model.path, size, memory, about.license, place=model.place, parameters=about.parameters)
