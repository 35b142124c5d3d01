"""``from fin_tui import Library``: filings in, searched, asked and checked by another program, on a real database."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fin_tui
from fin_tui import Library
from fin_tui.engine.answering.events import EvidenceReady, Finished, Refused, Understood
from fin_tui.errors import FinTuiError, NotFound, UsageError
from fin_tui.ingest import Added, Embedded
from fin_tui.paths import Paths
from tests.unit.ingest.made import make_html

QUESTION = "What does Example Widgets say about outsourcing partners?"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "files"
    folder.mkdir()
    for year in (2022, 2023):
        (folder / f"widgets-{year}.htm").write_bytes(make_html(year=year))
    return sorted(folder.iterdir())


def test_only_the_public_names_are_there() -> None:
    assert fin_tui.__version__
    with pytest.raises(AttributeError, match="no attribute 'Filing'"):
        fin_tui.Filing  # type: ignore[attr-defined]  # noqa: B018


def test_what_is_added_is_found_read_and_asked(paths: Paths, files: list[Path]) -> None:
    with Library(paths.home, with_model=False) as library:
        assert [filing.fiscal_year for filing in library.add(files[0].parent)] == [2022, 2023]
        assert [filing.fiscal_year for filing in library.add(files)] == [2022, 2023], "held already"
        assert [filing.fiscal_year for filing in library.filings(year=2023)] == [2023]
        hits = library.search("outsourcing partners", company="Example Widgets", year=[2022, 2023], k=3).hits
        assert hits
        assert all("outsourcing" in hit.chunk.text or hit.rank > 1 for hit in hits)
        assert "1A" in {section.item for section in library.sections("Example Widgets:2023")}
        assert library.section("widgets-2023.htm", "1A").lstrip().startswith("Item 1A")
        answer = library.ask(QUESTION, year=2022)
        assert (answer.status, {citation.fiscal_year for citation in answer.citations}) == ("answered", {2022})
        assert library.check("Example Widgets' goodwill was $12 million in 2023.").status == "unknown"
        assert [fact["gap"] != "" for fact in library.facts("goodwill", year=2023)] == [True]


def test_another_home_object_sees_what_stays(paths: Paths, files: list[Path]) -> None:
    with Library(str(paths.home), with_model=False) as library:
        library.add(str(files[0]), embed=False)
    with Library(paths.home, with_model=False) as library:
        assert [filing.file for filing in library.filings()] == ["widgets-2022.htm"]


def test_events_come_one_by_one(paths: Paths, files: list[Path]) -> None:
    with Library(paths.home, with_model=False) as library:
        outcomes = list(library.adding(files[0]))
        assert [type(one) for one in outcomes if isinstance(one, (Added, Embedded))] == [Added, Embedded]
        kinds = [type(event) for event in library.stream(QUESTION)]
        assert kinds == [Understood, EvidenceReady, Finished]
        assert Refused in [type(event) for event in library.stream("Should I buy Example Widgets?")]
        stream = library.stream(QUESTION)
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        assert library.ask(QUESTION).status == "answered", "an abandoned answer holds nothing up"


def test_what_is_wrong_is_raised_with_a_hint(paths: Paths, files: list[Path], tmp_path: Path) -> None:
    with Library(paths.home, with_model=False) as library:
        (tmp_path / "files" / "empty.htm").write_text(" ")
        with pytest.raises(FinTuiError, match=r"empty\.htm is empty"):
            library.add(tmp_path / "files", embed=False)
        assert len(library.filings()) == 2, "the others are in"
        for item, error in (("9C", NotFound), ("zoo", UsageError)):
            with pytest.raises(error) as raised:
                library.section("widgets-2022.htm", item)
            assert raised.value.hint
        with pytest.raises(NotFound):
            library.search("risks", company="Globex")
        refused = library.ask("What are the risks?", company="Globex")
        assert refused.refusal is not None
        assert refused.refusal.kind == "not_in_library"


def test_a_script_needs_no_guard_for_child_processes(paths: Paths, files: list[Path]) -> None:
    script = files[0].parent.parent / "script.py"
    script.write_text(
        "from fin_tui import Library\n"
        f"with Library({str(paths.home)!r}, with_model=False) as library:\n"
        f"    library.add({str(files[0])!r})\n"
        "    print(len(library.filings()))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
