"""Numbers that stand before or behind a noun in a sentence: "approximately 1,576,000 full-time employees" (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, takewhile

from fin_tui.clauses import words_of_item
from fin_tui.engine.evidence.numbers import find_numbers, is_reference
from fin_tui.engine.questions.kinds import Count
from fin_tui.facts.words import stem, words
from fin_tui.language import STARTS, YEAR, any_name, any_of, closing, is_year, runs_of

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
_IN_WORDS, _IN_NUMBERS = frozenset("_’'&/-"), frozenset(",.")
_REGISTERED, _OF_RECORD = stem("registered"), stem("record")
"""Holders that are registered are those of record."""
_OF_A_SUM = 0.5
"""What a number loses that is a part of another one of its sentence."""
_OF_WHOLE = 0.8
"""Fit from which a number is one of the whole."""
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
_HAVING = any_of(
    "had, has, have, employ(s|ed|ing), operate(s|d)/operating, own(s|ed), was, were, are, is, total(s|ed|led), held, hold(s), "
    "maintain(s|ed), lease(s|d), consist(s|ed|ing) of, comprises/comprised/comprising, through, portfolio/workforce of"
)
_OWNER = any_of("we, company, corporation, there, it, which")
_OWNS = any_of("has, had, have, are, were, operat*, own*, organized into, employ*, maintain*, leas*, consist(s) of")
_FAR, _NEAR, _NEARER, _NEAREST = 50, 40, 35, 30
"""Characters between a word and the number that it is said of."""
_PLANS = frozenset("plan plans benefit benefits option options agreement agreements right rights group groups".split())
_OF_PLANS = (
    frozenset("stock share ownership savings pension benefit incentive purchase retirement welfare health resource".split()),
    frozenset("stock share ownership savings purchase incentive option".split()),
)
"""What makes the noun an adjective: "four employee stock ownership plans"."""
_ABOUT = ("", " approximately", " about", " over", " more than", " nearly", " some")
_OPENINGS = frozenset(f"{opening}{about}" for opening in ("with", "each of our", "all of our") for about in _ABOUT)
"""A sentence that opens with the whole: "With approximately 9,000 employees, …"."""
_UNIT = any_of("function(s), department(s), division(s), segment(s), sales force, subsidiary/subsidiaries")
_UNIT_HAS = any_of("consist*, compris*, had, has, have, includ*, employ*")
"""A part of the company is the one that has them."""
_NOW = any_of("now")
_JOINTS, _MOST_BETWEEN = frozenset(("and", "or", "plus")), 5
_PART_BEFORE = any_of(
    "includ*, exclud*, of which/whom/our/these/the, addition(s), another, additional, remaining, other, hire(d)/hiring, reduc*, "
    "eliminat*, severance, terminat*, open(ed|ing), closed/closing/close/closure, acqui*, add(ed|ing), new, remodel*, relocat*, "
    "up to, increas*, decreas*, more than half, fewer than, less than, below, convert*, if, plan(s|ned), expect*, will, intend*, "
    "target*, goal, with, cover(s|ed|ing), represent(s|ed|ing), by, obtain*, purchas*, receiv*, sold, sell, issued, grant*"
)
_PART_AFTER = any_of(
    "who, that, which, of wh*, based, located, covered, represented, participat*, engaged, eligible, under, outside, within, "
    "from, are, were, have, had, around the world have"
)
_MONTHS = tuple(month.capitalize() for month in STARTS)
_AT, _FULL_TIME, _PART_TIME = any_of("at"), any_of("full-time"), any_of("part-time, seasonal, temporary")
_IN, _IN_ALL = any_of("in"), any_of("the world, total, approximately, over, more, fiscal, all, operation")
_PLACES = (["countries"], ["states"])
_AND = any_of("and, but, while, of")
_LINK = closing(
    "was, were, is, are, totaled, totalled, of, numbered, reached, stood at", "approximately, about, over, more than, nearly"
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
    tokens = [token.lower() for token, _ in _tokens(sentence)]
    said = {stem(part) for token in tokens for part in (token.removesuffix("’s").removesuffix("'s"), *token.split("-"))}
    if _REGISTERED in said:
        said.add(_OF_RECORD)
    if not count.narrowed <= said or not said & count.heads:
        return
    parts = _parts_of_sums(sentence)
    for value, start, end in _numbers(sentence):
        if str(value) in count.narrowed:
            continue  # A number that is a part of the name: "Model 360".
        item = words_of_item(sentence, start, end)
        if item is None:
            score = _score(sentence, start, end, count, years)
        else:
            first = len(item[0]) + 1
            score = _score(f"{item[0]} {sentence[start:end]} {item[1]}", first, first + end - start, count, years)
        if score is not None:
            yield Counted(value, score - (_OF_A_SUM if value in parts else 0.0))


def _score(sentence: str, start: int, end: int, count: Count, years: frozenset[int]) -> float | None:
    """How well the number at [``start``, ``end``) fits; None where it counts something else."""
    fit = _before_noun(sentence, start, end, count)
    if fit is None:
        fit = _behind_noun(sentence, start, count)
    if fit is None:
        return None
    near = sum(0.25 for word in count.narrowed | count.verbs if _is_near(sentence, start, end, word))
    return fit + near + _context(sentence, start, count.heads) + _period(sentence, start, end, years)


def counts_part(sentence: str, value: float, count: Count, years: frozenset[int]) -> bool:
    """Whether ``sentence`` tells ``value`` of a part of what is counted, or of how many came or went."""
    for number, start, end in _numbers(sentence):
        own = "".join(takewhile(lambda char: not char.isdecimal(), sentence[end : end + _NEAR]))
        if float(number) == value and _is_of_one_kind(own, f"{sentence[:start]} {sentence[end + len(own) :]}"):
            return True
    scores = [found.score for found in counted(sentence, count, years) if float(found.value) == value]
    return bool(scores) and max(scores) < _OF_WHOLE


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
        if not _is_owned(sentence[: match.start()]):
            continue
        yield Decimal(_WORDED["-".join(runs_of(match.group().lower()))]), match.start(), match.end()


def _before_noun(sentence: str, start: int, end: int, count: Count) -> float | None:
    """1 less by the words between the number and the noun; None when the number counts something else."""
    extra = 0
    for place, (token, to) in enumerate(_tokens(sentence[: end + 110], end)):
        word = token.lower()
        is_head = stem(word) in count.heads
        if place > _GAP or word in ".;:()—–" or word[0].isdigit() or (word in _BREAK and not is_head):
            return None
        if is_head:
            after = sentence[to : to + 60]
            if _is_adjective(after):
                return None
            if not _is_named(word, sentence[: to - len(token)], sentence, count):
                return None
            own = stem(word) == count.head
            narrowed = bool(count.narrowed & {one.stem for one in words(after)})
            of_kind = 0.5 if _is_of_one_kind(sentence[end:to], f"{sentence[:start]} {sentence[to:]}") else 0.0
            part = 0.0 if narrowed else max(of_kind, 0.35 if _is_of_part(after) else 0.0)
            return 1 - 0.12 * extra - part - (0.0 if own else 0.05)
        known = word.rstrip("-") in _PLAIN or stem(word) in count.narrowed or not word[0].isalpha()
        extra += not known
    return None


def _behind_noun(sentence: str, start: int, count: Count) -> float | None:
    """ "our employee headcount worldwide was 140,473"."""
    previous = ""
    for token, to in _tokens(sentence[:start], max(0, start - 90)):
        word = token.lower()
        if stem(word) in count.heads and _is_linked(sentence[to:start]):
            is_whole = previous in _PLAIN or previous in _WHOSE or stem(previous) in count.narrowed | count.heads
            return 0.85 if is_whole else None
        previous = word
    return None


def _tokens(text: str, at: int = 0) -> Iterator[tuple[str, int]]:
    """The words, numbers and signs of ``text`` from ``at`` on, each with where it ends; a word keeps the signs within it."""
    while at < len(text):
        first, end = text[at], at + 1
        if first.isdecimal():
            while text[end : end + 1].isdecimal() or text[end : end + 1] in _IN_NUMBERS:
                end += 1
            end += text[end : end + 1] == "%"
        elif first.isalpha() and first.isascii():
            while text[end : end + 1].isalnum() or text[end : end + 1] in _IN_WORDS:
                end += 1
        if not first.isspace():
            yield text[at:end], end
        at = end


def _is_linked(gap: str) -> bool:
    """Whether ``gap`` joins a number to the noun before it: " at December 31, 2023 was approximately "."""
    link = _LINK.search(gap) if gap[-1:].isspace() else None
    said = gap[: link.start()].split() if link else []
    if len(said) > 2 and is_year(said[-1].rstrip(",")) and said[-2].rstrip(",").isdigit() and said[-3].isalpha():
        said = said[:-3]
    between = " ".join(said)
    return link is not None and len(between) <= _FAR and not any(char.isdecimal() or char in ".;:()" for char in between)


def _is_named(word: str, before: str, sentence: str, count: Count) -> bool:
    """ "people" are employees only where they are employed, "members" only of a team."""
    if word.startswith("member") and count.head != stem("members"):
        return runs_of(before.lower())[-1:] in (["team"], ["crew"], ["staff"])
    return word not in ("people", "persons", "person", "staff") or "employ" in sentence.lower()


def _context(sentence: str, start: int, heads: frozenset[str]) -> float:
    """More for "we had", "there were"; less for a part, a change, or a list of years."""
    before = sentence[:start]
    score = -0.4 if "respectively" in sentence else 0.0
    is_opening = " ".join(before.lower().split()) in _OPENINGS
    has = _stands_before(_HAVING, before, _NEAR) or "there" in runs_of(before[-40:].lower())[:-1]
    has = has or (is_opening and not before.lower().startswith("with"))
    score += 0.25 if has else 0.0
    beside = _beside(before)
    is_part = bool(beside) and not {one.stem for one in words(beside)} & heads
    is_part = is_part or (_stands_before(_PART_BEFORE, before, _NEARER) and not is_opening)
    return score - (0.5 if is_part or _is_of_unit(before) else 0.0)


def _clause(before: str, stops: str = ".;:()") -> str:
    return before[max(before.rfind(stop) for stop in stops) + 1 :]


def _stands_before(pattern: re.Pattern[str], before: str, most: int) -> bool:
    """Whether something of ``pattern`` stands in the clause before a number, at most so many characters away."""
    clause = _clause(before)
    return any(len(clause) - match.end() <= most for match in pattern.finditer(clause))


def _is_owned(before: str) -> bool:
    """Whether someone has what follows ``before``: "the Company operates two"."""
    clause = _clause(before)
    owners = [owner.end() for owner in _OWNER.finditer(clause)]
    for verb in _OWNS.finditer(clause):
        between = clause[verb.end() :].split()
        is_near = len(between) <= 3 and all(word.replace("-", "").isalnum() for word in between)
        if is_near and any(0 <= verb.start() - owner <= _FAR for owner in owners):
            return True
    return False


def _is_of_unit(before: str) -> bool:
    clause = _clause(before, ".;")
    units = [unit.end() for unit in _UNIT.finditer(clause)]
    verbs = [verb for verb in _UNIT_HAS.finditer(clause) if len(clause) - verb.end() <= _NEAREST]
    return any(0 <= verb.start() - unit <= _NEAR for verb in verbs for unit in units)


def _is_adjective(after: str) -> bool:
    said = after[1:].lower().split()[:3] if after[:1] == "-" or after[:1].isspace() else []
    at = next((place for place, word in enumerate(said) if not _PLANS.isdisjoint(runs_of(word)[:1])), None)
    if at is None or at > 1:
        return at is not None and said[0] in _OF_PLANS[0] and said[1] in _OF_PLANS[1]
    return at == 0 or said[0].isalpha()


def _is_of_one_kind(own: str, others: str) -> bool:
    """Whether only those in full time, or only those in part time, are counted, and the sentence has a number of the others."""
    kinds = (_FULL_TIME, _PART_TIME)
    said = [kind.search(own) is not None for kind in kinds]
    other = any(kind.search(others) is not None for kind, is_own in zip(kinds, said, strict=True) if not is_own)
    return sum(said) == 1 and other and any(map(str.isdecimal, others))


def _is_of_part(after: str) -> bool:
    """Whether what follows the noun says that some of them are counted."""
    said = after.lstrip(" ,;:-–—()")
    at = _AT.match(said)
    where = said[at.end() :].lstrip() if at is not None else ""
    if where[:1].isupper() and not where.startswith(_MONTHS):
        return True  # "At Acme China", but "at May 31".
    within = _IN.match(said)
    if within is None:
        return _PART_AFTER.match(said) is not None
    where = said[within.end() :].lstrip()
    return not (where[:1].isdigit() or _IN_ALL.match(where) or runs_of(where)[1:2] in _PLACES)


def _beside(before: str) -> str:
    """Another number of the same kind that stands before, with its words: "12 hotels and"; then neither is the whole."""
    said = before.split() if before[-1:].isspace() else []
    joint = next((at for at in (1, 2) if len(said) >= at and said[-at].lower() in _JOINTS), 0)
    if not joint or (joint == 2 and not said[-1].isalnum()):
        return ""
    words_before = said[:-joint]
    for count in range(_MOST_BETWEEN, 0, -1):
        number, between = "".join(words_before[-count - 1 : -count]), words_before[-count:]
        if number.rstrip(",")[-1:].isdigit() and all(word.replace("-", "").isalnum() for word in between):
            return " ".join(between)
    return ""


def _is_near(sentence: str, start: int, end: int, word: str) -> bool:
    """Whether the word stands close to the number, before it without another number between."""
    before = sentence[max(0, start - 60) : start]
    before = before[max((at + 1 for at, char in enumerate(before) if char.isdecimal()), default=0) :]
    after = sentence[end : end + 60].replace(";", ",").replace(":", ",").replace("(", ",").partition(",")[0]
    after = _AND.split(after, 1)[0]
    return any(one.stem == word for one in words(f"{before} {after}"))


def _period(sentence: str, start: int, end: int, years: frozenset[int]) -> float:
    """What the year nearest to the number says: the asked one, another one, or none."""
    found = [(min(abs(m.start() - end), abs(start - m.end())), int(m.group())) for m in YEAR.finditer(sentence)]
    if not found or not years:
        return -0.25 if years and _NOW.search(sentence[:start]) else 0.0  # As of the day the filing was made.
    if len(found) > 1 and len({year for _, year in found}) > 1:
        return 0.25 if min(found)[1] in years else -0.4
    return 0.25 if found[0][1] in years else -0.4
