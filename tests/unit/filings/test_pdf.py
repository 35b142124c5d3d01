"""The PDF reader on small PDFs laid out here, point by point: paragraphs, headings, lists, columns."""

from __future__ import annotations

from fin_tui.filings.pdf import read_pdf
from fin_tui.filings.pdf_lines import Word, with_doubled_letters
from fin_tui.language import without_ligatures
from fin_tui.records import BlockKind
from tests.unit.filings.pdf_made import LEFT, PROSE, RIGHT, texts
from tests.unit.filings.pdf_writer import Page, pdf


def test_paragraphs_join_their_lines_and_break_at_gaps() -> None:
    page = Page().lines(50, 80, PROSE).lines(50, 140, PROSE[:2])
    document = read_pdf(pdf([page]))
    assert texts(document) == [" ".join(PROSE), " ".join(PROSE[:2])]
    assert [b.page for b in document.blocks] == [1, 1]
    assert document.coverage == 1.0
    assert document.format == "pdf"


def test_a_new_paragraph_begins_after_a_short_line_without_a_gap() -> None:
    page = Page().lines(
        50, 80, [*PROSE, "The next paragraph stands right under it and goes on for the whole width of the page, as", "usual."]
    )
    assert len(texts(read_pdf(pdf([page])))) == 2


def test_first_line_indentation_begins_a_paragraph() -> None:
    full = "Costs of freight, of energy and of the parts that we buy rose in each of the last two fiscal years."
    page = Page().lines(50, 80, [full, full]).text(70, 104, full).lines(50, 116, [full])
    assert texts(read_pdf(pdf([page]))) == [f"{full} {full}", f"{full} {full}"]


def test_headings_have_levels() -> None:
    page = Page().text(50, 80, "Item 7. Management's Discussion and Analysis", font="bold")
    page.text(50, 100, "RESULTS OF OPERATIONS", font="bold").text(50, 120, "Net sales", font="bold").lines(50, 134, PROSE)
    document = read_pdf(pdf([page]))
    assert [(b.kind, b.level) for b in document.blocks] == [
        (BlockKind.HEADING, 1),
        (BlockKind.HEADING, 2),
        (BlockKind.HEADING, 3),
        (BlockKind.PARAGRAPH, 0),
    ]


def test_a_mention_of_an_item_in_prose_is_no_heading() -> None:
    lines = [
        "Item 7 of this report and the notes to the statements in it hold more about the matters that are named here.",
        *PROSE,
    ]
    document = read_pdf(pdf([Page().lines(50, 80, lines)]))
    assert texts(document, BlockKind.HEADING) == []


def test_bullets_and_wrapped_bullets_are_list_items() -> None:
    page = Page()
    page.text(60, 80, "\u2022").lines(
        80, 80, ["a bullet that is long enough to need a second line, which hangs under the text of the first", "line;"]
    )
    page.text(60, 104, "\u2022").text(80, 104, "a short one.")
    page.lines(50, 128, PROSE)
    document = read_pdf(pdf([page]))
    items = texts(document, BlockKind.LIST)
    assert len(items) == 2
    assert items[0].endswith("the first line;")
    assert items[1] == "\u2022 a short one."


def test_hyphens_at_line_ends() -> None:
    page = Page().lines(
        50,
        80,
        ["Statements about the future are forward-", "looking and depend on many assump-", "tions. All assumptions may fail."],
        leading=12,
    )
    text = read_pdf(pdf([page])).text
    assert "forward-looking" in text
    assert "many assumptions." in text


def test_wide_word_spaces_of_justified_prose_make_no_table() -> None:
    page = Page()
    for number in range(6):
        spacing = 6.0 + 0.4 * (number % 3)
        page.text(
            50, 100 + 12 * number, f"Sales in region {number} rose by {number + 4} percent, to 1,250 million", spacing=spacing
        )
    document = read_pdf(pdf([page]))
    assert texts(document, BlockKind.TABLE) == []
    assert "Sales in region 0 rose by 4 percent, to 1,250 million Sales in region 1" in document.text


def test_two_columns_of_prose_are_read_one_after_the_other() -> None:
    page = Page().centred(80, "LETTER TO OUR SHAREHOLDERS", font="bold").lines(60, 120, LEFT).lines(330, 120, RIGHT)
    text = read_pdf(pdf([page])).text
    assert " ".join(LEFT) in text
    assert " ".join(RIGHT) in text
    assert text.index("generation.") < text.index("Costs rose")


def test_two_columns_whose_baselines_differ() -> None:
    page = Page().lines(60, 120, LEFT).lines(330, 125, RIGHT)
    text = read_pdf(pdf([page])).text
    assert " ".join(LEFT) in text
    assert " ".join(RIGHT) in text


def test_a_bold_heading_goes_on_into_the_line_where_its_text_begins() -> None:
    first = "A shortage of parts, or the loss of one of the suppliers that make most of our products, would and"
    page = Page().text(50, 80, first, font="bold").text(50, 92, "could delay our deliveries.", font="bold")
    page.text(190, 92, "Our suppliers work in three countries and deliver to us by sea.").lines(50, 104, PROSE)
    document = read_pdf(pdf([page]))
    assert texts(document, BlockKind.HEADING) == [f"{first} could delay our deliveries."]
    assert texts(document)[1].startswith("Our suppliers work")


def test_a_letter_that_the_engine_drops_comes_back_where_the_word_is_known() -> None:
    def word(text: str, x: float) -> Word:
        return Word(text, x, x + 4 * len(text), 100.0, 10.0)

    known = [word("affect", 0), word("affect", 50), word("of", 100), word("end", 150)]
    cut = [word("af", 200), word("ect", 211), word("of", 240), word("ice", 252), word("at", 280), word("end.", 292)]
    told = [one.text for one in with_doubled_letters([known, cut])[1]]
    assert told == ["affect", "of", "ice", "at", "end."]


def test_ligatures_are_read_as_their_letters() -> None:
    assert without_ligatures("\ufb01nancial o\ufb03ce") == "financial office"
