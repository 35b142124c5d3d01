from __future__ import annotations

import json
from pathlib import Path

import pytest

from fin_tui.cli import check as commands
from fin_tui.errors import NotFound, UsageError
from fin_tui.paths import Paths
from tests.unit.cli.made import Run, invoker
from tests.unit.facts.book import fillers, flow, held, opened

TRUE = "In fiscal 2023, Example reported net income of $97.0 billion."
FALSE = "In fiscal 2023, Example reported net income of $79.0 billion."


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command over two filings of one company."""
    paths = Paths(tmp_path / "home")
    with opened(paths) as library:
        for year, value in ((2022, 99.8e9), (2023, 96.995e9)):
            facts = [flow("us-gaap:NetIncomeLoss", value, year, label="Net income"), *fillers(year)]
            held(library, year, facts)
    return invoker(commands, paths, "check")


def test_the_json_holds_the_fields_of_the_contract(run: Run) -> None:
    result = run("-", "--json", text=FALSE)
    assert result.exit_code == 0, result.exception
    document = json.loads(result.stdout)
    assert (document["id"], document["status"]) == (None, "contradicted")
    (statement,) = document["statements"]
    assert (statement["text"], statement["status"]) == (FALSE, "contradicted")
    (number,) = statement["numbers"]
    assert set(number) == {"text", "value", "unit", "status", "found", "why"}
    assert (number["text"], number["value"], number["unit"]) == ("$79.0 billion", 79e9, "usd")
    found = number["found"]
    assert (found["concept"], found["value"], found["unit"]) == ("us-gaap:NetIncomeLoss", 96.995e9, "usd")
    assert (found["period_end"], found["file"], found["source"]) == ("2023-12-31", "10-K-2023.htm", "xbrl")
    assert "page" in found


def test_for_people_it_marks_each_number_and_names_the_place(run: Run, tmp_path: Path) -> None:
    memo = tmp_path / "memo.md"
    memo.write_text(f"# Notes\n\n{TRUE} {FALSE}\n", encoding="utf-8")
    shown = run(memo).stdout
    assert f"✓ {TRUE}" in shown
    assert f"✗ {FALSE}" in shown
    assert "Example Corp. FY2023" in shown
    assert "1 supported, 1 contradicted, 0 unknown: 1 figure conflicts with the filings." in shown


def test_a_batch_gives_a_line_for_each_line(run: Run, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    lines = [
        {"id": "a", "text": TRUE, "expect": "supported"},
        {"id": "b", "text": FALSE, "scope": {"year": 2023}},
        {"id": "c", "text": "Net income was $99.8 billion.", "scope": {"company": "Example", "year": 2022}},
        {"id": "d", "text": TRUE, "scope": {"company": "Nobody"}},
        {"id": "e", "text": TRUE, "library": ["10-K-2022.htm"]},
    ]
    batch.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = run("--batch", batch)
    assert result.exit_code == 0, result.exception
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["id"], one["status"]) for one in documents] == [
        ("a", "supported"),
        ("b", "contradicted"),
        ("c", "supported"),
        ("d", "unknown"),
        ("e", "unknown"),
    ]
    assert "Nobody" in documents[3]["error"]


def test_a_year_of_the_scope_says_which_year_is_meant(run: Run) -> None:
    text = "Net income was $99.8 billion."
    assert json.loads(run("-", "--year", "2022", "--json", text=text).stdout)["status"] == "supported"
    assert json.loads(run("-", "--year", "2023", "--json", text=text).stdout)["status"] == "contradicted"


def test_nonsense_is_refused_with_a_hint(run: Run, tmp_path: Path) -> None:
    for result in (run(), run("-", "--batch", tmp_path / "x"), run("-", text=" "), run(tmp_path / "missing.md")):
        assert isinstance(result.exception, UsageError)
    assert isinstance(run("-", "--company", "Nobody", text=TRUE).exception, NotFound)


def test_nothing_in_the_text_commands_the_terminal(run: Run) -> None:
    title, red = "\x1b]0;title\x07", "\x1b[31m"
    result = run("-", text=f"{title}In fiscal 2023, Example reported {red}net income of \x9b31m$79.0 billion. And{red} so on.")
    assert "$79.0 billion" in result.stdout
    assert not [c for c in result.stdout if c != "\n" and not c.isprintable()]
