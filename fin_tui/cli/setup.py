"""``fin-tui setup``: weights, the sample library, and which model would write well here. What is there is not done again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli.output import AsJson, Context, byte_bars, current, dumps
from fin_tui.errors import FinTuiError, MissingAsset, UsageError

if TYPE_CHECKING:
    from fin_tui.assets import Asset


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
    """Bring weights and sample filings, read the samples in, and name the model that would write well here. Can be run again.

    Example: fin-tui setup --from ~/Downloads
    """
    context = current(ctx)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is no folder.", "Give the folder that holds the files.")
    document: dict[str, Any] = {}
    document["assets"], failures = _assets(context, minimal=minimal, folder=folder)
    document["samples"] = _read_samples(context)
    document["recommended"] = _offer(context)
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
    from fin_tui.assets import Ledger, load_catalogue
    from fin_tui.assets.bring import bring, clean

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


def _offer(context: Context) -> dict[str, Any] | None:
    """Time this machine with the shipped model and say which model would write well here. What fails stops nothing."""
    from fin_tui.cli.models import best_offer, offer_line, offer_row

    try:
        offer = best_offer(context)
    except FinTuiError as error:
        _say(f"No model is recommended: {error.message}")
        return None
    if offer is None or not offer.model.in_use:
        _say(f"A model that writes answers: {offer_line(offer)}" if offer else offer_line(offer))
    return offer_row(offer)


def _read_samples(context: Context) -> dict[str, Any]:
    """Take in the sample filings that are not in the library, and make their vectors."""
    from fin_tui.assets import load_catalogue
    from fin_tui.cli.library import run_job
    from fin_tui.ingest import Job
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
