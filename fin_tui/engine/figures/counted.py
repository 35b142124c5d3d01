"""Numbers that stand before or behind a noun in a sentence: "approximately 1,576,000 full-time employees" (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from fin_tui.engine.evidence.numbers import find_numbers, is_reference
from fin_tui.engine.questions.kinds import Count
from fin_tui.facts.words import stem, words
from fin_tui.language import YEAR, any_name, any_of, runs_of

_WORDED = {
    word: number
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split(),
        start=2,
    )
} | {f"{tens}{unit and '-' + unit}": value + one for tens, value in (
    ("twenty", 20), ("thirty", 30), ("forty", 40), ("fifty", 50), ("sixty", 60), ("seventy", 70), ("eighty", 80), ("ninety", 90)
) for one, unit in enumerate(("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"))}  # fmt: skip
_WORDED_NUMBER = any_name(tuple(_WORDED))
_TOKEN = re.compile(r"[A-Za-z][\w’'&/-]*|\d[\d,.]*%?|[^\sA-Za-z\d]")
_REGISTERED, _OF_RECORD = stem("registered"), stem("record")
"""Holders that are registered are those of record."""
_OF_A_SUM = 0.5
"""What a number loses that is a part of another one of its sentence."""
_GAP = 7
"""Words that may stand between a number and its noun."""
_BREAK = frozenset(
    "of in at to from that which who whom whose were are is was had have has with by for on than as per square percent years "
    "months days hours miles feet point points acres weeks countries states".split()
)
_PLAIN = frozenset(
    "full-time part-time full time part total approximately regular equivalent and or permanent active retail company-operated "
    "company-owned registered seasonal temporary salaried hourly our worldwide global different individual".split()
)
_WHOSE = frozenset(("", "our", "the", "its", "their", "of", "number", "paid", "all"))
_HAVING = re.compile(
    r"\b(?:ha[dsv]e?|employ(?:ed|s|ing)?|operat(?:e|es|ed|ing)|own(?:s|ed)?|w(?:as|ere)|are|is|total(?:ed|led|s)?|held|hold(?:s)?|"
    r"maintain(?:s|ed)?|leas(?:e|es|ed)|consist(?:s|ed|ing)?\s+of|compris(?:es|ed|ing)|through|portfolio\s+of|workforce\s+of)"
    r"\b[^.;:()]{0,40}$",
    re.I,
)
_OWNED = re.compile(
    r"\b(?:we|company|corporation|there|it|which)\b[^.;:()]{0,50}\b(?:ha[sd]|have|are|were|operat\w+|own\w*|organized\s+into|employ\w*|"
    r"maintain\w*|leas\w+|consists?\s+of)\b(?:\s+[\w-]+){0,3}\s*$",
    re.I,
)
_ADJECTIVE = re.compile(
    r"[-\s](?:(?:[a-z]+|(?:stock|share|ownership|savings|pension|benefit|incentive|purchase|retirement|welfare|health|resource)\s+"
    r"(?:stock|share|ownership|savings|purchase|incentive|option)?)\s)?(?:plans?|benefits?|options?|agreements?|rights?|groups?)\b",
    re.I,
)
"""What makes the noun an adjective: "four employee stock ownership plans"."""
_OPENING = re.compile(r"^\s*with\s+(?:approximately\s+|about\s+|over\s+|more\s+than\s+|nearly\s+|some\s+)?$", re.I)
"""A sentence that opens with the whole: "With approximately 9,000 employees, …"."""
_OF_A_UNIT = re.compile(
    r"\b(?:functions?|departments?|divisions?|segments?|sales\s+force|subsidiar(?:y|ies))\b[^.;]{0,40}"
    r"\b(?:consist\w*|compris\w*|ha[ds]|have|includ\w*|employ\w*)\b[^.;]{0,30}$",
    re.I,
)
"""A part of the company is the one that has them."""
_NOW = any_of("now")
_BESIDE = re.compile(r"\d[\d,]*\s+(?:[\w-]+\s+){1,5}(?:and|or|plus)\s+(?:\w+\s+)?$", re.I)
"""Another number of the same kind stands before: neither is the whole."""
_PART_BEFORE = re.compile(
    r"\b(?:includ\w+|of\s+(?:which|whom|our|these|the)|another|additional|remaining|other|hir(?:e|ed|ing)|reduc\w+|eliminat\w+|"
    r"severance|terminat\w+|open(?:ed|ing)?|clos(?:ed|ing|e|ure)|acqui\w+|add(?:ed|ing)?|new|remodel\w*|relocat\w+|up\s+to|"
    r"increas\w+|decreas\w+|more\s+than\s+half|fewer\s+than|less\s+than|below|convert\w*|if|plan(?:s|ned)?|expect\w*|will|intend\w*|"
    r"target\w*|goal|with|cover(?:s|ed|ing)?|represent(?:s|ed|ing)?|by|obtain\w*|purchas\w*|receiv\w*|sold|sell|issued|"
    r"grant\w*)\b[^.;:()]{0,35}$",
    re.I,
)
_PART_AFTER = re.compile(
    r"^\W{0,2}\s*(?:who|that|which|of\s+wh\w+|based|located|covered|represented|participat\w*|engaged|eligible|under|outside|within|"
    r"from|are|were|have|had|around\s+the\s+world\s+have|in\s+(?!(?:\d|the\s+world|total|approximately|over|more|fiscal|all|operation\b|"
    r"\w+\s+(?:countries|states))))",
    re.I,
)
_LINKED = re.compile(
    r"^(?P<between>[^.;:()\d]{0,50}?(?:\s+[A-Z][a-z]{2,8}\s+\d{1,2},\s+(?:19|20)\d\d,?)?\s*)"
    r"\b(?:was|were|is|are|totaled|totalled|of|numbered|reached|stood\s+at)\s+"
    r"(?:approximately\s+|about\s+|over\s+|more\s+than\s+|nearly\s+)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of what is counted, and how well the sentence fits the question."""

    value: Decimal
    score: float


