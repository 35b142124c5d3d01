"""``fin-tui setup``: weights, the sample library, the model fitted to this machine. What is there is not done again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli.bars import byte_bars
from fin_tui.cli.context import Context, current
from fin_tui.cli.output import AsJson, dumps
from fin_tui.errors import FinTuiError, MissingAsset, UsageError

if TYPE_CHECKING:
    from fin_tui.assets import Asset

_CHECK_SECONDS = 15.0
"""`fin-tui models bench` asks all questions; set-up must not keep anybody waiting."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="setup")(setup)


def setup(
    ctx: typer.Context,
    minimal: Annotated[bool, typer.Option("--minimal", help="Leave out the second encoder.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Look here for the files first.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Bring weights and sample filings, fit the model to this machine, and read the samples in. Can be stopped and run again.

    Example: fin-tui setup --from ~/Downloads
    """
    context = current(ctx)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is no folder.", "Give the folder that holds the files.")
    document: dict[str, Any] = {}
    document["assets"], failures = _assets(context, minimal=minimal, folder=folder)
    document["model"] = _fit_model(context)
    document["samples"] = _read_samples(context)
    if document["model"] and document["model"]["kept"]:
        document["grounding"] = _check_copy(context)
    if as_json:
        print(dumps(document))
    if failures:
        names = ", ".join(asset.name for asset, _ in failures)
        hints = "\n".join(f"{error.message}\n  {error.hint}" for _, error in failures)
        raise MissingAsset(f"Set-up is not complete: {names} could not be brought.", f"{hints}\n  Then run fin-tui setup again.")
    _say("Ready.")


def _assets(
    context: Context, *, minimal: bool, folder: Path | None
) -> tuple[list[dict[str, Any]], list[tuple[Asset, MissingAsset]]]:
    from fin_tui.assets import Ledger, bring, load_catalogue
    from fin_tui.assets.bring import clean

    ledger = Ledger(context.paths)
    report: list[dict[str, Any]] = []
    failures = []
    for asset in load_catalogue().assets:
        if minimal and asset.optional:
            continue
        brought = False
        try:
            with byte_bars() as tell:
                brought = bring(asset, context.paths, ledger, tell, folder)
            state = "brought" if brought else "present"
        except MissingAsset as error:
            state = "missing"
            failures.append((asset, error))
        if state != "present":
            _say(f"{state:8} {asset.name} — {asset.role}")
        report.append({"name": asset.name, "state": state, "bytes": asset.size, "license": asset.license})
    if not failures:
        clean(context.paths)
    return report, failures


def _fit_model(context: Context) -> dict[str, Any] | None:
    """Requantise the shipped model where that pays. It is an improvement: its failure stops nothing."""
    import msgspec

    from fin_tui.assets import load_catalogue
    from fin_tui.engine.models.quantize import requantise

    asset = load_catalogue().shipped_model
    original = asset.place(context.paths, asset.files[0])
    if not original.is_file():
        return None
    try:
        verdict = requantise(original, context.settings.model, context.paths, _say)
    except FinTuiError as error:
        _say(f"The model was left as it came: {error.message}")
        return {"kept": False, "why": error.message}
    if verdict is None:
        return None
    _say(f"Kept: the copy {verdict.why}" if verdict.kept else f"No faster copy: {verdict.why}")
    found: dict[str, Any] = msgspec.to_builtins(verdict)
    return found


def _check_copy(context: Context) -> dict[str, Any] | None:
    """The new copy is another file than the one whose sentences were judged: judge it by as many questions as fit the time."""
    from fin_tui.assets import load_catalogue
    from fin_tui.cli.model_grounding import grounding_row, measure_grounding, use_line
    from fin_tui.engine.models.client import LlamaClient
    from fin_tui.engine.models.files import faster_path

    asset = load_catalogue().shipped_model
    copy = faster_path(asset.place(context.paths, asset.files[0]))
    client = LlamaClient(copy, context.settings.model, context.paths, name=asset.name)
    _say("checking what the copy's sentences are worth")
    try:
        measure_grounding(context, client, limit_s=_CHECK_SECONDS)
    finally:
        client.close()
    found = grounding_row(copy)
    _say(f"use: {use_line(found)}")
    return found


def _read_samples(context: Context) -> dict[str, Any]:
    """Take in the sample filings that are not in the library, and make their vectors."""
    from fin_tui.assets import load_catalogue
    from fin_tui.cli.adding import run_job
    from fin_tui.ingest.job import Job
    from fin_tui.store.library import Library

    asset = load_catalogue().asset("sample-filings")
    with Library.open(context.paths) as library:
        held = {filing.file: filing for filing in library.filings()}
    places = [asset.place(context.paths, file) for file in asset.files]
    wanted = tuple(place.absolute() for place in places if place.is_file() and place.name not in held)
    vectors = all(filing.embedded >= filing.chunks for filing in held.values())
    if wanted or not vectors:
        run_job(Job(context.paths, context.settings, wanted))
    return {"added": [place.name for place in wanted], "held": len(held) + len(wanted)}


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
