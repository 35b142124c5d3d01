"""What the structure of several filings says, one after the other, and how a count differs between the first and the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.structures.desk import StructureAnswer, named
from fin_tui.records import Filing, Sentence

MOST = 4
"""Filings that are told one after the other."""


def in_turn(filings: Sequence[Filing], answers: Sequence[StructureAnswer]) -> StructureAnswer:
    """The answers of ``filings`` as one, their passages numbered on; with a line on the change where all of them count."""
    passages: list[Passage] = []
    told: list[Sentence] = []
    for answer in answers:
        before = len(passages)
        passages += [
            replace(passage, citation=replace(passage.citation, id=passage.citation.id + before)) for passage in answer.passages
        ]
        told += [replace(one, citations=tuple(number + before for number in one.citations)) for one in answer.sentences]
    change = _change(filings, answers)
    return StructureAnswer((*change, *told), tuple(passages), is_open=any(answer.is_open for answer in answers))


def _change(filings: Sequence[Filing], answers: Sequence[StructureAnswer]) -> tuple[Sentence, ...]:
    """ "Acme Corp. counts 120 in its 10-K for FY2023 and 150 in its 10-K for FY2024: a change of +30 (+25.0%)." """
    counted = sorted(
        ((filing.fiscal_year or 0, filing, answer.value) for filing, answer in zip(filings, answers, strict=True)),
        key=lambda one: one[0],
    )
    (_, first, old), (_, last, new) = counted[0], counted[-1]
    if first.company_key != last.company_key or any(value is None for _, _, value in counted) or not old or new is None:
        return ()
    told = (
        f"{last.company} counts {old:,.0f} in its {named(first)} and {new:,.0f} in its {named(last)}: "
        f"a change of {new - old:+,.0f} ({(new / old - 1) * 100:+.1f}%)."
    )
    return (Sentence(told, (), "computed"),)
