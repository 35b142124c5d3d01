from __future__ import annotations

from fin_tui.engine.structures.desk import StructureAnswer
from fin_tui.engine.structures.several import in_turn
from fin_tui.records import Sentence
from tests.unit.engine.made import filing


def counted(value: float | None) -> StructureAnswer:
    return StructureAnswer((Sentence(f"We have {value}.", (), "grounded"),), (), value, "count")


def test_counts_of_one_company_are_set_against_each_other() -> None:
    answer = in_turn((filing(year=2024), filing(year=2022)), (counted(150), counted(120)))
    assert answer.sentences[0].text == (
        "Acme Corp. counts 120 in its 10-K for FY2022 and 150 in its 10-K for FY2024: a change of +30 (+25.0%)."
    )


def test_no_change_between_two_companies_or_without_a_count() -> None:
    assert len(in_turn((filing(), filing("Other Inc.")), (counted(1), counted(2))).sentences) == 2
    assert len(in_turn((filing(), filing(year=2023)), (counted(1), counted(None))).sentences) == 2
