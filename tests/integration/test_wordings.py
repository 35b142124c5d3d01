"""Questions about the sample filings as people word them: terse, casual, with dates, brackets and fiscal-year ends.

The values were read from the inline XBRL by a reader of its own, and from the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.api import Library
from fin_tui.evaluation.measures import judge
from fin_tui.evaluation.sets import Row, load
from tests.conftest import CHECKOUT

SAMPLES = CHECKOUT / "data" / "samples"
ROWS = load(Path(__file__).parent / "wordings.jsonl")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The three sample filings, without vectors: figures need none."""
    if not (SAMPLES / "aapl_2025_10k.html").is_file():
        pytest.skip(reason=f"no sample filings in {SAMPLES}: fin-tui setup brings them")
    with Library(tmp_path_factory.mktemp("home"), with_model=False) as library:
        library.add(SAMPLES, embed=False)
        yield library


@pytest.mark.timeout(120)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.line.id)
def test_a_figure_by_an_everyday_wording(row: Row, library: Library) -> None:
    question = row.line.raw["question"]
    verdict = judge(library.ask(question, use_model=False), row)
    # What only the vectors of rows make sure is not found without them.
    allowed = {"right", "abstained"} if row.line.raw.get("vectors") else {"right"}
    assert verdict.outcome in allowed, f"{question} {verdict.why}"


def test_the_set_has_many_kinds() -> None:
    assert len(ROWS) >= 20
    assert len({row.kind for row in ROWS}) >= 8
