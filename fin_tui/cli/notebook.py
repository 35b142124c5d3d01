"""What was saved: ``fin-tui conversations`` and ``fin-tui notebook`` list it, ``fin-tui export`` takes it out.

``ask`` goes on with a conversation from here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli.output import AsJson, current
from fin_tui.errors import UsageError

if TYPE_CHECKING:
    from fin_tui.engine.evidence import Passage
    from fin_tui.engine.exports import Format, Page
    from fin_tui.records import Answer
    from fin_tui.retrieval.backend import Served
    from fin_tui.store.kept import NotebookEntry
    from fin_tui.store.library import Library


NOTEBOOK = "notebook"


class Form(StrEnum):
    """What an export is written as."""

    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"


FORMATS: Mapping[Form, Format] = {Form.MARKDOWN: "md", Form.HTML: "html", Form.JSON: "json", Form.XLSX: "json", Form.CSV: "csv"}
"""How a page is written; with --json a workbook is asked for as its document."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(name="conversations")(conversations)
    app.command(name="notebook")(notebook)
    app.command(name="export")(export)


def notebook(
    ctx: typer.Context,
    note: Annotated[tuple[int, str], typer.Option(help="Give entry N the note TEXT.", metavar="N TEXT", show_default=False)] = (
        0,
        "",
    ),
    move: Annotated[
        tuple[int, int],
        typer.Option(help="Move entry N by so many places, up where negative.", metavar="N BY", show_default=False),
    ] = (0, 0),
    delete: Annotated[int | None, typer.Option(help="Delete entry N.", metavar="N", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List what was saved in the app: figures, passages, answers, in your order, each with its note.

    Example: fin-tui export notebook --format html -o memo.html
    """
    from fin_tui.cli.output import dumps
    from fin_tui.store.library import Library

    with Library.open(current(ctx).paths) as library:
        if note[0]:
            library.notebook.annotate(note[0], note[1])
        if move[0]:
            library.notebook.move(*move)
        if delete is not None:
            library.notebook.remove(delete)
        if as_json:
            print(dumps(_notebook(library).document["entries"]))
            return
        entries = library.notebook.all()
    for entry in entries:
        _show(entry)


def export(
    ctx: typer.Context,
    what: Annotated[
        str,
        typer.Argument(help="A conversation's id or its beginning, notebook, or a sheet's name.", metavar="ID|notebook|SHEET"),
    ],
    form: Annotated[
        Form, typer.Option("--format", "-f", help="csv gives the figures only; xlsx a workbook with live formulas.")
    ] = Form.MARKDOWN,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file instead of standard output.")] = None,
    with_unsupported: Annotated[
        bool,
        typer.Option("--with-unsupported", help="Write the notebook also when nothing supports a sentence of it; it is marked."),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of -o where it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Write a conversation or the notebook with its sources as footnotes: Markdown, HTML or JSON; its figures as CSV. Those and a
    sheet as a workbook: inputs linked to their sources, everything computed a live formula.

    Example: fin-tui export notebook --format html -o answers.html
    """
    from fin_tui.engine.exports import refuse_unsupported
    from fin_tui.engine.exports.file import text_of, write
    from fin_tui.store.library import Library

    if not what.strip():
        raise UsageError("Export what?", "A conversation's id (fin-tui conversations lists them), notebook, or a sheet's name.")
    refuse_taken(output, overwrite=overwrite)
    if form is Form.XLSX and not as_json:
        _workbook(ctx, what, output)
        return
    with Library.open(current(ctx).paths) as library:
        page = _notebook(library) if what == NOTEBOOK else _conversation(library, what)
    if what == NOTEBOOK and form in (Form.MARKDOWN, Form.HTML) and not as_json:
        refuse_unsupported(page, allowed=with_unsupported)
    text = text_of(page, "json" if as_json else FORMATS[form])
    if output is not None:
        write(output, text)
    else:
        sys.stdout.write(text)


def refuse_taken(output: Path | None, *, overwrite: bool) -> None:
    """Ask before a file is replaced; raises ``NameTaken`` where no one can be asked, or says no."""
    from fin_tui.engine.exports.file import NameTaken

    if output is None or overwrite or not output.exists() or not output.is_file():
        return
    if not sys.stdin.isatty() or not typer.confirm(f"{output} exists already. Replace it?", err=True):
        raise NameTaken(output, "Name another file with -o, or replace it with --overwrite.")


def _workbook(ctx: typer.Context, what: str, output: Path | None) -> None:
    """Write a workbook; to a file, as no terminal shows one."""
    from fin_tui.cli.sheet import export_sheet
    from fin_tui.errors import NotFound
    from fin_tui.sheets.workbook import answers_book, told_of_answer, told_of_entry
    from fin_tui.sheets.xlsx import save
    from fin_tui.store.library import Library

    context = current(ctx)
    if output is None:
        raise UsageError(
            "A workbook is written to a file.", "Name it with -o: fin-tui export notebook --format xlsx -o notes.xlsx"
        )
    with Library.open(context.paths) as library:
        if what == NOTEBOOK:
            save(answers_book("Notebook", [told_of_entry(entry) for entry in library.notebook.all()]), output)
            return
        names = {sheet.name.casefold() for sheet in library.sheets.all()}
        if what.strip().casefold() not in names:
            try:
                found = library.conversations.get(what)
            except NotFound as error:
                hint = "fin-tui conversations and fin-tui sheet list show what there is."
                raise NotFound(f"No conversation and no sheet {what!r}.", hint) from error
            turns = library.conversations.turns(found.id)
            save(answers_book(found.title or "Conversation", [told_of_answer(turn.answer) for turn in turns]), output)
            return
    export_sheet(context, what, output)


def _notebook(library: Library) -> Page:
    from fin_tui.engine.exports import of_notebook
    from fin_tui.engine.saved_items import trace

    entries = library.notebook.all()
    return of_notebook(entries, trace((entry.saved for entry in entries), library))


def _conversation(library: Library, name: str) -> Page:
    from fin_tui.engine.exports import of_conversation

    found = library.conversations.get(name)
    return of_conversation(found, library.conversations.turns(found.id))


def _show(entry: NotebookEntry) -> None:
    from fin_tui.cli.output import shown

    saved: Any = entry.saved
    first = " ".join(shown(saved.text).split()[:16])
    print(f"{entry.number:>4}  {saved.kind:<8} {shown(saved.title)}{f'  {first} …' if saved.kind == 'passage' else ''}")
    if saved.kind == "figure":
        print(f"{'':14} {shown(saved.text)}")
    if entry.note:
        print(f"{'':14} note: {shown(entry.note)}")


NEW = "new"


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
    from fin_tui.engine.saved_items import history_of

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
    from fin_tui.engine.saved_items import evidence_of, fingerprint

    made = fingerprint(answer, (asked or library).generation(), asked.name if asked else "")
    library.conversations.append(conversation, answer.question, answer, made, evidence_of(passages))
