"""Searching a few real filings by words alone: the question narrows, figures and statements come first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.config import Chunking, Settings
from fin_tui.engine.searching import Finder, open_finder
from fin_tui.ingest.pipeline import parse
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.store.library import Library

FILES = (
    "filings/AAPL_10-K_FY2023_0000320193-23-000106.htm",
    "filings/AAPL_10-K_FY2024_0000320193-24-000123.htm",
    "filings/NVDA_10-K_FY2024_0001045810-24-000029.htm",
    "pdf/COSTCO_2021_10K.pdf",
)


@pytest.fixture(scope="module")
def finder(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finder]:
    paths = Paths(tmp_path_factory.mktemp("search"))
    with Library.open(paths) as library:
        for name in FILES:
            if not (corpus / name).exists():
                pytest.skip(reason=f"{name} is not in the corpus")
            library.add(parse((corpus / name).read_bytes(), Path(name).name, Chunking()))
        yield open_finder(library, paths, Settings())


@pytest.mark.parametrize(
    ("question", "printed"),
    [
        ("What was Apple's gross profit in fiscal 2023?", "169,148"),
        ("What was Apple's purchases of property, plant and equipment in fiscal 2023?", "10,959"),
        ("How much were Nvidia's share repurchases in fiscal 2024?", "9,533"),
    ],
)
def test_the_place_of_a_figure_is_among_the_first(finder: Finder, question: str, printed: str) -> None:
    found = finder.search(question, rerank=False)
    year = found.target.filings[0].fiscal_year
    assert any(printed in hit.chunk.text and hit.filing.fiscal_year == year for hit in found.hits[:2])
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert len({hit.filing.company for hit in found.hits}) == 1


def test_a_figure_that_a_later_filing_repeats_is_shown_there_too(finder: Finder) -> None:
    hits = finder.search("What was Apple's gross profit in fiscal 2023?", rerank=False).hits
    years = [hit.filing.fiscal_year for hit in hits[:4] if "169,148" in hit.chunk.text]
    assert years[0] == 2023
    assert 2024 in years
    within = finder.search("What was Apple's gross profit in fiscal 2023?", Scope(fiscal_years=(2023,)), rerank=False).hits
    assert {hit.filing.fiscal_year for hit in within} == {2023}


def test_a_statement_that_the_question_names_comes_first(finder: Finder) -> None:
    question = "Using only the information within the balance sheet, how much total assets did Costco have at the end of FY2021?"
    first = finder.search(question, rerank=False).hits[0]
    assert (first.filing.file, first.chunk.page) == ("COSTCO_2021_10K.pdf", 38)


def test_a_ratio_brings_the_statements_of_its_parts(finder: Finder) -> None:
    hits = finder.search("Did Costco's quick ratio improve in FY2021?", rerank=False).hits
    assert any("BALANCE SHEETS" in hit.chunk.header and hit.chunk.page == 38 for hit in hits[:5])


def test_without_a_year_older_filings_speak_after_the_latest(finder: Finder) -> None:
    found = finder.search("How did Apple describe the State Aid Decision?", rerank=False)
    assert found.hits[0].filing.fiscal_year == 2024
    assert found.target.label == "Apple Inc. FY2024"


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("What was Toyota's net income in fiscal 2023?", "No company in the library is called Toyota."),
        ("What was Apple's revenue in fiscal 2009?", "Apple Inc. FY2009"),
    ],
)
def test_what_is_not_held_is_said(finder: Finder, question: str, note: str) -> None:
    found = finder.search(question, rerank=False)
    assert found.hits == ()
    assert any(note in said for said in found.notes)


def test_a_query_that_names_nothing_searches_everything(finder: Finder) -> None:
    found = finder.search("supply chain risk", rerank=False)
    assert len({hit.filing.company for hit in found.hits}) > 1
    assert found.target.label == "all 4 filings"
