from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.answering.combine import _holds, _named, beside, combine, is_denied
from fin_tui.engine.answering.compose import beforehand, is_closest, uncomputed, years_besides
from fin_tui.engine.evidence import Passage, as_text, cite
from fin_tui.engine.evidence.evidence import Evidence, gather, judged
from fin_tui.engine.evidence.paragraphs import near_lines
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.target import Target
from fin_tui.records import FactRecord, QuotedTable, Sentence, TableRecord
from tests.unit.engine.made import filing, hit


@pytest.mark.parametrize(
    ("question", "sentence", "verdict"),
    [
        ("Is business seasonal?", "No material portion of our business is considered to be seasonal.", "No"),
        ("Is business seasonal?", "Our business is highly seasonal, with most sales in winter.", "Yes"),
        (
            "Were disclosure controls effective?",
            "We concluded that our disclosure controls were not effective on May 3.",
            "No",
        ),
        (
            "Were disclosure controls effective?",
            "We concluded that our disclosure controls were effective.",
            "Yes",
        ),
        (
            "Were disclosure controls effective?",
            "Management assessed our disclosure controls and concluded that our disclosure controls were effective.",
            "Yes",
        ),
        ("Does own any property?", "The Company does not own or lease any property.", "No"),
        ("Are there legal proceedings pending?", "There are no legal proceedings pending against us.", "No"),
        ("Does pay dividends?", "We do not anticipate paying any cash dividends in the foreseeable future.", "No"),
        (
            "Has found a weakness in internal control?",
            "We identified a material weakness in our internal control.",
            "Yes",
        ),
        ("Is planning to open new stores?", "We plan to open new stores in Ohio.", "Yes"),
        ("Do any customers exceed ten percent of sales?", "No customer exceeded ten percent of sales.", "No"),
    ],
)
def test_a_plain_denial_decides_and_no_affirmation_does(question: str, sentence: str, verdict: str) -> None:
    assert is_denied(question, [sentence]) == (verdict == "No")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Were disclosure controls effective?", "We evaluated the effectiveness of our disclosure controls."),
        ("Does pay dividends?", "We are not prohibited from paying cash dividends by our loan."),
        ("Does pay dividends?", "We may pay dividends in the future."),
        ("Does pay dividends?", "If we pay dividends, our creditors must agree."),
        ("Are employees in a union?", "None of our employees is in a union, with the exception of those at our mill."),
        ("Are there critical audit matters?", "Critical audit matters are matters that arose in the audit."),
        ("Is there a material weakness?", "A material weakness is a deficiency in internal control."),
        ("Is business seasonal?", "Not all of our costs are known, and our people travel in summer."),
        ("Is control effective?", "Our control was ineffective and we hope to make it effective."),
        ("Does it not pay dividends?", "We do not pay dividends."),
        ("Was there a material weakness?", "Our audit included assessing the risk that a material weakness exists."),
        ("Was there a material weakness?", "We evaluate whether a material weakness exists."),
        ("Does own its mills?", "The Company operates its mills through wholly owned subsidiaries."),
        ("Does make asbestos?", "We are a defendant in lawsuits about the Company's making of asbestos."),
        ("Does own the mill?", "The Company has a 5% ownership interest in a venture, which owns the mill."),
        (
            "Does own bottlers?",
            "Owning such an interest enables us to make up for scarce means, helps to focus sales and the bottler's plans.",
        ),
        ("Does run a bakery?", "We own mills in three states."),
        ("Is planning to open new stores?", "Our store network includes 18 new stores opened this year."),
    ],
)
def test_what_is_not_plain_decides_nothing(question: str, sentence: str) -> None:
    assert not is_denied(question, [sentence])


def test_sentences_that_differ_decide_nothing() -> None:
    yes, no = "Our business is seasonal.", "Our business is not seasonal."
    assert is_denied("Is business seasonal?", [no, "We like tea.", no])
    assert not is_denied("Is business seasonal?", [no, yes])
    assert not is_denied("Is business seasonal?", [])


def test_an_affirmation_in_fewer_words_contradicts_a_denial() -> None:
    no, yes = "Our winter sales have no seasonal effect.", "Certain of our sales are seasonal."
    assert is_denied("Are sales seasonal in winter?", [no])
    assert not is_denied("Are sales seasonal in winter?", [no, yes])


def test_a_closest_calculation_shows_each_operand_in_the_filings_words() -> None:
    text = "We employed approximately 77,300 people, with approximately 51,300 of them abroad."
    found = hit(text)
    passage = Passage(cite(1, found, found.chunk.start, found.chunk.end), text, found.chunk.start, found.chunk.end, 1.0)
    facts = tuple(FactRecord(as_reported=printed, citation=1) for printed in ("51,300", "77,300"))
    likely = FigureAnswer(
        (Sentence("The share abroad was 66.4%.", (1,), "grounded"),), (passage,), facts, (), 66.36, "%",
        {"substituted": "51,300 / 77,300"}, None, "66.4%",
    )  # fmt: skip
    told, evidence, figures = beside(likely, Evidence((), (), 0.0))
    assert [one.text for one in told] == [
        "Closest calculation found: 66.4% = 51,300 / 77,300",
        f"• 51,300: “{text}”",
        f"• 77,300: “{text}”",
    ]
    assert figures is None
    assert [one.citation.id for one in evidence.passages] == [1]


