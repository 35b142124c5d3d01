"""A passage as an answer might read, imagined by the language model to search by its meaning.

After Gao and others, "Precise Zero-Shot Dense Retrieval without Relevance Labels" (2022). What the model imagines is only ever
embedded: it is never shown and proves nothing.
"""

from __future__ import annotations

import logging
import time

from fin_tui.engine.models.language_model import LanguageModel
from fin_tui.engine.models.protocol import Message
from fin_tui.errors import FinTuiError

MOST_TOKENS = 64
_SYSTEM = (
    "You write how a company's annual report on Form 10-K words a matter. Given a question, write two plain sentences as they "
    "could stand in the report. Write no figures, no names and nothing else."
)
log = logging.getLogger(__name__)


class Hyde:
    """Imagines passages with one model."""

    def __init__(self, model: LanguageModel, *, seconds: float) -> None:
        """A passage that isn't finished after ``seconds`` is not used."""
        self._model = model
        self._seconds = seconds

    def __call__(self, question: str) -> str:
        """The passage; "" when the model fails or is too slow."""
        until = time.monotonic() + self._seconds
        messages = [Message("system", _SYSTEM), Message("user", question)]
        try:
            text = "".join(
                self._model.generate(messages, max_tokens=MOST_TOKENS, cancelled=lambda: time.monotonic() > until)
            ).strip()
        except FinTuiError as error:
            log.warning("no imagined passage: %s %s", error.message, error.hint)
            return ""
        return text if time.monotonic() <= until else ""
