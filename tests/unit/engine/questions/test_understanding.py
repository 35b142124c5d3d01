from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.questions.understanding import Request, Understanding, half_of, in_basis, interpret, understand
from fin_tui.errors import UsageError
from fin_tui.facts import vocabulary
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.made import filing

HELD = (filing("Acme Corp.", 2024),)


@pytest.mark.parametrize("space", ["\n", " ", "\t "])
def test_long_white_space_means_nothing(space: str) -> None:
    """Patterns that look for some would otherwise try every part of it."""
    gap = space * (7_000 // len(space))
    understood = understand(Request(f"What was Acme's{gap}revenue?", history=(gap,)), HELD, vocabulary())
    assert understood.question.companies
    assert understood.reading is not None
    assert [item.label for item in understood.reading.items.values()] == ["revenue"]


def test_a_text_too_long_for_a_question_is_refused() -> None:
    with pytest.raises(UsageError):
        understand(Request("revenue " * 2_000), HELD, vocabulary())


_CONVERSATION_HELD = tuple(
    filing(company, year, ticker=ticker)
    for company, year, ticker in (
        ("Apple Inc.", 2024, "AAPL"), ("Tesla, Inc.", 2023, "TSLA"), ("Pfizer Inc.", 2021, "PFE"), ("Boeing Co", 2022, "BA"),
    )
)  # fmt: skip


def _after(*turns: str) -> Understanding:
    frames = FrameReader(SharedEncoder())
    return understand(Request(turns[-1], history=turns[:-1]), _CONVERSATION_HELD, vocabulary(), frames=frames)


@pytest.mark.parametrize(
    "before", ["What was Apple's operating margin in 2024?", "What are the main risk factors of Apple in FY2024?"]
)
@pytest.mark.parametrize(
    "whole",
    [
        "How is Tesla doing?",
        "Compare Tesla and Pfizer",
        "Boeing vs Pfizer",
        "summarize Boeing 2022",
        "legal proceedings of Pfizer",
        "Tesla vs Pfizer R&D",
    ],
)
def test_a_question_complete_in_itself_takes_nothing_from_the_one_before(before: str, whole: str) -> None:
    alone, behind = _after(whole), _after(before, whole)
    assert behind.question == alone.question
    assert behind.frame is not None
    assert behind.frame.carried is None
    assert [one.id for one in behind.target.filings] == [one.id for one in alone.target.filings]


@pytest.mark.parametrize("follow_up", ["and for Pfizer?", "what about Tesla", "Boeing?", "compare it with Pfizer"])
def test_a_follow_up_that_names_a_company_alone_carries_the_matter_on(follow_up: str) -> None:
    behind = _after("What was Apple's operating margin?", follow_up)
    assert behind.frame is not None
    assert behind.frame.carried is not None


def test_a_rank_is_not_among_the_one_company_asked_about_before() -> None:
    assert not _after("How is Tesla doing?", "which company has the highest operating margin").question.companies


@pytest.mark.parametrize(
    "follow_up", ["how much was still available under the program at year end?", "how many shares was that?"]
)
def test_what_may_leave_its_matter_unsaid_takes_it_from_the_question_before(follow_up: str) -> None:
    behind = _after("How much did Apple spend on buying back stock in fiscal 2024?", follow_up)
    assert behind.frame is not None
    assert behind.frame.carried is not None


@pytest.mark.parametrize(
    ("question", "company"),
    [
        ("why was apples interest expense so high", "Apple Inc."),
        ("why did the pfizer / allergan merger fall through", "Pfizer Inc."),
        ("what became of the tesla / solarcity merger", "Tesla, Inc."),
    ],
)
def test_a_company_among_the_words_for_something_else_is_named(question: str, company: str) -> None:
    assert [one.name for one in _after(question).question.companies] == [company]


@pytest.mark.parametrize("question", ["what did it cost to shut that plant", "how much does it cost"])
def test_a_ticker_in_small_letters_may_be_a_word_for_a_figure(question: str) -> None:
    held = (*_CONVERSATION_HELD, filing("Acme Ovens Corp", 2021, ticker="COST"))
    asked = understand(Request(question), held, vocabulary(), frames=FrameReader(SharedEncoder())).question
    assert not asked.companies
    named = understand(Request("COST revenue"), held, vocabulary(), frames=FrameReader(SharedEncoder())).question
    assert [one.name for one in named.companies] == ["Acme Ovens Corp"]


@pytest.mark.parametrize(
    ("follow_up", "years"),
    [
        ("does tesla say who its suppliers were?", (2021,)),
        ("why does tesla call its suppliers a risk", (2021,)),
        ("why does tesla call its suppliers a risk in 2023", (2023,)),
        ("who are pfizer's suppliers?", ()),
        ("why does tesla now call its suppliers a risk", ()),
    ],
)
def test_words_of_the_company_asked_about_before_are_of_the_same_year(follow_up: str, years: tuple[int, ...]) -> None:
    held = (*_CONVERSATION_HELD, filing("Tesla, Inc.", 2021, ticker="TSLA"))
    asked = Request(follow_up, history=("how many cars did tesla make in 2021?",))
    assert understand(asked, held, vocabulary(), frames=FrameReader(SharedEncoder())).question.periods.years == years


@pytest.mark.parametrize("year", ["in 1998", "from 2021 to 2023", "in Q3 2023"])
def test_words_of_the_company_are_of_no_year_that_is_not_one_filing(year: str) -> None:
    assert not _after(f"what was tesla's revenue {year}?", "why does tesla call its suppliers a risk").question.periods.named


def test_a_rank_of_what_no_metric_counts_is_of_the_company_asked_about_before() -> None:
    asked = _after("What was Apple's operating margin in 2024?", "biggest suppliers?").question
    assert [one.name for one in asked.companies] == ["Apple Inc."]


def test_a_rank_takes_no_years_from_the_one_company_asked_about_before() -> None:
    asked = _after("Tesla 2021 vs 2023 revenue", "which company has the highest operating margin").question
    assert not asked.periods.years


@pytest.mark.parametrize(("question", "years"), [("Tesla restructuring costs", ()), ("Tesla's operating margin?", (2024,))])
def test_another_figure_of_another_company_takes_no_year(question: str, years: tuple[int, ...]) -> None:
    assert _after("What was Apple's operating margin in 2024?", question).question.periods.years == years


def test_a_company_to_compare_with_stands_beside_the_one_before() -> None:
    behind = _after("What was Apple's operating margin in 2024?", "compare it to tesla")
    assert [one.name for one in behind.question.companies] == ["Apple Inc.", "Tesla, Inc."]


def test_one_that_names_only_another_company_or_part_asks_the_same() -> None:
    asked = _after("By how many percent did Apple's iPhone sales grow in 2024?", "and Greater China?").frame
    assert asked is not None
    assert (asked.operation, asked.answer) == ("growth", "percent")
    assert "iPhone" not in asked.matter


def test_another_figure_is_asked_of_the_same_part() -> None:
    behind = _after("What was AWS operating income in 2024?", "and revenue?")
    assert behind.of_part is not None
    assert [one.label for one in behind.of_part.parts] == ["AWS revenue"]


def test_a_matter_of_its_own_is_looked_for_without_the_one_before() -> None:
    behind = _after("Apple effective tax rate 2024", "which legal proceedings matter most?")
    assert behind.question.before
    assert behind.alone is not None
    assert not behind.alone.question.before
    assert _after("What was Apple's operating margin in 2024?", "why?").alone is None


def test_a_follow_up_that_was_read_to_leave_nothing_unsaid_may_still_lean_on_the_question_before() -> None:
    behind = _after("Why did Apple shut its plant in Cork?", "what did it have to pay the landlord")
    assert behind.frame is not None
    assert behind.leaning is None  # It leans as it is.
    read = replace(behind, frame=replace(behind.frame, carried=None), question=replace(behind.question, before=""))
    assert read.leaning is not None
    assert "plant in Cork" in read.leaning.question.query
    assert _after("Why did Apple shut its plant in Cork?", "did Tesla pay a landlord?").leaning is None
    assert _after("Why did Apple shut its plant in Cork?").leaning is None


@pytest.mark.parametrize(
    "question", ["how is Tesla doing", "what are the main risks of Tesla", "Tesla revenue 2023 and 2024", "Tesla revenue in 2023"]
)
def test_another_company_behind_a_comparison_stands_by_itself(question: str) -> None:
    behind = _after("Compare Apple and Pfizer revenue", question)
    assert [one.name for one in behind.question.companies] == ["Tesla, Inc."]


def test_one_more_company_joins_a_comparison() -> None:
    behind = _after("Compare Apple and Pfizer", "and Tesla?")
    assert [one.name for one in behind.question.companies] == ["Apple Inc.", "Pfizer Inc.", "Tesla, Inc."]


@pytest.mark.parametrize("follow_up", ["Tesla R&D 2024", "goodwill Pfizer", "how many stores do they run"])
def test_a_follow_up_that_says_what_it_is_about_takes_no_matter_over(follow_up: str) -> None:
    behind = _after("What was Apple's operating margin?", follow_up)
    assert behind.frame is not None
    assert behind.frame.carried is None


@pytest.mark.parametrize("text", ["compare boing and pfizer", "Compare Pfizer and Boing"])
def test_a_slip_of_a_name_stands_beside_the_other_company_of_a_comparison(text: str) -> None:
    understood = _after(text)
    assert {one.name for one in understood.question.companies} == {"Boeing Co", "Pfizer Inc."}
    assert understood.frame is not None
    assert understood.frame.left_over == ()


def test_what_was_asked_of_a_company_is_read_without_its_name() -> None:
    """The reader may take more for a company's name than is one."""
    behind = _after("Apple wearables net sales 2024", "and the year before?")
    assert behind.frame is not None
    assert behind.frame.carried is not None
    assert [span.text for span in behind.frame.carried.companies] == ["Apple"]
    assert "wearables" in behind.frame.matter


def test_what_is_asked_of_all_companies_is_not_asked_of_the_one_before() -> None:
    assert not _after("What was Apple's revenue in 2024?", "Which company had the highest revenue in 2023?").question.companies
    assert _after("What was Apple's revenue in 2024?", "Which segment had the highest revenue?").question.companies


def test_a_figure_that_follows_an_answer_in_words_leaves_its_matter_behind() -> None:
    assert _after(
        "What are the main risk factors of Apple in FY2024?", "And its revenue?", "What about 2023?"
    ).question.before == ("And its revenue?")


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("Apple's revenue over the years", "trend"),
        ("plot Tesla's net income", "trend"),
        ("What was Apple's revenue in 2024?", "point"),
        ("Apple revenue", "point"),
    ],
)
def test_the_course_of_a_figure_is_one_over_the_years(text: str, over: str) -> None:
    reading = _after(text).reading
    assert reading is not None
    assert reading.over == over


