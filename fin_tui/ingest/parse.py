"""Bytes -> everything that is stored for a filing: identity, sections, passages, facts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import msgspec

from fin_tui.config import Chunking
from fin_tui.errors import WrongForm
from fin_tui.ingest.corrections import Corrections, corrected
from fin_tui.records import Cover, Document, Filing, Section
from fin_tui.store.filings import Entry

FORMS = frozenset({"10-K", "10-K405", "10-KT", "10-KT405"})
PARSER = 6
"""Raised when reading the same bytes gives other records."""
_TELLING_ITEMS = frozenset({"1", "1A", "2", "3", "5", "7", "8", "9A"})
_ITEMS_OF_A_10K = 4
_SURE = 0.5


def parse(
    raw: bytes,
    name: str,
    chunking: Chunking,
    corrections: Corrections = Corrections(),  # noqa: B008 - frozen
    held: tuple[Filing, ...] = (),
    force: bool = False,
    known: Cover | None = None,
) -> Entry:
    """Read a file. ``name`` is a label; ``held`` are the filings of the library, whose companies a correction may name;
    ``known`` is what EDGAR says of it.

    Raises ``BadFiling`` for bytes that are no filing and ``WrongForm`` for another form, unless ``force``.
    """
    from fin_tui.filings.identity import make_filing
    from fin_tui.filings.reader import read
    from fin_tui.filings.sections import find_sections

    document = read(raw, name, known)
    sections = tuple(find_sections(document))
    filing = corrected(make_filing(document, raw, PurePath(name).name), corrections, document.cover, held)
    filing = filing if force else _accepted(filing, sections, name)
    return compose(raw, document, filing, sections, chunking, corrections)


def compose(
    raw: bytes,
    document: Document,
    filing: Filing,
    sections: tuple[Section, ...],
    chunking: Chunking,
    corrections: Corrections,
) -> Entry:
    """The entry of a document that is read already: passages are cut anew, as their headers name company and period."""
    from fin_tui.facts.from_tables import cross_check, with_table_facts, with_warning
    from fin_tui.filings.chunk import chunk_document

    document, check = with_table_facts(document), cross_check(document)
    filing = replace(
        filing,
        crosscheck=check.rate if check.compared else None,
        crosscheck_cells=check.compared,
        warnings=with_warning(filing.warnings, check),
    )
    return Entry(
        filing=filing,
        document=document,
        sections=sections,
        chunks=tuple(chunk_document(document, filing, sections, chunking)),
        raw=raw,
        parsed_by=parsed_by(chunking),
        corrections=corrections.as_mapping(),
    )


def parsed_by(chunking: Chunking) -> str:
    """What reads and cuts filings now: one stored under another name may be read again."""
    return f"{PARSER} {msgspec.json.encode(chunking).decode()}"


def _accepted(filing: Filing, sections: tuple[Section, ...], name: str) -> Filing:
    """``filing`` when it is a 10-K. One without a readable cover counts as such when it has the Items of one."""
    form = filing.form.upper().replace(" ", "")
    if form.removesuffix("/A") in FORMS:
        return filing
    if form:
        raise WrongForm(f"{name} is a {form}, not a 10-K", "--force takes it in all the same; --form 10-K if it is one.")
    items = {section.item for section in sections if section.confidence >= _SURE}
    if len(items & _TELLING_ITEMS) >= _ITEMS_OF_A_10K:
        warning = "No cover page was found; taken for a 10-K by its Items."
        return replace(filing, form="10-K", warnings=(*filing.warnings, warning))
    raise WrongForm(f"{name} has neither the cover nor the Items of a 10-K", "--force or --form 10-K takes it in all the same.")
