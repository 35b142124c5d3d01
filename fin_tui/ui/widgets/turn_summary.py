"""The quiet line under a finished turn: support, model, timing. What is worth least gives way where it is narrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from fin_tui.engine.answering.events import Understood
from fin_tui.engine.evidence.extract import shorten
from fin_tui.records import Answer, Refusal
from fin_tui.ui.text import UNSUPPORTED_MARK, clean, one_line

_QUOTES, _QUOTED = 2, 600
"""Passages nearest to what was not found that are quoted, and characters of each."""
_BETWEEN = Content(" · ")
_FIRST_WORD, _LONG_WORDS, _EVIDENCE, _MODEL, _FILE, _TOTAL, _ALWAYS = range(7)
"""What a part is worth: the first goes first."""


class StatusText(Static):
    """The line itself; its link files the answer in the notebook."""

    class KeepChosen(Message):
        """The link was clicked."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__("", markup=False, classes=classes)
        self._ways: tuple[Content, ...] = ()

    def say(self, *ways: Content) -> None:
        """Show the first of the ways to say the same that fits on a line, else the last; where it is not the first, that is the
        tooltip.
        """
        self._ways = ways
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def action_file(self) -> None:
        self.post_message(self.KeepChosen())

    def _draw(self) -> None:
        if not self._ways:
            return
        room = self.content_region.width
        said = next((way for way in self._ways if not room or way.cell_length <= room), self._ways[-1])
        self.tooltip = None if said is self._ways[0] else Content(self._ways[0].plain)
        self.update(said)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the line."""

    told: Content
    worth: int = _ALWAYS
    short: Content | None = None
    """What stands in its place where it gives way; nothing does when None."""


def summary(answer: Answer, written_by: str) -> tuple[Content, ...]:
    """What a reader wants to know after the answer, most important first: from all there is to tell to what must be told.

    ``written_by`` is the model that wrote something, whether or not it became the answer.
    """
    parts: list[_Part] = []
    if answer.stopped:
        parts.append(_Part(Content.styled("stopped", "bold $warning")))
    if answer.status == "refused":
        parts.append(_Part(Content("not answered")))
    elif support := _support(answer):
        parts.append(support)
    if answer.status == "answered" and (answer.model in ("", "none") or answer.answer == answer.extract):
        if written_by and not answer.stopped:
            parts.append(_Part(Content(f"what {one_line(written_by)} wrote is unsupported"), _LONG_WORDS))
        parts.append(_Part(Content("the filing's own words"), _MODEL, Content("own words")))
    elif answer.status == "answered":
        parts.append(_Part(Content(one_line(answer.model)), _MODEL))
    parts.extend(_timing(answer))
    if answer.status == "answered":
        parts.append(_Part(Content.styled("file", Style.from_meta({"@click": "file"})), _FILE))
    return tuple(_narrowing(parts))


def _narrowing(parts: Sequence[_Part]) -> Iterator[Content]:
    """The line as a whole, then with one part after the other giving way."""
    yield _joined(parts)
    for worth in range(_ALWAYS):
        if any(part.worth == worth for part in parts):
            parts = [part for part in (_given_way(part) if part.worth == worth else part for part in parts) if part is not None]
            yield _joined(parts)


def _given_way(part: _Part) -> _Part | None:
    return _Part(part.short) if part.short is not None else None


def _joined(parts: Iterable[_Part]) -> Content:
    return _BETWEEN.join(part.told for part in parts)


def understood_text(event: Understood) -> Content:
    """Company, period and figure as they were read, with what was typed otherwise; else where the question looks."""
    read = event.interpretation
    told = Content(one_line(read.line or event.scope_label))
    return told + Content.styled(f"  ({one_line(read.slips)})", "$text-warning") if read.slips else told


def refusal_text(refusal: Refusal) -> str:
    """Why there is no answer, and what would mend that."""
    said = clean(refusal.message)
    if refusal.kind == "out_of_scope":
        said += "\nq (Alt+Q) asks one or the other."
    if refusal.fetch:
        said += f"\nEDGAR may have it: b (Alt+G) fetches it, after asking; or {one_line(refusal.fetch)} in a shell."
    for citation in refusal.nearest[:_QUOTES]:
        said += f"\n\n“{clean(shorten(citation.words, _QUOTED))}” — {one_line(citation.reference)}"
    return said


def _support(answer: Answer) -> _Part | None:
    told = [sentence for sentence in answer.sentences if not sentence.is_detail]
    total = len(told)
    if not total:
        return None
    bad = sum(sentence.support == "unsupported" for sentence in told)
    if bad:
        said, short = f"{bad} of {total} sentences not supported by the sources", f"{bad} of {total} unsupported"
        mark, style = UNSUPPORTED_MARK, "$warning"
    else:
        said, short = (
            ("supported", "supported")
            if total == 1
            else (f"{total} of {total} sentences supported", f"{total} of {total} supported")
        )
        mark, style = "✓", "$success"
    return _Part(Content.styled(f"{mark} {said}", style), _LONG_WORDS, Content.styled(f"{mark} {short}", style))


def _timing(answer: Answer) -> list[_Part]:
    names = (("evidence", "evidence", _EVIDENCE), ("first_token", "first word", _FIRST_WORD), ("total", "total", _TOTAL))
    known = [(label, answer.timings_ms[key], worth) for key, label, worth in names if key in answer.timings_ms]
    return [_Part(Content(f"{label} {_seconds(spent)}"), worth) for label, spent, worth in known]


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 995 else f"{milliseconds / 1000:.1f} s"
