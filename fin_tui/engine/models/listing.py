"""Models to choose from: those here with their measured speed, those that would fit this machine, and how one is brought."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from fin_tui import config
from fin_tui.assets import HubModel, Ledger, fetch_asset, load_catalogue, sha256_of
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.files import FoundModel, found_models, known_files, link, local_files, read_header
from fin_tui.engine.models.grounding import FEWEST_PARAMETERS, Grounding, here, read_grounding, read_record, update_record
from fin_tui.engine.models.machine import memory_bytes, physical_cores
from fin_tui.engine.models.protocol import Bench, Benched, Problem
from fin_tui.errors import FinTuiError, MissingAsset, ModelFailed, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Progress

_PROMPT_TOKENS, _ANSWER_TOKENS, _RUNS = 384, 24, 2
_KEY = "speed"


class Measured(Struct, frozen=True):
    """How fast a model is here."""

    prefill: float
    """Prompt tokens read a second."""
    decode: float
    """Answer tokens written a second."""
    memory: int
    """Peak resident bytes of its process."""
    load_ms: float


class Speed(Struct, frozen=True):
    """A measured speed, with the size that it belongs to."""

    file_bytes: int
    parameters: int
    prefill: float
    decode: float
    here: dict[str, str]
    """The processor and the build of llama.cpp; on others it says nothing."""
    was_busy: bool = False
    """Other programs used the processor meanwhile, and its caches: it may be faster."""


def measure(client: LlamaClient) -> Measured:
    """Load the model, time it, and keep the best of what was ever found; of two runs. Raises ``ModelFailed``."""
    was_busy = _is_busy()
    prompt = min(_PROMPT_TOKENS, client.context - _ANSWER_TOKENS - 1)
    found = [_bench(client, prompt) for _ in range(_RUNS)]
    about = client.describe()
    measured = Measured(
        prefill=max(run.prefill for run in found),
        decode=max(run.decode for run in found),
        memory=max(run.memory for run in found),
        load_ms=float(about.get("load_ms", 0)),
    )
    before = read_speed(client.path)
    prefill, decode = measured.prefill, measured.decode
    if before is not None:
        prefill, decode = max(before.prefill, prefill), max(before.decode, decode)
        was_busy = was_busy and before.was_busy
    size = client.path.stat().st_size
    update_record(client.path, **{_KEY: Speed(size, client.header.parameters, prefill, decode, here(), was_busy)})
    return measured


def read_speed(model: Path) -> Speed | None:
    """What was measured of the file ``model`` on this machine; None when nothing was."""
    try:
        speed = msgspec.convert(read_record(model).get(_KEY), Speed)
        return speed if speed.file_bytes == model.stat().st_size and speed.here == here() else None
    except (msgspec.ValidationError, OSError):
        return None


def measure_once(original: Path, settings: config.Model, paths: Paths) -> Speed | None:
    """The speed of the file ``original``, measured where it was not yet, or while the processor was busy; None where it is not
    there. Raises ``ModelFailed``.
    """
    if not original.is_file():
        return None
    known = read_speed(original)
    if known is not None and not known.was_busy:
        return known
    client = LlamaClient(original, settings, paths)
    try:
        measure(client)
    finally:
        client.close()
    return read_speed(original)


def _is_busy() -> bool:
    """Whether other programs keep more than half of the cores busy."""
    try:
        return os.getloadavg()[0] > physical_cores() / 2
    except (OSError, AttributeError):
        return False


def _bench(client: LlamaClient, prompt: int) -> Benched:
    child = client.child()
    replies = child.ask(lambda id: Bench(id, prompt, _ANSWER_TOKENS))
    reply = replies.one()
    child.forget(replies.id)
    if isinstance(reply, Problem):
        raise ModelFailed(reply.message, reply.hint)
    if not isinstance(reply, Benched):
        raise ModelFailed(f"The language model process answered {type(reply).__name__} instead of a speed.")
    return reply


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


SLOWEST = 5.0
"""Tokens written a second below which nobody waits for an answer."""
LONGEST_WAIT_S = 20.0
"""From the question to the first word, where that can be foretold."""
PROMPT_TOKENS = 800
"""Instructions, evidence and question."""
_FALL = 0.85
"""Tokens a second fall with the size of the file to this power."""
_SHARE_OF_MEMORY = 0.5
"""What the model may take of the machine's memory: filings, indexes and other programs need the rest."""
_CLEARLY_LARGER = 1.5
"""By how much more weights a download must beat what lies on this machine already."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that would do well here, with what it is expected to do."""

    model: ListedModel
    decode: float
    """Tokens written a second; 0 where nothing was measured to tell it from."""
    first_word_s: float
    """Seconds to the first word; 0 where no model was measured to tell it from."""

    @property
    def is_here(self) -> bool:
        """Whether it needs no download."""
        return self.model.is_here or bool(self.model.place)


def recommend(models: Sequence[ListedModel], speeds: Sequence[Speed], memory: int) -> Offer | None:
    """The best of ``models`` for a machine with so many bytes of ``memory`` and measured ``speeds``; None when none would do.

    The best has most weights of those that write at least ``SLOWEST`` tokens a second with memory to spare. One that lies on this
    machine is preferred to a download that is not clearly larger; a download has an open licence.
    """
    return next(iter(ranked(models, speeds, memory)), None)


