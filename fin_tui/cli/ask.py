"""``fin-tui ask``: one question, or a file of them, through the same event stream as the app."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypedDict

import typer

from fin_tui.cli.notebook import keep, open_conversation
from fin_tui.cli.output import (
    AsJson,
    Companies,
    Context,
    CorpusUri,
    Count,
    Filings,
    Forms,
    Items,
    ModeName,
    Rerank,
    Years,
    asking,
    chosen_mode,
    chosen_scope,
    dumps,
    shown,
)
from fin_tui.errors import FinTuiError, MissingAsset, NotFound, UsageError

if TYPE_CHECKING:
    from fin_tui.cli.output import Context
    from fin_tui.config import Settings
    from fin_tui.engine.answering.answer import Request
    from fin_tui.engine.answering.events import Finished
    from fin_tui.engine.answering.refusal import Missing
    from fin_tui.engine.saved_items import Replayed
    from fin_tui.engine.services import Services
    from fin_tui.records import Answer
    from fin_tui.store.library import Library

REFUSED = 3
_EXAMPLE = 'Example: fin-tui ask "What was Apple\'s revenue in 2024?"'


LetWrite = Annotated[
    bool | None,
    typer.Option(
        "--llm/--no-llm",
        help="Let the model write also what is proven without it; or never.  [default: where needed]",
        show_default=False,
    ),
]


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
    llm: LetWrite = None,
    model: Annotated[str | None, typer.Option(help="A catalogue name or a .gguf file.", show_default=False)] = None,
    conversation: Annotated[
        str | None, typer.Option(help="Go on with the conversation with this id, or begin a new one.", show_default=False)
    ] = None,
    replay: Annotated[
        str | None, typer.Option(help="Ask the questions of the conversation with this id again and compare.", show_default=False)
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="First download from EDGAR what the question names and the library lacks.")
    ] = False,
    corpus: CorpusUri = None,
    as_json: AsJson = False,
) -> None:
    """Ask the library a question: the evidence first, then the model's words, each sentence with its source.

    Example: fin-tui ask "What was Apple's revenue in 2024?"
    """
    from fin_tui.engine.answering.answer import Request
    from fin_tui.engine.services import open_services
    from fin_tui.team import corpus_of

    context = asking(ctx, corpus)
    _require_one(question, batch, replay, conversation)
    if fetch:
        _fetch(context, question, company, year)
    with_model, write_proven = llm is not False, llm is True
    common = Request("", k=k, mode=chosen_mode(mode), rerank=rerank, use_model=with_model, write_proven=write_proven)
    settings, served = _with_model(context, model), corpus_of(context.paths, context.settings)
    with open_services(context.paths, settings, with_model=with_model, corpus=served) as services:
        if batch is not None:
            _batch(services, batch, common)
            return
        try:
            common = replace(common, scope=chosen_scope(services.corpus.filings(), company, year, item, form, filing))
        except NotFound as error:
            _refuse_scope(question or "", error, as_json)
        if replay is not None:
            _replay(services, replay, common, as_json=as_json)
            return
        assert question is not None
        answer = _one(services, question, common, conversation, as_json=as_json)
    _end_with(answer)


def _end_with(answer: Answer) -> None:
    """Leave with the code that says what came of the question."""
    if answer.status == "error":
        raise typer.Exit(1)
    if answer.status == "refused":
        raise typer.Exit(REFUSED)


def _fetch(context: Context, question: str | None, companies: Companies, years: Years) -> None:

    if context.settings.corpus.uri:
        raise UsageError("--fetch adds filings to the library of this machine, not to a corpus.", "Leave one of them out.")
    if question is not None:
        fetch_first(context, question, companies, years)


def _require_one(question: str | None, batch: Path | None, replay: str | None, conversation: str | None) -> None:
    if sum(given is not None for given in (question, batch, replay)) != 1:
        raise UsageError("Give either a question, --batch FILE, or --replay ID.", _EXAMPLE)
    if replay is not None and conversation is not None:
        raise UsageError("A replay is not saved.", "Leave out --conversation.")


def _with_model(context: Context, name: str | None) -> Settings:
    """The settings with the model of this name. Raises ``UsageError`` when the name means none; one that is only not here is
    said beside the answer, which the evidence gives.
    """
    import msgspec

    from fin_tui.engine.models.files import find_model

    settings = context.settings
    if name is None:
        return settings
    with contextlib.suppress(MissingAsset):
        find_model(name, context.paths)
    return msgspec.structs.replace(settings, model=msgspec.structs.replace(settings.model, name=name))


def _one(services: Services, question: str, common: Request, conversation: str | None, *, as_json: bool) -> Answer:
    """Answer, print, and keep the answer where ``conversation`` names one."""
    if not question.strip():
        raise UsageError("The question is empty.", _EXAMPLE)
    kept, history = open_conversation(services.library, conversation) if conversation is not None else ("", ())
    request = replace(common, question=question.strip(), history=history)
    end = _quiet(services, request) if as_json else _shown(services, request)
    if kept:
        keep(services.library, kept, end.answer, end.passages, asked=services.served)
        print(f"conversation {kept}", file=sys.stderr)
    if as_json:
        print(dumps(end.answer))
    return end.answer


def _replay(services: Services, conversation: str, common: Request, *, as_json: bool) -> None:
    replay(services, conversation, common, _quiet if as_json else _shown, as_json=as_json)


def _refuse_scope(question: str, error: NotFound, as_json: bool) -> NoReturn:
    """A scope that names what is not held is a refusal of the contract, not a failure."""
    if not as_json:
        raise error
    from fin_tui.engine.answering.compose import not_held

    print(dumps(not_held(question, None, error)))
    raise typer.Exit(REFUSED)


def _quiet(services: Services, request: Request) -> Finished:
    from fin_tui.engine.answering.answer import to_the_end

    return to_the_end(services.engine.stream(request), request, lambda _: None)


def _shown(services: Services, request: Request) -> Finished:
    from fin_tui.cli.transcript import Transcript
    from fin_tui.engine.answering.answer import to_the_end

    transcript = Transcript(sys.stdout)
    for note in services.notes:
        print(note, file=sys.stderr)
    return to_the_end(services.engine.stream(request), request, transcript.show)


def _batch(services: Services, file: Path, common: Request) -> None:
    """One output line for each input line (each turn of a conversation), in order."""
    from fin_tui.engine.answering.answer import last_answer
    from fin_tui.engine.answering.compose import failed, not_held
    from fin_tui.engine.questions.batch import read_batch, scope_of

    held = services.corpus.filings()
    for line in read_batch(file):
        try:
            request = replace(common, question=line.question, scope=scope_of(line, held), id=line.id, history=line.history)
            answer = last_answer(services.engine.stream(request), request)
        except NotFound as error:
            answer = not_held(line.question, line.id, error)
        except FinTuiError as error:
            answer = failed(line.question, line.id, error.message, error.hint)
        print(dumps(answer), flush=True)


def fetch_first(context: Context, question: str, companies: Sequence[str] | None, years: Sequence[int] | None) -> None:
    """Download what is missing; progress on standard error. Raises ``FinTuiError`` when it can't be had."""
    from fin_tui.cli.fetch import run_fetch, with_contact
    from fin_tui.filings.edgar.client import Selection
    from fin_tui.ingest.fetch_plan import Wish
    from fin_tui.network import require_network

    require_network("ask --fetch")
    missing = _missing(context, question, companies or (), tuple(years or ()))
    if missing:
        wishes = tuple(Wish(m.company, Selection(years=m.years, newest=0 if m.years else 1)) for m in missing)
        run_fetch(with_contact(context), wishes, yes=False, embed=True, as_json=False, quiet=True)


