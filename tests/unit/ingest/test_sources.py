from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fin_tui.errors import BadFiling, FinTuiError
from fin_tui.filings.sniff import MAX_BYTES
from fin_tui.ingest.sources import expand, read_bytes


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
