from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.frame.reader import Frame, FrameReader
from fin_tui.engine.questions.periods import Periods
from fin_tui.engine.questions.question import follow, read_question
from fin_tui.engine.questions.target import Target, find_target, in_own_years, subjects
from fin_tui.engine.questions.wanted import Reading
from fin_tui.records import Scope
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.made import filing

ACME = [filing("Acme Corp.", year) for year in (2021, 2022, 2024)]
GLOBEX = [filing("Globex Inc.", year, ticker="GBX") for year in (2023, 2024)]
FRAMES = FrameReader(SharedEncoder())
HELD = [*ACME, *GLOBEX]


def target(question: str, scope: Scope | None = None) -> Target:
    return find_target(read_question(question, HELD), scope or Scope(), HELD)


def labels(question: str, scope: Scope | None = None) -> list[str]:
    return [f"{one.company} {one.fiscal_year}" for one in target(question, scope).filings]


def test_a_year_means_the_filing_of_that_year() -> None:
    assert labels("What was Acme's revenue in 2022?") == ["Acme Corp. 2022"]


def test_a_year_without_a_filing_is_covered_by_a_later_one() -> None:
    assert labels("What was Acme's revenue in fiscal 2023?") == ["Acme Corp. 2024"]
    assert labels("What was Globex's revenue in 2021?") == ["Globex Inc. 2023"]


def test_without_a_year_the_latest_filing_answers() -> None:
    assert labels("What are Acme's risks?") == ["Acme Corp. 2024"]


def test_each_company_and_year_gets_a_search_of_its_own() -> None:
    found = target("Compare Acme and Globex in 2024")
    assert [scope.filings for scope in found.scopes] == [("Acme Corp.-2024-10-K",), ("Globex Inc.-2024-10-K",)]


def test_a_year_that_nothing_covers_may_be_told_of_by_the_filing_before_or_after_it() -> None:
    held = [filing("Acme Corp.", year) for year in (2010, 2024)]

    def found(question: str) -> Target:
        return find_target(read_question(question, held), Scope(), held)

    assert (found("Acme's payments due in 2014").label, found("Acme's payments due in 2014").beyond) == (
        "Acme Corp. FY2010",
        (2014,),
    )
    assert found("Acme's dividend in fiscal 2020").label == "Acme Corp. FY2024"
    assert found("Acme's dividend in fiscal 2017").missing


def test_a_period_that_nothing_covers_is_missing() -> None:
    found = target("What was Acme's revenue in fiscal 2009?")
    assert found.filings == ()
    assert found.missing == ("Acme Corp. FY2009 (in the library: FY2021, FY2022, FY2024)",)
    assert not found.future


def test_a_period_after_all_filings_is_in_the_future() -> None:
    assert target("What was Acme's revenue in fiscal 2031?").future


def test_the_users_scope_is_never_widened() -> None:
    scope = Scope(filings=("Acme Corp.-2021-10-K",))
    assert labels("What are Acme's risks in 2024?", scope) == ["Acme Corp. 2021"]
    assert labels("What are the risks?", scope) == ["Acme Corp. 2021"]


def test_a_question_without_company_or_year_asks_all() -> None:
    assert len(target("What are the main risks?").filings) == len(HELD)


def test_a_date_finds_the_filing_that_ends_on_it() -> None:
    assert labels("What was Globex's revenue for the year ended December 31, 2023?") == ["Globex Inc. 2023"]


def test_an_amendment_answers_only_alone() -> None:
    amended = filing("Acme Corp.", 2024, form="10-K/A")
    found = find_target(read_question("Acme's risks in 2024?", HELD), Scope(), [*HELD, amended])
    assert [one.form for one in found.filings] == ["10-K"]


def test_a_follow_up_keeps_what_it_does_not_replace() -> None:
    first = read_question("What was Acme's revenue in 2022?", HELD)
    second = follow(read_question("And in 2021?", HELD), first)
    assert second.periods.years == (2021,)
    assert [named.name for named in second.companies] == ["Acme Corp."]
    assert "revenue" in second.query
    third = follow(read_question("What about Globex's goodwill impairment testing?", HELD), second)
    assert [named.name for named in third.companies] == ["Globex Inc."]
    assert "revenue" not in third.query


def test_what_a_filing_says_of_the_years_after_it_is_in_the_latest() -> None:
    assert labels("What capital expenditures does Acme expect for fiscal 2025?") == ["Acme Corp. 2024"]
    assert labels("How much of Acme's debt matures in 2027?") == ["Acme Corp. 2024"]
    assert target("What does Acme expect for fiscal 2025?").missing == ()


def test_a_later_year_is_one_that_the_latest_filing_may_tell_of() -> None:
    assert target("What was Acme's revenue in fiscal 2025?").beyond == (2025,)
    assert target("What was Acme's revenue in fiscal 2024?").beyond == ()


def test_a_year_far_ahead_may_be_what_something_in_the_latest_filing_is_called_by() -> None:
    found = target("What is the coupon of Acme's notes due 2041?")
    assert (found.label, found.beyond, found.missing, found.future) == ("Acme Corp. FY2024", (2041,), (), True)
    of_all = target("What is the coupon of the notes due 2041?")
    assert (len(of_all.filings), of_all.beyond, of_all.missing, of_all.future) == (len(HELD), (2041,), (), True)


