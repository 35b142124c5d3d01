"""Questions asked of a made library: what is measured of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fin_tui.engine.searching import Finder
from fin_tui.errors import ModelFailed
from fin_tui.evaluation import Examiner, Options
from fin_tui.evaluation.report import Scored
from tests.unit.engine.answering.test_answer import ACME, QUESTION, TEXT, Library, Searcher, engine
from tests.unit.engine.made import filing, hit
from tests.unit.evaluation.made import rows

OLDER, RIVAL = filing(year=2023), filing("Globex Inc.", 2024, ticker="GBX")
ELSE = "Demand for our hardware partners varies with the seasons and with the weather in Asia."


@dataclass
class TwoWays:
    """An encoder in whose plane a question and any answer are 60 degrees apart."""

    name: str = "made"
    dimension: int = 2

    def encode_query(self, text: str) -> NDArray[np.float32]:
        return np.array([1, 0], np.float32)

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[0.5, np.sqrt(0.75)]] * len(texts), np.float32)


def examine(
    folder: Path, *raws: Mapping[str, object], searcher: Searcher | None = None, encoder: TwoWays | None = None
) -> list[Scored]:
    held = Library((ACME, OLDER, RIVAL))
    searcher = searcher or Searcher((hit(ELSE, of=ACME, rank=1), hit(TEXT, of=ACME, rank=2)))
    examiner = Examiner(engine(None, searcher, held), Finder(searcher, held), held.held, Options(), encoder)
    return list(examiner.run(rows(folder, *({"question": QUESTION, **raw} for raw in raws))))


def test_a_question_with_a_gold_passage(tmp_path: Path) -> None:
    gold = {"kind": "words", "evidence": [TEXT], "filing": ACME.file, "answer": "Partners assemble hardware in Asia."}
    (found,) = examine(tmp_path, gold, encoder=TwoWays())
    assert (found.outcome, found.status, found.rank, found.kind) == ("right", "answered", 2, "words")
    assert found.measures["R@1"] == 0
    assert found.measures["R@3"] == found.measures["R@3 lenient"] == 1
    assert found.measures["MRR"] == 0.5
    assert found.measures["shown MRR"] == 1  # The passage that answers is the first that is told.
    assert found.measures["nDCG@10"] == pytest.approx(0.63093, abs=1e-5)
    assert found.measures["citation recall"] == 1
    assert 0 < found.measures["citation precision"] <= 1
    assert found.measures["supported"] == 1
    assert found.measures["relevance"] == 0.5
    assert 0.5 < found.measures["token F1"] < 1
    assert found.measures["wrong company"] == 0
    assert found.strength is not None
    assert set(found.ms) == {"answer", "search"}
    assert "[" not in found.answer


def test_the_like_passage_of_another_year_counts_leniently(tmp_path: Path) -> None:
    searcher = Searcher((hit(TEXT, of=OLDER),))
    (found,) = examine(tmp_path, {"evidence": [TEXT], "filing": ACME.file}, searcher=searcher)
    assert (found.rank, found.rank_lenient) == (None, 1)
    assert (found.measures["R@1"], found.measures["R@1 lenient"]) == (0, 1)
    assert (found.measures["citation precision"], found.measures["citation precision lenient"]) == (0, 1)


def test_another_company_and_another_year_are_told(tmp_path: Path) -> None:
    searcher = Searcher((hit(TEXT, of=ACME), hit(TEXT, of=RIVAL, rank=2)))
    question = "Where did Acme's outsourcing partners assemble hardware in fiscal 2023?"
    (found,) = examine(tmp_path, {"question": question, "evidence": [TEXT], "filing": OLDER.file}, searcher=searcher)
    assert found.measures["wrong company"] == 1
    assert (found.measures["wrong year"], found.measures["wrong year lenient"]) == (1, 0)


def test_an_answer_that_cites_something_else_is_wrong(tmp_path: Path) -> None:
    (found,) = examine(tmp_path, {"evidence": ["Nothing of this stands in any of the passages that were found."]})
    assert (found.outcome, found.why) == ("wrong", "cites no gold passage")


def test_refusals_right_and_wrong(tmp_path: Path) -> None:
    advice, kept, lost = examine(
        tmp_path,
        {"question": "Should I buy Acme stock now?", "expect": "refused", "refusal": "advice"},
        {"expect": "refused"},
        {"question": "Should I buy Acme stock?", "evidence": [TEXT]},
    )
    assert (advice.outcome, advice.refusal) == ("right", "advice")
    assert {name: advice.measures[name] for name in ("refusal precision", "refusal recall", "refusal kind")} == {
        "refusal precision": 1, "refusal recall": 1, "refusal kind": 1,
    }  # fmt: skip
    assert (kept.outcome, kept.measures["refusal recall"]) == ("wrong", 0)
    assert "R@1" not in kept.measures
    assert (lost.outcome, lost.measures["refusal precision"], lost.measures["answered"]) == ("abstained", 0, 0)
    assert "citation precision" not in lost.measures


def test_what_the_library_does_not_hold_is_a_refusal_and_nonsense_an_error(tmp_path: Path) -> None:
    absent, nonsense = examine(tmp_path, {"scope": {"company": "Zeppelin"}}, {"scope": {"item": "99Z"}})
    assert (absent.status, absent.refusal) == ("refused", "not_in_library")
    assert nonsense.outcome == "error"


def test_a_failing_search_is_an_error_and_not_the_end(tmp_path: Path) -> None:
    found = examine(tmp_path, {"evidence": [TEXT]}, {"evidence": [TEXT]}, searcher=Searcher(error=ModelFailed("No search.")))
    assert [one.outcome for one in found] == ["error", "error"]
    assert found[0].why.startswith("No search.")
    assert found[0].measures["R@10"] == 0


def test_a_program_is_run_beside_the_question_or_alone(tmp_path: Path) -> None:
    program = {"program": "divide(1, 8)", "exe_ans": 0.125}
    beside, alone = examine(tmp_path, {**program, "evidence": [TEXT]}, {**program, "evidence_given": True})
    assert (beside.status, beside.program, beside.measures["program"]) == ("answered", "0.125", 1)
    assert (alone.status, alone.outcome, alone.measures) == ("", "right", {"program": 1})
