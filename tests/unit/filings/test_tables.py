import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.filings.table_cells import RawCell
from fin_tui.filings.table_header import find_units
from fin_tui.filings.tables import MadeTable, complete_tables, make_table
from fin_tui.records import Cell, Cover, Document
from tests.unit.filings.build import Part, document, prose


def grid(*rows: str, indents: tuple[int, ...] = (), offset: int = 0, above: tuple[str, ...] = ()) -> MadeTable:
    """Rows of "a | b | c"; "text>3" spans three columns; empty cells are left out."""
    cells = []
    for number, row in enumerate(rows):
        column = 0
        for piece in row.split("|"):
            text, _, span = piece.strip().rpartition(">") if ">" in piece else (piece.strip(), "", "1")
            width = int(span)
            indent = indents[number] if indents and column == 0 else 0
            cells.append(RawCell(text, number, column, colspan=width, indent=indent))
            column += width
    return make_table(cells, offset=offset, above=above)


def cell(made: MadeTable, label: str, column: int) -> Cell:
    row = next(row for row in made.table.rows if row[0].text == label)
    return next(c for c in row if c.column == column)


INCOME = (
    "| | Years ended>7",
    "| | September 28, 2024>3 | | September 30, 2023>3",
    "Net sales: | | | | | | | |",
    "Products | | $ | 294,866 | | | $ | 298,085 |",
    "Services | | 96,169>2 | | | 85,200>2 |",
    "Other income, net | | (565>2 | ) | | 382>2 |",
    "Gross margin percentage | | 46.2>2 | % | | 44.1>2 | %",
)


def test_signs_and_brackets_join_their_number() -> None:
    made = grid(*INCOME)
    lines = made.text.split("\n")
    assert lines[3] == "Products\t$294,866\t$298,085"
    assert lines[5] == "Other income, net\t(565)\t382"
    assert lines[6] == "Gross margin percentage\t46.2%\t44.1%"


def test_a_dash_in_a_cell_of_its_own_is_no_minus_of_the_next_number() -> None:
    made = grid("Issued for services | | 764 | | - | | - | | 2,150 | | - | | 2,914 |", "Loss | | - | 12 | | | | | | | | |")
    assert made.text.split("\n") == ["Issued for services\t764\t-\t-\t2,150\t-\t2,914", "Loss\t-12"]


def test_a_dash_in_a_column_of_numbers_is_no_minus_of_the_number_right_behind_it() -> None:
    made = grid("Land | 423 | 443", "Construction in progress | - | 3,822", "Buildings | 1,020 | 980")
    assert made.text.split("\n") == ["Land\t423\t443", "Construction in progress\t-\t3,822", "Buildings\t1,020\t980"]


def test_grid_columns_become_the_columns_a_reader_sees() -> None:
    table = grid(*INCOME).table
    assert len(table.columns) == 3
    assert [c.column for c in table.rows[4]] == [0, 1, 2]
    assert table.header_rows == 2
    assert table.columns[1].header == ("Years ended", "September 28, 2024")
    assert table.columns[2].header == ("Years ended", "September 30, 2023")


def test_a_52_week_year_starts_after_the_year_before_it() -> None:
    columns = grid(*INCOME).table.columns
    assert (columns[1].period_start, columns[1].period_end) == (dt.date(2023, 10, 1), dt.date(2024, 9, 28))
    assert (columns[2].period_start, columns[2].period_end) == (dt.date(2022, 10, 2), dt.date(2023, 9, 30))


def test_rows_stand_under_their_label_row() -> None:
    table = grid(*INCOME, indents=(0, 0, 0, 2, 2, 0, 0)).table
    assert table.row_paths[3] == ("Net sales:", "Products")
    assert table.row_paths[5] == ("Other income, net",)


def test_rows_without_indentation_stay_under_their_heading_until_its_total() -> None:
    table = grid("| 2024", "Current assets: |", "Cash | 5,000", "Total current assets | 5,000", "Goodwill | 7,100").table
    assert table.row_paths[2] == ("Current assets:", "Cash")
    assert table.row_paths[3] == ("Current assets:", "Total current assets")
    assert table.row_paths[4] == ("Goodwill",)


def test_a_label_wrapped_over_two_rows_is_one_label() -> None:
    table = grid("| 2024", "Net income attributable to |", "common stockholders | 1,250").table
    assert table.row_paths[2] == ("Net income attributable to common stockholders",)


