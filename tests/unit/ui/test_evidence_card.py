"""What of an answer is running text, and what a line each."""

from __future__ import annotations

from fin_tui.engine.evidence.citations import with_markers
from fin_tui.records import QuotedTable, Sentence
from fin_tui.ui.widgets.evidence_card import _parts_of, _Rows

TABLE = QuotedTable("Stores", ("", "2025"), (("Total", "1,995"),))


def _told(*texts: str, opens: bool) -> list[Sentence]:
    first = "paragraph" if opens else ""
    return [Sentence(text, (1,), "grounded", opens="" if at else first) for at, text in enumerate(texts)]  # type: ignore[arg-type]


def test_a_paragraph_is_running_text_also_beside_a_table() -> None:
    told = _told("One.", "Two.", opens=True)
    assert _parts_of(with_markers(told), told) == (["One. [1] Two. [1]"], [])
    lead, _ = _parts_of("", [*told, Sentence("", (2,), "grounded", opens="paragraph", table=TABLE)])
    assert lead[0] == "One. [1] Two. [1]"


def test_what_is_told_of_figures_has_a_line_for_each_sentence() -> None:
    told = _told("One.", "Two.", opens=False)
    assert _parts_of(with_markers(told), told) == (["One. [1]\nTwo. [1]"], [])


def test_words_beside_a_grid_are_folded_under_its_first_line() -> None:
    led, words = _told("Sales: 9.", opens=False), _told("One.", "Two.", opens=True)
    told = [*led, *words]
    assert _parts_of(with_markers(told), told, has_grid=True) == (["Sales: 9. [1]"], ["One. [1] Two. [1]"])
    assert _parts_of(with_markers(led), led, has_grid=True) == (["Sales: 9. [1]"], [])


def test_a_long_table_is_folded_behind_its_first_rows() -> None:
    rows = tuple((f"Store {number}", str(number)) for number in range(30))
    told = [Sentence("", (2,), "grounded", opens="paragraph", table=QuotedTable("Stores", ("", "2025"), rows))]
    (lead,), (rest,) = _parts_of("", told)
    assert isinstance(lead, _Rows)
    assert isinstance(rest, _Rows)
    above, below = lead.content(74).plain.split("\n"), rest.content(72).plain.split("\n")
    assert len(above) == 12
    assert [line.split()[0] for line in above] == ["2025", *["Store"] * 11]
    assert [line.split()[1] for line in (*above[1:], *below)] == [number for _, number in rows]
    assert len({len(line) for line in (*above, *below)}) == 1


def test_the_last_few_rows_of_a_table_are_not_folded_away() -> None:
    rows = tuple((f"Store {number}", str(number)) for number in range(14))
    told = [Sentence("", (2,), "grounded", opens="paragraph", table=QuotedTable("Stores", ("", "2025"), rows))]
    (lead,), rest = _parts_of("", told)
    assert isinstance(lead, _Rows)
    assert lead.shown is None
    assert rest == []


def test_of_a_wide_long_table_the_first_columns_stand_over_the_fold() -> None:
    header = ("In millions", *(f"Approximate value of shares that may yet be purchased {number}" for number in range(6)))
    rows = tuple((f"October {day}, 2024 to the end of that week", *("$1,234,567.89",) * 6) for day in range(1, 8))
    told = [Sentence("", (2,), "grounded", opens="paragraph", table=QuotedTable("Bought", header, rows))]
    (lead,), (rest,) = _parts_of("", told)
    assert isinstance(lead, _Rows)
    assert isinstance(rest, _Rows)
    above, below = lead.content(74).plain, rest.content(72).plain
    assert above.count("\n") < 14
    assert (above + below).count("$1,234,567.89") == 42


def test_no_heading_of_rows_stands_last_over_the_fold() -> None:
    rows = tuple((f"Row {number}", "" if number % 11 == 10 else "1") for number in range(30))
    (lead,), _ = _parts_of("", [Sentence("", (2,), "grounded", table=QuotedTable("Stores", ("", "2025"), rows))])
    assert isinstance(lead, _Rows)
    assert lead.shown == 10
