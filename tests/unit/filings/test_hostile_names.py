"""Names and text from outside: nothing is opened by them, and no command for a terminal is in what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.config import Chunking
from fin_tui.filings.submission import split_submission
from fin_tui.ingest.pipeline import parse
from tests.edgar_server import submission_text
from tests.fuzz.properties import check_document, check_text
from tests.unit.ingest.made import make_html

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202etxt.exe\u2066\x00\x08"
_NAMES = ("../../../etc/passwd", "..\\..\\windows\\system.ini", "/etc/shadow", "C:\\x\\y.htm", "a/../b.htm", "....//c.htm")


def submission(**changes: str) -> bytes:
    whole = submission_text("0000950000-24-000055", "10-K", "2024-03-01", "2023-12-31", 42, "Made Inc", ("10-K", make_html()))
    for old, new in changes.items():
        whole = whole.replace(old.encode(), new.encode())
    return whole


@pytest.mark.parametrize("name", _NAMES)
def test_a_file_name_of_a_submission_is_a_label_without_folders(name: str) -> None:
    raw = submission().replace(b"<TYPE>10-K", b"<TYPE>10-K\n<FILENAME>" + name.encode(), 1)
    part = split_submission(raw).parts[0]
    assert "/" not in part.filename
    assert "\\" not in part.filename


def test_names_in_a_submission_open_and_write_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "room").mkdir()
    monkeypatch.chdir(tmp_path / "room")
    (tmp_path / "secret.htm").write_text("<html><body>the secret words</body></html>")
    raw = submission().replace(b"<TYPE>10-K", b"<TYPE>10-K\n<FILENAME>../secret.htm", 1)
    entry = parse(raw, "../secret.htm", Chunking())
    assert "secret words" not in entry.document.text
    assert entry.filing.file == "secret.htm"
    assert list((tmp_path / "room").iterdir()) == []


def test_no_escape_of_a_filing_gets_into_what_is_read() -> None:
    name = f"Wid{ESCAPES}gets Inc."
    raw = make_html(name, extra=f"Sales {ESCAPES}rose &#27;[31m and &#155;1m fell &#x202e;.")
    assert b"\x1b[2J" in raw
    entry = parse(raw, "made.htm", Chunking(), force=True)
    check_document(entry.document)
    assert "rose" in entry.document.text
    assert entry.filing.company.startswith("Wid")
    for text in (entry.filing.company, *(section.title for section in entry.sections)):
        check_text(text)
    for chunk in entry.chunks:
        check_text(chunk.text)
        check_text(chunk.header)
        check_text(chunk.index_text)
        check_text(chunk.heading)


def test_no_escape_of_a_submission_header_gets_into_the_cover() -> None:
    raw = submission(**{"MADE INC": "MADE \x1b[31m INC\x9b", "Example Widgets Inc.": ""})
    assert b"\x1b[31m" in raw
    entry = parse(raw, "made.txt", Chunking(), force=True)
    check_text(entry.filing.company)
    assert entry.filing.company.lower().startswith("made")
