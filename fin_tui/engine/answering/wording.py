"""The language model's words of the evidence: its text as it comes, and each sentence checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import dropwhile

from fin_tui.config import Settings
from fin_tui.engine.answering.combine import is_closest
from fin_tui.engine.answering.compose import Draft, compose
from fin_tui.engine.answering.events import Event, Finished, ModelEnded, SentenceDone, Status, Token
from fin_tui.engine.answering.misplaced import misplaced
from fin_tui.engine.answering.prompt import Excerpt, Room, Told, build_prompt, readable
from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.citations import GROUNDED, attach, prepare, split_answer
from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers
from fin_tui.engine.models.protocol import LanguageModel
from fin_tui.errors import FinTuiError
from fin_tui.language import any_of
from fin_tui.records import Sentence
from fin_tui.retrieval.tokens import tokenize

_ENDS = frozenset(".!?\n")
_FINISHED = (".", "!", "?", ":", ";")


class SentenceStream:
    """Collects what a model streams and hands out each sentence once it can't grow any more."""

    def __init__(self) -> None:
        self.text = ""
        self._given = 0

    def feed(self, piece: str) -> Iterator[str]:
        """Add ``piece``; yields the sentences that it finished, all but the last one begun."""
        self.text += piece
        if not _ENDS.isdisjoint(self.text[-len(piece) - 2 :]):
            yield from self._give(split_answer(self.text)[:-1])

    def finish(self) -> Iterator[str]:
        """The sentences still open at the end. One cut off in its middle is dropped, unless it is all there is."""
        sentences = split_answer(self.text)
        if len(sentences) > 1 and not sentences[-1].rstrip("\"'”’)] ").endswith(_FINISHED):
            sentences = sentences[:-1]
        yield from self._give(sentences)

    def _give(self, sentences: list[str]) -> Iterator[str]:
        for sentence in sentences[self._given :]:
            self._given += 1
            yield sentence


_LEAD_IN = re.compile(r"^(?:the )?answer(?: to (?:this|the|your) question)? is(?: that|:)?\s*", re.I)
"""Says nothing that a passage could bear out, and nothing that could be wrong."""
_VERDICT = re.compile(r"^\W*(?P<said>yes\b|no(?=\s*(?:[,.:;!–—-]|$)))[\s,.:;!–—-]*", re.I)
"""Not the "no" of "No customer …"."""
_FEWEST = 3
"""Content words behind a yes or a no that can be held against a passage."""
_PLAIN = r"(\d[\d,]*(?:\.\d+)?)"
_EQUATION = re.compile(
    rf"(?<![\d,.$/÷*×+−-])(?<![/÷*×+−-] )\$?{_PLAIN} ?([/÷*×+−-]) ?\$?{_PLAIN} ?= ?\$?{_PLAIN}(?![\d,.]*\d)( ?%)?"
)
_UP = any_of("increas*, rise*, risi*, rose*, grow*, grew*, higher*, gain*, improv*, up")
_DOWN = any_of("decreas*, declin*, fall*, fell*, drop*, lower*, reduc*, shrank*, shrink*, shrunk*, down, loss*, lost*")
_EMPTY = frozenset(tokenize("answer question yes true correct the company does that is so"))
_DIRECTION = "increase increased rise rose grow grew decrease decreased decline declined fell changed change"


class Checker:
    """Checks the sentences of one answer."""

    def __init__(
        self,
        passages: Sequence[Passage],
        figures: Sequence[Sentence] = (),
        question: str = "",
        decides: Sentence | None = None,
        called: str = "",
    ) -> None:
        """``figures`` are the sentences of an answer from facts; empty where the question asks for no figure.

        ``decides`` is the sentence of the extractive answer that begins with "Yes: " or "No: ", where one does. ``called`` is
        what the question calls the one company that all ``passages`` are of.
        """
        self._decides = decides
        self._passages = passages
        self._sources = prepare(passages, called)
        self._figures = [(sentence, _amounts(sentence.text)) for sentence in figures]
        told = " ".join(sentence.text for sentence in figures)
        self._words = set(tokenize(f"{question} {told} {_DIRECTION} company"))

    def check(self, text: str) -> Sentence:
        """``text`` with its citations, or marked unsupported.

        A passage prints the figures of other years and other rows too: asked for a figure, a sentence that states amounts but
        none of those that were looked up or computed is unsupported, wherever its numbers come from. One that states nothing
        but such figures, in the words of question and figures, rests on them, as no passage prints a computed value.
        """
        if not _comes_out(text):
            return Sentence(text, (), "unsupported", why="its arithmetic does not come out")
        sentence = self._attached(text)
        answer = _LEAD_IN.sub("", text)
        if (verdict := self._verdict(text, answer)) is not None:
            return verdict
        if answer and answer != text:
            sentence = replace(self._attached(answer), text=sentence.text)
        stated = _amounts(answer)
        if not self._figures or not stated:
            return sentence
        told = [figure for figure, known in self._figures if any(_same(mine, one) for mine in stated for one in known)]
        if not told:
            return replace(sentence, citations=(), support="unsupported", why="it states none of the figures asked for")
        if sentence.support == "unsupported" and self._restates(answer, stated):
            return replace(sentence, citations=told[0].citations, support=told[0].support, why="")
        return sentence

    def _attached(self, text: str) -> Sentence:
        """``text`` with the passages that say it, each of its numbers of the same matter and year as there."""
        sentence = attach(text, self._sources, self._words)
        cited = [passage for passage in self._passages if passage.citation.id in sentence.citations]
        why = misplaced(sentence.text, cited) if cited else ""
        return replace(sentence, citations=(), support="unsupported", why=why) if why else sentence

    def _verdict(self, text: str, answer: str) -> Sentence | None:
        """A yes or a no, by itself or against what the sources decide; None where what goes with it is to be checked."""
        match = _VERDICT.match(answer)
        if match is None:
            return None
        decided = self._decides.text.partition(":")[0].lower() if self._decides else ""
        if decided and match["said"].lower() != decided:
            return Sentence(text, (), "unsupported", why=f"the sources say {decided}")
        if len(set(tokenize(answer[match.end() :])) - _EMPTY) >= _FEWEST:
            return None
        if self._decides is None or not decided:
            return Sentence(text, (), "unsupported", why="no source decides it")
        return Sentence(text, self._decides.citations, self._decides.support)

    def _restates(self, text: str, stated: Sequence[Number]) -> bool:
        """Every amount is one of the figures, the words are theirs or the question's, and a direction fits the sign."""
        known = [one for _, numbers in self._figures for one in numbers]
        matched = [next((one for one in known if _same(mine, one)), None) for mine in stated]
        words = {word for word in tokenize(text) if not word[0].isdigit()}
        if None in matched or len(words & self._words) < GROUNDED * len(words):
            return False
        falls = any(one is not None and one.value < 0 for one in matched)
        return not (_UP.search(text) if falls else _DOWN.search(text))


