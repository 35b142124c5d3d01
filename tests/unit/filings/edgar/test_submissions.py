"""Companies, lists of filings and accession numbers from the stand-in; files whole, resumed, broken and stopped."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import threading
import time
from pathlib import Path

import pytest

from fin_tui.errors import UsageError
from fin_tui.filings.edgar import client as client_module
from fin_tui.filings.edgar.client import (
    Client,
    EdgarError,
    Listed,
    NotAtEdgar,
    Selection,
    Stopped,
    checked_contact,
    choose,
    contact,
    is_enough,
    safe_document,
    spelled_accession,
)
from fin_tui.filings.edgar.submissions import Companies, bring_filing, find_accession, pages
from tests.edgar_server import MODIFIED, EdgarServer, MadeCompany, edgar
from tests.edgar_trouble import Answer, cut, drip, endless, page, raw_body, short_length, silent, status
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


TROUBLE = "made-2024"


def first(server: EdgarServer, used: Client) -> Listed:
    cik = server.companies[0].ten_digits
    return next(listed for found in pages(used, cik) for listed in found.listed)


def bring(server: EdgarServer, folder: Path, used: Client | None = None) -> Path:
    used = used or client(server.settings())
    return bring_filing(used, first(server, used), folder, lambda done, total: None)


def test_the_primary_document_as_it_is(tmp_path: Path) -> None:
    company = widgets()
    with edgar(company) as server:
        place = bring(server, tmp_path)
    assert place.name == "made-20241231.htm"
    assert place.read_bytes() == company.filings[0].body
    assert [path.name for path in tmp_path.iterdir()] == [place.name]


def test_progress_grows_to_the_size(tmp_path: Path) -> None:
    told: list[float] = []
    with edgar(widgets()) as server:
        used = client(server.settings())
        place = bring_filing(used, first(server, used), tmp_path, lambda done, total: told.append(done))
    assert told == sorted(told)
    assert told[-1] == place.stat().st_size


def test_the_full_submission_where_the_statements_are_an_exhibit(tmp_path: Path) -> None:
    company = mills()
    with edgar(company) as server:
        place = bring(server, tmp_path)
    assert place.read_bytes() == company.filings[0].submission
    assert [path.name for path in tmp_path.iterdir()] == [place.name]


def test_the_document_where_the_report_it_names_is_no_exhibit(tmp_path: Path) -> None:
    with edgar(mills(with_exhibit=False)) as server:
        place = bring(server, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [place.name] == ["made-20231231.htm"]


def test_the_full_submission_before_documents_stood_alone(tmp_path: Path) -> None:
    company = widgets()
    company.filings = company.filings[-1:]
    with edgar(company) as server:
        assert bring(server, tmp_path).read_bytes() == company.filings[0].submission


@pytest.mark.parametrize(
    "answers",
    [
        [status(403)],
        [status(429, Retry_After="0"), status(503)],
        [status(429, Retry_After="what")],
        [status(500), status(502), status(504)],
        [page()],
        [raw_body(b"")],
        [cut(500)],
        [cut(500), cut(300)],
        [short_length(900)],
        [drip()],
        [silent],
        [raw_body(b"not gzip", Content_Encoding="gzip")],
        [raw_body(gzip.compress(b"x" * 99999)[:50], Content_Encoding="gzip")],
        [raw_body(b"x", Content_Encoding="br")],
    ],
    ids=[
        "403", "429 and 503", "429 with an odd wait", "5xx thrice", "a page of its own", "nothing", "cut", "cut twice", "short",
        "dripping", "silent", "not gzip", "cut gzip", "unknown encoding",
    ],
)  # fmt: skip
def test_goes_on_after(answers: list[Answer], tmp_path: Path) -> None:
    company = widgets()
    with edgar(company) as server:
        server.trouble[TROUBLE] = answers
        assert bring(server, tmp_path, client(server.settings(file_s=1))).read_bytes() == company.filings[0].body
    assert server.trouble[TROUBLE] == []


def test_a_cut_transfer_is_gone_on_with_not_begun_again(tmp_path: Path) -> None:
    with edgar(widgets()) as server:
        server.trouble[TROUBLE] = [cut(1000)]
        bring(server, tmp_path)
        assert server.ranges == ["bytes=1000-"]


def test_a_later_run_goes_on_with_what_a_stopped_one_left(tmp_path: Path) -> None:
    company = widgets()
    with edgar(company) as server:
        server.trouble[TROUBLE] = [cut(1000), *[status(503)] * 5]
        with pytest.raises(EdgarError, match="in 6 tries"):
            bring(server, tmp_path)
        assert (tmp_path / "made-20241231.htm.part").stat().st_size == 1000
        assert bring(server, tmp_path).read_bytes() == company.filings[0].body
        assert server.ranges == ["bytes=1000-"]


def test_the_rest_of_another_version_is_not_added(tmp_path: Path) -> None:
    company = widgets()
    part = tmp_path / "made-20241231.htm.part"
    part.write_bytes(b"an older version")  # its time is now, not the document's
    with edgar(company) as server:
        assert bring(server, tmp_path).read_bytes() == company.filings[0].body


def test_more_than_there_is_on_the_disk_begins_again(tmp_path: Path) -> None:

    company = widgets()
    part = tmp_path / "made-20241231.htm.part"
    part.write_bytes(company.filings[0].body + b"more")
    os.utime(part, (MODIFIED, MODIFIED))
    with edgar(company) as server:
        assert bring(server, tmp_path).read_bytes() == company.filings[0].body


def test_an_error_page_is_never_taken_for_the_filing(tmp_path: Path) -> None:
    with edgar(widgets()) as server:
        server.trouble[TROUBLE] = [page()] * 6
        with pytest.raises(EdgarError, match="something else"):
            bring(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_inline_filing_without_its_end_is_never_taken(tmp_path: Path) -> None:
    company = widgets()
    company.filings[0].body = b"<html><ix:header></ix:header><body>" + b"<p>text</p>" * 500
    with edgar(company) as server, pytest.raises(EdgarError, match="broke off"):
        bring(server, tmp_path)


def test_an_old_page_that_never_had_an_end_is_what_there_is(tmp_path: Path) -> None:
    company = widgets()
    company.filings[0].body = b"<html><body>" + b"<p>text</p>" * 500
    with edgar(company) as server:
        assert bring(server, tmp_path).read_bytes() == company.filings[0].body
        assert server.asked(TROUBLE) == 2


@pytest.mark.parametrize(
    "answer", [endless(), raw_body(gzip.compress(b" " * (8 << 20)), Content_Encoding="gzip")], ids=["endless", "bomb"]
)
def test_what_is_too_large_is_not_taken_nor_kept(answer: Answer, tmp_path: Path) -> None:
    with edgar(widgets()) as server:
        server.trouble[TROUBLE] = [answer]
        with pytest.raises(EdgarError, match="too large"):
            bring(server, tmp_path, client(server.settings(file_mb=1)))
    assert list(tmp_path.iterdir()) == []


def test_a_dripping_body_is_given_up_in_time(tmp_path: Path) -> None:
    with edgar(widgets()) as server:
        server.trouble[TROUBLE] = [drip(0.05)] * 6
        began = time.monotonic()
        with pytest.raises(EdgarError, match="too long"):
            bring(server, tmp_path, client(server.settings(file_s=1)))
        assert time.monotonic() - began < 30


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with edgar(widgets()) as server:
        server.trouble[TROUBLE] = [status(302, Location="http://127.0.0.1:1/secret")]
        with pytest.raises(EdgarError, match="answered 302"):
            bring(server, tmp_path)


def test_a_missing_document_falls_back_to_the_submission(tmp_path: Path) -> None:
    company = mills()
    with edgar(company) as server:
        server.trouble["made-2023"] = [status(404)]
        assert bring(server, tmp_path).suffix == ".txt"
    with edgar(widgets()) as server:
        server.trouble[TROUBLE] = [status(404)]
        with pytest.raises(NotAtEdgar):
            bring(server, tmp_path / "other")


@pytest.mark.parametrize(
    "answer",
    [drip(), silent, endless(b"x" * 10), status(503, Retry_After="50")],
    ids=["dripping", "silent", "endless", "told to wait"],
)
def test_a_stop_is_seen_at_once(answer: Answer, tmp_path: Path) -> None:
    stop = threading.Event()
    with edgar(widgets()) as server:
        used = client(server.settings(timeout_s=1), stop.is_set)
        listed = first(server, used)
        server.trouble[TROUBLE] = [answer]
        threading.Timer(0.3, stop.set).start()
        began = time.monotonic()
        with pytest.raises(Stopped):
            bring_filing(used, listed, tmp_path, lambda done, total: None)
    assert time.monotonic() - began < 3


def test_no_more_than_ten_requests_a_second() -> None:
    with edgar(widgets()) as server:
        used = client(server.settings())
        for _ in range(25):
            used.read(used.addresses.tickers(), len)
    windows = [later - earlier for earlier, later in zip(server.times, server.times[10:], strict=False)]
    assert min(windows) > 0.9


def test_the_first_pause_is_not_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(client_module.Client, "_sleep", lambda self, seconds: pauses.append(seconds))
    with edgar() as server:
        server.trouble["/files"] = [status(503)] * 4 + [status(429, Retry_After="7"), status(429, Retry_After="9999")]
        used = Client(server.settings(), checked_contact("A", "a@example.org"), lambda: False)
        with pytest.raises(EdgarError, match=r"429"):
            used.read(used.addresses.tickers(), len)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 7.0]


def test_nobody_listens_is_told_after_two_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    with edgar(widgets()) as server:
        settings = server.settings()
    used = client(settings)
    pauses: list[float] = []
    monkeypatch.setattr(client_module.Client, "_sleep", lambda self, seconds: pauses.append(seconds))
    with pytest.raises(EdgarError, match="no connection"):
        used.read(used.addresses.tickers(), len)
    assert len(pauses) == 1


@pytest.mark.parametrize(
    ("name", "email"), [("", "a@b.org"), ("A", ""), ("A\nHost: x", "a@b"), ("Ä", "a@b.org"), ("A", "a b@c.org")]
)
def test_who_asks_is_checked(name: str, email: str) -> None:
    with edgar() as server, pytest.raises(UsageError):
        contact(server.settings(name=name, email=email))
