from __future__ import annotations

import pytest

from fin_tui.filings.dom import Kind, decode, repair, walk


def events(markup: str) -> list[tuple[Kind, str]]:
    return [(kind, value) for kind, value, _ in walk(repair(markup)) if value not in ("html", "body")]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("café — “net”".encode(), "café — “net”"),
        ("café “net”".encode("cp1252"), "café “net”"),
        (b'<meta charset="iso-8859-1">' + "“net”".encode("cp1252"), '<meta charset="iso-8859-1">“net”'),
        (b"\xef\xbb\xbfplain", "plain"),
        ("\ufeffwide".encode("utf-16-le"), "wide"),
        (b'<?xml encoding="no-such"?>\x93q\x94', '<?xml encoding="no-such"?>“q”'),
    ],
)
def test_decode_takes_the_encoding_that_fits(raw: bytes, text: str) -> None:
    assert decode(raw) == text


def test_self_closed_elements_do_not_swallow_what_follows() -> None:
    assert events('<div id="a"/><ix:nonFraction name="x"/>text<br/>') == [
        (Kind.START, "div"),
        (Kind.END, "div"),
        (Kind.START, "ix:nonfraction"),
        (Kind.END, "ix:nonfraction"),
        (Kind.TEXT, "text"),
        (Kind.START, "br"),
        (Kind.END, "br"),
    ]


def test_sgml_envelope_is_cut_off() -> None:
    markup = repair("<DOCUMENT>\n<TYPE>10-K\n<FILENAME>a.htm\n<TEXT>\n<html><body>Body</body></html>")
    assert [value for kind, value, _ in walk(markup) if kind is Kind.TEXT] == ["Body"]


def test_starts_and_ends_pair_up_when_tags_are_left_open() -> None:
    depth = 0
    for kind, _, _ in walk("<table><tr><td><b>x<p>y<td>z"):
        depth += {Kind.START: 1, Kind.END: -1}.get(kind, 0)
        assert depth >= 0
    assert depth == 0


def test_depth_is_no_limit() -> None:
    assert sum(kind is Kind.START for kind, _, _ in walk("<div>" * 10_000 + "x")) >= 10_000
