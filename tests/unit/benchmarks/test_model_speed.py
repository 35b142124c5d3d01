"""What is reckoned from the speeds; that both ways read the same prompt is checked by the benchmark itself."""

from __future__ import annotations

import pytest

from benchmarks.model_speed import Speed, overhead, prompt, through_process
from fin_tui.engine.models.protocol import Done
from fin_tui.errors import FinTuiError


def test_overhead_is_the_median_of_pairs() -> None:
    ours = [Speed(100, 10), Speed(50, 5), Speed(80, 8)]
    bare = [Speed(110, 10), Speed(60, 6), Speed(84, 8)]
    # Reading takes 10 %, 20 % and 5 % longer, writing 0, 20 and 0 %.
    assert overhead(ours, bare) == {"read": 10.0, "write": 0.0}


def test_prompts_of_two_rounds_part_at_once() -> None:
    first, second = prompt("text", 1), prompt("text", 2)
    assert first[0].content[0] != second[0].content[0]
    assert first[1] == second[1]


class Client:
    """Ends at once with the figures given."""

    def __init__(self, done: Done) -> None:
        self.last = done

    def generate(self, messages: object, *, max_tokens: int, cancelled: object) -> list[str]:
        return ["text"]


def test_what_was_read_before_is_not_counted() -> None:
    speed, written = through_process(Client(Done(1, "end", 100, 20, 5, 400.0, 1.0)), [], 5)  # type: ignore[arg-type]
    assert written == 5
    assert speed.read == pytest.approx(200)


def test_a_model_that_writes_nothing_is_told() -> None:
    with pytest.raises(FinTuiError, match="wrote nothing"):
        through_process(Client(Done(1, "end", 100, 0, 0, 1.0, 0.0)), [], 5)  # type: ignore[arg-type]
