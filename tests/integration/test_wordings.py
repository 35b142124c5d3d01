"""Questions about the sample filings as people word them: terse, casual, with dates, brackets and fiscal-year ends.

The values were read from the inline XBRL by a reader of its own, and from the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.api import Library
from fin_tui.candidates import add_missing
from fin_tui.evaluation.measures import judge
from fin_tui.evaluation.sets import Row, load
from fin_tui.paths import find_home
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store.library import Library as Store
from tests.conftest import CHECKOUT

SAMPLES = CHECKOUT / "data" / "samples"
ROWS = load(Path(__file__).parent / "wordings.jsonl")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The three sample filings, with the vectors of their rows and none of passages: figures need no others."""
    if not (SAMPLES / "aapl_2025_10k.html").is_file():
        pytest.skip(reason=f"no sample filings in {SAMPLES}: fin-tui setup brings them")
    home = tmp_path_factory.mktemp("home")
    with Library(home, with_model=False) as library:
        library.add(SAMPLES, embed=False)
    with Store.open(find_home(home)) as store:
        facts = store.facts
        made = add_missing(
            store.figure_rows, store.document, lambda filing: facts.find(filings=(filing,)), SharedEncoder(), lambda: False
        )
        assert len(list(made)) == len(store.filings())
    with Library(home, with_model=False) as library:
        yield library


@pytest.mark.timeout(120)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.line.id)
def test_a_figure_by_an_everyday_wording(row: Row, library: Library) -> None:
    question = row.line.raw["question"]
    verdict = judge(library.ask(question, use_model=False), row)
    assert verdict.outcome == "right", f"{question} {verdict.why}"


def test_the_set_has_many_kinds() -> None:
    assert len(ROWS) >= 20
    assert len({row.kind for row in ROWS}) >= 8
