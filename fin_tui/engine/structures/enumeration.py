"""Lists that prose and headings make: sentences that enumerate, bullets that one announces, what stands under a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from fin_tui.engine.evidence.paragraphs import bullets_after
from fin_tui.engine.questions.kinds import Listing, is_making
from fin_tui.engine.structures import FilingReader
from fin_tui.facts.words import Word, words
from fin_tui.language import any_of, closing, runs_of, split_sentences
from fin_tui.records import Block, BlockKind, Chunk, Document, Filing, Table

Marker = Literal["colon", "are", "include", "such as"]

_MARKERS: tuple[tuple[Marker, re.Pattern[str]], ...] = (
    ("such as", any_of("such as, like")),
    ("include", any_of("(which/that) (primarily/principally/mainly) include/includes/included/including")),
    (
        "are",
        any_of(
            "are/is composed/comprised of, are, were, consist/consists/consisted/consisting (primarily/principally/mainly) of, "
            "comprise/comprises/comprised/comprising (of), namely"
        ),
    ),
    ("colon", re.compile(r":(?=\s)|(?<=\s)[–-](?=\s)|—|(?<=\s)--(?=\s)")),
)
_ANNOUNCES = any_of("but is/are not limited to, as follows, the following")
"""What may stand between a marker and its list."""
_NUMBERS = {word: at for at, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)}
_MOST_COUNTED = 6
"""Words from a number to the end of what it counts."""
_LAST = ("and ", "or ", "as well as ", "and/or ")
_LETTERED = re.compile(r"[,;]?\s*(?:\b(?:and|or)\s+)?\((?:[ivx]{1,4}|\d{1,2}|[a-h])\)\s*")
_OPENING = re.compile(r"^(?:\(?[ivx\d]{1,4}[.)]\s*|[•·▪*-]\s*|(?:the|our|its|an?|both|certain)\s+)+", re.I)
_NO_ITEM = frozenset(
    "we which that it they where when if as to in for with because however although while among each see also any but not is are "
    "was were has have may could will by on at from than based including such no this these those there subject".split()
)
"""No item begins with one of these."""
_PREDICATE = frozenset("sold made held built being not".split())
_TAIL = any_of("which, that, each of which, all of which, where, in order, to the extent")
_CLAUSE = frozenset(("that", "which", "who", "whose"))
_LONGEST = 14
"""Words of an item."""
_FORMS = frozenset("inc corp co ltd llc lp plc nv sa ag gmbh jr sr phd md esq pc na".split())
"""What follows a comma within one name."""
_PREDICATED = frozenset(
    "manufacture manufactures operate operates sell sells provide provides make makes offer offers serve serves has employ "
    "employs conduct conducts report reports own owns".split()
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
            before, tail = line[: match.start()], _announced(line[match.end() :])
            if marker != "colon" and not (before.endswith(" ") and tail.startswith(" ")):
                continue
            lead = before.rstrip(" ,:")
            stated = _stated(lead)
            items = split_items(tail, stated)
            if items and _are_named(items, marker, stated is not None):
                found.append(Enumeration(lead, items, marker, stated))
    return found


def _announced(tail: str) -> str:
    """What follows a marker, without "but are not limited to", "the following" and a colon."""
    while announced := _ANNOUNCES.match(tail.lstrip(", ")):
        tail = tail.lstrip(", ")[announced.end() :]
    return tail if tail.startswith(" ") else f" {tail[1:]}" if tail.startswith((":", ",")) else tail


def _stated(lead: str) -> int | None:
    """How many the last words of a lead say there are: "in three reportable segments"."""
    said = lead.lower().split()[-_MOST_COUNTED:]
    for at, word in enumerate(said[:-1]):
        number = _NUMBERS.get(word) or (int(word) if word.isascii() and word.isdigit() and len(word) < 3 else 0)
        if number and all(other.replace("-", "").isalnum() for other in said[at + 1 :]):
            return number
    return None


def split_items(tail: str, stated: int | None = None) -> tuple[str, ...]:
    """The items of "a, b and c."; empty when that is no list. A list of two needs to be announced by ``stated``."""
    tail = tail.strip().partition(". ")[0].rstrip(".")
    if len(_LETTERED.findall(tail)) >= 2 and _LETTERED.match(tail):
        return _checked([part for part in _LETTERED.split(tail) if part.strip()], stated)
    parts = _split(tail, ";") if ";" in tail else _split(tail, ",")
    joined = _with_forms([part for part in (piece.strip() for piece in parts) if part])
    if len(joined) > 2 and _PREDICATED.intersection(runs_of(_without_and(joined[-1]))[:1]) and joined[0][:1].isupper():
        joined.pop()
    if not joined:
        return ()
    last = _without_and(joined[-1])
    if last != joined[-1]:
        joined[-1] = last
    else:
        pair = _pair(last) if "(" not in last else [last]
        if len(pair) == 2 and (stated is None or len(joined) + 1 == stated):
            joined[-1:] = pair
        elif stated != len(joined):
            return ()
    if ";" not in tail and any(_CLAUSE.intersection(item.lower().split()[1:-1]) for item in joined[:-1]):
        return ()  # A clause within the list may hold a list of its own.
    return _checked(joined, stated)


def _without_and(item: str) -> str:
    """The last item without what leads to it."""
    word = next((word for word in _LAST if item.lower().startswith(word)), "")
    return item[len(word) :].lstrip()


def _pair(text: str) -> list[str]:
    """The pieces between "and" and "or"."""
    pieces: list[list[str]] = [[]]
    for word in text.split():
        if word.lower() in ("and", "or"):
            pieces.append([])
        else:
            pieces[-1].append(word)
    return [" ".join(piece) for piece in pieces]


def _with_forms(parts: list[str]) -> list[str]:
    """Acme, | Inc., | Globex -> Acme, Inc. | Globex."""
    whole: list[str] = []
    for part in parts:
        if whole and "".join(runs_of(part.lower())) in _FORMS:
            whole[-1] = f"{whole[-1]}, {part}"
        else:
            whole.append(part)
    return whole


def _checked(joined: list[str], stated: int | None) -> tuple[str, ...]:
    """The pieces without what is around them; empty when one of them is no item."""
    tail = next((m.start() for m in _TAIL.finditer(joined[-1]) if joined[-1][: m.start()].endswith(" ")), None)
    joined = [*joined[:-1], joined[-1][:tail].rstrip(" ,")]
    items = tuple(_OPENING.sub("", item).strip(' ,.;“”"') for item in joined)
    if len(items) < (2 if stated == 2 else 3) or any(_is_no_item(item) for item in items):
        return ()
    return _with_shared_name(items)


def _are_named(items: tuple[str, ...], marker: Marker, is_counted: bool) -> bool:
    """Whether the items are names of things, not what something is like ("are complex, costly and slow")."""
    if is_counted:
        return True
    named = sum(item[0].isupper() or any(map(_is_plural, runs_of(item.lower()))) for item in items)
    if marker == "are":
        return named >= len(items) - 1 and not _is_predicate(items[0])
    return named * 2 >= len(items) and not _is_predicate(items[0])


def _is_plural(word: str) -> bool:
    return word.endswith("s") and word[-2:-1].isalpha() and not word.endswith(("ss", "ous"))


def _is_predicate(item: str) -> bool:
    """Whether an item says what something is like or undergoes: "highly rated", "sold"."""
    first = "".join(runs_of(item)[:1])
    return first in _PREDICATE or (first.islower() and first.isalpha() and len(first) > 2 and first.endswith(("ly", "ed")))


def _is_no_item(item: str) -> bool:
    words = item.split()
    return not words or len(words) > _LONGEST or _begins_no_item(item) or not any(map(str.isalnum, item))


def _begins_no_item(item: str) -> bool:
    first, second = [*runs_of(item.lower()), "", ""][:2]
    return first in _NO_ITEM or (first, second) == ("other", "than")


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


_ITEMS = {"1": 0.3, "2": 0.1, "8": 0.1, "7": 0.05, "1A": -0.35}
_BY_MARKER: dict[Marker, float] = {"colon": 0.3, "are": 0.25, "include": 0.1, "such as": -0.35}
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
_COMPANY, _AS_OF = any_of("we, our, the company/corporation"), any_of("as of, at, in, during, currently, today")
_LONGEST_AS_OF = 60
_WORDY = 12
"""A noun further behind in its sentence is seldom what that is about."""
_COUNTER = closing("competitor(s), competitors', third-part*, supplier(s), customer(s), other(s)", within=1)


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


def best_enumeration(listing: Listing, reader: FilingReader, filing: Filing) -> Enumerated | None:
    """The enumeration that fits the question best; None when no sentence enumerates what is asked for."""
    text = reader.library.text(filing.id)
    best: Enumerated | None = None
    for chunk in reader.chunks.of_filing(filing.id):
        if chunk.kind != "prose" or listing.head not in chunk.text.lower():
            continue
        for start, end in split_sentences(chunk.text):
            sentence = chunk.text[start:end]
            if listing.head not in sentence.lower() or not (set(",;:") & set(sentence) or "and" in sentence.split()):
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
    score = 0.6 + 0.3 * said + _BY_MARKER[found.marker] - 0.05 * len(behind)
    score += 0.3 if _is_of_company(found.lead) else 0.0
    score -= 0.2 * _narrowing(lead, place, listing)
    if behind and behind[0].surface in _WITHIN and not listing.rest & {word.stem for word in behind}:
        score -= 0.3  # "Products for embedded systems" are not all products.
    score += 0.2 if found.stated == len(found.items) else -0.2 if found.stated else 0.0
    if listing.is_making:
        score += 0.25 if any(map(is_making, lead)) else -0.15
    return score - (0.1 if place > _WORDY else 0.0)


def _is_of_company(lead: str) -> bool:
    """Whether a sentence tells of the company: "We …", "As of year end, the Company …"."""
    said = lead.lstrip(' "“(•·-*')
    when, _, rest = said.partition(",")
    said = rest.lstrip() if len(when) < _LONGEST_AS_OF and _AS_OF.match(when) else said
    return _COMPANY.match(said) is not None


_LINKS = frozenset("our the of and its registrant company companys information about principal main item part executive".split())
_MOST = 60
_LONGEST_HEADING = 12
"""Words of a heading; a longer one is a sentence."""
_LEAST_ROWS = 2
_LEAST_NAMED = 3
_NAMED = re.compile(
    r"\W*[A-Z][\w.’'()&-]*(?:\s+(?:[A-Z“\"(][\w.’'“”\"()&-]*|&|and|of|the|for|de|van|von)){0,5}\s*(?:[,:–—]|\s-\s)"
)
"""A paragraph that begins with a name of a few words: "Jane Doe, 50, has served as …", "Tin – We make …"."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a list and where it stands."""

    text: str
    start: int
    end: int


