"""The words of a question, each accounted for: company, period, metric, operation, nothing, or left over (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.periods import period_spans
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import EMPTY, Names, Operation, read_operation
from fin_tui.facts.figures import Mention
from fin_tui.language import UNBROKEN

_AHEAD = re.compile(
    r"\b(?:matur(?:e[sd]?|ing|ity|ities)|(?:fall(?:s|ing)?\s+|com(?:es|ing)\s+)?due|payable|expect(?:s|ed)?(?:\s+to\s+\w+)?|estimated?|"
    r"scheduled|acquired)\b|\b(?:in|over|within|for)\s+the\s+next\s+(?:(?:fiscal\s+)?year|12\s+months|twelve\s+months)\b",
    re.I,
)
"""What falls due or is expected, of a debt, a lease, an amortization."""
_FROM = re.compile(
    r"\b(?:earn(?:ed|s)?|came|comes?|coming|deriv(?:ed?|es)|generat(?:ed?|es)|made|make|attributable|contributed|accounted)\s+"
    r"(?:(?:from|by|to|in|for)\s+)(?P<part>.+?)"
    r"(?=\s+(?:in|for|during|as of|at|over)\s+(?:fiscal\b|FY|the\s+(?:fiscal\s+)?(?:year|period)|(?:19|20)\d\d)|\s*[?.]?\s*$)",
    re.I,
)
_PLACE = re.compile(
    r"\b(?:from|in|on|within|using|per)\s+(?:the\s+|its\s+)?(?:consolidated\s+)?(?:balance sheets?|income statements?|"
    r"cash flow statements?|statements? of [a-z ]+?(?=\s*(?:\(|[?,.]|$|in\b|for\b))|"
    r"p&l(?:\s+statement)?|notes?(?: to the financial statements)?)(?=\W|$)",
    re.I,
)
_REFERS = re.compile(
    r"\b(?:it|that|this|those|they|them|which\s+one|same|the\s+two|these)\b|^\W*(?:and|what about|how about|so|then)\b|"
    r"^\W*(?:as|in)\s+(?:an?\s+)?(?:%|percent|percentage|share|fraction|multiple)(?=\W|$)",
    re.I,
)
_AND_WHY = re.compile(r"(?<=\w)[,;]?\s+and\s+(?:why|how\s+come|what\s+(?:drove|caused|explains?))\b[^?]*", re.I)
"""The second half of a question that first asks for a figure."""
_SECOND = re.compile(r"(?<=\w)[,;]?\s+and\s+(?=(?P<reason>why|how\s+come|what\s+(?:drove|caused|explains?))?)", re.I)
_ASKS = frozenset("why what which who when where how".split())
_FEWEST_WORDS = 3
_BOTH = re.compile(
    r"\(?\b(?:both\s+)?(?:the\s+)?(?:current\s*(?:\+|and|&|plus)\s*(?:the\s+)?non-?\s?current|"
    r"non-?\s?current\s*(?:\+|and|&|plus)\s*(?:the\s+)?current|"
    r"(?:short|current)[- ]term\s*(?:\+|and|&|plus)\s*long[- ]term)(?:\s+(?:portions?|parts?))?\b\)?"
    r"|\(?\bincluding\s+(?:the\s+|its\s+)?current\s+(?:portion|part|maturities)\b\)?",
    re.I,
)
_YEARS_LONG = re.compile(r"\b(?:\d|two|three|four|five|six|seven|eight|nine|ten)[- ]years?\b", re.I)
_ENDING = re.compile(
    r"[,;(]?\s*\b(?:using|on|with|over|based\s+on)\s+(?:the\s+)?(?:fiscal\s+)?"
    r"(?:year[- ]end|ending|closing|period[- ]end|end[- ]of[- ](?:year|period))"
    r"\s+(?:(?:total|accounts|trade|shareholders['’]?|stockholders['’]?)\s+)?"
    r"(?:balances?|payables?|receivables?|inventor(?:y|ies)|assets|equity|capital|debt|figures)\b\)?",
    re.I,
)
_SENTENCE = re.compile(
    r"\?|^\W*(?:list|describe|explain|summari[sz]e|compare|name|identify|discuss|outline)\b|"
    r"\b(?:what|who|whom|whose|why|how|when|where|which|did|does|do|is|are|was|were|has|have|had|will|would|can|could|should|risks?|"
    r"polic(?:y|ies)|strateg(?:y|ies)|factors?)\b",
    re.I,
)
_NAMING = frozenset("greater business corporate group full large".split())
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
    ending: bool = False
    """Balances at the year's end are asked for in place of averages: "using year-end receivables"."""


