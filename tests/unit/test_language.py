from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.filings.section_headings import opening_divisions
from fin_tui.language import (
    MONTH,
    MONTH_LIKE,
    MONTHS,
    any_name,
    any_of,
    begin_of,
    count,
    fiscal_years,
    from_first_word,
    is_enumerator,
    is_followed,
    leads_to,
    month_number,
    ranges,
    split_sentences,
    word_at_end,
    year_span,
)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Acme Inc. Common Stock trades on Nasdaq.",
        "Sales in the U.S. Treasury market rose 2.5% to $3.1 billion.",
        "See Item 1A. Risk Factors of this report.",
        "Commission File No. 001-36743 applies.",
        "ASU No. 2016-02 was adopted.",
        "Mr. J. P. Smith leads the group.",
        "1. Business overview",
        "It uses parts (e.g. Displays) from Foo Corp. Limited.",
        "On Jan. 31 we closed.",
    ],
)
def test_marks_inside_a_sentence_do_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We grew. Margins fell.", ["We grew.", "Margins fell."]),
        ("We sell in the U.S. We also sell in Japan.", ["We sell in the U.S.", "We also sell in Japan."]),
        ("It rose 2.5%. In 2024, it fell.", ["It rose 2.5%.", "In 2024, it fell."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Is it so? No. We are not.", ["Is it so?", "No.", "We are not."]),
        ("We bought Foo, Inc. The price was $5.", ["We bought Foo, Inc.", "The price was $5."]),
        ("Sales were $5.0 billion (see Note 3). 2023 was lower.", ["Sales were $5.0 billion (see Note 3).", "2023 was lower."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=st.sampled_from('aAbI .!?\n\t0125()$"”’UScNo&-•'), max_size=120))
def test_spans_are_ordered_and_cover_every_visible_character(text: str) -> None:
    spans = split_sentences(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(start < end and text[start:end] == text[start:end].strip() for start, end in spans)
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())


@pytest.mark.parametrize(("name", "number"), [("January", 1), ("SEPT", 9), ("dec", 12), ("Sep.", 9)])
def test_a_month_is_told_by_its_beginning(name: str, number: int) -> None:
    assert month_number(name) == number


def test_what_begins_like_no_month_is_none() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        month_number("quarter")


def test_names_and_usual_abbreviations_are_months_and_words_that_begin_so_only_like_them() -> None:
    assert all(re.fullmatch(MONTH, name) and re.fullmatch(MONTH, name[:3]) for name in MONTHS)
    assert re.fullmatch(MONTH, "sept")
    assert not re.fullmatch(MONTH, "marketing")
    assert re.fullmatch(MONTH_LIKE, "marketing")


def test_only_one_is_singular() -> None:
    assert [count(number, "filing") for number in (0, 1, 2, 1204)] == ["0 filings", "1 filing", "2 filings", "1,204 filings"]


def test_years_in_a_row_are_told_by_the_first_and_the_last() -> None:
    assert fiscal_years([2024, 1993, 2022, 2023, 2023]) == "FY1993, FY2022-FY2024"
    assert fiscal_years([2023, 2024]) == "FY2023, FY2024"
    assert fiscal_years([]) == ""


def test_four_numbers_in_a_row_are_told_by_their_ends() -> None:
    assert ranges([3, 1, 2, 9]) == [(1,), (2,), (3,), (9,)]
    assert ranges([5, 4, 3, 2, 8, 8]) == [(2, 5), (8,)]
    assert ranges([]) == []


@pytest.mark.parametrize(
    ("phrases", "text", "found"),
    [
        ("loss, profit", "An Operating\nLOSS.", "LOSS"),
        ("loss", "glossy losses", ""),
        ("used in/for", "cash  used\tfor it", "used\tfor"),
        ("net (of the) tax", "net of the tax, net tax", "net of the tax"),
        ("(the) sum of", "sum of all", "sum of"),
        ("rank (all)", "rank ALL", "rank ALL"),
        ("risk(s), business(es)", "many businesses", "businesses"),
        ("move(s|d)/moving", "as it moved", "moved"),
        ("expect*", "we are expecting it", "expecting"),
        ("not, *n't", "it isn\u2019t", "n\u2019t"),
        ("year-end", "at year end", "year end"),
        ("%, per cent", "5%", "%"),
        ("vs., vs", "Apple vs Target", "vs"),
    ],
)
def test_phrases_are_found_as_written(phrases: str, text: str, found: str) -> None:
    match = any_of(phrases).search(text)
    assert (match.group() if match else "") == found


@pytest.mark.parametrize(("text", "expected"), [("cost of all", True), ("all of the cost", False), ("the cost", False)])
def test_one_phrase_follows_another_only_behind_it(text: str, expected: bool) -> None:
    assert is_followed(text, any_of("cost"), any_of("all")) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shares", True),
        ("weighted-average shares, diluted", True),
        ("class A. common shares", True),
        ("one two three four shares", False),
        ("dollars; shares", False),
        ("", False),
    ],
)
def test_a_noun_is_led_to_by_a_few_words_and_no_mark(text: str, expected: bool) -> None:
    assert leads_to(text, {"shares"}, 3) is expected


def test_a_text_begins_with_its_first_letter_or_digit() -> None:
    assert [begin_of(text) for text in ("why", "  \u201cwhy", "...", "")] == [0, 3, 3, 0]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("2024", (2024, 2024)),
        ("FY2022 – fy2025", (2022, 2025)),
        ("2022..2025", (2022, 2025)),
        ("2025-2022", (2025, 2022)),
        ("2022-", None),
        ("22-25", None),
        ("2022-2023-2024", None),
        ("", None),
    ],
)
def test_a_span_of_years_is_read_whole_or_not_at_all(text: str, span: tuple[int, int] | None) -> None:
    assert year_span(text) == span


@pytest.mark.parametrize(
    ("text", "divisions"),
    [
        ("PART II, Item 7A. Quantitative and Qualitative Disclosures", ("part ii", "item 7a")),
        ("Items 1 and 2. Business and Properties", ("item 1",)),
        ("ITEM7. Management’s Discussion", ("item 7",)),
        ("Part of our business", ()),
        ("See Item 7", ()),
        ("Partners 2", ()),
    ],
)
def test_a_text_opens_with_the_parts_and_items_it_names_first(text: str, divisions: tuple[str, ...]) -> None:
    assert opening_divisions(text) == divisions


def test_enumerators_are_short_numbers_letters_and_roman_numbers() -> None:
    assert all(map(is_enumerator, ("7", "12", "a", "Q", "iv", "XII")))
    assert not any(map(is_enumerator, ("", "123", "ab", "7a", "é", "(a)")))


def test_words_at_the_edges_of_a_text_are_found_without_their_signs() -> None:
    assert from_first_word(" — (as of 2024)") == "as of 2024)"
    assert from_first_word("$ (") == ""
    assert word_at_end("listed by Foo & Co") == "Co"
    assert word_at_end("in the U.S.", ".") == "U.S."
    assert word_at_end("at the end.") == ""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("wendys", "Wendy's restaurants", True),
        ("Denny's", "dennys diners", True),
        ("Denny’s", "Denny's diners", True),
        ("lows", "the law's end", False),
        ("s", "its 's", True),
        ("plus-one", "Plus one", True),
    ],
)
def test_a_name_is_found_with_and_without_its_apostrophe(name: str, text: str, expected: bool) -> None:
    assert bool(any_name((name,)).search(text)) is expected