def headings_under(listing: Listing, document: Document) -> tuple[Entry, ...]:
    """The headings one level below the one that is called as the list is; empty when there are fewer than two."""
    blocks = document.blocks
    for at, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING and _is_called(_text(block, document), listing):
            under = list(_below(blocks, at))
            level = min((b.level for b in under), default=0)
            entries = [Entry(_text(b, document), b.start, b.end) for b in under if b.level == level]
            if len(entries) >= _LEAST_ROWS and all(len(entry.text.split()) <= _LONGEST_HEADING for entry in entries):
                return tuple(entries[:_MOST])
    return ()


def paragraphs_under(listing: Listing, document: Document) -> tuple[Entry, ...]:
    """The first sentences of the paragraphs under the heading that is called as the list is, where each begins with a name."""
    blocks = document.blocks
    for at, block in enumerate(blocks):
        if block.kind is not BlockKind.HEADING or not _is_called(_text(block, document), listing):
            continue
        under = takewhile(lambda other: other.kind is not BlockKind.HEADING, blocks[at + 1 :])
        entries = [
            Entry(" ".join(text[:end].split()), one.start, one.start + end)
            for one in under
            if one.table is None and _NAMED.match(text := document.text[one.start : one.end])
            for _, end in split_sentences(text)[:1]
        ]
        if len(entries) >= _LEAST_NAMED:
            return tuple(entries[:_MOST])
    return ()


