"""What can answer: figures of tags and tables, and the words of a sentence that belong to one of its numbers."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from fin_tui.candidates import Candidate, as_read, figures_of, scale_of_prose, unit_read
from fin_tui.clauses import leading, marked, own_words
from fin_tui.engine.rank.wanted import unit_fits
from fin_tui.facts.figures import Period
from fin_tui.facts.from_tables import facts_from_tables
from fin_tui.filings.html import read_html
from fin_tui.filings.tables import complete_tables
from fin_tui.records import Fact


def _own(sentence: str, number: str) -> str:
    at = sentence.index(number)
    before, behind = own_words(sentence, at, at + len(number))
    return f"{before} [{number}] {behind}".strip()


@pytest.mark.parametrize(
    ("sentence", "number", "own"),
    [
        ("Of the total of 261 plants, we owned 133 and the balance were leased.", "133", "we owned [133]"),
        ("Of the total of 261 plants, we owned 133 and the balance were leased.", "261", "Of the total of [261] plants"),
        (
            "The portfolio represented approximately 10 percent of volumes and approximately 21 percent of loans.",
            "21 percent",
            "approximately [21 percent] of loans.",
        ),
        (
            "It held 118.9 million square feet: 83.2 million in the U.S.; 14.9 million in Canada; and 20.8 million elsewhere.",
            "14.9 million",
            "[14.9 million] in Canada",
        ),
        (
            "Plants in Peru, Chile and Norway made 35 percent, 29 percent and 21 percent of all shoes, respectively.",
            "29 percent",
            "Plants in Chile made [29 percent] of all shoes",
        ),
        (
            "We have operating and finance leases, with terms of $7 billion and $1.37 billion, respectively, for offices.",
            "$1.37 billion",
            "We have finance leases, with terms of [$1.37 billion]",
        ),
        (
            "Allowances of $63.9 million, $70.3 million and $71.7 million were booked for 2023, 2022 and 2021, respectively.",
            "$70.3 million",
            "Allowances of [$70.3 million] were booked for 2022",
        ),
        (
            "Rent for fiscal years 2023, 2022, and 2021 was $693 million, $568 million, and $415 million, respectively.",
            "$415 million",
            "Rent for fiscal years 2021 was [$415 million]",
        ),
        (
            "Research and development cost $5 million and $4 million in 2021 and 2020, respectively.",
            "$4 million",
            "Research and development cost [$4 million] in 2020",
        ),
        ("On May 4, 2023, we raised the dividend to $0.45 per share.", "$0.45", "we raised the dividend to [$0.45] per share."),
    ],
)  # fmt: skip
def test_a_number_has_the_words_that_are_said_of_it(sentence: str, number: str, own: str) -> None:
    assert _own(sentence, number) == own


def test_a_number_without_words_of_its_own_has_those_before_it() -> None:
    assert _own("Revenue was $5 million, $6 million.", "$6 million") == "Revenue was [$6 million] ."


def test_the_whole_sentence_stands_behind_the_clause() -> None:
    sentence = "We paid dividends of $12 million and bought back shares for $40 million."
    at = sentence.index("$40 million")
    assert marked(sentence, at, at + len("$40 million")) == (
        "bought back shares for [ $40 million ] . - We paid dividends of $12 million and bought back shares for [ $40 million ] ."
    )


def test_a_clause_that_is_the_sentence_is_said_once() -> None:
    sentence = "The rate was 21 % in all"
    at = sentence.index("21 %")
    assert marked(sentence, at, at + 4) == "The rate was [ 21 % ] in all"


PAGE = b"""<html><body><p>CONSOLIDATED STATEMENTS OF OPERATIONS</p><p>(In millions, except per share data)</p>
<table><tr><td>Year ended December 31,</td><td>2009</td><td>2008</td></tr>
<tr><td>Net sales</td><td>$1,234</td><td>$1,100</td></tr><tr><td>Cost of sales</td><td>800</td><td>700</td></tr>
<tr><td>Income before income taxes</td><td>300</td><td>280</td></tr><tr><td>Income tax expense</td><td>56</td><td>50</td></tr>
<tr><td>Net income</td><td>244</td><td>230</td></tr><tr><td>Interest expense</td><td>12</td><td>11</td></tr>
<tr><td>Other income</td><td>3</td><td>2</td></tr><tr><td>Gross profit</td><td>434</td><td>400</td></tr>
<tr><td>Net income per share - basic</td><td>$1.05</td><td>$.98</td></tr></table>
<p>Warehouses</p><table><tr><td></td><td>Leased</td><td>Owned</td></tr>
<tr><td>Ohio</td><td>12</td><td>7</td></tr><tr><td>Texas</td><td>9</td><td>4</td></tr></table></body></html>"""


def _figures() -> tuple[Candidate, ...]:
    document = read_html(PAGE)
    return figures_of(document, facts_from_tables(document))


def test_a_cell_carries_its_row_title_unit_and_period() -> None:
    sales = next(one for one in _figures() if one.path == ("Net sales",) and one.fact.text == "$1,234")
    assert sales.fact.value == 1_234_000_000
    assert sales.fact.period_end == dt.date(2009, 12, 31)
    assert sales.statement == "income"
    assert sales.row.startswith("Net sales | ")
    assert "2009" not in sales.row


def test_a_cell_without_a_period_is_a_figure_under_its_column() -> None:
    texas = [one for one in _figures() if one.path == ("Texas",)]
    assert [(one.column, one.fact.text, one.fact.period_end) for one in texas] == [("Leased", "9", None), ("Owned", "4", None)]
    assert len({one.row for one in texas}) == 2


def test_columns_of_later_years_are_told_apart_by_these() -> None:
    document = read_html(PAGE.replace(b"<td>Leased</td><td>Owned</td>", b"<td>2010</td><td>2011</td>"))
    document = replace(document, cover=replace(document.cover, period_end=dt.date(2009, 12, 31), fiscal_year=2009))
    texas = [one for one in figures_of(document, ()) if one.path == ("Texas",)]
    assert [(one.column, one.fact.text) for one in texas] == [("2010", "9"), ("2011", "4")]
    assert len({one.row for one in texas}) == 2
    spans = read_html(PAGE.replace(b"<td>Leased</td><td>Owned</td>", b"<td>Due in 2010</td><td>2011-2012</td>"))
    spans = replace(spans, cover=document.cover)
    assert [one.column for one in figures_of(spans, ()) if one.path == ("Texas",)] == ["Due in 2010", "2011-2012"]


def test_a_plain_number_that_is_tagged_as_money_elsewhere_counts_nothing() -> None:
    document = read_html(PAGE.replace(b"<td>12</td>", b"<td>1,234</td>"))
    facts = facts_from_tables(document)
    sales = next(fact for fact in facts if fact.text == "$1,234")
    ohio = next(one for one in figures_of(document, facts) if one.path == ("Ohio",) and one.fact.text == "1,234")
    assert unit_fits(ohio, "count")
    told = figures_of(document, [*facts, replace(sales, source="xbrl", block=None, value=ohio.fact.value)])
    same = next(one for one in told if one.path == ("Ohio",) and one.fact.text == "1,234")
    assert same.is_amount
    assert not unit_fits(same, "count")


def test_periods_of_one_row_share_its_words() -> None:
    rows = [one.row for one in _figures() if one.path == ("Cost of sales",)]
    assert len(rows) == 2
    assert len(set(rows)) == 1


def _without_unit(page: bytes, title: str) -> tuple[Candidate, ...]:
    """The figures of ``page`` whose table called ``title`` says no unit."""
    document = read_html(page)
    bare = tuple(
        replace(block, table=replace(block.table, units="", scale=1)) if block.table and block.table.title == title else block
        for block in document.blocks
    )
    document = replace(document, blocks=bare)
    return figures_of(document, facts_from_tables(document))


def test_a_table_of_money_without_units_may_be_in_the_scale_of_the_statements() -> None:
    figures = _without_unit(PAGE.replace(b"<td>12</td>", b"<td>$12</td>"), "Warehouses")
    assert {one.loose_scale for one in figures if one.path == ("Ohio",)} == {1_000_000}
    assert {one.loose_scale for one in figures if one.path == ("Net sales",)} == {1}
    rates = _without_unit(PAGE.replace(b"<td>12</td>", b"<td>$12</td>").replace(b"Ohio", b"Average daily rate"), "Warehouses")
    assert {one.loose_scale for one in rates if one.path == ("Average daily rate",)} == {1}
    prices = _without_unit(PAGE.replace(b"<td>12</td>", b"<td>$12.50</td>"), "Warehouses")
    assert [one.loose_scale for one in prices if one.path == ("Ohio",)] == [1, 1_000_000]


def test_what_a_hundred_dollars_became_is_in_full() -> None:
    page = PAGE.replace(b"<td>12</td><td>7</td>", b"<td>$100</td><td>$131</td>").replace(b"<td>9</td>", b"<td>100</td>")
    figures = _without_unit(page, "Warehouses")
    assert {one.loose_scale for one in figures if one.path in (("Ohio",), ("Texas",))} == {1}


def test_a_table_that_names_no_money_holds_numbers_of_things() -> None:
    told = {
        (one.fact.unit, one.fact.value, one.loose_scale) for one in _without_unit(PAGE, "Warehouses") if one.path == ("Ohio",)
    }
    assert told == {("count", 12.0, 1), ("count", 7.0, 1)}


@pytest.mark.parametrize(
    ("loose", "told", "scale"), [(60, 60, 1_000_000), (60, 300, 1), (12, 0, 1)], ids=["a habit", "exceptions", "too few to tell"]
)
def test_a_filing_that_leaves_the_scale_out_of_its_sentences_means_that_of_its_statements(
    loose: int, told: int, scale: int
) -> None:
    said = b"<p>Charges were $213 in 2009.</p>" * loose + b"<p>Rent was $4.5 million, or $5 billion over time.</p>" * (told // 2)
    assert scale_of_prose(read_html(PAGE.replace(b"<p>Warehouses</p>", said + b"<p>Warehouses</p>"))) == scale


_MEMBERS = (
    b"<tr><td></td><td>2021</td><td>2020</td></tr><tr><td>Gold members</td><td>50,200</td><td>%s46,800</td></tr>"
    b"<tr><td>Paid members</td><td>61,700</td><td>58,100</td></tr>"
)


def _count_scales(page: bytes) -> list[tuple[str, int]]:
    document = complete_tables(read_html(b"<html><body>" + page + b"</body></html>"))
    figures = figures_of(document, facts_from_tables(document))
    return [(one.fact.text, one.count_scale) for one in figures if one.path[-1] in ("Paid members", "Total")]


@pytest.mark.parametrize(
    ("above", "sign", "scale"),
    [
        (b"Our members at the end of the year were (in thousands):", b"", 1_000),
        (b"Our members at the end of the year were (in thousands):", b"$", 1),
        (b"Our members at the end of the year were (dollars in thousands):", b"", 1),
        (b"Our members at the end of the year were:", b"", 1),
    ],
)
def test_a_caption_scales_things_where_the_table_holds_no_money(above: bytes, sign: bytes, scale: int) -> None:
    page = b"<p>" + above + b"</p><table>" + _MEMBERS % sign + b"</table>"
    assert _count_scales(page) == [("61,700", scale), ("58,100", scale)]


def test_a_columns_own_caption_or_footnote_scales_its_things_alone() -> None:
    rows = b"<tr><td>Ohio</td><td>65</td><td>7,865</td></tr><tr><td>Total</td><td>1,995</td><td>250,518</td></tr>"
    headed = b"<table><tr><td></td><td>Stores</td><td>Square feet (in thousands)</td></tr>" + rows + b"</table>"
    assert _count_scales(headed) == [("1,995", 1), ("250,518", 1_000)]
    noted = b"<table><tr><td></td><td>Stores</td><td>Square feet (a)</td></tr>" + rows + b"</table>"
    assert _count_scales(noted + b"<p>(a) In thousands; without vacant space.</p>") == [("1,995", 1), ("250,518", 1_000)]
    assert _count_scales(noted + b"<p>(a) Without the space of thousands of offices.</p>") == [("1,995", 1), ("250,518", 1)]


def test_a_caption_above_the_labels_scales_the_things_that_it_names() -> None:
    rows = b"<tr><td>Ohio</td><td>65</td><td>7,865</td></tr><tr><td>Total</td><td>1,995</td><td>250,518</td></tr>"
    head = b"<table><tr><td>(Square feet in thousands)</td><td>Leased</td><td>Owned</td></tr>"
    assert _count_scales(head + rows + b"</table>") == [("1,995", 1_000), ("250,518", 1_000)]


def test_things_that_the_caption_gives_a_scale_of_their_own_have_it_in_the_rows_called_so() -> None:
    rows = (
        b"<tr><td></td><td>2021</td></tr><tr><td>Net sales</td><td>61,700</td></tr>"
        b"<tr><td>Unit sales</td><td></td></tr><tr><td>Paid members</td><td>58,100</td></tr>"
    )
    page = b"<p>Sales were (dollars in millions and units in thousands):</p><table>" + rows + b"</table>"
    document = complete_tables(read_html(b"<html><body>" + page + b"</body></html>"))
    figures = figures_of(document, facts_from_tables(document))
    assert {one.path[-1]: one.count_scale for one in figures} == {"Net sales": 1, "Paid members": 1_000}


@pytest.mark.parametrize(
    ("text", "scale", "unit"),
    [("263", 1, ""), ("$263", 1, "$"), ("263", 1_000_000, "$ million"), ("$1.9 billion", 10**9, "$ billion")],
)
def test_a_number_in_a_table_without_a_unit_is_read_without_one(text: str, scale: int, unit: str) -> None:
    value = float(text.strip("$ bilon")) * scale
    assert unit_read(Fact("table:x", "x", value, text, "usd", None, None, source="table")) == unit


_INDEX = (
    b"<p>%s</p><table>%s<tr><td>Statements of Cash Flows</td><td>33</td></tr><tr><td>Statements of Operations</td>"
    b"<td>29</td></tr></table></body>"
)
_HEADED = b"<tr><td>Index to Financial Statements</td><td>%s</td></tr>"


@pytest.mark.parametrize(
    ("title", "header", "figures"),
    [
        (b"Index", _HEADED % b"Page", []),
        (b"Index", _HEADED % b"2009", ["33"]),
        (b"Annual Report to Shareholders Page", b"", []),
        (b"Annual Report to Shareholders", b"", ["33"]),
    ],
)
def test_page_numbers_of_an_index_are_no_figures(title: bytes, header: bytes, figures: list[str]) -> None:
    document = read_html(PAGE.replace(b"</body>", _INDEX % (title, header)))
    found = figures_of(document, facts_from_tables(document))
    assert [one.fact.text for one in found if one.path == ("Statements of Cash Flows",)] == figures


_SIDE = (
    b"<table><tr><td>Stores as of May 1, 2025</td><td>Stores</td><td>Stores as of May 1, 2025</td><td>Stores</td></tr>"
    b"<tr><td>Ohio</td><td>65</td><td>Texas</td><td>159</td></tr><tr><td>Iowa</td><td>21</td><td>Utah</td><td>13</td></tr></table>"
)


def test_in_a_table_set_side_by_side_each_number_has_the_label_beside_it() -> None:
    document = complete_tables(read_html(b"<html><body>" + _SIDE + b"</body></html>"))
    figures = figures_of(document, facts_from_tables(document))
    assert {one.path[-1]: one.fact.text for one in figures} == {"Ohio": "65", "Texas": "159", "Iowa": "21", "Utah": "13"}
    assert all(fact.label.startswith(("Ohio", "Texas", "Iowa", "Utah")) for fact in facts_from_tables(document))


_REGIONS = b"""<table><tr><td>Product</td><td>Region</td><td>2024</td></tr>
<tr><td>Gizmo</td><td>Abroad</td><td>72</td></tr><tr><td>Widget</td><td>Widget</td><td>31</td></tr></table>"""


def test_a_second_label_of_a_row_names_its_figure() -> None:
    document = complete_tables(read_html(b"<html><body>" + _REGIONS + b"</body></html>"))
    paths = {one.fact.text: one.path for one in figures_of(document, ())}
    assert paths == {"72": ("Gizmo", "Abroad"), "31": ("Widget",)}


_YEAR_END = dt.date(2024, 9, 28)
_YEARS = (Period(_YEAR_END, None, "FY2024"),)


@pytest.mark.parametrize(
    ("start", "end", "when"),
    [
        (None, _YEAR_END, "FY2024, at September 28, 2024 | "),
        (dt.date(2023, 10, 1), _YEAR_END, "FY2024, year to September 28, 2024 | "),
        (dt.date(2024, 6, 30), _YEAR_END, "FY2024, quarter to September 28, 2024 | "),
        (None, dt.date(2024, 11, 1), "at November 1, 2024 | "),
        (None, None, ""),
    ],
)
def test_a_figure_is_read_with_value_unit_and_period(start: dt.date | None, end: dt.date | None, when: str) -> None:
    fact = Fact("table:x", "Total | Rent", 5_366e6, "5,366", "usd", start, end, source="table")
    assert as_read(Candidate(fact, ("Rent",), title="Leases"), _YEARS) == f"5,366 $ million | {when}Rent | Leases"


def test_a_number_of_a_sentence_is_read_with_what_the_sentence_goes_on_from() -> None:
    fact = Fact("", "Of these we own 31.", 31.0, "31", "count", None, _YEAR_END, source="text")
    before = leading("We run 54 plants. Of these we own 31.", 18)
    read = as_read(Candidate(fact, ("Of these we own [ 31 ].",), title="Properties", before=before), _YEARS)
    assert read == "FY2024, at September 28, 2024 | Of these we own [ 31 ]. | Properties | We run 54 plants."
