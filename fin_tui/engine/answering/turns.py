"""What the turns of conversations were answered with: the figure, its value, and how sure it was."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.questions.understanding import Request
from fin_tui.facts.figures import Figure
from fin_tui.records import Filing

_MOST = 64
"""Turns that are remembered."""


@dataclass(slots=True)
class _Turn:
    figure: Figure | None = None
    value: float | None = None
    """What the turn was surely answered with."""
    is_sure: bool = False
    is_doubted: bool = False
    """No sentence is to be quoted for it, and no figure that was taken back to be told in another shape."""


class Turns:
    """Remembers some turns, the last ones."""

    def __init__(self) -> None:
        self._turns: dict[Hashable, _Turn] = {}

    def keep(self, turn: Hashable, figure: Figure | None, value: float | None = None, *, is_sure: bool) -> None:
        """``turn`` was answered with ``figure``, and with ``value``; where it is not sure, that is the likeliest."""
        known = self._turns.setdefault(turn, _Turn())
        known.figure, known.value, known.is_sure = figure, value, is_sure
        while len(self._turns) > _MOST:
            self._turns.pop(next(iter(self._turns)))

    def doubt(self, turn: Hashable) -> None:
        """Nothing is sure for ``turn``: no sentence is to be quoted for it, nor is what was taken back to be told again."""
        self._turns[turn] = _Turn(is_doubted=True)

    def __contains__(self, turn: Hashable) -> bool:
        return turn in self._turns

    def of(self, turn: Hashable) -> _Turn:
        """What is known of a turn; nothing of one that is not remembered."""
        return self._turns.get(turn, _Turn())


def turn_of(request: Request, held: Sequence[Filing]) -> Hashable:
    """What tells one turn of a conversation from another."""
    return (request.question, request.history, request.scope, tuple(filing.id for filing in held))


def turn_before(request: Request, held: Sequence[Filing], back: int) -> Hashable:
    """The turn that is ``back`` turns before ``request``."""
    at = len(request.history) - back
    return turn_of(replace(request, question=request.history[at], history=request.history[:at], id=None), held)
