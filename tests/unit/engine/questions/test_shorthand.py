"""What is written short is written out, names and longer words left as they are."""

from __future__ import annotations

import pytest

from fin_tui.engine.questions.shorthand import written_out


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("acme op inc and rev", "acme operating income and revenue"),
        ("OP  INC of Acme", "operating income of Acme"),
        ("rev/employee w/o the temps", "revenue/employee without the temps"),
        ("growth yoy, chg y/y", "growth, growth"),
        ("adj. income, incl. its op. leases, of revs.", "adjusted income, including its operating leases, of revenues."),
        ("its co-op and AT&op", "its co-op and AT&op"),
        ("an op-ed on Rev. Green", "an op-ed on Rev. Green"),
        ("whats due, wont ship", "what's due, won't ship"),
        ("Hows rev? Exec pay", "how's revenue? Exec pay"),
        ("reverse opt avgs", "reverse opt avgs"),
    ],
)
def test_whole_words_are_written_out(typed: str, read: str) -> None:
    assert written_out(typed) == read


def test_a_ticker_stays() -> None:
    assert written_out("GM revs 2024", lambda word: word == "GM") == "GM revenues 2024"
