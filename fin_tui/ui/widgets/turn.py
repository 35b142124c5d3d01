"""One question with its evidence card and its answer, as they arrive."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Markdown, Static

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
from fin_tui.engine.figures.shown import Figures
from fin_tui.records import Answer, Refusal, Sentence
from fin_tui.ui.conversation import TurnState
from fin_tui.ui.messages import CitationChosen, FigureWanted, TurnKept
from fin_tui.ui.services import ModelState
from fin_tui.ui.text import UNSUPPORTED_MARK, answer_markdown, citation_of, clean, one_line, streamed_markdown
from fin_tui.ui.widgets.cited_text import CitedText
from fin_tui.ui.widgets.evidence_card import EvidenceCard, Plan
from fin_tui.ui.widgets.paced_text import PacedText
from fin_tui.ui.widgets.reasons import Reasons
from fin_tui.ui.widgets.turn_summary import StatusText, refusal_text, summary, understood_text


class Turn(Vertical):
    """Shows the events of one question; what is known of it stands in ``state``."""

    def __init__(self, question: str, model: ModelState) -> None:
        super().__init__(classes="turn")
        self.state = TurnState(question)
        self._model = model
        self._written: list[str] = []
        self._stream: PacedText | None = None

    def compose(self) -> ComposeResult:
        yield Static(clean(self.state.question), markup=False, classes="question")
        yield Static("", markup=False, classes="understood")
        yield EvidenceCard()
        yield Static("", markup=False, classes="answer-title")
        yield Markdown(open_links=False, classes="answer")
        yield Reasons(classes="reasons")
        yield StatusText(classes="status")

    def on_mount(self) -> None:
        for selector in (".understood", "EvidenceCard", ".answer-title", ".answer"):
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
            self._card(answer.extract, passages, (), Figures.of(answer), answer.plan)
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
        self._card(event.extract, event.passages, event.notes, figures, found.plan if found is not None else ())
        self.say("")

    def _card(self, extract: str, passages: Sequence[Passage], notes: Sequence[str], figures: Figures, plan: Plan) -> None:
        self.state.extract, self.state.figures = extract, figures
        card = self.query_one(EvidenceCard)
        card.show(extract, passages, notes, figures, plan)
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
        self._reveal(".understood", Content(refusal_text(refusal)))
        self.query_one(".understood").add_class("-refused")

    async def _fail(self, event: Failed) -> None:
        self.state.is_done = True
        await self._end_stream()
        status = self.query_one(StatusText)
        status.add_class("-failed")
        hint = f"\n{clean(event.hint)}" if event.hint else ""
        status.say(Content(f"{UNSUPPORTED_MARK} {clean(event.message)}{hint}"))
