from __future__ import annotations

import json
from pathlib import Path

import pytest

from fin_tui.cli import search as commands
from fin_tui.errors import NotFound, UsageError
from fin_tui.paths import Paths
from fin_tui.store.library import Library
from tests.unit.cli.made import Run, invoker, two_filings
from tests.unit.store.made import make_entry


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command over two filings in a home without weights."""
    return invoker(commands, two_filings(tmp_path / "home"), "search")


def test_the_json_holds_the_fields_of_the_contract(run: Run) -> None:
    result = run("outsourcing partners", "--company", "EXM", "--year", "2023", "--json")
    assert result.exit_code == 0, result.exception
    document = json.loads(result.stdout)
    assert set(document) >= {"id", "query", "hits", "timings_ms"}
    assert set(document["timings_ms"]) == {"encode", "search", "rerank", "total"}
    (hit,) = document["hits"]
    assert hit["text"].endswith("outsourcing partners for their final assembly.")
    assert (hit["rank"], hit["ticker"], hit["fiscal_year"], hit["period_end"], hit["item"]) == (1, "EXM", 2023, "2023-09-30", "1")
    assert hit["ranks"] == {"dense": None, "sparse": 1, "rerank": 1}
    wanted = {"chunk_id", "filing", "file", "company", "cik", "page", "page_label", "heading", "start", "end", "score"}
    assert wanted <= set(hit)


def test_for_people_it_says_where_and_what_is_missing(run: Run) -> None:
    result = run("outsourcing partners", "--explain", "-k", "1")
    assert "Example Corp. 10-K FY2023 · Item 1" in result.stdout
    assert "sparse 1" in result.stdout
    assert "by words alone" in result.stderr
    assert "Nothing found." in run("zeppelin").stdout


def test_the_question_narrows_and_the_json_says_so(run: Run) -> None:
    document = json.loads(run("Example's outsourcing partners in fiscal 2022", "--json").stdout)
    assert document["scope"] == {"label": "Example Corp. FY2022", "companies": ["Example Corp."], "fiscal_years": [2022]}
    assert {hit["fiscal_year"] for hit in document["hits"]} == {2022}
    within = json.loads(run("Example's outsourcing partners in fiscal 2022", "--year", "2023", "--json").stdout)
    assert {hit["fiscal_year"] for hit in within["hits"]} == {2023}


def test_a_period_that_is_not_held_gives_no_hits_and_a_note(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "batch.jsonl"
    file.write_text(json.dumps({"id": "a", "question": "What did Example Corp. sell in fiscal 1999?"}))
    document = json.loads(run("--batch", file).stdout)
    assert document["hits"] == []
    assert any("FY1999" in note for note in document["notes"])


def test_a_batch_gives_a_line_for_a_line_in_order(run: Run, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "question": "outsourcing partners", "scope": {"ticker": "EXM", "year": 2022}, "answer": "gold is ignored"},
        {"id": "b", "question": "partners", "scope": {"company": "Nobody"}},
        {"id": "c", "question": "competitors", "library": ["example-2023.htm"]},
    ]
    file = tmp_path / "batch.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    result = run("--batch", file)
    assert result.exit_code == 0, result.exception
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["id"] for line in found] == ["a", "b", "c"]
    assert {hit["fiscal_year"] for hit in found[0]["hits"]} == {2022}
    assert found[1]["hits"] == []
    assert "Nobody" in found[1]["error"]
    assert {hit["file"] for hit in found[2]["hits"]} == {"example-2023.htm"}


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("partners", "--company", "Nobody"), NotFound),
        (("partners", "--year", "1950"), NotFound),
        (("partners", "--item", "poetry"), UsageError),
        (("partners", "--mode", "psychic"), UsageError),
        ((), UsageError),
        (("  ",), UsageError),
    ],
)
def test_wrong_calls_are_errors_of_their_kind(run: Run, words: tuple[str, ...], error: type[Exception]) -> None:
    assert isinstance(run(*words).exception, error)


def test_nothing_in_a_filing_commands_the_terminal(run: Run, tmp_path: Path) -> None:
    words = "Outsourcing\x1b[2J partners of zeppelins\x9b31m assemble them."
    with Library.open(Paths(tmp_path / "home")) as library:
        library.add(make_entry(company="Evil \x1b]0;title\x07Corp.", cik="0000000043", paragraphs=(words,)))
    result = run("outsourcing partners of zeppelins", "--explain")
    assert "Evil" in result.stdout
    assert not [c for c in result.output if c != "\n" and not c.isprintable()]