def test_spans_point_at_each_raw_cell() -> None:
    cells = [RawCell("Cash (1)", 0, 0), RawCell("$", 0, 1), RawCell("(1,234", 0, 2), RawCell(")", 0, 3), RawCell("  ", 0, 4)]
    made = make_table(cells, offset=100)
    texts = [made.text[span.start - 100 : span.end - 100] for span in made.spans]
    assert texts == ["Cash (1)", "$", "(1,234", ")", ""]
    label, number = made.table.rows[0]
    assert (label.text, label.footnotes) == ("Cash", ("(1)",))
    assert number.text == "$(1,234)"
    assert made.text[number.start - 100 : number.end - 100] == number.text


def test_units_and_title_come_from_the_rows_or_from_above() -> None:
    above = (
        "ACME CORP.",
        "CONSOLIDATED BALANCE SHEETS",
        "(In millions, except number of shares, which are reflected in thousands)",
    )
    table = grid("| December 31, 2024 | December 31, 2023", "Cash | 5 | 6", above=above).table
    assert (table.title, table.scale) == ("CONSOLIDATED BALANCE SHEETS", 1_000_000)
    assert table.units == above[2]
    assert (table.columns[1].period_start, table.columns[1].period_end) == (None, dt.date(2024, 12, 31))
    inside = grid("(Dollars in thousands) | 2024 | 2023", "Cash | 5,100 | 6,200").table
    assert (inside.units, inside.scale) == ("(Dollars in thousands)", 1_000)


def test_a_years_header_takes_its_day_from_the_caption_over_it() -> None:
    columns = grid("| Years ended December 31,>2", "| 2024 | 2023", "Revenue | 1,500 | 1,400").table.columns
    assert (columns[1].period_start, columns[1].period_end) == (dt.date(2024, 1, 1), dt.date(2024, 12, 31))
    assert columns[2].period_end == dt.date(2023, 12, 31)


def test_a_year_whose_day_is_unknown_has_no_period() -> None:
    columns = grid("| 2024 | 2023", "Employees | 1,500 | 1,400").table.columns
    assert [c.period_end for c in columns] == [None, None, None]
    assert columns[1].header == ("2024",)


def test_quarters_are_three_months() -> None:
    columns = grid(
        "| Three Months Ended March 31, 2024 | Nine Months Ended September 30, 2024", "Revenue | 1,500 | 4,400"
    ).table.columns
    assert (columns[1].period_start, columns[1].period_end) == (dt.date(2024, 1, 1), dt.date(2024, 3, 31))
    assert columns[2].period_start == dt.date(2024, 1, 1)


def test_later_years_under_a_date_are_no_periods() -> None:
    columns = grid("| As of December 31, 2024>2", "| 2025 | 2026", "Maturities | 1,500 | 1,400").table.columns
    assert [c.period_end for c in columns[1:]] == [None, None]


def test_note_rows_are_linked_to_their_markers() -> None:
    made = grid(
        "| 2024",
        "Adjusted EBITDA | 1,234 | (1)",
        "Margin (a) | 10.5%",
        "(1) | Excludes the effects of restructuring.",
        "(a) Divided by net sales.",
    )
    assert cell(made, "Adjusted EBITDA", 1).footnotes == ("(1)",)
    assert cell(made, "Margin", 1).text == "10.5%"
    assert made.table.footnotes == {"(1)": "Excludes the effects of restructuring.", "(a)": "Divided by net sales."}


def test_a_negative_one_is_no_marker() -> None:
    made = grid("| 2024 | 2023", "Other | (1) | (25)", "Tax | 500 | (1)")
    assert cell(made, "Other", 1).text == "(1)"
    assert cell(made, "Tax", 2).text == "(1)"


def test_amount_and_percent_columns_under_one_year_stay_apart() -> None:
    made = grid(
        "| 2024>5 | | 2023>5",
        "| Amount>2 | | %>2 | | Amount>2 | | %>2",
        "Products | $ | 1,200 | | 60 | % | | $ | 1,100 | | 55 | %",
    )
    assert made.text.split("\n")[2] == "Products\t$1,200\t60%\t$1,100\t55%"
    assert [c.header for c in made.table.columns[1:]] == [("2024", "Amount"), ("2024", "%"), ("2023", "Amount"), ("2023", "%")]


def test_control_characters_never_reach_the_text() -> None:
    assert make_table([RawCell("a\x1b[31mb\x07", 0, 0)], offset=0).text == "a[31mb"


def test_an_empty_grid_has_no_text() -> None:
    made = make_table([RawCell(" ", 0, 0), RawCell("—————", 1, 0)], offset=7)
    assert made.text == ""
    assert [(s.start, s.end) for s in made.spans] == [(7, 7), (7, 7)]


