"""``fin-tui eval``: question sets in, a report out; or two reports in, their paired differences out."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from fin_tui.cli.output import AsJson, Context, CorpusUri, ModeName, Rerank, asking, chosen_mode, shown
from fin_tui.errors import UsageError
from fin_tui.language import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from fin_tui.engine.answering.events import Event
    from fin_tui.engine.services import Services
    from fin_tui.evaluation import Options
    from fin_tui.evaluation.report import Difference, Document, Head, Measured, Miss, Scored, Scores, Setting
    from fin_tui.evaluation.sets import Row
    from fin_tui.records import Answer
    from fin_tui.retrieval.encoder import Encoder


@dataclass(frozen=True, slots=True)
class Judging:
    """What goes to a judge, and what came back."""

    out: Path | None
    grades: Path | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="eval")(evaluate)


def evaluate(
    ctx: typer.Context,
    sets: Annotated[
        list[Path] | None,
        typer.Argument(help="Question sets: JSON lines, FinQA files; or a report.", show_default=False),
    ] = None,
    misses: Annotated[bool, typer.Option("--misses", help="List each question that missed, and why.")] = False,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Paired differences of two --json reports.", metavar="A.json B.json", show_default=False),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(help="Only this part of the sets, by ids in a file; repeatable.", metavar="FILE:NAME", show_default=False),
    ] = None,
    judge_out: Annotated[
        Path | None, typer.Option(help="Write what a person needs to judge each answer, as JSON lines.", show_default=False)
    ] = None,
    grades: Annotated[
        Path | None,
        typer.Option(help='Judged answers: {"id": …, "grade": 0, 1 or 2, "misleads": true or false} a line.', show_default=False),
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
    from fin_tui.evaluation import Options
    from fin_tui.evaluation.report import is_report

    if compare is not None:
        if sets:
            raise UsageError("--compare reads two reports and asks nothing.", "Leave the question sets out.")
        _compare(*compare, as_json=as_json)
    elif sets and len(sets) == 1 and is_report(sets[0]):
        if part or judge_out:
            raise UsageError("A report asks nothing anew.", "Leave --part and --judge-out out, or give the question set.")
        _again(sets[0], grades, misses=misses, as_json=as_json)
    elif sets:
        options, judging = Options(chosen_mode(mode), rerank, llm), Judging(judge_out, grades)
        _measure(asking(ctx, corpus), _load(sets, part or ()), options, judging, misses=misses, as_json=as_json)
    else:
        raise UsageError("Give a question set, or --compare A.json B.json.", "Example: fin-tui eval SET.jsonl --json > A.json")


def _measure(
    context: Context, loaded: Mapping[str, list[Row]], options: Options, judging: Judging, *, misses: bool, as_json: bool
) -> None:
    from rich.console import Console
    from rich.progress import track

    from fin_tui.engine.searching import open_finder
    from fin_tui.engine.services import open_services
    from fin_tui.evaluation import Examiner, graded, head, read_grades
    from fin_tui.evaluation.report import document
    from fin_tui.team import corpus_of

    grades = read_grades(judging.grades) if judging.grades else None
    console = Console(stderr=True)
    scored: dict[str, list[Scored]] = {}
    served = corpus_of(context.paths, context.settings)
    with ExitStack() as stack:
        services = stack.enter_context(
            open_services(context.paths, context.settings, with_model=options.use_model, corpus=served)
        )
        judge = JudgeFile(stack.enter_context(judging.out.open("w", encoding="utf-8"))) if judging.out else None
        held = services.corpus.filings()
        finder = open_finder(services.corpus, context.paths, context.settings)
        for note in (*_warm_up(services), *finder.warm_up(mode=options.mode, rerank=options.rerank)):
            console.print(note, markup=False)
        examiner = Examiner(services.engine, finder, held, options, _encoder(context), judge)
        for name, rows in loaded.items():
            if judge is not None:
                judge.name = name
            scored[name] = list(track(examiner.run(rows), name, total=len(rows), console=console))
        model = services.model.path if services.model else None
        asked: dict[str, Setting] = {"mode": options.mode, "rerank": options.rerank, "llm": options.use_model}
        asked |= {"corpus": served.name} if served is not None else {}
        top = head(context.paths, context.settings, held, model=model, asked=asked)
    _show(document(top, graded(scored, grades) if grades else scored), misses=misses, as_json=as_json)


def _again(file: Path, grades: Path | None, *, misses: bool, as_json: bool) -> None:
    """A report once more, with what a judge said of the answers in it."""
    from fin_tui.evaluation import graded, read_grades
    from fin_tui.evaluation.report import document, read_report

    report = read_report(file)
    scored: Mapping[str, Sequence[Scored]] = {name: found.rows for name, found in report.sets.items()}
    if grades is not None:
        scored = graded(scored, read_grades(grades))
    _show(document(report.head, scored), misses=misses, as_json=as_json)


def _show(made: Document, *, misses: bool, as_json: bool) -> None:
    from fin_tui.cli.output import dumps

    if as_json:
        print(dumps(made))
        return
    show_head(made["head"])
    for name, part in made["sets"].items():
        show_set(name, part["scores"])
        if misses:
            show_misses(part["misses"])


class JudgeFile:
    """Writes what a judge needs of each answer, as the answers come."""

    def __init__(self, out: TextIO) -> None:
        self.name = ""
        """The set that is being asked."""
        self._out = out

    def __call__(self, row: Row, answer: Answer, events: Sequence[Event]) -> None:
        from fin_tui.cli.output import dumps
        from fin_tui.evaluation import case

        print(dumps(case(self.name, row, answer, events, _printed(answer, events))), file=self._out, flush=True)


def _printed(answer: Answer, events: Sequence[Event]) -> str:
    """What ``ask`` prints on standard output."""
    from io import StringIO

    from fin_tui.cli.transcript import Transcript
    from fin_tui.engine.answering.events import ModelEnded, Status

    out = StringIO()
    transcript = Transcript(out)
    for event in events:
        if not isinstance(event, Status | ModelEnded):
            transcript.show(event)
    return out.getvalue().strip() or answer.answer


def _load(files: Sequence[Path], parts: Sequence[str]) -> Mapping[str, list[Row]]:
    """The sets by file name; with parts each part of each by both names, in the order of the parts.

    Raises ``UsageError`` for two files of one name, and for a part that has nothing of any set.
    """
    from fin_tui.evaluation.sets import read_part

    whole = _whole(files)
    if not parts:
        return whole
    loaded: dict[str, list[Row]] = {}
    for part in map(read_part, parts):
        found = {f"{name}, {part.name}": rows for name, all_rows in whole.items() if (rows := part.of(all_rows))}
        if not found:
            raise UsageError(f"The part {part.name} has no question of these sets.", "Give the set that it was made from.")
        loaded |= found
    return loaded


def _whole(files: Sequence[Path]) -> Mapping[str, list[Row]]:
    """The sets by file name."""
    from fin_tui.evaluation.sets import load

    loaded: dict[str, list[Row]] = {}
    for file in files:
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
    from fin_tui.cli.output import dumps
    from fin_tui.evaluation.report import compare, pair, read_report

    one, other = read_report(before), read_report(after)
    found = compare(pair(one, other))
    if as_json:
        print(dumps({"before": one.head, "after": other.head, "differences": found}))
    else:
        show_differences(found, one.head, other.head)


_WIDTH = 170
_FOUND = ("R@1", "R@3", "R@5", "R@10", "MRR", "nDCG@10")
_JUDGED = ("accuracy", "value", "value lenient")
_QUALITY = ("citation precision", "citation recall", "supported", "relevance", "token F1", "shown R@5", "shown MRR")
_ASKED_FOR = ("wrong value", "printed", "items", "yes or no", "answered", "full", "misleads")
_SAFE = ("wrong company", "wrong year", "refusal precision", "refusal recall", "refusal kind", "program")
_READINGS = ("strict", "lenient")
_NOTHING = "–"
_ALPHA = 0.05


def show_head(head: Head) -> None:
    """Machine, versions, weights, library and intervals, in a few lines."""
    library, found = head["library"], head["packages"]
    weights = ", ".join(f"{role} {digest[:12]}" for role, digest in head["weights"].items() if digest)
    asked = ", ".join(f"{key} {value}" for key, value in head["asked"].items() if value is not None)
    cpu = head["cpu"].partition(" [")[0]
    print(f"fin-tui {head['fin_tui']} · {cpu}, {head['cores']} cores · Python {head['python']} · {head['system']}")
    print(", ".join(f"{name} {number}" for name, number in found.items() if number))
    print(f"weights (SHA-256): {weights or 'none'}")
    held = f"{count(library['filings'], 'filing')}, {count(library['chunks'], 'passage')}, {library['embedded']:,} with vectors"
    print(f"{held} · {asked}")
    print("Brackets: 95 % intervals. – : the measure says nothing about these questions.\n")


def show_set(name: str, scores: Sequence[Scores]) -> None:
    """The tables of one set: what search found, what was answered, where it strayed or refused, risk by coverage."""
    parts = {
        "search": _found,
        "answers": _answers,
        "what was asked for": _asked_for,
        "citations and words": _quality,
        "straying, refusals, programs": _safety,
    }
    for title, build in {**parts, "share of wrong answers, the strongest evidence first": _risk}.items():
        table = build(scores)
        if table.row_count:
            table.title = f"{shown(name)} · {title}"
            _print(table)


def show_misses(misses: Sequence[Miss]) -> None:
    """One line for each question that missed."""
    for miss in misses:
        line = f"{miss['id']}  {miss['outcome']}  rank {miss['rank']}  {miss['why']}  {miss['question'][:100]}"
        print(shown(line))


def show_differences(found: Mapping[str, Sequence[Difference]], before: Head, after: Head) -> None:
    """One table a class; measures without any change are named in one line."""
    for key in ("cpu", "packages", "weights", "settings", "asked", "library"):
        if before.get(key) != after.get(key):
            print(f"The reports differ in {key}: {_changes(before.get(key), after.get(key))}")
    for name, differences in found.items():
        table = _table("measure", "n", "before", "after", "difference", "95 % interval", "rose", "fell", "p", "")
        for one in (one for one in differences if one.rose or one.fell):
            digits = 1 if one.name.endswith(" ms") else 3
            table.add_row(
                one.name, str(one.n), f"{one.before:.{digits}f}", f"{one.after:.{digits}f}",
                f"{one.after - one.before:+.{digits}f}", f"{one.low:+.{digits}f} to {one.high:+.{digits}f}",
                str(one.rose), str(one.fell), f"{one.p:.3g}", "*" if one.p < _ALPHA else "",
            )  # fmt: skip
        table.title = shown(name)
        if table.row_count:
            _print(table)
        if same := [one.name for one in differences if not (one.rose or one.fell)]:
            print(f"{shown(name)}: no question changed in {', '.join(same)}.\n")
    print("p: McNemar's exact test for yes and no, else a sign-flip permutation test. * p < 0.05, each measure by itself.")


def _changes(before: Any, after: Any) -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        return shown("; ".join(f"{key} {before.get(key)} -> {after.get(key)}" for key in keys))
    return shown(f"{before} -> {after}")


def _found(scores: Sequence[Scores]) -> Table:
    table = _table("class", "n", "reading", *_FOUND)
    for entry in scores:
        measures = entry["measures"]
        for reading in _READINGS if "R@1" in measures else ():
            cells = [_cell(measures, name, reading) for name in _FOUND]
            table.add_row(shown(entry["class"]), str(measures["R@1"]["n"]), reading, *cells)
    return table


def _answers(scores: Sequence[Scores]) -> Table:
    table = _table("class", "n", "right", "wrong", "abstained", "error", *_JUDGED, "ms p50", "ms p95")
    for entry in scores:
        if ms := entry["ms"].get("answer"):
            counts = [str(entry[outcome]) for outcome in ("right", "wrong", "abstained", "error")]
            cells = [_cell(entry["measures"], name) for name in _JUDGED]
            table.add_row(shown(entry["class"]), str(entry["n"]), *counts, *cells, f"{ms['p50']:.0f}", f"{ms['p95']:.0f}")
    return table


def _asked_for(scores: Sequence[Scores]) -> Table:
    table = _table("class", *_ASKED_FOR)
    for entry in scores:
        cells = [_cell(entry["measures"], name) for name in _ASKED_FOR]
        if any(cell != _NOTHING for cell in cells):
            table.add_row(shown(entry["class"]), *cells)
    return table


def _quality(scores: Sequence[Scores]) -> Table:
    table = _table("class", "reading", *_QUALITY)
    for entry in scores:
        for reading in _READINGS:
            cells = [_cell(entry["measures"], name, reading) for name in _QUALITY]
            if any(cell != _NOTHING for cell in cells):
                table.add_row(shown(entry["class"]), reading, *cells)
    return table


def _safety(scores: Sequence[Scores]) -> Table:
    table = _table("class", *_SAFE)
    for entry in scores:
        cells = [_count(entry["measures"].get(name)) for name in _SAFE]
        if any(cell != _NOTHING for cell in cells):
            table.add_row(shown(entry["class"]), *cells)
    return table


def _risk(scores: Sequence[Scores]) -> Table:
    from fin_tui.evaluation.report import SHARES

    table = _table("class", "AURC", "at best", *(f"{share:.0%} of answers" for share in SHARES))
    for entry in scores:
        if risk := entry["risk"]:
            points = [f"{_short(p['risk'], 3)} at {p['coverage']:.0%} (≥ {_short(p['strength'], 2)})" for p in risk["points"]]
            table.add_row(shown(entry["class"]), _short(risk["aurc"], 3), _short(risk["best"], 3), *points)
    return table


def _cell(measures: Mapping[str, Measured], name: str, reading: str = "strict") -> str:
    """ ".950 [.89 .98]"."""
    found = measures.get(name if reading == "strict" else f"{name} lenient")
    return _NOTHING if found is None else f"{_short(found['mean'], 3)} {_bracket(found)}"


def _count(found: Measured | None) -> str:
    """ "3/40 [.03 .20]": how often yes among the questions that it applies to."""
    return _NOTHING if found is None else f"{round(found['mean'] * found['n'])}/{found['n']} {_bracket(found)}"


def _bracket(found: Measured) -> str:
    return f"[{_short(found['low'], 2)} {_short(found['high'], 2)}]"


def _short(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".removeprefix("0") if value < 1 else f"{value:.{digits - 1}f}"


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(title_justify="left")
    for column in columns:
        table.add_column(column, justify="left" if column in ("class", "reading", "measure") else "right")
    return table


def _print(table: Table) -> None:
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console = Console(markup=False, highlight=False, emoji=False, width=_WIDTH)
    console.print(table)
