"""A small filing with all that a corpus stores, and vectors for it."""

from __future__ import annotations

import datetime as dt

import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Block, BlockKind, Chunk, Cover, Document, Fact, Filing, Section
from fin_tui.store.filings import Entry

ENCODER = "made"
DIMENSION = 8
WORDS = ("supply", "chain", "lawsuit", "revenue", "growth", "zeppelin", "hangar", "tariff", "currency", "cloud")


def make_entry(company: str = "Acme Corp", year: int = 2024, *, chunks: int = 6, accession: str = "") -> Entry:
    """Passages of words that ``year`` shifts, one fact a passage; the first half in Item 1A, the rest in Item 7."""
    cik = f"{sum(map(ord, company)):010}"
    filing_id = accession or f"{cik}-{year % 100:02}-000001"
    texts = [f"{company} says {' '.join(WORDS[(n + year + k) % len(WORDS)] for k in range(4 + n % 3))}." for n in range(chunks)]
    starts = [sum(len(text) + 1 for text in texts[:n]) for n in range(chunks + 1)]
    half = starts[chunks // 2]
    sections = (Section("I", "1A", "Risk Factors", 0, half, 1, 1.0), Section("II", "7", "MD&A", half, starts[-1], 2, 1.0))
    made = tuple(
        Chunk(
            f"{filing_id}/1:{n}", filing_id, n, starts[n], starts[n] + len(text), 1, "", "1A" if n < chunks // 2 else "7",
            "", "prose", text, f"{company} · 10-K", f"{company} · 10-K\n{text}",
        )
        for n, text in enumerate(texts)
    )  # fmt: skip
    end = dt.date(year, 12, 31)
    facts = tuple(
        Fact(f"us-gaap:Fact{n}", f"Row {n}", year + n / 3, str(n), "usd", None, end, {"a:Axis": "a:Member"} if n % 2 else {})
        for n in range(chunks)
    )
    text = "\n".join(texts) + "\n"
    cover = Cover(company, "10-K", year, end, cik, "ACM", "94-2404110", "001-04242")
    block = Block(0, BlockKind.PARAGRAPH, 0, len(text), 1)
    document = Document("html", text, (block,), 3, cover, facts, 0.99, ("a warning",))
    filing = Filing(filing_id, f"{cik}-{year}.htm", company, f"cik:{cik}", "10-K", year, end, cik=cik, ticker="ACM")
    return Entry(filing, document, sections, made, f"{company} {year}".encode(), "parser 1", {"form": "10-K"})


def make_vectors(entry: Entry, seed: int = 3) -> NDArray[np.float32]:
    """Unit rows, one a passage; others for another filing."""
    chance = np.random.default_rng([seed, sum(map(ord, entry.filing.id))])
    rows = chance.standard_normal((len(entry.chunks), DIMENSION)).astype(np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


class Encoder:
    """Questions as vectors that their words decide."""

    name = ENCODER
    dimension = DIMENSION

    def encode_query(self, text: str) -> NDArray[np.float32]:
        row = np.random.default_rng(list(text.encode())).standard_normal(DIMENSION).astype(np.float32)
        unit: NDArray[np.float32] = row / np.linalg.norm(row)
        return unit

    def encode_passages(self, texts: object) -> NDArray[np.float32]:
        raise AssertionError("the passages have their vectors")