def test_two_closest_figures_are_told_side_by_side_each_with_its_own_source() -> None:
    def closest(printed: str, start: int) -> FigureAnswer:
        found = hit(f"Spending is expected to be {printed} million.", start=start)
        place = cite(1, found, found.chunk.start, found.chunk.end)
        passage = Passage(place, found.chunk.text, found.chunk.start, found.chunk.end, 1.0)
        told = Sentence(f"It was {printed} million.", (1,), "grounded")
        return FigureAnswer((told,), (passage,), (FactRecord(as_reported=printed, citation=1),), (), display=f"{printed} million")

    told, evidence, figures = beside(closest("$16", 0), Evidence((), (), 0.0), other=closest("$14", 500))
    assert [(one.text, one.citations) for one in told] == [
        ("Closest figure found: $16 million: “Spending is expected to be $16 million.”", (1,)),
        ("Or: $14 million: “Spending is expected to be $14 million.”", (2,)),
    ]
    assert [one.citation.start for one in evidence.passages] == [0, 500]
    assert figures is None


def test_what_was_not_computed_is_said_where_a_figure_only_comes_close() -> None:
    asked = Frame("widget costs", (), (), (Span("widget costs", 0, 12),), (), "lookup", "money", "", (), {"figure": 1.0})
    audited = (Sentence("Smith LLP audited Acme.", (1,), "grounded"),)
    closest = (Sentence("Closest figure found: $3 million", (1,), "grounded"),)
    assert uncomputed(replace(asked, operation="share"), closest).startswith("No share was computed")
    assert uncomputed(replace(asked, operation="share"), audited) == ""
    assert uncomputed(asked, closest) == ""
    assert is_closest(closest)
    assert not is_closest(audited)


def test_where_words_may_be_asked_for_too_the_paragraphs_stand_behind_the_figure() -> None:
    found = hit("The charge was $52 million.\nIt was for a contract that the mill broke with a former buyer of tin.")
    passage = Passage(cite(1, found, found.chunk.start, found.chunk.end), found.chunk.text, 0, 27, 1.0)
    figures = FigureAnswer(
        (Sentence("The charge was $52 million.", (1,), "grounded"),), (passage,), (), (), 52e6, "usd", None, None, ""
    )
    question = "charge over the contract with a buyer of tin, what was it about"
    evidence = judged(question, question, gather(question, [found]), near_lines([found]), None)
    alone, _, _ = combine(figures, evidence)
    assert not any("former buyer" in one.text for one in alone)
    told, _, _ = combine(figures, evidence, in_words=True)
    assert told[0].text == "The charge was $52 million."
    assert any("former buyer of tin" in one.text for one in told[1:])


def _quoting(header: tuple[str, ...], *rows: tuple[str, ...], title: str = "") -> Sentence:
    quoted = QuotedTable(title, header, rows)
    return Sentence(as_text(quoted), (1,), "grounded", opens="paragraph", table=quoted)


def test_a_table_that_shows_the_grids_figures_is_not_shown_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = hit("Sales by country.")
    passage = Passage(cite(1, found, found.chunk.start, found.chunk.end), found.chunk.text, 0, 17, 1.0)
    facts = tuple(FactRecord(as_reported=printed, citation=1) for printed in ("1,790", "$2,377"))
    table: TableRecord = {"columns": ["FY2025"], "rows": []}
    figures = FigureAnswer((Sentence("Sales:", (1,), "grounded"),), (passage,), facts, (), table=table)
    same = _quoting(("", "2025", "2024"), ("U.S.", "$1,790", "1,426"), ("China", "2,377", "2,952"))
    other = _quoting(("", "2025"), ("U.S.", "$1,790"), ("Japan", "99"))
    read = Evidence((passage,), (), 1.0)
    monkeypatch.setattr("fin_tui.engine.answering.combine.extract", lambda evidence: ((same, other), evidence))
    told, _, _ = combine(figures, read, in_words=True)
    assert [one.table for one in told if one.table] == [other.table]
    plain, _, _ = combine(replace(figures, table=None), read, in_words=True)
    assert [one.table for one in plain if one.table] == [same.table, other.table]


def test_the_row_of_a_closest_figure_is_not_shown_beside_its_whole_table() -> None:
    rows = QuotedTable("", ("", "2025"), (("Total", "9,518"),))
    assert _holds(replace(rows, title="Store Data", rows=(("Ohio", "4"), *rows.rows)), rows)
    assert not _holds(replace(rows, rows=(("Total", "9,519"),)), rows)
    assert not _holds(replace(rows, title="Store Data"), replace(rows, title="Offices"))


def test_a_figure_of_a_row_with_several_labels_is_named_by_its_own() -> None:
    rows = QuotedTable("", ("", "Stores", "", "Stores"), (("Ohio", "65", "Texas", "65"),))
    assert _named(rows, "65", "Texas") == "Texas, Stores"
    assert _named(rows, "65", "Ohio") == _named(rows, "65") == "Ohio, Stores"


def test_words_of_before_a_year_say_so_first_and_figures_of_the_year_do_not() -> None:
    target = Target((), "Acme FY2021", (), beyond=(2022, 2023))
    assert beforehand(target, None) == "Not in the library: FY2022, FY2023; the passages below were written before."
    assert beforehand(target, FigureAnswer((), (), (), ())) == ""
    assert beforehand(replace(target, beyond=()), None) == ""
    before = replace(target, filings=(filing("Acme", 2021),), beyond=(2015,))
    assert beforehand(before, None) == "Not in the library: FY2015; the passages below are from later filings."


def test_a_trend_of_the_last_years_names_earlier_filings() -> None:
    filings = [replace(hit("A.").filing, id=str(year), fiscal_year=year) for year in (2015, 2021, 2022, 2024, 2025)]
    told = years_besides(["FY2023", "FY2024", "FY2025"], filings)
    assert told == "Filings of FY2015, FY2021, FY2022 are in the library, too: name the years to see more (“2021 to 2025”)."
    assert years_besides(["FY2015", "FY2025"], filings) == ""
    assert years_besides(["change"], filings) == ""
