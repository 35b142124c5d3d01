from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from fin_tui.config import Mode, Settings
from fin_tui.engine.answering.answer import AnswerEngine, Request, Understanding
from fin_tui.engine.answering.events import EvidenceReady
from fin_tui.engine.figures.answer import Source
from fin_tui.engine.searching import with_older
from fin_tui.engine.structures import StructureAnswer, passage_in
from fin_tui.engine.structures.structure import Structure
from fin_tui.records import Filing, Hit, Scope, Sentence
from fin_tui.retrieval.statements import StatementBoost
from tests.unit.engine.made import filing, hit

OLD, NEW = filing("Acme Corp.", 2022), filing("Acme Corp.", 2024)
TEXTS = {
    OLD.id: "The district attorneys investigated the waste segregation practices of our plant.",
    NEW.id: "Our plant makes batteries for vehicles and practices safety.",
}


@dataclass
class Result:
    hits: tuple[Hit, ...]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    mode: Mode = "hybrid"
    similarity: float | None = None


class Searcher:
    def warm_up(self, *, mode: str | None = None, rerank: bool | None = None) -> tuple[str, ...]:
        return ()

    def search(
        self,
        query: str,
        scope: Scope,
        *,
        k: int | None = None,
        mode: str | None = None,
        rerank: bool | None = None,
        hint: StatementBoost | None = None,
        conversation: Sequence[str] = (),
    ) -> Result:
        held = {OLD.id: OLD, NEW.id: NEW}
        return Result(tuple(hit(TEXTS[one], of=held[one]) for one in scope.filings))


class Library:
    def filings(self) -> tuple[Filing, ...]:
        return (OLD, NEW)


def card(question: str) -> EvidenceReady:
    engine = AnswerEngine(Library(), Searcher(), None, Settings())
    return next(event for event in engine.stream(Request(question)) if isinstance(event, EvidenceReady))


def test_a_matter_that_only_an_older_filing_knows_is_found_there_and_said() -> None:
    found = card("What did district attorneys investigate about Acme's waste segregation practices?")
    assert found.passages[0].citation.fiscal_year == 2022
    assert found.notes == ("Acme Corp. FY2024 says little of this; the answer comes from Acme Corp. FY2022.",)


def test_what_the_latest_filing_says_comes_first_and_an_older_one_is_named() -> None:
    found = card("Where does Acme's plant make batteries for vehicles?")
    assert [passage.citation.fiscal_year for passage in found.passages] == [2024, 2022]
    assert found.notes == ("Also shown: what Acme Corp. FY2022 said and the latest filing no longer says.",)


class Listed:
    """A structure that answers with a sentence of the latest filing."""

    def page(self, understood: Understanding, source: Source) -> None:
        return None

    def answer(self, *_: object) -> StructureAnswer:
        own = passage_in(1, NEW, hit(TEXTS[NEW.id], of=NEW).chunk, 0, 10)
        return StructureAnswer((Sentence("Acme has one plant.", (1,), "grounded"),), (own,))


def test_where_the_answer_cites_no_older_filing_nothing_is_said_of_it() -> None:
    engine = AnswerEngine(Library(), Searcher(), None, Settings(), structure=cast(Structure, Listed()))
    events = engine.stream(Request("Where does Acme's plant make batteries for vehicles?"))
    found = next(event for event in events if isinstance(event, EvidenceReady))
    assert [sentence.text for sentence in found.sentences] == ["Acme has one plant."]
    assert found.notes == ()


def test_an_older_filing_that_says_the_same_is_left_out() -> None:
    latest = [hit(f"Our plant number {n} makes batteries for vehicles.", of=NEW, rank=n) for n in range(1, 6)]
    again = hit("Our plant number 3 makes batteries for vehicles, as ever.", of=OLD, rank=7)
    other = hit("Zeppelins were discontinued after the fire.", of=OLD, rank=8)
    hits, told = with_older(latest, [latest[0], again, other])
    assert [found.filing.fiscal_year for found in hits] == [2024, 2024, 2024, 2022, 2024, 2024]
    assert hits[3] is other
    assert told == (OLD,)
    assert with_older(latest, [latest[0], again]) == (latest, ())


def test_a_question_of_the_only_company_in_scope_looks_back_too() -> None:
    found = card("What did district attorneys investigate about waste segregation practices?")
    assert found.passages[0].citation.fiscal_year == 2022


def test_a_named_year_is_kept() -> None:
    found = card("What did Acme's plant practices cover in fiscal 2024?")
    assert {passage.citation.fiscal_year for passage in found.passages} == {2024}
