"""Sentences made from tagged figures: what is taken, and that an altered one says something else."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal

from benchmarks.altered import KINDS, Maker, figures_of
from fin_tui.records import Fact, Filing
from tests.unit.engine.made import filing

ACME, BOLT = filing("Acme Corp."), filing("Bolt Works Inc.")


def tagged(label: str, value: float, year: int = 2024, *, unit: str = "usd", block: int = 1, concept: str = "") -> Fact:
    start, end = dt.date(year, 1, 1), dt.date(year, 12, 31)
    name = concept or "us-gaap:" + label.title().replace(" ", "")
    return Fact(name, f"Costs: > {label}", value, f"{value / 1e6:,.0f}", unit, start, end, block=block)


def facts(scale: float) -> list[Fact]:
    return [
        tagged("Cost of widgets", 1234e6 * scale),
        tagged("Cost of widgets", 987e6 * scale, 2023),
        tagged("Cost of moving", 456e6 * scale),
        tagged("Cost of moving", 543e6 * scale, 2023),
    ]


def made_of(own: Filing, held: list[Fact]) -> list[str]:
    return sorted({one.label for one in figures_of(own, held)})


def test_a_figure_is_taken_only_where_its_label_means_one_value() -> None:
    twice = [tagged("Other costs", 111e6), tagged("Other costs", 222e6, block=2)]
    parts = [Fact("us-gaap:X", "Cost of parts", 333e6, "333", "usd", None, dt.date(2024, 12, 31), {"a": "b"}, block=1)]
    quarter = [Fact("us-gaap:Y", "Cost of quarters", 333e6, "333", "usd", dt.date(2024, 10, 1), dt.date(2024, 12, 31), block=1)]
    vague = [tagged("Total", 777e6), tagged("Cost of 2 wells", 778e6), tagged("Cost of rounds", 5e6)]
    assert made_of(ACME, [*facts(1), *twice, *parts, *quarter, *vague]) == ["Cost of moving", "Cost of widgets"]


def test_the_same_seed_makes_the_same_sentences_of_every_kind() -> None:
    figures = [*figures_of(ACME, facts(1)), *figures_of(BOLT, facts(3))]
    first, second = (Maker(figures, random.Random(7)).make(2) for _ in range(2))
    assert first == second
    assert {one.kind for one in first} == {"true", *KINDS}
    assert Maker(figures, random.Random(8)).make(2) != first


def test_altered_sentences_differ_from_what_is_true() -> None:
    figures = [*figures_of(ACME, facts(1)), *figures_of(BOLT, facts(3))]
    made = Maker(figures, random.Random(3)).make(4)
    of_kind = {kind: [one.text for one in made if one.kind == kind] for kind in ("true", *KINDS)}
    assert all("not" in text.split() for text in of_kind["denial"])
    assert all("million" not in text or "thousand" in text for text in of_kind["scale"] if "thousand" in text)
    assert all(("shares" in text) or ("%" in text) for text in of_kind["unit"])
    true_values = {Decimal(str(one.value)) for one in figures}
    assert Decimal(1234_000_000) in true_values
    assert not set(of_kind["true"]) & {text for kind in KINDS for text in of_kind[kind]}
