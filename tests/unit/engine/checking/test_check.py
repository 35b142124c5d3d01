from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from fin_tui.engine.checking import Checked
from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.checking.passages import Passages, SentenceMatch
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.facts import vocabulary
from fin_tui.records import Filing, Hit, Scope
from tests.unit.engine.checking.check_book import ACME, FIGURES, checker
from tests.unit.engine.made import hit


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]


def checked(text: str, scope: Scope | None = None) -> Checked:
    return checker(FIGURES).check(text, scope)


def statuses(text: str) -> list[str]:
    return [number.status for statement in checked(text).statements for number in statement.numbers]


@pytest.mark.parametrize(
    "text",
    [
        "In fiscal 2024, Acme reported total revenue of $125 billion.",
        "Acme's revenue was $125,000 million in fiscal 2024.",
        "Acme's revenue was $125.0B in FY24.",
        "Acme's revenue for the year ended December 31, 2024 was $125.0 billion.",
        "Acme generated $125 billion in sales in 2024.",
        "Acme's revenue was approximately $130 billion in 2024.",
        "Acme's revenue exceeded $120 billion in 2024.",
        "Acme's revenue was between $120 billion and $130 billion in 2024.",
        "Acme's diluted earnings per share was $1.62 in fiscal 2024.",
        "In 2024 Acme earned $6.5 billion, or $1.62 per diluted share.",
        "Acme's effective tax rate was 14.7% in fiscal 2024.",
        "Acme posted a net loss of $2.0 billion in 2022.",
        "Acme lost $2.0 billion in 2022.",
        "Acme burned $1.5 billion of cash from operating activities in 2024.",
        "Acme's net income was negative $2.0 billion in 2022.",
        "Acme's net income was $(2.0) billion in 2022.",
        "Cash used in operating activities was $1.5 billion at Acme in 2024.",
        "Acme's net cash from operating activities was -$1.5 billion in 2024.",
        "Acme bought back $4.2 billion of its common stock and paid $1.1 billion in dividends in 2024.",
        "Acme had 3.99 billion diluted shares in 2024.",
        "Acme's Widgets revenue was $75.0 billion in 2024.",
        "In 2024, Acme earned revenue of $75 billion from Widgets.",
        "Acme's advances to suppliers were $777 million in 2024.",
    ],
)
def test_a_true_figure_is_supported(text: str) -> None:
    assert set(statuses(text)) == {"supported"}, checked(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("In fiscal 2024, Acme reported total revenue of $152 billion.", "otherwise"),
        ("In fiscal 2024, Acme reported total revenue of $12.5 billion.", "scale"),
        ("In fiscal 2024, Acme reported total revenue of $125 million.", "scale"),
        ("In fiscal 2024, Acme reported total revenue of negative $125 billion.", "sign"),
        ("In fiscal 2024, Acme reported total revenue of $100.0 billion.", "FY2023's figure"),
        ("In fiscal 2024, Acme reported total revenue of $12,345 million.", "Bolt Works Inc.'s figure"),
        ("Acme's net income was $2.0 billion in 2022.", "sign"),
        ("Acme posted a net loss of $8.0 billion in 2023.", "sign"),
        ("Acme lost $8.0 billion in 2023.", "sign"),
        ("Acme's revenue exceeded $140 billion in 2024.", "otherwise"),
        ("Acme's Widgets revenue was $57 billion in 2024.", "otherwise"),
        ("Acme's diluted earnings per share was $1.26 in fiscal 2024.", "otherwise"),
    ],
)
def test_a_false_figure_is_contradicted_and_it_says_what_is_wrong(text: str, why: str) -> None:
    ((number,),) = [statement.numbers for statement in checked(text).statements]
    assert number.status == "contradicted"
    assert why in number.why
    assert number.found is not None
    assert {"concept", "value", "unit", "period_end", "source", "filing", "file", "page"} <= set(number.found)


