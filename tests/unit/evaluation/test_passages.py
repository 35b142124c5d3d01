"""What counts as the gold passage, strictly and leniently."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fin_tui.evaluation.measures import Place, class_of, gold_of, grams, is_gold, place_of, prints_figure
from tests.unit.engine.made import filing, hit
from tests.unit.evaluation.made import row

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
