"""``fin-tui conversations`` and ``fin-tui export``: what was asked and answered, listed and taken out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.context import current
from fin_tui.errors import FinTuiError, UsageError

if TYPE_CHECKING:
    from fin_tui.records import Answer
    from fin_tui.store.library import Library

NEW = "new"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(name="conversations")(conversations)
    app.command(name="export")(export)


def conversations(
    ctx: typer.Context,
    rename: Annotated[
        tuple[str, str], typer.Option(help="Give conversation ID another TITLE.", metavar="ID TITLE", show_default=False)
    ] = ("", ""),
    delete: Annotated[str | None, typer.Option(help="Delete the conversation with this ID.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """List the conversations, the one used last first."""
    from fin_tui.cli.output import dumps, shown
    from fin_tui.store.library import Library

    with Library.open(current(ctx).paths) as library:
        if delete is not None:
            library.conversations.remove(library.conversations.get(delete).id)
        if rename[0]:
            library.conversations.rename(library.conversations.get(rename[0]).id, " ".join(rename[1].split()))
        held = library.conversations.all()
    if as_json:
        print(dumps([{"id": c.id, "title": c.title, "created": c.created, "updated": c.updated, "turns": c.turns} for c in held]))
        return
    for conversation in held:
        when = conversation.updated[:16].replace("T", " ")
        print(f"{conversation.id}  {when}  {conversation.turns:>3}  {shown(conversation.title)}")


def export(
    ctx: typer.Context,
    conversation: Annotated[str, typer.Argument(help="Its id, or a unique beginning of it.", metavar="ID")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file instead of standard output.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The answers as JSON, field by field.")] = False,
) -> None:
    """Print a conversation as Markdown: questions, answers, figures, and the sources of each answer."""
    from fin_tui.cli.output import dumps
    from fin_tui.store.library import Library
    from fin_tui.ui.copying import answer_text

    with Library.open(current(ctx).paths) as library:
        found = library.conversations.get(conversation)
        turns = library.conversations.turns(found.id)
    if as_json:
        document = {"id": found.id, "title": found.title, "turns": [{"created": t.created, "answer": t.answer} for t in turns]}
        text = dumps(document)
    else:
        title = " ".join(found.title.split())
        text = "\n".join([f"# {title}\n", *(answer_text(turn.answer, ()) for turn in turns)]).rstrip()
    if output is None:
        print(text)
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise FinTuiError(f"{output} can't be written: {error.strerror}.", "Name another file with -o.") from error


def open_conversation(library: Library, name: str) -> tuple[str, tuple[str, ...]]:
    """The id of the conversation that ``--conversation`` names ("new" begins one), and the questions before the next one.

    Raises ``NotFound``, and ``UsageError`` for an empty name.
    """
    from fin_tui.engine.conversation import history_of

    if not name.strip():
        raise UsageError("--conversation needs an id, or new.", "fin-tui conversations lists them.")
    if name == NEW:
        return library.conversations.create(), ()
    found = library.conversations.get(name)
    return found.id, history_of(turn.answer for turn in library.conversations.turns(found.id))


def keep(library: Library, conversation: str, answer: Answer) -> None:
    """Add an answer to a conversation."""
    from fin_tui.engine.conversation import fingerprint

    library.conversations.append(conversation, answer.question, answer, fingerprint(answer, library.generation()))
