"""Words of a question, and of a company's name, as they are compared (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9&.\-]*(?:['’]s)?|&")
LEGAL_FORMS = frozenset("inc incorporated corp corporation co company ltd limited plc llc lp nv sa ag se the de".split())
_DOMAIN = re.compile(r"(?<=\w\w)\.(?:com|net|org|io)$")

NEVER = frozenset(
    (
        "what how which who when where why is are was were did does do has have had list compare describe explain "
        "summarize give tell show item items part form fiscal year fy u.s us usa sec gaap non-gaap ebitda r&d sg&a "
        "capex eps ceo cfo coo cto i january february march april may june july august september october november "
        "december q1 q2 q3 q4 ai it mda md&a note notes annual report in on the a an america europe asia china japan "
        "india american european chinese covid covid-19 ifrs fasb irs esg ipo s&p nasdaq nyse ppe pp&e 10-k 10-k405 "
        "10-q 8-k according based during for as if please can could would should will"
    ).split()
)
"""Words with capitals that name no company."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its place."""

    text: str
    folded: str
    start: int
    end: int
    possessive: bool


def split_words(text: str) -> list[Token]:
    """The words of ``text``, without the 's of a possessive."""
    found = []
    for match in _WORD.finditer(text):
        raw = match.group()
        possessive = raw.endswith(("'s", "’s"))
        bare = raw[:-2] if possessive else raw
        bare = bare.rstrip(".-") or bare
        found.append(Token(bare, fold(bare), match.start(), match.start() + len(bare), possessive))
    return found


def fold(word: str) -> str:
    """Lower case, without full stops and the ending of a web address: "Parcels.com" -> "parcels"."""
    return _DOMAIN.sub("", word.lower()).replace(".", "").replace("’", "'")


def name_words(name: str) -> tuple[str, ...]:
    """The words of a company's name, folded, without its legal form: "Johnson & Johnson" -> ("johnson", "&", "johnson")."""
    words = [token.folded for token in split_words(name)]
    while words and words[0] == "the":
        words = words[1:]
    while len(words) > 1 and (words[-1] in LEGAL_FORMS or words[-1] == "&"):
        words = words[:-1]
    return tuple(words)
