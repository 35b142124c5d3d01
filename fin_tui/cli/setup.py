"""``fin-tui setup`` and ``fin-tui doctor``: everything in its place, at first and later.

Set-up gets weights, the sample library, and says which model would write well here; what is there is not done again. The doctor
looks everything over, says what to do, and mends what can be made again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from fin_tui.cli.output import AsJson, Context, byte_bars, current, dumps, shown
from fin_tui.errors import FinTuiError, MissingAsset, UsageError
from fin_tui.language import count

if TYPE_CHECKING:
    from fin_tui.assets import Asset
    from fin_tui.cli.models import OfferRow
    from fin_tui.doctor import Finding
    from fin_tui.paths import Paths


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(name="setup")(setup)
    app.command(name="doctor")(doctor)


def setup(
    ctx: typer.Context,
    minimal: Annotated[bool, typer.Option("--minimal", help="Skip the second encoder.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Look here for the files first.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Download weights and sample filings, add the samples, and name the model that would write well here. Can be run again.

    Example: fin-tui setup --from ~/Downloads
    """
    context = current(ctx)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is no folder.", "Give the folder that holds the files.")
    assets, failures = _assets(context, minimal=minimal, folder=folder)
    samples = _read_samples(context)
    recommended = _offer(context)
    if as_json:
        print(dumps({"assets": assets, "samples": samples, "recommended": recommended}))
    if failures:
        names = ", ".join(asset.name for asset, _ in failures)
        hints = "\n".join(f"{error.message}\n  {error.hint}" for _, error in failures)
        raise MissingAsset(
            f"Set-up is not complete: {names} could not be downloaded.", f"{hints}\n  Then run fin-tui setup again."
        )
    _say("Ready.")


class AssetRow(TypedDict):
    """An asset of ``setup --json``; ``state``: present, brought, missing."""

    name: str
    state: str
    bytes: int
    license: str


class SampleRow(TypedDict):
    """The sample filings of ``setup --json``: names that were added now, and how many filings the library has."""

    added: list[str]
    held: int


def _assets(context: Context, *, minimal: bool, folder: Path | None) -> tuple[list[AssetRow], list[tuple[Asset, MissingAsset]]]:
    from fin_tui.assets import Ledger, clean, fetch_asset, load_catalogue

    ledger = Ledger(context.paths)
    report: list[AssetRow] = []
    failures = []
    for asset in load_catalogue().assets:
        if minimal and asset.optional:
            continue
        brought = False
        try:
            with byte_bars() as tell:
                brought = fetch_asset(asset, context.paths, ledger, tell, folder)
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


def _offer(context: Context) -> OfferRow | None:
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


def _read_samples(context: Context) -> SampleRow:
    """Add the sample filings that are not in the library, and make their vectors."""
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


_MARKS = {"ok": "ok", "note": "note", "problem": "PROBLEM", "mended": "mended"}


def doctor(
    ctx: typer.Context,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend what can be made again; nothing that you wrote or added is deleted.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Skip loading the encoder and the language model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look over library, indexes, weights and machine, and say what to do. Exit code 0: healthy, or repaired.

    Example: fin-tui doctor --repair
    """
    from fin_tui.doctor import examine

    context = current(ctx)
    found = []
    for finding in examine(context.paths, context.settings, repair=repair, engines=not quick):
        found.append(finding)
        if not as_json:
            _print(finding)
    problems = sum(finding.state == "problem" for finding in found)
    if as_json:
        document = {"healthy": not problems, "findings": [_json(f) for f in found], "filings": _parse_health(context.paths)}
        print(dumps(document))
    else:
        print(_last_line(problems, sum(finding.state == "mended" for finding in found), repair=repair))
    if problems:
        raise typer.Exit(1)


def _print(finding: Finding) -> None:
    print(f"{_MARKS[finding.state]:<8} {finding.check:<10} {shown(finding.what)}", flush=True)
    if finding.fix:
        print(f"{'':<19} {shown(finding.fix)}", flush=True)


def _last_line(problems: int, mended: int, *, repair: bool) -> str:
    if problems:
        said = count(problems, "problem")
        return said if repair else f"{said}; fin-tui doctor --repair mends what it can"
    return f"Healthy; {mended} mended." if mended else "Healthy."


def _json(finding: Finding) -> dict[str, str | None]:
    return {
        "check": finding.check,
        "state": finding.state,
        "what": finding.what,
        "fix": finding.fix or None,
        "filing": finding.filing or None,
    }


class ParseHealth(TypedDict):
    """How well a filing was read, in ``doctor --json``."""

    filing: str
    items: list[str]
    coverage: float
    crosscheck: float | None
    crosscheck_cells: int
    chunks: int
    embedded: int
    warnings: list[str]


def _parse_health(paths: Paths) -> list[ParseHealth]:
    """How well each filing was read; empty when the library can't be opened, which is a finding of its own."""
    from fin_tui.errors import FinTuiError
    from fin_tui.store.library import Library

    try:
        with Library.open(paths, read_only=True) as library:
            return [
                {
                    "filing": filing.id,
                    "items": list(filing.items),
                    "coverage": round(filing.coverage, 4),
                    "crosscheck": None if filing.crosscheck is None else round(filing.crosscheck, 4),
                    "crosscheck_cells": filing.crosscheck_cells,
                    "chunks": filing.chunks,
                    "embedded": filing.embedded,
                    "warnings": list(filing.warnings),
                }
                for filing in library.filings()
            ]
    except FinTuiError:
        return []
