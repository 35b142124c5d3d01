"""Weights and models: the published bytes, files that are whole, and engines that take them."""

from __future__ import annotations

from collections.abc import Iterator

from fin_tui.assets import Asset, load_catalogue
from fin_tui.assets.verify import sha256_of
from fin_tui.config import Settings
from fin_tui.doctor.finding import Finding, ok
from fin_tui.engine.models.client import open_model
from fin_tui.engine.models.gguf import read_header
from fin_tui.errors import FinTuiError, MissingAsset
from fin_tui.paths import Paths
from fin_tui.plural import count
from fin_tui.retrieval.encoder import load_encoder

WEIGHTS, MODELS = "weights", "models"
_SAMPLES = "sample-filings"


def look_at_weights(paths: Paths) -> Iterator[Finding]:
    """Every file of the catalogue against its hash, read anew; every other model file by its header."""
    for asset in load_catalogue().assets:
        yield _asset(asset, paths)
    own = {asset.place(paths, file) for asset in load_catalogue().assets for file in asset.files}
    for path in sorted(paths.models.glob("*.gguf")) if paths.models.is_dir() else ():
        if path not in own:
            try:
                read_header(path)
            except FinTuiError as error:
                yield Finding(WEIGHTS, "problem", error.message, error.hint)


def _asset(asset: Asset, paths: Paths) -> Finding:
    missing, wrong = [], []
    for file in asset.files:
        place = asset.place(paths, file)
        try:
            if place.stat().st_size != file.size or sha256_of(place) != file.sha256:
                wrong.append(file.name)
        except OSError:
            missing.append(file.name)
    if wrong:
        what = f"{asset.name}: {', '.join(wrong)} is not the published file"
        return Finding(WEIGHTS, "problem", what, "fin-tui setup brings it again.")
    if missing:
        # Samples are in the library once they were read in; an optional asset is nobody's loss.
        is_needed = not asset.optional and asset.name != _SAMPLES
        what = f"{asset.name}: {', '.join(missing)} is not there. {asset.without}".strip()
        return Finding(WEIGHTS, "problem" if is_needed else "note", what, "fin-tui setup")
    return ok(WEIGHTS, f"{asset.name}: {count(len(asset.files), 'file')} with the published hash")


def look_at_engines(paths: Paths, settings: Settings) -> Iterator[Finding]:
    """The encoder makes a vector and the language model counts tokens: both are loaded for it."""
    try:
        vector = load_encoder(settings.encoder, paths).encode_query("net sales")
        if abs(float((vector * vector).sum()) - 1) < 0.01:
            yield ok(MODELS, f"The encoder {settings.encoder.model} loads")
        else:
            yield Finding(MODELS, "problem", f"The encoder {settings.encoder.model} gives no unit vector", "fin-tui setup")
    except MissingAsset as error:
        yield Finding(MODELS, "problem", error.message, error.hint)
    try:
        client = open_model(paths, settings.model)
        try:
            client.count_tokens("net sales")
        finally:
            client.close()
        yield ok(MODELS, f"The language model {client.name} loads")
    except FinTuiError as error:
        yield Finding(MODELS, "problem", f"{error.message} Answers are worded without a model.", error.hint)
