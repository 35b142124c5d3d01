"""Audits of models made by a program: true numbers supported, slips caught by kind, formulas checked, hostile files refused."""

from __future__ import annotations

import datetime as dt
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from fin_tui.engine.services import Services
from fin_tui.errors import FinTuiError, NotFound
from fin_tui.records import Fact, Filing
from fin_tui.sheets.audit import Audit, audit, report
from fin_tui.sheets.audit.judging import AuditedCell
from fin_tui.sheets.audit.layout import TypedNumber, is_caption, read_period, read_unit
from fin_tui.sheets.audit.year_facts import Held, equal, is_outflow, restated_to
from fin_tui.sheets.xlsx import MOST_BYTES, mark_copy
from tests.unit.sheets.conftest import FIRST, SECOND
from tests.unit.sheets.made import LINES, MILLION, filing_of

LABELS = [line[0] for line in LINES]
Fill = Callable[[Any], None]


def model(path: Path, fill: Fill, title: str = "Model") -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    fill(sheet)
    book.save(path)
    return path


def typed(label: str, year: int, scale: float = MILLION) -> float:
    value = FIRST.values(year)[label]
    return value if "per share" in label else value / scale


def across(sheet: Any, *, heads: tuple[Any, ...] = ("FY2022A", "FY2023A", "FY2024E"), scale: float = MILLION) -> None:
    sheet["A1"], sheet["A2"] = (
        "Example Corp.",
        "($ in millions, except per share data)" if scale == MILLION else "USD in thousands",
    )
    for at, head in enumerate(heads, start=2):
        sheet.cell(4, at, head)
    for line, label in enumerate(LABELS, start=5):
        sheet.cell(line, 1, label)
        for at, year in enumerate((2022, 2023), start=2):
            sheet.cell(line, at, typed(label, year, scale))


def by_place(found: Audit) -> dict[str, AuditedCell]:
    return {cell.cell: cell for cell in found.cells}


def test_every_true_number_is_supported_with_its_place(services: Services, tmp_path: Path) -> None:
    found = audit(services, model(tmp_path / "m.xlsx", across))
    assert found.counts == {"supported": 2 * len(LABELS), "contradicted": 0, "unknown": 0}
    cell = by_place(found)["C5"]
    assert cell.found is not None
    assert cell.found["value"] == FIRST.values(2023)["Total net sales"]
    assert str(cell.found["reference"]).startswith("Example Corp. 10-K FY2023")
    assert str(cell.found["quote"]).startswith("Total net sales")
    assert cell.period_end == "2023-09-30"


def test_dates_and_thousands_and_years_down_the_side(services: Services, tmp_path: Path) -> None:
    heads = (dt.datetime(2022, 9, 30), dt.datetime(2023, 9, 30))
    found = audit(services, model(tmp_path / "d.xlsx", lambda sheet: across(sheet, heads=heads, scale=1000.0)))
    assert found.counts["supported"] == 2 * len(LABELS)

    def down(sheet: Any) -> None:
        sheet["A1"], sheet["A3"] = "$mm", "Fiscal year"
        for at, label in enumerate(LABELS, start=2):
            sheet.cell(3, at, label)
        for line, year in enumerate((2022, 2023), start=4):
            sheet.cell(line, 1, year)
            for at, label in enumerate(LABELS, start=2):
                sheet.cell(line, at, typed(label, year))

    found = audit(services, model(tmp_path / "y.xlsx", down, title="EXM"))
    assert found.counts == {"supported": 2 * len(LABELS), "contradicted": 0, "unknown": 0}


def test_peers_in_columns_and_long_lists(services: Services, tmp_path: Path) -> None:
    def peers(sheet: Any) -> None:
        sheet["A1"], sheet["A2"] = "Peers, FY2023", "$ in millions"
        for at, company in enumerate((FIRST, SECOND), start=2):
            sheet.cell(4, at, company.name)
            for line, label in enumerate(LABELS[:8], start=5):
                sheet.cell(line, 1, label)
                sheet.cell(line, at, company.values(2023)[label] / MILLION)

    assert audit(services, model(tmp_path / "p.xlsx", peers)).counts["supported"] == 16

    def long(sheet: Any) -> None:
        for at, head in enumerate(("Company", "Year", "Item", "Value ($ millions)"), start=1):
            sheet.cell(1, at, head)
        rows = [(c, y, label) for c in (FIRST, SECOND) for y in (2022, 2023) for label in LABELS[:8]]
        for line, (company, year, label) in enumerate(rows, start=2):
            for at, value in enumerate((company.ticker, year, label, company.values(year)[label] / MILLION), start=1):
                sheet.cell(line, at, value)

    assert audit(services, model(tmp_path / "l.xlsx", long)).counts["supported"] == 32


