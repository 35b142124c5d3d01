"""One question with its evidence card and its answer, as they arrive, and the line that sums it up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.timer import Timer
from textual.widgets import Markdown, Static

from fin_tui.engine.answering.compose import is_closest
from fin_tui.engine.answering.events import (
    Event,
    EvidenceReady,
    Failed,
    Finished,
    Passage,
    Refused,
    Status,
    Token,
    Understood,
)
from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.figures.shown import Figures
from fin_tui.language import count
from fin_tui.records import Answer, PlanStep, Refusal, Sentence
from fin_tui.ui.conversation import TurnState
from fin_tui.ui.messages import CitationChosen, FigureWanted, TurnKept
from fin_tui.ui.services import ModelState
from fin_tui.ui.text import UNSUPPORTED_MARK, answer_markdown, citation_of, clean, folded, one_line, streamed_markdown
from fin_tui.ui.widgets.evidence_card import CitedText, EvidenceCard

_QUOTES, _QUOTED = 2, 600
"""Passages nearest to what was not found that are quoted, and characters of each."""
_BETWEEN = Content(" · ")
_FIRST_WORD, _LONG_WORDS, _EVIDENCE, _MODEL, _FILE, _TOTAL, _ALWAYS = range(7)
"""What a part is worth: the first goes first."""


_NO_REASON = "no source supports it"
_LONGEST_SAID = 90
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
            said = shorten(one_line(sentence.text), _LONGEST_SAID)
            why = clean(sentence.why) or _NO_REASON
            lines.append(Content.assemble((f"{UNSUPPORTED_MARK} ", "$warning"), f"“{said}” ", (f"{why}", "bold")))
        return Content("\n").join(lines)


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
        parts.append(_Part(Content.styled("save", Style.from_meta({"@click": "file"})), _FILE))
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
        said += f"\nEDGAR may have it: b (Alt+G) downloads it, after asking; or {one_line(refusal.fetch)} in a shell."
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
    elif answer.caution or is_closest(told):
        return None  # That each passage is quoted rightly does not make it the answer.
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


PACE_SECONDS = 0.15


class PacedText:
    """Appends to a Markdown view: the first piece at once, then what came within ``PACE_SECONDS`` together."""

    def __init__(self, view: Markdown) -> None:
        self._view = view
        self._stream = Markdown.get_stream(view)
        self._waiting: list[str] = []
        self._timer: Timer | None = None
        self._drawn = 0.0

    async def write(self, text: str) -> None:
        """Show ``text`` after what was written before, now or soon."""
        self._waiting.append(text)
        left = self._drawn + PACE_SECONDS - time.monotonic()
        if left <= 0:
            await self._draw()
        elif self._timer is None:
            self._timer = self._view.set_timer(left, self._draw)

    async def end(self) -> None:
        """Show what is left."""
        await self._draw()
        await self._stream.stop()

    async def _draw(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        text, self._waiting = "".join(self._waiting), []
        self._drawn = time.monotonic()
        await self._stream.write(text)


class Turn(Vertical):
    """Shows the events of one question; what is known of it stands in ``state``."""

    def __init__(self, question: str, model: ModelState) -> None:
        super().__init__(classes="turn")
        self.state = TurnState(question)
        self._model = model
        self._written: list[str] = []
        self._stream: PacedText | None = None

    def compose(self) -> ComposeResult:
        yield Static(folded(self.state.question), markup=False, classes="question")
        yield Static("", markup=False, classes="understood")
        yield Static("", markup=False, classes="refusal")
        yield EvidenceCard()
        yield Static("", markup=False, classes="answer-title")
        yield Markdown(open_links=False, classes="answer")
        yield Reasons(classes="reasons")
        yield StatusText(classes="status")

    def on_mount(self) -> None:
        for selector in (".understood", ".refusal", "EvidenceCard", ".answer-title", ".answer"):
            self.query_one(selector).display = False

    async def show(self, event: Event) -> None:
        """Show the next event of this question's stream. Events after the end are ignored."""
        if self.state.is_done:
            return
        match event:
            case Understood():
                self.state.interpretation = event.interpretation
                self._reveal(".understood", understood_text(event))
                self.say("searching…")
            case EvidenceReady():
                self._show_evidence(event)
            case Status():
                self.say(event.text)
            case Token():
                await self._write(event.text)
            case Refused():
                self._refuse(event.refusal)
            case Finished():
                await self._finish(event)
            case Failed():
                await self._fail(event)

    async def restore(self, answer: Answer, passages: Sequence[Passage]) -> None:
        """Show a stored answer, as it ended."""
        self.state.passages = tuple(passages)
        if answer.status == "answered":
            own = answer.sentences if answer.answer == answer.extract else ()
            self._card(answer.extract, passages, answer.notes, Figures.of(answer), answer.plan, own)
            self.query_one(EvidenceCard).warn(answer.caution)
        await self._finish(Finished(answer, tuple(passages)))

    def say(self, text: str) -> None:
        """Put ``text`` into the status line of the turn."""
        self.query_one(StatusText).say(Content(one_line(text)))

    @on(CitedText.Cited)
    def _cited(self, event: CitedText.Cited) -> None:
        event.stop()
        if event.number in self.state.known:
            self.post_message(CitationChosen(self.state, event.number))

    @on(CitedText.Figure)
    def _figure(self, event: CitedText.Figure) -> None:
        event.stop()
        self.post_message(FigureWanted(self.state, event.place))

    @on(StatusText.KeepChosen)
    def _keep_chosen(self, event: StatusText.KeepChosen) -> None:
        event.stop()
        self.post_message(TurnKept(self.state))

    @on(Markdown.LinkClicked)
    def _link(self, event: Markdown.LinkClicked) -> None:
        event.stop()
        number = citation_of(event.href, self.state.known)
        if number is None:
            self.app.notify("That link leads nowhere: only citations of this answer open.", severity="warning", markup=False)
            return
        self.post_message(CitationChosen(self.state, number))

    def _reveal(self, selector: str, content: Content) -> None:
        widget = self.query_one(selector, Static)
        widget.update(content)
        widget.display = True

    def _show_evidence(self, event: EvidenceReady) -> None:
        self.state.passages = event.passages
        found = event.figures
        figures = Figures(found.facts, found.calculation, found.table) if found is not None else Figures()
        plan = found.plan if found is not None else ()
        self._card(event.extract, event.passages, event.notes, figures, plan, event.sentences)
        self.query_one(EvidenceCard).warn(event.caution)
        self.say("")

    def _card(
        self,
        extract: str,
        passages: Sequence[Passage],
        notes: Sequence[str],
        figures: Figures,
        plan: Sequence[PlanStep],
        sentences: Sequence[Sentence],
    ) -> None:
        self.state.extract, self.state.figures = extract, figures
        card = self.query_one(EvidenceCard)
        card.show(extract, passages, notes, figures, plan, sentences)
        card.display = bool(extract or passages or notes)

    async def _write(self, text: str) -> None:
        markdown = self.query_one(".answer", Markdown)
        if self._stream is None:
            self._reveal(".answer-title", Content("Answer"))
            markdown.display = True
            self._stream = PacedText(markdown)
            self.say("writing…")
        self._written.append(text)
        await self._stream.write(streamed_markdown(text))

    async def _end_stream(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.end()

    async def _finish(self, event: Finished) -> None:
        """The text once more as a whole: now with links, and with ⚠ at what nothing supports.

        What a model wrote that did not become the answer goes.
        """
        self.state.is_done = True
        answer = self.state.answer = event.answer
        if event.passages:
            self.state.passages = event.passages
        await self._end_stream()
        if answer.refusal is not None:
            self._refuse(answer.refusal)
        elif answer.answer and answer.answer != self.state.extract:
            await self._settle(answer.answer, answer.sentences)
        elif self._written:
            self.query_one(".answer-title").display = self.query_one(".answer").display = False
        self.query_one(Reasons).explain(answer.sentences if answer.status == "answered" else ())
        self.query_one(StatusText).say(*summary(answer, self._written_by))

    @property
    def _written_by(self) -> str:
        """The model that wrote, whether or not that became the answer; empty for none."""
        return self._model.name if self._written else ""

    async def _settle(self, text: str, sentences: Sequence[Sentence]) -> None:
        markdown = self.query_one(".answer", Markdown)
        await markdown.update(answer_markdown(text, sentences, self.state.known))
        markdown.display = True
        self._reveal(".answer-title", Content("Answer"))

    def _refuse(self, refusal: Refusal) -> None:
        self._reveal(".refusal", Content(refusal_text(refusal)))

    async def _fail(self, event: Failed) -> None:
        self.state.is_done = True
        await self._end_stream()
        status = self.query_one(StatusText)
        status.add_class("-failed")
        hint = f"\n{clean(event.hint)}" if event.hint else ""
        status.say(Content(f"{UNSUPPORTED_MARK} {clean(event.message)}{hint}"))
