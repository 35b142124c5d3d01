"""Files are counted by the functions that run, in every thread."""

from __future__ import annotations

import threading

from benchmarks.trace import traced
from fin_tui.errors import said
from fin_tui.language import clean


def test_a_file_counts_when_a_function_of_it_runs() -> None:
    with traced() as ran:
        clean("a\x07b")
    assert "language.py" in ran
    assert "errors.py" not in ran, "it is imported only"


def test_other_threads_count_and_what_runs_later_does_not() -> None:
    with traced() as ran:
        thread = threading.Thread(target=said, args=(ValueError("no"),))
        thread.start()
        thread.join()
    assert ran == {"errors.py"}
    clean("later")
    assert ran == {"errors.py"}
