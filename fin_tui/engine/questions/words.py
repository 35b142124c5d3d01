"""The words of a question, each accounted for: company, period, metric, operation, nothing, or left over (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.periods import period_spans
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.subquestions import AND_WHY
from fin_tui.engine.questions.wanted import EMPTY, Names, Operation, read_operation
from fin_tui.facts.figures import Mention
from fin_tui.language import UNBROKEN, any_of, begin_of

_AHEAD = any_of(
    "mature(s|d)/maturing/maturity/maturities, fall(s|ing)/comes/coming due, due, payable, expect(s|ed), estimate(d), scheduled, "
    "acquired, in/over/within/for the next (fiscal) year, in/over/within/for the next 12/twelve months"
)
"""What falls due or is expected, of a debt, a lease, an amortization."""
_FROM = any_of(
    "earn(ed|s)/came/come(s)/coming/derive(d|s)/generate(d|s)/made/make/attributable/contributed/accounted from/by/to/in/for"
)
_WHEN, _PERIOD = any_of("in, for, during, as of, at, over"), any_of("fiscal, FY*, the (fiscal) year/period")
_STATEMENTS = any_of(
    "from/in/on/within/using/per (the/its) (consolidated) "
    "balance-sheet(s)/income-statement(s)/cash-flow-statement(s)/p&l/note(s) (statement), "
    "from/in/on/within/using/per (the/its) (consolidated) statement(s) of "
    "income/operations/earnings/cash-flow(s)/financial-position/financial-condition/comprehensive-income, "
    "from/in/on/within/using/per (the/its) notes to the financial statements"
)
_REFERS = any_of("it/that/this/those/they/them/same/these, which one, the two")
_GOES_ON = any_of("and/so/then, what/how about, as/in (a/an) %/percent/percentage/share/fraction/multiple")
_BOTH = any_of(
    "(both) (the) current +/and/&/plus (the) non-current/noncurrent, (both) (the) non-current/noncurrent +/and/&/plus (the) "
    "current, (both) (the) short-term/current-term +/and/&/plus long-term (portion/portions/part/parts), including (the/its) "
    "current portion/part/maturities"
)
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", *"0123456789")
_YEARS_LONG = any_of(", ".join(f"{count}-year(s)" for count in _COUNTS))
_AT_END = (
    "(fiscal) year-end/ending/closing/period-end/end-of-year/end-of-period "
    "(total/accounts/trade/shareholders/shareholders'/stockholders/stockholders') "
    "balance(s)/payable(s)/receivable(s)/inventory/inventories/stock/assets/equity/capital/debt/figures"
)
_ENDING, _BALANCES_AT_END = any_of(f"(based) using/on/with/over (the) {_AT_END}"), any_of(_AT_END)
_ORDERS = any_of("list, describe, explain, summarize/summarise, compare, name, identify, discuss, outline")
_SENTENCE = any_of(
    "what, who, whom, whose, why, how, when, where, which, did, does, do, is, are, was, were, has, have, had, will, would, can, "
    "could, should, risk(s), policy/policies, strategy/strategies, factor(s)"
)
_NAMING = frozenset("greater business corporate group full large".split())
_COUNTRY = "us"
_MOST_TERSE = 9
"""Words of a look-up that is no sentence."""
FIRM = 0.88
"""A name matched less surely than this is not taken for a metric."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text with what has been understood of it."""

    text: str
    mentions: tuple[Mention, ...]
    operation: Operation
    phrase: str
    """What is left over."""
    explicit: str
    """What stands behind "came from", "earned from"."""
    dependent: bool
    both: bool
    """The current and the non-current part together."""
    terse: bool = False
    """Words for a look-up, no sentence: "ACME backlog 2021"."""
    ahead: bool = False
    """What falls due in a later year is asked for."""


def speaks_of_ending(text: str) -> bool:
    """Whether ``text`` speaks of balances at the end of a year: what is computed of them takes no averages."""
    return _BALANCES_AT_END.search(text) is not None


def read_words(question: Question, names: Names) -> Words:
    text = _blank(_STATEMENTS, _without_why(question.text))
    text = _blank(_ENDING, text)
    both = _BOTH.search(text)
    text = _blank(_BOTH, text)
    companies = [(named.start, named.end) for named in question.companies if named.start >= 0]
    periods = [*period_spans(text), *(match.span() for match in _YEARS_LONG.finditer(text))]
    explicit = _part_named(text)
    mentions = tuple(
        mention
        for mention in names.find(text)
        if mention.score >= FIRM
        and text[mention.start : mention.end].lower() not in EMPTY
        and not any(mention.start < b and a < mention.end for a, b in (*companies, *periods))
    )
    mentions, aliases = _without_aliases(text, mentions)
    due = list(_AHEAD.finditer(text)) if mentions and mentions[0].metric.ahead else []
    if due:
        mentions, aliases = mentions[:1], [*aliases, *(match.span() for match in due), *((m.start, m.end) for m in mentions[1:])]
    part = ""
    inner: list[tuple[int, int]] = []
    if explicit is not None:
        part, inner, mentions = _explicit(text, *explicit, mentions, companies)
    taken = [*companies, *((m.start, m.end) for m in mentions), *aliases, *inner]
    operation = read_operation(text, taken, max(len(question.companies), 1), len(mentions))
    phrase = left_over(text, [*taken, *periods, *operation.spans])
    is_bare = not mentions and not phrase and not part and not companies
    return Words(
        text,
        mentions,
        operation,
        phrase,
        part,
        is_bare or bool(_REFERS.search(text) or _GOES_ON.match(text, begin_of(text))),
        both is not None,
        terse=_is_terse(question),
        ahead=bool(due),
    )


