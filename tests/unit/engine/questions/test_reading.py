"""Questions against the real vocabulary; the companies are invented."""

from __future__ import annotations

import pytest

from fin_tui.engine.questions.definitions import bracket_definition
from fin_tui.engine.questions.instructions import read_instructions
from fin_tui.engine.questions.question import follow, read_question
from fin_tui.engine.questions.reading import read_figures
from fin_tui.engine.questions.wanted import Reading
from fin_tui.engine.questions.words import left_over
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Name, write
from tests.unit.engine.made import filing

HELD = (filing("Acme Corp.", 2024), filing("Globex Inc.", 2024, ticker="GBX"))


def read(*turns: str) -> Reading | None:
    question, reading = None, None
    for turn in turns:
        asked = read_instructions(turn)
        own = read_question(asked.text, HELD)
        question = own if question is None else follow(own, question)
        reading = read_figures(question, asked, vocabulary(), reading)
    return reading


def told(reading: Reading | None) -> str:
    """ "research_and_development / revenue | point" """
    if reading is None:
        return "words"
    items = reading.items

    def name_of(name: Name) -> str:
        item = items[name.name]
        return f"{item.phrase} {item.metric.id if item.metric else ''}".strip() + "'" * name.back

    parts = [write(part.node, name_of) for part in reading.parts]
    return f"{'; '.join(parts)} | {reading.over}" + (f" {reading.across}" if reading.across != "each" else "")


@pytest.mark.parametrize(
    ("question", "meaning"),
    [
        ("What was Acme's revenue in fiscal 2023?", "revenue | point"),
        ("How much did Acme spend on R&D in 2023?", "research_and_development | point"),
        ("By what percentage did Acme's net income change from fiscal 2022 to fiscal 2023?", "net_income | growth"),
        ("What was Acme's revenue growth in 2023?", "revenue | growth"),
        ("How many shares did Acme have outstanding in 2023?", "shares_outstanding | point"),
        (
            "What is the difference between Acme's current assets and current liabilities?",
            "current_assets - current_liabilities | point",
        ),
        ("How much did Acme's goodwill change from 2022 to 2023, in dollars?", "goodwill | change"),
        ("What was Acme's compound annual revenue growth rate from 2020 to 2023?", "revenue | cagr"),
        ("What was Acme's average annual revenue over 2021 to 2023?", "revenue | average"),
        (
            "What percentage of revenue did Acme spend on research and development in 2023?",
            "research_and_development / revenue | point",
        ),
        ("What was Acme's net income as a percentage of total assets in 2023?", "net_income / total_assets | point"),
        ("What share of Acme's net sales came from Gadgets in 2023?", "Gadgets revenue / revenue | point"),
        ("How much revenue did Acme earn from the Middle East in fiscal 2023?", "the Middle East revenue | point"),
        ("How much revenue did Acme earn from U.S. in 2023?", "U.S. revenue | point"),
        ("What were Acme's Rocket Sleds net sales in 2023?", "Rocket Sleds revenue | point"),
        (
            "What was Acme's operating income + depreciation and amortization in 2023?",
            "operating_income + depreciation_amortization | point",
        ),
        ("Acme 2023 operating cash flow minus capex", "operating_cash_flow - capex | point"),
        (
            "Acme 2023 buybacks plus capex as a percentage of net income",
            "(share_repurchases + capex) / net_income | point",
        ),
        ("What was the ratio of total debt to total assets for Acme in 2023?", "total_debt / total_assets | point"),
        ("Give me revenue, net income and total assets of Acme for 2022 and 2023", "revenue; net_income; total_assets | point"),
        ("Which company had the highest revenue in 2023, Acme or Globex?", "revenue | point highest"),
        ("How much more revenue did Acme make than Globex in 2023?", "revenue | point difference"),
        ("In which year was Acme's revenue the highest, 2021, 2022 or 2023?", "revenue | highest"),
        ("Did Acme's gross margin improve between 2022 and 2023?", "gross_margin | change"),
        ("What is Acme's return on assets (ROA) for 2023?", "return_on_assets | point"),
        ("How fast did Acme's total revenue grow in fiscal 2021?", "revenue | growth"),
        ("Acme ebitda 2024 (operating income + D&A)", "operating_income + depreciation_amortization | point"),
        ("interest coverage of Acme 2023 (operating income / interest expense)", "operating_income / interest_expense | point"),
        (
            "Acme gross margin rate? (sales less cost of sales over net sales, fiscal 2025)",
            "(revenue - cost_of_revenue) / revenue | point",
        ),
        (
            "Acme's 2023 free cash flow using cash from operations less purchases of PP&E",
            "operating_cash_flow - capex | point",
        ),
        ("debt to equity of Acme 2023 (all debt incl. what is due)", "debt_to_equity | point"),
        ("ACME rocket fuel credits 2023", "rocket fuel credits | point"),
        ("ACME risk factors 2023", "words"),
        ("how much did acme make in FY23", "net_income | point"),
        ("Acme net operating revenues CAGR 2019-2023", "revenue | cagr"),
        ("Acme interest expence 2021", "interest_expense | point"),
        ("How much cash does Acme have on hand at the end of 2024?", "cash | point"),
        ("What was Acme's inventory balance at December 31, 2023?", "inventory | point"),
        ("what did acme spend on r&d in 24", "research_and_development | point"),
        ("Acme Corp general and administrative expense 2023", "general_administrative | point"),
        ("Acme SG&A expenses for the 53 weeks ended December 31, 2023", "selling_general_administrative | point"),
        ("How much revenue did Acme's Rocket Sleds segment generate in 2023?", "Rocket Sleds segment revenue | point"),
        ("What was Acme's total term debt (current + non-current) in 2023?", "current_debt + long_term_debt | point"),
    ],
)
def test_figures(question: str, meaning: str) -> None:
    assert told(read(question)) == meaning


