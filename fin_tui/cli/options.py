"""Options that several commands share: a team's corpus, the scope, how passages are searched for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer

from fin_tui.cli.output import Context, current
from fin_tui.errors import UsageError

if TYPE_CHECKING:
    from fin_tui.config import Mode
    from fin_tui.records import Filing, Scope
    from fin_tui.retrieval.opening import Served
    from fin_tui.store.library import Library

CorpusUri = Annotated[
    str | None,
    typer.Option("--corpus", metavar="URI", help="Ask a team's corpus, not the library of this machine.", show_default=False),
]
LOCAL = frozenset({"add", "edit", "reindex", "remove", "fetch", "setup"})
"""Commands that change the library of this machine, and nothing else."""


def on_corpus(context: Context, uri: str | None) -> Context:
    """``context`` as an option ``--corpus`` wants it. Raises ``UsageError`` for what is no address."""
    import msgspec

    if uri is None:
        return context
    from fin_tui.team.link import checked

    corpus = msgspec.structs.replace(context.settings.corpus, uri=checked(uri) if uri else "")
    return Context(context.paths, msgspec.structs.replace(context.settings, corpus=corpus), context.verbose)


def asking(ctx: typer.Context, uri: str | None) -> Context:
    """The context of a running command with its own ``--corpus``."""
    return on_corpus(current(ctx), uri)


def refuse_corpus(command: str | None, uri: str | None) -> None:
    """Raises ``UsageError`` where a corpus is named for a command that changes the library of this machine."""
    if uri and command in LOCAL:
        raise UsageError(
            f"fin-tui {command} works on the library of this machine; a team's corpus is not changed by it.",
            "Leave --corpus out; fin-tui ingest-corpus FOLDER --corpus URI adds filings to a corpus.",
        )


@contextlib.contextmanager
def opened(context: Context, *, read_only: bool = False) -> Iterator[Library | Served]:
    """The corpus that is asked: a served one where one is named, else the library of this machine."""
    from fin_tui.store.library import Library
    from fin_tui.team import corpus_of

    corpus = corpus_of(context.paths, context.settings)
    if corpus is None:
        with Library.open(context.paths, read_only=read_only) as library:
            yield library
    else:
        with contextlib.closing(corpus):
            yield corpus


Companies = Annotated[
    list[str] | None, typer.Option("--company", help="Name, ticker or CIK; may be repeated.", show_default=False)
]
Years = Annotated[list[int] | None, typer.Option("--year", help="Fiscal year; may be repeated.", show_default=False)]
Items = Annotated[
    list[str] | None,
    typer.Option("--item", help="7, 1A, mda, risk_factors, business, financials; may be repeated.", show_default=False),
]
Forms = Annotated[list[str] | None, typer.Option("--form", help="10-K, 10-K405, 10-K/A; may be repeated.", show_default=False)]
Filings = Annotated[
    list[str] | None,
    typer.Option("--filing", help="Id, unique prefix, base name or COMPANY:YEAR; may be repeated.", show_default=False),
]


def chosen_scope(
    held: Sequence[Filing],
    company: Sequence[str] | None,
    year: Sequence[int] | None,
    item: Sequence[str] | None,
    form: Sequence[str] | None,
    filing: Sequence[str] | None,
) -> Scope:
    """The scope of these option values. Raises ``NotFound`` for what is not held, ``UsageError`` for what means nothing."""
    from fin_tui.retrieval.scope import resolve_scope

    return resolve_scope(
        held, companies=company or (), years=year or (), items=item or (), forms=form or (), filing_names=filing or ()
    )


MODES = ("hybrid", "dense", "sparse")

ModeName = Annotated[str | None, typer.Option("--mode", help="hybrid, dense or sparse.", show_default=False)]
Count = Annotated[int | None, typer.Option("-k", min=1, max=100, help="How many passages.", show_default=False)]
Rerank = Annotated[bool | None, typer.Option("--rerank/--no-rerank", help="Rerank the passages.", show_default=False)]


def chosen_mode(name: str | None) -> Mode | None:
    """``name`` as a mode; None as the settings say. Raises ``UsageError`` for an unknown one."""
    if name not in (None, *MODES):
        raise UsageError(f"Unknown mode {name!r}.", f"Modes: {', '.join(MODES)}.")
    return cast("Mode | None", name)
