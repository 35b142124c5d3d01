"""``fin-tui check``: every number of the user's own text, compared with the library's figures."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.output import (
    AsJson,
    Companies,
    CorpusUri,
    Filings,
    Forms,
    Items,
    Years,
    advance,
    asking,
    chosen_scope,
    dumps,
    opened,
    shown,
    stage_bars,
)
from fin_tui.errors import FinTuiError, UsageError, said
from fin_tui.records import Progress
from fin_tui.records.answer import place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fin_tui.engine.checking import Checked, CheckedNumber, Checker
    from fin_tui.records import Filing

_MARKS = {"supported": "✓", "contradicted": "✗", "unknown": "?"}
_LONGEST = 2_000_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="check")(check)


def check(
    ctx: typer.Context,
    file: Annotated[str | None, typer.Argument(help="A text file, or - for standard input.", show_default=False)] = None,
    batch: Annotated[Path | None, typer.Option(help='JSON lines, each with a "text".', show_default=False)] = None,
    company: Companies = None,
    year: Years = None,
    item: Items = None,
    form: Forms = None,
    filing: Filings = None,
    corpus: CorpusUri = None,
    as_json: AsJson = False,
) -> None:
    """Check the figures of a text of your own: supported, contradicted or unknown, with the figure found and why.

    Example: fin-tui check memo.md --company AAPL
    """
    from fin_tui.engine.checking import open_checker
    from fin_tui.retrieval.backend import open_retriever

    if (file is None) == (batch is None):
        raise UsageError("Give either a file (- for standard input) or --batch FILE.", "Example: fin-tui check memo.md")
    text = "" if file is None else _read(file)
    context = asking(ctx, corpus)
    with opened(context) as asked:
        held = asked.filings()
        checker = open_checker(asked, open_retriever(asked, context.paths, context.settings))
        if batch is not None:
            _batch(checker, held, batch)
            return
        if item:
            print("Figures are looked up in whole filings; --item does not limit them.", file=sys.stderr)
        # A figure of a year may stand in a later filing: years say which figures are meant, not which filings are read.
        scope = replace(chosen_scope(held, company, None, None, form, filing), fiscal_years=tuple(year or ()))
        with stage_bars() as bars:

            def tell(done: int, total: int) -> None:
                advance(bars, Progress("check", done, total), f"{done} of {total} sentences")

            checked = checker.check(text, scope, tell=tell)
    if as_json:
        print(dumps(checked))
    else:
        _show(checked)


def _read(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read(_LONGEST + 1) if file == "-" else Path(file).read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {said(error)}", "Give a text file in UTF-8.") from error
    if len(raw) > _LONGEST:
        raise UsageError(f"{file} is too long.", f"At most {_LONGEST:,} bytes.")
    if not text.strip():
        raise UsageError(f"{file} holds no text.", "Example: fin-tui check memo.md")
    return text


def _batch(checker: Checker, held: Sequence[Filing], file: Path) -> None:
    """One line of JSON for each line of ``file``, in order; what can't be checked is unknown, with an ``error``."""
    from fin_tui.engine.questions.batch import read_batch, scope_of

    for line in read_batch(file):
        limits = {key: value for key, value in line.scope.items() if key not in ("year", "item")}
        try:
            years = [int(year) for year in _several(line.scope.get("year"))]
            scope = replace(scope_of(replace(line, scope=limits), held), fiscal_years=tuple(years))
            print(dumps(checker.check(line.question, scope, line.id)), flush=True)
        except (FinTuiError, ValueError) as error:
            print(dumps({"id": line.id, "status": "unknown", "statements": [], "error": str(error)}), flush=True)


def _several(value: object) -> list[str]:
    if value is None:
        return []
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _show(checked: Checked) -> None:
    counts = dict.fromkeys(_MARKS, 0)
    for statement in checked.statements:
        if not statement.numbers:
            print(f"  {shown(statement.text)}")
            continue
        print(f"{_MARKS[statement.status]} {shown(statement.text)}")
        for number in statement.numbers:
            counts[number.status] += 1
            print(f"    {_MARKS[number.status]} {shown(number.text)}  {number.status}. {shown(number.why)}{_place(number)}")
    bad = counts["contradicted"]
    told = f"{bad or 'no'} {'figures conflict' if bad != 1 else 'figure conflicts'} with the filings"
    print(f"\n{', '.join(f'{count} {status}' for status, count in counts.items())}: {told}.")


def _place(number: CheckedNumber) -> str:
    return f"\n        {shown(place_of(number.found))}" if number.found is not None else ""
