"""What the tests of the PDF reader share: prose, a statement, and what a document holds."""

from __future__ import annotations

from fin_tui.records import Block, BlockKind, Document
from tests.unit.filings.pdf_writer import Page

PROSE = [
    "We design and sell measuring instruments for laboratories, and most of our products are made by",
    "outside suppliers in three countries. A shortage of parts, or the loss of one of these suppliers, would",
    "delay our deliveries and could harm our results for several quarters.",
]
LEFT = [
    "Our sales grew in each region,",
    "and the strongest growth came",
    "from customers in the public",
    "sector, where budgets rose and",
    "where several large orders were",
    "placed before the end of the year",
    "by laboratories that had waited",
    "for the new product generation.",
]
RIGHT = [
    "Costs rose more slowly than the",
    "sales did, because freight rates",
    "fell and because the new plant",
    "reached the output that we had",
    "planned for it two years before",
    "it was opened, with fewer people",
    "than expected and with a lower",
    "use of energy for each product.",
]


def prose(number: int) -> list[str]:
    """Lines that are not the same on another page."""
    return [f"In matter {number} {PROSE[0]}", f"and in plant {number}, too, {PROSE[1]}"]


def texts(document: Document, kind: BlockKind | None = None) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if kind is None or b.kind is kind]


def only_table(document: Document) -> tuple[Block, list[list[str]]]:
    """The one table of ``document`` and its rows as printed."""
    (block,) = [b for b in document.blocks if b.kind is BlockKind.TABLE]
    assert block.table is not None
    return block, [[cell.text for cell in row] for row in block.table.rows]


def income_statement(page: Page, top: float = 100) -> Page:
    """Three columns of figures with signs that stand apart, a wrapped label and a two-line header."""
    page.centred(top, "CONSOLIDATED STATEMENTS OF INCOME", font="bold")
    page.centred(top + 14, "(In millions, except per share data)")
    page.text(400, top + 40, "Years ended June 30,", font="bold", size=9)
    for x, year in ((392, "2021"), (462, "2020"), (532, "2019")):
        page.right(x, top + 52, year, font="bold", size=9)
    rows = [
        ("Net sales", ("14,694", "14,544", "12,861"), True),
        ("Cost of sales", ("(11,969)", "(11,724)", "(10,129)"), False),
        ("Restructuring", ("104", "\u2014", "94"), False),
        ("Net income", ("1,058", "815", "951"), True),
    ]
    for number, (label, values, signs) in enumerate(rows):
        y = top + 72 + 14 * number
        page.text(50, y, label)
        for x, value in zip((400, 470, 540), values, strict=True):
            page.right(x + (3.3 if value.endswith(")") else 0), y, value)
            if signs:
                page.text(x - 48, y, "$")
    return page
