"""Why sentences of an answer are marked: one quiet line that opens while it has the focus."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from fin_tui.plural import count
from fin_tui.records import Sentence
from fin_tui.ui.text import UNSUPPORTED_MARK, clean, one_line, shorten

_NO_REASON = "no source supports it"
_LONGEST = 90
"""Characters of a sentence by which it is known again."""


class Reasons(Static, can_focus=True):
    """Hidden while there is nothing to say."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__("", markup=False, classes=classes)
        self._doubtful: tuple[Sentence, ...] = ()
        self.display = False

    def explain(self, sentences: Sequence[Sentence]) -> None:
        """Take the sentences that nothing supports; others are passed over."""
        self._doubtful = tuple(sentence for sentence in sentences if sentence.support == "unsupported")
        self.display = bool(self._doubtful)
        self.tooltip = self._told()
        self.update(self._short())

    def on_focus(self) -> None:
        self.update(self._told())

    def on_blur(self) -> None:
        self.update(self._short())

    def _short(self) -> Content:
        return Content(f"{UNSUPPORTED_MARK} {count(len(self._doubtful), 'unverified sentence')} (u: details)")

    def _told(self) -> Content:
        lines = []
        for sentence in self._doubtful:
            said = shorten(one_line(sentence.text), _LONGEST)
            why = clean(sentence.why) or _NO_REASON
            lines.append(Content.assemble((f"{UNSUPPORTED_MARK} ", "$warning"), f"“{said}” ", (f"{why}", "bold")))
        return Content("\n").join(lines)
