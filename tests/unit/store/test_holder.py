from __future__ import annotations

import os
import time

from fin_tui.paths import Paths
from fin_tui.store.holder import STALE_SECONDS, answering, is_answering, one_at_a_time, wait_while_answering


def test_answers_nest_and_end(paths: Paths) -> None:
    assert not is_answering(paths)
    with answering(paths):
        with answering(paths):
            assert is_answering(paths)
        assert is_answering(paths)
    assert not is_answering(paths)


def test_an_answer_that_fails_ends_its_pause(paths: Paths) -> None:
    try:
        with answering(paths):
            raise ValueError
    except ValueError:
        assert not is_answering(paths)


def test_marks_of_the_dead_and_the_old_are_ignored(paths: Paths) -> None:
    folder = paths.data / "answering"
    folder.mkdir(parents=True)
    (folder / "999999999-0").touch()
    (folder / "nonsense").touch()
    old = folder / f"{os.getpid()}-77"
    old.touch()
    past = time.time() - STALE_SECONDS - 1
    os.utime(old, (past, past))
    assert not is_answering(paths)
    assert list(folder.iterdir()) == []


def test_a_clock_that_is_set_back_holds_nothing_up(paths: Paths) -> None:
    with answering(paths):
        (mark,) = (paths.data / "answering").iterdir()
        tomorrow = time.time() + 86_400
        os.utime(mark, (tomorrow, tomorrow))
        assert not is_answering(paths)


def test_waiting_can_be_cancelled(paths: Paths) -> None:
    with answering(paths):
        wait_while_answering(paths, lambda: True)
        assert is_answering(paths)


def test_only_one_has_its_turn(paths: Paths) -> None:
    lock = paths.data / "a.lock"
    with one_at_a_time(lock) as first, one_at_a_time(lock) as second:
        assert (first, second) == (True, False)
    with one_at_a_time(lock) as again:
        assert again