SLIPS: dict[str, Callable[[float], float]] = {
    "digit": lambda true: true + 200 if str(int(true))[-3] < "8" else true - 200,
    "sign": lambda true: -true,
    "scale": lambda true: true * 1000,
    "year": lambda true: typed("Net income", 2022),
    "row": lambda true: typed("Goodwill", 2023),
    "other": lambda true: true * 3 + 12345,
}


@pytest.mark.parametrize("kind", SLIPS)
def test_a_slip_is_caught_and_called_by_its_kind(services: Services, tmp_path: Path, kind: str) -> None:
    def fill(sheet: Any) -> None:
        across(sheet)
        sheet["C12"] = SLIPS[kind](typed("Net income", 2023))

    found = audit(services, model(tmp_path / "s.xlsx", fill))
    wrong = [cell for cell in found.cells if cell.status == "contradicted"]
    assert [(cell.cell, cell.slip) for cell in wrong] == [("C12", kind)]
    assert found.counts["supported"] == 2 * len(LABELS) - 1
    assert f"{typed('Net income', 2023):,.0f}" in wrong[0].why


def test_a_value_restated_since_is_called_so(services: Services, tmp_path: Path) -> None:
    services.library.add(filing_of(FIRST, 2024, restated={(2023, "Goodwill"): 777e6}))

    def fill(sheet: Any) -> None:
        across(sheet)
        sheet["B17"] = typed("Goodwill", 2022)

    found = audit(services, model(tmp_path / "r.xlsx", fill))
    assert [(c.cell, c.slip) for c in found.cells if c.status == "contradicted"] == [("C17", "restated")]

    def now(sheet: Any) -> None:
        across(sheet)
        sheet["C17"] = 777

    assert audit(services, model(tmp_path / "n.xlsx", now)).counts["contradicted"] == 0


OTHER_WORDS = {
    "Cash generated by operating activities": "CF from operations",
    "Payments for acquisition of property, plant and equipment": "Cash paid to acquire plant and equipment",
    "Total assets": "Sum of all assets (1)",
    "Accounts receivable, net": "A/R",
    "Gross profit": "Gross margin ($)",
}


def reworded(sheet: Any) -> None:
    across(sheet)
    for line, label in enumerate(LABELS, start=5):
        sheet.cell(line, 1, OTHER_WORDS.get(label, label))


def test_labels_in_words_that_no_row_has_are_read_by_their_meaning(services: Services, tmp_path: Path) -> None:
    found = audit(services, model(tmp_path / "w.xlsx", reworded))
    assert found.counts == {"supported": 2 * len(LABELS), "contradicted": 0, "unknown": 0}


def test_what_a_label_means_is_told_by_its_other_numbers(services: Services, tmp_path: Path) -> None:
    line = 5 + LABELS.index("Cash generated by operating activities")

    def fill(sheet: Any) -> None:
        reworded(sheet)
        sheet.cell(line, 3, typed("Cash generated by operating activities", 2023) + 321)

    wrong = [cell for cell in audit(services, model(tmp_path / "t.xlsx", fill)).cells if cell.status == "contradicted"]
    assert [cell.cell for cell in wrong] == [f"C{line}"]
    assert f"{typed('Cash generated by operating activities', 2023):,.0f}" in wrong[0].why


def test_a_figure_that_a_later_filing_tags_otherwise_is_restated_whatever_its_row_is_called(services: Services) -> None:
    """The same tag and period is the same figure; prose that rounds it is no restatement."""
    newer, older = sorted(services.corpus.filings(), key=lambda filing: str(filing.period_end), reverse=True)[:2]

    def goodwill(label: str, value: float, of: Filing, decimals: int = -6) -> Held:
        fact = Fact("us-gaap:Goodwill", label, value, "", "usd", None, dt.date(2023, 9, 30), decimals=decimals)
        return Held.of(fact, of, in_statement=True)

    first, later = goodwill("Goodwill", 704e6, older), goodwill("Goodwill, as restated", 777e6, newer)
    assert restated_to(first, [later, first]) == 777e6
    assert restated_to(later, [later, first]) is None
    assert restated_to(first, [goodwill("Goodwill was", 0.7e9, newer, -8), first]) is None


