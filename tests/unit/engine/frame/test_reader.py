"""A question without the words for company and period, and what is left of it; broken weights cost no question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fin_tui.engine.frame.reader import Frame, FrameReader, Span
from fin_tui.retrieval.shared_encoder import SharedEncoder

QUESTION = "Acme's leased warehouses, end of 2023?"


def _frame() -> Frame:
    company, period = Span("Acme", 0, 4), Span("end of 2023", 26, 37)
    return Frame(QUESTION, (company,), (period,), (), (), "lookup", "count", "", (), {"figure": 0.9, "answer": 0.9})


def test_the_matter_is_what_remains() -> None:
    assert _frame().matter == "leased warehouses"
    assert _frame().is_figure


def test_figures_are_read_together_with_the_period_too() -> None:
    assert _frame().asked == "leased warehouses, end of 2023"


def test_a_follow_up_is_read_before_what_it_leaves_unsaid_with_its_own_period() -> None:
    same = replace(_frame(), question="and owned ones?", companies=(), periods=(), carried=_frame())
    assert same.asked == "and owned ones | leased warehouses, end of 2023"
    earlier = replace(same, question="and in 2022?", periods=(Span("2022", 7, 11),))
    assert earlier.asked == "and in 2022 | leased warehouses"


def test_a_figure_may_be_asked_for_though_a_list_is_likelier_than_each_kind() -> None:
    frame = Frame(QUESTION, (), (), (), (), "lookup", "list", "", (), {"figure": 0.6, "answer": 0.4})
    assert frame.is_figure
    assert frame.kind == ""


def test_only_known_companies_are_taken_out() -> None:
    assert "Acme" in _frame().of_companies([(5, 5)]).matter
    assert _frame().of_companies([]).companies == ()


def test_a_known_company_is_nothing_else() -> None:
    frame = Frame(
        "ACM rent in Ohio",
        (),
        (),
        (Span("rent", 4, 8),),
        (Span("ACM", 0, 3), Span("Ohio", 12, 16)),
        "lookup",
        "money",
        "",
        (),
        {},
    )
    assert [span.text for span in frame.of_companies([(0, 3)]).parts] == ["Ohio"]
    assert [span.text for span in frame.of_companies([]).parts] == ["ACM", "Ohio"]


def test_small_words_do_not_end_a_label() -> None:
    frame = Frame("rent paid in Acme", (Span("Acme", 13, 17),), (), (), (), "lookup", "money", "", (), {"figure": 0.9})
    assert frame.matter == "rent paid in"
    assert frame.label == "rent paid"


def test_without_weights_there_is_no_frame(tmp_path: Path) -> None:
    assert FrameReader(SharedEncoder(tmp_path)).read_if_able(QUESTION) is None


def test_a_part_that_is_only_referred_to_is_the_one_before() -> None:
    reader = FrameReader(SharedEncoder())
    before = replace(reader.read("Acme's rocket sales in 2023"), parts=(Span("rocket", 7, 13),))
    for said in ("what was that segment's operating income", "yoy % change in that segments operating income"):
        frame = reader.read(said, before)
        assert frame.refers_to_part
        assert [span.text for span in replace(frame, carried=before).whole.parts] == ["rocket"]
