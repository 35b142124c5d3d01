"""How a report of ``fin-tui eval``, and the difference of two, are printed for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fin_tui.cli.output import shown
from fin_tui.evaluation.risk import SHARES
from fin_tui.plural import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from fin_tui.evaluation.compare import Difference

_WIDTH = 170
_FOUND = ("R@1", "R@3", "R@5", "R@10", "MRR", "nDCG@10")
_JUDGED = ("accuracy", "value", "value lenient")
_QUALITY = ("citation precision", "citation recall", "supported", "relevance", "token F1", "shown R@5", "shown MRR")
_ASKED_FOR = ("wrong value", "printed", "items", "yes or no", "answered", "full", "misleads")
_SAFE = ("wrong company", "wrong year", "refusal precision", "refusal recall", "refusal kind", "program")
_READINGS = ("strict", "lenient")
_NOTHING = "–"
_ALPHA = 0.05


def show_head(head: Mapping[str, Any]) -> None:
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


def show_set(name: str, scores: Sequence[Mapping[str, Any]]) -> None:
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


def show_misses(misses: Sequence[Mapping[str, Any]]) -> None:
    """One line for each question that missed."""
    for miss in misses:
        line = f"{miss['id']}  {miss['outcome']}  rank {miss['rank']}  {miss['why']}  {miss['question'][:100]}"
        print(shown(line))


def show_differences(found: Mapping[str, Sequence[Difference]], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
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


def _found(scores: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("class", "n", "reading", *_FOUND)
    for entry in scores:
        measures = entry["measures"]
        for reading in _READINGS if "R@1" in measures else ():
            cells = [_cell(measures, name, reading) for name in _FOUND]
            table.add_row(shown(entry["class"]), str(measures["R@1"]["n"]), reading, *cells)
    return table


def _answers(scores: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("class", "n", "right", "wrong", "abstained", "error", *_JUDGED, "ms p50", "ms p95")
    for entry in scores:
        if ms := entry["ms"].get("answer"):
            counts = [str(entry[outcome]) for outcome in ("right", "wrong", "abstained", "error")]
            cells = [_cell(entry["measures"], name) for name in _JUDGED]
            table.add_row(shown(entry["class"]), str(entry["n"]), *counts, *cells, f"{ms['p50']:.0f}", f"{ms['p95']:.0f}")
    return table


def _asked_for(scores: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("class", *_ASKED_FOR)
    for entry in scores:
        cells = [_cell(entry["measures"], name) for name in _ASKED_FOR]
        if any(cell != _NOTHING for cell in cells):
            table.add_row(shown(entry["class"]), *cells)
    return table


def _quality(scores: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("class", "reading", *_QUALITY)
    for entry in scores:
        for reading in _READINGS:
            cells = [_cell(entry["measures"], name, reading) for name in _QUALITY]
            if any(cell != _NOTHING for cell in cells):
                table.add_row(shown(entry["class"]), reading, *cells)
    return table


def _safety(scores: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("class", *_SAFE)
    for entry in scores:
        cells = [_count(entry["measures"].get(name)) for name in _SAFE]
        if any(cell != _NOTHING for cell in cells):
            table.add_row(shown(entry["class"]), *cells)
    return table


def _risk(scores: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("class", "AURC", "at best", *(f"{share:.0%} of answers" for share in SHARES))
    for entry in scores:
        if risk := entry["risk"]:
            points = [f"{_short(p['risk'], 3)} at {p['coverage']:.0%} (≥ {_short(p['strength'], 2)})" for p in risk["points"]]
            table.add_row(shown(entry["class"]), _short(risk["aurc"], 3), _short(risk["best"], 3), *points)
    return table


def _cell(measures: Mapping[str, Any], name: str, reading: str = "strict") -> str:
    """ ".950 [.89 .98]"."""
    found = measures.get(name if reading == "strict" else f"{name} lenient")
    return _NOTHING if found is None else f"{_short(found['mean'], 3)} {_bracket(found)}"


def _count(found: Mapping[str, Any] | None) -> str:
    """ "3/40 [.03 .20]": how often yes among the questions that it applies to."""
    return _NOTHING if found is None else f"{round(found['mean'] * found['n'])}/{found['n']} {_bracket(found)}"


def _bracket(found: Mapping[str, Any]) -> str:
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