def _comes_out(text: str) -> bool:
    """Whether each plain "a / b = c" of ``text`` holds, within half of the last digit that c prints."""
    for left, sign, right, told, percent in _EQUATION.findall(text):
        a, b, c = (Decimal(number.replace(",", "")) for number in (left, right, told))
        if sign in "/÷" and not b:
            return False
        made = a / b if sign in "/÷" else a * b if sign in "*×" else a + b if sign == "+" else a - b
        step = Decimal(1).scaleb(int(c.as_tuple().exponent))
        if abs(made * (100 if percent else 1) - c) > step / 2:
            return False
    return True


def _amounts(text: str) -> list[Number]:
    return [number for number in find_numbers(text) if not number.is_year]


def _same(stated: Number, known: Number) -> bool:
    return agrees(stated, known, (1,))


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


_MOST_UNSUPPORTED = 1
"""Of the few sentences that are asked for; with one more too little of the text is supported for it to become the answer."""


def _called(draft: Draft) -> str:
    """The question's own word for the one company whose passages were found, as "IBM"; "" where there are several."""
    question = draft.understood.question
    named = question.companies
    companies = {passage.citation.company for passage in draft.evidence.passages}
    if len(named) != 1 or len(companies) != 1 or named[0].start < 0:
        return ""
    return question.text[named[0].start : named[0].end]


def _prose(draft: Draft) -> Told:
    """What the filings say for the answer, without figures looked up for it, nor the closest one, which may be another."""
    figures = {sentence.text for sentence in draft.figures.sentences} if draft.figures else set()
    prose = [sentence for sentence in draft.sentences if sentence.text not in figures]
    if is_closest(prose):
        prose = list(dropwhile(lambda one: one.opens != "paragraph", prose))
    return Told(tuple(prose), draft.evidence.passages)


class Wording:
    """Has a model write one answer after the other."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._read_last: tuple[Excerpt, ...] = ()
        """What the model read for the answer before: the same beginning needs no second reading."""

    def forget(self) -> None:
        """The model has read something else since."""
        self._read_last = ()

    def events(self, draft: Draft, model: LanguageModel, cancelled: Callable[[], bool]) -> Iterator[Event]:
        """Tokens, checked sentences, and the finished answer; a model that fails leaves the extractive answer standing, and one
        whose text can't become the answer any more is stopped.
        """
        yield Status("reading the sources")
        told = draft.sentences if draft.figures else ()
        question = draft.understood.question.text
        checker = Checker(draft.evidence.passages, told, question, draft.verdict, _called(draft))
        most_unsupported = 0 if draft.figures else _MOST_UNSUPPORTED
        stream = SentenceStream()
        said = Said()
        done: list[Sentence] = []
        is_short = draft.understood.shape == "sentence"

        def is_lost() -> bool:
            return sum(sentence.support == "unsupported" for sentence in done) > most_unsupported

        def is_whole() -> bool:
            return said.enough or (is_short and bool(done))

        try:
            for piece in self._generate(draft, model, lambda: cancelled() or is_whole() or is_lost()):
                if not stream.text:
                    draft.timer.mark("first_token")
                yield Token(piece)
                for text in stream.feed(piece):
                    if said.is_new(text):
                        done.append(checker.check(text))
                        yield SentenceDone(done[-1], len(done) - 1)
        except FinTuiError as error:
            yield ModelEnded(error.message, error.hint)
        for text in () if is_lost() or (is_short and done) else stream.finish():
            if said.is_new(text):
                done.append(checker.check(text))
                yield SentenceDone(done[-1], len(done) - 1)
        yield Finished(compose(draft, tuple(done), model.name, stopped=cancelled()), draft.evidence.passages)

    def _generate(self, draft: Draft, model: LanguageModel, cancelled: Callable[[], bool]) -> Iterator[str]:
        limits = self._settings.model
        question = draft.understood.request.question
        figures = [sentence.text for sentence in draft.figures.sentences] if draft.figures else []
        others = model.count_tokens(" ".join((question, *figures)))  # Counting also waits until it is loaded.
        fresh = readable(model.pace, limits.evidence_tokens, others, draft.timer.elapsed_s)
        room = Room(model.context, limits.answer_tokens, limits.evidence_tokens, fresh)
        shape, before = draft.understood.shape, self._read_last
        prompt = build_prompt(question, _prose(draft), room, model.count_tokens, figures=figures, before=before, shape=shape)
        self._read_last = prompt.excerpts
        if prompt.excerpts or figures:
            yield from model.generate(prompt.messages, max_tokens=limits.answer_tokens, cancelled=cancelled)
