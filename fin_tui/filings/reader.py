"""Any filing's bytes -> one Document: the format is found from the content, submissions are unpacked, the cover completed.

Who filed what for which period stands in the cover, filled from its three sources field by field: tagged facts win, then what the
filing prints (its cover page first, then the other places that name the registrant), then the SGML header. The filing's id and
company key follow from it. A file's name is a label for people and is never read.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace

from fin_tui.errors import BadFiling
from fin_tui.filings.company_names import normal_company, spelled_out, tidy_company
from fin_tui.filings.cover import cover_from_text, derive_fiscal_year
from fin_tui.filings.submission import Format, SubmissionPart, main_part, prepare, report_parts, split_submission, with_linkbases
from fin_tui.filings.tables import SEPARATOR, complete_tables
from fin_tui.records import Block, Cover, Document, Fact, Filing, Table


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


_FORMS = (*"0123456789", "S-", "N-", "DEF")
"""How the types of documents that are forms begin."""


def _with_own_type(header: Cover, main: SubmissionPart) -> Cover:
    """The header, with the form that the document's own type names when the header (or a stripped file) lacks one."""
    if header.form or not main.type.startswith(_FORMS):
        return header
    return replace(header, form=main.type)


_ARCHIVES = "https://www.sec.gov/Archives/edgar/data"
_WEEK = 7
_FEW_TABLES = 5
"""Tables that must share a day before it counts as the end of the period."""


def complete_cover(document: Document, header: Cover | None = None) -> Document:
    """``document`` with its cover filled: what its facts gave, else its cover page, else the submission's ``header``."""
    tagged = document.cover
    header = header or Cover()
    printed = cover_from_text(document.text, document.beside)
    period_end = tagged.period_end or printed.period_end or header.period_end
    warnings = document.warnings
    if period_end is None and (period_end := _end_of_tables(document)):
        warnings = (*warnings, f"The cover gives no period end; {period_end} was taken from the columns of the tables.")
    cover = Cover(
        company=_company(tagged, printed, header, document.text),
        form=_form(tagged.form or printed.form, header.form),
        fiscal_year=tagged.fiscal_year,
        period_end=period_end,
        cik=tagged.cik or header.cik,
        # EDGAR's list has the symbol that people know the company by today; an SGML header has none.
        ticker=header.ticker or tagged.ticker or printed.ticker,
        irs_number=tagged.irs_number or printed.irs_number or header.irs_number,
        commission_file=tagged.commission_file or printed.commission_file or header.commission_file,
        accession=header.accession or tagged.accession,
        filed=header.filed or tagged.filed,
    )
    if cover.fiscal_year is None and period_end:
        cover = replace(cover, fiscal_year=derive_fiscal_year(document.text, period_end))
    if header.period_end and period_end and abs((header.period_end - period_end).days) > _WEEK:
        warnings = (
            *warnings,
            f"The cover gives the period end {period_end}, the SGML header {header.period_end}; the cover was taken.",
        )
    if not cover.form:
        warnings = (*warnings, "No cover page of an SEC form was found.")
    return replace(document, cover=cover, warnings=warnings)


def _company(tagged: Cover, printed: Cover, header: Cover, text: str) -> str:
    if tagged.company:
        return tidy_company(spelled_out(tagged.company, printed.company), text)
    if printed.company:
        return printed.company
    return tidy_company(header.company, text) if header.company else ""


def _end_of_tables(document: Document) -> dt.date | None:
    """The latest of the days that most tables have a column for; None where too few have any."""
    ends = Counter(
        end
        for block in document.blocks
        if block.table
        for end in {column.period_end for column in block.table.columns if column.period_end}
    )
    enough = max(_FEW_TABLES, max(ends.values(), default=0) / 2)
    return max((end for end, count in ends.items() if count >= enough), default=None)


def _form(own: str, header: str) -> str:
    """The document's own form, or the header's where that says the same more exactly (10-K405 and 10-K/A print "10-K")."""
    if not own:
        return header
    return header if header and header.startswith(own) else own


def company_key(cover: Cover) -> str:
    """What makes two filings one company's: "cik:0000320193", else "irs:94-2404110", "file:0-10030" or "name:apple inc"."""
    if cover.cik:
        return f"cik:{cover.cik}"
    if cover.irs_number:
        return f"irs:{cover.irs_number}"
    if cover.commission_file:
        return f"file:{_file_number(cover.commission_file)}"
    return f"name:{normal_company(cover.company)}"


def _file_number(number: str) -> str:
    """A Commission file number without the zeros that some writers put before its parts: "000-10030" is "0-10030"."""
    return "-".join(part.lstrip("0") or part[-1:] for part in number.split("-"))


def make_filing(document: Document, raw: bytes, file_name: str) -> Filing:
    """The library's record of a filing, before sections and chunks are counted.

    ``raw`` is the file as added: its hash is the id when no SGML header gave an accession number. ``file_name`` is kept as a
    label only.
    """
    cover = document.cover
    return Filing(
        id=cover.accession or f"sha256:{hashlib.sha256(raw).hexdigest()[:16]}",
        file=file_name,
        company=cover.company,
        company_key=company_key(cover),
        form=cover.form,
        fiscal_year=cover.fiscal_year,
        period_end=cover.period_end,
        cik=cover.cik,
        ticker=cover.ticker,
        filed=cover.filed,
        pages=document.pages,
        facts=len(document.facts),
        format=document.format,
        coverage=document.coverage,
        url=filing_url(cover),
        warnings=document.warnings,
    )


def filing_url(cover: Cover) -> str:
    """The filing's index page at EDGAR; "" unless both CIK and accession number are known."""
    if not (cover.cik and cover.accession):
        return ""
    return f"{_ARCHIVES}/{int(cover.cik)}/{cover.accession.replace('-', '')}/{cover.accession}-index.htm"