@dataclass(frozen=True, slots=True)
class Halves:
    """A question that asks two things: "What was its margin in 2024, and why did it fall?"."""

    first: str
    second: str
    asks_reason: bool
    """The second asks for the reason of the first."""


def halves_of(text: str) -> Halves | None:
    """The two questions that ``text`` is made of, the second with a question word of its own; None for one."""
    for match in _SECOND.finditer(text):
        first, second = text[: match.start()].strip(), text[match.end() :].strip(" ?.")
        asks = not _ASKS.isdisjoint(second.lower().split()[:1])
        if asks and len(first.split()) >= _FEWEST_WORDS:
            return Halves(f"{first}?", second, bool(match["reason"]))
    return None


def read_words(question: Question, names: Names) -> Words:
    text = _blank(_PLACE, _blank(_AND_WHY, question.text))
    ending = _ENDING.search(text)
    text = _blank(_ENDING, text)
    both = _BOTH.search(text)
    text = _blank(_BOTH, text)
    companies = [(named.start, named.end) for named in question.companies if named.start >= 0]
    periods = [*period_spans(text), *(match.span() for match in _YEARS_LONG.finditer(text))]
    explicit = _FROM.search(text)
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
        part, inner, mentions = _explicit(text, explicit, mentions, companies)
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
        is_bare or bool(_REFERS.search(text)),
        both is not None,
        terse=_is_terse(question),
        ahead=bool(due),
        ending=ending is not None,
    )


def _is_terse(question: Question) -> bool:
    text = question.text
    return bool(question.companies) and question.periods.named and len(text.split()) <= _MOST_TERSE and not _SENTENCE.search(text)


def _trim_part(part: str) -> str:
    """Without the stop of the sentence; that of an abbreviation ("U.S.") stays."""
    part = part.strip().rstrip("?, ")
    letters = part.rpartition(" ")[2].rstrip(".").split(".")
    is_short = part.endswith(".") and len(letters) > 1 and all(len(one) == 1 for one in letters)
    return part if is_short else part.rstrip(".")


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """``text`` with what ``pattern`` finds turned to spaces, so that places stay."""
    return pattern.sub(lambda match: " " * len(match.group()), text)


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
    text: str, match: re.Match[str], mentions: tuple[Mention, ...], companies: Sequence[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]], tuple[Mention, ...]]:
    """The part of the company behind "earned from", unless it is itself a metric by name."""
    start, end = match.span("part")
    if not left_over(match["part"], period_spans(match["part"])):
        return "", [], mentions
    if any(start < b and a < end for a, b in companies):
        return "", [], mentions
    inside = [m for m in mentions if start <= m.start and m.end <= end]
    outside = tuple(
        m for m in mentions if m.end <= start or m.start >= end
    )  # "earn from Operator" is no earnings from operations
    if not outside or (inside and not left_over(text[start:end], [(m.start - start, m.end - start) for m in inside])):
        return "", [], mentions
    return _trim_part(match["part"]), [(start, end)], outside


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
    named = bare in _NAMING and match.group().lstrip("(\"'“")[:1].isupper()
    return not word or ((word in EMPTY or bare in EMPTY) and not named) or not any(char.isalnum() for char in word)


def _trimmed(text: str, run: list[re.Match[str]]) -> str:
    def is_empty(match: re.Match[str]) -> bool:
        word = match.group().strip(".,;:?!\"'()[]“”‘’").lower()
        return word in EMPTY or not any(char.isalnum() for char in word)

    while run and is_empty(run[-1]):
        run.pop()
    piece = text[run[0].start() : run[-1].end()].strip(" .,;:?!\"'“”‘’") if run else ""
    piece = piece.removesuffix("'s").removesuffix("’s")
    return piece if piece.count("(") == piece.count(")") else piece.strip("()")
