"""A sentence of the model, checked as it ends: against the passages, and against the figures that stand above it (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from fin_tui.engine.evidence.citations import GROUNDED, attach, prepare
from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers
from fin_tui.engine.evidence.passage import Passage
from fin_tui.records import Sentence
from fin_tui.retrieval.tokens import tokenize

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
_UP = re.compile(r"\b(?:increas|r[io]s[ei]|rose|gr[eo]w|higher|gain|improv|up\b)", re.I)
_DOWN = re.compile(r"\b(?:decreas|declin|f[ae]ll|drop|lower|reduc|shr[aiu]nk|down\b|loss|lost)", re.I)
_EMPTY = frozenset(tokenize("answer question yes true correct the company does that is so"))
_DIRECTION = "increase increased rise rose grow grew decrease decreased decline declined fell changed change"


class Checker:
    """Checks the sentences of one answer."""

    def __init__(
        self, passages: Sequence[Passage], figures: Sequence[Sentence] = (), question: str = "", decides: Sentence | None = None
    ) -> None:
        """``figures`` are the sentences of an answer from facts; empty where the question asks for no figure.

        ``decides`` is the sentence of the extractive answer that begins with "Yes: " or "No: ", where one does.
        """
        self._decides = decides
        self._sources = prepare(passages)
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
        sentence = attach(text, self._sources, self._words)
        answer = _LEAD_IN.sub("", text)
        if (verdict := self._verdict(text, answer)) is not None:
            return verdict
        if answer and answer != text:
            sentence = replace(attach(answer, self._sources, self._words), text=sentence.text)
        stated = _amounts(answer)
        if not self._figures or not stated:
            return sentence
        told = [figure for figure, known in self._figures if any(_same(mine, one) for mine in stated for one in known)]
        if not told:
            return replace(sentence, citations=(), support="unsupported", why="it states none of the figures asked for")
        if sentence.support == "unsupported" and self._restates(answer, stated):
            return replace(sentence, citations=told[0].citations, support=told[0].support, why="")
        return sentence

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