WORDS = st.sampled_from(
    ["", "$", "(", ")", "%", "1,234", "(56", "2024", "Net sales", "(1)", "—", "*", "December 31,", "in millions", "a"]
)


@given(
    st.lists(st.tuples(WORDS, st.integers(0, 6), st.integers(0, 7), st.integers(1, 4), st.integers(0, 3)), max_size=30),
    st.integers(0, 500),
)
def test_every_cell_is_where_its_span_says(raw: list[tuple[str, int, int, int, int]], offset: int) -> None:
    cells = [RawCell(text, row, column, colspan=span, indent=indent) for text, row, column, span, indent in raw]
    made = make_table(cells, offset=offset)
    for source, span in zip(cells, made.spans, strict=True):
        assert made.text[span.start - offset : span.end - offset] == source.text
    last = offset
    for number, row in enumerate(made.table.rows):
        assert [c.column for c in row] == sorted(c.column for c in row)
        for made_cell in row:
            assert made_cell.row == number
            assert made.text[made_cell.start - offset : made_cell.end - offset] == made_cell.text
            assert last <= made_cell.start <= made_cell.end
            assert made_cell.column < len(made.table.columns)
            last = made_cell.end
    assert len(made.table.row_paths) == len(made.table.rows)


@pytest.mark.parametrize(
    ("caption", "scale"),
    [
        ("(In millions, except number of shares, which are reflected in thousands, and per-share amounts)", 1_000_000),
        ("(Dollars and Shares in Millions Except Per Share Amounts)", 1_000_000),
        ("(shares in thousands, dollars in millions)", 1_000_000),
        ("(net income in millions and shares in thousands)", 1_000_000),
        ("(Shares in Thousands)", 1),
        ("(shares in 000’s)", 1),
        ("($000, shares in 000s)", 1_000),
        ("Millions of dollars", 1_000_000),
        ("In thousands of U.S. dollars", 1_000),
        ("$ in billions", 1_000_000_000),
        ("($000)", 1_000),
        ("(000's omitted)", 1_000),
        ("(In dollars)", 1),
    ],
)
def test_a_unit_caption_gives_the_factor_on_money(caption: str, scale: int) -> None:
    assert find_units(["Some words before it", caption]) == (caption, scale)


@pytest.mark.parametrize("text", ["Sales rose to $3 million in the year.", "We serve customers in 40 countries", "Net sales", ""])
def test_prose_is_no_unit_caption(text: str) -> None:
    assert find_units([text]) == ("", 1)


def with_cover(made: Document, period_end: dt.date, year: int) -> Document:
    return replace(made, cover=Cover(fiscal_year=year, period_end=period_end))


def test_bare_years_take_the_day_on_which_the_filings_year_ends() -> None:
    made = document([("table", [["", "2024", "2023"], ["Sales", "$1,200", "$1,100"]])])
    table = complete_tables(with_cover(made, dt.date(2024, 9, 28), 2024)).blocks[0].table
    assert table is not None
    assert [c.period_end for c in table.columns] == [None, dt.date(2024, 9, 28), dt.date(2023, 9, 30)]
    assert table.columns[1].period_start == dt.date(2023, 10, 1)


def test_a_fiscal_year_is_named_as_the_company_names_it() -> None:
    made = document([("table", [["", "Fiscal 2023", "Fiscal 2022"], ["Sales", "$1,200", "$1,100"]])])
    table = complete_tables(with_cover(made, dt.date(2024, 1, 31), 2023)).blocks[0].table
    assert table is not None
    assert [c.period_end for c in table.columns[1:]] == [dt.date(2024, 1, 31), dt.date(2023, 1, 31)]


def test_years_to_come_stay_undated() -> None:
    made = document([("table", [["", "2024", "2025"], ["Maturities", "$1,200", "$1,100"]])])
    table = complete_tables(with_cover(made, dt.date(2024, 12, 31), 2024)).blocks[0].table
    assert table is not None
    assert [c.period_end for c in table.columns] == [None, None, None]


def test_tables_under_one_heading_share_the_unit_that_is_stated_once() -> None:
    rows = [["", "December 31, 2024"], ["Cash", "$1,200"]]
    plain = [["", "December 31, 2024"], ["Employees", "1,200"]]
    parts: list[Part] = [("h2", "Note 4"), ("p", "These tables show details (in millions):"), ("table", rows), ("h4", "Other")]
    parts += [("p", prose(50)), ("p", "x"), ("p", "y"), ("table", rows), ("table", plain), ("h1", "Item 9"), ("table", rows)]
    made = document(parts)
    tables = [block.table for block in complete_tables(made).blocks if block.table is not None]
    assert [table.scale for table in tables] == [1_000_000, 1_000_000, 1, 1]


