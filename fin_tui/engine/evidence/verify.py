"""Numbers of a sentence against the text they should come from (pure).

A number passes when the source prints it, in the same or another notation: "$391.0 billion" for 391,035 in a table of millions,
"12.7 percent" for 12.7. A year passes when it stands in the source.
"""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers


def numbers_unsupported(sentence: str, source: str, scales: Sequence[int] = (1,)) -> tuple[Number, ...]:
    """The numbers of ``sentence`` that ``source`` doesn't print under any of ``scales``."""
    stated = tuple(find_numbers(sentence))
    if not stated:
        return ()
    printed = tuple(find_numbers(source))
    return tuple(number for number in stated if not _is_printed(number, printed, scales))


def _is_printed(number: Number, printed: Sequence[Number], scales: Sequence[int]) -> bool:
    if number.is_year:
        return any(other.value == number.value for other in printed)
    return any(agrees(number, other, scales) for other in printed)
