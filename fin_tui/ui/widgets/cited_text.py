"""Plain text with clickable [n]; markup is off, so brackets in filings stay brackets."""

from __future__ import annotations

from collections.abc import Collection

from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from fin_tui.ui.text import cited_numbers, clean


def cited(text: str, known: Collection[int]) -> Content:
    """``text`` in which each ``[n]`` of a known passage is a link; everything else is as it stands."""
    text = clean(text).replace("\t", "  ")  # A tab is drawn wider than Textual counts when it fills the line.
    content = Content(text)
    for start, end, number in cited_numbers(text, known):
        content = content.stylize(Style.from_meta({"@click": f"cite({number})"}), start, end)
    return content


class CitedText(Static):
    """Shows content whose links call ``cite(n)``, and figures that call ``figure(place)``."""

    class Cited(Message):
        """A citation was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Figure(Message):
        """A figure was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self, content: Content | str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(content, markup=False, id=id, classes=classes)

    def action_cite(self, number: int) -> None:
        self.post_message(self.Cited(number))

    def action_figure(self, place: int) -> None:
        self.post_message(self.Figure(place))
