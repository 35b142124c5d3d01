"""Files from the stand-in: whole, resumed, broken in every way, and stopped."""

from __future__ import annotations

import gzip
import os
import threading
import time
from pathlib import Path

import pytest

from fin_tui.errors import UsageError
from fin_tui.filings.edgar import client as client_module
from fin_tui.filings.edgar.client import Client, EdgarError, Listed, NotAtEdgar, Stopped, checked_contact, contact
from fin_tui.filings.edgar.download import bring_filing
from fin_tui.filings.edgar.submissions import pages
from tests.edgar_server import MODIFIED, EdgarServer, edgar
from tests.edgar_trouble import Answer, cut, drip, endless, page, raw_body, short_length, silent, status
from tests.unit.filings.edgar.made import client, mills, widgets

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
