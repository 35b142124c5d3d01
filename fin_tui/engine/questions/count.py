""" "How many …?": what is counted, and what narrows it (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fin_tui.facts.words import stem, words

_ASKED = re.compile(
    r"\bhow\s+many\s+(?P<what>.+?)\s+(?:did|does|do|were|was|are|is|has|have|had|can|could|would)\b(?P<rest>.*)"
    r"|\b(?:what\s+(?:is|was|were|are)|give\s+me|tell\s+me|how\s+(?:did|does|do|has|have|is|are|was|were))\s+the\s+"
    r"(?:total\s+|approximate\s+)?(?:number|count)\s+of\s+(?P<of>.+)",
    re.I | re.S,
)
_HOW_MANY = re.compile(r"\bhow\s+many\b", re.I)
_CUT = re.compile(r"\s+(?:of|in|at|as|for|from|that|which|who|with|on|by|during|worldwide|does|did|do)\b", re.I)
_NO_COUNT = frozenset("share dollar percent point time year day month hour basi unit cent million billion dime".split())
"""Stems of what is measured and not counted in prose, or is a figure of the statements."""
_EMPTY = frozenset(
    (
        "a an the of in on at as for from to by with and or its their his it they he she we our there that this these those "
        "total approximate approximately about roughly currently current now overall exactly around altogether combined "
        "fiscal year years end ended ending date period december january february march april may june july august september "
        "october november q4 did does do were was are is be been has have had can could would will operate operates operated "
        "own owns owned run runs running maintain maintains maintained employ employs employed hold holds held use uses used "
        "possess report reports reported list lists listed disclose discloses disclosed exist exists say says said state "
        "states stated company company's firm group filing annual 10-k under according worldwide globally different "
        "change changes changed grow grew grown fall fell fallen rise rose develop developed evolve evolved between over "
        "compare compared comparison since "
    ).split()
)
_VERBS = frozenset(map(stem, "operate own run maintain employ hold held use lease".split()))
_MEMBER = stem("members")
_HELD = frozenset(("hold", "held"))
_HOLDERS = frozenset(map(stem, "holders shareholders stockholders shareowners".split()))
_STOCK = frozenset(map(stem, "common stock shares class a".split()))
_SAME: tuple[frozenset[str], ...] = (
    frozenset(
        map(stem, "employee employees associates colleagues people persons workers staff headcount workforce members".split())
    ),
    frozenset(map(stem, "holders holder shareholders stockholders shareowners".split())),
    frozenset(map(stem, "stores locations shops".split())),
    frozenset(map(stem, "warehouses clubs".split())),
    frozenset(map(stem, "plants factories".split())),
)
"""Names under which filings count the same."""


@dataclass(frozen=True, slots=True)
class Count:
    """What a question counts. All words are stems."""

    head: str
    """The noun."""
    heads: frozenset[str]
    """The noun and its other names."""
    narrowed: frozenset[str]
    """Words that a sentence must have, too: "full-time", "of record", "delivered"."""
    verbs: frozenset[str] = frozenset()
    """Words of having that speak for a sentence: "held", "operates"."""


def read_count(text: str) -> Count | None:
    """What ``text`` counts; None when it asks for no count, or for two at once. ``text`` is without the company's name."""
    if len(_HOW_MANY.findall(text)) > 1:
        return None
    match = _ASKED.search(text)
    if match is None:
        return None
    what, rest = match["what"] or match["of"] or "", match["rest"] or ""
    cut = _CUT.search(what)
    core, tail = (what[: cut.start()], what[cut.end() :]) if cut else (what, "")
    named = [word for word in words(core) if word.surface not in _EMPTY and not word.surface.isdigit()]
    if not named or named[-1].stem in _NO_COUNT:
        return None
    head = named[-1].stem
    is_group = head != _MEMBER or any(word.surface in ("team", "staff", "crew") for word in named)
    heads = next((same for same in _SAME if is_group and head in same), frozenset((head,)))
    others = [word for word in (*named[:-1], *words(tail), *words(rest)) if word.surface not in _EMPTY]
    narrowed = frozenset(word.stem for word in others if not word.surface.isdigit())
    verbs = frozenset(word.stem for word in words(rest)) & _VERBS
    verbs |= _HELD if verbs & _HELD else frozenset()
    return Count(head, heads | {head}, narrowed - _STOCK if head in _HOLDERS else narrowed, verbs)
