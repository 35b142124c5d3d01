"""Figures of real filings: what tables give against their tags, lookups against the questions' gold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fin_tui.config import Chunking
from fin_tui.facts.crosscheck import cross_check
from fin_tui.facts.figures import Figure
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.metrics import vocabulary
from fin_tui.ingest.parse import parse
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.store.library import Library

TAGGED = (
    "AAPL_10-K_FY2024_0000320193-24-000123.htm",
    "NVDA_10-K_FY2024_0001045810-24-000029.htm",
    "NVDA_10-K_FY2025_0001045810-25-000023.htm",
)
UNTAGGED = "COSTCO_2021_10K.pdf"
_SEGMENT = re.compile(r"earn from (.*) in fiscal")


@pytest.fixture(scope="module")
def library(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A few real filings, parsed once."""
    with Library.open(Paths(tmp_path_factory.mktemp("facts"))) as library:
        for path in (*(corpus / "filings" / name for name in TAGGED), corpus / "pdf" / UNTAGGED):
            if not path.exists():
                pytest.skip(reason=f"{path.name} is not in the corpus")
            library.add(parse(path.read_bytes(), path.name, Chunking()))
        yield library


def gold(corpus: Path, kind: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (corpus / "qa" / "numbers.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["kind"] == kind and row["filing"] in TAGGED]


def own(library: Library, file: str) -> list[Filing]:
    filings = library.filings()
    key = next(filing.company_key for filing in filings if filing.file == file)
    return [filing for filing in filings if filing.company_key == key]


def right(found: object, row: dict[str, Any]) -> bool:
    accepted = [row["value"], *row.get("accept", [])]
    return isinstance(found, Figure) and any(
        abs(float(found.value) - value) <= row["tolerance"] * abs(value) for value in accepted
    )


def test_lookups_agree_with_an_independent_reader(library: Library, corpus: Path) -> None:
    book = FactBook(library)
    rows = gold(corpus, "lookup")
    assert len(rows) > 10
    for row in rows:
        mention = vocabulary().find(row["question"])[0]
        found = book.figure(mention.metric, own(library, row["filing"]), row["fiscal_year"])
        assert right(found, row), (row["question"], found)


def test_segments_and_regions_agree_with_an_independent_reader(library: Library, corpus: Path) -> None:
    book = FactBook(library)
    revenue = vocabulary().get("revenue")
    assert revenue is not None
    for row in gold(corpus, "segment"):
        phrase = _SEGMENT.search(row["question"])
        assert phrase is not None
        found = book.dimensioned(phrase[1], revenue, own(library, row["filing"]), row["fiscal_year"])
        assert right(found, row), (row["question"], found)


def test_earnings_per_share_across_a_split(library: Library) -> None:
    filings = own(library, TAGGED[-1])
    diluted = vocabulary().get("eps_diluted")
    assert diluted is not None
    found = FactBook(library).figure(diluted, filings, 2024)
    assert isinstance(found, Figure)
    assert (float(found.value), float(found.restated or 0)) == (11.93, 1.19)
    assert "10-for-1" in found.note
    series = FactBook(library).series(diluted, filings, [2022, 2024, 2025])
    assert [round(float(figure.value), 3) for figure in series if isinstance(figure, Figure)] == [0.385, 1.19, 2.94]


@pytest.mark.parametrize("name", TAGGED[:2])
def test_tables_are_read_as_they_are_tagged(library: Library, name: str) -> None:
    filing = next(filing for filing in library.filings() if filing.file == name)
    check = cross_check(library.document(filing.id))
    assert check.compared > 500
    assert check.rate >= 0.99, check.differing[:5]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("total_assets", 59_268e6),
        ("revenue", 195_929e6),
        ("net_income", 5_007e6),
        ("operating_cash_flow", 8_958e6),
        ("capex", 3_588e6),
        ("inventory", 14_215e6),
        ("eps_diluted", 11.27),
        ("shares_diluted", 444_346e3),
    ],
)
def test_a_pdf_without_tags_gives_its_statements(library: Library, metric: str, value: float) -> None:
    wanted = vocabulary().get(metric)
    assert wanted is not None
    found = FactBook(library).figure(wanted, own(library, UNTAGGED), 2021)
    assert isinstance(found, Figure), found
    assert float(found.value) == value
    assert found.fact.source == "table"