def test_words_of_a_year_long_before_are_looked_for_in_the_first_filing_after_it() -> None:
    read = read_question("What were the terms of Acme's 2009 tower deal?", HELD)
    found = find_target(read, Scope(), HELD, in_words=True)
    assert (found.label, found.beyond, found.missing) == ("Acme Corp. FY2021", (2009,), ())
    assert find_target(read, Scope(), HELD).missing


def years_of(question: str, *then: str) -> list[tuple[str, tuple[int, ...]]]:
    """The years asked of each company."""
    read = read_question(question, HELD)
    for text in then:
        read = follow(read_question(text, HELD), read)
    return [(named.name, read.periods_of(named.name).years) for named in read.companies]


def test_years_behind_a_company_are_asked_of_it_alone() -> None:
    each = [("Acme Corp.", (2021, 2022)), ("Globex Inc.", (2023, 2024))]
    assert years_of("Revenue of Acme FY2021-2022 and Globex FY2023-2024") == each
    assert years_of("Compare the 2021-2022 revenue of Acme with the 2023-2024 revenue of Globex") == each
    assert years_of("Revenue of Acme FY2021-2022 and Globex FY2023-2024", "And net income?") == each


def test_years_named_once_are_asked_of_all() -> None:
    both = [("Acme Corp.", (2023, 2024)), ("Globex Inc.", (2023, 2024))]
    assert years_of("Revenue of Acme and Globex in 2023 and 2024") == both
    assert years_of("In 2023-2024, how did Acme compare with Globex?") == both
    assert years_of("Revenue of Acme in 2021 and Globex in 2022", "And in 2023-2024?") == both


def test_each_company_is_looked_for_in_its_own_years() -> None:
    assert labels("Revenue of Acme in 2021 and of Globex in 2023") == ["Acme Corp. 2021", "Globex Inc. 2023"]


def test_what_happened_soon_after_the_year_is_told_by_its_filing() -> None:
    assert labels("What did Acme buy in January 2025?") == ["Acme Corp. 2024"]
    assert labels("What did Acme buy on March 3, 2025?") == ["Acme Corp. 2024"]
    assert target("What did Acme buy on March 3, 2025?").beyond == ()
    assert target("What did Acme buy in June 2025?").beyond == (2025,)
    assert labels("What happened in January 2025?") == []


def test_a_year_that_something_changed_from_stands_beside_the_year_asked_about() -> None:
    first = read_question("What was Acme's revenue in 2022?", HELD)
    for text in ("Why did it fall from 2021?", "How did that change versus fiscal 2021?"):
        assert follow(read_question(text, HELD), first).periods.years == (2021, 2022)
    for text in ("Why did it fall in 2021?", "And from 2021?", "Why did it fall from 2023?"):
        assert len(follow(read_question(text, HELD), first).periods.years) == 1


def test_a_follow_up_that_asks_for_growth_is_of_the_two_years_before_it_however_it_is_worded() -> None:
    first = read_question("What was Acme's revenue in 2021?", HELD)
    second = follow(read_question("and in 2022?", HELD), first)
    text = "up by what percent?"
    frame = Frame(text, (), (), (), (), "growth", "percent", "", (), {})
    assert follow(read_question(text, HELD), second, frame).periods.years == (2021, 2022)
    assert follow(read_question(text, HELD), second, replace(frame, operation="lookup")).periods.years == (2022,)


def test_companies_set_side_by_side_in_years_that_one_has_none_of_are_asked_about_in_their_own_latest() -> None:
    first = read_question("What was Acme's revenue in 2020?", HELD)
    own = read_question("Acme vs Globex net income", HELD)
    assert in_own_years(follow(own, first), own, HELD, leans=True).periods == Periods()
    said = read_question("Acme vs Globex net income in 2020", HELD)
    assert in_own_years(follow(said, first), said, HELD, leans=True).periods.years == (2020,)
    covered = read_question("What was Acme's revenue in 2024?", HELD)
    assert in_own_years(follow(own, covered), own, HELD, leans=True).periods.years == (2024,)


def test_a_year_in_which_something_falls_due_is_none_that_the_next_question_is_about() -> None:
    first = read_question("How much of Acme's debt is due in 2031?", HELD)
    own = read_question("its interest coverage?", HELD)
    assert in_own_years(follow(own, first), own, HELD, leans=False).periods == Periods()
    assert in_own_years(follow(own, first), own, HELD, leans=True).periods.years == (2031,)
    same = read_question("its rent that same year?", HELD)
    assert in_own_years(follow(same, first), same, HELD, leans=False).periods.years == (2031,)
    covered = read_question("What was Acme's debt in 2024?", HELD)
    assert in_own_years(follow(own, covered), own, HELD, leans=False).periods.years == (2024,)


