"""``fin-tui eval``: question sets in, a report out; or two reports in, their paired differences out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.context import Context
from fin_tui.cli.corpus_option import CorpusUri, asking
from fin_tui.cli.output import AsJson
from fin_tui.cli.search_options import ModeName, Rerank, chosen_mode
from fin_tui.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fin_tui.engine.services import Services
    from fin_tui.evaluation.run import Options
    from fin_tui.evaluation.sets import Row
    from fin_tui.retrieval.encoder import Encoder

OWN_SET = "programs"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="eval")(evaluate)


def evaluate(
    ctx: typer.Context,
    sets: Annotated[
        list[Path] | None,
        typer.Argument(help=f"Question sets: JSON lines, FinQA files, or `{OWN_SET}` (shipped).", show_default=False),
    ] = None,
    misses: Annotated[bool, typer.Option("--misses", help="List each question that missed, and why.")] = False,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Paired differences of two --json reports.", metavar="A.json B.json", show_default=False),
    ] = None,
    mode: ModeName = None,
    rerank: Rerank = None,
    corpus: CorpusUri = None,
    llm: Annotated[bool, typer.Option("--llm", help="Let the language model word the answers.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure search, answers and refusals over the library as it stands, by class, with 95 % intervals.

    Example: fin-tui eval SET.jsonl --json > A.json
    """
    from fin_tui.evaluation.run import Options

    if compare is not None:
        if sets:
            raise UsageError("--compare reads two reports and asks nothing.", "Leave the question sets out.")
        _compare(*compare, as_json=as_json)
    elif sets:
        _measure(asking(ctx, corpus), sets, Options(chosen_mode(mode), rerank, llm), misses=misses, as_json=as_json)
    else:
        raise UsageError("Give a question set, or --compare A.json B.json.", "Example: fin-tui eval SET.jsonl --json > A.json")


def _measure(context: Context, files: Sequence[Path], options: Options, *, misses: bool, as_json: bool) -> None:
    from rich.console import Console
    from rich.progress import track

    from fin_tui.cli.evaluate_tables import show_head, show_misses, show_set
    from fin_tui.cli.output import dumps
    from fin_tui.engine.searching.finder import open_finder
    from fin_tui.engine.services import open_services
    from fin_tui.evaluation.head import head
    from fin_tui.evaluation.report import document
    from fin_tui.evaluation.run import Examiner
    from fin_tui.evaluation.scored import Scored
    from fin_tui.team.opening import corpus_of

    loaded = _load(files)
    console = Console(stderr=True)
    scored: dict[str, list[Scored]] = {}
    served = corpus_of(context.paths, context.settings)
    with open_services(context.paths, context.settings, with_model=options.use_model, corpus=served) as services:
        held = services.corpus.filings()
        finder = open_finder(services.corpus, context.paths, context.settings)
        for note in (*_warm_up(services), *finder.warm_up(mode=options.mode, rerank=options.rerank)):
            console.print(note, markup=False)
        examiner = Examiner(services.engine, finder, held, options, _encoder(context))
        for name, rows in loaded.items():
            scored[name] = list(track(examiner.run(rows), name, total=len(rows), console=console))
        model = services.model.path if services.model else None
        asked: dict[str, object] = {"mode": options.mode, "rerank": options.rerank, "llm": options.use_model}
        asked |= {"corpus": served.name} if served is not None else {}
        made = document(head(context.paths, context.settings, held, model=model, asked=asked), scored)
    if as_json:
        print(dumps(made))
        return
    show_head(made["head"])
    for name, part in made["sets"].items():
        show_set(name, part["scores"])
        if misses:
            show_misses(part["misses"])


def _load(files: Sequence[Path]) -> Mapping[str, list[Row]]:
    """The sets by file name; the shipped one by its own. Raises ``UsageError`` for two files of one name."""
    from importlib import resources

    from fin_tui.evaluation.sets import load

    loaded: dict[str, list[Row]] = {}
    for file in files:
        if str(file) == OWN_SET and not file.exists():
            with resources.as_file(resources.files("fin_tui.evaluation").joinpath(f"{OWN_SET}.jsonl")) as own:
                loaded[own.name] = load(own)
            continue
        if file.name in loaded:
            raise UsageError(f"Two sets are called {file.name}.", "A report tells sets apart by their file names.")
        loaded[file.name] = load(file)
    return loaded


def _warm_up(services: Services) -> Sequence[str]:
    for _ in services.warm_up():
        continue
    return services.notes


def _encoder(context: Context) -> Encoder | None:
    """The library's encoder, or None when its weights are not there: then answers have no relevance."""
    from fin_tui.errors import MissingAsset
    from fin_tui.retrieval.encoder import load_encoder

    try:
        return load_encoder(context.settings.encoder, context.paths)
    except MissingAsset:
        return None


def _compare(before: Path, after: Path, *, as_json: bool) -> None:
    from fin_tui.cli.evaluate_tables import show_differences
    from fin_tui.cli.output import dumps
    from fin_tui.evaluation.compare import compare, pair, read_report

    one, other = read_report(before), read_report(after)
    found = compare(pair(one, other))
    if as_json:
        print(dumps({"before": one.head, "after": other.head, "differences": found}))
    else:
        show_differences(found, one.head, other.head)