def test_another_companys_figure_is_seen_where_the_own_is_not_held() -> None:
    ((number,),) = [s.numbers for s in checked("In 2024, Acme's share-based compensation expense was $432.1 million.").statements]
    assert (number.status, "Bolt Works Inc.'s FY2024 figure" in number.why) == ("contradicted", True)
    assert statuses("In 2024, Acme's share-based compensation expense was $432.7 million.") == ["unknown"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acme's revenue rose from $100.0 billion in 2023 to $125.0 billion in 2024.", ["supported"] * 2),
        ("Acme's revenue rose from $125.0 billion in 2023 to $100.0 billion in 2024.", ["contradicted"] * 2),
        ("Acme's revenue rose 25% to $125.0 billion in 2024.", ["supported"] * 2),
        ("Acme's revenue fell 25% to $125.0 billion in 2024.", ["contradicted", "supported"]),
        ("Acme's 2024 revenue was $125.0 billion, up 25% from $100.0 billion a year earlier.", ["supported"] * 3),
        ("Acme's revenue in 2024 and 2023 was $125.0 billion and $100.0 billion, respectively.", ["supported"] * 2),
        ("Acme's revenue and net income were $125.0 billion and $6.5 billion in 2024.", ["supported"] * 2),
        ("Acme's R&D rose $2.0 billion, or 25%, to $10.0 billion in 2024.", ["supported"] * 3),
        ("Acme's R&D doubled from 2022 to 2024.", ["supported"]),
        ("Acme's R&D more than doubled from 2022 to 2023.", ["contradicted"]),
        ("Acme's R&D doubled from 2022 to 2023.", ["contradicted"]),
        ("Acme's gross profit doubled from 2022 to 2024.", ["supported"]),
        ("Acme's gross profit more than doubled from 2022 to 2024.", ["contradicted"]),
        ("Acme's EPS was $1.75 in 2024.", ["supported"]),
        ("Acme's EPS was $1.62 in 2024.", ["supported"]),
        ("Acme's diluted EPS was $1.75 in 2024.", ["contradicted"]),
        ("On a diluted basis, Acme's EPS was $1.75 in 2024.", ["contradicted"]),
        ("Acme's basic EPS was $1.62 in 2024.", ["contradicted"]),
        ("Acme's revenue grew at a CAGR of 25.0% from 2022 to 2024.", ["supported"]),
        ("Acme's R&D was 8% of revenue in 2024.", ["supported"]),
        ("Acme's R&D was 9% of revenue in 2024.", ["contradicted"]),
        ("Widgets accounted for 60% of Acme's revenue in 2024.", ["supported"]),
        ("Acme's gross margin was 44.0% in 2024, compared with 40.0% in 2023.", ["supported"] * 2),
        ("Acme's gross margin was 44.0% in 2024, up from 40.0% in 2023.", ["supported"] * 2),
        ("Acme's gross margin was 44.0%, up from 40.0% in 2023.", ["supported"] * 2),
        ("Acme ended 2024 with $300.5 billion of total assets and $125.0 billion in sales.", ["supported"] * 2),
        ("Acme's gross margin expanded by 400 basis points in 2024.", ["supported"]),
        ("Acme's gross margin expanded by 4.0 percentage points in 2024.", ["supported"]),
        ("Acme's gross margin was $55.0 billion in 2024.", ["supported"]),
        ("Acme's net income increased to $6.46 billion in 2024.", ["contradicted"]),
        ("Acme's revenue of $125.0 billion compares with $12.3 billion at Bolt Works in 2024.", ["supported"] * 2),
    ],
)
def test_changes_shares_and_comparisons(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected, checked(text)


def test_a_company_that_is_not_held_is_never_taken_for_the_one_that_is() -> None:
    only = checker(FIGURES, held=ACME)
    for text in ("In fiscal 2024, Zenith reported revenue of $125 billion.", "Zenith's revenue was $125 billion in 2024."):
        assert only.check(text).status == "unknown"
    swapped = only.check("In fiscal 2023, Zenith reported revenue of $100,040 million.")
    assert swapped.status == "contradicted"
    assert "Acme Corp.'s FY2023 figure" in swapped.statements[0].numbers[0].why


def test_a_part_of_a_company_may_be_the_subject() -> None:
    assert statuses("Acme did well in 2024. Widgets posted revenue of $75 billion.") == ["supported"]
    assert statuses("Acme did well in 2024. Widgets posted revenue of $57 billion.") == ["contradicted"]


@pytest.mark.parametrize(
    "text",
    [
        "In the fourth quarter of 2024, Acme's revenue was $33 billion.",
        "Acme expects revenue of $140 billion in 2024.",
        "Acme's adjusted net income was $9 billion in 2024.",
        "Acme's revenue was not $140 billion in 2024.",
        "Toyota's net income was $31 billion in 2024.",
        "Acme's net income was $6.46 billion in 2019.",
        "Acme's Gadgets revenue was $3 billion in 2024.",
        "Acme opened 14 factories in 2024.",
        "Acme's net income, including a tax benefit of $3.3 billion, pleased investors in 2024.",
        "Acme's revenue was $125,000,400,001 in 2019.",
    ],
)
def test_what_cannot_be_told_is_unknown_with_a_reason(text: str) -> None:
    result = checked(text)
    assert result.status == "unknown"
    assert all(number.why for statement in result.statements for number in statement.numbers)


def test_words_of_the_text_are_quoted_in_a_reason_without_control_characters() -> None:
    result = checked("Acme's Gad\x07gets revenue was $3 billion in 2024.")
    assert result.statements[0].numbers[0].why.startswith("No “Gadgets revenue” of Acme")


def test_a_memo_carries_company_year_and_figure_on() -> None:
    memo = (
        "# Acme, fiscal 2024\n\nRevenue was $125.0 billion. It grew 25%.\nNet income fell 19% to $6.46 billion.\n\n"
        "In 2023 it was $8.0 billion."
    )
    result = checked(memo)
    assert [number.status for statement in result.statements for number in statement.numbers] == ["supported"] * 5
    assert result.status == "supported"


def test_a_number_of_few_digits_is_not_taken_for_another_companys_figure() -> None:
    (statement,) = checked("In fiscal 2024, Acme reported net income of $1.5 billion.").statements
    assert statement.numbers[0].status == "contradicted"
    assert "Bolt" not in statement.numbers[0].why


def test_a_year_carried_from_another_company_never_contradicts() -> None:
    assert statuses("Bolt Works earned $1.5 billion in 2024. Acme's net income was $8.0 billion.") == ["supported", "supported"]
    assert statuses("Bolt Works earned $1.5 billion in 2024. Acme's net income was $8.3 billion.") == ["supported", "unknown"]


def test_its_figure_may_be_of_any_company_of_the_sentence_before() -> None:
    before = "Bolt Works earned $1.5 billion in 2024, while Acme earned $8.0 billion in 2023. "
    assert statuses(f"{before}Its revenue was $12.3 billion.") == ["supported"] * 3
    assert statuses(f"{before}Its revenue was $100.0 billion.") == ["supported"] * 3
    assert statuses(f"{before}Its revenue was $77.0 billion.") == ["supported", "supported", "unknown"]
    assert statuses(f"{before}Acme's revenue was $77.0 billion in 2023.") == ["supported", "supported", "contradicted"]


def test_a_name_that_reports_is_another_company_and_a_phrase_is_none() -> None:
    before = "Acme earned $8.0 billion in 2023. "
    assert statuses(f"{before}As reported, revenue was $100.0 billion.") == ["supported"] * 2
    assert statuses(f"{before}Zenith Labs said its revenue was $100.0 billion.") == ["supported", "unknown"]
    assert statuses(f"{before}In that year, Zenith reported revenue of $100.0 billion.") == ["supported", "unknown"]


@pytest.mark.parametrize("amount", ["€125 billion", "EUR 125 billion", "125 billion euros", "¥125 billion", "C$125 billion"])
def test_an_amount_of_another_currency_is_no_amount_of_dollars(amount: str) -> None:
    ((number,),) = [one.numbers for one in checked(f"Acme's revenue was {amount} in 2024.").statements]
    assert number.status == "unknown"
    assert "exchange rates" in number.why


@pytest.mark.parametrize("amount", ["$125 billion", "US$125 billion", "USD 125 billion", "125 billion dollars"])
def test_dollars_by_any_name_are_dollars(amount: str) -> None:
    assert statuses(f"Acme's revenue was {amount} in 2024.") == ["supported"]


def test_the_year_that_a_change_is_measured_from_is_not_that_of_the_next_figure() -> None:
    text = "Acme's revenue was $125 billion in 2024, an increase of 25% on the year before, and net income was $6.46 billion."
    assert statuses(text) == ["supported"] * 3


def test_a_row_named_behind_a_comma_is_told_of_by_the_next_number() -> None:
    rows = {("Acme Corp.", "Net income", year): FIGURES["Acme Corp.", "net_income", year] for year in (2023, 2024)}
    text = "Acme's revenue was $125 billion in 2024, an increase of 5% on the year before, and net income was $6.46 billion."
    _, change, income = checker(FIGURES, rows=rows).check(text).statements[0].numbers
    assert change.status == "contradicted"
    assert "24.95%" in change.why
    assert income.status == "supported"


def test_a_scope_says_whose_year_is_meant() -> None:
    scope = Scope(companies=(ACME[0].company_key,), fiscal_years=(2023,))
    assert checked("Revenue was $100.0 billion.", scope).status == "supported"
    assert checked("Revenue was $125.0 billion.", scope).status == "contradicted"


def test_one_wrong_number_makes_the_text_wrong_and_none_makes_it_unknown() -> None:
    assert checked("Acme's revenue was $125 billion in 2024. Its net income was $9 billion in 2024.").status == "contradicted"
    assert checked("Acme makes widgets.").status == "unknown"
    assert checked("Acme's revenue was $125 billion in 2024. It opened 14 factories.").status == "unknown"


def test_a_table_is_read_cell_by_cell() -> None:
    table = (
        "## Acme (in billions)\n\n| | FY2024 | FY2023 |\n|---|---|---|\n| Revenue | $125.0 | $100.0 |\n"
        "| Gross margin | 44.0% | 41.0% |"
    )
    assert statuses(table) == ["supported", "supported", "supported", "contradicted"]


@pytest.mark.parametrize(
    ("stated", "printed", "status"),
    [
        ("$4.22 billion", "$4.22 billion", "supported"),  # The prose states it otherwise than the statements, by 0.5 %.
        ("$5.00 billion", "$5.00 billion", "contradicted"),  # So far off, it is another figure.
        ("$4.22 billion", "", "contradicted"),
    ],
)
def test_prose_that_states_a_number_near_the_statements_supports_it(stated: str, printed: str, status: str) -> None:
    class Prose:
        def states(self, claim: Claim, statement: str, filings: Sequence[Filing]) -> SentenceMatch | None:
            number = next(iter(find_numbers(printed)), None)
            return SentenceMatch(hit(printed), printed, number, agrees=True) if number is not None else None

    told = checker(FIGURES, passages=Prose())  # type: ignore[arg-type]
    checked = told.check(f"Acme repurchased {stated} of its common stock in 2024.")
    assert [number.status for statement in checked.statements for number in statement.numbers] == [status]


@pytest.mark.parametrize(
    ("stated", "status"),
    [
        ("total revenue of $125.9 billion", "contradicted"),  # The sentence tells another number of it.
        ("net sales of $125.9 billion", "supported"),
    ],
)
def test_a_number_that_prose_tells_of_another_figure_is_not_supported_by_it(stated: str, status: str) -> None:
    prose = "In fiscal 2024 we generated total revenues of $125.0 billion, primarily comprised of net sales of $125.9 billion."

    class Prose:
        def search(self, query: str, scope: Scope, **_: object) -> Found:
            return Found((hit(prose, of=ACME[1]),))

    told = checker(FIGURES, passages=Passages(Prose(), vocabulary()))  # type: ignore[arg-type]
    checked = told.check(f"In fiscal 2024, Acme generated {stated}, primarily comprised.")
    assert [number.status for statement in checked.statements for number in statement.numbers] == [status]


def test_a_clause_behind_a_semicolon_tells_of_its_own_company_and_year() -> None:
    text = "In fiscal 2024 Globex earned $1 billion; Acme lost $2.0 billion in 2022 on revenue of {}."
    _, loss, revenue = checked(text.format("$81.0 billion")).statements[0].numbers
    assert loss.status == "supported"
    assert (revenue.status, "FY2022" in revenue.why) == ("contradicted", True)


def test_an_amount_in_another_scale_is_wrong_without_a_year() -> None:
    assert statuses("Acme's revenue of $125 million was a record.") == ["contradicted"]
    assert statuses("Acme's revenue of $125 billion was a record.") == ["supported"]
    assert statuses("Acme's revenue of $312 million was a record.") == ["unknown"]
