from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.filings.html import note_name, read_html
from fin_tui.records import Document, Fact
from tests.unit.filings.ixbrl import number, page


def only(document: Document, concept: str) -> Fact:
    (fact,) = [fact for fact in document.facts if fact.concept == concept]
    return fact


def test_a_figure_in_prose_keeps_its_tail_its_place_and_its_words() -> None:
    document = read_html(page(f"<p>Revenue rose to ${number('95.2', scale='9')} billion in 2024, helped by services.</p>"))
    assert "Revenue rose to $95.2 billion in 2024" in document.text
    fact = only(document, "us-gaap:Revenues")
    assert document.text[fact.start : fact.end] == "95.2"
    assert fact.value == 95.2e9
    assert (fact.unit, fact.decimals) == ("usd", -6)
    assert (fact.period_start, fact.period_end) == (dt.date(2023, 10, 1), dt.date(2024, 9, 28))
    assert "Revenue rose to" in fact.label
    assert document.blocks[fact.block or 0].start <= fact.start


def test_a_figure_in_a_table_is_labelled_by_its_row() -> None:
    def row(label: str, text: str, name: str, tail: str = "", **more: str) -> str:
        return f"<tr><td>{label}</td><td>$</td><td>{number(text, name, contextRef='end', **more)}</td><td>{tail}</td></tr>"

    rows = (
        row("Inventories", "6,331", "us-gaap:InventoryNet")
        + row("Accumulated deficit", "19,154", "us-gaap:Deficit", ")", sign="-").replace("<td>$</td>", "<td>$ (</td>")
        + row("Other", "—", "us-gaap:Other", format="ixt:fixed-zero")
    )
    document = read_html(page(f"<table>{rows}</table>"))
    deficit = only(document, "us-gaap:Deficit")
    assert document.text[deficit.start : deficit.end] == "19,154"
    assert deficit.value == -19154e6
    inventory = only(document, "us-gaap:InventoryNet")
    assert inventory.label.endswith("Inventories")
    assert document.text[inventory.start : inventory.end] == "6,331"
    assert inventory.value == 6331e6
    assert inventory.period_start is None
    assert only(document, "us-gaap:Other").value == 0


@pytest.mark.parametrize(
    ("printed", "scale", "value"),
    [
        ("was ({})%", "0", -0.68),
        ("was ({}%)", "0", -0.68),
        ("was {}%", "0", 0.68),
        ("was {} %", "-4", 0.68),
        ("was {} times", "0", 68),
    ],
)
def test_a_percentage_is_worth_what_is_printed_whatever_its_tag_says(printed: str, scale: str, value: float) -> None:
    tag = number("68", "x:Rate", unitRef="pure", scale=scale)
    document = read_html(page(f"<p>Our effective tax rate for the year {printed.format(tag)} of income.</p>"))
    assert only(document, "x:Rate").value == pytest.approx(value)


def test_sign_units_dimensions_and_nil() -> None:
    document = read_html(
        page(
            f"<p>a ({number('214', 'x:Loss', sign='-')}) b {number('6.08', 'x:Eps', unitRef='eps', scale='0')} "
            f"c {number('24.1', 'x:Rate', unitRef='pure', scale='-2', decimals='INF')}% "
            f"d {number('3', 'x:Class', contextRef='common')} "
            '<ix:nonFraction name="x:Nil" contextRef="fy" unitRef="usd" xsi:nil="true"></ix:nonFraction></p>'
        )
    )
    assert only(document, "x:Loss").value == -214e6
    eps = only(document, "x:Eps")
    assert (eps.value, eps.unit) == (6.08, "usd/share")
    rate = only(document, "x:Rate")
    assert (rate.value, rate.unit, rate.decimals) == (0.241, "pure", None)
    assert only(document, "x:Class").dimensions == {
        "us-gaap:StatementClassOfStockAxis": "us-gaap:CommonStockMember",
        "x:LineAxis": "7",
    }
    assert only(document, "x:Nil").value is None


def test_nested_and_repeated_facts_all_stand() -> None:
    inner = number("12", "x:Inner")
    document = read_html(page(f"<p>It was {number(inner, 'x:Outer')} and again {number('12', 'x:Inner')}.</p>"))
    places = [(fact.concept, document.text[fact.start : fact.end]) for fact in document.facts if fact.block is not None]
    assert places == [("x:Outer", "12"), ("x:Inner", "12"), ("x:Inner", "12")]


def test_hidden_facts_have_no_place_and_no_text_in_the_body() -> None:
    document = read_html(page("<p>Body.</p>"))
    assert document.text == "Body."
    focus = only(document, "dei:DocumentFiscalYearFocus")
    assert (focus.text, focus.block, focus.start, focus.end) == ("2024", None, 0, 0)


def test_a_hidden_number_stands_where_its_words_are_printed_once() -> None:
    hidden = number("0", "us-gaap:EarningsPerShareBasic", unitRef="eps", id="h-1")
    body = '<table><tr><td>Loss per share</td><td><span style="font-size:9pt;-sec-ix-hidden:h-1;">nil</span></td></tr></table>'
    again = '<p>It was <span style="-sec-ix-hidden: h-1">nil</span> and <span style="-sec-ix-hidden:h-2">more</span>.</p>'
    whole = page(body + again).replace(b"</ix:hidden>", f"{hidden}</ix:hidden>".encode())
    document = read_html(whole)
    fact = only(document, "us-gaap:EarningsPerShareBasic")
    assert (fact.value, fact.text, document.text[fact.start : fact.end]) == (0.0, "0", "nil")
    assert fact.label == "Loss per share"
    assert document.text.startswith("Loss per share\tnil")
    assert document.text.endswith("It was nil and more.")


