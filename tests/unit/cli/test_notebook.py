"""The notebook and exports on the command line."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from fin_tui.cli import notebook as commands
from fin_tui.cli.notebook import keep, open_conversation
from fin_tui.engine.answering.events import Passage
from fin_tui.engine.exports import UnsupportedText
from fin_tui.engine.exports.file import NameTaken
from fin_tui.engine.saved_items import of_answer, of_figure, of_passage
from fin_tui.errors import FinTuiError, NotFound
from fin_tui.paths import Paths
from fin_tui.records import Answer, FactRecord, Sentence
from fin_tui.store.library import Library
from tests.ui.fake_figures import growth
from tests.ui.fakes import passages
from tests.unit.cli.made import Run, invoker

GOOD = Sentence("Partners make nearly all.", (1,), "grounded")
BAD = Sentence("It owns <b>nothing</b>.", (), "unsupported")


def answered(question: str, *sentences: Sentence) -> Answer:
    cited = tuple(p.citation for p in passages(2))
    text = " ".join(sentence.text for sentence in sentences)
    return Answer(question, "answered", text, sentences=sentences, citations=cited, facts=growth().facts)


def hostile() -> Passage:
    """A passage that tries to be markup, a footnote, a script and a terminal's command."""
    first = passages(1)[0]
    quote = "<script>alert(1)</script> **bold** [^9] \x1b[31mred | pipe"
    citation = replace(first.citation, quote=quote, company="=HYPERLINK()", url="javascript:alert(1)")
    return replace(first, citation=citation, text=quote)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(Paths(tmp_path / "home"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return invoker(commands, Paths(tmp_path / "home"))


@pytest.fixture
def kept(library: Library) -> None:
    fact = growth().facts[0]
    library.notebook.add(of_figure(fact, passages(2)[1].citation), "the number to watch")
    library.notebook.add(of_passage(hostile()))
    library.notebook.add(of_answer(answered("Who makes it?", GOOD), passages(2)))


@pytest.mark.usefixtures("kept")
def test_the_notebook_is_listed_noted_moved_and_emptied(run: Run) -> None:
    lines = run("notebook").stdout.splitlines()
    assert lines[0].split(maxsplit=2) == ["1", "figure", "Acme: Total net sales, year to 2025-09-27"]
    assert lines[1].strip() == "$416,161 million, year to 2025-09-27"
    assert lines[2].strip() == "note: the number to watch"
    assert "\x1b" not in "\n".join(lines)
    run("notebook", "--note", "3", "mine")
    run("notebook", "--move", "3", "-2")
    entries = json.loads(run("notebook", "--delete", "2", "--json").stdout)
    assert [(entry["number"], entry["note"]) for entry in entries] == [(3, "mine"), (1, "the number to watch")]
    assert entries[0]["places"] == ["gone", "gone"]  # No filing is held: the quotes stand nowhere.
    assert isinstance(run("notebook", "--delete", "2").exception, NotFound)


@pytest.mark.usefixtures("kept")
def test_the_notebook_is_written_as_markdown_with_footnotes(run: Run, tmp_path: Path) -> None:
    text = run("export", "notebook").stdout
    assert "| Total net sales | year to 2025-09-27 | $416,161 million[^1] |" in text
    assert "**Note:** the number to watch" in text
    assert "Partners make nearly all.[^3]" in text
    assert (
        "[^3]: Acme Corp, 10-K for the period ended 2025-09-27 (FY2025), Item 1A, p. 10 (physical page 11), "
        "accession 0000000001-25-000001"
    ) in text
    assert "\\<script>alert(1)\\</script> \\*\\*bold\\*\\* \\[^9] \\[31mred \\| pipe" in text
    assert "javascript" not in text
    assert "\x1b" not in text
    assert text.splitlines()[2].endswith("Acme FY2025 · " + text.splitlines()[2].rpartition(" · ")[2])
    run("export", "notebook", "-o", tmp_path / "out.md")
    taken = run("export", "notebook", "-o", tmp_path / "out.md")
    assert isinstance(taken.exception, NameTaken)
    assert run("export", "notebook", "-o", tmp_path / "out.md", "--overwrite").exception is None
    assert (tmp_path / "out.md").read_text() == text


@pytest.mark.usefixtures("kept")
def test_the_notebook_is_written_as_html_that_runs_nothing(run: Run) -> None:
    page = run("export", "notebook", "--format", "html").stdout
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert 'href="javascript' not in page
    assert "http" not in page.replace("https", "")
    assert '<sup><a href="#note-1">[1]</a></sup>' in page
    assert '<li id="note-1"' in page
    assert page.count("<blockquote>") == 1


@pytest.mark.usefixtures("kept")
def test_figures_go_to_a_spreadsheet_as_text_and_numbers(run: Run, library: Library) -> None:
    fact: FactRecord = {**growth().facts[0], "label": "=1+1", "citation": 1}
    library.notebook.add(of_figure(fact, hostile().citation))
    rows = list(csv.DictReader(io.StringIO(run("export", "notebook", "--format", "csv").stdout)))
    assert [row["value"] for row in rows] == ["416161000000", "416161000000", "391035000000", "416161000000"]
    assert rows[0]["accession"] == "0000000001-25-000001"
    assert (rows[3]["label"], rows[3]["company"]) == ("'=1+1", "'=HYPERLINK()")
    assert rows[2]["restated"] == "391100000000"


def test_what_nothing_supports_goes_out_only_when_confirmed(run: Run, library: Library, tmp_path: Path) -> None:
    library.notebook.add(of_answer(answered("Who?", GOOD, BAD), passages(2)))
    refused = run("export", "notebook", "-o", tmp_path / "out.md")
    assert isinstance(refused.exception, UnsupportedText)
    assert not (tmp_path / "out.md").exists()
    assert "It owns \\<b>nothing\\</b>. ⚠" in run("export", "notebook", "--with-unsupported").stdout
    page = run("export", "notebook", "--format", "html", "--with-unsupported").stdout
    assert '<span class="unsupported">It owns &lt;b&gt;nothing&lt;/b&gt;.</span> ⚠' in page


def test_a_conversation_is_written_in_every_format(run: Run, library: Library, tmp_path: Path) -> None:
    conversation, _ = open_conversation(library, "new")
    keep(library, conversation, answered("Who makes\x1b[31m it?", GOOD, BAD), passages(3))
    keep(library, conversation, Answer("And gold?", "refused", "Not held."))
    text = run("export", conversation[:6]).stdout
    assert "## Who makes\\[31m it?" in text
    assert "Partners make nearly all.[^1] It owns \\<b>nothing\\</b>. ⚠" in text
    assert "## Not answered: And gold?" in text
    document = json.loads(run("export", conversation, "--json").stdout)
    assert document["turns"][0]["answer"]["citations"][0]["id"] == 1
    assert [found["citation"]["id"] for found in document["turns"][0]["evidence"]] == [1, 2, 3]
    assert document == json.loads(run("export", conversation, "--format", "json").stdout)
    assert "Who makes[31m it?" in run("export", conversation, "--format", "html").stdout
    rows = list(csv.DictReader(io.StringIO(run("export", conversation, "--format", "csv").stdout)))
    assert [row["as_reported"] for row in rows] == ["416,161", "391,035"]
    assert isinstance(run("export", "zzz").exception, NotFound)
    assert isinstance(run("export", conversation, "-o", tmp_path).exception, FinTuiError)
