"""How far a model's sentences can be trusted, as measured on the sample filings, and what it may be used for because of it.

A finding belongs to one file and stands in the model's record; for the model that comes with set-up the catalogue brings the
figures, so that nobody has to wait for them.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from fin_tui.assets import load_catalogue
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


Use = Literal["writing", "reading"]
ENOUGH_SUPPORT = 0.8
"""Below this share of supported sentences a text is not an answer: one answer's text when that is judged, and everything that a
model says when it was measured so."""
FEWEST_PARAMETERS = 900_000_000
"""A smaller model shows no text before it was measured: those tried (135 million, 0.5 billion) invent, or say one sentence of
several. A larger one that was not measured is judged answer by answer."""
ENOUGH_WORKED_OUT = 0.5
"""A model's own calculation may speak for a figure when it works out at least this share of the trial's."""
_KEY = "grounding"


class Tally(Struct, frozen=True):
    """What a model's words were worth for one kind of question, beside the filing's own words."""

    asked: int = 0
    """Questions that it wrote an answer to, other than figures, and a yes or a no, that are proven without it."""
    stood: int = 0
    """How often enough of its sentences were supported for its words to be the answer."""
    better: int = 0
    """How many of these hold what was asked where the filing's own words don't."""
    worse: int = 0
    """How many lack what the filing's own words hold, or say yes for no."""

    @property
    def pays(self) -> bool:
        """It is worth the wait: as a rule its words come to stand, and more is not lost by them than gained."""
        return self.stood * 2 >= self.asked and self.worse <= self.better

    def added(self, *, stands: bool, holds: bool, own_hold: bool) -> Tally:
        """With one question more: whether its words stand, hold what was asked, and whether the filing's own words do."""
        return Tally(
            self.asked + 1,
            self.stood + stands,
            self.better + (stands and holds and not own_hold),
            self.worse + (stands and not holds and own_hold),
        )


class Grounding(Struct, frozen=True):
    """What a model's sentences were worth."""

    file_bytes: int
    """Size of the measured file."""
    questions: int
    """How many the model answered."""
    sentences: int
    supported: int
    """How many of the sentences the evidence supports."""
    standing: int = 0
    """In how many answers enough of the model's own sentences were supported."""
    first_token_ms: float = 0.0
    """Median from the question to the first token, the search included; 0 when it was measured elsewhere."""
    decode: float = 0.0
    """Tokens written a second; 0 when it was measured elsewhere."""
    worked_asked: int = 0
    """How many figures the model was asked to work out from the evidence; 0 when it was not asked."""
    worked_right: int = 0
    """How many of them came to the right value."""
    kinds: dict[str, Tally] = {}
    """By kind of question."""

    @property
    def share(self) -> float:
        """The share of supported sentences; 0 for a model that says nothing."""
        return self.supported / self.sentences if self.sentences else 0.0

    @property
    def resting(self) -> frozenset[str]:
        """The kinds of question for which its words don't pay."""
        return frozenset(kind for kind, tally in self.kinds.items() if not tally.pays)

    @property
    def uses(self) -> tuple[Use, ...]:
        """What the model may be used for; empty for one that rests."""
        writing: tuple[Use, ...] = ("writing",) if self.share >= ENOUGH_SUPPORT else ()
        reads = self.worked_asked and self.worked_right >= self.worked_asked * ENOUGH_WORKED_OUT
        return (*writing, *(("reading",) if reads else ()))


def read_grounding(model: Path) -> Grounding | None:
    """What is known of the file ``model``: from its record, else from the catalogue; None when it was never measured."""
    try:
        size = model.stat().st_size
    except OSError:
        return None
    found = read_record(model).get(_KEY)
    try:
        known = msgspec.convert(found[model.name], Grounding) if isinstance(found, dict) and model.name in found else None
    except msgspec.ValidationError:
        known = None
    if known is not None and known.file_bytes == size:
        return known
    shipped = load_catalogue().shipped_model
    if shipped.grounding and any((file.name, file.size) == (model.name, size) for file in shipped.files):
        return Grounding(size, shipped.grounding.questions, shipped.grounding.sentences, shipped.grounding.supported)
    return None


def write_grounding(model: Path, grounding: Grounding) -> None:
    """Keep a finding in the record of ``model``."""
    found = read_record(model).get(_KEY)
    update_record(model, **{_KEY: {**(found if isinstance(found, dict) else {}), model.name: grounding}})


def may_write(model: Path, parameters: int) -> bool:
    """Whether the text of the file, a model of so many ``parameters``, may be shown."""
    known = read_grounding(model)
    return parameters >= FEWEST_PARAMETERS if known is None else "writing" in known.uses


def resting(model: Path) -> frozenset[str]:
    """The kinds of question for which the words of the file were measured not to pay."""
    known = read_grounding(model)
    return known.resting if known is not None else frozenset()


def may_read(model: Path) -> bool:
    """Whether it was measured that the file works enough figures out of their evidence."""
    known = read_grounding(model)
    return known is not None and "reading" in known.uses