def test_text_facts_run_on_through_continuations() -> None:
    document = read_html(
        page(
            '<p><ix:nonNumeric name="x:Address" contextRef="fy" continuedAt="c1">One Way</ix:nonNumeric></p><p>Between</p>'
            '<p><ix:continuation id="c1" continuedAt="c2">Two Town</ix:continuation></p>'
            '<p><ix:continuation id="c2">Three<ix:exclude> page 7 </ix:exclude></ix:continuation></p>'
        )
    )
    assert only(document, "x:Address").text == "One Way Two Town Three"


def test_continuations_that_lead_in_a_circle_end() -> None:
    loop = (
        '<ix:continuation id="a" continuedAt="b">A</ix:continuation><ix:continuation id="b" continuedAt="a">B</ix:continuation>'
    )
    document = read_html(page(f'<p><ix:nonNumeric name="x:T" contextRef="fy" continuedAt="a">T</ix:nonNumeric> {loop}</p>'))
    assert only(document, "x:T").text == "T A B"


def test_blocks_carry_the_name_of_the_innermost_text_block_also_where_it_continues() -> None:
    document = read_html(
        page(
            '<ix:nonNumeric name="us-gaap:SignificantAccountingPoliciesTextBlock" contextRef="fy"><p>Policies.</p>'
            '<ix:nonNumeric name="us-gaap:RevenueRecognitionPolicyPolicyTextBlock" contextRef="fy" continuedAt="c">'
            "<p>We recognise revenue.</p></ix:nonNumeric></ix:nonNumeric><p>Aside.</p>"
            '<ix:continuation id="c"><p>Also later.</p></ix:continuation>'
        )
    )
    assert [(document.text[block.start : block.end], block.note) for block in document.blocks] == [
        ("Policies.", "Significant Accounting Policies"),
        ("We recognise revenue.", "Revenue Recognition"),
        ("Aside.", ""),
        ("Also later.", "Revenue Recognition"),
    ]
    assert not [fact for fact in document.facts if fact.concept.endswith("TextBlock")]


@pytest.mark.parametrize(
    ("concept", "name"),
    [
        ("us-gaap:IncomeTaxDisclosureTextBlock", "Income Tax"),
        ("us-gaap:ScheduleOfEarningsPerShareBasicAndDilutedTableTextBlock", "Schedule of Earnings Per Share Basic and Diluted"),
        ("x:SECFilingsTextBlock", "SEC Filings"),
        ("TextBlock", "Text Block"),
    ],
)
def test_names_of_text_blocks(concept: str, name: str) -> None:
    assert note_name(concept) == name


def test_cover_from_dei_facts() -> None:
    def text(name: str, value: str, context: str = "fy", **more: str) -> str:
        written = " ".join(f'{key}="{item}"' for key, item in more.items())
        return f'<p><ix:nonNumeric name="dei:{name}" contextRef="{context}" {written}>{value}</ix:nonNumeric></p>'

    document = read_html(
        page(
            text("DocumentType", "10-K")
            + text("DocumentPeriodEndDate", "September 28, 2024", format="ixt:date-monthname-day-year-en")
            + text("EntityRegistrantName", "Plain Goods Inc.")
            + text("TradingSymbol", "PLN-N24", "end")
            + text("TradingSymbol", "PLN", "common")
            + text("EntityTaxIdentificationNumber", "12-3456789")
            + text("EntityFileNumber", "001-00001")
        )
    )
    cover = document.cover
    assert (cover.company, cover.form, cover.fiscal_year, cover.cik) == ("Plain Goods Inc.", "10-K", 2024, "0000012345")
    assert (cover.period_end, cover.irs_number, cover.commission_file) == (dt.date(2024, 9, 28), "12-3456789", "001-00001")
    assert cover.ticker == "PLN"


def test_an_amendment_says_so_in_its_form() -> None:
    raw = page('<p><ix:nonNumeric name="dei:DocumentType" contextRef="fy">10-K</ix:nonNumeric></p>')
    assert (
        read_html(raw.replace(b'AmendmentFlag" contextRef="fy">false', b'AmendmentFlag" contextRef="fy">true')).cover.form
        == "10-K/A"
    )


def test_escape_sequences_in_facts_and_names_are_taken_out() -> None:
    document = read_html(page('<p>x <ix:nonNumeric name="x:Na&#27;me" contextRef="fy">a&#27;[31mb</ix:nonNumeric></p>'))
    assert "\x1b" not in document.text
    assert all("\x1b" not in fact.concept + fact.text for fact in document.facts)


def test_a_hidden_number_has_no_place_where_another_word_is_printed() -> None:
    hidden = number("17", "us-gaap:SharesOutstanding", unitRef="pure", scale="0", id="h-1")
    body = '<p>The shares <span style="-sec-ix-hidden:h-1">outstanding</span> were few.</p>'
    document = read_html(page(body).replace(b"</ix:hidden>", f"{hidden}</ix:hidden>".encode()))
    fact = only(document, "us-gaap:SharesOutstanding")
    assert (fact.value, fact.block, fact.start, fact.label) == (17.0, None, 0, "")
