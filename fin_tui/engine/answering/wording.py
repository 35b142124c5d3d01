"""The language model's words of the evidence: streamed, and checked sentence by sentence as they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fin_tui.config import Settings
from fin_tui.engine.answering.compose import Draft, compose
from fin_tui.engine.answering.events import Event, Finished, ModelEnded, SentenceDone, Status, Token
from fin_tui.engine.answering.packing import Excerpt
from fin_tui.engine.answering.prompt import build_prompt
from fin_tui.engine.answering.sentence_checker import Checker
from fin_tui.engine.answering.sentence_stream import SentenceStream
from fin_tui.engine.models.language_model import LanguageModel
from fin_tui.engine.models.repetition import Said
from fin_tui.errors import FinTuiError
from fin_tui.records import Sentence

_MOST_UNSUPPORTED = 1
"""Of the few sentences that are asked for; with one more too little of the text is supported for it to become the answer."""


class Wording:
    """Has a model write one answer after the other."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._read_last: tuple[Excerpt, ...] = ()
        """What the model read for the answer before: the same beginning needs no second reading."""

    def events(self, draft: Draft, model: LanguageModel, cancelled: Callable[[], bool]) -> Iterator[Event]:
        """Tokens, checked sentences, and the finished answer; a model that fails leaves the extractive answer standing, and one
        whose text can't become the answer any more is stopped.
        """
        yield Status("reading the sources")
        told = draft.sentences if draft.figures else ()
        checker = Checker(draft.evidence.passages, told, draft.understood.question.text, draft.verdict)
        most_unsupported = 0 if draft.figures else _MOST_UNSUPPORTED
        stream = SentenceStream()
        said = Said()
        done: list[Sentence] = []

        def is_lost() -> bool:
            return sum(sentence.support == "unsupported" for sentence in done) > most_unsupported

        try:
            for piece in self._generate(draft, model, lambda: cancelled() or said.enough or is_lost()):
                if not stream.text:
                    draft.timer.mark("first_token")
                yield Token(piece)
                for text in stream.feed(piece):
                    if said.is_new(text):
                        done.append(checker.check(text))
                        yield SentenceDone(done[-1], len(done) - 1)
        except FinTuiError as error:
            yield ModelEnded(error.message, error.hint)
        for text in () if is_lost() else stream.finish():
            if said.is_new(text):
                done.append(checker.check(text))
                yield SentenceDone(done[-1], len(done) - 1)
        yield Finished(compose(draft, tuple(done), model.name, stopped=cancelled()), draft.evidence.passages)

    def _generate(self, draft: Draft, model: LanguageModel, cancelled: Callable[[], bool]) -> Iterator[str]:
        limits = self._settings.model
        prompt = build_prompt(
            draft.understood.request.question,
            draft.evidence,
            figures=[sentence.text for sentence in draft.sentences] if draft.figures else (),
            count=model.count_tokens,
            context=model.context,
            evidence_tokens=limits.evidence_tokens,
            answer_tokens=limits.answer_tokens,
            before=self._read_last,
        )
        self._read_last = prompt.excerpts
        yield from model.generate(prompt.messages, max_tokens=limits.answer_tokens, cancelled=cancelled)
