"""``fin-tui conversations``: what was asked and answered, listed; and how ``ask`` goes on with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.output import AsJson, current
from fin_tui.errors import UsageError

if TYPE_CHECKING:
    from fin_tui.engine.evidence.passage import Passage
    from fin_tui.records import Answer
    from fin_tui.retrieval.opening import Served
    from fin_tui.store.library import Library

NEW = "new"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="conversations")(conversations)


def conversations(
    ctx: typer.Context,
    rename: Annotated[
        tuple[str, str], typer.Option(help="Give conversation ID another TITLE.", metavar="ID TITLE", show_default=False)
    ] = ("", ""),
    delete: Annotated[str | None, typer.Option(help="Delete the conversation with this ID.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the conversations, the one used last first.

    Example: fin-tui conversations --rename 3fa9 "Margins of Apple"
    """
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


def open_conversation(library: Library, name: str) -> tuple[str, tuple[str, ...]]:
    """The id of the conversation that ``--conversation`` names ("new" begins one), and the questions before the next one.

    Raises ``NotFound``, and ``UsageError`` for an empty name.
    """
    from fin_tui.engine.kept.conversation import history_of

    if not name.strip():
        raise UsageError("--conversation needs an id, or new.", "fin-tui conversations lists them.")
    if name == NEW:
        return library.conversations.create(), ()
    found = library.conversations.get(name)
    return found.id, history_of(turn.answer for turn in library.conversations.turns(found.id))


def keep(
    library: Library, conversation: str, answer: Answer, passages: Sequence[Passage] = (), *, asked: Served | None = None
) -> None:
    """Add an answer to a conversation, with the passages that stood beside it; ``asked`` gave it, when not the library."""
    from fin_tui.engine.kept.conversation import evidence_of, fingerprint

    made = fingerprint(answer, (asked or library).generation(), asked.name if asked else "")
    library.conversations.append(conversation, answer.question, answer, made, evidence_of(passages))
