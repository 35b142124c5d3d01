"""Names in a question that stand where a company stands and are in no filing's name (pure)."""

from __future__ import annotations

import re

from fin_tui.engine.questions.companies import CompanyIndex
from fin_tui.engine.questions.company_words import NEVER, fold

_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z&.\-]+(?:\s+(?:&\s+)?[A-Z][A-Za-z&.\-]+)*")
_SUBJECT_BEFORE = re.compile(
    r"\b(?:did|does|do|was|were|is|are|has|had|have|of|for|at|by|with|from|than|to|about|between|compare|and|in|much|company)\s+$",
    re.I,
)


def unknown_companies(text: str, index: CompanyIndex) -> tuple[str, ...]:
    """Names that stand where a company stands ("Toyota's net income", "did Samsung report") and are in no filing's name.

    A candidate only: a product or a person stands in the same places, so the caller checks it against the filings' text.
    """
    known = [(named.start, named.end) for named in index.find(text)]
    found = []
    for match in _CAPITALISED.finditer(text):
        words = match.group().rstrip(".").split()
        start = match.start()
        while words and fold(words[0]) in NEVER:
            start += len(words[0]) + 1
            words = words[1:]
        if not words or all(fold(word) in NEVER for word in words):
            continue
        name = " ".join(words)
        end = start + len(name)
        if any(start < b and a < end for a, b in known):
            continue
        possessive = text[end : end + 2] in ("'s", "’s")
        if possessive or _SUBJECT_BEFORE.search(text[:start]):
            found.append(name)
    return tuple(found)
