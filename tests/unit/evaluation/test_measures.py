"""What an answer is worth by what its row expects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fin_tui.evaluation.measures import (
    Place,
    class_of,
    gold_of,
    grams,
    is_gold,
    is_printed,
    is_value,
    judge,
    judge_list,
    place_of,
    prints_figure,
    strays_from_company,
    strays_from_years,
    years_named,
)
from fin_tui.records import Answer, Refusal
from tests.unit.engine.made import filing, hit
from tests.unit.evaluation.made import row


def answered(value: float | None = None, unit: str | None = None, text: str = "Net sales were $250 million.") -> Answer:
    return Answer("?", "answered", text, value=value, unit=unit)


REFUSED = Answer("?", "refused", "No.", refusal=Refusal("not_disclosed", "No."))


@pytest.mark.parametrize(
    ("keys", "answer", "outcome"),
    [
        ({"value": 250e6}, answered(250.9e6), "right"),
        ({"value": 250e6}, answered(252e6), "wrong"),
        ({"value": 250e6}, answered(-250e6), "wrong"),
        ({"value": 250e6, "accept": [260e6]}, answered(260e6), "right"),
        ({"value": 250e6, "must_contain": ["2023"]}, answered(250e6), "wrong"),
        ({"value": 250e6}, answered(), "abstained"),
        ({"value": 250e6}, REFUSED, "abstained"),
        ({"must_contain": ["$250 MILLION"]}, answered(), "right"),
        ({"must_contain": ["$260 million"]}, answered(), "wrong"),
        ({"expect": "refused"}, REFUSED, "right"),
        ({"expect": "refused", "refusal": "advice"}, REFUSED, "right"),
        ({"expect": "refused"}, answered(), "wrong"),
        ({"expect": "answered"}, answered(), "right"),
        ({"kind": "yesno", "answer": "no"}, answered(text="No, they fell."), "right"),
        ({"kind": "yesno", "answer": "no"}, answered(text="Yes: they rose."), "wrong"),
        ({"kind": "yesno", "answer": "no"}, answered(text="They fell."), "abstained"),
        ({"kind": "yesno", "answer": "no"}, REFUSED, "abstained"),
        ({"kind": "yesno", "answer": "no", "must_contain": ["2%"]}, answered(text="No, they fell."), "wrong"),
        ({"kind": "list", "answer": ["Canon", "Sony"]}, answered(text="Canon Inc. and Sony"), "right"),
        ({"kind": "list", "answer": ["Canon", "Sony"]}, answered(text="Canon and Sharp"), "wrong"),
        ({"kind": "refuse", "reason": "advice"}, REFUSED, "right"),
        ({"kind": "refuse", "reason": "advice"}, answered(), "wrong"),
        ({}, answered(), "unjudged"),
        ({"value": 1}, Answer("?", "error", "Broken."), "error"),
    ],
)
def test_outcomes(tmp_path: Path, keys: dict[str, Any], answer: Answer, outcome: str) -> None:
    assert judge(answer, row(tmp_path, **keys)).outcome == outcome


def test_an_answer_in_words_must_cite_a_gold_passage(tmp_path: Path) -> None:
    words = row(tmp_path, evidence=["one two three"])
    assert judge(answered(), words, cites_gold=False).outcome == "wrong"
    assert judge(answered(), words, cites_gold=True).outcome == "right"


def test_another_kind_of_refusal_is_told(tmp_path: Path) -> None:
    verdict = judge(REFUSED, row(tmp_path, expect="refused", refusal=["advice", "forecast"]))
    assert (verdict.outcome, verdict.why) == ("right", "kind not_disclosed, expected advice or forecast")


def test_strictly_a_value_has_its_unit(tmp_path: Path) -> None:
    percent = row(tmp_path, value=14.2, unit="%")
    assert is_value(answered(14.2, "ratio"), percent)
    assert not is_value(answered(14.2, "ratio"), percent, strict=True)
    assert is_value(answered(14.2, "%"), percent, strict=True)


def test_a_value_may_be_printed_among_others_and_at_any_scale(tmp_path: Path) -> None:
    money = row(tmp_path, value=250e6, accept=[255e6])
    assert is_printed(answered(text="Sales were $250.3 million, costs $9 million."), money)
    assert is_printed(answered(text="Sales were ($255 million)."), money)
    assert not is_printed(answered(text="Sales were $245 million and 250 people worked there."), money)


GOLD = "Our outsourcing partners assemble most of our hardware in Asia and in South America."
NOW, BEFORE, RIVAL = filing(year=2024), filing(year=2023), filing("Globex Inc.", 2024, ticker="GBX")
HELD = (NOW, BEFORE, RIVAL)


def place(text: str = GOLD, *, page: int = 3, file: str = NOW.file, company: str = NOW.company_key) -> Place:
    return Place(text, page, file, company)


def test_half_of_the_golds_grams_are_enough() -> None:
    gold = " ".join(f"w{at}" for at in range(13))  # 9 grams
    assert len(grams(gold)) == 9
    assert not is_gold(" ".join(f"w{at}" for at in range(8)) + " and so on and on", gold)  # 4 of them
    assert is_gold(" ".join(f"w{at}" for at in range(9)) + " and so on and on", gold)  # 5


def test_half_of_its_own_grams_are_enough_from_eight_on() -> None:
    gold = " ".join(f"w{at}" for at in range(100))
    assert is_gold(" ".join(f"w{at}" for at in range(12)), gold)  # 8 of its own 8
    assert not is_gold(" ".join(f"w{at}" for at in range(11)), gold)  # 7 grams are too few


def test_only_the_first_300_words_count() -> None:
    filler = " ".join(f"x{at}" for at in range(290))
    assert is_gold(f"{filler} one two three four five", "one two three four five")
    assert not is_gold(f"{filler} {filler} one two three four five", "one two three four five")


def test_a_short_gold_must_stand_word_by_word() -> None:
    assert is_gold("Yes: net sales rose.", "net sales")
    assert not is_gold("Net of tax, sales rose.", "net sales")


@pytest.mark.parametrize("text", ["Revenue 391,035", "$391.035 billion", "391035000000"])
def test_a_figure_is_printed_at_some_scale(text: str) -> None:
    assert prints_figure(text, [391_035_000_000.0])
    assert not prints_figure(text, [391_036_000_000.0])


def test_a_passage_counts_in_its_own_filing_and_leniently_in_the_companys_others(tmp_path: Path) -> None:
    gold = gold_of(row(tmp_path, evidence=[GOLD], filing=NOW.file), HELD)
    twin, rival = place(file=BEFORE.file), place(file=RIVAL.file, company=RIVAL.company_key)
    assert [bool(gold.matched(one, lenient=False)) for one in (place(), twin, rival)] == [True, False, False]
    assert [bool(gold.matched(one, lenient=True)) for one in (place(), twin, rival)] == [True, True, False]


def test_without_a_filing_any_will_do(tmp_path: Path) -> None:
    gold = gold_of(row(tmp_path, evidence=[GOLD]), HELD)
    assert gold.matched(place(file=RIVAL.file, company=RIVAL.company_key), lenient=False)


def test_of_a_pdf_file_and_page_decide_and_leniently_the_next_page_too(tmp_path: Path) -> None:
    gold = gold_of(row(tmp_path, evidence=[{"page": 7, "text": "Statement of cash flows"}], filing=NOW.file), HELD)
    pages = [place("Other words", page=page) for page in (6, 7, 8, 9)]
    assert [bool(gold.matched(one, lenient=False)) for one in pages] == [False, True, False, False]
    assert [bool(gold.matched(one, lenient=True)) for one in pages] == [True, True, True, False]
    assert not gold.matched(place("Other words", page=7, file=BEFORE.file), lenient=True)


def test_several_golds_are_told_apart(tmp_path: Path) -> None:
    gold = gold_of(row(tmp_path, evidence=["one two three four five six", GOLD], filing=NOW.file), HELD)
    assert len(gold) == 2
    assert gold.matched(place(), lenient=False) == {1}


def test_a_figure_is_looked_for_as_printed_and_a_computed_one_by_its_inputs(tmp_path: Path) -> None:
    looked_up = gold_of(row(tmp_path, value=250e6, accept=[251e6], unit="usd", filing=NOW.file), HELD)
    assert [bool(looked_up.matched(place(text), lenient=False)) for text in ("sales 250", "sales 251", "sales 252")] == [1, 1, 0]
    computed = gold_of(row(tmp_path, value=25.0, unit="%", inputs=[250e6, 200e6], filing=NOW.file), HELD)
    assert computed.matched(place("250 and 200"), lenient=False) == {0, 1}
    assert computed.matched(place("only 200"), lenient=False) == {1}


def test_a_percentage_without_inputs_has_no_place(tmp_path: Path) -> None:
    assert len(gold_of(row(tmp_path, value=25.0, unit="%", filing=NOW.file), HELD)) == 0


def test_the_company_is_known_by_the_ticker_where_the_file_is_not_held(tmp_path: Path) -> None:
    gold = gold_of(row(tmp_path, evidence=[GOLD], filing="gone.htm", ticker="ACME"), HELD)
    assert gold.company == NOW.company_key
    assert gold.matched(place(), lenient=True)
    assert not gold.matched(place(), lenient=False)


def test_hits_become_places() -> None:
    found = place_of(hit(GOLD, of=replace(NOW, company_key="cik:1")), {})
    assert (found.text, found.page, found.file, found.company) == (GOLD, 3, NOW.file, "cik:1")


def test_a_figure_is_looked_up_where_its_gold_prints_it(tmp_path: Path) -> None:
    def kind(**keys: object) -> str:
        return class_of(row(tmp_path, kind="number", **keys))

    assert kind(value=4.1e9, evidence=["Backlog", "Total | 4,100 | 3,900"]) == "number, looked up"
    assert kind(value=5.13, evidence=["Total | 4,100 | 3,900"]) == "number, computed"
    assert kind(value=5.13) == kind(evidence=["Total | 4,100"]) == "number"
    assert class_of(row(tmp_path, kind="words", value=4, evidence=["4"])) == "words"
    assert class_of(row(tmp_path)) == "all"


def test_each_of_several_files_holds_the_gold(tmp_path: Path) -> None:
    gold = gold_of(row(tmp_path, evidence=[GOLD], filing=[NOW.file, BEFORE.file]), HELD)
    assert gold.matched(place(file=BEFORE.file), lenient=False)
    assert not gold.matched(place(file=RIVAL.file, company=RIVAL.company_key), lenient=False)


NONE: frozenset[int] = frozenset()
A, B, AB = frozenset([0]), frozenset([1]), frozenset([0, 1])


def test_the_first_gold_hit_gives_rank_and_reciprocal() -> None:
    found = judge_list([NONE, NONE, A, A], 1)
    assert found.rank == 3
    assert found.reciprocal == pytest.approx(1 / 3)
    assert [found.within(depth) for depth in (1, 3, 5)] == [0, 1, 1]


def test_ndcg_of_two_pieces_at_ranks_two_and_four() -> None:
    # DCG = 1/log2(3) + 1/log2(5) = 0.63093 + 0.43068; ideal = 1/log2(2) + 1/log2(3) = 1.63093.
    assert judge_list([NONE, A, NONE, B], 2).ndcg == pytest.approx(1.06161 / 1.63093, abs=1e-5)


def test_ndcg_of_one_piece_at_rank_two() -> None:
    assert judge_list([NONE, A], 1).ndcg == pytest.approx(0.63093, abs=1e-5)


def test_a_piece_found_again_gains_nothing() -> None:
    assert judge_list([A, A, A], 2).ndcg == pytest.approx(1 / 1.63093, abs=1e-5)


def test_one_hit_with_everything_is_perfect_and_no_more() -> None:
    assert judge_list([AB], 2).ndcg == 1.0


def test_what_stands_below_ten_is_not_found() -> None:
    found = judge_list([NONE] * 10 + [A], 1)
    assert (found.rank, found.reciprocal, found.ndcg, found.within(10)) == (None, 0.0, 0.0, 0.0)


def test_without_hits_or_gold_nothing_is_found() -> None:
    assert judge_list([], 1).rank is None
    assert judge_list([NONE], 0).ndcg == 0.0


ACME = [filing(year=year) for year in range(2020, 2026)]
GLOBEX = filing("Globex Inc.", 2024)


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("Sales in fiscal 2023?", {2023}),
        ("Sales in FY2023 and FY '21?", {2021, 2023}),
        ("The average over fiscal 2021 to 2023", {2021, 2022, 2023}),
        ("From 2019 through fiscal 2021", {2019, 2020, 2021}),
        ("How many of the 2,023 stores sold more than $2023.5 or 2019.5?", set()),
        ("Compare 2019 and 2021", {2019, 2021}),
        ("The growth between fiscal 2019 and fiscal year 2021", {2019, 2020, 2021}),
        ("Where do partners assemble?", set()),
    ],
)
def test_years_in_a_question(question: str, years: set[int]) -> None:
    assert years_named(question) == years


def test_another_company_among_the_first_five() -> None:
    key = ACME[0].company_key
    assert strays_from_company(ACME[:5], {key}) is False
    assert strays_from_company([ACME[0], GLOBEX], {key}) is True
    assert strays_from_company([*ACME[:5], GLOBEX], {key}) is False
    assert strays_from_company([GLOBEX], set()) is None
    assert strays_from_company([], {key}) is None


@pytest.mark.parametrize(
    ("year", "figures", "lenient", "strays"),
    [
        (2022, False, False, False), (2023, False, False, True), (2021, False, False, True),
        (2022, True, False, False), (2024, True, False, False), (2025, True, False, True), (2021, True, False, True),
        (2024, False, True, False), (2021, False, True, False), (2020, False, True, True),
    ],
)  # fmt: skip
def test_words_come_from_the_year_and_figures_from_what_still_covers_it(
    year: int, figures: bool, lenient: bool, strays: bool
) -> None:
    assert strays_from_years([filing(year=year)], {2022}, figures=figures, lenient=lenient) is strays


def test_the_period_end_names_a_year_too_and_the_gold_filing_is_right() -> None:
    late = replace(filing(year=2025), fiscal_year=2024)
    assert strays_from_years([late], {2025}, figures=False, lenient=False) is False
    assert strays_from_years([GLOBEX], {1999}, figures=False, lenient=False, gold=(GLOBEX.file,)) is False
    assert strays_from_years([GLOBEX], set(), figures=False, lenient=False) is None
