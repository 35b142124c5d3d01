"""Notices when a model has begun to say the same again (pure)."""

from __future__ import annotations

from fin_tui.retrieval.tokens import tokenize

_NEW_SHARE = 0.15
_PATIENCE = 2


class Said:
    """Remembers the words of the sentences so far."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._stale = 0

    @property
    def enough(self) -> bool:
        """Two sentences in a row added nothing: what follows will not either."""
        return self._stale >= _PATIENCE

    def is_new(self, sentence: str) -> bool:
        """Whether ``sentence`` says something that was not said; remembers it when it does."""
        words = set(tokenize(sentence))
        fresh = words - self._words
        if self._words and len(fresh) <= len(words) * _NEW_SHARE:
            self._stale += 1
            return False
        self._stale = 0
        self._words |= words
        return True
