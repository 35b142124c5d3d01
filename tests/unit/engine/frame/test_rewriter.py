"""What a rewritten turn is read as, and what the model is given to go on from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from fin_tui.engine.frame.rewriter import Rewriter, read
from fin_tui.facts.expression import parse


@pytest.mark.parametrize(
    ("line", "expression", "lookups"),
    [
        ("a | @ number of depots end of 2023", "a", ["Globex number of depots end of 2023"]),
        ("a / b * 100 | @'s rent 2023 | Initech rent 2023", "a / b * 100", ["Globex 's rent 2023", "Initech rent 2023"]),
        ("((a / b) ** (1 / 2) - 1) * 100 | x 2023 | x 2021", "((a / b) ^ (1 / 2) - 1) * 100", ["x 2023", "x 2021"]),
    ],
)
def test_what_is_looked_up_and_computed(line: str, expression: str, lookups: list[str]) -> None:
    found = read(line, "Globex")
    assert found is not None
    assert (found.node, list(found.lookups)) == (parse(expression), lookups)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "a",
        "ask | Why did Globex close depots?",
        "a | @ depots 2023 && a | @ rent 2023",
        "a - b | @ depots 2023",
        "a | @ depots 2023 | @ rent 2023",
        "a -/ b | @ depots 2023 | @ rent 2023",
        "__import__('os') | @ depots 2023",
        "a / prior(a) | @ depots 2023",
        "a |  ",
        "a | @ depots \x1b[2J 2023",
    ],
)
def test_what_is_no_figure_or_cannot_be_read_is_none(line: str) -> None:
    assert read(line, "Globex") is None


class Writes:
    """Goes on with the next of ``lines``."""

    def __init__(self, *lines: str) -> None:
        self.lines, self.read = list(lines), list[str]()

    def continue_line(self, text: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> tuple[str, Sequence[float]]:
        self.read.append(text)
        return self.lines.pop(0), (-0.5, -0.25, -0.15)


def test_each_turn_goes_on_from_what_was_written_for_those_before() -> None:
    model = Writes(" a | @ depots end of 2023", " a / b | @ net sales 2023 | @ depots end of 2023")
    rewriter = Rewriter(model)
    first, second = "how many depots", "sales per  depot"
    depots = read("a | Globex depots end of 2023", "")
    assert depots is not None
    assert rewriter.of("Globex", 2023, [first]) == replace(depots, least=-0.5)
    found = rewriter.of("Globex", 2023, [first, second])
    assert found is not None
    assert found.lookups == ("Globex net sales 2023", "Globex depots end of 2023")
    assert model.read == [
        "Globex 2023\n? how many depots\n=",
        "Globex 2023\n? how many depots\n= a | @ depots end of 2023\n? sales per depot\n=",
    ]
    assert rewriter.of("Globex", 2023, [first, second]) == found
    assert len(model.read) == 2, "what was written is kept"


def test_of_another_company_everything_is_written_anew_and_what_was_stopped_is_not_kept() -> None:
    model = Writes("a | @ depots 2023", "", "a | @ depots 2022")
    rewriter = Rewriter(model)
    assert rewriter.of("Globex", 2023, ["depots?"]) is not None
    assert rewriter.of("Initech", 2022, ["depots?"]) is None
    found = rewriter.of("Initech", 2022, ["depots?"])
    assert found is not None
    assert found.lookups == ("Initech depots 2022",)


def test_of_a_long_conversation_turns_are_left_out_some_at_once() -> None:
    turns = [f"depots in {year}?" for year in range(2000, 2014)]
    model = Writes(*["a | @ depots 2023"] * 99)
    rewriter, written = Rewriter(model), []
    for at in range(1, len(turns) + 1):
        before = len(model.read)
        rewriter.of("Globex", 2023, turns[:at])
        written.append(len(model.read) - before)
    assert written == [1, 1, 1, 1, 1, 1, 1, 1, 5, 1, 1, 1, 5, 1]
    assert "2008" in model.read[-1]
    assert "2007" not in model.read[-1]
