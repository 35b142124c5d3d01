"""What the app needs for the notebook, for exports and for looking into a figure. ``live_notebook.py`` is the real thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fin_tui.engine.answering.events import Passage
from fin_tui.records import Answer, Citation

if TYPE_CHECKING:
    from fin_tui.engine.exports.file import Taken
    from fin_tui.engine.exports.page import Format
    from fin_tui.engine.figures.detail import FigureDetail, Stated
    from fin_tui.engine.kept.notebook import Traced
    from fin_tui.store.notebook import NotebookEntry


@dataclass(frozen=True, slots=True)
class NotebookState:
    """The notebook as it is now."""

    entries: Sequence[NotebookEntry]
    traced: Mapping[Citation, Traced]
    """Where each kept quote stands in the library of now."""


class NotebookRoom(Protocol):
    """All methods may block and are called from worker threads only. They raise ``FinTuiError``."""

    def read(self) -> NotebookState: ...

    def keep_answer(self, answer: Answer, passages: Sequence[Passage]) -> None: ...

    def keep_passage(self, passage: Passage) -> None: ...

    def keep_figure(self, fact: Mapping[str, Any], citation: Citation | None) -> None: ...

    def keep_span(self, filing: str, start: int, end: int) -> None:
        """Keep the words of a filing's clean text."""
        ...

    def annotate(self, number: int, note: str) -> None: ...

    def move(self, number: int, by: int) -> None: ...

    def remove(self, number: int) -> None: ...

    def export(self, form: Format, *, with_unsupported: bool, taken: Taken | None = None) -> Path:
        """Write the notebook into a file; raises ``UnsupportedText`` unless what nothing supports may go with it, ``NameTaken``
        where there is one and ``taken`` does not say what becomes of it.
        """
        ...

    def export_conversation(self, conversation: str, form: Format, taken: Taken | None = None) -> Path:
        """Write a conversation into a file; raises ``NameTaken`` as ``export`` does."""
        ...

    def figure(self, fact: Mapping[str, Any]) -> FigureDetail:
        """All that the library knows of a figure. Raises ``NotFound`` when it is no longer there."""
        ...

    def citation_of(self, stated: Stated) -> Citation | None:
        """Where a value stands, to open it; None for what a filing does not print."""
        ...