def _is_terse(question: Question) -> bool:
    text = question.text
    is_sentence = "?" in text or _SENTENCE.search(text) or _ORDERS.match(text, begin_of(text))
    return bool(question.companies) and question.periods.named and len(text.split()) <= _MOST_TERSE and not is_sentence


def _part_named(text: str) -> tuple[int, int] | None:
    """Where the words behind "came from", "earned by" stand, up to a period that follows them."""
    lead = _FROM.search(text)
    if lead is None:
        return None
    end = len(text.rstrip().rstrip("?.").rstrip())
    for when in _WHEN.finditer(text, lead.end() + 2):
        at = when.end() + 1
        if _PERIOD.match(text, at) or text[at : at + len("2024")].startswith(("19", "20")):
            end = min(end, when.start())
    start, end = len(text) - len(text[lead.end() :].lstrip()), len(text[:end].rstrip())
    return (start, end) if start < end else None


def _trim_part(part: str) -> str:
    """Without the stop of the sentence; that of an abbreviation ("U.S.") stays."""
    part = part.strip().rstrip("?, ")
    letters = part.rpartition(" ")[2].rstrip(".").split(".")
    is_short = part.endswith(".") and len(letters) > 1 and all(len(one) == 1 for one in letters)
    return part if is_short else part.rstrip(".")


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """``text`` with what ``pattern`` finds turned to spaces, so that places stay."""
    return pattern.sub(lambda match: " " * len(match.group()), text)


def _without_why(text: str) -> str:
    """``text`` with "and why …" turned to spaces, where something is asked before it."""
    why = AND_WHY.search(text)
    if why is None or not why.start():
        return text
    end = text.find("?", why.end()) if "?" in text[why.end() :] else len(text)
    return text[: why.start()] + " " * (end - why.start()) + text[end:]


def _without_aliases(text: str, mentions: tuple[Mention, ...]) -> tuple[tuple[Mention, ...], list[tuple[int, int]]]:
    """Metrics named twice, as in "return on assets (ROA)": what a bracket repeats is dropped."""
    kept: list[Mention] = []
    aliases = []
    for mention in mentions:
        opening, closing = text.rfind("(", 0, mention.start), text.find(")", mention.end)
        inside = (
            opening >= 0 and closing >= 0 and ")" not in text[opening : mention.start] and "(" not in text[mention.end : closing]
        )
        alone = inside and not left_over(text[opening + 1 : closing], [(mention.start - opening - 1, mention.end - opening - 1)])
        if alone and kept:
            aliases.append((mention.start, mention.end))
        else:
            kept.append(mention)
    return tuple(kept), aliases


def _explicit(
    text: str, start: int, end: int, mentions: tuple[Mention, ...], companies: Sequence[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]], tuple[Mention, ...]]:
    """The part of the company behind "earned from", unless it is itself a metric by name."""
    named = text[start:end]
    if not left_over(named, period_spans(named)):
        return "", [], mentions
    if any(start < b and a < end for a, b in companies):
        return "", [], mentions
    inside = [m for m in mentions if start <= m.start and m.end <= end]
    outside = tuple(
        m for m in mentions if m.end <= start or m.start >= end
    )  # "earn from Operator" is no earnings from operations
    if not outside or (inside and not left_over(named, [(m.start - start, m.end - start) for m in inside])):
        return "", [], mentions
    return _trim_part(named), [(start, end)], outside


def left_over(text: str, taken: Sequence[tuple[int, int]]) -> str:
    """The words of ``text`` that nothing accounts for, as they stand; runs apart are joined."""
    runs: list[list[re.Match[str]]] = []
    broken = True
    for match in UNBROKEN.finditer(text):
        word = match.group().strip(".,;:?!\"'()[]“”‘’").lower()
        bare = word.removesuffix("'s").removesuffix("’s")
        covered = any(match.start() < b and a < match.start() + len(match.group().rstrip(".,;:?!)'’s")) for a, b in taken)
        if covered:
            broken = True
        elif _is_empty(match, word, bare):
            if runs and not broken:
                runs[-1].append(match)
        elif broken:
            runs.append([match])
            broken = False
        else:
            runs[-1].append(match)
    pieces = [_trimmed(text, run) for run in runs]
    return " ".join(piece for piece in pieces if piece)


def _is_empty(match: re.Match[str], word: str, bare: str) -> bool:
    """A word that says nothing; with a capital within a sentence it may begin a name ("Greater China")."""
    named = (bare in _NAMING and match.group().lstrip("(\"'“")[:1].isupper()) or _is_country(match, bare)
    return not word or ((word in EMPTY or bare in EMPTY) and not named) or not any(char.isalnum() for char in word)


def _is_country(match: re.Match[str], word: str) -> bool:
    """Whether "US" is the country: in a text of capitals alone it may be "us"."""
    return word == _COUNTRY and match.group().isupper() and not match.string.isupper()


def _trimmed(text: str, run: list[re.Match[str]]) -> str:
    def is_empty(match: re.Match[str]) -> bool:
        word = match.group().strip(".,;:?!\"'()[]“”‘’").lower()
        return not _is_country(match, word) and (word in EMPTY or not any(char.isalnum() for char in word))

    while run and is_empty(run[-1]):
        run.pop()
    piece = text[run[0].start() : run[-1].end()].strip(" .,;:?!\"'“”‘’") if run else ""
    piece = piece.removesuffix("'s").removesuffix("’s")
    return piece if piece.count("(") == piece.count(")") else piece.strip("()")
