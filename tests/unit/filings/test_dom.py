from __future__ import annotations

import pytest

from fin_tui.errors import BadFiling, UsageError
from fin_tui.filings.dom import Kind, decode, refuse_explosive, repair, walk
from fin_tui.filings.html import read_html
from fin_tui.language import split_sentences
from tests.fuzz.swell import swell
from tests.fuzz.targets import Target, targets
from tests.unit.filings import ixbrl


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


_BYTES = 200_000


@pytest.mark.parametrize(
    ("target", "piece"),
    [
        ("words", b"."),
        ("words", b"!"),
        ("words", b"Mr. A "),
        ("words", b"No. 2 "),
        ("html", b"<p>Item 7. Management</p>"),
        ("html", b"<p>PART II</p>"),
        ("html", b"<ul>"),
        ("html", b"<p><b class='x'>a<b class='y'>b"),
        ("html", b"<tr><td rowspan=9999>1</td><td>2</td><td>3</td>"),
        ("html", b"<p>and the words go on without an end to it, and</p><hr style='page-break-after:always'>"),
        ("submission", b"10-K\n1\n"),
        ("submission", b"COMPANY CONFORMED NAME: A\n"),
        ("question", b"Question: "),
        ("settings", b"a = [["),
        ("edgar", b'{"a":'),
    ],
)
def test_a_swollen_input_is_read_or_refused_in_time(target: str, piece: bytes) -> None:
    swollen = swell(targets()[target], (piece,), _BYTES)
    assert swollen.trouble == ""


def test_the_bounds_of_time_and_memory_are_real_ones() -> None:
    def spin(raw: bytes) -> None:
        while raw:
            pass

    def hoard(raw: bytes) -> None:
        assert bytearray(600 << 20)

    assert "signal" in swell(Target(spin, ()), (b"a",), 1_000).trouble
    assert swell(Target(hoard, ()), (b"a",), 1_000).trouble


def test_deep_nesting_is_refused_above_a_bound() -> None:
    refuse_explosive("<div>" * 9_000 + "x" + "</div>" * 9_000)
    with pytest.raises(BadFiling, match="nested more than"):
        refuse_explosive("<div>" * 20_000 + "x" + "</div>" * 20_000)


@pytest.mark.parametrize("tag", ["<p>", "<li>", "<td>", "<tr>", "<br>", "<option>"])
def test_elements_that_close_by_themselves_are_no_depth(tag: str) -> None:
    page = f"{tag}word" * 20_000
    refuse_explosive(page)
    assert read_html(page.encode()).text.count("word") == 20_000


def test_unclosed_emphasis_of_many_spellings_is_refused() -> None:
    """Each would be opened again in each paragraph: 900 x 20,000 elements from half a megabyte."""
    with pytest.raises(BadFiling, match="emphasis"):
        refuse_explosive("".join(f"<b class={n}>" for n in range(900)) + "<p>x" * 20_000)


def test_unclosed_emphasis_as_old_filings_have_it_is_read() -> None:
    page = "<p><font size=2>Some words of a filing." * 3_000
    assert read_html(page.encode()).text.count("Some words") == 3_000


def test_spans_of_cells_reach_no_further_than_a_table_can() -> None:
    wide = "<tr>" + "<td rowspan=9000 colspan=400>x</td>" * 200 + "</tr>"
    document = read_html(f"<p>Words</p><table>{wide}{'<tr><td>1</td></tr>' * 3_000}</table>".encode())
    assert document.text.count("1") >= 3_000


def test_a_circle_of_continuations_ends() -> None:
    page = ixbrl.page(
        '<p><ix:nonNumeric name="dei:EntityRegistrantName" contextRef="fy" continuedAt="a">Acme</ix:nonNumeric>'
        '<ix:continuation id="a" continuedAt="b">and</ix:continuation>'
        '<ix:continuation id="b" continuedAt="a">sons</ix:continuation></p>'
    )
    (fact,) = [fact for fact in read_html(page).facts if fact.concept == "dei:EntityRegistrantName"]
    assert fact.text == "Acme and sons"


def test_facts_that_share_long_continuations_stay_small() -> None:
    """A thousand facts that each go on with the same chain would be a thousand copies of it."""
    facts = "".join(f'<ix:nonNumeric name="a:b" contextRef="fy" continuedAt="c0">{n}</ix:nonNumeric> ' for n in range(500))
    chain = "".join(f'<ix:continuation id="c{n}" continuedAt="c{n + 1}">{"word " * 40}</ix:continuation>' for n in range(500))
    found = read_html(ixbrl.page(f"<p>{facts}{chain}</p>")).facts
    assert max(len(fact.text) for fact in found) <= 10_200


def test_a_question_of_a_book_is_refused() -> None:
    from fin_tui.engine.questions.understanding import Request, understand

    with pytest.raises(UsageError, match="at most 8,000"):
        understand(Request("What was revenue? " * 1_000), (), None)


def test_an_abbreviation_is_known_at_the_end_of_a_long_sentence() -> None:
    text = f"{'word ' * 200}and Acme Inc. of Texas and No. 5 as well. The next one."
    assert [text[a:b][-10:] for a, b in split_sentences(text)] == ["5 as well.", " next one."]
