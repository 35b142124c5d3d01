"""The questions of a stored conversation, asked again: what made the answers differs, or does not (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from fin_tui.engine.kept.conversation import history_of
from fin_tui.engine.questions.understanding import Request
from fin_tui.records import Answer

_NAMES = {"model": "model", "mode": "search mode", "library": "version of the library", "corpus": "corpus"}


class Turn(Protocol):
    """A stored turn."""

    @property
    def question(self) -> str: ...
    @property
    def answer(self) -> Answer: ...
    @property
    def fingerprint(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Replayed:
    """A stored answer beside that of now."""

    before: Answer
    now: Answer
    changes: tuple[str, ...]
    """What made them that differs, for people: "version of the library 3, now 5"."""

    @property
    def is_same(self) -> bool:
        """Whether both say the same: the same words with the same numbers, or the same refusal."""
        return _said(self.before) == _said(self.now)


def requests_of(turns: Sequence[Turn], common: Request) -> Iterator[Request]:
    """Each question with the history that it had; ``common`` says how all are asked, and where it leaves the mode open it is that
    of the stored answer. An answer that was given without a model is given without one again.
    """
    for at, turn in enumerate(turns):
        mode = common.mode or turn.fingerprint.get("mode")
        use_model = common.use_model and turn.fingerprint.get("model") != "none"
        history = history_of(earlier.answer for earlier in turns[:at])
        yield replace(common, question=turn.question, history=history, mode=mode, use_model=use_model)


def replayed(turn: Turn, now: Answer, made: Mapping[str, Any]) -> Replayed:
    """``turn`` beside its answer of ``now``, ``made`` (see ``conversation.fingerprint``) by the same or other means."""
    changes = tuple(
        f"{name} {turn.fingerprint.get(key) or 'none'}, now {made.get(key) or 'none'}"
        for key, name in _NAMES.items()
        if turn.fingerprint.get(key) != made.get(key)
    )
    return Replayed(turn.answer, now, changes)


def _said(answer: Answer) -> tuple[object, ...]:
    return answer.status, answer.refusal.kind if answer.refusal else "", answer.answer, answer.value, answer.unit
