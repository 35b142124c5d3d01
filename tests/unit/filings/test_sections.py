import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.filings.section_headings import named_item, unspaced
from fin_tui.filings.sections import find_sections
from fin_tui.records import Document, Section
from tests.unit.filings.build import Part, document, prose

ITEMS = (
    ("1", "Business"),
    ("1A", "Risk Factors"),
    ("2", "Properties"),
    ("3", "Legal Proceedings"),
    ("7", "Management’s Discussion and Analysis of Financial Condition and Results of Operations"),
    ("7A", "Quantitative and Qualitative Disclosures About Market Risk"),
    ("8", "Financial Statements and Supplementary Data"),
    ("15", "Exhibits, Financial Statement Schedules"),
)
CONTENTS: list[Part] = [
    ("h2", "TABLE OF CONTENTS"),
    ("table", [[f"Item {n}.", title, str(i + 3)] for i, (n, title) in enumerate(ITEMS)]),
]


def body(heading: str = "Item {n}. {title}", kind: str = "h1") -> list[Part]:
    parts: list[Part] = []
    for number, title in ITEMS:
        parts += [(kind, heading.format(n=number, title=title)), ("p", prose(80))]
    return parts


def found(made: Document) -> dict[str, Section]:
    return {section.item: section for section in find_sections(made) if section.item}


def text_of(made: Document, section: Section) -> str:
    return made.text[section.start : section.end]


@pytest.mark.parametrize(
    "heading",
    [
        "Item {n}. {title}",
        "ITEM {n}: {title}",
        "Item {n} — {title}",
        "Item {n}.{title}",
        "PART I Item {n}. {title}",
        "I TEM {n}. {title}",
    ],
)
@pytest.mark.parametrize("kind", ["h1", "h4", "p"])
def test_headings_of_all_styles_are_found(heading: str, kind: str) -> None:
    made = document([("p", "Acme Corp. annual report"), *CONTENTS, *body(heading, kind)])
    sections = found(made)
    assert list(sections) == [number for number, _ in ITEMS]
    assert all("Word0" in text_of(made, section) for section in sections.values())
    assert sections["7"].title == ITEMS[4][1]
    assert all(section.confidence >= 0.6 for section in sections.values())


def test_a_table_of_contents_in_prose_does_not_win() -> None:
    contents: list[Part] = [("p", f"Item {n}. {title} .......... {i + 3}") for i, (n, title) in enumerate(ITEMS)]
    made = document([*contents, *body()])
    assert all("Word0" in text_of(made, section) for section in found(made).values())


def test_references_in_prose_do_not_win() -> None:
    parts = body()
    parts[1] = ("p", "Item 7 of this report describes our results. " + prose(40))
    parts[3] = ("p", "Item 8, “Financial Statements and Supplementary Data,” holds the notes.")
    made = document(parts)
    sections = found(made)
    assert text_of(made, sections["7"]).startswith("Item 7. Management")
    assert text_of(made, sections["8"]).startswith("Item 8. Financial")


def test_the_title_may_stand_below_the_number_or_beside_it() -> None:
    made = document(
        [("h2", "ITEM 1."), ("h2", "BUSINESS"), ("p", prose(60)), ("table", [["Item 1A.", "Risk Factors"]]), ("p", prose(60))]
    )
    sections = found(made)
    assert (sections["1"].title, sections["1A"].title) == ("BUSINESS", "Risk Factors")


def test_merged_items_share_one_span() -> None:
    made = document(
        [
            ("h1", "Items 1 and 2. Business and Properties"),
            ("p", prose(60)),
            ("h1", "Item 3. Legal Proceedings"),
            ("p", prose(30)),
        ]
    )
    sections = found(made)
    assert (sections["1"].start, sections["1"].end) == (sections["2"].start, sections["2"].end)
    assert sections["3"].start == sections["1"].end


def test_letter_spaced_words_are_closed_up() -> None:
    assert unspaced("I T E M 1 . B U S I N E S S") == "ITEM 1 . BUSINESS"
    made = document([("p", "I T E M 1. B U S I N E S S"), ("p", prose(60))])
    assert found(made)["1"].title == "BUSINESS"


def test_a_pointer_has_a_low_confidence() -> None:
    parts = body()
    parts[9] = (
        "p",
        "The information required by this Item is on pages 20 to 41 of the Annual Report and is incorporated by reference.",
    )
    sections = found(document(parts))
    assert sections["7"].confidence < 0.5 < sections["8"].confidence