def _missing(context: Context, question: str, companies: Sequence[str], years: tuple[int, ...]) -> tuple[Missing, ...]:
    """What the options name, where they name companies; else what the question names."""
    from fin_tui.engine.answering.answer import Request
    from fin_tui.engine.answering.refusal import missing_filings
    from fin_tui.engine.services import open_services

    with open_services(context.paths, context.settings, with_model=False) as services:
        if companies:
            return tuple(filter(None, (_lacking(services.library, name, years) for name in companies)))
        understood = services.engine.understand(Request(question))
        refusal = services.engine.refuse(understood)
        if understood.target.missing or (refusal is not None and refusal.fetch):
            return missing_filings(services.engine.named(understood)[0], understood.held)
        return ()


def _lacking(library: Library, name: str, years: tuple[int, ...]) -> Missing | None:
    from fin_tui.engine.answering.refusal import Missing

    try:
        keys = library.company_keys(name)
    except NotFound:
        return Missing(name, years)
    held = {filing.fiscal_year for filing in library.filings() if filing.company_key in keys}
    gone = tuple(year for year in years if year not in held)
    return Missing(name, gone) if gone else None


def replay(
    services: Services, name: str, common: Request, answer: Callable[[Services, Request], Finished], *, as_json: bool
) -> None:
    """Ask each question of the conversation ``name`` as ``common`` says; nothing is kept. Raises ``NotFound``."""
    from fin_tui.engine.saved_items import fingerprint, replayed, requests_of

    conversation = services.library.conversations.get(name)
    turns = services.library.conversations.turns(conversation.id)
    if not turns:
        raise NotFound(f"Nothing was asked in conversation {conversation.id}.", "fin-tui conversations lists them.")
    found: list[ReplayRow] = []
    for turn, request in zip(turns, requests_of(turns, common), strict=True):
        now = answer(services, request).answer
        made = fingerprint(now, services.corpus.generation(), services.served.name if services.served else "")
        compared = replayed(turn, now, made)
        if as_json:
            found.append(_json(turn.ordinal, compared))
        else:
            _print(turn.created, compared)
    if as_json:
        print(dumps({"conversation": conversation.id, "turns": found}))


class ReplayRow(TypedDict):
    """A turn of ``ask --replay --json``: as it was answered, and as it is answered now."""

    ordinal: int
    question: str
    same: bool
    changes: tuple[str, ...]
    before: Answer
    answer: Answer


def _json(ordinal: int, compared: Replayed) -> ReplayRow:
    return {
        "ordinal": ordinal,
        "question": compared.before.question,
        "same": compared.is_same,
        "changes": compared.changes,
        "before": compared.before,
        "answer": compared.now,
    }


def _print(created: str, compared: Replayed) -> None:
    made = f" ({'; '.join(compared.changes)})" if compared.changes else ""
    if compared.is_same:
        print(f"The same as on {created[:10]}{shown(made)}.\n")
    else:
        print(f"On {created[:10]}{shown(made)} it was: {shown(compared.before.answer)}\n")
