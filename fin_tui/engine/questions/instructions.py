"""What a question says beside the question: roles, where to look, rounding, units, a definition of its own.

"You are an investment banker … Here's the question: what is the FY2015 operating cash flow ratio? It is defined as: …
Round to two decimal places." -> the bare question, the definition, and two decimal places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fin_tui.language import any_of

_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z(])")
_LEAD_IN = re.compile(
    r"^.*?\b(?:here(?:'s|’s| is) the question|(?:answer|consider) the following question|question)\s*:\s*(?=\S)", re.I | re.S
)
_LEADING_CLAUSE = re.compile(
    r"^(?:(?:please|by|when)\s+)?(?:basing|based|using|taking|relying|considering|looking|utili[sz]ing|judging|drawing|referring|"
    r"given|according|we need)\b[^?]*?,\s*"
    r"(?=(?:what|how|which|who|did|does|do|is|are|was|were|has|have|calculate|compute|determine|find)\b)",
    re.I,
)
_ORDER = re.compile(
    r"^(?:(?:please|kindly|also|then)\s+)?(?:round|answer|base|basing|utili[sz]e|respond|give (?:a|your|the) (?:response|answer)|"
    r"express|state your|provide your|report your|use only|using only|rely|assume|you (?:are|may|can|only|must)|"
    r"if\b[^.]*\b(?:state|explain|say))\b",
    re.I,
)
_WORDS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4}
_PLACES = re.compile(r"\b(\d|one|two|three|four|no|zero)\s+decimals?(?:\s+(?:places?|points?))?\b", re.I)
_WHOLE = any_of("nearest whole/integer, to a whole/integer, whole number/percent")
_SCALE = re.compile(
    r"\b(?:in|as)\s+(?:(?:units? of|terms of)\s+)?(?:us\s?\$?|usd|u\.s\.|\$)?\s*(?:dollars?\s+)?(?:in\s+)?"
    r"(thousand|million|billion)s?\b",
    re.I,
)
_FACTORS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_PERCENT = re.compile(r"\b(?:in|as)\s+(?:units? of\s+)?(?:a\s+)?(?:percents?|percentages?|%)(?=$|[\s.,?!)])(?!\s+of\b)", re.I)
_DEFINED = re.compile(
    r"\b(?:is|are|be|was)\s+(?:defined|calculated|computed|measured)\s+as\s*:?\s*|\b(?:defined|calculated|computed)\s+as\s*:?\s*",
    re.I,
)
_DEFINE = re.compile(r"^(?:please\s+)?(?:define|calculate|compute)\s+(?P<what>[^.]+?)\s+as\s*:?\s+(?P<how>.+)$", re.I | re.S)
_EQUALS = re.compile(r"^(?P<what>[^=]{2,80}?)\s*=\s*(?P<how>[^=]+)$", re.S)
_BRACKETED = re.compile(r"\s*\((?:[^()]*?\b)?(?:defined|calculated|computed) as:?\s*(?P<how>[^()]*(?:\([^()]*\)[^()]*)*)\)", re.I)


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
    bracketed = _BRACKETED.search(whole)
    definition = bracketed["how"] if bracketed else ""
    body = whole if bracketed is None else whole[: bracketed.start()] + whole[bracketed.end() :]
    body = _LEAD_IN.sub("", body)
    kept: list[str] = []
    for sentence in _SENTENCE.split(body):
        how = _definition(sentence)
        if how:
            definition = definition or how
        elif not (kept and _ORDER.match(sentence)) and not (_ORDER.match(sentence) and "?" not in sentence):
            kept.append(_LEADING_CLAUSE.sub("", sentence))
    question = " ".join(kept) or body
    return Instructions(
        text=question if question != whole else text,
        definition=definition.strip().rstrip(".?").strip(),
        places=places,
        scale=_FACTORS[scale.group(1).lower()] if scale else 0,
        percent=bool(_PERCENT.search(whole)),
    )


def _places(text: str) -> int | None:
    match = _PLACES.search(text)
    if match:
        word = match.group(1).lower()
        return int(word) if word.isdigit() else _WORDS[word]
    return 0 if _WHOLE.search(text) else None


def _definition(sentence: str) -> str:
    """What stands behind "is defined as" or "=" in a sentence that is no question."""
    if sentence.endswith("?"):
        return ""
    match = _DEFINED.search(sentence)
    if match:
        return sentence[match.end() :]
    match = _DEFINE.match(sentence) or _EQUALS.match(sentence)
    return match["how"] if match else ""