@pytest.mark.parametrize("text", ["How much did Apple's revenue grow in 2024?", "Apple revenue growth 2024"])
def test_growth_that_is_asked_for_in_percent_is_no_amount(text: str) -> None:
    reading = _after(text).reading
    assert reading is not None
    assert reading.over == "growth"


def test_another_year_after_the_growth_of_one_asks_for_that_of_the_other() -> None:
    assert _after("Apple revenue growth 2024", "and in 2023?").question.periods.years == (2023,)
    assert _after("What was Apple's revenue in 2024?", "how much did it grow from 2022?").question.periods.years == (2022, 2024)


@pytest.mark.parametrize("between", ["should I buy Apple stock?", "what is the weather", "What was Tesla's revenue in 1990?"])
def test_a_follow_up_on_a_refusal_goes_on_from_the_turn_before_it(between: str) -> None:
    behind = _after("What was Tesla's revenue in 2023?", between, "and net income?")
    assert [one.name for one in behind.question.companies] == ["Tesla, Inc."]
    assert behind.question.periods.years == (2023,)
    assert behind.frame is not None
    assert not behind.frame.refusal


def test_what_a_refused_question_lacked_may_be_given_by_the_next() -> None:
    behind = _after("What was Tesla's revenue in 2023?", "What was Tesla's net income in 1990?", "and in 2023?")
    assert behind.reading is not None
    assert [part.label for part in behind.reading.parts] == ["net income"]
    first = _after("should I buy Tesla stock?", "what was its revenue in 2023?")
    assert [one.name for one in first.question.companies] == ["Tesla, Inc."]
    assert first.frame is not None
    assert first.frame.is_figure
    assert not first.frame.refusal


