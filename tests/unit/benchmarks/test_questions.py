"""The figures of the search benchmarks against some worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.questions import COLUMNS, cells, heading, judge_hits, strays
from benchmarks.windows import Windows
from fin_tui.evaluation.measures import Place, Ranking
from tests.unit.engine.made import filing, hit
from tests.unit.evaluation.made import row

ACME, OLDER, RIVAL = filing(year=2024), filing(year=2021), filing("Globex Inc.", 2024, ticker="GBX")
HELD = (ACME, OLDER, RIVAL)
TEXT = "Our outsourcing partners assemble most of our hardware in Asia."


def test_a_line_of_figures() -> None:
    found = cells([Ranking(1, 1.0), Ranking(4, 0.43068), Ranking(None, 0.0), Ranking(2, 0.63093)])
    # R@5 is 3 of 4: Wilson .3006 to .9544. MRR: (1 + 1/4 + 0 + 1/2) / 4. nDCG: 2.06161 / 4.
    assert found == ["0.250", "0.500", "0.750", "0.750", "0.30-0.95", "0.438", "0.515"]
    assert len(found) == len(COLUMNS)
    assert heading("class").splitlines()[1].count("---") == len(COLUMNS) + 1


def test_hits_are_judged_and_strayings_told(tmp_path: Path) -> None:
    asked = row(tmp_path, question="Where did Acme assemble in fiscal 2024?", evidence=[TEXT], filing=ACME.file)
    hits = [hit("Something else is said here.", of=RIVAL), hit(TEXT, of=OLDER), hit(TEXT, of=ACME)]
    assert judge_hits(hits, asked, HELD, lenient=False).rank == 3
    assert judge_hits(hits, asked, HELD, lenient=True).rank == 2
    assert strays(hits, asked, HELD) == (True, True)
    assert strays(hits[2:], asked, HELD) == (False, False)


class Words:
    """Scores as BM25 would give them."""

    def get_scores(self, words: list[str]) -> list[float]:
        return [0.0, 3.0, 2.0, 1.0]


@pytest.mark.parametrize(("way", "pages"), [("dense", [1, 3, 2, 4]), ("BM25", [2, 3, 4, 1]), ("RRF", [2, 3, 1, 4])])
def test_windows_by_each_way(way: str, pages: list[int]) -> None:
    # Ranks of pages 1 to 4 by vectors: 1, 3, 2, 4; by words: 4, 1, 2, 3. Sums of 1 / (60 + rank): 1/61 + 1/64 = .03202,
    # 1/63 + 1/61 = .03227, 1/62 + 1/62 = .03226, 1/64 + 1/63 = .03150.
    vectors = np.array([[0.9], [0.5], [0.7], [0.1]], np.float32)
    windows = Windows([Place("text", page, "a.pdf") for page in (1, 2, 3, 4)], vectors, Words())
    found = [place.page for place in windows.search(way, "any words", np.array([1.0], np.float32))]
    assert found == pages
