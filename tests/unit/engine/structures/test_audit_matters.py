from __future__ import annotations

import pytest

from fin_tui.engine.structures.audit_matters import asks_audit_matters, audit_matters
from fin_tui.engine.structures.desk import Desk
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

INTRO = "Critical Audit Matters\n\nThe critical audit matters communicated below are matters that arose.\n\n"
TITLED = INTRO + (
    "Valuation of Rockets\n\nAs described in Note 2, rockets are costly.\n\nReturns of Tin\n\n"
    "Description of the Matter\tTin comes back.\n\nHow We Addressed the Matter\tWe counted it.\n\n"
    "We have served as the Company's auditor since 1987.\n\nCats\n\nAs described in Note 9, cats are fed.\n"
)


def ask(body: str) -> list[str] | None:
    answer = audit_matters(Desk(Library(body), Chunks(body)), filing())
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
