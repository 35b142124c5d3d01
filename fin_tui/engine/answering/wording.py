"""The language model's words of the evidence: its text as it comes, and each sentence checked.

A number that a sentence takes from its source may be told there of another year, or of something else: that the source prints it
is not enough. "477 million shares in 2022" is not borne out by "470 million in 2022 and 477 million in 2021", nor "wage increases
are $5.00" by a sentence whose other half states a pension of $5.00.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import dropwhile

from fin_tui.config import Settings
from fin_tui.engine.answering.compose import Draft, compose, is_closest
from fin_tui.engine.answering.events import Event, Finished, ModelEnded, SentenceDone, Status, Token
from fin_tui.engine.answering.prompt import Excerpt, Room, Told, build_prompt, readable
from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.citations import GROUNDED, attach, prepare, split_answer
from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers
from fin_tui.engine.models.protocol import LanguageModel
from fin_tui.engine.rank.filing_rows import named_dates, numbers_of
from fin_tui.errors import FinTuiError
from fin_tui.language import UNBROKEN, YEAR, any_of, figures_of, from_first_word, runs_of, split_sentences
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


_LEAD_IN = any_of("(the) answer is (that), (the) answer to this/the/your question is (that)")
"""Says nothing that a passage could bear out, and nothing that could be wrong."""
_BEHIND_NO = ",.:;!–—-"
_FEWEST = 3
"""Content words behind a yes or a no that can be held against a passage."""
_OPERATORS = "/÷*×+−-"
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
        lead = _LEAD_IN.match(text)
        answer = text[lead.end() :].lstrip(" :") if lead else text
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
        said, behind = _yes_or_no(answer)
        if not said:
            return None
        decided = self._decides.text.partition(":")[0].lower() if self._decides else ""
        if decided and said != decided:
            return Sentence(text, (), "unsupported", why=f"the sources say {decided}")
        if len(set(tokenize(behind)) - _EMPTY) >= _FEWEST:
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


def _yes_or_no(answer: str) -> tuple[str, str]:
    """ "yes" or "no", as ``answer`` begins with it, and what is behind; "" for both with any other, as "No customer …"."""
    said = from_first_word(answer)
    word = next(iter(runs_of(said, "_")), "")
    behind = said[len(word) :].lstrip()
    is_said = word.lower() == "yes" or (word.lower() == "no" and behind[:1] in _BEHIND_NO)
    return (word.lower(), behind.lstrip(f"{_BEHIND_NO} \n")) if is_said else ("", "")


def _equations(text: str) -> Iterator[tuple[Decimal, str, Decimal, Decimal, bool]]:
    """Each plain "a / b = c" of ``text``: a, the sign, b, c, and whether c is a percentage."""
    spaced = "".join(f" {char} " if char in f"{_OPERATORS}=%" else char for char in text.replace("$", " "))
    words = [*[""] * 4, *spaced.split(), *[""] * 2]
    for at in (place for place, word in enumerate(words) if word == "="):
        ahead, left, sign, right, _, told, percent = words[at - 4 : at + 3]
        first = figures_of(left, ",.")[-1] if left[-1:].isdecimal() else ""
        last = figures_of(told, ",.")[0].rstrip(",.") if told[:1].isdecimal() else ""
        is_first = not ahead or ahead not in _OPERATORS
        if is_first and sign and sign in _OPERATORS and all(map(_is_plain, numbers := (first, right, last))):
            a, b, c = (Decimal(number.replace(",", "")) for number in numbers)
            yield a, sign, b, c, percent == "%"


def _is_plain(number: str) -> bool:
    """Whether ``number`` has nothing but digits, commas and one point."""
    digits = number.replace(",", "")
    return number[:1].isdecimal() and digits[-1].isdecimal() and digits.replace(".", "", 1).isdecimal()


def _comes_out(text: str) -> bool:
    """Whether each plain "a / b = c" of ``text`` holds, within half of the last digit that c prints."""
    for a, sign, b, c, percent in _equations(text):
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


_NEAR = 4
"""Content words before a number and behind it that say what it is of."""
_FEWEST_OF_CLAUSE = 3
"""Content words of a clause that says by itself what its number is of."""
_MOST_TAKEN = 2
"""Words of another number's clause from which two statements are mixed up."""
_CLAUSE_SIGNS, _CLAUSE_WORDS = tuple(",;:()"), frozenset("and but while whereas or".split())
_RESPECTIVELY = "respectively"
_SEVERAL_YEARS = 2
"""Years that a sentence names: without the word above only those that stand behind their numbers can be told apart."""
_YEAR_ENDS: Mapping[int, dt.date] = {year: dt.date(year, 12, 31) for year in range(1980, 2060)}
"""A year that is named without a day, by its last."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A number as one sentence tells it."""

    number: Number
    year: int | None
    about: frozenset[str]
    """Content words of its clause; of a sentence that is checked those nearest to it."""


def misplaced(text: str, passages: Sequence[Passage]) -> str:
    """Why a number of ``text`` is not what prose of ``passages`` tells it to be; empty where nothing speaks against it.

    Numbers that only a table prints are not looked at.
    """
    printed = [one for passage in passages if passage.kind == "prose" for one in _told_in(passage)]
    said = [(one, [other for other in printed if agrees(one.number, other.number, (1,))]) for one in _said(text)]
    for one, same in said:
        if same and one.about and all(one.about.isdisjoint(other.about) for other in same):
            return f"{one.number.text} is of something else there"
    if words := _of_others(text, [one.number for one, _ in said], passages):
        return f"“{' '.join(words)}” is told of another number there"
    slack = max((_offset(passage) for passage in passages), default=0)
    for year in {one.year for one, _ in said if one.year is not None}:
        mine = [same for one, same in said if one.year == year and same]
        if mine and not any(_may_be_of(year, same, slack) for same in mine):
            return f"that is not of {year} there"
    return ""