@pytest.mark.parametrize(
    ("follow_up", "years"),
    [
        ("Boeing backlog", ()),
        ("Boeing net loss", ()),
        ("what was Boeing's operating cash flow", ()),
        ("Boeing's backlog that year", (2021,)),
        ("and the backlog?", (2021,)),
    ],
)
def test_a_figure_of_the_same_company_named_anew_is_the_newest(follow_up: str, years: tuple[int, ...]) -> None:
    assert _after("Boeing gross margin 2021", follow_up).question.periods.years == years


def test_a_length_of_time_leaves_the_year_and_the_figure_as_they_were() -> None:
    asked = _after("Apple purchase obligations in 2024", "how much of that inside 12 months?")
    assert asked.question.periods.years == (2024,)
    assert asked.frame is not None
    assert [span.text for span in asked.frame.whole.targets] == ["purchase obligations"]


@pytest.mark.parametrize("operation", ["lookup", "growth"])
def test_the_year_before_is_asked_as_the_year_was(operation: str) -> None:
    first = "Pfizer sales last year" if operation == "lookup" else "Pfizer sales growth last year"
    frame = _after(first, "and the year before?").frame
    assert frame is not None
    assert frame.operation == operation


@pytest.mark.parametrize(
    "first", ["3-year revenue CAGR of Tesla", "3 year CAGR of Tesla revenue", "Tesla revenue CAGR over 3 years"]
)
def test_a_span_of_years_has_the_year_that_it_starts_from(first: str) -> None:
    (subject,) = _after(first).subjects
    assert subject.years == (2020, 2021, 2022, 2023)