def counted(sentence: str, count: Count, years: frozenset[int]) -> Iterator[Counted]:
    """The numbers that ``sentence`` gives of what is counted; ``years`` are the calendar and fiscal years asked about."""
    if not any(map(str.isdecimal, sentence)) and not _WORDED_NUMBER.search(sentence):
        return
    stems = [(stem(token.group().lower().removesuffix("’s").removesuffix("'s")), token) for token in _TOKEN.finditer(sentence)]
    said = {part for word, token in stems for part in (word, *(stem(p) for p in token.group().lower().split("-")))}
    if _REGISTERED in said:
        said.add(_OF_RECORD)
    if not count.narrowed <= said or not said & count.heads:
        return
    parts = _parts_of_sums(sentence)
    for value, start, end in _numbers(sentence):
        if str(value) in count.narrowed:
            continue  # A number that is a part of the name: "Model 360".
        fit = _before_noun(sentence, end, count)
        if fit is None:
            fit = _behind_noun(sentence, start, count)
        if fit is not None:
            near = sum(0.25 for word in count.narrowed | count.verbs if _is_near(sentence, start, end, word))
            context = _context(sentence, start, count.heads) - (_OF_A_SUM if value in parts else 0.0)
            yield Counted(value, fit + near + context + _period(sentence, start, end, years))


def _parts_of_sums(sentence: str) -> frozenset[Decimal]:
    """The numbers of which two come to another one of the sentence: "2.3 million …, with 1.5 million … and 0.8 million …"."""
    plain = [number for number in find_numbers(sentence) if number.kind == "plain" and not number.is_year and number.value > 0]
    sums = (
        (one.value, other.value)
        for one, other in combinations(plain, 2)
        for whole in plain
        if whole is not one
        and whole is not other
        and abs(one.value + other.value - whole.value)
        <= one.accuracy + other.accuracy + whole.accuracy
        < min(one.value, other.value)
    )
    return frozenset(value for pair in sums for value in pair)


