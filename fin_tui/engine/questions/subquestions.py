"""The questions that one question asks: figures that are listed, the pieces that the reader parts, both ends of a period (pure).

Splitting proposes only; whoever answers decides by the answers whether the question was one or several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fin_tui.engine.frame.reader import QUOTIENTS, Frame, Span
from fin_tui.engine.questions.periods import find_periods
from fin_tui.language import UNBROKEN, any_of

AND_WHY = any_of("and why, and how come, and what drove/caused/explain(s|ed)")
_WHY = any_of("why, how come, what drove/caused/explain(s|ed)")
_JOINTS = frozenset(("and", "&"))
_FEWEST_WORDS = 3
_FEWEST = 2
_TOGETHER = QUOTIENTS | {"sum", "product", "contribution"}
"""Operations that need several figures."""
_ASKING = frozenset("what how who whom whose why when where which is are was were does do did has have had can will".split())
"""Words that a question begins with: no operand does."""
_SURE = 0.85
"""Probability of asking several things from which a calculation is one of them; of 36 questions for one thing one had it."""
_MOST = 4
"""Questions that are answered each by itself."""
_LISTABLE = frozenset(("lookup", "growth", "trend", "who", "list", "describe"))
"""Operations of which each of several figures has its own: a ratio needs them together."""
_OPENING, _CLOSING = frozenset("opening beginning start starting".split()), frozenset("closing ending end close".split())
_OF_PERIOD = frozenset("balance balances of the its fiscal year period".split())
_BALANCE = frozenset("balance balances year period".split())
_LEADING = frozenset("at as of the its from".split())
"""Words before and behind those that name an end of a period."""
_FRONTS = frozenset("of out among within given regarding".split())
"""What words for what a question is of begin with, before it asks."""
_SMALL = frozenset(
    "10k 10-k the its their his her a an in for of at on as to by during what what's how much was were is are also then".split()
)
"""Words beside a figure that name nothing."""


@dataclass(frozen=True, slots=True)
class Halves:
    """A question for a figure, or for anything else, and for its reason: "What was its margin in 2024, and why did it fall?"."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Subquestion:
    """One of the questions that a question asks."""

    text: str
    words: str
    """What it names, where that is one figure and no more; "" otherwise."""
    named: tuple[str, ...] = ()
    """All figures and matters that it names."""
    is_certain: bool = True
    """Its words stand apart in the question; those on both sides of an "and" may be one name ("property and equipment")."""


def halves_of(text: str) -> Halves | None:
    """What ``text`` asks, and the question for its reason behind it; None without one."""
    for why in AND_WHY.finditer(text):
        before, second = text[: why.start()], text[why.start() :].partition(" ")[2].strip().rstrip(" ?.")
        first = before.strip().rstrip(",;")
        if before[-1:].isspace() and first[-1:].isalnum() and len(first.split()) >= _FEWEST_WORDS:
            return Halves(f"{first}?", second)
    return None


def subquestions_of(frame: Frame, is_name: Callable[[str], bool]) -> tuple[Subquestion, ...]:
    """What the question of ``frame`` asks one by one; empty where that is one thing, or a figure and its reason. ``is_name``:
    whether words are the name of one figure.
    """
    told = tuple(Subquestion(one.text, _figure_of(frame, one), _named_in(frame, one)) for one in _pieces_asked(frame))
    if len(told) < _FEWEST and frame.operation in _LISTABLE:
        told = tuple(_listed(frame, is_name))
    return told if _FEWEST <= len(told) <= _MOST and not any(_WHY.match(one.text) for one in told) else ()


def _pieces_asked(frame: Frame) -> tuple[Span, ...]:
    """The pieces of the question that are asked by themselves; none where it may be one calculation of them."""
    asks_anew = all(piece.text.split()[0].lower().strip(",'’s") in _ASKING for piece in frame.asks[1:])
    is_sure = frame.sure.get("asks", 0.0) >= _SURE and frame.operation != "sum"
    if frame.operation in _TOGETHER and not (is_sure or asks_anew):
        return ()
    told: list[Span] = []
    is_open = False
    for piece in frame.asks:
        # "Acme 2003: sales, and who buys", "of its leases, how many": what asks nothing goes with what stands beside it.
        whose = (*frame.companies, *frame.periods, *(frame.parts if not told else ()))
        words = _outside(piece, whose)
        is_bare, is_front = _SMALL.issuperset(words), words[:1] != [] and words[0] in _FRONTS
        if told and (is_bare or is_open):
            start = told.pop().start
            told.append(Span(frame.question[start : piece.end], start, piece.end))
        else:
            told.append(piece)
        is_open = is_front or (is_bare and len(told) == 1)
    return tuple(told)


def _outside(piece: Span, spans: Sequence[Span]) -> list[str]:
    """The words of ``piece`` outside of ``spans``."""
    kept = list(piece.text)
    for start, end in _inside(piece, spans):
        kept[start:end] = " " * (end - start)
    return [*filter(None, (word.strip(",:;-") for word in "".join(kept).replace("'s", " ").replace("’s", " ").lower().split()))]


