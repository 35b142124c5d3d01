"""From the stand-in into the library: identity, what is held, what fails, stopping and going on."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, LibraryBusy, UsageError
from fin_tui.filings.edgar.client import Selection, Stopped
from fin_tui.ingest import Added, Corrections, Embedded, FailedFile, Skipped
from fin_tui.ingest.fetch import Brought, Fetcher, FetchEvent
from fin_tui.ingest.fetch_plan import Plan, Wish, read_list
from fin_tui.ingest.pipeline import add_files, reindex
from fin_tui.paths import Paths
from fin_tui.records import Progress
from fin_tui.store.database import one_at_a_time
from fin_tui.store.library import Library
from tests.edgar_server import EdgarServer, edgar
from tests.edgar_trouble import drip, status
from tests.unit.filings.edgar.made import mills, widgets


def settings_of(server: EdgarServer, **changed: object) -> Settings:
    return msgspec.structs.replace(Settings(), edgar=server.settings(**changed))


def fetch(
    paths: Paths, server: EdgarServer, *wishes: Wish, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Plan, list[FetchEvent]]:
    with Fetcher(paths, settings_of(server), cancelled) as fetcher:
        plan = fetcher.planned(wishes)
        return plan, list(fetcher.run(plan, embed=False))


def test_a_fetched_filing_carries_what_edgar_says(paths: Paths) -> None:
    with edgar(widgets()) as server:
        plan, events = fetch(paths, server, Wish("EXW", Selection(newest=2)))
    added = [event.filing for event in events if isinstance(event, Added)]
    assert [filing.id for filing in added] == ["0000004242-25-000010", "0000004242-24-000010"]
    filing = added[0]
    assert (filing.company, filing.cik, filing.ticker) == ("Example Widgets Inc.", "0000004242", "EXW")  # "EXM" is printed in it
    assert (filing.filed, filing.period_end) == (dt.date(2025, 2, 10), dt.date(2024, 12, 31))
    assert filing.url == "https://www.sec.gov/Archives/edgar/data/4242/000000424225000010/0000004242-25-000010-index.htm"
    assert filing.file == "made-20241231.htm"
    assert [type(event) for event in events if isinstance(event, (Brought, Added))] == [Brought, Brought, Added, Added]
    assert 0 < sum(event.size for event in events if isinstance(event, Brought)) <= plan.largest
    assert list((paths.data / "edgar").glob("[!.]*")) == []
    with Library.open(paths) as library:
        assert library.original(filing.id) == server.companies[0].filings[0].body
        (again,) = [event for event in reindex(library, Settings(), [filing]) if isinstance(event, Added)]
        assert (again.filing.url, again.filing.filed, again.filing.ticker) == (filing.url, filing.filed, filing.ticker)


def test_a_text_submission_of_the_nineties(paths: Paths) -> None:
    with edgar(widgets()) as server:
        _, events = fetch(paths, server, Wish(accession="0000950000-99-000055"))
    (added,) = [event.filing for event in events if isinstance(event, Added)]
    assert (added.id, added.form, added.period_end) == ("0000950000-99-000055", "10-K405", dt.date(1998, 12, 31))


def test_the_exhibit_with_the_statements_comes_along(paths: Paths) -> None:
    with edgar(mills()) as server:
        _, events = fetch(paths, server, Wish("Halcyon Mills"))
    (added,) = [event.filing for event in events if isinstance(event, Added)]
    with Library.open(paths) as library:
        assert "Consolidated balance sheets of the mills" in library.text(added.id)


def test_what_is_held_is_not_asked_for_again(paths: Paths) -> None:
    wish = Wish("EXW", Selection(newest=1))
    with edgar(widgets()) as server:
        fetch(paths, server, wish)
        asked = server.asked("/Archives/")
        plan, events = fetch(paths, server, wish)
        assert server.asked("/Archives/") == asked
    assert plan.wanted == ()
    assert [filing.id for _, filing in plan.held] == ["0000004242-25-000010"]
    assert events == []


def test_the_same_report_added_by_hand_is_held(paths: Paths, tmp_path: Path) -> None:
    company = widgets()
    mine = tmp_path / "mine.htm"
    mine.write_bytes(company.filings[0].body)
    with Library.open(paths) as library:
        list(add_files(library, Settings(), [mine], Corrections(company="4242")))
    with edgar(company) as server:
        plan, _ = fetch(paths, server, Wish("EXW", Selection(newest=1)))
    assert plan.wanted == ()


def test_an_amendment_stands_beside_its_original(paths: Paths) -> None:
    with edgar(widgets()) as server:
        _, events = fetch(paths, server, Wish("EXW", Selection(years=(2023,), amends=True)))
    forms = {event.filing.id: event.filing.form for event in events if isinstance(event, Added)}
    assert forms == {"0000004242-24-000010": "10-K", "0000004242-24-000033": "10-K/A"}


def test_one_that_fails_does_not_stop_the_others(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fin_tui.filings.edgar.client.Client._sleep", lambda self, seconds: None)
    with edgar(widgets(), mills()) as server:
        server.trouble["made-20241231"] = [status(403)] * 6
        plan, events = fetch(paths, server, Wish("EXW", Selection(newest=2)), Wish("HMI"), Wish("Nobody Known"))
    assert [problem.wish.company for problem in plan.problems] == ["Nobody Known"]
    (failed,) = [event for event in events if isinstance(event, FailedFile)]
    assert "403" in failed.message
    assert "edgar.email" in failed.hint
    assert len([event for event in events if isinstance(event, Added)]) == 2


def test_a_filing_that_can_not_be_read_stays_on_the_disk(paths: Paths) -> None:
    company = widgets()
    company.filings[0].body = b"<html><body><p> </p></body></html>"
    with edgar(company) as server:
        _, events = fetch(paths, server, Wish("EXW", Selection(newest=1)))
    (failed,) = [event for event in events if isinstance(event, FailedFile)]
    assert Path(failed.path).is_file()


def test_a_stop_ends_it_soon_and_the_next_run_goes_on(paths: Paths) -> None:
    stop = threading.Event()
    wish = Wish("EXW", Selection(newest=2))
    with edgar(widgets()) as server:
        server.trouble["made-20231231"] = [drip(0.05)]
        threading.Timer(2.0, stop.set).start()
        began = time.monotonic()
        with pytest.raises(Stopped):
            fetch(paths, server, wish, cancelled=stop.is_set)
        assert time.monotonic() - began < 6
        _, events = fetch(paths, server, wish)
        assert server.asked("made-20241231") == 1
    assert len([event for event in events if isinstance(event, Added)]) == 2


def test_a_plan_tells_of_each_wish_and_unwatched_comes_to_the_same(paths: Paths) -> None:
    wishes = [Wish("EXW", Selection(newest=1)), Wish("nobody at all", Selection())]
    watched: list[Plan] = []
    with edgar(widgets()) as server, Fetcher(paths, settings_of(server)) as fetcher:

        def watch() -> Iterator[Progress]:
            watched.append((yield from fetcher.plan(wishes)))

        told = list(watch())
        plan = fetcher.planned(wishes)
    assert told == [Progress("list", 0, 2, "EXW"), Progress("list", 1, 2, "nobody at all")]
    assert [replace(one, free=plan.free) for one in watched] == [plan]  # What is free on the disk changes by itself.
    assert (len(plan.wanted), len(plan.problems)) == (1, 1)


def test_closing_the_iterator_ends_the_download(paths: Paths) -> None:
    with edgar(widgets()) as server, Fetcher(paths, settings_of(server)) as fetcher:
        plan = fetcher.planned([Wish("EXW", Selection(newest=1))])
        server.trouble["made-2024"] = [drip(0.01)]
        events = fetcher.run(plan)
        began = time.monotonic()
        next(events)
        events.close()
        assert time.monotonic() - began < 3
    assert not [thread for thread in threading.enumerate() if thread.name == "fin-tui-download"]


def test_without_weights_it_says_that_vectors_are_missing(paths: Paths) -> None:
    with edgar(widgets()) as server, Fetcher(paths, settings_of(server)) as fetcher:
        events = list(fetcher.run(fetcher.planned([Wish("EXW", Selection(newest=1))])))
    (embedded,) = [event for event in events if isinstance(event, Embedded)]
    assert embedded.note


def test_only_one_fetch_at_a_time(paths: Paths) -> None:
    with edgar(widgets()) as server, one_at_a_time(paths.data / "fetch.lock") as ours:
        assert ours
        with pytest.raises(LibraryBusy):
            fetch(paths, server, Wish("EXW", Selection(newest=1)))


def test_a_disk_that_would_fill_up(paths: Paths) -> None:
    with edgar(widgets()) as server, Fetcher(paths, settings_of(server)) as fetcher:
        plan = fetcher.planned([Wish("EXW", Selection(newest=2))])
        full = Plan(plan.wanted, free=plan.largest)
        with pytest.raises(FinTuiError, match="are free"):
            list(fetcher.run(full))


def test_no_such_filing_says_what_there_is(paths: Paths) -> None:
    with edgar(widgets()) as server:
        plan, _ = fetch(paths, server, Wish("EXW", Selection(years=(2010,))))
    (problem,) = plan.problems
    assert "Example Widgets Inc." in problem.message
    assert "1998-2024" in problem.hint


def test_a_list_of_companies(tmp_path: Path) -> None:
    file = tmp_path / "companies.toml"
    file.write_text(
        '[[company]]\nname = "AAPL"\nyears = 3\n'
        '[[company]]\nname = "320193"\nform = "10-k405"\nafter = 1999-01-01\namends = true\n'
        '[[company]]\naccession = "000032019324000123"\n'
    )
    first, second, third = read_list(file, Selection(newest=1))
    assert (first.company, first.selection.newest) == ("AAPL", 3)
    assert second.selection == Selection(("10-K405",), 1, dt.date(1999, 1, 1), amends=True)
    assert third.accession == "0000320193-24-000123"


BAD_LISTS = (
    "",
    "a =",
    "[[company]]",
    '[[company]]\nnam = "x"',
    '[[company]]\nname = "A"\nyears = 0',
    '[[company]]\nname = "A"\nform = "8-K"',
)


@pytest.mark.parametrize("text", BAD_LISTS)
def test_a_list_that_is_none(text: str, tmp_path: Path) -> None:
    file = tmp_path / "companies.toml"
    file.write_text(text)
    with pytest.raises(UsageError):
        read_list(file, Selection())


def test_a_skipped_download_is_removed_too(paths: Paths) -> None:
    """The bytes are held under another identity: an amendment that repeats the original to the letter."""
    company = widgets()
    company.filings[1].body = company.filings[0].body
    with edgar(company) as server:
        _, events = fetch(paths, server, Wish("EXW", Selection(newest=2, amends=True)))
    assert [event for event in events if isinstance(event, Skipped)]
    assert list((paths.data / "edgar").glob("[!.]*")) == []
