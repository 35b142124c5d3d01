"""Small filings for the tests of storing: real documents, built as a reader builds them."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence

from fin_tui.filings.table_cells import RawCell
from fin_tui.filings.tables import DocumentBuilder
from fin_tui.records import BlockKind, Chunk, Cover, Document, Fact, Filing, Section
from fin_tui.store.filings import Entry

PARAGRAPHS = (
    "Example makes widgets, and depends on a few outsourcing partners for their final assembly.",
    "Demand for widgets may fall, and competitors may cut their prices.",
    "Net sales grew because customers bought more widgets.",
)


def make_entry(
    *,
    company: str = "Example Corp.",
    cik: str = "0000000042",
    year: int = 2023,
    form: str = "10-K",
    accession: str = "",
    file: str = "",
    ticker: str = "",
    paragraphs: Sequence[str] = PARAGRAPHS,
    irs_number: str = "",
    commission_file: str = "",
    period_end: dt.date | str | None = "",
) -> Entry:
    """A filing with one paragraph each in Items 1, 1A and 7, a table in Item 8, two facts, and a chunk for each block."""
    period = dt.date(year, 9, 30) if period_end == "" else period_end
    assert not isinstance(period, str)
    document = _document(paragraphs, Cover(company, form, year, period, cik, ticker, irs_number, commission_file, accession))
    raw = f"{company} {form} {year} {accession}\n{document.text}".encode()
    key = f"cik:{cik}" if cik else f"irs:{irs_number}" if irs_number else f"name:{company.casefold()}"
    filing = Filing(
        id=accession or f"sha256:{hashlib.sha256(raw).hexdigest()[:16]}",
        file=file or f"{company.split()[0].lower()}-{year}.htm",
        company=company,
        company_key=key,
        form=form,
        fiscal_year=year,
        period_end=period,
        cik=cik,
        ticker=ticker,
        pages=document.pages,
        format=document.format,
    )
    sections = tuple(
        Section("I" if item.startswith("1") else "II", item, f"Item {item}", block.start, block.end, block.page, 0.9)
        for item, block in zip(("1", "1A", "7", "8"), document.blocks, strict=False)
    )
    chunks = tuple(_chunk(filing, document, section, ordinal) for ordinal, section in enumerate(sections))
    return Entry(filing, document, sections, chunks, raw, parsed_by="test")


def _document(paragraphs: Sequence[str], cover: Cover) -> Document:
    builder = DocumentBuilder()
    for page, paragraph in enumerate(paragraphs, 1):
        builder.add(BlockKind.PARAGRAPH, paragraph, page=page, page_label=f"F-{page}")
    cells = [RawCell("(In millions)", 0, 0), RawCell("2023", 0, 1), RawCell("Net sales", 1, 0), RawCell("391,035", 1, 1)]
    table = builder.add_table(cells, page=4, above=("CONSOLIDATED STATEMENTS",))
    assert table is not None
    sales = builder.text.index("391,035")
    facts = (
        Fact(
            "us-gaap:Revenues",
            "Net sales",
            391_035e6,
            "391,035",
            "usd",
            dt.date(2022, 10, 1),
            dt.date(2023, 9, 30),
            {"us-gaap:StatementBusinessSegmentsAxis": "ex:WidgetsMember"},
            -6,
            "xbrl",
            sales,
            sales + 7,
            table.block.ordinal,
        ),
        Fact("dei:EntityRegistrantName", "", None, cover.company, "", None, None),
    )
    return Document("ixbrl", builder.text, tuple(builder.blocks), 4, cover, facts, 0.99, ("a warning",))


def _chunk(filing: Filing, document: Document, section: Section, ordinal: int) -> Chunk:
    text = document.text[section.start : section.end]
    header = f"{filing.company} · {filing.form} · FY{filing.fiscal_year} · Item {section.item}"
    return Chunk(
        id=f"{filing.id}/1:{ordinal}",
        filing=filing.id,
        ordinal=ordinal,
        start=section.start,
        end=section.end,
        page=section.page,
        page_label="",
        item=section.item,
        heading=section.title,
        kind="table" if section.item == "8" else "prose",
        text=text,
        header=header,
        index_text=f"{header}\nNet sales were 391,035 million." if section.item == "8" else f"{header}\n{text}",
    )
