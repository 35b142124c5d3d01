"""The real model with its trained weights writes questions out in full."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui import config
from fin_tui.engine.frame.rewriter import Rewriter, Rewritten
from fin_tui.engine.models.client import Lines, LlamaClient
from fin_tui.engine.services import rewriting_model
from fin_tui.facts.expression import parse
from fin_tui.paths import Paths


@pytest.fixture(scope="module")
def client(models_dir: Path) -> Iterator[LlamaClient]:
    client = rewriting_model(Paths(models_dir.parent), config.Settings())
    assert client is not None
    yield client
    client.close()


def _written(client: LlamaClient, *turns: str) -> Rewritten | None:
    return Rewriter(Lines(client)).of("Globex", 2023, turns)


def test_a_follow_up_takes_what_it_leaves_out_from_the_turn_before(client: LlamaClient) -> None:
    found = _written(client, "globex net sales 23", "and the yr before?")
    assert found is not None
    assert found.node == parse("a")
    assert "sales" in found.lookups[0]
    assert found.lookups[0].endswith("2022")


def test_a_share_is_computed_from_both_of_its_figures(client: LlamaClient) -> None:
    found = _written(client, "globex r&d 2023", "as % of sales")
    assert found is not None
    assert found.node == parse("a / b * 100")
    assert "research and development" in found.lookups[0]
    assert "sales" in found.lookups[1] or "revenue" in found.lookups[1]


def test_growth_sets_two_years_against_each_other(client: LlamaClient) -> None:
    found = _written(client, "by how many % did globex's depreciation go up in 2023")
    assert found is not None
    assert found.node == parse("(a - b) / b * 100")
    assert [one[-4:] for one in found.lookups] == ["2023", "2022"]


def test_what_asks_in_words_is_no_figure(client: LlamaClient) -> None:
    assert _written(client, "globex net sales 23", "why did they drop") is None
