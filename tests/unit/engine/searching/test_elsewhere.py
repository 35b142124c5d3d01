from __future__ import annotations

from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.engine.searching.elsewhere import anywhere
from fin_tui.records import Scope
from tests.unit.engine.made import filing

HELD = (filing("Acme Corp.", 2001), filing("Globex Inc.", 2002, ticker="GBX"))


def scope(question: str, given: Scope | None = None) -> Scope | None:
    return anywhere(understand(Request(question, scope=given or Scope()), HELD, None))


def test_a_name_without_its_company_is_looked_for_everywhere() -> None:
    found = scope("What lawsuit did Roadrunner settle in February 2002?")
    assert found is not None
    assert found.filings == ("Acme Corp.-2001-10-K", "Globex Inc.-2002-10-K")


def test_a_company_a_nameless_question_and_the_users_limits_stay() -> None:
    assert scope("What lawsuit did Acme settle in 2002?") is None
    assert scope("What lawsuits were settled in 2002?") is None
    assert scope("What lawsuit did Roadrunner settle?") is None
    assert scope("What lawsuit did Roadrunner settle in 2002?", Scope(fiscal_years=(2002,))) is None
