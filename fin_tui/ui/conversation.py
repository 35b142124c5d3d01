"""A conversation apart from how it is drawn: what is known of a turn, and the log that stores turns. Pure."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import Figures
from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.records import Answer, Refusal
from fin_tui.ui.services import Services
from fin_tui.ui.text import cited_numbers


@dataclass(eq=False, slots=True)
class TurnState:
    """One question and what came of it so far. Its passages are what its own [n] mean."""

    question: str
    passages: tuple[Passage, ...] = ()
    before: tuple[Passage, ...] | None = None
    """The passages of the same question asked just before, to tell what is new."""
    extract: str = ""
    figures: Figures = field(default_factory=Figures)
    answer: Answer | None = None
    interpretation: Interpretation | None = None
    """What was understood; None of a turn that is shown again as it was stored."""
    is_done: bool = False
    is_overtaken: bool = False
    """The next question came before this one was answered."""

    @property
    def known(self) -> frozenset[int]:
        """The numbers that a citation of this turn may have."""
        return frozenset(p.citation.id for p in self.passages)

    @property
    def first_cited(self) -> int | None:
        """The passage that the evidence names first."""
        found = cited_numbers(self.extract, self.known)
        return found[0][2] if found else None

    @property
    def ranks(self) -> Mapping[str, Mapping[str, int | None]]:
        """Chunk id -> its rank in each list; empty before the end."""
        chunks = self.answer.retrieval.get("chunks", ()) if self.answer is not None else ()
        return {chunk["chunk_id"]: chunk["ranks"] for chunk in chunks}


class ConversationLog:
    """Writes the turns of one conversation as they end, from whichever worker thread made them.

    The conversation is made in the library with its first answer.
    """

    def __init__(self, conversation: str = "") -> None:
        self._id = conversation
        self._lock = threading.Lock()
        self._stored: list[TurnState] = []

    @property
    def id(self) -> str:
        """Empty until there is a first answer."""
        return self._id

    def append(self, services: Services, turn: TurnState, answer: Answer, passages: Sequence[Passage]) -> None:
        """Add a turn with the passages beside it, once; two threads never make two conversations of one.

        Raises ``FinTuiError``.
        """
        with self._lock:
            if turn not in self._stored:
                self._id = services.keep(self._id, answer, passages)
                self._stored.append(turn)

    def leave(self, services: Services, turn: TurnState) -> None:
        """Add a turn whose question was not answered before the reader left. Raises ``FinTuiError``."""
        refusal = Refusal(_UNANSWERED, "Not answered: fin-tui was left before the answer was ready.")
        answer = Answer(turn.question, "refused", "", refusal=refusal, stopped=True)
        self.append(services, turn, answer, ())


_UNANSWERED = "unanswered"
