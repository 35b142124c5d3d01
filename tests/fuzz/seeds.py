"""Small inputs made by hand: where the fuzzer begins, the words it may write whole, and the pieces that are repeated."""

from __future__ import annotations

import gzip
import json
import tomllib
from decimal import Decimal
from functools import cache
from pathlib import Path

from fin_tui.records import Filing
from tests.edgar_server import submission_text
from tests.unit.engine.made import filing
from tests.unit.engine.models.gguf_files import gguf
from tests.unit.filings import ixbrl, pdf_writer
from tests.unit.ingest.made import make_html

FIGURE = Decimal("391035000000")
_TABLE = (
    '<p>(In millions)</p><table><tr><td></td><td colspan="2">2024</td><td>2023</td></tr><tr><td rowspan="2">Net sales</td>'
    "<td>$</td><td>391,035</td><td>(2.4)%</td></tr><tr><td>12</td><td>x</td><td>N/A</td></tr></table>"
)
_TEXT = """UNITED STATES SECURITIES AND EXCHANGE COMMISSION
                             FORM 10-K
Item 1.  Business.  Acme Corp. makes widgets in the U.S. and sells them through its
own stores, e.g. in No. 2 Main St. Sales rose 5.2% to $1.2 billion (see Note 3).

Item 8.  Financial Statements
                        (In thousands)
<TABLE>
<CAPTION>
                               1998        1997
<S>                         <C>         <C>
Net sales                   $ 1,234     $ (567)
Cost of sales                   890        765
                            -------     ------
</TABLE>
<PAGE>
                                 -12-
"""
HTML_HEAD = b"<html><body><p>FORM 10-K annual report with enough words to be read as a filing.</p>"
XBRL_HEAD = ixbrl.page("")[: -len(b"</body></html>")]
SGML_HEAD = submission_text("0000950000-99-000055", "10-K", "1999-03-01", "1998-12-31", 42, "Made Inc", ("10-K", _TEXT.encode()))
TEXT_HEAD = _TEXT.encode() + b"\n"
_LISTS = tomllib.loads((Path(__file__).parent / "pieces.toml").read_text("utf-8"))


def pieces(name: str) -> tuple[bytes, ...]:
    """What inputs for a target are swollen from."""
    return tuple(piece.encode("latin-1") for piece in _LISTS["pieces"].get(name, ()))


def words(name: str) -> tuple[bytes, ...]:
    """What a fuzzer may write as a whole."""
    return tuple(word.encode("latin-1") for word in _LISTS["words"].get(name, ()))


def pages() -> tuple[bytes, ...]:
    return make_html(extra=_TABLE), (f"<html><body><p>Form 10-K</p>{_TABLE}<hr/><p>- 2 -</p><ul><li>one</ul></body>").encode()


def tagged_pages() -> tuple[bytes, ...]:
    note = (
        '<ix:nonNumeric name="us-gaap:InventoryTextBlock" contextRef="fy" continuedAt="c">Stock is held</ix:nonNumeric>'
        '<ix:continuation id="c">at cost.</ix:continuation>'
    )
    row = f"<tr><td>Net sales</td><td>$</td><td>{ixbrl.number('391,035')}</td><td>{ixbrl.number('5', sign='-')}</td></tr>"
    return (ixbrl.page(f"<p>FORM 10-K of Acme</p><table><tr><td/><td>2024</td></tr>{row}</table>{note}"),)


def submissions() -> tuple[bytes, ...]:
    html = submission_text(
        "0000950000-24-000055", "10-K", "2024-03-01", "2023-12-31", 42, "Made Inc", ("10-K", make_html()), ("EX-13", pages()[1])
    )
    return SGML_HEAD, html, b"10-K\n1\n" + _TEXT.encode() + b"\nEX-27\n2\nCASH 1\n", gzip.compress(SGML_HEAD)


def texts() -> tuple[bytes, ...]:
    return _TEXT.encode(), _TEXT.replace("\n", "\r\n").encode("utf-16")


def pdfs() -> tuple[bytes, ...]:
    lines = [line.strip() for line in _TEXT.split("\n")]
    page = pdf_writer.Page().lines(72, 72, lines).text(72, 500, "Net sales").right(400, 500, "1,234").right(480, 500, "(567)")
    return pdf_writer.pdf([page, pdf_writer.Page(rotate=90).text(72, 72, "Cost of sales")]), pdf_writer.pdf([page], compress=True)


def figures() -> tuple[bytes, ...]:
    return b"ixt:num-dot-decimal\n1,234.5", b"ixt-sec:numwordsen\none hundred and two", b"(a - prior(a)) / avg(b, 12.5%) ^ 2"


def questions() -> tuple[bytes, ...]:
    return (
        b"What was Acme's revenue growth from fiscal 2022 to 2023, in millions?",
        b"How does Acme describe competition?\nAnd Globex in 2023?",
        b"You are an analyst. Here is the question: what is the quick ratio of Acme, defined as (cash + receivables) / debt?",
    )


def settings() -> tuple[bytes, ...]:
    return b'[search]\nk = 8\nmode = "sparse"\n[app.keys]\nask = "ctrl+a"\n[edgar]\ntimeout_s = 3\n', b"[model]\nname = 'x'\n"


def models() -> tuple[bytes, ...]:
    return gguf(), gguf("bert", tokenizer=False)


def answers() -> tuple[bytes, ...]:
    columns = {
        "accessionNumber": ["0000004242-24-000010"], "form": ["10-K"], "filingDate": ["2024-02-10"], "reportDate": ["2023-12-31"],
        "primaryDocument": ["made.htm"], "size": [1],
    }  # fmt: skip
    older = {"name": "CIK0000004242-submissions-001.json", "filingFrom": "1999-01-01", "filingTo": "2000-01-01"}
    head = {"cik": "4242", "name": "Example", "tickers": ["EXW"], "filings": {"recent": columns, "files": [older]}}
    table = {"fields": ["cik", "name", "ticker", "exchange"], "data": [[4242, "Example Inc", "EXW", "N"]]}
    index = b"CIK|Company|Form|Date|File\n4242|Example|10-K|2024-02-10|edgar/data/4242/0000004242-24-000010.txt\n"
    made = [json.dumps(one).encode() for one in (head, table, columns)]
    return *made, index, gzip.compress(index), make_html(), SGML_HEAD


@cache
def held() -> tuple[Filing, ...]:
    """The library that questions are read against."""
    return tuple(
        filing(name, year, ticker=ticker)
        for name, ticker in (("Acme Corp.", "ACME"), ("Globex Inc.", "GBX"))
        for year in (2023, 2024)
    )
