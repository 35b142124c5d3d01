"""``fin-tui ask``: one question, or a file of them, through the same event stream as the app."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli.context import current
from fin_tui.cli.conversations import keep, open_conversation
from fin_tui.cli.scope_options import Companies, Filings, Forms, Items, Years, chosen_scope
from fin_tui.cli.search_options import AsJson, Count, ModeName, Rerank, chosen_mode
from fin_tui.errors import FinTuiError, NotFound, UsageError

if TYPE_CHECKING:
    from fin_tui.engine.answer import Request
    from fin_tui.engine.services import Services
    from fin_tui.records import Answer

REFUSED = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="ask")(ask)


def ask(
    ctx: typer.Context,
    question: Annotated[str | None, typer.Argument(help="The question, in quotes.", show_default=False)] = None,
    batch: Annotated[
        Path | None, typer.Option(help="JSON lines, one question or conversation a line.", show_default=False)
    ] = None,
    company: Companies = None,
    year: Years = None,
    item: Items = None,
    form: Forms = None,
    filing: Filings = None,
    mode: ModeName = None,
    k: Count = None,
    rerank: Rerank = None,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Answer from the evidence alone, without a language model.")] = False,
    model: Annotated[str | None, typer.Option(help="A catalogue name or a .gguf file.", show_default=False)] = None,
    conversation: Annotated[
        str | None, typer.Option(help="Go on with the conversation with this id, or begin a new one.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask the library a question: the evidence first, then the model's words, each sentence with its source."""
    import msgspec

    from fin_tui.engine.answer import Request
    from fin_tui.engine.services import open_services

    context = current(ctx)
    if (question is None) == (batch is None):
        raise UsageError("Give either a question or --batch FILE.", 'Example: fin-tui ask "What was Apple\'s revenue in 2024?"')
    settings = context.settings
    if model is not None:
        settings = msgspec.structs.replace(settings, model=msgspec.structs.replace(settings.model, name=model))
    with open_services(context.paths, settings, with_model=not no_llm) as services:
        common: dict[str, Any] = {"k": k, "mode": chosen_mode(mode), "rerank": rerank, "use_model": not no_llm}
        if batch is not None:
            _batch(services, batch, common)
            return
        assert question is not None
        try:
            scope = chosen_scope(services.library.filings(), company, year, item, form, filing)
        except NotFound as error:
            _refuse_scope(question, error, as_json)
        if not question.strip():
            raise UsageError("The question is empty.", 'Example: fin-tui ask "What was Apple\'s revenue in 2024?"')
        kept, history = open_conversation(services.library, conversation) if conversation is not None else ("", ())
        request = Request(question.strip(), scope=scope, history=history, **common)
        answer = _quiet(services, request) if as_json else _shown(services, request)
        if kept:
            keep(services.library, kept, answer)
            print(f"conversation {kept}", file=sys.stderr)
        if as_json:
            print(to_json(answer))
    if answer.status == "error":
        raise typer.Exit(1)
    if answer.status == "refused":
        raise typer.Exit(REFUSED)


def to_json(answer: Answer) -> str:
    """The answer as one JSON document of the contract."""
    import msgspec

    return msgspec.json.encode(answer).decode()


def _refuse_scope(question: str, error: NotFound, as_json: bool) -> None:
    """A scope that names what is not held is a refusal of the contract, not a failure."""
    if not as_json:
        raise error
    from fin_tui.engine.compose import not_held

    print(to_json(not_held(question, None, error)))
    raise typer.Exit(REFUSED)


def _quiet(services: Services, request: Request) -> Answer:
    from fin_tui.engine.stream import last_answer

    return last_answer(services.engine.stream(request), request)


def _shown(services: Services, request: Request) -> Answer:
    from fin_tui.cli.transcript import Transcript
    from fin_tui.engine.stream import tap

    transcript = Transcript(sys.stdout, only_draft=services.model is not None and services.model.only_drafts)
    for note in services.notes:
        print(note, file=sys.stderr)
    return tap(services.engine.stream(request), request, transcript.show)


def _batch(services: Services, file: Path, common: dict[str, Any]) -> None:
    """One output line for each input line (each turn of a conversation), in order."""
    from fin_tui.engine.answer import Request
    from fin_tui.engine.batch import read_batch, scope_of
    from fin_tui.engine.compose import failed, not_held
    from fin_tui.engine.stream import last_answer

    held = services.library.filings()
    for line in read_batch(file):
        try:
            request = Request(line.question, scope=scope_of(line, held), id=line.id, history=line.history, **common)
            answer = last_answer(services.engine.stream(request), request)
        except NotFound as error:
            answer = not_held(line.question, line.id, error)
        except FinTuiError as error:
            answer = failed(line.question, line.id, error.message, error.hint)
        print(to_json(answer), flush=True)
