from __future__ import annotations

import datetime as dt
import os
import sys
from pathlib import Path

import pytest

from fin_tui.errors import BadFiling, FinTuiError, UsageError
from fin_tui.filings.submission import MAX_BYTES
from fin_tui.ingest import Corrections, checked, corrected, expand, read_bytes
from fin_tui.records import Cover, Filing

READ = Filing("sha256:1", "a.htm", "Exmaple", "name:exmaple", "", None, None)
HELD = Filing("x", "b.htm", "Example Corp.", "cik:0000000042", "10-K", 2022, dt.date(2022, 9, 30), cik="0000000042", ticker="EX")


@pytest.mark.parametrize("name", ["EX", "ex", "42", "Example Corporation", "cik:0000000042"])
def test_a_held_company_brings_its_whole_identity(name: str) -> None:
    filing = corrected(READ, Corrections(company=name), Cover(), [HELD])
    assert (filing.company, filing.company_key, filing.cik, filing.ticker) == ("Example Corp.", HELD.company_key, HELD.cik, "EX")


def test_a_name_that_only_resembles_a_held_one_is_another_company() -> None:
    filing = corrected(READ, Corrections(company="Example"), Cover(), [HELD])
    assert filing.company_key == HELD.company_key, "the legal form does not tell companies apart"
    filing = corrected(READ, Corrections(company="Example Energy"), Cover(), [HELD])
    assert (filing.company, filing.company_key) == ("Example Energy", "name:example energy")


def test_a_number_on_the_cover_outweighs_a_new_spelling() -> None:
    numbered = Filing("sha256:1", "a.htm", "Exmaple", "irs:123", "10-K", 2022, None)
    filing = corrected(numbered, Corrections(company="Example"), Cover(irs_number="123"), [])
    assert (filing.company, filing.company_key) == ("Example", "irs:123")


def test_digits_are_a_cik() -> None:
    filing = corrected(READ, Corrections(company="1234"), Cover(), [])
    assert (filing.cik, filing.company_key) == ("0000001234", "cik:0000001234")


def test_other_fields_replace_what_was_read() -> None:
    filing = corrected(READ, checked(None, "10-k405", None, "1997-12-31", "ibm"), Cover(), [])
    assert (filing.form, filing.period_end, filing.fiscal_year, filing.ticker) == ("10-K405", dt.date(1997, 12, 31), 1997, "IBM")
    filing = corrected(READ, checked(None, None, 1998, "1997-12-31"), Cover(), [])
    assert filing.fiscal_year == 1998


@pytest.mark.parametrize(("year", "period_end"), [(23, None), (None, "31.12.2023"), (None, "2023-02-30")])
def test_wrong_values_are_refused(year: int | None, period_end: str | None) -> None:
    with pytest.raises(UsageError, match="is not a"):
        checked(None, None, year, period_end)


def test_later_corrections_go_over_earlier_ones() -> None:
    later = Corrections(form="10-K/A").over(Corrections(form="10-K", year="2023"))
    assert later.as_mapping() == {"form": "10-K/A", "year": "2023"}
    assert Corrections.from_mapping({**later.as_mapping(), "unknown": "x"}) == later


def test_folders_give_their_filings_and_each_file_counts_once(tmp_path: Path) -> None:
    for name in ("b.htm", "sub/a.TXT", "sub/c.pdf", "notes.md", ".hidden/d.htm"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    given = [tmp_path / "b.htm", tmp_path, tmp_path / "sub" / ".." / "b.htm", tmp_path / "missing.htm"]
    assert [path.name for path in expand(given)] == ["b.htm", "a.TXT", "c.pdf", "missing.htm"]


def test_a_file_named_outright_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    odd = tmp_path / "filing.data"
    odd.write_text("x")
    assert expand([odd]) == (odd,)


def test_copies_beside_a_full_submission_are_left_out(tmp_path: Path) -> None:
    for name in ("full-submission.txt", "primary-document.html"):
        (tmp_path / name).write_text("x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "primary-document.html").write_text("x")
    assert [str(path.relative_to(tmp_path)) for path in expand([tmp_path])] == [
        "full-submission.txt",
        "other/primary-document.html",
    ]


def test_what_can_not_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty.htm").write_bytes(b" \n")
    with pytest.raises(BadFiling, match=r"empty\.htm is empty"):
        read_bytes(tmp_path / "empty.htm")
    with pytest.raises(FinTuiError, match=r"No file .*missing\.htm"):
        read_bytes(tmp_path / "missing.htm")
    with pytest.raises(FinTuiError, match="is a folder"):
        read_bytes(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="sparse files")
def test_an_enormous_file_is_not_even_read(tmp_path: Path) -> None:
    large = tmp_path / "large.htm"
    with large.open("wb") as stream:
        os.truncate(stream.fileno(), MAX_BYTES + 1)
    with pytest.raises(BadFiling, match="a filing has at most"):
        read_bytes(large)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in the file system")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.htm")
    with pytest.raises(FinTuiError, match="is not a regular file"):
        read_bytes(tmp_path / "pipe.htm")
