from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import Result

from fin_tui.cli import library as commands
from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, NotFound, UsageError
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.records import Saved
from fin_tui.store.library import Library
from tests.unit.cli.made import Run, invoker
from tests.unit.ingest.made import make_html
from tests.unit.store.test_kept import CITATION


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "home")


@pytest.fixture
def run(paths: Paths) -> Run:
    calls = invoker(commands, paths)

    def invoke(*words: str | Path, raises: type[FinTuiError] | None = None) -> Result:
        result = calls(*words)
        if raises is None:
            assert result.exit_code == 0, (result.output, result.exception)
        else:
            assert isinstance(result.exception, raises), result.output
        return result

    return invoke


@pytest.fixture
def filled(paths: Paths, tmp_path: Path) -> Paths:
    files = [tmp_path / "one.htm", tmp_path / "two.htm"]
    for year, file in zip((2022, 2023), files, strict=True):
        file.write_bytes(make_html(year=year))
    with Library.open(paths) as library:
        list(add_files(library, Settings(), files))
    return paths


def test_an_empty_library_is_no_error(run: Run, paths: Paths) -> None:
    assert json.loads(run("filings", "--json").stdout) == []
    assert "library is empty" in run("filings").stdout
    assert not paths.data.exists(), "looking makes nothing"


def test_filings_have_the_keys_of_the_contract(run: Run, filled: Paths) -> None:
    listed = json.loads(run("filings", "--json").stdout)
    assert [filing["fiscal_year"] for filing in listed] == [2022, 2023]
    assert list(listed[0]) == (
        "filing file company ticker cik form fiscal_year period_end filed pages items chunks facts embedded"
        " coverage crosscheck crosscheck_cells warnings".split()
    )
    assert listed[1]["period_end"] == "2023-12-31"
    assert listed[0]["cik"] is None
    shown = run("filings").stdout
    assert "Example Widgets Inc." in shown
    assert "two.htm" in shown


def test_sections_have_the_keys_of_the_contract(run: Run, filled: Paths) -> None:
    listed = json.loads(run("sections", "one.htm", "--json").stdout)
    assert all(list(section) == "part item title start end page confidence".split() for section in listed)
    assert {"1", "1A", "7", "8"} <= {section["item"] for section in listed}
    assert "Item 1A" in run("sections", "one.htm").stdout


def test_show_gives_an_item_a_page_or_all(run: Run, filled: Paths) -> None:
    card = run("show", "Example:2023").stdout
    assert "2023-12-31" in card
    item = run("show", "two.htm", "--item", "risk_factors").stdout
    assert "outsourcing partners" in item
    assert "two factories" not in item
    whole = run("show", "two.htm", "--text").stdout
    assert item.strip() in whole
    assert "outsourcing partners" in run("show", "two.htm", "--item", "1A", "--page", "1").stdout
    assert "has no Item 11" in str(run("show", "two.htm", "--item", "11", raises=NotFound).exception)
    assert "nothing on page 99" in str(run("show", "two.htm", "--page", "99", raises=NotFound).exception)


def test_markup_and_escapes_in_names_are_only_text(run: Run, filled: Paths, tmp_path: Path) -> None:
    odd = tmp_path / "[red]\x1b[31mcolour.htm"
    odd.write_bytes(make_html(name="Example [bold]Widgets[/bold] Inc.", year=2021))
    with Library.open(filled) as library:
        list(add_files(library, Settings(), [odd]))
    for output in (run("filings").stdout, run("show", "Example:2021").stdout):
        assert "\x1b" not in output
        assert "[red]" in output
        assert "[bold]Widgets[/bold]" in output


def test_remove_asks_or_is_told(run: Run, filled: Paths) -> None:
    assert "--yes" in run("remove", "one.htm", raises=UsageError).exception.hint  # type: ignore[union-attr]
    assert "Removed 1 filing." in run("remove", "Example:2022", "--yes").stdout
    assert [filing["fiscal_year"] for filing in json.loads(run("filings", "--json").stdout)] == [2023]
    assert "Removed 1 filing." in run("remove", "Example Widgets", "--yes").stdout
    run("remove", "Example", "--yes", raises=NotFound)


