"""Who audits a filing, since when, and what its report calls critical."""

from __future__ import annotations

import pytest

from fin_tui.engine.structures import FilingReader
from fin_tui.engine.structures.auditor import asks_audit_matters, asks_auditor, audit_matters, auditor
from fin_tui.records import Fact
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

REPORT = (
    "Report of Independent Registered Public Accounting Firm\n\nWe have audited the books.\n\n"
    "/s/ Bean & Count LLP\n\nWe have served as the Company's auditor since 1987.\n\nSpringfield\n\nMarch 1, 2025\n"
)


@pytest.mark.parametrize(
    "question",
    [
        "Who audits Acme?",
        "Who is the auditor?",
        "Who is Acme's independent auditor, and since when?",
        "How long has Bean been Acme's auditor?",
        "Since which year has Acme's auditor served it?",
        "Which accounting firm audited Acme's books?",
        "Who signed the audit report of Acme for 2024?",
        "When did Bean & Count start auditing Acme?",
        "Name of Acme's independent auditor",
        "What is the name of the auditor?",
        "Who audited the 2024 financial statements?",
    ],
)
def test_asked_who(question: str) -> None:
    assert asks_auditor(question)


@pytest.mark.parametrize(
    "question",
    [
        "What critical audit matter did Acme's auditor describe?",
        "Who sits on the audit committee?",
        "What fees did the auditor get?",
        "What did the auditor conclude?",
        "How did the auditor address the critical audit matter?",
        "Did the auditor issue a qualified opinion?",
        "Who is the chief executive?",
        "When was Acme audited by the IRS?",
        "What does the company say about its auditor?",
    ],
)
def test_other_matters_of_auditors(question: str) -> None:
    assert not asks_auditor(question)


def test_signature_and_since() -> None:
    answer = auditor(FilingReader(Library(REPORT), Chunks(REPORT)), filing())
    assert answer is not None
    assert [sentence.text for sentence in answer.sentences] == [
        "Bean & Count LLP audited Acme Corp.'s 10-K for FY2024.",
        "We have served as the Company's auditor since 1987.",
    ]
    assert answer.passages[0].citation.quote == "Bean & Count LLP"


def test_the_tag_goes_before_the_signature() -> None:
    at = REPORT.index("Springfield")
    fact = Fact("dei:AuditorName", "", None, "Springfield", "", None, None, start=at, end=at + 11)
    answer = auditor(FilingReader(Library(REPORT, facts=(fact,)), Chunks(REPORT)), filing())
    assert answer is not None
    assert answer.sentences[0].text.startswith("Springfield audited")


def test_an_older_report_has_a_signature_alone() -> None:
    body = "The Board met.\n\n/s/ Counsel LLC\n\nReport of Independent Auditors\n\nWe audited.\n\n/s/ BEAN PLLC\n"
    answer = auditor(FilingReader(Library(body), Chunks(body)), filing())
    assert answer is not None
    assert [sentence.text for sentence in answer.sentences] == ["BEAN PLLC audited Acme Corp.'s 10-K for FY2024."]


def test_no_report_no_answer() -> None:
    body = "We sell rockets. Our auditors are able people.\n\n/s/ Jane Doe\n"
    assert auditor(FilingReader(Library(body), Chunks(body)), filing()) is None


INTRO = "Critical Audit Matters\n\nThe critical audit matters communicated below are matters that arose.\n\n"
TITLED = INTRO + (
    "Valuation of Rockets\n\nAs described in Note 2, rockets are costly.\n\nReturns of Tin\n\n"
    "Description of the Matter\tTin comes back.\n\nHow We Addressed the Matter\tWe counted it.\n\n"
    "We have served as the Company's auditor since 1987.\n\nCats\n\nAs described in Note 9, cats are fed.\n"
)


def ask(body: str) -> list[str] | None:
    answer = audit_matters(FilingReader(Library(body), Chunks(body)), filing())
    return None if answer is None else [sentence.text for sentence in answer.sentences]


def test_the_titles_are_told_in_order() -> None:
    assert ask(TITLED) == [
        "The auditor's report in Acme Corp.'s 10-K for FY2024 has 2 critical audit matters:",
        "1. Valuation of Rockets",
        "2. Returns of Tin",
    ]


def test_a_report_without_any_says_no() -> None:
    assert ask("We audited. We determined that there are no critical audit matters.\n") == [
        "No: We determined that there are no critical audit matters."
    ]


@pytest.mark.parametrize("body", ["We sell rockets.\n", INTRO + "They were all solved by ourselves in the end.\n"])
def test_nothing_to_tell(body: str) -> None:
    assert ask(body) is None


def test_what_is_asked() -> None:
    assert asks_audit_matters("What critical audit matters did the auditor report?")
    assert asks_audit_matters("Were there any critical audit matters?")
    assert not asks_audit_matters("How did the auditor address the critical audit matter?")
    assert not asks_audit_matters("Who is the auditor?")
