"""How a question wants its answer: roles, where to look, rounding, units, a definition of its own, another shape.

"You are an investment banker … Here's the question: what is the FY2015 operating cash flow ratio? It is defined as: …
Round to two decimal places." -> the bare question, the definition, and two decimal places. A follow-up may ask for the last
answer in another shape alone: "as a table", "in one sentence", "shorter".
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from threading import Lock
from typing import Literal, Protocol, cast

import numpy as np

from fin_tui.engine.frame.reader import Frame
from fin_tui.language import any_of, split_sentences
from fin_tui.retrieval.shared_encoder import Array

_QUESTION = any_of("question")
"""Before a colon: what leads to the question."""
_LEADING_CLAUSE = any_of(
    "(please/by/when) basing/based/using/taking/relying/considering/looking/utilizing/utilising/judging/drawing/referring/given/"
    "according, (please/by/when) we need"
)
_ASKS = any_of("what, how, which, who, did, does, do, is, are, was, were, has, have, calculate, compute, determine, find")
_POLITELY = "(please/kindly/also/then)"
_ORDER = any_of(
    f"{_POLITELY} round/answer/base/basing/utilize/utilise/respond/express/rely/assume, {_POLITELY} give a/your/the "
    f"response/answer, {_POLITELY} state/provide/report your, {_POLITELY} use only, {_POLITELY} using only, "
    f"{_POLITELY} you are/may/can/only/must"
)
_IF, _SAY = any_of(f"{_POLITELY} if"), any_of("state, explain, say")
_WORDS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4}
_PLACES = any_of(f"{'/'.join((*_WORDS, *'0123456789'))} decimal(s)")
_WHOLE = any_of("nearest whole/integer, to a whole/integer, whole number/percent")
_SCALE = any_of(
    "in/as (unit/units/terms) (of) (us/usd/u.s./$/us$) ($) (dollar/dollars) (in) "
    "thousand(s)/million(s)/billion(s)/$thousand(s)/$million(s)/$billion(s)"
)
_FACTORS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_PERCENT, _OF = any_of("in/as (unit/units) (of) (a) percent(s)/percentage(s)/%"), any_of("of")
_DEFINED = any_of("is/are/be/was measured as, defined/calculated/computed as")
_DEFINE, _AS = any_of("(please) define/calculate/compute"), any_of("as")
_LONGEST_NAME = 80
"""Characters before a "=" that may be a name."""
_COMPUTED_AS = any_of("defined/calculated/computed as")


@dataclass(frozen=True, slots=True)
class Instructions:
    """A question and how it is to be answered."""

    text: str
    """The question alone."""
    definition: str = ""
    """How the question says its figure is computed, as text: "cash from operations / total current liabilities"."""
    places: int | None = None
    """Decimal places to round to; None as exact as it is."""
    scale: int = 0
    """Unit of money asked for: 1_000, 1_000_000, 1_000_000_000; 0 as the filing prints it."""
    percent: bool = False
    """A percentage is asked for."""


def read_instructions(text: str) -> Instructions:
    """Split ``text`` into the question and what is said about its answer. A text without instructions comes back as it is."""
    whole = " ".join(text.split())
    places = _places(whole)
    scale = _SCALE.search(whole)
    body, definition = _bracketed(whole)
    leads = (body[match.end() :].lstrip() for match in _QUESTION.finditer(body))
    body = next((rest[1:].lstrip() for rest in leads if rest.startswith(":") and rest[1:].strip()), body)
    kept: list[str] = []
    for sentence in (body[start:end] for start, end in split_sentences(body)):
        how = _definition(sentence)
        if how:
            definition = definition or how
        elif not (_is_order(sentence) and (kept or "?" not in sentence)):
            kept.append(_without_clause(sentence))
    question = _plainly(" ".join(kept) or body)
    return Instructions(
        text=question if question != whole else text,
        definition=definition.strip().rstrip(".?").strip(),
        places=places,
        scale=next(factor for word, factor in _FACTORS.items() if word in scale.group().lower()) if scale else 0,
        percent=any(_ends_with_percent(whole[match.end() :]) for match in _PERCENT.finditer(whole)),
    )


def _bracketed(text: str) -> tuple[str, str]:
    """``text`` without a bracket that says how its figure is computed, and what that says; "" where it has none."""
    for found in _COMPUTED_AS.finditer(text):
        before, opening, lead = text[: found.start()].rpartition("(")
        depth = 1
        for at in range(found.end(), len(text) if opening and ")" not in lead else 0):
            depth += (text[at] == "(") - (text[at] == ")")
            if not depth:
                how = text[found.end() : at].removeprefix(":").lstrip()
                return before.rstrip() + text[at + 1 :], how
    return text, ""


def _ends_with_percent(behind: str) -> bool:
    """Whether what follows "in percent" leaves it a unit: "in percent of" is none, nor is "in percent-"."""
    return behind[:1] in " .,?!)" and not _OF.match(behind.lstrip())


def _is_order(sentence: str) -> bool:
    """Whether ``sentence`` says how to answer."""
    condition = _IF.match(sentence)
    return bool(_ORDER.match(sentence) or (condition and _SAY.search(sentence, condition.end())))


def _without_clause(sentence: str) -> str:
    """``sentence`` without the clause before its question: "Based on the income statement, what was …"."""
    if not _LEADING_CLAUSE.match(sentence):
        return sentence
    opening, *rest = sentence.split(",")
    while rest and "?" not in opening:
        if _ASKS.match(behind := ",".join(rest).lstrip()):
            return behind
        opening, *rest = rest
    return sentence


_CHAT = frozenset("please pls plz kindly thx thanks cheers ta hi hello hey asap".split())
"""Words around a question that ask for nothing."""
_SIGNS = frozenset("%$€£")
"""Signs that ask for something by themselves: "% of the total?", "its growth, in %"."""


def _plainly(text: str) -> str:
    """``text`` without what people say, and which signs they set, around a question; as it is where nothing else is said."""
    said = text.split()
    bare = ["".join(one for one in word.lower() if one.isalnum() or one in _SIGNS) for word in said]
    means = [at for at, word in enumerate(bare) if word and word not in _CHAT]
    if not means:
        return text
    kept = " ".join(said[means[0] : means[-1] + 1])
    return f"{kept.rstrip('!? ')}?" if "?" in kept[-3:] else kept.rstrip("!, ")


def _places(text: str) -> int | None:
    match = _PLACES.search(text)
    if match:
        word = match.group().lower().split()[0]
        return int(word) if word.isdigit() else _WORDS[word]
    return 0 if _WHOLE.search(text) else None


def _definition(sentence: str) -> str:
    """What stands behind "is defined as" or "=" in a sentence that is no question."""
    if sentence.endswith("?"):
        return ""
    match = _DEFINED.search(sentence)
    if match:
        return sentence[match.end() :].lstrip(" :")
    defined = _AS.search(sentence) if _DEFINE.match(sentence) else None
    if defined is not None:
        return sentence[defined.end() :].lstrip(" :")
    what, _, how = sentence.partition("=")
    return how.strip() if 1 < len(what) <= _LONGEST_NAME and "=" not in how else ""


Shape = Literal["table", "sentence", "points", "plain", "currency", "same"]
""" "plain": in words that are easier to read; "currency": in another currency, which takes rates that no filing has; "same": a
shape is asked for that no answer can be given."""
_READ_AS: dict[Shape, str] = {"currency": "convert"}
"""The frame's operation that speaks for a shape, where it is not "reformat"."""
_NEAREST = 2
"""Examples of a shape whose mean likeness speaks for it."""
_ALIKE = 0.87
"""Likeness to an example from which a turn asks for its shape, whatever the frame makes of words that name nothing."""
_LIKELY = 0.5
_OF_SHAPES = frozenset(("", "off_topic", "injection"))
"""What a frame may make of words that only say how to tell something: they name nothing, and give orders."""


