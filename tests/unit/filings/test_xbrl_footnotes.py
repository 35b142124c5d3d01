"""Footnotes that inline XBRL ties to facts."""

from __future__ import annotations

from fin_tui.filings.html import read_html
from fin_tui.records import Table
from tests.unit.filings.ixbrl import number, page


def table_of(links: str, notes: str) -> Table:
    rows = "".join(
        f"<tr><td>{label}</td><td>{number(text, name, id=name[2:])}</td></tr>"
        for label, text, name in (("Net sales", "1,200", "x:Sales"), ("Cost", "700", "x:Cost"), ("Profit", "500", "x:Profit"))
    )
    head = f'<div style="display:none"><ix:header><ix:resources>{links}</ix:resources></ix:header></div>'
    document = read_html(page(f"{head}<table>{rows}</table>{notes}"))
    (table,) = [block.table for block in document.blocks if block.table is not None]
    return table


def marks(table: Table) -> dict[str, tuple[str, ...]]:
    return {cell.text: cell.footnotes for row in table.rows for cell in row if cell.column}


def test_a_note_is_kept_with_the_cells_of_its_facts() -> None:
    links = '<ix:relationship fromRefs="Sales Cost" toRefs="n1"/><ix:relationship fromRefs="Sales" toRefs="n2"/>'
    notes = (
        '<p><ix:footnote id="n1">Includes rockets<ix:exclude> 12 </ix:exclude></ix:footnote></p>'
        '<p><ix:footnote id="n2" continuedAt="more">Restated</ix:footnote></p>'
        '<p><ix:continuation id="more">for fuel.</ix:continuation></p>'
    )
    table = table_of(links, notes)
    assert marks(table) == {"1,200": ("[1]", "[2]"), "700": ("[1]",), "500": ()}
    assert table.footnotes == {"[1]": "Includes rockets", "[2]": "Restated for fuel."}


def test_links_that_lead_nowhere_leave_no_note() -> None:
    table = table_of('<ix:relationship fromRefs="Sales Nothing" toRefs="lost"/>', "")
    assert marks(table) == {"1,200": (), "700": (), "500": ()}
    assert not table.footnotes
