"""``fin-tui models``: which language models there are, the best for this machine; download one, choose one, measure one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from fin_tui.cli.output import AsJson, Context, byte_bars, current, dumps
from fin_tui.errors import FinTuiError

if TYPE_CHECKING:
    from fin_tui.engine.models.client import LlamaClient
    from fin_tui.engine.models.grounding import Grounding
    from fin_tui.engine.models.listing import ListedModel, Offer


def measure_grounding(context: Context, client: LlamaClient) -> Grounding | None:
    """Ask ``client`` the questions about the sample filings and keep what is found; says why when that can't be done."""
    from fin_tui.evaluation.trial import try_model

    def tell(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\rquestion {done + 1} of {total} ", end="", file=sys.stderr, flush=True)

    try:
        found = try_model(context.paths, context.settings, client, tell=tell)
    except FinTuiError as error:
        print(f"What its sentences are worth was not measured: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return None
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return found


Json = str | int | float | bool | list[str] | dict[str, float] | dict[str, dict[str, int]] | None


class ModelRow(TypedDict):
    """A model of ``models list --json``."""

    name: str
    state: str
    size_mb: int | None
    memory_mb: int | None
    license: str
    path: str
    in_use: bool
    grounding: dict[str, Json] | None


class OfferRow(ModelRow):
    """A model as ``models recommend --json`` shows it."""

    decode: float
    first_word_s: float


def grounding_json(known: Grounding | None) -> dict[str, Json] | None:
    """A finding as JSON shows it."""
    import msgspec

    return None if known is None else {**msgspec.to_builtins(known), "share": round(known.share, 3), "uses": list(known.uses)}


def use_line(known: Grounding | None) -> str:
    """ "writing (87% of 54 sentences are supported)"; "not measured" for none."""
    if known is None:
        return "not measured"
    supported = f"{known.share:.0%} of {known.sentences} sentences are supported"
    worked = f"; {known.worked_right} of {known.worked_asked} figures worked out"
    return f"{uses(known)} ({supported}{worked if known.worked_asked else ''})"


_KINDS = {"words": "prose", "list": "lists", "yesno": "yes or no", "number": "figures in prose"}


def kind_lines(known: Grounding | None) -> list[str]:
    """ "yes or no: rests (3 of 8 answers stand, 0 say more than the filing's own words, 1 less)"."""
    tallies = known.kinds.items() if known is not None else ()
    return [
        f"{_KINDS.get(kind, kind)}: {'writes' if one.pays else 'rests'} ({one.stood} of {one.asked} answers stand, "
        f"{one.better} say more than the filing's own words, {one.worse} less)"
        for kind, one in tallies
    ]


def uses(known: Grounding) -> str:
    """What the model is used for."""
    return " and ".join(known.uses) or "rests"


_MB = 1_000_000

group = typer.Typer(help="The language models: list, recommend, pull, use, bench.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="models")


@group.command(name="list")
def list_models(ctx: typer.Context, as_json: AsJson = False) -> None:
    """What can be used: what came with set-up, what the hub has, any .gguf file under models/, and what other programs keep.

    Example: fin-tui models list --json
    """
    from fin_tui.engine.models.listing import all_models

    context = current(ctx)
    models = all_models(context.paths, context.settings.model.name)
    if as_json:
        print(dumps([_row(model) for model in models]))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fin_tui.engine.models.machine import memory_bytes

    table = Table(box=None, pad_edge=False)
    for title in ("", "model", "size", "memory", "licence", "use", "state"):
        table.add_column(title, justify="right" if title in ("size", "memory") else "left", no_wrap=title in ("model", "use"))
    for model in models:
        sizes = [f"{size:,} MB" if size else "?" for size in (model.size_mb, model.memory_mb)]
        mark = "*" if model.in_use else ""
        cells = (mark, model.name, *sizes, model.license or "unknown", _short_use(model.grounding), _state(model))
        table.add_row(*(Text(cell) for cell in cells))
    Console().print(table)
    print(
        f"This machine has {memory_bytes() // _MB:,} MB of memory. * is in use. fin-tui models recommend names the best for it."
    )
    print("use: writing, reading, or it rests; and the share of its supported sentences (fin-tui models bench NAME).")


@group.command()
def pull(ctx: typer.Context, name: Annotated[str, typer.Argument(help="A name of `models list`.")]) -> None:
    """Download a model from the hub; one that another program keeps is linked. An interrupted download goes on where it stopped.

    Example: fin-tui models pull qwen2.5-1.5b-instruct
    """
    from fin_tui.engine.models.listing import pull_model

    with byte_bars() as tell:
        pull_model(name, current(ctx).paths, tell)
    print(f"{name} is here. fin-tui models use {name} makes it answer.")


@group.command()
def recommend(ctx: typer.Context, as_json: AsJson = False) -> None:
    """The best model that this machine runs at 5 tokens a second or more, with memory to spare. Downloads nothing.

    Example: fin-tui models recommend
    """
    offer = best_offer(current(ctx))
    if as_json:
        print(dumps(offer_row(offer)))
    else:
        print(offer_line(offer))


@group.command()
def use(ctx: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A model that is here.")]) -> None:
    """Answer with this model from now on: writes it to the settings.

    Example: fin-tui models use smollm2-135m-instruct
    """
    from fin_tui.config import write_setting
    from fin_tui.engine.models.files import find_model, read_header
    from fin_tui.engine.models.listing import all_models, pull_model

    paths = current(ctx).paths
    if any(model.name == name and model.place for model in all_models(paths, "")):
        pull_model(name, paths, lambda _progress: None)
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
    """Measure how fast a model is here, what memory it takes, and what its sentences and its second looks at figures are worth.

    The last two are found by 42 questions about the sample filings, and by 20 figures to be worked out; they decide what the
    model is used for, and for which kinds of question it rests.
    """
    import msgspec

    from fin_tui.engine.models.client import LlamaClient
    from fin_tui.engine.models.files import find_model
    from fin_tui.engine.models.grounding import read_grounding
    from fin_tui.engine.models.listing import measure

    context = current(ctx)
    found = find_model(name or context.settings.model.name, context.paths)
    client = LlamaClient(found.path, context.settings.model, context.paths, name=found.name)
    try:
        print(f"measuring {found.path.name} …", file=sys.stderr)
        measured = measure(client)
        if not quick:
            measure_grounding(context, client)
        about, known = client.describe(), read_grounding(client.path)
    finally:
        client.close()
    if as_json:
        print(dumps([{**about, **msgspec.to_builtins(measured), "grounding": grounding_json(known)}]))
        return
    print(f"{about['file']} ({about['quantisation'] or 'unknown quantisation'}, {about['threads']} threads)")
    print(f"  reads   {measured.prefill:8,.0f} tokens/s")
    print(f"  writes  {measured.decode:8,.1f} tokens/s")
    print(f"  loads   {measured.load_ms / 1000:8,.2f} s")
    print(f"  memory  {measured.memory // _MB:8,} MB")
    print(f"  use     {use_line(known)}")
    for line in kind_lines(known):
        print(f"          {line}")


def best_offer(context: Context) -> Offer | None:
    """The model recommended here; the shipped one is timed first, where that was not done."""
    from fin_tui.engine.models.listing import best_models

    return next(iter(best_models(context.paths, context.settings.model)), None)


def offer_row(offer: Offer | None) -> OfferRow | None:
    """An offer as JSON shows it."""
    if offer is None:
        return None
    return {**_row(offer.model), "decode": round(offer.decode, 1), "first_word_s": round(offer.first_word_s, 1)}


def offer_line(offer: Offer | None) -> str:
    """An offer in a sentence, with what takes it."""
    if offer is None:
        return "No model that writes runs here at 5 tokens a second with memory to spare: answers are the filings' own words."
    from fin_tui.engine.models.listing import offer_words

    name = offer.model.name
    command = f"fin-tui models use {name}" if offer.is_here else f"fin-tui models pull {name}, then models use {name}"
    return f"{name}: {offer_words(offer)}\n  {command}"


def _state(model: ListedModel) -> str:
    return model.problem or ("here" if model.is_here else f"in {model.place}" if model.place else "on the hub")


def _row(model: ListedModel) -> ModelRow:
    return {
        "name": model.name,
        "state": _state(model),
        "size_mb": model.size_mb,
        "memory_mb": model.memory_mb,
        "license": model.license,
        "path": str(model.path),
        "in_use": model.in_use,
        "grounding": grounding_json(model.grounding),
    }


def _short_use(known: Grounding | None) -> str:
    return f"{uses(known)}, {known.share:.0%}" if known else "–"
