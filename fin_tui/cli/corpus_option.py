"""The option that names a team's corpus; the same for every command that asks or shows filings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.context import Context, current
from fin_tui.errors import UsageError

if TYPE_CHECKING:
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
    from fin_tui.team.address import checked

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
    from fin_tui.team.opening import corpus_of

    corpus = corpus_of(context.paths, context.settings)
    if corpus is None:
        with Library.open(context.paths, read_only=read_only) as library:
            yield library
    else:
        with contextlib.closing(corpus):
            yield corpus