def test_a_course_over_years_has_as_many() -> None:
    (subject,) = _after("Tesla revenue over the last three years").subjects
    assert subject.years == (2021, 2022, 2023)


def test_growth_over_years_of_which_the_first_is_not_held_begins_with_the_next() -> None:
    (subject,) = _after("By how much did Tesla's revenue grow over the last three years?").subjects
    assert subject.years == (2021, 2022, 2023)


def test_another_partner_takes_the_place_of_the_one_before() -> None:
    asked = _after("what % of Apple's sales was dell", "and hp?")
    assert [one.name for one in asked.question.companies] == ["Apple Inc."]
    assert (asked.question.unknown, asked.question.brands) == ((), ("hp",))
    assert "hp" in interpret(asked).figure
    assert _after("what was Apple's operating margin", "and hp?").question.unknown == ("hp",)


def _halves(*turns: str, whole: str, half: str) -> Understanding:
    asked = _after(*turns, whole)
    return half_of(asked, half, lambda one: _after(*one.history, one.question))


def test_a_half_takes_no_year_that_the_whole_leaves() -> None:
    whole = "What was Tesla's automotive revenue and why did it change?"
    assert _halves("Apple revenue 2021", whole=whole, half="What was Tesla's automotive revenue?").question.periods.years == ()


