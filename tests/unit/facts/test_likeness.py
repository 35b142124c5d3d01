"""How alike two names are."""

from __future__ import annotations

from fin_tui.facts.words import likeness, member_names


def test_a_members_name_may_leave_out_what_the_company_is_called_by_everybody() -> None:
    assert "cloud" in member_names("glob:GlobyCloudMember", "Hexagon Inc.", "GLOB")
    assert "cloud" not in member_names("glob:GlobyCloudMember", "Hexagon Inc.")
    assert "cloud" not in member_names("gl:GlobyCloudMember", "Hexagon Inc.", "GL")


def test_a_slip_in_a_name_leaves_it_alike_but_initials_are_met_exactly() -> None:
    assert likeness("automotve sales", "automotive sales") > 0.8
    web = member_names("acme:AcmeWebServicesMember", "Acme Corp.")
    assert "aws" in web
    assert max(likeness("AWS", name) for name in web) == 1.0
    assert max(likeness("AWS", name) for name in member_names("globex:AutomotiveSalesMember", "Globex Inc.")) == 0.0