def _below(blocks: Sequence[Block], at: int) -> Iterator[Block]:
    for block in blocks[at + 1 :]:
        if block.kind is BlockKind.HEADING:
            if block.level <= blocks[at].level:
                return
            yield block


def rows_under(listing: Listing, document: Document) -> tuple[Entry, ...]:
    """The rows of the first table whose title or heading is called as the list is; empty when there is none with words."""
    heading = ""
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            heading = _text(block, document)
        elif block.table is not None and (_is_called(heading, listing) or _is_called(block.table.title, listing)):
            entries = _rows(block.table)
            if len(entries) >= _LEAST_ROWS:
                return entries[:_MOST]
    return ()


def _rows(table: Table) -> tuple[Entry, ...]:
    """Each row with a label of letters, its other words behind it."""
    entries = []
    for row in table.rows[table.header_rows :]:
        cells = [cell for cell in row if cell.text.strip()]
        if len(cells) >= 2 and any(character.isalpha() for character in cells[0].text):
            entries.append(Entry(" · ".join(" ".join(cell.text.split()) for cell in cells), cells[0].start, cells[-1].end))
    return tuple(entries)


def _is_called(heading: str, listing: Listing) -> bool:
    """Whether ``heading`` names the list and hardly more."""
    stems = {word.stem for word in words(heading) if word.surface not in _LINKS or word.stem in listing.words}
    stems = {stem for stem in stems if not stem.isdigit()}
    more = 1 if len(listing.words) > 1 else 0
    return (
        bool(stems) and listing.words <= stems and len(stems - listing.words) <= more and len(heading.split()) <= _LONGEST_HEADING
    )


def _text(block: Block, document: Document) -> str:
    return " ".join(document.text[block.start : block.end].split())
