"""What a company does, in the words of its Item 1."""

from __future__ import annotations

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.business import business, with_business
from fin_tui.records import Section, Sentence
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

BODY = (
    "# Item 1. Business\n"
    "This annual report on Form 10-K of Acme holds forward-looking statements of many kinds.\n"
    "Short words of welcome.\n"
    "In this document we refer to our fiscal year. Acme designs and builds rockets for coyotes and other customers around the "
    "world. It also rents out anvils. The catalogue grows. Nothing more of it here.\n"
    "Our people operate twelve plants in five countries with care and some noise."
)


def _told(body: str) -> list[str] | None:
    section = Section("I", "1", "Business", 0, len(body), 1, 0.9)
    found = business(FilingReader(Library(body, (section,)), Chunks(body)), filing())
    return None if found is None else [one.text for one in found.sentences]


def test_the_first_sentences_that_say_it_are_told_from_there_on() -> None:
    assert _told(BODY) == [
        "Acme designs and builds rockets for coyotes and other customers around the world.",
        "It also rents out anvils.",
        "The catalogue grows.",
    ]


def test_what_only_speaks_of_the_report_tells_nothing() -> None:
    assert (
        _told("# Item 1. Business\nThe terms used in this annual report have the meaning that its glossary gives to them.")
        is None
    )
    assert business(FilingReader(Library(BODY), Chunks(BODY)), filing()) is None  # Without an Item 1.


def test_it_stands_over_a_page_of_figures_with_numbers_of_its_own() -> None:
    section = Section("I", "1", "Business", 0, len(BODY), 1, 0.9)
    reader = FilingReader(Library(BODY, (section,)), Chunks(BODY))
    found = business(reader, filing())
    assert isinstance(found, StructureAnswer)
    page = FigureAnswer((Sentence("Acme, FY2024: revenue $120 million.", (1,), "grounded"),), found.passages[:1], (), ())
    both = with_business(page, reader, filing())
    assert [one.citations for one in both.sentences] == [(2,), (3,), (4,), (1,)]
    assert both.sentences[-1].opens == "paragraph"
    assert [one.citation.id for one in both.passages] == [1, 2, 3, 4]
    assert with_business(page, FilingReader(Library(""), Chunks("")), filing()) == page
