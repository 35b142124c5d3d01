"""Risk headings in the filing's own groups, all of them or those of one matter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.risks import asked_risks, group_matter, risks
from fin_tui.records import Section
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library, asked

ACME = filing()
BODY = """# Item 1A. Risk Factors

## Summary of Risk Factors

### Risks Related to Our Rockets

• Rockets may explode.

## Risks Related to Our Rockets

### Our rockets may explode at any time.

They did so twice, and may again.

### Our pads may sink.

They stand on sand.

## Risks Related to Regulation

### New laws may ground us.

A law is before the senate.

### Regulatory fees may rise.

They rose last year."""


def _reader(body: str = BODY) -> FilingReader:
    chunks = Chunks(body, ["1A"] * len(body.split("\n\n")))
    heading, own = "", []
    for chunk in chunks.of_filing(""):
        heading = chunk.text.lstrip("# ") if chunk.text.startswith("#") else heading
        own.append(replace(chunk, heading=heading if not chunk.text.startswith("#") else "Item 1A. Risk Factors"))
    chunks._chunks = tuple(own)
    return FilingReader(Library(body, (Section("I", "1A", "Risk Factors", 0, len(body), 5, 0.9),)), chunks)


def _told(answer: StructureAnswer | None) -> list[str]:
    assert answer is not None
    return [sentence.text for sentence in answer.sentences]


def test_each_group_is_told_with_its_headings_and_the_summary_left_out() -> None:
    answer = risks(_reader(), ACME)
    assert _told(answer) == [
        "Item 1A of Acme Corp.'s 10-K for FY2024 has 4 risk headings in 2 groups: Rockets (2), Regulation (2).",
        "Risks Related to Our Rockets",
        "1. Our rockets may explode at any time.",
        "2. Our pads may sink.",
        "Risks Related to Regulation",
        "3. New laws may ground us.",
        "4. Regulatory fees may rise.",
    ]
    assert answer is not None
    assert all(sentence.citations for sentence in answer.sentences[1:])


def test_a_matter_is_looked_for_in_headings_and_the_groups_that_they_stand_in() -> None:
    assert _told(risks(_reader(), ACME, ("regulatory",))) == [
        "2 of the 4 risk headings in Item 1A of Acme Corp.'s 10-K for FY2024"
        " name “regulatory” or stand under a heading that does:",
        "1. New laws may ground us.",
        "2. Regulatory fees may rise.",
    ]
    assert risks(_reader(), ACME, ("rockets", "explode")) is None  # One heading is no list.


@pytest.mark.parametrize(
    ("target", "left", "matter"),
    [
        ("risk factors", (), ()),
        ("main risks", (), ()),
        ("risks of regulation", ("main",), ("regulation",)),
        ("regulatory risks", (), ("regulatory",)),
        ("credit risk", (), None),
        ("risk factors", ("summarize",), None),
        ("revenue", (), None),
    ],
)
def test_what_is_asked_stands_in_the_frame(target: str, left: tuple[str, ...], matter: tuple[str, ...] | None) -> None:
    assert asked_risks(asked(target, left=left)) == matter


def test_a_yes_or_no_about_risks_is_no_list() -> None:
    assert asked_risks(asked("risks", answer="yesno")) is None
    assert asked_risks(None) is None


def test_a_follow_up_that_names_another_company_asks_for_the_same() -> None:
    before = asked("main risks")
    after = replace(asked("Globex"), targets=(), carried=before)
    assert asked_risks(after) == asked_risks(before)
    assert asked_risks(replace(after, carried=None)) is None


@pytest.mark.parametrize(
    ("heading", "short"),
    [
        ("Risks Related to Our Operations", "Operations"),
        ("RISKS RELATED TO OUR BUSINESS, INDUSTRY AND OPERATIONS:", "Business, industry and operations"),
        ("Legal and U.S. Regulation:", "Legal and U.S. Regulation"),
    ],
)
def test_a_group_is_named_by_its_matter(heading: str, short: str) -> None:
    assert group_matter(heading) == short


TITLE = "# Item 1A. Risk Factors\n\n"


@pytest.mark.parametrize("second", ["Risks Related to Law", "Market and Other External Risks", "Risks Related to Acme, Inc."])
def test_where_only_groups_have_headings_they_are_called_groups(second: str) -> None:
    body = f"{TITLE}## Risks Related to Rockets\n\nThey may explode.\n\n## {second}\n\nFees may rise."
    told = _told(risks(_reader(body), ACME))
    assert told[0].endswith("has 2 groups of risks, which stand in the text under these headings:")
    assert told[1:] == ["1. Risks Related to Rockets", f"2. {second}"]


def test_a_title_above_risks_is_their_group_also_with_words_of_its_own() -> None:
    body = (
        f"{TITLE}## Strategic Risks\n\nThese bear on our plans.\n\n### Our rockets may explode.\n\nTwice.\n\n"
        "### Risks related to our pads may harm our results.\n\nSand.\n\n## Legal and Other Risks\n\nOf law.\n\n"
        "### Fees may rise.\n\nLast year."
    )
    assert _told(risks(_reader(body), ACME)) == [
        "Item 1A of Acme Corp.'s 10-K for FY2024 has 3 risk headings in 2 groups: "
        "Strategic Risks (2), Legal and Other Risks (1).",
        "Strategic Risks",
        "1. Our rockets may explode.",
        "2. Risks related to our pads may harm our results.",
        "Legal and Other Risks",
        "3. Fees may rise.",
    ]


def test_where_risks_themselves_are_titles_none_is_a_group() -> None:
    body = (
        f"{TITLE}## We Face Significant Inventory Risk\n\nText.\n\n## Our Rockets Explode Now and Then\n\nText.\n\n"
        "## New Laws Could Ground Our Rockets\n\nText."
    )
    assert _told(risks(_reader(body), ACME))[0] == "Item 1A of Acme Corp.'s 10-K for FY2024 has 3 risk headings:"


def test_a_few_headings_of_a_long_item_are_not_told_as_all() -> None:
    text = "It may happen to us. " * 600
    bare = f"{TITLE}## Our rockets may explode.\n\n{text}\n\n## Our pads may sink.\n\n{text}"
    told = _told(risks(_reader(bare), ACME))
    assert told[0] == "2 risk headings found in Item 1A of Acme Corp.'s 10-K for FY2024; more risks stand in its text:"
    grouped = f"{TITLE}## Rocket Risks\n\n### Our rockets may explode.\n\n{text}\n\n## Legal Risks\n\n{text}"
    assert _told(risks(_reader(grouped), ACME))[1:] == ["1. Rocket Risks", "2. Legal Risks"]
