"""The one path from a question to passages, for ``search`` and ``ask`` alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.engine.searching.finder import Finder
from fin_tui.records import Scope
from tests.unit.engine.answering.test_answer import ACME, TEXT, Library, Result, Searcher
from tests.unit.engine.made import filing, hit

GLOBEX = filing("Globex Inc.", ticker="GBX")
QUESTION = "Where do Acme's outsourcing partners assemble hardware?"


@dataclass
class Counted:
    """A library with a version, and how often it was searched."""

    version: int = 0
    searcher: Searcher = field(default_factory=lambda: Searcher(hits=tuple(hit(f"{TEXT} {n}", rank=n) for n in range(1, 16))))

    def finder(self, k: int = 10) -> Finder:
        return Finder(self.searcher, Library(), k=k, state=lambda: self.version)

    @property
    def searched(self) -> int:
        return len(self.searcher.scopes)


def test_search_and_ask_find_the_same() -> None:
    world = Counted()
    finder = world.finder()
    engine = AnswerEngine(Library(), world.searcher, None, Settings(), finder=finder)
    found = engine.retrieve(engine.understand(Request(QUESTION)))
    assert found.hits == finder.search(QUESTION).hits
    assert [one.rank for one in found.hits] == list(range(1, 11))


def test_a_repeat_is_not_searched_again_until_the_library_changes() -> None:
    world = Counted()
    finder = world.finder()
    first = finder.search(QUESTION)
    times = world.searched
    assert finder.search(QUESTION).hits == first.hits
    assert world.searched == times
    finder.search(QUESTION, k=3)
    finder.search(QUESTION, Scope(items=("1A",)))
    assert world.searched == times + 2
    world.version += 1
    finder.search(QUESTION)
    assert world.searched == times + 3


def test_dropped_passages_leave_k_others() -> None:
    world = Counted()
    engine = AnswerEngine(Library(), world.searcher, None, Settings(), finder=world.finder(k=5))
    first = engine.retrieve(engine.understand(Request(QUESTION, k=5))).hits[0].chunk.id
    left = engine.retrieve(engine.understand(Request(QUESTION, k=5, excluded=(first,)))).hits
    assert len(left) == 5
    assert first not in {one.chunk.id for one in left}


def test_what_the_library_lacks_is_said_and_nothing_is_shown() -> None:
    found = Counted().finder().search("What was Initech's net income in 2023?")
    assert found.hits == ()
    assert found.target.label == "nothing"
    assert "No filing of Initech is in the library." in found.notes


def test_a_product_that_passages_speak_of_is_no_unknown_company() -> None:
    searcher = Searcher(hits=(hit("The Initech division makes printers."),))
    finder = Finder(searcher, Library((ACME, GLOBEX)))
    asked = understand(Request("How is Initech's printer business organised?"), (ACME, GLOBEX), None)
    assert finder.unknown(asked) == ""


def test_several_companies_get_two_passages_each_at_least() -> None:
    held = tuple(filing(f"Company{letter} Inc.", ticker=f"CO{letter}") for letter in "ABCD")

    class OfScope(Searcher):
        def search(self, query: str, scope: Scope, **options: object) -> Result:
            (of,) = [one for one in held if one.id in scope.filings]
            return Result(tuple(hit(f"{TEXT} {n}", of=of, rank=n) for n in range(1, 6)))

    finder = Finder(OfScope(), Library(held))
    asked = understand(Request("Compare CompanyA, CompanyB, CompanyC and CompanyD on outsourcing", k=3), held, None)
    found = finder.find(asked)
    assert {one.filing.company: sum(o.filing == one.filing for o in found.hits) for one in found.hits} == {
        one.company: 2 for one in held
    }
