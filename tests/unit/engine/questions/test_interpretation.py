"""What was understood is told in a line, and its parts can be changed."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from fin_tui.engine.answering.refusal import beyond_scope, refuse_scope
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.interpretation import Interpretation, asked_anew
from fin_tui.engine.questions.question import by_frame, read_question
from fin_tui.engine.questions.understanding import Understanding, interpret
from fin_tui.records import Scope
from tests.unit.engine.figures.book import HELD, understood
from tests.unit.engine.made import filing

ACME = HELD[0]
ACMES = read_question("Acme?", HELD).companies


def _frame(text: str, company: str = "", period: str = "", target: str = "", operation: str = "lookup") -> Frame:
    def spans(words: str) -> tuple[Span, ...]:
        at = text.find(words)
        return (Span(words, at, at + len(words)),) if words else ()

    sure = {"figure": 0.9, "operation": 0.9, "answer": 0.9, "refusal": 0.0}
    return Frame(text, spans(company), spans(period), spans(target), (), operation, "money", "", (), sure)


def _read(text: str, frame: Frame, scope: Scope | None = None) -> Understanding:
    return replace(understood(text, scope=scope), frame=frame)


def test_company_period_and_figure_stand_in_a_line() -> None:
    text = "How much did Acme's revenue grow in 2024?"
    told = interpret(_read(text, _frame(text, "Acme", "2024", "revenue", "growth")))
    assert told.line == "Acme · FY2024 · revenue, growth"
    assert not told.slips


def test_a_slip_in_a_company_is_told() -> None:
    text = "what was globbex revenue?"
    frame = _frame(text, "globbex", "", "revenue")
    asked = replace(understood(text), frame=frame, question=by_frame(read_question(text, HELD), frame, HELD))
    assert interpret(asked).slips == "globbex → Globex"


@pytest.mark.parametrize(
    ("text", "named"), [("acme globex zenith rent", 3), ("acme globex rent, zenith", 1), ("rent acme, globex and zenith", 3)]
)
def test_companies_next_to_each_other_are_all_named(text: str, named: int) -> None:
    held = [filing("Acme Corp."), filing("Globex Corp.", ticker="GLBX"), filing("Zenith Inc.", ticker="ZEN")]
    found = by_frame(read_question(text, held), _frame(text, "globex", "", "rent"), held)
    assert len(found.companies) == named


@pytest.mark.parametrize("word", ["US", "that", "it"])
def test_what_names_no_company_is_no_unknown_one(word: str) -> None:
    text = f"how much rent is paid for {word} in stores"
    assert not by_frame(read_question(text, HELD), _frame(text, word, "", "rent"), HELD).unknown


@pytest.mark.parametrize(("sure", "figure", "unknown"), [(0.99, 0.0, ("Umbrellas",)), (0.4, 0.0, ()), (0.4, 0.9, ("Umbrellas",))])
def test_what_is_hardly_taken_for_a_name_is_no_company_that_words_miss(
    sure: float, figure: float, unknown: tuple[str, ...]
) -> None:
    text = "Why did Umbrellas pay more rent?"
    frame = _frame(text, "Umbrellas", "", "rent")
    frame = replace(frame, called=dict.fromkeys(frame.companies, sure), sure={**frame.sure, "figure": figure})
    assert by_frame(read_question(text, HELD), frame, HELD).unknown == unknown


def test_what_is_set_side_by_side_is_a_company_however_surely() -> None:
    text = "How does the rent that Umbrellas pay compare?"
    frame = _frame(text, "Umbrellas", "", "rent")
    frame = replace(frame, operation="compare", called=dict.fromkeys(frame.companies, 0.4))
    assert by_frame(read_question(text, HELD), frame, HELD).unknown == ("Umbrellas",)


def test_a_company_is_known_by_the_last_word_of_its_name() -> None:
    held = [filing("Acme Rockets Co"), filing("Globex Inc.", ticker="GLBX"), filing("Zenith Motors Inc.", ticker="ZEN")]
    text = "what rent do rockets pay"
    assert [one.name for one in by_frame(read_question(text, held), _frame(text, "rockets", "", "rent"), held).companies] == [
        "Acme Rockets Co"
    ]
    both = [*held, filing("Other Rockets Co", ticker="OTH")]
    assert not by_frame(read_question(text, both), _frame(text, "rockets", "", "rent"), both).companies


@pytest.mark.parametrize(("part", "years"), [("2026", (2024, 2026)), ("due in 2026", (2024,))])
def test_a_part_that_is_a_year_is_looked_ahead_to(part: str, years: tuple[int, ...]) -> None:
    text = "Acme debt due in 2026, as of fiscal 2024"
    at = text.find(part)
    frame = replace(_frame(text, "Acme", "fiscal 2024", "debt"), parts=(Span(part, at, at + len(part)),))
    assert by_frame(read_question(text, HELD), frame, HELD).periods.years == years


def test_beside_a_full_date_the_number_of_a_month_is_a_day() -> None:
    text = "Acme buybacks from May 14 to June 12, 2019"
    frame = _frame(text, "Acme", "May 14", "buybacks")
    frame = replace(frame, periods=(*frame.periods, *_frame(text, period="June 12, 2019").periods))
    periods = by_frame(read_question(text, HELD), frame, HELD).periods
    assert (periods.years, periods.dates) == ((), (dt.date(2019, 6, 12),))
    text = "Acme buybacks in May 14"
    assert by_frame(read_question(text, HELD), _frame(text, "Acme", "May 14", "buybacks"), HELD).periods.years == (2014,)


@pytest.mark.parametrize(
    ("text", "period", "years"),
    [
        ("Acme 20 yr lease plan", "20", ()), ("Acme's 15-year outlook", "15", ()),
        ("Acme debt at 22 yr end", "22", (2022,)), ("Acme rent, 22", "22", (2022,)),
    ],
)  # fmt: skip
def test_how_many_years_something_takes_is_no_year(text: str, period: str, years: tuple[int, ...]) -> None:
    frame = _frame(text, "Acme", period, "plan")
    assert by_frame(read_question(text, HELD), frame, HELD).periods.years == years


def test_a_short_year_that_the_frame_sees_counts_wherever_it_stands() -> None:
    text = "Acme patents filed in '22, '23 and '24 altogether"
    frame = _frame(text, "Acme", "'22, '23", "patents", "sum")
    frame = replace(frame, periods=(*frame.periods, *_frame(text, period="'24").periods))
    assert by_frame(read_question(text, HELD), frame, HELD).periods.years == (2022, 2023, 2024)


@pytest.mark.parametrize(
    ("text", "target", "follows", "companies"),
    [
        ("what is gbx then?", "", False, ["Globex Inc."]),
        ("what is gbx then?", "", True, []),  # A ticker may be a word.
        ("what about globex", "", True, ["Globex Inc."]),
        ("globex parts sold?", "parts sold", True, ["Globex Inc."]),
        ("and the sales of globex parts?", "globex parts", True, []),
    ],
)
def test_a_follow_up_in_small_letters_asks_of_another_company_by_its_name(
    text: str, target: str, follows: bool, companies: list[str]
) -> None:
    read = by_frame(read_question(text, HELD), _frame(text, target=target), HELD, before=ACMES if follows else ())
    assert [one.name for one in read.companies] == companies


@pytest.mark.parametrize(("name", "owned"), [("Visa", False), ("Rocketbook", True)])
def test_a_large_company_is_no_brand_of_the_filing_that_speaks_of_it(name: str, owned: bool) -> None:
    text = f"What was {name}'s net income in 2024?"
    read = by_frame(read_question(text, HELD), _frame(text, name, "2024", "net income"), HELD, lambda name, before: "Acme Corp.")
    assert [one.name for one in read.companies] == (["Acme Corp."] if owned else [])
    assert bool(read.unknown) is not owned
    assert read.brands == (("Rocketbook",) if owned else ())


@pytest.mark.parametrize(
    ("text", "name", "target", "unknown"),
    [
        ("southwest fares, what share of sales?", "southwest", "share of sales", ()),
        ("and southwest?", "southwest", "", ("southwest",)),
        ("can brussels object?", "brussels", "object", ()),
        ("What about Initech's loans?", "Initech", "loans", ("Initech",)),
    ],
)
def test_a_name_in_a_follow_up_is_a_matter_of_the_company_that_speaks_of_it(
    text: str, name: str, target: str, unknown: tuple[str, ...]
) -> None:
    def owner(name: str, before: frozenset[str]) -> str:
        return "Acme Corp." if name == "southwest" and before else ""

    read = by_frame(read_question(text, HELD), _frame(text, name, "", target), HELD, owner, ACMES)
    assert read.unknown == unknown
    assert read.brands == ((name,) if name == "southwest" and target else ())


@pytest.mark.parametrize(("text", "name", "companies"), [("and north rim?", "rim", []), ("and Rim?", "Rim", ["Globex Inc."])])
def test_a_word_in_small_letters_moves_no_follow_up_to_another_company(text: str, name: str, companies: list[str]) -> None:
    read = by_frame(read_question(text, HELD), _frame(text, name, "", ""), HELD, lambda name, before: "Globex Inc.", ACMES)
    assert [one.name for one in read.companies] == companies


@pytest.mark.parametrize(("name", "unknown"), [("qtr", ()), ("mgmt", ()), ("zqtr", ("zqtr",))])
def test_a_word_for_a_time_or_an_office_is_no_companys_name(name: str, unknown: tuple[str, ...]) -> None:
    text = f"that {name} two years before"
    assert by_frame(read_question(text, HELD), _frame(text, name, "", ""), HELD, None, ACMES, lambda _: True).unknown == unknown


@pytest.mark.parametrize(("name", "said"), [("ann'", "ann"), ("Wendy's", "Wendy"), ("Globex’s", "Globex")])
def test_a_name_ends_before_its_apostrophe(name: str, said: str) -> None:
    asked: list[str] = []

    def owner(name: str, before: frozenset[str]) -> str:
        asked.append(name)
        return ""

    text = f"how many {name} grills"
    by_frame(read_question(text, ()), _frame(text, name, "", "grills"), (), owner)
    assert asked == [said]


@pytest.mark.parametrize(
    ("text", "name", "target", "companies", "unknown"),
    [
        ("and globbex?", "", "", ["Globex Inc."], ()),
        ("globbexs revenue", "globbexs", "revenue", ["Globex Inc."], ()),
        ("xylofit revenue", "xylofit", "revenue", [], ("xylofit",)),
        ("services revenue", "services", "revenue", [], ()),
    ],
)
def test_a_word_that_no_one_knows_is_a_name_in_a_follow_up_as_well_or_a_slip_of_one(
    text: str, name: str, target: str, companies: list[str], unknown: tuple[str, ...]
) -> None:
    def is_strange(word: str) -> bool:
        return word.lower() in ("globbex", "globbexs", "xylofit")

    read = by_frame(read_question(text, HELD), _frame(text, name, "", target), HELD, before=ACMES, is_strange=is_strange)
    assert [one.name for one in read.companies] == companies
    assert read.unknown == unknown


def test_a_slip_of_a_company_in_small_letters_names_it_where_the_frame_sees_no_company() -> None:
    text = "globbex backlog 2024"
    read = by_frame(read_question(text, HELD), _frame(text, "", "2024", "backlog"), HELD, is_strange="globbex".__eq__)
    assert [(one.name, one.is_slip) for one in read.companies] == [("Globex Inc.", True)]
    plain = by_frame(read_question("hatch backlog 2024", HELD), _frame("hatch backlog 2024", "", "2024", "backlog"), HELD)
    assert plain.companies == ()


def test_words_behind_a_name_with_a_capital_are_none_of_it() -> None:
    text = "Rocketbook parent's net income in 2024?"
    frame = _frame(text, "Rocketbook parent", "2024", "net income")
    read = by_frame(read_question(text, HELD), frame, HELD, lambda name, before: "Acme Corp." if name == "Rocketbook" else "")
    assert [one.name for one in read.companies] == ["Acme Corp."]


def test_a_company_that_is_plainly_named_goes_before_a_word_that_may_be_a_brand() -> None:
    text = "What did US bottlers pay Globex for their territories?"
    frame = _frame(text, "US")
    read = by_frame(read_question(text, HELD), frame, HELD, lambda name, before: "Acme Corp.")
    assert [one.name for one in read.companies] == ["Globex Inc."]
    assert read.unknown == ()


@pytest.mark.parametrize(
    ("parts", "anew"),
    [
        (("Globex", "FY2024", "revenue"), "What was Globex's revenue in 2024?"),
        (("Acme", "FY2023", "revenue"), "What was Acme's revenue in FY2023?"),
        (("Acme", "FY2024", "net income"), "What was Acme's net income in 2024?"),
        (("Globex", "FY2022", "goodwill"), "What was Globex's goodwill in FY2022?"),
        (("Acme", "FY2024", "revenue"), "What was Acme's revenue in 2024?"),
    ],
)
def test_a_part_is_changed_in_its_place(parts: tuple[str, str, str], anew: str) -> None:
    text = "What was Acme's revenue in 2024?"
    told = interpret(_read(text, _frame(text, "Acme", "2024", "revenue")))
    assert asked_anew(told, *parts) == anew


def test_what_was_unsaid_is_added_and_of_two_companies_one_may_go() -> None:
    bare = Interpretation("And the year before?", ("Acme",), ("FY2023",), "revenue")
    assert asked_anew(bare, "Globex", "FY2023", "revenue") == "Globex revenue in FY2023?"
    assert asked_anew(bare, "Acme", "FY2023", "revenue") == "And the year before?"
    assert asked_anew(replace(bare, operation="growth"), "Acme", "", "net income") == "Acme net income growth?"
    whole = Interpretation("Acme revenue", ("Acme",), ("FY2021",), "revenue", company_places=((0, 4),), figure_places=((5, 12),))
    assert asked_anew(whole, "Acme", "FY2021", "capex") == "Acme capex in FY2021"
    text = "Compare Acme and Globex revenue"
    both = Interpretation(text, ("Acme", "Globex"), (), "revenue", company_places=((8, 12), (17, 23)), figure_places=((24, 31),))
    assert asked_anew(both, "Acme", "2023", "revenue") == "Compare Acme revenue in 2023"


def test_the_figure_of_another_company_than_the_one_named_is_never_given() -> None:
    text = "What was Globex's revenue in 2024?"
    scope = Scope(companies=(ACME.company_key,))
    asked = _read(text, _frame(text, "Globex", "2024", "revenue"), scope)
    refusal = refuse_scope(asked)
    assert refusal is not None
    assert refusal.kind == "out_of_scope"
    assert refusal.message.startswith("The question names Globex; the scope is limited to Acme.")
    assert interpret(asked).limit == "Acme"
    assert interpret(asked).outside == ("Globex",)
    assert refuse_scope(_read(text, _frame(text, "Globex", "2024", "revenue"))) is None


def test_how_a_company_does_is_not_told_by_another_one_in_scope() -> None:
    text = "How is Globex doing?"
    frame = replace(_frame(text, "Globex"), answer="none", sure={"figure": 0.1})
    refusal = refuse_scope(_read(text, frame, Scope(companies=(ACME.company_key,))))
    assert refusal is not None
    assert refusal.kind == "out_of_scope"


def test_words_are_sought_in_the_scope_with_a_note() -> None:
    text = "How do you compete with Globex?"
    frame = replace(_frame(text, "Globex"), answer="text", sure={"figure": 0.1})
    asked = _read(text, frame, Scope(companies=(ACME.company_key,)))
    assert refuse_scope(asked) is None
    assert beyond_scope(asked) == "The question names Globex; the scope is limited to Acme."
    both = "How do Acme and Globex compare?"
    assert beyond_scope(_read(both, _frame(both, "Acme"))) == ""


def test_a_company_is_no_part_of_the_figure_and_years_in_a_row_are_told_as_one_span() -> None:
    text = "Acme revenue 2021, 2022 and 2023"
    frame = replace(_frame(text, "Acme", "", "revenue"), parts=(Span("Acme", 0, 4),))
    told = interpret(_read(text, frame))
    assert told.line == "Acme · FY2021 to FY2023 · revenue"
    assert told.figure_places == ((5, 12),)
    text = "Acme revenue 2018, 2022, 2023 and 2024"
    assert interpret(_read(text, _frame(text, "Acme", "", "revenue"))).periods == ("FY2018", "FY2022", "FY2023", "FY2024")


def test_a_ticker_in_small_letters_is_known_before_another_name() -> None:
    held = (filing("Globex Inc.", 2024, ticker="GBX"), *HELD)
    text = "gbx THATIC jv - what is the licence deal"
    read = by_frame(read_question(text, held), _frame(text, company="gbx THATIC"), held)
    assert [one.name for one in read.companies] == ["Globex Inc."]
    assert not read.unknown


@pytest.mark.parametrize(("spoken_of", "companies", "unknown"), [("Globex Corp.", 1, ()), ("", 0, ("Glbxway",))])
def test_a_name_that_a_ticker_shortens_is_the_companys_where_its_filings_speak_of_it(
    spoken_of: str, companies: int, unknown: tuple[str, ...]
) -> None:
    held, text = [filing("Acme Corp."), filing("Globex Corp.", ticker="GLBX")], "Glbxway rent in 2024"
    asked = by_frame(read_question(text, held), _frame(text, "Glbxway", "2024", "rent"), held, lambda name, keys: spoken_of)
    assert (len(asked.companies), asked.unknown, asked.brands) == (companies, unknown, ())
