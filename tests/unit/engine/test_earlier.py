from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fin_tui.config import Settings
from fin_tui.engine.answer import AnswerEngine, Request
from fin_tui.engine.events import EvidenceReady
from fin_tui.records import Filing, Hit, Scope
from fin_tui.retrieval.statements import Hint
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
    mode: str = "hybrid"
    similarity: float | None = None


class Searcher:
    def search(
        self,
        query: str,
        scope: Scope,
        *,
        k: int | None = None,
        mode: str | None = None,
        rerank: bool | None = None,
        hint: Hint | None = None,
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


def test_what_the_latest_filing_says_is_taken_from_it() -> None:
    found = card("Where does Acme's plant make batteries for vehicles?")
    assert found.passages[0].citation.fiscal_year == 2024
    assert found.notes == ()


def test_a_named_year_is_kept() -> None:
    found = card("What did Acme's plant practices cover in fiscal 2024?")
    assert {passage.citation.fiscal_year for passage in found.passages} == {2024}
