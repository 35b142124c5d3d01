"""Lists from sentences of a filing that enumerate what is asked for, and from the bullets that such a sentence announces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fin_tui.engine.evidence.paragraphs import bullets_after
from fin_tui.engine.questions.listing import Listing, is_making
from fin_tui.engine.structures.desk import Desk
from fin_tui.engine.structures.enumeration import Enumeration, Marker, enumerations
from fin_tui.facts.words import Word, words
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Chunk, Filing

_ITEMS = {"1": 0.3, "2": 0.1, "8": 0.1, "7": 0.05, "1A": -0.35}
_MARKERS: dict[Marker, float] = {"colon": 0.3, "are": 0.25, "include": 0.1, "such as": -0.35}
_NEAR: dict[Marker, int] = {"colon": 4, "are": 1, "include": 3, "such as": 1}
"""Words between the noun and what announces the list."""
_WITHIN = frozenset("of in for to by through with from on about as at between among under over than".split())
"""A noun behind one of these belongs to another: "materials used in our products"."""
_OPENS = frozenset(
    "consist consists consisted consisting comprised composed set range variety portfolio number types kinds lines line group "
    "family mix array categories selection series all".split()
)
"""What may stand before "of" without owning what follows."""
_MODIFIERS = 5
_PLAIN = frozenset(
    "a an the our its their following different various several many certain other own new current currently principal main "
    "primary major key primarily two three four five six seven eight nine ten reportable operating business and or".split()
)
"""Words before a noun that leave it whole."""
_REFERS = frozenset(("these", "those", "such", "this", "also", "some", "additional"))
"""Words that make a list part of another, or tell of what was said before."""
_SUBJECT = re.compile(
    r"^\W*(?:(?:as\s+of|at|in|during|currently|today)\b[^,]{0,40},\s*)?(?:we|our|the\s+company|the\s+corporation)\b", re.I
)
_SEPARATED = re.compile(r"[,;:]|\sand\s")
_WORDY = 12
"""A noun further behind in its sentence is seldom what that is about."""
_COUNTER = re.compile(r"\b(?:competitors?['’]?|third[- ]part\w+|suppliers?|customers?|others?)\s+(?:\w+\s+)?$", re.I)


@dataclass(frozen=True, slots=True)
class Enumerated:
    """A list in a sentence, where that stands, and how well it fits."""

    found: Enumeration
    score: float
    chunk: Chunk
    start: int
    """Span of the sentence in the clean text."""
    end: int
    places: tuple[tuple[int, int], ...] = ()
    """Where the items stand, when they are bullets."""


def best_enumeration(listing: Listing, desk: Desk, filing: Filing) -> Enumerated | None:
    """The enumeration that fits the question best; None when no sentence enumerates what is asked for."""
    text = desk.library.text(filing.id)
    best: Enumerated | None = None
    wanted = re.compile(re.escape(listing.head), re.I)
    for chunk in desk.chunks.of_filing(filing.id):
        if chunk.kind != "prose" or not wanted.search(chunk.text):
            continue
        for start, end in split_sentences(chunk.text):
            sentence = chunk.text[start:end]
            if not wanted.search(sentence) or not _SEPARATED.search(sentence):
                continue
            for found, places in _lists(sentence, text, chunk.start + end):
                score = fit(found, listing, sentence)
                if score is None:
                    continue
                score += _ITEMS.get(chunk.item, 0.0)
                if best is None or score > best.score:
                    best = Enumerated(found, score, chunk, chunk.start + start, chunk.start + end, places)
    return best


def _narrowing(lead: list[Word], place: int, listing: Listing) -> int:
    """How many words before the noun narrow it beyond what was asked: "Ethernet connectivity products"."""
    count = 2 * any(word.surface in _REFERS for word in lead[max(0, place - 3) : place])
    for word in lead[max(0, place - 3) : place][::-1]:
        if word.surface in _WITHIN or word.surface in _PLAIN or _is_verb(word) or word.surface.isdigit():
            break
        count += word.stem not in listing.words
    return count


def _is_verb(word: Word) -> bool:
    """Whether it is said what is done: "operating" is a verb in "operating stores", and none in "operating segments"."""
    return is_making(word) and not word.surface.endswith("ing")


def _is_owned(lead: list[Word], place: int, is_counted: bool) -> bool:
    """Whether the noun at ``place`` only tells of what another noun is: "the price of products"."""
    for at in range(place - 1, max(place - 1 - _MODIFIERS, -1), -1):
        word = lead[at].surface
        if word in ("in", "into") and is_counted:
            return False
        if word in _WITHIN:
            return not (word == "of" and at > 0 and lead[at - 1].surface in _OPENS)
        if _is_verb(lead[at]) or word in ("include", "includes", "including", "are", "is", "have", "has"):
            return False
    return False


def _lists(sentence: str, text: str, end: int) -> Iterator[tuple[Enumeration, tuple[tuple[int, int], ...]]]:
    for found in enumerations(sentence):
        yield found, ()
    if sentence.rstrip().endswith(":"):
        places = bullets_after(text, end)
        if len(places) >= 2:
            lead = " ".join(sentence.split()).rstrip(" :")
            yield Enumeration(lead, tuple(" ".join(text[a:b].split()) for a, b in places), "colon"), places


def fit(found: Enumeration, listing: Listing, sentence: str) -> float | None:
    """How well a list answers; None when its lead is about something else."""
    lead = words(found.lead)
    stems = [word.stem for word in lead]
    if listing.head not in stems:
        return None
    place = len(stems) - 1 - stems[::-1].index(listing.head)
    behind = lead[place + 1 :]
    if behind and behind[0].surface in ("that", "which", "who"):
        return None
    if len(behind) > _NEAR[found.marker] or not listing.kinds <= set(stems) or _COUNTER.search(found.lead[: lead[place].start]):
        return None
    noun = lead[place].surface
    same = noun == listing.surface or (not behind and noun.rstrip("s") == listing.surface.rstrip("s"))
    if not same or _is_owned(lead, place, found.stated is not None):
        return None
    whole = {word.stem for word in words(sentence)}
    said = len(listing.rest & whole) / len(listing.rest) if listing.rest else 1.0
    if said < 0.5:
        return None
    score = 0.6 + 0.3 * said + _MARKERS[found.marker] - 0.05 * len(behind)
    score += 0.3 if _SUBJECT.match(found.lead) else 0.0
    score -= 0.2 * _narrowing(lead, place, listing)
    if behind and behind[0].surface in _WITHIN and not listing.rest & {word.stem for word in behind}:
        score -= 0.3  # "Products for embedded systems" are not all products.
    score += 0.2 if found.stated == len(found.items) else -0.2 if found.stated else 0.0
    if listing.is_making:
        score += 0.25 if any(map(is_making, lead)) else -0.15
    return score - (0.1 if place > _WORDY else 0.0)