def test_what_a_follow_up_repeats_and_what_it_asks_anew() -> None:
    first = read_question("Is Acme's business seasonal?", HELD)
    other = follow(read_question("What about Globex?", HELD), first)
    assert other.query == other.nameless == "Is business seasonal?"
    before = FRAMES.read("What about Globex?", FRAMES.read("Is Acme's business seasonal?"))
    text = "And how many people did they employ?"
    asked = follow(read_question(text, HELD), other, FRAMES.read(text, before))
    assert asked.query == text
    assert [named.name for named in asked.companies] == ["Globex Inc."]
    assert follow(read_question("Since when?", HELD), first).query.startswith("Is  business seasonal?")


def test_what_a_reason_is_asked_of_is_the_part_that_the_turn_before_moved_to() -> None:
    texts = ("What were Acme's net sales in Europe in 2022?", "And in Japan?", "Why did they fall?")
    frame: Frame | None = None
    asked = None
    for text in texts:
        frame, own = FRAMES.read(text, frame), read_question(text, HELD)
        asked = own if asked is None else follow(own, asked, frame)
    assert asked is not None
    assert "Japan" in asked.query
    assert "Europe" not in asked.query


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("How does Globex describe competition?", True),
        ("Why does Globex restructure?", True),
        ("How did Globex's change?", False),
        ("How does Globex compare?", False),
        ("How does that affect Globex?", False),
    ],
)
def test_a_question_that_names_company_and_matter_is_no_follow_up(question: str, is_whole: bool) -> None:
    first = "What does Acme say about its outsourcing partners?"
    frame = FRAMES.read(question, FRAMES.read(first))
    assert (follow(read_question(question, HELD), read_question(first, HELD), frame).before == "") is is_whole


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("only 2022", (2022,)), ("just 2022 and 2023", (2022, 2023)), ("and in 2020?", (2020, 2021, 2022, 2023, 2024)),
        ("2023 to 2026?", (2023, 2024, 2025, 2026)),
    ],
)  # fmt: skip
def test_some_of_the_years_asked_about_before_leave_the_others_out(text: str, years: tuple[int, ...]) -> None:
    first = "Acme revenue 2021 to 2024"
    before = FRAMES.read(first)
    frame = FRAMES.read(text, before)
    assert before.operation == "trend"
    assert follow(read_question(text, HELD), read_question(first, HELD), frame).periods.years == years


def test_a_year_that_filings_show_beside_their_own_is_held_of_all_companies() -> None:
    held = (filing("Acme Corp.", 2024), filing("Globex Inc.", 2024, ticker="GBX"))

    def found(question: str) -> int:
        return len(find_target(read_question(question, held), Scope(), held).filings)

    assert [found(f"Which company had the highest revenue in {year}?") for year in (2024, 2023, 2019)] == [2, 2, 0]


@pytest.mark.parametrize(
    ("years", "course"),
    [
        ((2020, 2021, 2022, 2023, 2024), (2020, 2021, 2022, 2023, 2024)),
        ((2018, 2023, 2024), (2022, 2023, 2024)),  # What a newest filing prints beside its own year.
        (tuple(range(2005, 2025)), tuple(range(2015, 2025))),
    ],
)
def test_a_course_without_years_has_those_with_filings_one_after_the_other(
    years: tuple[int, ...], course: tuple[int, ...]
) -> None:
    held = [filing("Acme Corp.", year) for year in years]
    question = read_question("Acme's revenue over the years", held)
    (found,) = subjects(question, Reading((), {}, over="trend"), find_target(question, Scope(), held), Scope(), held)
    assert found.years == course


@pytest.mark.parametrize(
    ("question", "years", "filings"),
    [
        ("Acme 10-K for 2021: rent due in 2024", (2024,), [2021]),
        ("Acme's FY2021 10-K, rent due in 2024", (2024,), [2021]),
        ("Acme's revenue 2021 (10-K for 2022)", (2021,), [2022]),
        ("Acme's 2024 10-K: revenue of 2001", (2001,), [2021, 2022, 2024]),  # That filing doesn't tell of it.
    ],
)
def test_what_is_asked_of_a_filing_is_looked_for_there(question: str, years: tuple[int, ...], filings: list[int]) -> None:
    read = read_question(question, HELD)
    (found,) = subjects(read, Reading((), {}), find_target(read, Scope(), HELD), Scope(), HELD)
    assert (found.years, [one.fiscal_year for one in found.filings]) == (years, filings)


@pytest.mark.parametrize(
    ("text", "companies"), [("rank its segments by revenue", 1), ("list all companies by revenue, the largest first", 0)]
)
def test_a_rank_of_parts_stays_with_the_company(text: str, companies: int) -> None:
    frame = replace(FRAMES.read(text), operation="rank", answer="list")
    asked = follow(read_question(text, HELD), read_question("Acme revenue in 2023", HELD), frame)
    assert len(asked.companies) == companies


def test_a_list_of_years_is_compared_with_the_one_asked_about_before() -> None:
    first, text = "Acme revenue in 2024", "how does that compare with 2022 and 2021?"
    before = FRAMES.read(first)
    frame = replace(FRAMES.read(text, before), operation="compare")
    assert follow(read_question(text, HELD), read_question(first, HELD), frame).periods.years == (2021, 2022, 2024)
