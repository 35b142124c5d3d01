"""The vocabulary and the finder of its names."""

from __future__ import annotations

import re

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.expression import names, parse

_CONCEPT = re.compile(r"[a-z-]+:[A-Z][A-Za-z0-9]+$")


def found(text: str) -> list[str]:
    return [mention.metric.id for mention in vocabulary().find(text)]


def test_is_as_rich_as_promised() -> None:
    metrics = vocabulary().metrics
    assert len([metric for metric in metrics if metric.concepts]) >= 150
    assert len([metric for metric in metrics if metric.formula]) >= 50


def test_every_metric_can_be_had() -> None:
    for metric in vocabulary().metrics:
        assert metric.names, metric.id
        assert metric.concepts or metric.formula or len(metric.labels) > len(metric.names), metric.id
        assert all(_CONCEPT.match(concept) for concept in metric.concepts), metric.id


def test_formulas_parse_and_name_known_metrics() -> None:
    known = {metric.id for metric in vocabulary().metrics}
    for metric in vocabulary().metrics:
        if metric.formula:
            used = {name.name for name in names(parse(metric.formula))}
            assert used <= known, (metric.id, used - known)
            assert metric.id not in used, metric.id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was the top line in 2023?", ["revenue"]),
        ("R&D share of revenue", ["research_intensity"]),
        ("property, plant and equipment, net", ["ppe"]),
        ("net cash from operating activities", ["operating_cash_flow"]),
        ("Net cash provided by (used in) operating activities", ["operating_cash_flow"]),
        ("SG&A and capex", ["selling_general_administrative", "capex"]),
        ("How much did it spend on buybacks?", ["share_repurchases"]),
        ("Apple's shareholders’ equity", ["shareholders_equity"]),
        ("DSO, DIO and DPO", ["days_sales_outstanding", "days_inventory_outstanding", "days_payable_outstanding"]),
        ("Quick ratio versus current ratio", ["quick_ratio", "working_capital_ratio"]),
        ("diluted EPS", ["eps_diluted"]),
        ("basic earnings per share", ["eps_basic"]),
        ("cost of revenue", ["cost_of_revenue"]),
        ("long-term debt", ["long_term_debt"]),
        ("ratio of capex to revenue", ["capex_to_revenue"]),
        ("free cashflow and share buy-backs", ["free_cash_flow", "share_repurchases"]),
        ("depreciation and amortisation, capitalised interest", ["depreciation_amortization", "capitalized_interest"]),
        ("A/R and D/E", ["receivables", "debt_to_equity"]),
        ("op. margin, GP margin, PBT", ["operating_margin", "gross_margin", "pretax_income"]),
        ("same-store sales", ["comparable_sales"]),
        ("NIM and NPAs", ["net_interest_margin", "nonperforming_assets"]),
        ("Example Ltd. and Martin plc", []),
    ],
)
def test_everyday_names(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("text", ["What was the revnue?", "the total revenuse of 2020", "the reveneu"])
def test_slips_of_the_pen(text: str) -> None:
    mentions = vocabulary().find(text)
    assert [mention.metric.id for mention in mentions] == ["revenue"]
    assert mentions[0].score < 1


@pytest.mark.parametrize(
    "text",
    [
        "Who audits the company?",
        "What are the main risk factors?",
        "Is there a cash flow statement in this filing?",
        "Describe its revenue recognition policy.",
        "the statement of shareholders' equity",
        "Where are the headquarters?",
        "legal proceedings, properties and mine safety",
    ],
)
def test_no_figure_is_heard_where_none_is_named(text: str) -> None:
    assert found(text) == []


def test_mentions_do_not_overlap_and_give_their_place() -> None:
    text = "Compare gross margin, operating income and net income."
    mentions = vocabulary().find(text)
    assert [text[mention.start : mention.end] for mention in mentions] == ["gross margin", "operating income", "net income"]


def test_a_whole_text_that_names_one_metric() -> None:
    metric = vocabulary().named("total net sales")
    assert metric is not None
    assert metric.id == "revenue"
    assert vocabulary().named("Greater China net sales") is None
    ratio = vocabulary().named("debt/equity")
    assert ratio is not None
    assert ratio.id == "debt_to_equity"
    by_id = vocabulary().named("days_sales_outstanding")
    assert by_id is not None
    assert by_id.unit == "days"