def test_add_prints_a_line_a_file_and_fails_at_the_end(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.htm").write_bytes(make_html())
    (tmp_path / "in" / "b.htm").write_bytes(make_html(form="10-Q"))
    failed = run("add", tmp_path / "in", "--no-embed", raises=FinTuiError)
    assert "Example Widgets Inc. · 10-K · FY2023 · 2023-12-31" in failed.stdout
    assert "b.htm is a 10-Q, not a 10-K" in failed.stderr
    assert str(failed.exception) == "1 of 2 files could not be added; all others are in the library"


def test_add_json_is_one_document(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.htm").write_bytes(make_html())
    (tmp_path / "copy.htm").write_bytes(make_html())
    document = json.loads(run("add", tmp_path / "a.htm", tmp_path / "copy.htm", "--json", "--company", "Example Ltd").stdout)
    assert [added["company"] for added in document["added"]] == ["Example Ltd"]
    assert document["skipped"][0]["why"].startswith("the same bytes as")
    assert document["failed"] == []
    assert document["embedded"]["done"] == 0


def test_edit_and_reindex_keep_the_correction(run: Run, filled: Paths) -> None:
    edited = json.loads(run("edit", "one.htm", "--ticker", "exm", "--year", "2021", "--no-embed", "--json").stdout)
    assert (edited["ticker"], edited["fiscal_year"]) == ("EXM", 2021)
    again = json.loads(run("reindex", "EXM:2021", "--no-embed", "--json").stdout)
    assert [(filing["ticker"], filing["fiscal_year"]) for filing in again["added"]] == [("EXM", 2021)]
    run("edit", "one.htm", raises=UsageError)
    run("edit", "one.htm", "--period-end", "soon", raises=UsageError)


def test_removing_says_what_cites_the_filing(run: Run, filled: Paths) -> None:
    with Library.open(filled) as library:
        filing = library.resolve("one.htm")
        library.notebook.add(Saved("passage", "Two\nfactories", citations=(replace(CITATION, filing=filing.id),)))
    result = run("remove", "one.htm", "--yes")
    assert "cited by notebook entry 1: 1 citation, “Two factories”" in result.stderr
    assert "quotes stay" in result.stderr
    assert "cited by" not in run("remove", "two.htm", "--yes").stderr
    with Library.open(filled) as library:
        assert len(library.notebook.all()) == 1


NAMELESS = """<html><body><p>SECURITIES AND EXCHANGE COMMISSION</p><p>FORM 10-K</p>
<p>ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)</p>
<p>For the fiscal year ended June 30, 2019</p><p>Commission file number 1-54321</p><p>OREGON 93-1234567</p>
<p>We make pumps.</p></body></html>"""


@pytest.fixture
def nameless(tmp_path: Path) -> Path:
    path = tmp_path / "nameless.htm"
    path.write_text(NAMELESS)
    return path


def test_a_filing_without_a_company_is_said_to_lack_one(run: Run, nameless: Path, paths: Paths) -> None:
    result = run("add", nameless, "--no-embed")
    with Library.open(paths) as library:
        (filing,) = library.filings()
    assert filing.company == ""
    assert f"no company was found in it; fin-tui edit {filing.id} --company NAME" in result.stderr
    assert "no company" not in run("edit", filing.id, "--company", "Larch Pumps Inc.", "--no-embed").stderr


@pytest.mark.parametrize(("typed", "company"), [("Larch Pumps Inc.\n", "Larch Pumps Inc."), ("\n", "")])
def test_in_a_terminal_the_company_is_asked_for(
    paths: Paths, nameless: Path, monkeypatch: pytest.MonkeyPatch, typed: str, company: str
) -> None:
    monkeypatch.setattr("fin_tui.cli.library._is_terminal", lambda: True)
    result = invoker(commands, paths)("add", nameless, "--no-embed", text=typed)
    assert result.exit_code == 0, (result.output, result.exception)
    assert "nameless.htm names no company" in result.stderr
    with Library.open(paths) as library:
        (filing,) = library.filings()
    assert (filing.company, filing.company_key) == (company, "irs:93-1234567")
