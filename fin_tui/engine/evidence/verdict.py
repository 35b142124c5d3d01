"""Whether a sentence decides a yes-or-no question, and how (pure).

Only what is plain decides: most of the question's own words in the same form, said of the company without a "may", and a denial,
if there is one, of just those words. Two sentences that decide differently decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from fin_tui.retrieval.tokens import tokenize_query

Verdict = Literal["Yes", "No"]
_WORD = re.compile(r"[A-Za-z][A-Za-z’'&-]*")
_DENIAL = frozenset("no not none never neither nor without".split())
_NO_DENIAL = re.compile(
    r"\bnot\s+(?:only|limited|prohibited|precluded|necessarily|restricted|prevented|all|always|every)\b|\bno\s+assurances?\b|"
    r"\bwhether\s+or\s+not\b|\bno\s+later\b|\bno\s+more\s+than\b|\bnot\s+less\b|\bif\s+not\b",
    re.I,
)
_OPEN = re.compile(
    r"\b(?:(?-i:may)|might|could|would|should|can|cannot|if|whether|unless|until|except(?:ion|ions)?|other\s+than|otherwise|"
    r"in\s+part|partially|some\s+of|forward-looking|indicate\s+by\s+check|"
    r"risks?\s+(?:that|of|related)|assess\w*|evaluat(?:e|es|ed|ing)|possib(?:le|ly|ility)|potential(?:ly)?|designed\s+to|"
    r"in\s+order\s+to|alleg\w+|defendants?|plaintiffs?|lawsuits?|claims?|\d\s*%\s+(?:owned|owner\w*|equity|interest)|reasonable\s+(?:basis|assurance)|our\s+(?:audits?|opinion|responsibility))\b",
    re.I,
)
_CONCLUDED = re.compile(r"\b(?:conclud\w+|determined)\s+that\b", re.I)
"""What was evaluated before is decided by what comes after."""
_HELD_BY = re.compile(r"\b(?:wholly|majority|jointly|partially|\w+\s+percent)[\s-]+owned\b", re.I)
"""Of a subsidiary; says nothing about what the company owns otherwise."""
_INTENDS = re.compile(r"\b(?:do|does|did)\s+not\s+(?:currently\s+)?(?:anticipate|expect|intend|plan)\b", re.I)
_AHEAD = re.compile(r"\b(?:anticipate|expect|intend|plan|seek|aim|will|future|believe)\w*\b", re.I)
_OURS = re.compile(r"\b(?:we|our|us|the\s+(?:company|registrant|corporation|partnership|trust)|its)\b", re.I)
_REVERSED = re.compile(
    r"\b(?:in(?:effective|adequate|sufficient)|un(?:able|likely)|lack\w*|fail\w*|ceas\w*|discontinu\w*|absence)\b", re.I
)
_QUESTION_WORDS = frozenset(
    (
        "did does do is are was were has have had any there its their the a an of in on at to for by with and or this that it "
        "they be been some ever currently still yet company company's firm business make makes up more less report reported "
        "say says end year fiscal kind such than from as about what how and which"
    ).split()
)
_ENOUGH = 0.75
_FEW = 0.4
"""Share of the question's words that a sentence must hold to affirm, and to deny."""
_WIDEST = 5
"""Words of a sentence for each of the question's words that affirms: what stands further apart is not said together."""
_REACH = {"no": 12, "non": 12, "neither": 12}  # The plain forms of the words.
_NEAR = 6
"""Words behind a denial: "no" and "none" deny a whole clause, "not" what follows, …"""
_BACK = 3
"""… and before it, that it is about."""


def decide(question: str, sentences: Sequence[str], company: str = "") -> Verdict | None:
    """What the first of ``sentences`` decides; None where it decides nothing or another one decides differently.

    ``question`` is without the company's name; ``company`` is that name.
    """
    wanted = _wanted(question)
    if not wanted or _denials(question):
        return None
    first = _verdict(wanted, sentences[0], question, company) if sentences else None
    others = (_verdict(wanted, sentence, question, company, enough=_FEW) for sentence in sentences[1:])
    return first if first is not None and all(verdict in (None, first) for verdict in others) else None


def _verdict(wanted: frozenset[str], sentence: str, question: str, company: str, *, enough: float = _ENOUGH) -> Verdict | None:
    """``enough``: share of the question's words that affirm."""
    words = [_plain(word) for word in _WORD.findall(_HELD_BY.sub(" ", sentence))]
    share = len(wanted & set(words)) / len(wanted)
    denials = _denials(sentence)
    concluded = _CONCLUDED.split(sentence)[-1]
    is_open = _NO_DENIAL.search(sentence) or (_OPEN.search(concluded) and not _OPEN.search(question))
    if share < _FEW or is_open:
        return None
    if denials:
        is_about = any(
            wanted & set(words[max(0, at - _BACK) : at] + words[at + 1 : at + 1 + _REACH.get(words[at], _NEAR)]) for at in denials
        )
        return "No" if is_about and (not _AHEAD.search(sentence) or _INTENDS.search(sentence)) else None
    is_theirs = _OURS.search(sentence) or (company and company.split()[0].lower() in sentence.lower())
    is_of_its_time = bool(_AHEAD.search(sentence)) == bool(_AHEAD.search(question))
    is_plain = is_theirs and not _REVERSED.search(sentence) and is_of_its_time
    return "Yes" if share >= enough and is_plain and _spread(words, wanted) <= _WIDEST * len(wanted) else None


def _spread(words: Sequence[str], wanted: frozenset[str]) -> int:
    """Length of the shortest run of ``words`` that has all of ``wanted`` that are there at all."""
    missing = wanted & set(words)
    last: dict[str, int] = {}
    shortest = len(words)
    for at, word in enumerate(words):
        if word in missing:
            last[word] = at
            if len(last) == len(missing):
                shortest = min(shortest, at - min(last.values()) + 1)
    return shortest


def _wanted(question: str) -> frozenset[str]:
    meant = set(tokenize_query(question))
    plain = {_plain(word) for word in _WORD.findall(question) if word.lower() not in _QUESTION_WORDS}
    return frozenset(word for word in plain if len(word) > 1) if meant else frozenset()


def _plain(word: str) -> str:
    """A word without the endings of number and tense; "effectiveness" is not "effective"."""
    lowered = word.lower().removesuffix("’s").removesuffix("'s").strip("’'")
    for ending in ("ies", "ing", "ed", "es", "s", "y", "e"):
        if lowered.endswith(ending) and len(lowered) - len(ending) >= 3 and not lowered.endswith("ss"):
            return lowered[: -len(ending)]
    return lowered


def _denials(text: str) -> list[int]:
    """Which words of ``text`` deny."""
    found = enumerate(word.lower() for word in _WORD.findall(text))
    return [at for at, word in found if word in _DENIAL or word.endswith(("n't", "n’t"))]