def test_short_answers_are_no_pointers() -> None:
    parts = body()
    parts[7] = ("p", "None.")
    assert found(document(parts))["3"].confidence > 0.6


def test_headings_without_a_number_are_found_by_their_words() -> None:
    made = document([("h2", "Risk Factors"), ("p", prose(60)), ("h2", "Management’s Discussion and Analysis"), ("p", prose(60))])
    sections = found(made)
    assert set(sections) == {"1A", "7"}
    assert all(section.confidence < 0.5 for section in sections.values())
    assert named_item("Business Combinations") == ""


def test_statements_behind_the_exhibits_are_found_when_item_8_points_there() -> None:
    parts = body()
    parts[13] = ("p", "See the financial statements beginning on page F-1.")
    rows = [["", "December 31, 2024", "December 31, 2023"], *([f"Line {i}", f"{i},200", f"{i},100"] for i in range(1, 9))]
    parts += [
        ("h2", "SIGNATURES"),
        ("p", "Signed."),
        ("h2", "Report of Independent Registered Public Accounting Firm"),
        ("p", prose(40)),
    ]
    for title in (
        "Consolidated Balance Sheets",
        "Consolidated Statements of Operations",
        "Consolidated Statements of Cash Flows",
    ):
        parts += [("h2", title), ("table", rows)]
    made = document(parts)
    eights = [section for section in find_sections(made) if section.item == "8"]
    assert [section.confidence < 0.5 for section in eights] == [True, False]
    assert "Consolidated Balance Sheets" in text_of(made, eights[1])


def test_an_index_gives_items_that_nothing_heads() -> None:
    index: list[Part] = [
        ("table", [["Item 1.", "Business", "4"], ["Item 1A.", "Risk Factors", "5"], ["Item 7.", "Management’s Discussion", "6"]])
    ]
    pages: list[Part] = [part for label in "456" for part in (("page", label), ("p", prose(50)))]
    made = document([*index, *pages])
    sections = found(made)
    assert [sections[n].page for n in ("1", "1A", "7")] == [2, 3, 4]
    assert all(section.confidence < 0.5 for section in sections.values())


def test_parts_follow_the_items() -> None:
    assert [s.part for s in find_sections(document(body()))] == ["I", "I", "I", "I", "II", "II", "II", "IV"]


PARTS = st.lists(
    st.sampled_from(
        [
            ("h1", "PART II"),
            ("h1", "Item 1. Business"),
            ("p", "Item 1A. Risk Factors"),
            ("h2", "Items 7 and 7A. Management’s Discussion"),
            ("h1", "Item 8."),
            ("h2", "Financial Statements and Supplementary Data"),
            ("h2", "SIGNATURES"),
            ("h2", "Exhibit 13"),
            ("p", "See Item 7 of this report."),
            ("p", "Plain words about nothing."),
            ("table", [["Item 2.", "Properties", "3"], ["Item 3.", "Legal Proceedings", "4"]]),
        ]
    ),
    max_size=14,
)


@given(PARTS)
def test_sections_partition_the_text(parts: list[Part]) -> None:
    made = document(parts)
    at = 0
    spans = dict.fromkeys((section.start, section.end) for section in find_sections(made))
    for start, end in spans:
        assert start == at < end
        at = end
    assert at == len(made.text)


def test_headings_stacked_over_one_body_share_it() -> None:
    stacked: list[Part] = [("h1", "Item 11. Executive Compensation"), ("h1", "Item 12. Security Ownership of Beneficial Owners")]
    after: list[Part] = [("h1", "Item 14. Principal Accountant Fees and Services"), ("p", prose(60))]
    made = document([*CONTENTS, *body()[:-2], *stacked, *after, *body()[-2:]])
    sections = found(made)
    assert sections["11"].start == sections["12"].start == sections["14"].start
    assert "Word0" in text_of(made, sections["11"])
    assert sections["11"].end == sections["15"].start


def test_a_reserved_item_does_not_take_the_next_ones_body() -> None:
    reserved: list[Part] = [("h1", "Item 6. [Reserved]")]
    parts = body()
    made = document([*CONTENTS, *parts[:8], *reserved, *parts[8:]])
    sections = found(made)
    assert sections["6"].end == sections["7"].start
