"""The one path from a question to passages, for ``search`` and ``ask`` alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.engine.searching import Finder, anywhere
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


def test_a_follow_up_is_searched_for_by_itself_too() -> None:
    world = Counted()
    finder = world.finder()
    asked = understand(Request("And its leases?", history=(QUESTION,)), (ACME,), None)
    finder.find(asked)
    times = world.searched
    finder.find(replace(asked, question=replace(asked.question, before="")))
    assert world.searched == times + 1


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
    assert "No company in the library is called Initech." in found.notes


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


HELD = (filing("Acme Corp.", 2001), filing("Globex Inc.", 2002, ticker="GBX"))


def scope(question: str, given: Scope | None = None) -> Scope | None:
    return anywhere(understand(Request(question, scope=given or Scope()), HELD, None))


def test_a_name_without_its_company_is_looked_for_everywhere() -> None:
    found = scope("What lawsuit did Roadrunner settle in February 2002?")
    assert found is not None
    assert found.filings == ("Acme Corp.-2001-10-K", "Globex Inc.-2002-10-K")


def test_a_company_a_nameless_question_and_the_users_limits_stay() -> None:
    assert scope("What lawsuit did Acme settle in 2002?") is None
    assert scope("What lawsuits were settled in 2002?") is None
    assert scope("What lawsuit did Roadrunner settle?") is None
    assert scope("What lawsuit did Roadrunner settle in 2002?", Scope(fiscal_years=(2002,))) is None


def test_without_a_version_of_the_library_nothing_is_remembered() -> None:
    world = Counted()
    finder = Finder(world.searcher, Library())
    finder.search(QUESTION)
    once = world.searched
    finder.search(QUESTION)
    assert world.searched == 2 * once > 0


def test_a_large_company_that_others_mention_is_unknown_where_it_alone_is_asked_about() -> None:
    searcher = Searcher(hits=(hit("Visa and Mastercard are larger than we are."),))
    finder = Finder(searcher, Library((ACME, GLOBEX)))
    asked = understand(Request("How is Visa doing?"), (ACME, GLOBEX), None)
    span = Span("Visa", 7, 11)
    frame = Frame(asked.question.text, (span,), (), (), (), "how", "none", "", (), {"figure": 0.0, "refusal": 0.0})
    asked = replace(asked, question=replace(asked.question, unknown=("Visa",)))
    assert finder.unknown(replace(asked, frame=frame)) == "Visa"
    networks = replace(frame, targets=(Span("networks", 0, 8),))
    assert Finder(searcher, Library((ACME, GLOBEX))).unknown(replace(asked, frame=networks)) == ""
    money = replace(
        frame, targets=(Span("money", 0, 5),), operation="lookup", answer="money", sure={"figure": 1.0, "refusal": 0.0}
    )
    assert Finder(searcher, Library((ACME, GLOBEX))).unknown(replace(asked, frame=money)) == "Visa"
    both = replace(frame, companies=(span, Span("Mastercard", 12, 22)), operation="compare")
    assert Finder(searcher, Library((ACME, GLOBEX))).unknown(replace(asked, frame=both)) == "Visa"


@pytest.mark.parametrize(
    ("texts", "name", "before", "owner"),
    [
        (("Rocketbook sells pads.",), "Rocketbook", True, ACME.company),
        (("Rocketbook sells pads.",), "Rocketbook", False, ""),
        (("Rocketbook sells pads.",) * 3, "Rocketbook", False, ACME.company),
        (("Our first Rocketbook sells.",) * 3, "Rocketbooks", False, ACME.company),
        (("We fly with Southwest.",) * 3, "Southwest", True, ACME.company),
        (("We fly with Southwest.",) * 2, "Southwest", True, ""),
        (("We fly with Southwest.",) * 3, "Southwest", False, ""),
    ],
)
def test_a_name_is_its_matter_that_speaks_of_it_a_large_company_only_of_one_that_was_asked_about(
    texts: tuple[str, ...], name: str, before: bool, owner: str
) -> None:
    finder = Finder(Searcher(hits=tuple(hit(text) for text in texts)), Library((ACME, GLOBEX)))
    assert finder.owner(name, frozenset((ACME.company_key,) if before else ())) == owner