def test_a_half_is_of_the_year_and_the_company_of_the_whole() -> None:
    half = _halves(whole="What was Tesla's revenue and why did it fall in 2022?", half="What was revenue?")
    assert [one.company for one in half.subjects] == ["Tesla, Inc."]
    assert half.subjects[0].years == (2022,)
    own = _halves(whole="What was Tesla's revenue in 2023 and why did it fall in 2022?", half="What was Tesla's revenue in 2023?")
    assert own.subjects[0].years == (2023,)


def test_a_rank_of_parts_is_of_the_company_asked_about_before() -> None:
    asked = _after("How is Tesla doing?", "which segment has the highest operating margin").question
    assert [one.name for one in asked.companies] == ["Tesla, Inc."]


def test_an_average_that_is_printed_is_none_over_years() -> None:
    printed, of_years = _after("Apple average price paid per share in 2024"), _after("Apple average revenue 2022 to 2024")
    assert printed.reading is None or printed.reading.over == "point"
    assert of_years.reading is not None
    assert of_years.reading.over == "average"


def test_what_stands_before_a_ticker_in_brackets_is_of_that_company() -> None:
    asked = _after("Gigafactory Zeta (TSLA) headcount").question
    assert ([one.name for one in asked.companies], asked.unknown) == (["Tesla, Inc."], ())


def test_next_year_is_the_year_behind_the_one_asked_about() -> None:
    assert _after("Tesla's tax rate in 2022", "and what rate do they see next year?").question.periods.years == (2023,)


def test_what_falls_due_in_a_later_year_leaves_the_conversation_where_it_was() -> None:
    first, due = "Boeing notes payable 2022", "how much of them matures in 2025"
    asked = _after(first, due).question
    assert asked.basis is not None
    assert (asked.periods.years, asked.basis.years) == ((2025,), (2022,))
    later = _after(first, due, "share of the total?")
    assert later.question.basis is not None
    assert (later.question.periods.years, later.question.basis.years) == ((2025,), (2022,))
    back = in_basis(later)
    assert (back.question.periods.years, back.question.basis) == ((2022,), None)
    assert [one.fiscal_year for one in back.target.filings] == [2022]
    assert _after(first, "and in 2021?").question.basis is None
    assert _after(first, "Tesla revenue 2023").question.basis is None


def test_growth_that_is_asked_for_in_dollars_is_an_amount() -> None:
    in_dollars, in_percent = _after("Apple revenue growth 2024 in dollars"), _after("Apple revenue growth 2024")
    assert in_dollars.reading is not None
    assert in_percent.reading is not None
    assert (in_dollars.reading.over, in_percent.reading.over) == ("change", "growth")


@pytest.mark.parametrize(
    ("turns", "since"),
    [
        (("what was apple's revenue?", "and its gross margin?"), 1),
        (("what was apple's revenue?", "and its gross margin?", "what was tesla's net income in 2023?", "per share?"), 3),
        (("what was apple's revenue?", "and tesla?"), 1),
        (("what was apple's revenue?", "how many plants does boeing own?", "and leased?"), 2),
        (("what was apple's revenue?", "should i sell tesla?", "and in 2023?"), 1),
        (("should i buy tesla?", "and its net income?"), 1),
    ],
)
def test_a_conversation_begins_anew_with_another_company(turns: tuple[str, ...], since: int) -> None:
    assert _after(*turns).since == since


def test_what_falls_due_later_is_told_by_the_filing_that_the_conversation_is_about() -> None:
    held = (filing("Acme Corp.", 2020), filing("Acme Corp.", 2022))
    frames = FrameReader(SharedEncoder())
    turns = ("acme's rent in 2020?", "what debt is due in 2025?")
    asked = understand(Request(turns[-1], history=turns[:-1]), held, vocabulary(), frames=frames)
    assert [one.fiscal_year for one in asked.target.filings] == [2020]
    assert asked.target.beyond == (2025,)
    alone = understand(Request("how much debt of acme is due in 2025?"), held, vocabulary(), frames=frames)
    assert [one.fiscal_year for one in alone.target.filings] == [2022]
