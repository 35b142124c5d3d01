"""Companies, lists of filings and accession numbers, from the stand-in."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from fin_tui.errors import UsageError
from fin_tui.filings.edgar.client import (
    EdgarError,
    Listed,
    NotAtEdgar,
    Selection,
    choose,
    is_enough,
    safe_document,
    spelled_accession,
)
from fin_tui.filings.edgar.submissions import Companies, find_accession, pages
from tests.edgar_server import EdgarServer, MadeCompany, edgar
from tests.edgar_trouble import page, raw_body
from tests.unit.filings.edgar.made import client, mills, widgets


def listed_by(server: EdgarServer, cik: str = "0000004242") -> list[Listed]:
    return [listed for found in pages(client(server.settings()), cik) for listed in found.listed]


@pytest.mark.parametrize("name", ["EXW", "exw", "EXW.P", "4242", "CIK0000004242", "Example Widgets", "example widgets, inc."])
def test_a_company_by_any_of_its_names(name: str) -> None:
    with edgar(widgets(), mills()) as server:
        assert Companies(client(server.settings())).find(name).cik == "0000004242"
        assert server.agents <= {"A Test test@example.org"}


def test_a_number_needs_no_list() -> None:
    with edgar() as server:
        assert Companies(client(server.settings())).find("320193").cik == "0000320193"
        assert server.requests == []


def test_an_unknown_name_gets_the_nearest() -> None:
    with edgar(widgets()) as server, pytest.raises(NotAtEdgar) as caught:
        Companies(client(server.settings())).find("Exampel Widgets")
    assert "Example Widgets Inc. (EXW)" in caught.value.hint


def test_a_name_of_several_companies_is_not_guessed() -> None:
    other = MadeCompany(5, "Example Gadgets Corp", ("EXG",), [])
    with edgar(widgets(), other) as server, pytest.raises(UsageError, match="fits several"):
        Companies(client(server.settings())).find("Example")


def test_all_annual_reports_of_both_lists_with_what_is_known_of_them() -> None:
    with edgar(widgets()) as server:
        found = listed_by(server)
    assert len(found) == 7
    first, last = found[0], found[-1]
    assert (first.accession, first.form, first.period_end) == ("0000004242-25-000010", "10-K", dt.date(2024, 12, 31))
    assert (first.filed, first.document) == (dt.date(2025, 2, 10), "made-20241231.htm")
    assert (first.company.name, first.company.ticker) == ("Example Widgets Inc.", "EXW")
    assert first.size > 1000
    assert (last.form, last.document) == ("10-K405", "")


def test_an_older_list_outside_the_dates_is_not_asked_for() -> None:
    with edgar(widgets()) as server:
        list(pages(client(server.settings()), "0000004242", after=dt.date(2024, 1, 1)))
        assert server.asked("submissions-001") == 0


def test_what_is_chosen() -> None:
    with edgar(widgets()) as server:
        found = listed_by(server)
    ends = [f.year for f in choose(found, Selection(newest=2))]
    assert ends == [2024, 2023]
    amended = choose(found, Selection(newest=2, amends=True))
    assert [f.form for f in amended] == ["10-K", "10-K/A", "10-K"]
    assert [f.year for f in choose(found, Selection(years=(2022,)))] == [2022]
    assert [f.form for f in choose(found, Selection(before=dt.date(2000, 1, 1)))] == ["10-K405"]
    assert choose(found, Selection(forms=("10-KT",))) == ()
    assert is_enough(found, Selection(newest=6))
    assert not is_enough(found, Selection(newest=7))
    assert not is_enough(found, Selection())


def test_years_may_end_early_in_the_next() -> None:
    with edgar(widgets()) as server:
        found = listed_by(server)[0]
    early = Listed(found.accession, found.company, "10-K", dt.date(2025, 3, 20), dt.date(2025, 2, 1))
    assert choose([early], Selection(years=(2024,))) == (early,)
    assert choose([early], Selection(years=(2023,))) == ()


def test_an_accession_of_its_own_filer() -> None:
    with edgar(widgets()) as server:
        found = find_accession(client(server.settings()), "0000004242-23-000010")
        assert (found.form, found.year) == ("10-K", 2022)
        assert server.asked("full-index") == 0


def test_an_accession_of_an_agent_is_found_in_the_index_of_its_quarter() -> None:
    with edgar(widgets()) as server:
        found = find_accession(client(server.settings()), "0000950000-99-000055")
        assert (found.company.cik, found.form) == ("0000004242", "10-K405")
        assert server.asked("full-index/1999/QTR1") == 1


def test_an_accession_that_is_nowhere() -> None:
    with edgar(widgets()) as server, pytest.raises(NotAtEdgar, match="no annual report"):
        find_accession(client(server.settings()), "0000950000-20-000001")


def test_an_unknown_number() -> None:
    with edgar() as server, pytest.raises(NotAtEdgar, match="knows no company"):
        list(pages(client(server.settings()), "0000000001"))


@pytest.mark.parametrize(
    "body",
    [
        b"<html>maintenance</html>",
        b"[]",
        b'{"filings": {"recent": {}}}',
        b"[" * 200_000,
        json.dumps({"filings": {"recent": {"accessionNumber": ["0"], "form": [], "filingDate": []}}}).encode(),
        b"\xff\xfe",
    ],
)
def test_something_else_than_a_list_is_asked_for_again_then_given_up(body: bytes) -> None:
    with edgar(widgets()) as server:
        server.trouble["/submissions/"] = [raw_body(body)] * 6
        with pytest.raises(EdgarError, match="in 6 tries"):
            list(pages(client(server.settings()), "0000004242"))
        assert server.asked("/submissions/") == 6
        server.trouble["/submissions/"] = [raw_body(body), page()]
        assert listed_by(server)


def test_hostile_names_and_numbers_do_not_reach_a_path() -> None:
    company = widgets()
    bad = company.filings[0]
    bad.document = "../../../../etc/cron.d/x.htm"
    company.filings[2].accession = "../../0000004242-24-000010"
    with edgar(company) as server:
        found = listed_by(server)
    assert found[0].document == ""
    assert len(found) == 6
    assert all(".." not in listed.accession for listed in found)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("aapl-20240928.htm", "aapl-20240928.htm"),
        ("xslF345X05/doc.htm", "doc.htm"),
        ("a/../b.htm", ""),
        (".hidden.htm", ""),
        ("x\\y.htm", ""),
        ("x\x00.htm", ""),
        ("x\n.htm", ""),
        ("report.pdf", ""),
        ("0000320193-94-000016.txt", ""),
        ("", ""),
        ("a" * 300 + ".htm", ""),
    ],
)
def test_document_names(name: str, safe: str) -> None:
    assert safe_document(name) == safe


def test_spellings_of_an_accession() -> None:
    assert spelled_accession("000032019324000123") == spelled_accession(" 0000320193-24-000123 ") == "0000320193-24-000123"
    assert spelled_accession("320193") == spelled_accession("²" * 18) == ""
