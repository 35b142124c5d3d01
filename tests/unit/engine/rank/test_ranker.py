"""Kinds of figures that may be asked for."""

from __future__ import annotations

import pytest

from fin_tui.candidates.candidate import Candidate
from fin_tui.engine.rank.ranker import Wanted, _just, _may_be
from fin_tui.records import Fact


def candidate(unit: str) -> Candidate:
    return Candidate(Fact("table:x", "x", 3.0, "3", unit, None, None, source="table"), ("x",))


@pytest.mark.parametrize(("unit", "likely"), [("usd", 0.7), ("usd/share", 0.3), ("years", 0.0)])
def test_a_unit_counts_as_likely_as_its_kind_is_asked_for(unit: str, likely: float) -> None:
    wanted = Wanted("x", "money", kinds={"money": 0.7, "per_share": 0.3})
    assert _just(candidate(unit), wanted) == pytest.approx(likely)


def test_a_kind_that_is_hardly_asked_for_is_not_looked_for() -> None:
    assert _may_be(candidate("pure"), Wanted("x", "money", kinds={"money": 0.6, "percent": 0.4}), None)
    assert not _may_be(candidate("pure"), Wanted("x", "money", kinds={"money": 0.97, "percent": 0.03}), None)
