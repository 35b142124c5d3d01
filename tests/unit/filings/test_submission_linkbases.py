"""Linkbases of a full submission that was written for these tests."""

from __future__ import annotations

from fin_tui.filings.reader import read
from fin_tui.filings.submission import read_linkbases, split_submission
from tests.unit.filings.ixbrl import number, page

ROLE = "http://www.xbrl.org/2003/role/"
LABELS = f"""<?xml version="1.0"?><link:linkbase xmlns:link="l" xmlns:xlink="x"><link:labelLink xlink:type="extended">
<link:loc xlink:href="us-gaap-2024.xsd#us-gaap_Revenues" xlink:label="a"/>
<link:label xlink:label="a_l" xlink:role="{ROLE}documentation">What was earned.</link:label>
<link:label xlink:label="a_l" xlink:role="{ROLE}terseLabel">Sales</link:label>
<link:label xlink:label="a_l" xlink:role="{ROLE}label">Net sales &amp; services</link:label>
<link:labelArc xlink:from="a" xlink:to="a_l"/>
<link:loc xlink:href="acme.xsd#acme_HiddenCount" xlink:label="b"/>
<link:label xlink:label="b_l" xlink:role="{ROLE}label">Number of rocket stores</link:label>
<link:labelArc xlink:from="b" xlink:to="b_l"/></link:labelLink></link:linkbase>"""
SUMS = """<?xml version="1.0"?><link:linkbase xmlns:link="l" xmlns:xlink="x"><link:calculationLink xlink:role="http://acme/income">
<link:loc xlink:href="g.xsd#us-gaap_GrossProfit" xlink:label="p"/><link:loc xlink:href="g.xsd#us-gaap_Revenues" xlink:label="r"/>
<link:loc xlink:href="g.xsd#us-gaap_CostOfRevenue" xlink:label="c"/>
<link:calculationArc xlink:from="p" xlink:to="r" weight="1.0" order="1"/>
<link:calculationArc xlink:from="p" xlink:to="c" weight="-1.0" order="2"/></link:calculationLink></link:linkbase>"""


def submission(profit: str = "40", labels: str = LABELS) -> bytes:
    hidden = (
        '<div style="display:none"><ix:header><ix:hidden>'
        + number("12", "acme:HiddenCount", scale="0")
        + "</ix:hidden></ix:header></div>"
    )
    body = page(
        f"<p>Revenue was {number('100')}, cost {number('60', 'us-gaap:CostOfRevenue')}, "
        f"profit {number(profit, 'us-gaap:GrossProfit')}.</p>{hidden}"
    ).decode()
    documents = (
        ("10-K", body),
        ("EX-101.SCH", "<xsd:schema/>"),
        ("EX-101.LAB", labels),
        ("EX-101.CAL", SUMS),
        ("EX-101.PRE", "<p/>"),
    )
    head = "<SEC-DOCUMENT>0000012345-24-000001.txt\n<SEC-HEADER>\nACCESSION NUMBER:\t0000012345-24-000001\n</SEC-HEADER>\n"
    parts = (
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{place}\n<FILENAME>f{place}\n<TEXT>\n<XBRL>\n{text}\n</XBRL>\n</TEXT>\n</DOCUMENT>\n"
        for place, (kind, text) in enumerate(documents, start=1)
    )
    return (head + "".join(parts) + "</SEC-DOCUMENT>\n").encode()


def test_labels_and_sums_are_read_by_concept() -> None:
    found = read_linkbases(split_submission(submission()).parts)
    assert found.labels == {"us-gaap:Revenues": "Net sales & services", "acme:HiddenCount": "Number of rocket stores"}
    assert found.sums == {"http://acme/income": {"us-gaap:GrossProfit": {"us-gaap:Revenues": 1.0, "us-gaap:CostOfRevenue": -1.0}}}


def test_a_hidden_fact_is_called_by_its_label_and_a_printed_one_by_its_words() -> None:
    facts = {fact.concept: fact.label for fact in read(submission(), "f.txt").facts}
    assert facts["acme:HiddenCount"] == "Number of rocket stores"
    assert "Revenue was" in facts["us-gaap:Revenues"]


def test_declared_sums_are_checked() -> None:
    assert not any("sums" in warning for warning in read(submission(), "f.txt").warnings)
    assert "1 of 1 sums that the filing declares do not add up." in read(submission(profit="43"), "f.txt").warnings


def test_a_linkbase_without_sense_changes_nothing() -> None:
    document = read(submission(labels="<link:labelLink><link:label>x"), "f.txt")
    assert "Revenue was" in document.text
    assert {fact.concept: fact.label for fact in document.facts}["acme:HiddenCount"] == ""
