"""Sentences that enumerate: "We make five vehicles: the Model 3, Y, S, X and Cybertruck." -> their items (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Marker = Literal["colon", "are", "include", "such as"]

_MARKERS: tuple[tuple[Marker, re.Pattern[str]], ...] = (
    ("such as", re.compile(r",?\s+(?:such\s+as|like)\s*:?\s+", re.I)),
    (
        "include",
        re.compile(
            r",?\s+(?:which\s+|that\s+|these\s+)?(?:(?:primarily|principally|mainly)\s+)?includ(?:e|es|ed|ing)"
            r"(?:,?\s+but\s+(?:is|are)\s+not\s+limited\s+to)?(?:\s+the\s+following)?\s*:?,?\s+",
            re.I,
        ),
    ),
    (
        "are",
        re.compile(
            r",?\s+(?:are|were|consist(?:s|ed|ing)?\s+(?:primarily\s+|principally\s+|mainly\s+)?of|compris(?:e|es|ed|ing)(?:\s+of)?|"
            r"(?:is|are)\s+(?:composed|comprised)\s+of|namely)(?:\s+as\s+follows)?(?:\s+the\s+following)?\s*:?\s+",
            re.I,
        ),
    ),
    ("colon", re.compile(r"\s*:\s+|\s+[—–]\s+|\s*—\s*|\s+--?\s+")),
)
_NUMBERS = {word: at for at, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)}
_STATED = re.compile(rf"\b(?P<number>{'|'.join(_NUMBERS)}|\d{{1,2}})\s+(?:[\w-]+\s+){{0,4}}[\w-]+$", re.I)
_LAST = re.compile(r"^(?:and|or|as\s+well\s+as|and/or)\s+", re.I)
_AND = re.compile(r"\s+(?:and|or)\s+", re.I)
_LETTERED = re.compile(r"[,;]?\s*(?:\b(?:and|or)\s+)?\((?:[ivx]{1,4}|\d{1,2}|[a-h])\)\s*")
_OPENING = re.compile(r"^(?:\(?[ivx\d]{1,4}[.)]\s*|[•·▪*-]\s*|(?:the|our|its|an?|both|certain)\s+)+", re.I)
_NO_ITEM = re.compile(
    r"^(?:we|which|that|it|they|where|when|if|as|to|in|for|with|because|however|although|while|among|each|see|also|any|"
    r"other than|but|not|is|are|was|were|has|have|may|could|will|by|on|at|from|than|based|including|such|no|this|these|"
    r"those|there|subject)\b",
    re.I,
)
_PLURAL = re.compile(r"\b[\w-]*[a-rt-z]s\b(?<!ous)", re.I)
_PREDICATE = re.compile(r"^(?:[a-z]+(?:ly|ed)|sold|made|held|built|being|not)\b")
_TAIL = re.compile(r",?\s+(?:which|that|each\s+of\s+which|all\s+of\s+which|where|in\s+order|to\s+the\s+extent)\b.*$", re.I)
_CLAUSE = re.compile(r"\s(?:that|which|who|whose)\s", re.I)
_LONGEST = 14
"""Words of an item."""
_FORM = re.compile(
    r"^(?:inc|corp|co|ltd|llc|l\.?l\.?c|l\.?p|plc|n\.?v|s\.?a|a\.?g|gmbh|jr|sr|ph\.?\s?d|m\.?d|esq|p\.?c|n\.?a)\.?$", re.I
)
"""What follows a comma within one name."""
_PREDICATED = re.compile(
    r"^(?:manufactures?|operates?|sells?|provides?|makes?|offers?|serves?|has|employs?|conducts?|reports?|owns?)\b"
)
"""A second thing that the sentence says of the company, behind the list."""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A lead and what it enumerates."""

    lead: str
    items: tuple[str, ...]
    marker: Marker
    stated: int | None = None
    """How many the lead says there are."""


