"""Lists, yes-or-no questions and counts over real filings: inline XBRL, older HTML, plain text and PDF."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import Request, last_answer
from fin_tui.engine.services import Services, open_services
from fin_tui.ingest import Added
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.records import Answer

CORPUS = os.environ.get("FIN_TUI_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="FIN_TUI_CORPUS is not set: no real filings to ask")
FILES = (
    "filings/AAPL_10-K_FY2024_0000320193-24-000123.htm",
    "filings/TSLA_10-K_FY2023_0001628280-24-002390.htm",
    "filings/GE_10-K_FY1993_0000040545-94-000003.txt",
    "filings/TXT_10-K405_FY2001_0000950135-02-001340.txt",
    "filings/KHC_10-K_FY2023_0001637459-24-000018.htm",
    "pdf/COSTCO_2021_10K.pdf",
)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with open_services(Paths(tmp_path_factory.mktemp("structure")), Settings(), with_model=False) as opened:
        added = list(add_files(opened.library, Settings(), [Path(CORPUS) / name for name in FILES]))
        assert sum(isinstance(outcome, Added) for outcome in added) == len(FILES)
        yield opened


def ask(services: Services, question: str) -> Answer:
    request = Request(question, use_model=False, mode="sparse", rerank=False)
    answer = last_answer(services.engine.stream(request), request)
    numbers = {citation.id for citation in answer.citations}
    assert all(set(sentence.citations) <= numbers for sentence in answer.sentences)
    return answer


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("What types of vehicles does Tesla currently produce?", ["Model 3", "Model Y", "Model S", "Model X", "Cybertruck"]),
        ("What kinds of products does Apple offer?", ["iPhone", "Mac", "iPad", "Wearables, Home and Accessories"]),
        ("What are Apple's reportable segments?", ["Americas", "Europe", "Greater China", "Japan", "Rest of Asia Pacific"]),
        (
            "List Textron's segments",
            ["Aircraft", "Fastening Systems", "Industrial Components", "Industrial Products", "Finance"],
        ),
    ],
)
def test_lists(services: Services, question: str, items: list[str]) -> None:
    told = [sentence.text for sentence in ask(services, question).sentences if sentence.text[:1].isdigit()]
    assert [text.partition(". ")[2].lower() for text in told] == [item.lower() for item in items]


def test_officers_are_the_rows_of_their_table(services: Services) -> None:
    told = [sentence.text for sentence in ask(services, "Who are Kraft Heinz's executive officers?").sentences]
    assert told[0].startswith("9 executive officers in ")
    assert "Carlos Abrams-Rivera" in told[1]


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Does Apple have unresolved staff comments?", "No"),
        ("Is Tesla a shell company?", "No"),
        ("Is Costco a well-known seasoned issuer?", "Yes"),
        ("Is Kraft Heinz a large accelerated filer?", "Yes"),
        ("Was Tesla profitable in 2023?", "Yes"),
        ("Does Tesla pay dividends?", "No"),
        ("Does Apple pay dividends?", "Yes"),
        ("Is Tesla's gross margin above 20% in 2023?", "No"),
    ],
)
def test_yes_or_no(services: Services, question: str, verdict: str) -> None:
    first = ask(services, question).sentences[0]
    assert first.text.startswith(f"{verdict}: ")
    assert first.citations


@pytest.mark.parametrize("question", ["Is Tesla dependent on single suppliers?", "Does Apple depend on outsourcing partners?"])
def test_where_nothing_decides_there_is_no_verdict(services: Services, question: str) -> None:
    answer = ask(services, question)
    assert answer.status == "answered"
    assert not answer.answer.startswith(("Yes:", "No:"))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many employees does Tesla have?", 140_473),
        ("How many holders of record does Tesla have?", 9_300),
        ("How many people did General Electric employ in 1993?", 222_000),
        ("How many warehouses does Costco operate?", 815),
        ("How many brands does Kraft Heinz own?", None),
    ],
)
def test_counts_in_prose(services: Services, question: str, value: int | None) -> None:
    answer = ask(services, question)
    assert answer.value == value
    assert answer.unit == ("count" if value else None)


@pytest.mark.parametrize(
    ("question", "parts", "total"),
    [
        ("Kraft Heinz 2023 inventories split by class", ["Packaging and ingredients", "Finished products"], "$3,614"),
        ("how do costco's 2021 inventories split", ["United States", "Other International"], "$14,215"),
    ],
)
def test_a_figure_is_told_with_the_rows_that_add_up_to_it(
    services: Services, question: str, parts: list[str], total: str
) -> None:
    answer = ask(services, question)
    (quoted,) = [sentence.table for sentence in answer.sentences if sentence.table is not None]
    names = [row[0].strip() for row in quoted.rows]
    assert set(parts) <= set(names)
    assert quoted.rows[-1][1] == total
    assert not answer.caution
