"""Figures of real filings: what tables give against their tags, lookups against the questions' gold."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fin_tui.config import Chunking
from fin_tui.engine.figures.facts_grid import make_grid
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure
from fin_tui.facts.from_tables import cross_check
from fin_tui.facts.lookup import FactBook
from fin_tui.filings.reader import read
from fin_tui.ingest.pipeline import parse
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


def test_tables_are_read_as_they_are_tagged_and_the_rate_is_kept(library: Library) -> None:
    assert {filing.file for filing in library.filings()} == {*TAGGED, UNTAGGED}
    for filing in library.filings():
        if filing.file in TAGGED:
            assert filing.crosscheck_cells > 500
            assert (filing.crosscheck or 0.0) >= 0.99
        else:
            assert filing.crosscheck is None


@pytest.mark.skipif(not os.environ.get("FIN_TUI_THOROUGH"), reason="reads every tagged filing of the corpus")
def test_tables_of_every_tagged_filing_are_read_as_they_are_tagged(corpus: Path) -> None:
    low: dict[str, tuple[float, object]] = {}
    seen = 0
    for path in sorted((corpus / "filings").glob("*.htm")):
        raw = path.read_bytes()
        if b"ix:nonfraction" not in raw.lower():
            continue
        seen += 1
        check = cross_check(read(raw, path.name))
        if check.rate < 0.99:
            low[path.name] = (check.rate, check.differing[:3])
    assert seen > 20
    assert not low


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


def test_a_table_over_companies_and_years_is_on_one_basis(corpus: Path, tmp_path: Path) -> None:
    apple = ("AAPL_10-K_FY2021_0000320193-21-000105.htm", "AAPL_10-K_FY2024_0000320193-24-000123.htm")
    nvidia = ("NVDA_10-K_FY2022_0001045810-22-000036.htm", "NVDA_10-K_FY2023_0001045810-23-000017.htm", *TAGGED[1:])
    with Library.open(Paths(tmp_path)) as library:
        for name in (*apple, *nvidia):
            if not (corpus / "filings" / name).exists():
                pytest.skip(reason=f"{name} is not in the corpus")
            library.add(parse((corpus / "filings" / name).read_bytes(), name, Chunking()))
        book, names = FactBook(library), ("revenue", "gross margin", "r&d as % of revenue", "diluted eps")
        cells = [
            *make_grid(book, own(library, apple[0]), names, range(2021, 2025), latest=True),
            *make_grid(book, own(library, nvidia[0]), names, range(2022, 2026), latest=True),
        ]
    rows: dict[tuple[str, str], list[float]] = {}
    for cell in cells:
        assert cell.value is not None, cell
        rows.setdefault((cell.company.split()[0], cell.name), []).append(round(float(cell.value), 3))
    assert rows["Apple", "revenue"] == [365_817e6, 394_328e6, 383_285e6, 391_035e6]
    assert rows["NVIDIA", "revenue"] == [26_914e6, 26_974e6, 60_922e6, 130_497e6]
    assert rows["Apple", "gross margin"] == [41.779, 43.31, 44.131, 46.206]
    assert rows["NVIDIA", "gross margin"] == [64.929, 56.929, 72.718, 74.989]
    assert rows["Apple", "r&d intensity"] == [5.99, 6.657, 7.805, 8.022]
    assert rows["NVIDIA", "r&d intensity"] == [19.573, 27.208, 14.24, 9.896]
    assert rows["Apple", "diluted earnings per share"] == [5.61, 6.11, 6.13, 6.08]
    assert rows["NVIDIA", "diluted earnings per share"] == [0.385, 0.17, 1.19, 2.94]
    notes = [cell.figures[0].note for cell in cells if cell.company.startswith("NVIDIA") and cell.metric == "eps_diluted"]
    assert ["10-for-1" in note for note in notes] == [True, True, True, False]
