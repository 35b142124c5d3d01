"""The evaluator over a real filing and real questions, with the real encoder, and over FinQA's own files where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fin_tui.config import Encoder, Settings
from fin_tui.engine.searching import open_finder
from fin_tui.engine.services import open_services
from fin_tui.evaluation import Examiner, Options, only_program, relevance
from fin_tui.evaluation.report import Scored, summarise
from fin_tui.evaluation.sets import load
from fin_tui.ingest import Added
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.retrieval.encoder import load_encoder

TESLA = "TSLA_10-K_FY2023_0001628280-24-002390.htm"
MOST = 25


@pytest.fixture(scope="module")
def scored(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Scored]:
    """The first narrative questions about one filing, by words alone, and two that must be refused."""
    paths, settings = Paths(tmp_path_factory.mktemp("evaluation")), Settings()
    rows = [row for row in load(corpus / "qa" / "narrative.jsonl") if row.filing == TESLA][:MOST]
    rows += [row for row in load(corpus / "qa" / "refusals.jsonl") if row.refusal == ("advice",)][:2]
    with open_services(paths, settings, with_model=False) as services:
        outcomes = list(add_files(services.library, settings, [corpus / "filings" / TESLA]))
        assert any(isinstance(outcome, Added) for outcome in outcomes)
        finder = open_finder(services.library, paths, settings)
        options = Options(mode="sparse", rerank=False)
        return list(Examiner(services.engine, finder, services.library.filings(), options).run(rows))


def test_real_questions_are_found_answered_and_refused(scored: Sequence[Scored]) -> None:
    entries = {entry["class"]: entry for entry in summarise(scored)}
    measures = entries["narrative"]["measures"]
    assert measures["R@5"]["n"] == MOST
    assert measures["R@5"]["mean"] >= 0.8
    assert measures["R@1"]["mean"] <= measures["R@3"]["mean"] <= measures["R@5"]["mean"] <= measures["R@10"]["mean"]
    assert measures["R@1"]["mean"] <= measures["MRR"]["mean"] <= measures["R@10"]["mean"]
    assert 0.1 < measures["token F1"]["mean"] < 0.9
    assert measures["citation recall"]["mean"] >= 0.5
    assert measures["R@5"]["low"] < measures["R@5"]["mean"] <= measures["R@5"]["high"]
    assert entries["refusal"]["measures"]["refusal recall"]["mean"] == 1
    assert entries["narrative"]["ms"]["answer"]["p95"] >= entries["narrative"]["ms"]["answer"]["p50"] > 0


def test_with_one_filing_the_two_readings_agree(scored: Sequence[Scored]) -> None:
    assert all(one.rank == one.rank_lenient for one in scored)


def test_the_real_encoder_tells_an_answer_from_another_ones(models_dir: Path, paths: Paths) -> None:
    if not (models_dir / "bge-small-en").is_dir():
        pytest.skip(reason="the encoder's weights are not there")
    encoder = load_encoder(Encoder(model=str(models_dir / "bge-small-en")), paths)
    question = "Who assembles Tesla's battery packs?"
    near = relevance(encoder, question, "Tesla assembles its battery packs in Nevada.")
    far = relevance(encoder, question, "Dividends are paid each quarter.")
    assert near > far + 0.1


def test_published_programs_come_to_their_results(corpus: Path) -> None:
    files = sorted((corpus / "qa").glob("*finqa*.json"))
    if not files:
        pytest.skip(reason="no FinQA or ConvFinQA file in the corpus")
    for file in files:
        found = [only_program(row) for row in load(file)]
        right = sum(one.outcome == "right" for one in found)
        assert found, file.name
        assert right >= 0.97 * len(found), [one for one in found if one.outcome != "right"][:5]
