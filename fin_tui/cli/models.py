"""``fin-tui models``: which language models there are, bring one, choose one, measure one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli.bars import byte_bars
from fin_tui.cli.context import Context, current
from fin_tui.cli.model_grounding import grounding_row, measure_grounding, use_line, uses
from fin_tui.errors import FinTuiError, MissingAsset, UsageError

if TYPE_CHECKING:
    from fin_tui.engine.quantize import Measured

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
_MB = 1_000_000

group = typer.Typer(help="The language models: list, pull, use, bench.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="models")


@group.command(name="list")
def list_models(ctx: typer.Context, as_json: AsJson = False) -> None:
    """What can be used: what came with set-up, what the hub has, and any .gguf file under models/."""
    import msgspec

    rows = model_rows(current(ctx))
    if as_json:
        print(msgspec.json.encode(rows).decode())
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fin_tui.engine.machine import memory_bytes

    table = Table(box=None, pad_edge=False)
    for title in ("", "model", "size", "memory", "licence", "use", "state"):
        table.add_column(title, justify="right" if title in ("size", "memory") else "left", no_wrap=title in ("model", "use"))
    for row in rows:
        sizes = [f"{row[key]:,} MB" if row[key] else "?" for key in ("size_mb", "memory_mb")]
        mark = "*" if row["in_use"] else ""
        cells = (mark, row["name"], *sizes, row["license"] or "unknown", _short_use(row["grounding"]), row["state"])
        table.add_row(*(Text(cell) for cell in cells))
    Console().print(table)
    print(f"This machine has {memory_bytes() // _MB:,} MB of memory. * is in use. fin-tui models pull NAME brings one.")
    print("use: draft, wording, planning; and the share of its sentences that the evidence supports (fin-tui models bench NAME).")


@group.command()
def pull(ctx: typer.Context, name: Annotated[str, typer.Argument(help="A name of `models list`.")]) -> None:
    """Download a model from the hub. An interrupted download goes on where it stopped."""
    from fin_tui.assets import Ledger, bring, load_catalogue
    from fin_tui.assets.from_hub import fetch_hub_file
    from fin_tui.engine.gguf import read_header
    from fin_tui.records import Progress

    paths = current(ctx).paths
    catalogue = load_catalogue()
    if name == catalogue.shipped_model.name:
        with byte_bars() as tell:
            bring(catalogue.shipped_model, paths, Ledger(paths), tell)
    else:
        model = next((model for model in catalogue.models if model.name == name), None)
        if model is None:
            raise UsageError(
                f"There is no model {name!r} in the catalogue.", f"Known: {', '.join(m.name for m in catalogue.models)}."
            )
        place = paths.models / model.file
        if not place.is_file():
            incoming = paths.models / ".incoming" / model.name
            try:
                with byte_bars() as tell:
                    got = fetch_hub_file(
                        model.hub, model.file, incoming, lambda done, total: tell(Progress("download", done, total, name))
                    )
            except MissingAsset as error:
                by_hand = f"{error.hint} By hand: {model.file} of the hub repository {model.hub}, as {place}."
                raise MissingAsset(error.message, by_hand) from error
            read_header(got)
            got.replace(place)
    print(f"{name} is here. fin-tui models use {name} makes it answer.")


@group.command()
def use(ctx: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A model that is here.")]) -> None:
    """Answer with this model from now on: writes it to the settings."""
    from fin_tui.engine.gguf import read_header
    from fin_tui.engine.model_files import find_model
    from fin_tui.settings_file import write_setting

    paths = current(ctx).paths
    if name.endswith(".gguf") and Path(name).expanduser().is_file():
        name = str(Path(name).expanduser().resolve())
    found = find_model(name, paths)
    header = read_header(found.path)
    write_setting(paths.settings, "model", "name", name)
    print(f"{found.name} ({header.architecture}, window {header.context:,} tokens) answers from now on; set in {paths.settings}.")


@group.command()
def bench(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(help="The model in use when left out.", show_default=False)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Speed and memory only; no questions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure how fast a model is here, what memory it takes, and how many of its sentences the evidence supports.

    The last is found by 20 questions about the sample filings; it decides what the model's text is used for.
    """
    import msgspec

    from fin_tui.engine.llm import LlamaClient
    from fin_tui.engine.model_files import find_model
    from fin_tui.engine.quantize import measure

    context = current(ctx)
    found = find_model(name or context.settings.model.name, context.paths)
    rows = []
    for path in dict.fromkeys((found.path, found.original)):
        client = LlamaClient(path, context.settings.model, context.paths, name=found.name)
        try:
            print(f"measuring {path.name} …", file=sys.stderr)
            measured = measure(client)
            if path == found.path and not quick:
                measure_grounding(context, client)
            rows.append(_bench_row(client, measured))
        finally:
            client.close()
    if as_json:
        print(msgspec.json.encode(rows).decode())
        return
    for row in rows:
        print(f"{row['file']} ({row['quantisation'] or 'unknown quantisation'}, {row['threads']} threads)")
        print(f"  reads   {row['prefill']:8,.0f} tokens/s")
        print(f"  writes  {row['decode']:8,.1f} tokens/s")
        print(f"  loads   {row['load_ms'] / 1000:8,.2f} s")
        print(f"  memory  {row['memory'] // _MB:8,} MB")
        print(f"  use     {use_line(row['grounding'])}")


def model_rows(context: Context) -> list[dict[str, Any]]:
    """The rows of ``models list --json``: shipped, then the hub's by size, then other files under models/."""
    from fin_tui.assets import load_catalogue
    from fin_tui.engine.model_files import faster_copy, known_files, local_files

    paths = context.paths
    catalogue = load_catalogue()
    shipped = catalogue.shipped_model
    places = known_files(paths)
    rows = [_row(context, shipped.name, places[shipped.name], shipped.size // _MB, 300, shipped.license)]
    rows += [_row(context, m.name, places[m.name], m.size_mb, m.memory_mb, m.license) for m in catalogue.models]
    for path in local_files(paths):
        if path not in places.values():
            rows.append(_local_row(context, path))
    for row in rows:
        copy = faster_copy(Path(row["path"])) if row["state"] == "here" else None
        row["grounding"] = grounding_row(copy or Path(row["path"]))
        if copy:
            row["state"] = "here, with a faster copy for this processor"
    return rows


def _row(context: Context, name: str, path: Path, size: int, memory: int, license: str) -> dict[str, Any]:
    chosen = context.settings.model.name
    in_use = chosen == name or (chosen.endswith(".gguf") and Path(chosen).expanduser() == path)
    state = "here" if path.is_file() else "on the hub"
    return {
        "name": name,
        "state": state,
        "size_mb": size,
        "memory_mb": memory,
        "license": license,
        "path": str(path),
        "in_use": in_use,
    }


def _local_row(context: Context, path: Path) -> dict[str, Any]:
    from fin_tui.engine.gguf import read_header

    size = path.stat().st_size // _MB
    row = _row(context, path.stem.lower(), path, size, size + 200, "")
    try:
        row["license"] = read_header(path).license
    except FinTuiError as error:
        row["state"] = error.message
    return row


def _short_use(known: Mapping[str, Any] | None) -> str:
    return f"{uses(known)}, {known['share']:.0%}" if known else "–"


def _bench_row(client: Any, measured: Measured) -> dict[str, Any]:
    import msgspec

    about: dict[str, Any] = client.describe()
    return {**about, **msgspec.to_builtins(measured), "grounding": grounding_row(client.path)}