def _of_others(text: str, stated: Sequence[Number], passages: Sequence[Passage]) -> list[str]:
    """Words of ``text`` that stand beside its numbers in their source only in the clause of a number that it does not state."""
    words = dict.fromkeys(_plain(text))
    fewest: list[str] | None = None
    for passage in passages if stated else ():
        for start, end in split_sentences(passage.text) if passage.kind == "prose" else ():
            sentence = passage.text[start:end]
            numbers = _numbers(sentence)
            told = [number for number in numbers if any(agrees(one, number, (1,)) for one in stated)]
            if not told:
                continue
            others = frozenset().union(*(_clause(sentence, number) for number in numbers if number not in told))
            elsewhere = frozenset(_plain(f"{passage.text[:start]} {passage.text[end:]}"))
            rest = elsewhere.union(_outside(sentence, numbers, told), *(_clause(sentence, number) for number in told))
            taken = [word for word in words if word in others and word not in rest]
            fewest = taken if fewest is None or len(taken) < len(fewest) else fewest
    return fewest if fewest and len(fewest) >= _MOST_TAKEN else []


def _outside(sentence: str, numbers: Sequence[Number], told: Sequence[Number]) -> frozenset[str]:
    """Content words of the clauses that have no number, or one that is told."""
    edges = sorted({0, len(sentence), *itertools.chain(*_breaks(sentence))})
    kept: list[str] = []
    for start, end in itertools.pairwise(edges):
        inside = [number for number in numbers if start <= number.start < end]
        if not inside or any(number in told for number in inside):
            kept += _plain(sentence[start:end])
    return frozenset(kept)


def _may_be_of(year: int, same: Sequence[_Told], slack: int) -> bool:
    return any(other.year is None or 0 <= abs(other.year - year) <= slack for other in same)


def _offset(passage: Passage) -> int:
    """By how much the company's fiscal years are called differently from the calendar years that they end in."""
    citation = passage.citation
    if not citation.period_end or not citation.fiscal_year:
        return 0
    return abs(dt.date.fromisoformat(citation.period_end).year - citation.fiscal_year)


def _told_in(passage: Passage) -> Iterator[_Told]:
    for start, end in split_sentences(passage.text):
        sentence = passage.text[start:end]
        numbers, years = _numbers(sentence), _years(sentence)
        named = set(YEAR.findall(sentence))
        plain = len(named) < _SEVERAL_YEARS or _RESPECTIVELY in sentence.lower()
        for number, following in itertools.zip_longest(numbers, numbers[1:]):
            behind = sentence[number.end : following.start if following else len(sentence)]
            year = years.get(number.start) if plain or YEAR.search(behind) else None
            yield _Told(number, year, _clause(sentence, number))


def _said(text: str) -> Iterator[_Told]:
    years = _years(text)
    for number in _numbers(text):
        before = _plain(text[: number.start])[-_NEAR:]
        behind = _plain(text[number.end :])[:_NEAR]
        yield _Told(number, years.get(number.start), frozenset((*before, *behind)))


def _numbers(sentence: str) -> list[Number]:
    """The numbers that are no part of a date."""
    dates = named_dates(sentence)
    found = (number for number in find_numbers(sentence) if not number.is_year)
    return [number for number in found if not any(start <= number.start < end for start, end in dates)]


def _years(sentence: str) -> dict[int, int]:
    """Where a number stands -> the year that the sentence tells it of."""
    found = (one.fact for one in numbers_of(sentence, 0, "", _YEAR_ENDS))
    return {fact.start: fact.period_end.year for fact in found if fact.period_end is not None and fact.start is not None}


def _breaks(sentence: str) -> list[tuple[int, int]]:
    """Spans of the signs and words, with the blanks beside them, where a sentence may turn to something else."""
    found: list[tuple[int, int]] = []
    for word in UNBROKEN.finditer(sentence):
        start, end = word.span()
        if word[0].endswith(_CLAUSE_SIGNS):
            found.append((end - 1, end + 1))
        elif word[0] in _CLAUSE_WORDS and (not found or found[-1][1] < start):
            found.append((start - 1, end + 1))
    return [(start, end) for start, end in found if start >= 0 and end <= len(sentence)]


def _clause(sentence: str, number: Number) -> frozenset[str]:
    """The content words around a number, up to where the sentence turns to something else; "38% in 2021" leaves unsaid what it is
    of, which stands before it.
    """
    breaks = _breaks(sentence)
    last = min((start for start, _ in breaks if start >= number.end), default=len(sentence))
    firsts = sorted((end for _, end in breaks if end <= number.start), reverse=True)
    for first in firsts:
        words = frozenset(_plain(sentence[first:last]))
        if len(words) >= _FEWEST_OF_CLAUSE:
            return words
    words = frozenset(_plain(sentence[:last]))
    return words if len(words) >= _FEWEST_OF_CLAUSE else frozenset(_plain(sentence))


def _plain(text: str) -> list[str]:
    return [token for token in tokenize(text) if not token[0].isdigit()]
