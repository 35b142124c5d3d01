from __future__ import annotations

import pytest

from fin_tui.engine.evidence.paragraphs import bullets_after
from fin_tui.engine.structures.enumeration import enumerations, split_items


@pytest.mark.parametrize(
    ("sentence", "items", "stated"),
    [
        ("We make five vehicles – the Model 3, Y, S, X and Cargo.", ("Model 3", "Model Y", "Model S", "Model X", "Cargo"), 5),
        (
            "Our segments consist of the Americas, Greater China and Japan.",
            ("Americas", "Greater China", "Japan"),
            None,
        ),
        ("We operate as two segments: (i) rockets and (ii) pads and fuel.", ("rockets", "pads and fuel"), 2),
        ("Our two segments are “Pads & Fuel” and “Rockets.”", ("Pads & Fuel", "Rockets"), 2),
        ("We are organized into two segments: Medicine and MedTech.", ("Medicine", "MedTech"), 2),
        (
            "Our segments are: Home and Garden; Europe, Africa and Asia; and Toys.",
            ("Home and Garden", "Europe, Africa and Asia", "Toys"),
            None,
        ),
        (
            "Our products include rockets (small, big), boosters, and parts.",
            ("rockets (small, big)", "boosters", "parts"),
            None,
        ),
    ],
)
def test_a_lead_and_its_items(sentence: str, items: tuple[str, ...], stated: int | None) -> None:
    assert any((found.items, found.stated) == (items, stated) for found in enumerations(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "Our products are complex, costly and slow.",
        "Our products are sold directly to manufacturers, distributors and retailers.",
        "Our products include chips and boards that go into computers, servers, and networks.",
        "We have three segments: Rockets and Pads.",
        "We sell rockets.",
        "The segments are Rockets, Pads.",
    ],
)
def test_what_only_looks_like_a_list_is_none(sentence: str) -> None:
    assert enumerations(sentence) == []


def test_the_number_stated_decides_where_the_last_and_splits() -> None:
    assert split_items("Phones, Wearables and Home", 2) == ("Phones", "Wearables and Home")
    assert split_items("Phones, Wearables and Home", 3) == ("Phones", "Wearables", "Home")


def test_bullets_end_where_prose_goes_on() -> None:
    text = "Our competitors include:\n\n• Rocket makers;\n• pad makers.\nWe fear none.\n• not this"
    spans = bullets_after(text, text.index(":") + 1)
    assert [text[a:b] for a, b in spans] == ["Rocket makers;", "pad makers."]
    assert bullets_after(text, text.index("competitors")) == ()


@pytest.mark.parametrize(
    ("tail", "stated", "items"),
    [
        (
            "Acme, Inc., Globex Corporation, Umbrella, Ltd., and Wonka.",
            None,
            ("Acme, Inc", "Globex Corporation", "Umbrella, Ltd", "Wonka"),
        ),
        ("Rockets, Tin Hulls, Ropes and Sails, and operates mills in Ohio.", 4, ("Rockets", "Tin Hulls", "Ropes", "Sails")),
    ],
)
def test_legal_forms_and_what_else_is_said_are_no_items(tail: str, stated: int | None, items: tuple[str, ...]) -> None:
    assert split_items(tail, stated) == items
