"""From raw model text to text worth showing, piece by piece.

Every model has habits: thinking in tags, its own end marks printed as text, the same sentence over and over, control
characters. ``TextStream`` removes them while the text streams, and says when to stop.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

STOP_STRINGS = (
    "<|im_end|>",
    "<|im_start|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<|end|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
    "<end_of_turn>",
    "<start_of_turn>",
    "</s>",
    "[INST]",
    "[/INST]",
    "<|end_of_text|>",
    "<|return|>",
)
"""End and turn marks of the common chat formats: a model that prints one as text has finished its turn."""

_THINKING = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>"), ("<|think|>", "<|/think|>"))
_REPEATED_WORDS = 5
"""Shorter sentences may stand twice in an honest answer ("It did not.")."""
_CYCLES = 3
_CYCLE_WORDS = 12
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*(?:\s*\[\d+\])*\s+|\n+")


class TextStream:
    """Cleans the text of one answer.

    ``feed`` takes what the model said and returns what may be shown now; ``finish`` returns the rest. Once ``stopped``
    is not empty ("stop" or "loop"), nothing more is shown and the model should be halted.
    """

    def __init__(self, stops: Sequence[str] = (), *, thinking: bool = False) -> None:
        self.stopped: Literal["", "stop", "loop"] = ""
        self._marks = _Marks((*STOP_STRINGS, *stops), thinking=thinking)
        self._loops = _Loops()

    @property
    def hidden(self) -> bool:
        """Whether the model is thinking: what it says now is not shown."""
        return self._marks.closing != ""

    def feed(self, text: str) -> str:
        if self.stopped:
            return ""
        shown = self._loops.feed(printable(self._marks.feed(text)))
        if self._loops.found:
            self.stopped = "loop"
        elif self._marks.stopped:
            self.stopped = "stop"
            shown += self._loops.finish()
        return shown

    def finish(self) -> str:
        if self.stopped:
            return ""
        shown = self._loops.feed(printable(self._marks.finish()))
        return shown if self._loops.found else shown + self._loops.finish()


def printable(text: str) -> str:
    """``text`` without control and direction-changing characters; line feeds and tabs stay."""
    return "".join(c for c in text if c in "\n\t" or (unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co") and c != "\ufffd"))


class _Marks:
    """Finds stop strings and thinking tags in a stream, holding back what may yet become one."""

    def __init__(self, stops: Sequence[str], *, thinking: bool) -> None:
        self.stopped = False
        self.closing = _THINKING[0][1] if thinking else ""
        self._stops = tuple(dict.fromkeys(stop for stop in stops if stop))
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> str:
        self._held += text
        shown = ""
        while not self.stopped:
            found = self._hidden_step() if self.closing else self._shown_step()
            if found is None:
                break
            shown += found
        keep = 0 if self.stopped else _possible_start(self._held, self._watched())
        end = len(self._held) - keep
        if not self.closing and not self.stopped:
            shown += self._held[:end]
        self._held = self._held[end:]
        return self._without_lead(shown)

    def finish(self) -> str:
        rest = "" if self.closing or self.stopped else self._held
        self._held = ""
        return self._without_lead(rest)

    def _hidden_step(self) -> str | None:
        at = self._held.find(self.closing)
        if at < 0:
            return None
        self._held = self._held[at + len(self.closing) :].lstrip("\n")
        self.closing = ""
        return ""

    def _shown_step(self) -> str | None:
        first = min(((at, mark) for mark in self._watched() if (at := self._held.find(mark)) >= 0), default=None)
        if first is None:
            return None
        at, mark = first
        shown, self._held = self._held[:at], self._held[at + len(mark) :]
        if mark in self._stops:
            self.stopped = True
            self._held = ""
        else:
            self.closing = dict(_THINKING).get(mark, "")
        return shown

    def _watched(self) -> tuple[str, ...]:
        if self.closing:
            return (self.closing,)
        # A lone closing tag ends thinking that began inside the prompt; as text it is noise.
        return (*self._stops, *(mark for pair in _THINKING for mark in pair))

    def _without_lead(self, shown: str) -> str:
        if not self._begun:
            shown = shown.lstrip()
            self._begun = bool(shown)
        return shown


def _possible_start(text: str, marks: Sequence[str]) -> int:
    """Length of the longest tail of ``text`` that begins one of ``marks``."""
    longest = min(len(text), max(map(len, marks)) - 1)
    for size in range(longest, 0, -1):
        tail = text[-size:]
        if any(mark.startswith(tail) for mark in marks):
            return size
    return 0


class _Loops:
    """Stops at a sentence said before, or at words going round.

    While the sentence being written is the beginning of an earlier one it is held back, so that a repeated sentence is
    never shown.
    """

    def __init__(self) -> None:
        self.found = False
        self._said: list[str] = []
        self._sentence = ""
        self._shown = 0
        self._words: list[str] = []

    def feed(self, text: str) -> str:
        shown = ""
        self._sentence += text
        while not self.found and (end := _SENTENCE_END.search(self._sentence)):
            shown += self._close(end.end())
        if self.found:
            return shown
        if _cycling([*self._words, *_normal(self._sentence).split()]):
            self.found = True
            return shown
        if not self._may_repeat():
            shown += self._sentence[self._shown :]
            self._shown = len(self._sentence)
        return shown

    def finish(self) -> str:
        rest = self._sentence[self._shown :]
        repeated = _normal(self._sentence) in self._said
        self._sentence, self._shown = "", 0
        return "" if repeated else rest

    def _close(self, end: int) -> str:
        normal = _normal(self._sentence[:end])
        if normal in self._said:
            self.found = True
            return ""
        shown = self._sentence[self._shown : end]
        self._sentence, self._shown = self._sentence[end:], 0
        words = normal.split()
        self._words = [*self._words, *words][-60:]
        if len(words) >= _REPEATED_WORDS:
            self._said.append(normal)
        return shown

    def _may_repeat(self) -> bool:
        begun = _normal(self._sentence)
        return bool(begun) and self._shown == 0 and any(said.startswith(begun) for said in self._said)


def _normal(sentence: str) -> str:
    return " ".join(re.sub(r"\[\d+\]|^\s*(?:[-*•]|\d+[.)])\s", " ", sentence).split()).rstrip(".!?").lower()


def _cycling(words: Sequence[str]) -> bool:
    """Whether the words end with the same 1 to 20 words at least three times over."""
    for period in range(1, 21):
        cycles = max(_CYCLES, -(-_CYCLE_WORDS // period))
        tail = words[-period * cycles :]
        if len(tail) == period * cycles and all(tail[i] == tail[i % period] for i in range(len(tail))):
            return True
    return False