def enumerations(sentence: str) -> list[Enumeration]:
    """The lists that ``sentence`` can be read as, one for each marker that has one behind it."""
    found = []
    line = " ".join(sentence.split())
    for marker, pattern in _MARKERS:
        for match in pattern.finditer(line):
            lead = line[: match.start()].rstrip(" ,:")
            number = _STATED.search(lead)
            stated = None
            if number is not None:
                said = number["number"].lower()
                stated = _NUMBERS.get(said) or int(said)
            items = split_items(line[match.end() :], stated)
            if items and _are_named(items, marker, number is not None):
                found.append(Enumeration(lead, items, marker, stated))
    return found


def split_items(tail: str, stated: int | None = None) -> tuple[str, ...]:
    """The items of "a, b and c."; empty when that is no list. A list of two needs to be announced by ``stated``."""
    tail = re.split(r"(?<=[\w)”\"])\.(?:\s|$)", tail.strip())[0].rstrip(".")
    if len(_LETTERED.findall(tail)) >= 2 and _LETTERED.match(tail):
        return _checked([part for part in _LETTERED.split(tail) if part.strip()], stated)
    parts = _split(tail, ";") if ";" in tail else _split(tail, ",")
    joined = _with_forms([part for part in (piece.strip() for piece in parts) if part])
    if len(joined) > 2 and _PREDICATED.match(_LAST.sub("", joined[-1])) and joined[0][:1].isupper():
        joined.pop()
    if not joined:
        return ()
    if _LAST.match(joined[-1]):
        joined[-1] = _LAST.sub("", joined[-1])
    else:
        pair = _AND.split(joined[-1]) if "(" not in joined[-1] else [joined[-1]]
        if len(pair) == 2 and (stated is None or len(joined) + 1 == stated):
            joined[-1:] = pair
        elif stated != len(joined):
            return ()
    if ";" not in tail and any(_CLAUSE.search(item) for item in joined[:-1]):
        return ()  # A clause within the list may hold a list of its own.
    return _checked(joined, stated)


def _with_forms(parts: list[str]) -> list[str]:
    """Acme, | Inc., | Globex -> Acme, Inc. | Globex."""
    whole: list[str] = []
    for part in parts:
        if whole and _FORM.match(part):
            whole[-1] = f"{whole[-1]}, {part}"
        else:
            whole.append(part)
    return whole


def _checked(joined: list[str], stated: int | None) -> tuple[str, ...]:
    """The pieces without what is around them; empty when one of them is no item."""
    joined = [*joined[:-1], _TAIL.sub("", joined[-1])]
    items = tuple(_OPENING.sub("", item).strip(' ,.;“”"') for item in joined)
    if len(items) < (2 if stated == 2 else 3) or any(_is_no_item(item) for item in items):
        return ()
    return _with_shared_name(items)


def _are_named(items: tuple[str, ...], marker: Marker, is_counted: bool) -> bool:
    """Whether the items are names of things, not what something is like ("are complex, costly and slow")."""
    if is_counted:
        return True
    named = sum(bool(item[0].isupper() or _PLURAL.search(item)) for item in items)
    if marker == "are":
        return named >= len(items) - 1 and not _PREDICATE.match(items[0])
    return named * 2 >= len(items) and not _PREDICATE.match(items[0])


def _is_no_item(item: str) -> bool:
    words = item.split()
    return not words or len(words) > _LONGEST or bool(_NO_ITEM.match(item)) or not re.search(r"\w", item)


def _with_shared_name(items: tuple[str, ...]) -> tuple[str, ...]:
    """ "Model 3, Y, S" -> Model 3, Model Y, Model S."""
    name, _, mark = items[0].rpartition(" ")
    if not name or len(mark) > 2 or not name[0].isupper():
        return items
    return tuple(f"{name} {item}" if len(item) <= 2 else item for item in items)


def _split(text: str, by: str) -> list[str]:
    """Pieces between ``by``, none inside brackets or quotes, none inside a number."""
    pieces, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        if character in "([“":
            depth += 1
        elif character in ")]”":
            depth = max(0, depth - 1)
        elif character == by and depth == 0 and not (text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()):
            pieces.append(text[begin:at])
            begin = at + 1
    return [*pieces, text[begin:]]