def _numbers(sentence: str) -> Iterator[tuple[Decimal, int, int]]:
    """Whole numbers with their spans; those in words only where someone has them: "two brands" may be any two."""
    for number in find_numbers(sentence):
        mark, following = sentence[number.end : number.end + 1], sentence[number.end + 1 : number.end + 2]
        is_model = mark == "-" and (following.isdecimal() or following.isupper())  # "737-10"
        if is_model or sentence[: number.start].endswith("-"):
            continue
        is_count = number.kind == "plain" and not number.is_year and number.value == int(number.value) and number.value >= 0
        if is_count and not is_reference(sentence[: number.start]):
            yield Decimal(int(number.value)), number.start, number.end
    for match in _WORDED_NUMBER.finditer(sentence):
        if not _OWNED.search(sentence[: match.start()]):
            continue
        yield Decimal(_WORDED["-".join(runs_of(match.group().lower()))]), match.start(), match.end()


def _before_noun(sentence: str, end: int, count: Count) -> float | None:
    """1 less by the words between the number and the noun; None when the number counts something else."""
    extra = 0
    for place, token in enumerate(_TOKEN.finditer(sentence, end, end + 110)):
        word = token.group().lower()
        is_head = stem(word) in count.heads
        if place > _GAP or word in ".;:()—–" or word[0].isdigit() or (word in _BREAK and not is_head):
            return None
        if is_head:
            after = sentence[token.end() : token.end() + 60]
            if _ADJECTIVE.match(after):
                return None
            if not _is_named(word, sentence[: token.start()], sentence, count):
                return None
            own = stem(word) == count.head
            narrowed = bool(count.narrowed & {one.stem for one in words(after)})
            part = 0.0 if narrowed or not _PART_AFTER.match(after) else 0.35
            return 1 - 0.12 * extra - part - (0.0 if own else 0.05)
        known = word in _PLAIN or stem(word) in count.narrowed or not word[0].isalpha()
        extra += not known
    return None


def _behind_noun(sentence: str, start: int, count: Count) -> float | None:
    """ "our employee headcount worldwide was 140,473"."""
    previous = ""
    for token in _TOKEN.finditer(sentence, max(0, start - 90), start):
        word = token.group().lower()
        if stem(word) in count.heads and _LINKED.match(sentence[token.end() : start]):
            is_whole = previous in _PLAIN or previous in _WHOSE or stem(previous) in count.narrowed | count.heads
            return 0.85 if is_whole else None
        previous = word
    return None


def _is_named(word: str, before: str, sentence: str, count: Count) -> bool:
    """ "people" are employees only where they are employed, "members" only of a team."""
    if word.startswith("member") and count.head != stem("members"):
        return runs_of(before.lower())[-1:] in (["team"], ["crew"], ["staff"])
    return word not in ("people", "persons", "person", "staff") or "employ" in sentence.lower()


def _context(sentence: str, start: int, heads: frozenset[str]) -> float:
    """More for "we had", "there were"; less for a part, a change, or a list of years."""
    before = sentence[:start]
    score = -0.4 if "respectively" in sentence else 0.0
    score += 0.25 if _HAVING.search(before) or "there" in runs_of(before[-40:].lower())[:-1] else 0.0
    beside = _BESIDE.search(before)
    is_part = beside is not None and not {one.stem for one in words(beside.group())} & heads
    is_part = is_part or (_PART_BEFORE.search(before) is not None and not _OPENING.match(before))
    return score - (0.5 if is_part or _OF_A_UNIT.search(before) else 0.0)


def _is_near(sentence: str, start: int, end: int, word: str) -> bool:
    """Whether the word stands close to the number, before it without another number between."""
    before = sentence[max(0, start - 60) : start]
    before = before[max((at + 1 for at, char in enumerate(before) if char.isdecimal()), default=0) :]
    after = re.split(r"\s(?:and|but|while|of)\s|[,;:(]", sentence[end : end + 60])[0]
    return any(one.stem == word for one in words(f"{before} {after}"))


def _period(sentence: str, start: int, end: int, years: frozenset[int]) -> float:
    """What the year nearest to the number says: the asked one, another one, or none."""
    found = [(min(abs(m.start() - end), abs(start - m.end())), int(m.group())) for m in YEAR.finditer(sentence)]
    if not found or not years:
        return -0.25 if years and _NOW.search(sentence[:start]) else 0.0  # As of the day the filing was made.
    if len(found) > 1 and len({year for _, year in found}) > 1:
        return 0.25 if min(found)[1] in years else -0.4
    return 0.25 if found[0][1] in years else -0.4
