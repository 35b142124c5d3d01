"""What opens a filing at a citation says whose it is, and where to look."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.records import Span
from fin_tui.ui.messages import ReaderWanted
from tests.ui.fakes import passages

CITED = replace(passages(1)[0].citation, company="Acme Corp", fiscal_year=2025, form="10-K", start=100, end=140)


def test_a_citation_opens_its_filing_at_the_quote() -> None:
    assert ReaderWanted.at(CITED) == ReaderWanted(CITED.filing, "Acme Corp FY2025 · 10-K", 100, 140)


def test_a_citation_of_one_figure_opens_at_the_figure() -> None:
    wanted = ReaderWanted.at(replace(CITED, figure=(10, 17)))
    assert (wanted.start, wanted.end) == (110, 117)


def test_another_span_takes_the_place_of_the_citation_with_all_that_is_cited() -> None:
    wanted = ReaderWanted.at(replace(CITED, figure=(10, 17)), (0, 9), [Span(100, 140)])
    assert (wanted.start, wanted.end, wanted.citations) == (0, 9, [Span(100, 140)])
