"""Any filing's bytes -> one Document: the format is found from the content, submissions are unpacked, the cover completed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace

from fin_tui.errors import BadFiling
from fin_tui.filings.identity import complete_cover
from fin_tui.filings.submission import Format, SubmissionPart, main_part, prepare, report_parts, split_submission, with_linkbases
from fin_tui.filings.tables import SEPARATOR, complete_tables
from fin_tui.records import Block, Cover, Document, Fact, Table


def join_documents(documents: Sequence[Document]) -> Document:
    """One document with the texts one after another, pages counted on, and every span, ordinal and page moved along.

    Format and cover are those of the first; coverage is weighted by length. Raises ``ValueError`` when there is nothing to join.
    """
    if not documents:
        raise ValueError("no documents to join")
    if len(documents) == 1:
        return documents[0]
    blocks: list[Block] = []
    facts: list[Fact] = []
    texts: list[str] = []
    offset = pages = 0
    for document in documents:
        first = len(blocks)
        blocks += [_moved_block(block, offset, first, pages) for block in document.blocks]
        facts += [_moved_fact(fact, offset, first) for fact in document.facts]
        texts.append(document.text)
        offset += len(document.text) + len(SEPARATOR)
        pages += document.pages
    weight = sum(len(text) for text in texts) or 1
    return replace(
        documents[0],
        text=SEPARATOR.join(texts),
        blocks=tuple(blocks),
        facts=tuple(facts),
        pages=pages,
        coverage=sum(document.coverage * len(document.text) for document in documents) / weight,
        warnings=tuple(dict.fromkeys(warning for document in documents for warning in document.warnings)),
    )


def _moved_block(block: Block, offset: int, first: int, pages: int) -> Block:
    return replace(
        block,
        ordinal=block.ordinal + first,
        start=block.start + offset,
        end=block.end + offset,
        page=block.page + pages,
        table=_moved_table(block.table, offset) if block.table else None,
    )


def _moved_table(table: Table, offset: int) -> Table:
    rows = tuple(tuple(replace(cell, start=cell.start + offset, end=cell.end + offset) for cell in row) for row in table.rows)
    return replace(table, rows=rows)


def _moved_fact(fact: Fact, offset: int, first: int) -> Fact:
    if fact.block is None:
        return fact
    return replace(fact, start=fact.start + offset, end=fact.end + offset, block=fact.block + first)


def read(raw: bytes, name: str, known: Cover | None = None) -> Document:
    """The filing in ``raw``, with clean text, blocks, facts and a completed cover.

    ``name`` is used in messages only: neither format nor identity is taken from it. ``known`` is what EDGAR's list says of the
    filing; the file's own SGML header goes before it. Another form than a 10-K is read all the same: its name stands in the
    cover.

    Raises ``BadFiling`` for what can't be read.
    """
    raw, found = prepare(raw, name)
    document, header = _read_submission(raw, name) if found == "submission" else (_read_one(raw, found), None)
    if not document.text.strip():
        raise BadFiling(f"{name} holds no text.", "Add a document with text; scanned pages need text recognition first.")
    return complete_tables(complete_cover(document, _with_known(header, known)))


def _with_known(header: Cover | None, known: Cover | None) -> Cover | None:
    """``header`` with its gaps filled from ``known``."""
    if header is None or known is None:
        return header or known
    return replace(known, **{field.name: value for field in fields(Cover) if (value := getattr(header, field.name))})


def _read_one(raw: bytes, found: Format) -> Document:
    if found == "pdf":
        from fin_tui.filings.pdf import read_pdf

        return read_pdf(raw)
    if found == "html":
        from fin_tui.filings.html import read_html

        return read_html(raw)
    from fin_tui.filings.text import read_text

    return read_text(raw)


def _read_submission(raw: bytes, name: str) -> tuple[Document, Cover]:
    """The annual report of a submission, with its Exhibits 13 when it points to them, and what the header says."""
    submission = split_submission(raw)
    main = main_part(submission.parts)
    if main is None:
        raise BadFiling(
            f"{name} is an EDGAR submission without a readable document.", "Download it again, or add the 10-K document itself."
        )
    documents = [_read_part(main)]
    for part in report_parts(submission.parts, documents[0].text):
        try:
            documents.append(_read_part(part))
        except BadFiling as error:
            skipped = f"{part.type} could not be read: {error.message}"
            documents[0] = replace(documents[0], warnings=(*documents[0].warnings, skipped))
    document = with_linkbases(join_documents(documents), submission.parts)
    if submission.truncated:
        document = replace(document, warnings=(*document.warnings, "The file is cut off; what is there was read."))
    return document, _with_own_type(submission.header, main)


def _read_part(part: SubmissionPart) -> Document:
    body, found = prepare(part.body, part.type or "document")
    return _read_one(body, "text" if found == "submission" else found)


def _with_own_type(header: Cover, main: SubmissionPart) -> Cover:
    """The header, with the form that the document's own type names when the header (or a stripped file) lacks one."""
    if header.form or not re.match(r"\d|S-|N-|DEF", main.type):
        return header
    return replace(header, form=main.type)