def test_a_zero_is_not_whatever_is_small() -> None:
    number = TypedNumber("s", "B2", 0.0, 0, "Cash", "", "", None, "", MILLION, False, False)
    assert equal(number, 1_139.0, "usd", MILLION) == 0
    assert equal(number, 50.0, "usd", MILLION) == 1
    assert equal(number, 0.0, "usd", MILLION) == 1


def test_what_is_net_of_depreciation_is_not_paid_out() -> None:
    assert not is_outflow("us-gaap:PropertyPlantAndEquipmentNet", "Property, net of accumulated depreciation of $4")
    assert is_outflow("us-gaap:Depreciation", "Depreciation")


def test_outflows_may_be_typed_negative_and_estimates_are_left_alone(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        across(sheet)
        sheet["C23"] = -typed("Payments for acquisition of property, plant and equipment", 2023)
        sheet["D5"] = 123_456

    found = audit(services, model(tmp_path / "o.xlsx", fill))
    assert found.counts["contradicted"] == 0
    assert by_place(found)["D5"].status == "unknown"
    assert by_place(found)["D5"].why.startswith("An estimate")


def test_what_can_not_be_known_is_unknown_and_says_why(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        sheet["B1"], sheet["A2"], sheet["B2"] = "FY2023", "Castles built", 41
        sheet["A3"], sheet["B3"] = "Net income", 100
        sheet["C3"], sheet["E9"] = 5, 17

    whys = {cell.cell: cell.why for cell in audit(services, model(tmp_path / "u.xlsx", fill)).cells}
    assert "--company" in whys["B3"]
    assert whys["E9"] == "The number has no label."
    named = {c.cell: c for c in audit(services, tmp_path / "u.xlsx", company="EXM").cells}
    assert named["B2"].status == "unknown"
    assert named["B3"].status == "contradicted"
    with pytest.raises(NotFound):
        audit(services, tmp_path / "u.xlsx", company="NOBODY")


def test_the_scale_is_found_where_no_caption_says_it(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        across(sheet)
        sheet["A2"] = None
        sheet["C12"] = typed("Net income", 2023) / 1000

    found = audit(services, model(tmp_path / "x.xlsx", fill))
    assert [(cell.cell, cell.slip) for cell in found.cells if cell.status == "contradicted"] == [("C12", "scale")]


def test_sums_and_formulas_are_checked(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        for at, label in enumerate(("Apples", "Pears", "Plums", "Total fruit"), start=2):
            sheet.cell(at, 1, label)
        for column in (2, 3, 4):
            sheet.cell(1, column, f"FY{2020 + column}")
            for row in (2, 3, 4):
                sheet.cell(row, column, 10 * row * column)
        sheet["B5"], sheet["C5"], sheet["D5"] = "=SUM(B2:B4)", "=SUM(C2:C3)", "=D2+D4"
        sheet["B6"], sheet["C6"], sheet["D6"] = "=B5*1.07", "=C5*0.5+250", "=ROUND(D5,2)*100"
        sheet["A8"], sheet["A9"], sheet["A10"] = "Nuts", "Oats", "Total food"
        for column in (2, 3, 4):
            sheet.cell(8, column, 7 * column)
            sheet.cell(9, column, 9 * column)
            sheet.cell(10, column, 16 * column + (5 if column == 3 else 0))
        sheet["F1"], sheet["G1"] = "=G1+1", "=F1+1"

    checks = audit(services, model(tmp_path / "c.xlsx", fill)).checks
    found = {(check.cell, check.kind) for check in checks}
    assert found >= {
        ("C5", "skipped row"),
        ("D5", "skipped row"),
        ("B6", "typed number"),
        ("C6", "typed number"),
        ("C10", "total"),
    }
    assert ("B5", "skipped row") not in found
    assert ("D6", "typed number") not in found
    assert [check.kind for check in checks].count("total") == 1
    assert [check.kind for check in checks].count("circular formula") == 1
    assert "(Plums)" in next(check.why for check in checks if check.cell == "C5")


def test_subtotals_and_differences_are_no_skipped_rows(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        for at, label in enumerate(
            ("Cash", "Stock", "Total current", "Land", "Goodwill", "Total other", "Total assets", "Debt"), start=2
        ):
            sheet.cell(at, 1, label)
        for row in (2, 3, 5, 6, 9):
            sheet.cell(row, 2, row * 11)
        sheet["B4"], sheet["B7"], sheet["B8"], sheet["B10"] = "=SUM(B2:B3)", "=B5+B6", "=B4+B7", "=B8-B9"

    assert audit(services, model(tmp_path / "t.xlsx", fill)).checks == ()


def test_the_copy_is_marked_and_the_original_untouched(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        across(sheet)
        sheet["C12"], sheet["F1"] = -1, "=SUM(B5:B6)+7"
        sheet["G1"].hyperlink = "file:///etc/passwd"

    path = model(tmp_path / "m.xlsx", fill)
    before = path.read_bytes()
    found = audit(services, path)
    mark_copy(path, tmp_path / "copy.xlsx", found.marks)
    sheet = openpyxl.load_workbook(tmp_path / "copy.xlsx")["Model"]
    assert sheet["C12"].fill.start_color.rgb == "00FFC7CE"
    assert "fin-tui, contradicted: Example Corp. states" in sheet["C12"].comment.text
    assert sheet["B5"].fill.start_color.rgb == "00C6EFCE"
    assert "Source: Example Corp. 10-K FY2022" in sheet["B5"].comment.text
    assert sheet["F1"].value == "=SUM(B5:B6)+7"
    assert sheet["G1"].hyperlink is None
    assert path.read_bytes() == before
    with pytest.raises(FinTuiError, match="never changed"):
        mark_copy(path, path, found.marks)


def test_report_and_json_say_the_same(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        across(sheet)
        sheet["A12"], sheet["C12"] = "Net income | **bold** <b>", 1

    found = audit(services, model(tmp_path / "m.xlsx", fill))
    document = json.loads(json.dumps(found.document))
    assert set(document["cells"][0]) >= {"sheet", "cell", "label", "period_end", "typed", "status", "found", "slip", "why"}
    told = report(found)
    assert "# Audit of m.xlsx" in told
    assert "<b>" not in told.replace("\\<b\\>", "")


def zipped(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw)
    return path


def packed(extra: dict[str, bytes]) -> dict[str, bytes]:
    book = io.BytesIO()
    openpyxl.Workbook().save(book)
    with zipfile.ZipFile(book) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return {**parts, **extra}


ROWS = b"".join(b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (at, at) for at in range(1, 150_000))
MERGED = b'<worksheet><sheetData/><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>'
HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "bomb": (lambda path: zipped(path, packed({"xl/media/x.xml": b"0" * 400_000_000})), "unpacks to too much"),
    "rows": (lambda path: zipped(path, packed({"xl/worksheets/sheet1.xml": b"<sheetData>" + ROWS})), "too many cells"),
    "merged area": (lambda path: zipped(path, packed({"xl/worksheets/sheet1.xml": MERGED})), "too many cells"),
    "prefixed rows": (
        lambda path: zipped(path, packed({"xl/worksheets/sheet1.xml": b"<x:sheetData>" + ROWS.replace(b"<", b"<x:")})),
        "too many cells",
    ),
    "other bytes": (
        lambda path: zipped(path, packed({"xl/worksheets/sheet1.xml": ROWS[:9_000].decode().encode("utf-16")})),
        "no spreadsheet writes",
    ),
    "tag without end": (
        lambda path: zipped(path, packed({"xl/worksheets/sheet1.xml": b"<sheetData><c" + b" " * 90_000_000})),
        "no spreadsheet writes",
    ),
    "texts": (lambda path: zipped(path, packed({"xl/sharedStrings.xml": b"<si/>" * 7_000_000})), "unpacks to too much"),
    "entities": (lambda path: zipped(path, packed({"xl/workbook.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'})), "entities"),
    "encrypted": (lambda path: path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + b"x" * 600), "encrypted"),
    "truncated": (lambda path: path.write_bytes(zipped(path, packed({})).read_bytes()[:700]), "broken"),
    "text": (lambda path: path.write_text("hello"), "no workbook"),
    "empty": (lambda path: path.write_bytes(b""), "no workbook"),
    "other zip": (lambda path: zipped(path, {"a.txt": b"x"}), "no workbook"),
    "bad part": (lambda path: zipped(path, packed({"xl/workbook.xml": b"<a"})), "can't be read"),
    "huge": (lambda path: path.write_bytes(b"0" * (MOST_BYTES + 1)), "too large"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_get_one_clear_line(services: Services, tmp_path: Path, kind: str) -> None:
    make, message = HOSTILE[kind]
    make(tmp_path / "bad.xlsx")
    with pytest.raises(FinTuiError, match=message) as caught:
        audit(services, tmp_path / "bad.xlsx")
    assert "\n" not in caught.value.message


def test_a_number_in_the_last_corner_is_one_cell(services: Services, tmp_path: Path) -> None:
    """The places before it are not made: there are seventeen billion of them."""

    def fill(sheet: Any) -> None:
        sheet["A1"], sheet["XFD1048576"] = "Example Corp.", 5

    path = model(tmp_path / "corner.xlsx", fill)
    found = audit(services, path)
    assert [cell.cell for cell in found.cells] == ["XFD1048576"]
    mark_copy(path, tmp_path / "copy.xlsx", found.marks)
    assert openpyxl.load_workbook(tmp_path / "copy.xlsx", read_only=True).sheetnames


def test_circles_and_numbers_without_labels_are_told(services: Services, tmp_path: Path) -> None:
    def fill(sheet: Any) -> None:
        sheet["B2"], sheet["C3"], sheet["D4"] = 12, 34, 56
        sheet["F1"], sheet["F2"], sheet["F3"] = "=F2+1", "=F3+1", "=F1+1"

    found = audit(services, model(tmp_path / "m.xlsx", fill))
    assert {cell.status for cell in found.cells} == {"unknown"}
    assert len(found.cells) == 3
    assert any(check.kind == "circular formula" for check in found.checks)


def test_a_file_that_is_not_there(services: Services, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        audit(services, tmp_path / "nothing.xlsx")


@pytest.mark.parametrize(
    ("text", "year", "is_estimate"),
    [
        *(
            ("FY23A", 2023, False),
            ("2024E", 2024, True),
            ("FY 2023", 2023, False),
            ("Dec-23", 2023, False),
            ("12/31/2023", 2023, False),
        ),
        *(
            ("Year ended December 31, 2023", 2023, False),
            ("2025 Budget", 2025, True),
            ("30-Sep-23", 2023, False),
            ("FY'23", 2023, False),
        ),
    ],
)
def test_headers_of_years(text: str, year: int, is_estimate: bool) -> None:
    period = read_period(text)
    assert period is not None
    assert (period.year, period.is_estimate, period.is_part) == (year, is_estimate, False)


def test_headers_that_name_no_fiscal_year() -> None:
    for text in ("Q1 2023", "1Q23", "LTM"):
        period = read_period(text)
        assert period is not None
        assert period.is_part
    for text in ("Total", "May", "23", "Revenue 2023", "x" * 100):
        assert read_period(text) is None


@pytest.mark.parametrize(
    ("text", "scale"),
    [("$ in millions", 10**6), ("$mm", 10**6), ("(000s)", 1000), ("$bn", 10**9), ("in thousands", 1000), ("Revenue", None)],
)
def test_captions_of_units(text: str, scale: int | None) -> None:
    assert read_unit(text).scale == scale
    assert is_caption(text) == (scale is not None)
    assert not is_caption("EPS")


@pytest.mark.parametrize(
    ("text", "is_percent"), [("Gross margin %", True), ("% of revenue", True), ("Federal tax at 21%", False)]
)
def test_a_rate_within_a_name_is_no_unit(text: str, is_percent: bool) -> None:
    assert read_unit(text).is_percent is is_percent


def test_an_amount_used_for_earnings_per_share_is_an_amount() -> None:
    number = TypedNumber(
        "s", "B2", 14_999, 0, "Net income used in computing net income per share", "", "", None, "", None, False, True
    )
    assert equal(number, 14_999e6, "usd", MILLION) == 1
    assert equal(replace(number, value=6.08, places=2), 6.08, "usd/share", MILLION) == 1