def _inside(piece: Span, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Where in ``piece`` what it has of ``spans`` stands."""
    cut = ((max(one.start, piece.start) - piece.start, min(one.end, piece.end) - piece.start) for one in spans)
    return [(start, end) for start, end in cut if start < end]


def _figure_of(frame: Frame, piece: Span) -> str:
    """The words of ``piece`` for the one figure that it names; "" where it says more than that, of whom and when."""

    targets = _inside(piece, frame.targets)
    said = (*frame.targets, *frame.companies, *frame.periods)
    return piece.text[slice(*targets[0])] if len(targets) == 1 and _SMALL.issuperset(_outside(piece, said)) else ""


def _named_in(frame: Frame, piece: Span) -> tuple[str, ...]:
    return tuple(piece.text[slice(*place)] for place in _inside(piece, frame.targets))


def balances_asked(frame: Frame, year: int) -> tuple[Subquestion, ...]:
    """A question for a balance at the opening of the year that it names, else of ``year``, or at both its ends, as one for each
    end: a year opens with what the one before closed with. Empty where neither is asked for.
    """
    found = _ends_named(frame.question)
    if found is None or not frame.is_figure or frame.operation != "lookup" or not year:
        return ()
    named, both = found
    says_when = not _BALANCE.isdisjoint(frame.question[slice(*named)].lower().split())
    says_when = says_when or any(one.start <= named[1] + 1 and named[0] < one.end for one in frame.periods)
    if not both and not says_when:
        return ()  # "Since the start of the war".
    text = frame.question
    for start, end in sorted([named, *((one.start, one.end) for one in frame.periods)], reverse=True):
        text = f"{text[:start]} {text[min(end, len(text)) :]}"
    text = " ".join(text.split()).strip(" ,:;-?")
    # "At the beginning of 2024" was read as the year before.
    year = max(find_periods(_without_span(frame.question, named)).years, default=year)
    words = " ".join(span.text for span in frame.targets[:1])
    return tuple(Subquestion(f"{text} at end of FY{year - back}", words) for back in ((1, 0) if both else (1,)))


def _ends_named(text: str) -> tuple[tuple[int, int], bool] | None:
    """Where ``text`` names the opening of a period, and whether it names its close as well; None where it names no opening."""
    words = [(match.group().lower().strip(",;:?."), match) for match in UNBROKEN.finditer(text)]
    first = next((at for at, (word, _) in enumerate(words) if word in _OPENING), None)
    if first is None:
        return None

    def behind(at: int, fillers: frozenset[str]) -> int:
        return next((place for place in range(at, len(words)) if words[place][0] not in fillers), len(words))

    def before(at: int) -> int:
        return next((place + 1 for place in range(at - 1, -1, -1) if words[place][0] not in _LEADING), 0)

    start, end = before(first), behind(first + 1, _OF_PERIOD)
    joint = words[end][0] if end < len(words) else ""
    close = behind(end + 1, _LEADING) if joint in _JOINTS or joint in ("to", "vs") else len(words)
    both = close < len(words) and words[close][0] in _CLOSING
    if both:
        end = behind(close + 1, _OF_PERIOD)
    elif start == first and end == first + 1:
        return None  # "Start a dividend".
    return (words[start][1].start(), words[end - 1][1].end()), both


def _without_span(text: str, span: tuple[int, int]) -> str:
    """``text`` without what stands at ``span``."""
    return f"{text[: span[0]]} {text[span[1] :]}"


def without(text: str, spans: Sequence[Span]) -> str:
    """``text`` without the words of ``spans``."""
    for span in spans:
        text = text.replace(span.text, " ")
    return " ".join(text.split())


def _listed(frame: Frame, is_name: Callable[[str], bool]) -> Iterator[Subquestion]:
    """One for each figure of the longest list of the question's targets."""
    text = frame.question
    pieces = [(piece, span) for span in frame.targets for piece in _pieces(text, span)]
    runs: list[list[tuple[tuple[int, int], Span]]] = [[]]
    for one in pieces:
        if runs[-1] and not _lists(text, frame, runs[-1][-1][0][1], one[0][0]):
            runs.append([])
        runs[-1].append(one)
    items = max(runs, key=len)
    first, last = (items[0][0][0], items[-1][0][1]) if items else (0, 0)
    is_certain = len({span for _, span in items}) == len(items)
    are_names = (is_name(text[a:b]) or len(text[a:b].split()) > 1 for (a, b), _ in items)
    if len(items) < 2 or is_name(text[first:last]) or not (is_certain or all(are_names)):
        return
    for (start, end), _ in items:
        kept = sorted([(start, end), *_names_within(frame, first, last)])
        middle = " ".join(text[a:b] for a, b in kept)
        named = (text[start:end],)
        yield Subquestion(" ".join(f"{text[:first]} {middle} {text[last:]}".split()), *named, named, is_certain)


def _pieces(text: str, span: Span) -> Iterator[tuple[int, int]]:
    """The places in ``span`` between the joints in it."""
    words = [match.span() for match in UNBROKEN.finditer(text, span.start, span.end)]
    begin = 0
    for at, (start, end) in enumerate(words):
        if text[start:end].lower() in _JOINTS:
            if begin < at:
                yield words[begin][0], words[at - 1][1]
            begin = at + 1
    if begin < len(words):
        yield words[begin][0], words[-1][1]


def _names_within(frame: Frame, first: int, last: int) -> list[tuple[int, int]]:
    """Where companies and periods stand within a list."""
    return [(one.start, one.end) for one in (*frame.companies, *frame.periods) if first <= one.start and one.end <= last]


def _lists(text: str, frame: Frame, start: int, end: int) -> bool:
    """Whether what stands between two figures sets one beside the other, and says no more than of whom and when."""
    gap = list(text[start:end])
    for a, b in _names_within(frame, start, end):
        gap[a - start : b - start] = " " * (b - a)
    words = "".join(gap).replace("'s", " ").lower().replace(",", " , ").split()
    joints: Sequence[str] = [word for word in words if word in _JOINTS or word == ","]
    return bool(joints) and all(word in _SMALL for word in words if word not in joints)