@pytest.mark.parametrize(
    "question",
    [
        "Why did Acme's revenue fall in 2023?",
        "What drove the change in Acme's gross margin?",
        "What risks does Acme disclose about its debt?",
        "How does Acme recognize revenue?",
        "What was Acme's largest liability in 2023?",
        "Does Acme pay dividends?",
        "Describe Acme's business.",
        "What does Acme say about its capital expenditures?",
    ],
)
def test_words(question: str) -> None:
    assert told(read(question)) == "words"


def test_a_word_that_nothing_accounts_for_is_never_dropped() -> None:
    reading = read("What was Acme's revenue in the rainy season of 2023?")
    assert reading is not None
    assert [item.phrase for item in reading.items.values()] == ["rainy season"]


@pytest.mark.parametrize(
    ("turns", "meaning"),
    [
        (("What was Acme's revenue in 2023?", "And in 2022?"), "revenue | point"),
        (("What was Acme's revenue in 2023?", "What about net income?"), "net_income | point"),
        (
            ("What was Acme's net income in 2023?", "How much did it change from the year before, in percent?"),
            "net_income | growth",
        ),
        (
            ("How much did Acme spend on R&D in 2023?", "What share of revenue was that?"),
            "research_and_development / revenue | point",
        ),
        (
            ("How much did Acme spend on R&D in 2023?", "What share of revenue was that?", "And the year before?"),
            "research_and_development / revenue | point",
        ),
        (
            ("Compare Acme's and Globex's R&D expense in 2023.", "Which one spent more as a share of revenue?"),
            "research_and_development / revenue | point highest",
        ),
        (("How fast did Acme's revenue grow, in percent?", "What about Globex?"), "revenue | growth"),
    ],
)
def test_follow_ups(turns: tuple[str, ...], meaning: str) -> None:
    assert told(read(*turns)) == meaning


