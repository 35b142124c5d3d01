"""What is read out of the lines found, by the weights of the package over real filings: mostly right, and shown with numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import Request, last_answer
from fin_tui.engine.answering.events import EvidenceReady
from fin_tui.engine.answering.read_out import NOTE
from fin_tui.engine.rank.excerpt import joined
from fin_tui.engine.services import Services, open_services
from fin_tui.ingest import Added
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.retrieval.excerpt_reader import ExcerptReader
from fin_tui.retrieval.rerank import CrossEncoder
from tests.conftest import CHECKOUT

FILES = ("WALMART_2018_10K.pdf", "AMERICANWATERWORKS_2021_10K.pdf")
QUESTIONS = CHECKOUT / "training" / "data" / "people.jsonl"
FACTORS = (1.0, 0.01, 100.0)
LINE = "In fiscal 2031 we paid $48 million for 2.4 million shares of our own, and $7 million in dividends."


@pytest.fixture(scope="module")
def services(corpus: Path, models_dir: Path) -> Iterator[Services]:
    with open_services(Paths(models_dir.parent), Settings(), with_model=False) as opened:
        outcomes = list(add_files(opened.library, Settings(), [corpus / "pdf" / name for name in FILES]))
        assert sum(isinstance(one, Added) for one in outcomes) == len(FILES)
        yield opened


def test_chances_add_up_and_what_is_cut_off_has_none() -> None:
    reader = ExcerptReader(CrossEncoder())
    spans = [(LINE.index(one), LINE.index(one) + len(one)) for one in ("$48 million", "2.4 million", "$7 million")]
    made = reader.read(joined(("dividends paid?",), "FY2031"), LINE, spans)
    assert made.none + made.single.sum() + made.pairs.sum() == pytest.approx(1, abs=1e-3)
    assert int(np.argmax(made.single)) == 2
    padded = f"{LINE} {'and so on ' * 300}"
    longer = reader.read(
        joined(("dividends paid?",), "FY2031"), f"{padded} $9 million", [*spans, (len(padded) + 1, len(padded) + 11)]
    )
    assert longer.single[3] == 0
    assert longer.single[:3].min() > 0


@pytest.mark.timeout(900)
def test_what_is_read_out_is_mostly_right(services: Services) -> None:
    held = {filing.id for filing in services.library.filings()}
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["filing"] in held and row["split"] == "development"]
    right, wrong = list[object](), list[object]()
    for row in rows:
        *before, question = row["turns"]
        request = Request(question, history=tuple(before), use_model=False)
        events = list(services.engine.stream(request))
        answer = last_answer(iter(events), request)
        cards = [one for one in events if isinstance(one, EvidenceReady)]
        is_read_out = NOTE in answer.notes
        is_doubted = bool(answer.caution) and not cards[0].caution
        assert len(cards) <= 1 + (is_read_out or is_doubted), "what stands as it was is shown once"
        if is_read_out:
            assert answer.value is not None
            is_right = any(math.isclose(abs(answer.value) * by, abs(row["value"]), rel_tol=0.006) for by in FACTORS)
            (right if is_right else wrong).append((question, answer.value, row["value"]))
    assert right, "none of them was read out"
    assert len(wrong) <= len(right) / 2, (right, wrong)
