"""Small filings, chunks and hits for the engine's tests."""

from __future__ import annotations

import datetime as dt

from fin_tui.records import Chunk, Filing, Hit, Ranks


def filing(company: str = "Acme Corp.", year: int = 2024, *, ticker: str = "ACME", key: str = "", form: str = "10-K") -> Filing:
    return Filing(
        id=f"{company}-{year}-{form}",
        file=f"{company}-{year}.htm",
        company=company,
        company_key=key or f"name:{company.lower()}",
        form=form,
        fiscal_year=year,
        period_end=dt.date(year, 12, 31),
        ticker=ticker,
    )


def hit(text: str, *, of: Filing | None = None, rank: int = 1, start: int = 0, table: bool = False, header: str = "") -> Hit:
    of = of or filing()
    header = header or f"{of.company} · 10-K · FY{of.fiscal_year} · Item 1A Risk Factors"
    rows = "\n".join(line.replace("\t", ": ", 1).replace("\t", "; ") for line in text.split("\n"))
    chunk = Chunk(
        id=f"{of.id}/1:{rank}",
        filing=of.id,
        ordinal=rank,
        start=start,
        end=start + len(text),
        page=3,
        page_label="2",
        item="1A",
        heading="Risk Factors",
        kind="table" if table else "prose",
        text=text,
        header=header,
        index_text=f"{header}\n{rows if table else text}",
    )
    return Hit(rank, chunk, of, 1 / (60 + rank), Ranks(dense=rank, sparse=rank))
