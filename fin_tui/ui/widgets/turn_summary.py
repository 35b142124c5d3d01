"""The quiet line under a finished turn: support, model, timing."""

from __future__ import annotations

from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from fin_tui.records import Answer, Refusal
from fin_tui.ui.services import ModelState
from fin_tui.ui.text import UNSUPPORTED_MARK, clean, one_line


class StatusText(Static):
    """The line itself; its link files the answer in the notebook."""

    class KeepChosen(Message):
        """The link was clicked."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__("", markup=False, classes=classes)

    def action_file(self) -> None:
        self.post_message(self.KeepChosen())


def summary(answer: Answer, model: ModelState, was_worded: bool) -> Content:
    """What a reader wants to know after the answer, most important first."""
    parts: list[Content | str | tuple[str, str]] = []
    if answer.stopped:
        parts.append(("stopped", "bold $warning"))
    if answer.status == "refused":
        parts.append("not answered")
    elif support := _support(answer):
        parts.append(support)
    if was_worded:
        parts.append(one_line(answer.model or model.name))
        if answer.draft:
            parts.append((" draft model ", "$foreground on $panel"))
    elif answer.status == "answered":
        parts.append("extract, no model")
    parts.extend(_timing(answer))
    if answer.status == "answered":
        parts.append(Content.styled("file", Style.from_meta({"@click": "file"})))
    line = Content("")
    for index, part in enumerate(parts):
        line = line + (Content("  ·  ") if index else Content("")) + _content(part)
    return line


def refusal_text(refusal: Refusal) -> str:
    """Why there is no answer, and what would mend that."""
    said = clean(refusal.message)
    if refusal.fetch:
        said += f"\nEDGAR may have it: b (Alt+B) fetches it, after asking; or {one_line(refusal.fetch)} in a shell."
    return said


def _content(part: Content | str | tuple[str, str]) -> Content:
    return Content.styled(*part) if isinstance(part, tuple) else part if isinstance(part, Content) else Content(part)


def _support(answer: Answer) -> Content | None:
    total = len(answer.sentences)
    if not total or answer.draft:
        return None
    bad = sum(sentence.support == "unsupported" for sentence in answer.sentences)
    if not bad:
        return Content.styled(f"✓ {total} of {total} sentences supported" if total > 1 else "✓ supported", "$success")
    return Content.styled(f"{UNSUPPORTED_MARK} {bad} of {total} sentences not supported by the sources", "$warning")


def _timing(answer: Answer) -> list[str]:
    names = (("evidence", "evidence"), ("first_token", "first word"), ("total", "total"))
    return [f"{label} {_seconds(answer.timings_ms[key])}" for key, label in names if key in answer.timings_ms]


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 995 else f"{milliseconds / 1000:.1f} s"