def ranked(models: Sequence[ListedModel], speeds: Sequence[Speed], memory: int) -> tuple[Offer, ...]:
    """The best model, as ``recommend`` names it; behind a download the best that lies on this machine."""
    offers = [offer for model in models if (offer := estimate(model, speeds)) and _does_well(offer, memory)]
    here = max((offer for offer in offers if offer.is_here), key=_worth, default=None)
    away = max((offer for offer in offers if not offer.is_here and offer.model.is_open), key=_worth, default=None)
    if here is None or (away is not None and away.model.parameters >= here.model.parameters * _CLEARLY_LARGER):
        return tuple(offer for offer in (away, here) if offer is not None)
    return (here,)


def estimate(model: ListedModel, speeds: Sequence[Speed]) -> Offer:
    """What ``model`` is expected to do here."""
    if not speeds or not model.size_mb or not model.parameters:
        return Offer(model, model.decode, 0.0)
    size = model.size_mb * 1_000_000
    near = min(speeds, key=lambda speed: abs(math.log(speed.file_bytes / size)))
    decode = model.decode or near.decode * (near.file_bytes / size) ** _FALL
    prefill = near.prefill * near.parameters / model.parameters if near.parameters >= FEWEST_PARAMETERS else 0.0
    return Offer(model, decode, PROMPT_TOKENS / prefill if prefill else 0.0)


def _does_well(offer: Offer, memory: int) -> bool:
    model = offer.model
    measured_badly = model.grounding is not None and "writing" not in model.grounding.uses
    if model.problem or measured_badly or model.parameters < FEWEST_PARAMETERS:
        return False
    fits = not memory or model.memory_mb * 1_000_000 <= memory * _SHARE_OF_MEMORY
    is_quick = not offer.decode or (offer.decode >= SLOWEST and offer.first_word_s <= LONGEST_WAIT_S)
    return fits and is_quick


def _worth(offer: Offer) -> tuple[float, float]:
    return offer.model.parameters, -offer.model.memory_mb


_SLOW_LINE = 50.0
"""Megabits a second, for the time of a download."""


def all_models(paths: Paths, chosen: str) -> tuple[ListedModel, ...]:
    """What set-up brings, the hub has, stands under models/, or another program keeps; ``chosen`` is the one in the settings."""
    return list_models(paths, chosen, found_models())


def best_models(paths: Paths, settings: config.Model) -> tuple[Offer, ...]:
    """The best model that this machine runs well, and behind a download the best that lies here; empty when none does.

    The shipped model is timed once for it, which takes some seconds; where it is not there, memory alone decides. Raises
    ``ModelFailed`` when it can't run.
    """
    shipped = load_catalogue().shipped_model
    measure_once(shipped.place(paths, shipped.files[0]), settings, paths)
    models = all_models(paths, settings.name)
    return ranked(models, _speeds(models), memory_bytes())


def offer_words(offer: Offer) -> str:
    """ "1,107 MB to download, 3 min at 50 Mbit/s · Apache-2.0 · about 12 tokens/s, first word after 9 s"."""
    model = offer.model
    minutes = max(1, round(model.size_mb * 8 / _SLOW_LINE / 60))
    away = f"{model.size_mb:,} MB to download, {minutes} min at {_SLOW_LINE:.0f} Mbit/s"
    here = f"{model.size_mb:,} MB, in {model.place}: no download" if model.place else f"{model.size_mb:,} MB, here"
    said = [here if offer.is_here else away, model.license or "licence unknown"]
    if offer.decode:
        wait = f", first word after {offer.first_word_s:.0f} s" if offer.first_word_s else ""
        said.append(f"about {offer.decode:.0f} tokens/s{wait}")
    return " · ".join(said)


def _speeds(models: Sequence[ListedModel]) -> list[Speed]:
    found = [read_speed(model.path) for model in models if model.is_here]
    return [speed for speed in found if speed is not None]


def pull_model(name: str, paths: Paths, tell: Callable[[Progress], None], found: Sequence[FoundModel] | None = None) -> None:
    """Put the model ``name`` in place, where it is not yet; a broken off download goes on. ``tell`` hears bytes done and in all.

    A file that another program keeps (``found``, looked for when None) is linked, not downloaded. Raises ``UsageError`` for a
    name that means no model, ``MissingAsset`` when it can't be downloaded, ``ModelFailed`` when what came is no model.
    """
    from fin_tui.assets import fetch_hub_file

    catalogue = load_catalogue()
    if name == catalogue.shipped_model.name:
        fetch_asset(catalogue.shipped_model, paths, Ledger(paths), tell)
        return
    model = next((model for model in catalogue.models if model.name == name), None)
    place = paths.models / model.file if model is not None else None
    if (place is not None and place.is_file()) or any(path.stem.lower() == name for path in local_files(paths)):
        return
    found = found_models() if found is None else found
    kept = same_file(model, found) if model is not None else next((one for one in found if one.name == name), None)
    if kept is not None and (model is None or model.sha256 in ("", sha256_of(kept.path))):
        link(kept, place or paths.models / f"{name}.gguf")
        return
    if model is None or place is None:
        known = ", ".join(model.name for model in catalogue.models)
        raise UsageError(f"There is no model {name!r} in the catalogue, nor on this machine.", f"Known: {known}.")
    incoming = paths.models / ".incoming" / model.name
    try:
        got = fetch_hub_file(
            model.hub,
            model.file,
            incoming,
            lambda done, total: tell(Progress("download", done, total, name)),
            sha256=model.sha256,
        )
    except MissingAsset as error:
        by_hand = f"{error.hint} By hand: {model.file} of the hub repository {model.hub}, as {place}."
        raise MissingAsset(error.message, by_hand) from error
    read_header(got)
    got.replace(place)