def test_the_share_of_the_total_is_that_of_the_part_asked_about_before() -> None:
    reading = read(
        "What was Acme's revenue in 2023?", "How much of it came from Rockets?", "What percentage of the total is that?"
    )
    assert reading is not None
    assert reading.parts[0].unit == "%"
    assert [item.label for item in reading.items.values()] == ["Rockets revenue", "revenue"]


@pytest.mark.parametrize(
    ("text", "calculation"),
    [
        ("Acme's free cash flow, i.e. cash from operations less capex", "cash from operations less capex"),
        ("Acme's free cash flow: operating cash flow - capex", "operating cash flow - capex"),
        ("Acme's net debt: all hatches plus long-term debt less cash", None),
        ("asset turnover: Acme (revenue / total assets) less Globex", "revenue / total assets"),
        ("Acme's revenue: 2024", ""),
    ],
)
def test_a_calculation_may_stand_behind_a_colon(text: str, calculation: str | None) -> None:
    assert bracket_definition(text, vocabulary().find) == calculation


@pytest.mark.parametrize(
    ("definition", "meaning"),
    [
        ("cash from operations / total current liabilities", "operating_cash_flow / current_liabilities | point"),
        (
            "FY2023 net income / (average total assets between FY2022 and FY2023)",
            "net_income / avg(total_assets, total_assets') | point",
        ),
        (
            "365 * (average accounts payable between FY2022 and FY2023) / "
            "(FY2023 COGS + change in inventory between FY2022 and FY2023)",
            "365 * avg(accounts_payable, accounts_payable') / (cost_of_revenue + (inventory - inventory')) | point",
        ),
        ("total current assets less total current liabilities", "current_assets - current_liabilities | point"),
        ("net income divided by the number of wizards", "words"),
    ],
)
def test_a_definition_in_the_question_wins(definition: str, meaning: str) -> None:
    assert told(read(f"What is Acme's FY2023 magic ratio? Magic ratio is defined as: {definition}.")) == meaning


def test_a_calculation_in_brackets_that_cannot_be_read_whole_is_not_answered_by_another() -> None:
    assert told(read("What was Acme's net debt in 2023 (total debt less cash and pet projects)?")) == "words"
    assert told(read("What was Acme's net debt in 2023 (in millions)?")) != "words"


@pytest.mark.parametrize(
    ("text", "left"),
    [("sales growth in the US", "sales growth in the US"), ("give us sales", "sales"), ("GIVE US SALES", "SALES")],
)
def test_a_country_is_no_pronoun(text: str, left: str) -> None:
    assert left_over(text, []) == left


def test_balances_at_the_years_end_in_place_of_averages() -> None:
    ending = read("Days sales outstanding for Acme in 2023 using year-end receivables")
    assert ending is not None
    assert ending.ending
    assert told(ending) == "days_sales_outstanding | point"
    in_brackets = read("Days sales outstanding for Acme in 2023 (closing receivables, 365 days)")
    assert in_brackets is not None
    assert in_brackets.ending
    plain = read("Days sales outstanding for Acme at year-end 2023")
    assert plain is not None
    assert not plain.ending


@pytest.mark.parametrize(
    ("turns", "meaning"),
    [
        (("What was Acme's R&D in 2024?", "2023?"), "research_and_development | point"),
        (("What was Acme's R&D in 2024?", "as % of revenue"), "research_and_development / revenue | point"),
    ],
)
def test_a_turn_of_few_words(turns: tuple[str, ...], meaning: str) -> None:
    assert told(read(*turns)) == meaning


def test_a_change_is_that_of_the_two_years_just_spoken_of() -> None:
    question = None
    for turn in ("What was Acme's revenue in 2024?", "and the year before?", "so what is the change in %?"):
        own = read_question(turn, HELD)
        question = own if question is None else follow(own, question)
    assert question is not None
    assert question.periods.years == (2023, 2024)
