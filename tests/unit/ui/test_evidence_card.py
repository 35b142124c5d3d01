"""What of an answer is running text, and what a line each."""

from __future__ import annotations

from fin_tui.engine.evidence.citations import with_markers
from fin_tui.records import QuotedTable, Sentence
from fin_tui.ui.widgets.evidence_card import _parts_of

TABLE = QuotedTable("Stores", ("", "2025"), (("Total", "1,995"),))


def _told(*texts: str, opens: bool) -> list[Sentence]:
    first = "paragraph" if opens else ""
    return [Sentence(text, (1,), "grounded", opens="" if at else first) for at, text in enumerate(texts)]  # type: ignore[arg-type]


def test_a_paragraph_is_running_text_also_beside_a_table() -> None:
    told = _told("One.", "Two.", opens=True)
    assert _parts_of(with_markers(told), told) == (["One. [1] Two. [1]"], [])
    lead, _ = _parts_of("", [*told, Sentence("", (2,), "grounded", opens="paragraph", table=TABLE)])
    assert lead[0] == "One. [1] Two. [1]"


def test_what_is_told_of_figures_has_a_line_for_each_sentence() -> None:
    told = _told("One.", "Two.", opens=False)
    assert _parts_of(with_markers(told), told) == (["One. [1]\nTwo. [1]"], [])


def test_words_beside_a_grid_are_folded_under_its_first_line() -> None:
    led, words = _told("Sales: 9.", opens=False), _told("One.", "Two.", opens=True)
    told = [*led, *words]
    assert _parts_of(with_markers(told), told, has_grid=True) == (["Sales: 9. [1]"], ["One. [1] Two. [1]"])
    assert _parts_of(with_markers(led), led, has_grid=True) == (["Sales: 9. [1]"], [])
