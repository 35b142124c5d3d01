"""Numeric questions over real filings in a library of their own, asked through the whole engine without vectors or a model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import Request, last_answer
from fin_tui.engine.questions.batch import scope_of
from fin_tui.engine.services import Services, open_services
from fin_tui.evaluation.measures import judge
from fin_tui.evaluation.sets import load
from fin_tui.ingest import Added
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.records import Answer

CORPUS = os.environ.get("FIN_TUI_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="FIN_TUI_CORPUS is not set: no real filings to ask")
FILES = (
    "AAPL_10-K_FY2023_0000320193-23-000106.htm",
    "AAPL_10-K_FY2024_0000320193-24-000123.htm",
    "AAPL_10-K_FY2022_0000320193-22-000108.htm",
    "GME_10-K_FY2023_0001326380-24-000012.htm",
    "NVDA_10-K_FY2022_0001045810-22-000036.htm",
    "NVDA_10-K_FY2024_0001045810-24-000029.htm",
    "NVDA_10-K_FY2025_0001045810-25-000023.htm",
    "WFC_10-K_FY2008_0000950134-09-003967.htm",
)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with open_services(Paths(tmp_path_factory.mktemp("numbers")), Settings(), with_model=False) as opened:
        added = list(add_files(opened.library, Settings(), [Path(CORPUS) / "filings" / name for name in FILES]))
        assert sum(isinstance(outcome, Added) for outcome in added) == len(FILES)
        yield opened


def ask(services: Services, question: str, *history: str) -> Answer:
    request = Request(question, use_model=False, mode="sparse", rerank=False, history=history)
    return last_answer(services.engine.stream(request), request)


def test_the_numeric_questions_of_these_filings(services: Services) -> None:
    rows = [row for row in load(Path(CORPUS) / "qa" / "numbers.jsonl") if row.filing in FILES]
    held = services.library.filings()
    outcomes: list[tuple[str, str, str]] = []
    for row in rows:
        request = Request(row.line.question, scope=scope_of(row.line, held), mode="sparse", rerank=False, use_model=False)
        verdict = judge(last_answer(services.engine.stream(request), request), row)
        outcomes.append((verdict.outcome, row.line.question, verdict.why))
    wrong = [outcome for outcome in outcomes if outcome[0] in ("wrong", "error")]
    assert len(rows) > 60
    assert len(wrong) <= 0.01 * len(rows), wrong
    assert sum(outcome[0] == "right" for outcome in outcomes) >= 0.97 * len(rows), [o for o in outcomes if o[0] != "right"]


def test_every_figure_is_cited_at_its_place(services: Services) -> None:
    answer = ask(services, "What was Apple's operating margin in fiscal 2024?")
    assert answer.calculation is not None
    assert len(answer.facts) == 2
    cited = {citation.id: citation for citation in answer.citations}
    for fact in answer.facts:
        citation = cited[fact["citation"] or 0]
        assert fact["as_reported"] in citation.quote
        text = services.library.text(citation.filing)
        assert text[citation.start : citation.end] == citation.quote


def test_a_share_count_at_a_day_of_the_cover(services: Services) -> None:
    answer = ask(services, "How many shares did Apple have outstanding as of October 18, 2024?")
    assert answer.unit == "shares"
    assert answer.facts[0]["period_end"] == "2024-10-18"


def test_what_10_ks_do_not_state_is_no_number(services: Services) -> None:
    for question in (
        "What was Apple's revenue in the second quarter of fiscal 2024?",
        "How many iPhone units did Apple sell in fiscal 2024?",
        "What was GameStop's churn rate in 2023?",
    ):
        assert ask(services, question).value is None, question


def test_a_conversation(services: Services) -> None:
    before = ("What was Apple's net income in fiscal 2024?", "And in 2023?")
    answer = ask(services, "How much did it change from the year before, in percent?", *before)
    assert answer.unit == "%"
    assert answer.calculation is not None
    assert {entry["period_end"] for entry in answer.calculation["inputs"].values()} == {"2023-09-30", "2022-09-24"}


def test_a_filing_without_its_statements_gives_no_figure(services: Services) -> None:
    answer = ask(services, "What was Wells Fargo's net income in 2008?")
    assert answer.refusal is not None
    assert answer.refusal.kind == "not_disclosed"
    assert "has no financial statements" in answer.refusal.message
    assert answer.value is None


def test_a_table_of_two_companies_over_years_of_their_own(services: Services) -> None:
    answer = ask(
        services,
        "Table of revenue, gross margin, R&D as a share of revenue and diluted EPS for Apple FY2021-2024 and NVIDIA FY2022-2025",
    )
    assert answer.table is not None
    assert answer.table["columns"] == ["FY2021", "FY2022", "FY2023", "FY2024", "FY2025"]
    rows = {row["label"]: [cell["value"] for cell in row["cells"]] for row in answer.table["rows"]}
    assert rows["Apple Inc. · revenue"] == [365817e6, 394328e6, 383285e6, 391035e6, None]
    assert rows["NVIDIA Corporation · revenue"] == [None, 26914e6, 26974e6, 60922e6, 130497e6]
    assert rows["Apple Inc. · gross margin"] == pytest.approx([41.78, 43.31, 44.13, 46.21, None], abs=0.005)
    assert rows["NVIDIA Corporation · gross margin"] == pytest.approx([None, 64.93, 56.93, 72.72, 74.99], abs=0.005)
    assert rows["Apple Inc. · R&D intensity"] == pytest.approx([5.99, 6.66, 7.80, 8.02, None], abs=0.006)
    assert rows["NVIDIA Corporation · R&D intensity"] == pytest.approx([None, 19.57, 27.21, 14.24, 9.90], abs=0.006)
    assert rows["Apple Inc. · diluted earnings per share"] == [5.61, 6.11, 6.13, 6.08, None]
    assert rows["NVIDIA Corporation · diluted earnings per share"] == [None, 0.385, 0.17, 1.19, 2.94]
    assert "first reported as $11.93 per share" in " ".join(sentence.text for sentence in answer.sentences)
    heading, *told = answer.sentences
    assert heading.text == "4 figures, Apple and NVIDIA, FY2021 to FY2025."  # It names the table and states none of its figures.
    assert all(sentence.citations for sentence in told)


@pytest.mark.parametrize(
    "question",
    [
        "How did Apple's revenue develop from 2022 to 2024?",
        "What was the trajectory of Apple's net sales over the last three years?",
        "Show Apple's top line over the past three fiscal years",
        "How has Apple's revenue moved since 2022?",
    ],
)
def test_a_trend_of_a_real_filing(services: Services, question: str) -> None:
    answer = ask(services, question)
    assert answer.unit == "%"
    assert answer.value == pytest.approx(-0.835, abs=0.001)
    assert {fact["value"] for fact in answer.facts} == {394328e6, 383285e6, 391035e6}