class Vectors(Protocol):
    """Texts as vectors of length 1 [n, width]."""

    def vectors(self, texts: Sequence[str]) -> Array: ...


class Shapes:
    """Tells shapes by examples. Usable from several threads."""

    def __init__(self, encoder: Vectors) -> None:
        self._encoder = encoder
        self._lock = Lock()
        self._examples: list[tuple[Shape, Array]] = []

    def asked(self, frame: Frame | None, asked: Instructions) -> Shape | None:
        """The shape that a turn asks for and nothing else; None where it asks for something of its own.

        ``asked`` has no scale and no rounding then: these are told in the figures themselves.
        """
        if frame is None or frame.companies or frame.periods or frame.targets:
            return None
        if asked.scale or asked.places is not None or asked.percent or asked.definition:
            return None
        if frame.refusal not in _OF_SHAPES or frame.operations.get("product", 0.0) >= _LIKELY:
            return None  # "In dollars?" after a percentage asks for what that comes to.
        shape, likeness = self.nearest(asked.text)
        is_read = frame.operations.get(_READ_AS.get(shape, "reformat"), 0.0) >= _LIKELY and not frame.refusal
        if frame.parts and shape != "currency":  # "In Swiss francs" reads like a part of the company.
            return None
        return shape if (is_read and not frame.parts) or likeness >= _ALIKE else None

    def nearest(self, text: str) -> tuple[Shape, float]:
        """The shape whose examples ``text`` is most like, and how like it is to the nearest of them (cosine)."""
        with self._lock:
            if not self._examples:
                held = tomllib.loads(files(__package__).joinpath("shapes.toml").read_text(encoding="utf-8"))
                self._examples = [(cast(Shape, name), self._encoder.vectors(texts)) for name, texts in held.items()]
            examples = self._examples
        (own,) = self._encoder.vectors([text])
        near = {shape: np.sort(vectors @ own)[-_NEAREST:] for shape, vectors in examples}
        best = max(near, key=lambda shape: float(near[shape].mean()))
        return best, float(near[best].max())