def test_a_table_of_what_one_thing_brings_takes_no_scale_from_tables_around_it() -> None:
    drop = [["(Dollars in millions)", "2024"], ["Table games drop", "$5,804"]]
    rooms = [["", "2024"], ["Occupancy", "89%"], ["Average Daily Rate (ADR)", "$229"], ["Revenue per available room", "$203"]]
    mixed = [*rooms, ["Rooms revenue", "$3,027"]]
    parts: list[Part] = [
        ("h2", "Results"),
        ("p", "Key figures:"),
        ("table", drop),
        ("p", "x"),
        ("table", rooms),
    ]
    tables = [
        block.table
        for block in complete_tables(document([*parts, ("p", "y"), ("table", mixed)])).blocks
        if block.table is not None
    ]
    assert [(table.scale, bool(table.units)) for table in tables] == [(1_000_000, True), (1, False), (1_000_000, True)]


@pytest.mark.parametrize(
    ("stated", "unstated", "scale"), [(15, 12, 1_000_000), (20, 5, 1), (5, 4, 1)], ids=["a habit", "some", "too few to tell"]
)
def test_money_without_a_unit_is_in_the_usual_one_where_a_filing_often_leaves_it_out(
    stated: int, unstated: int, scale: int
) -> None:
    said, bare = [["(Dollars in millions)", "2024"], ["Sales", "$5,804"]], [["", "2024"], ["Debt", "$12"]]
    others = [
        [["", "2024"], ["Shops", "12"]],
        [["", "2024"], ["Audit fees", "$1,250,000"], ["Other fees", "$75,000"]],
        [["", "2024"], ["High", "$45.50"], ["Low", "$40"]],
        [["", "2023", "2024"], ["This company", "$100", "$131"], ["Index", "$100", "$98"]],
    ]
    parts: list[Part] = [("h1", "Item 1"), *(("table", rows) for rows in (*(bare for _ in range(unstated)), *others))]
    parts += [("h1", "Item 2"), *(("table", said) for _ in range(stated))]
    tables = [block.table for block in complete_tables(document(parts)).blocks if block.table is not None]
    assert {table.scale for table in tables[:unstated]} == {scale}
    assert [table.scale for table in tables[unstated : unstated + len(others)]] == [1] * len(others)


def test_a_standing_caption_speaks_for_all_later_tables() -> None:
    rows = [["", "December 31, 2024"], ["Cash", "$1,200"]]
    filler: list[Part] = [("p", prose(30)) for _ in range(20)]
    made = document([("p", "(Tabular amounts in thousands, except per share amounts)"), *filler, ("table", rows)])
    table = complete_tables(made).blocks[-1].table
    assert table is not None
    assert table.scale == 1_000


def test_a_range_of_figures_is_a_value() -> None:
    table = grid("| 2024 | 2023", "Volatility | 31%-67% | 43% - 72%", "Life | 0.1-2.0 | 1.5").table
    assert table.header_rows == 1
    assert table.row_paths[1] == ("Volatility",)


def test_titles_are_neither_companies_nor_periods() -> None:
    table = grid(
        "Acme Inc. and Subsidiaries>3", "Consolidated Statements of Income>3", "| 2024 | 2023", "Sales | $1,200 | $1,100"
    ).table
    assert table.title == "Consolidated Statements of Income"
    assert (
        grid("Fiscal>3", "| 2024 | 2023", "Sales | $1,200 | $1,100", above=("Revenue by region",)).table.title
        == "Revenue by region"
    )


def test_a_further_line_of_a_label_keeps_it() -> None:
    table = grid("| Maturity | 2024 | 2023", "Senior notes | < 5 Years | 1,200 | 1,100", "| 5-10 Years | 3,200 | 3,100").table
    assert table.row_paths[2] == ("Senior notes", "5-10 Years")


def test_years_of_origination_and_names_of_plans_are_no_periods() -> None:
    rows = ("| December 31, 2024 | December 31, 2023", "Loans | 1,500 | 1,400")
    loans = grid(*rows, above=("Loan receivables by period of origination are as follows:",)).table
    assert [c.period_end for c in loans.columns] == [None, None, None]
    made = document([("table", [["", "Fiscal 2024 Plan", "Fiscal 2023 Plan"], ["Liability", "$1,200", "$1,100"]])])
    table = complete_tables(with_cover(made, dt.date(2024, 9, 28), 2024)).blocks[0].table
    assert table is not None
    assert [c.period_end for c in table.columns] == [None, None, None]
