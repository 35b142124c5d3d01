"""Tables of contents and indexes of Items: found so that they do not win, and read where they are all there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.filings.section_headings import Candidate

_NEAR = 60
_NEAR_PAGED = 700
_LEAST = 4


def mark_contents(candidates: Sequence[Candidate]) -> list[Candidate]:
    """``candidates`` with ``listed`` set on those that stand in a table of contents.

    Such a list is a run of different Items close together, most of which are headed again elsewhere. A filing whose Items
    are all "None" or "Omitted" is a close run as well, but nothing heads them again.
    """
    marked = list(candidates)
    run: list[int] = []
    for index, candidate in enumerate(candidates):
        if run and not _follows(candidates[run[-1]], candidate):
            _judge(marked, run)
            run = []
        run.append(index)
    _judge(marked, run)
    return marked


def _follows(before: Candidate, candidate: Candidate) -> bool:
    gap = candidate.start - before.end
    near = _NEAR_PAGED if before.paged and candidate.paged else _NEAR
    if before.listed and candidate.listed:
        near = _NEAR_PAGED
    return gap <= near and candidate.order >= before.order


def _judge(marked: list[Candidate], run: Sequence[int]) -> None:
    numbered = [index for index in run if marked[index].numbered]
    if len({marked[index].numbers[0] for index in numbered}) < _LEAST:
        return
    inside = set(run)
    elsewhere = {n for i, c in enumerate(marked) if i not in inside and not c.listed for n in c.numbers}
    repeated = sum(marked[index].numbers[0] in elsewhere for index in run)
    paged = sum(marked[index].paged for index in run)
    if repeated * 2 >= len(run) or paged * 2 >= len(run) or sum(marked[index].listed for index in run) * 2 >= len(run):
        for index in run:
            marked[index] = replace(marked[index], listed=True)
