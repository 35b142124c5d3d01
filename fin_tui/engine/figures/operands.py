"""The words of a question for figures and parts -> what the operands of its calculation may be, the plainest first.

Which part belongs to which figure, and which of the names is only a heading ("cash handed back: dividends plus buybacks"), can
seldom be told from the words alone. So each way is tried; the figures that are found for it decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

from fin_tui.engine.frame.reader import COMPUTED, QUOTIENTS, Frame, Span
from fin_tui.engine.questions.periods import is_set_against_before
from fin_tui.engine.questions.wanted import CHANGES, Names
from fin_tui.facts.expression import Binary, parse
from fin_tui.facts.figures import Figure, Metric
from fin_tui.facts.parts import OF_WHOLE
from fin_tui.facts.words import stems
from fin_tui.language import runs_of

Operand = tuple[str, str]
"""Words for a figure, words for its part."""
Operands = tuple[Operand, ...]
"""The operands, in the order of the calculation."""
BEFORE: Operand = ("", "before")
"""What the question before came to, where that was computed."""
TOLD: tuple[Operand, Operand] = (("", "told"), ("", "told before"))
"""The figures that the last turn, and the last but one, was answered with."""
BOTH_TOLD: Operand = ("", "both told")
"""The two of them added up."""
_OF_SEVERAL = frozenset(("sum", "average", "difference", "ratio"))
"""Operations that take several parts of a figure apart."""
_OF_WHOLE = frozenset(("share", "contribution"))
"""Operations that set a part over the whole that it is of."""
_TWO = 2
_MOST = 8
"""Ways that are tried."""
_FIRST, _PRODUCT = "first", "product"
_LOOK_UP = "lookup"
_REFERRING = frozenset("it that this those these them there".split())
"""Words for what was asked about before, …"""
_LINKS = frozenset("on of from for in with".split())
"""… and those that stand before them where a figure of it is asked for."""
_KINDS = {"%": "percent", "ratio": "ratio", "days": "days", "usd/share": "per_share"}
"""Unit of a metric that is one figure over another -> the kind of figure that it is."""
_BY_FORMULA = {"difference": "-", "sum": "+"}
"""Operation -> how a metric combines figures that is a figure by its own name."""
ADDED = frozenset(("+", "plus"))
"""What stands between figures that are added up."""
_JOINED = ADDED | {"and", "&", ",", "/"}
"""What stands between names that are listed."""
_COURSES = frozenset(("growth", "cagr", "contribution"))
"""What comes to no figure of one year."""


def operands_of(frame: Frame) -> list[Operands]:
    """What may go into the calculation that ``frame`` asks for; the first: the operands as the reader tells them apart, else each
    figure that is named, with all parts.
    """
    ways: list[Operands] = [way for way in (told_apart(frame),) if way]
    if ways and BEFORE in ways[0]:
        return _over_another(frame) or [ways[0], ways[0][::-1]]
    of_whole = [_part_of_whole(way) for way in ways if frame.operation in _OF_WHOLE and len(way) == _TWO]
    for named, parts in ((frame.targets, frame.parts), frame.generous):
        for targets in (named, *_without_one(named)):
            ways += _ways(frame.operation, targets, parts)
    if frame.operation == "share" and OF_WHOLE.search(frame.question):
        ways = [way for way in ways if not _is_of_two_parts(way)]  # "North plus South as % of the total" is none of the two.
    turned = [way[::-1] for way in ways if len(way) == 2 and frame.operation in QUOTIENTS | {"contribution", "difference"}]
    both = [way for pair in zip(ways, turned, strict=False) for way in pair] if len(turned) == len(ways) else [*ways, *turned]
    return list(dict.fromkeys((*both[:_TWO], *of_whole, *both[_TWO:])))[:_MOST] or [()]


def _is_of_two_parts(way: Operands) -> bool:
    """Whether one part of a figure is set over another."""
    return len(way) == _TWO and way[0][0] == way[1][0] and bool(way[0][1] and way[1][1])


def _over_another(frame: Frame) -> list[Operands]:
    """What the question before set over something, over what this one names instead: "rent per flat?", "and per tenant?".
    A quotient over something else is none that anyone asks for.
    """
    before = frame.carried.whole if frame.carried is not None else None
    if before is None or not {before.operation, frame.operation} <= QUOTIENTS or len(frame.operands) != 1:
        return []
    said = operands_of(before)[0]
    return [(said[0], _operand(frame.operands[0], frame.parts))] if len(said) == _TWO and BEFORE not in said else []


def _part_of_whole(told: Operands) -> Operands:
    """A part in the words of its whole as well: "inside a year" of "lease payments still owed"."""
    (part, more), (whole, of) = told
    return ((whole, f"{part} {more}".strip()), (whole, of))


def told_apart(frame: Frame) -> Operands:
    """The operands as the reader tells them apart, with the one that stands in the question before; none of one alone."""
    own = tuple(_operand(words, frame.parts) for words in dict.fromkeys(_with_whole_spans(one, frame) for one in frame.operands))
    before = frame.carried.whole if frame.carried is not None else None
    if before is None:
        return own if len(own) > 1 else ()
    if not own and frame.targets == before.targets and (both := _two_before(frame)):
        return both
    place = frame.before or (_FIRST if rests_on_answer(frame) else "")
    if place:
        carried = BEFORE if before.operation in COMPUTED - _COURSES else _whole(before)
        own = tuple(_of_its_part(one, frame) for one in own)
        own = (carried, *own) if place == _FIRST else (*own[:1], carried, *own[1:])
    return own if len(own) > 1 else ()


def rests_on_answer(frame: Frame) -> bool:
    """Whether what was computed before is one of the operands."""
    before = frame.carried.whole if frame.carried is not None else None
    is_other = bool(frame.before) or (len(frame.operands) == 1 and frame.operation in QUOTIENTS - {"margin"})
    return before is not None and before.operation in COMPUTED - _COURSES and is_other


def ways_with_told(frame: Frame, told: Sequence[Figure]) -> list[Operands]:
    """What may go into the calculation that ``frame`` asks for with figures that earlier turns were answered with: a way, then
    the same turned, and so on. Figures of two turns go together only where the question names no figure of its own: of two
    companies none at all, of one none but those told.
    """
    words = dict.fromkeys((*frame.operands, *(target.text for target in frame.targets)))
    own = list(dict.fromkeys(_of_its_part(_operand(one, frame.parts), frame) for one in words))
    is_of_one = len({one.filing.company_key for one in told[:_TWO]}) == 1
    matter = {stem for target in frame.targets for stem in stems(target.text)}
    is_of_told = is_of_one and matter <= {stem for one in told[:_TWO] for stem in stems(one.label)}
    is_of_when = bool(frame.periods) and not matter  # "And in 2020?" asks for figures of that year.
    pairs = [_two_told(frame.operation, told)] if len(told) > 1 and (is_of_told or not own) and not is_of_when else []
    pairs += [(TOLD[0], one) for one in own[:_TWO]]
    if frame.operation == _PRODUCT and not own and frame.carried is not None:
        pairs += [(TOLD[0], (target.text, "")) for target in frame.carried.whole.targets[-_TWO:]]  # "In dollars?"
    pairs += [(BOTH_TOLD, one) for one in own[:1] if len(told) > 1 and is_of_one and frame.operation in QUOTIENTS]
    return [way for pair in pairs for way in (pair, pair[::-1])]


def is_turned(frame: Frame, named: Operands) -> bool:
    """Whether the first of the operands stands behind the second in the question."""
    places = {span.text: span.start for span in (*frame.parts, *frame.targets)}
    at = [max(places.get(target, -1), places.get(part, -1)) for target, part in named[:2]]
    return len(at) == 2 and at[0] > at[1]


def _of_its_part(operand: Operand, frame: Frame) -> Operand:
    """``operand`` of the part that was asked about before, where its margin is asked for: of the part's own sales."""
    before = frame.carried.whole if frame.carried is not None and frame.operation == "margin" else None
    parts = () if before is None or frame.parts or frame.companies else before.parts
    return (operand[0], " ".join(part.text for part in parts)) if parts and not operand[1] else operand


def _two_told(operation: str, told: Sequence[Figure]) -> tuple[Operand, Operand]:
    """The figures of two turns as a calculation has them: the later year first, of one year the larger; a part over its whole."""
    last, first = told[:_TWO]
    is_later = (last.period.end, abs(last.value)) > (first.period.end, abs(first.value))
    if operation in ("share", "ratio", "growth") and last.period.end == first.period.end:
        is_later = operation == "growth" or (abs(last.value) > abs(first.value)) == (operation == "ratio")
    return TOLD if is_later else (TOLD[1], TOLD[0])


def _whole(of: Frame) -> Operand:
    """The figure that a frame asks for."""
    return (of.targets[0].text, " ".join(span.text for span in of.parts)) if len(of.targets) == 1 else (of.matter, "")


def _two_before(frame: Frame) -> Operands:
    """The figures of the two questions before, the older first, where each asks for one and this one names none."""
    second = frame.carried
    first = second.behind if second is not None and not second.companies else None
    if first is None or second is None:
        return ()
    both = (first.whole, second.whole)
    if any(one.operation in COMPUTED or not one.is_figure or len(one.targets) != 1 for one in both):
        return ()
    pair = tuple(map(_whole, both))
    return pair if pair[0] != pair[1] else ()


def _with_whole_spans(words: str, frame: Frame) -> str:
    """The words for an operand with each name that they are cut out of in full; what another operand says is no rest of it."""
    elsewhere = {word for other in frame.operands if other != words for word in other.lower().split()}
    for span in (*frame.targets, *frame.parts):
        named, said = span.text.lower().split(), words.lower().split()
        rest = set(named) - set(said)
        if rest and len(rest) < len(set(named)) and not elsewhere & rest:
            words = " ".join((*(word for word in words.split() if word.lower() not in named), span.text))
    return words


def _operand(words: str, parts: Sequence[Span]) -> tuple[str, str]:
    """The words for a figure and those for its part, where they hold one and say more than it."""
    for part in parts:
        rest = " ".join(words.replace(part.text, " ", 1).split())
        if part.text in words and rest:
            return rest, part.text
    return words, ""


def _ways(operation: str, targets: Sequence[Span], parts: Sequence[Span]) -> list[Operands]:
    """The operands that these figures and parts may make up."""
    said = " ".join(part.text for part in parts)
    of_all = tuple((target.text, said) for target in targets)
    first = targets[0].text if targets else ""
    by_part = tuple((first, part.text) for part in parts) if len(parts) > 1 else ()
    if operation == _PRODUCT and len(targets) == 1 and parts:
        return [(*of_all, (first, ""))]  # The part's share of the whole that it is of.
    if len(targets) < 2:
        return [way for way in ((by_part, of_all) if operation in _OF_SEVERAL else (of_all, by_part)) if way]
    if operation in QUOTIENTS | {"contribution"} and operation != "margin":
        of_all = ((first, said), *((target.text, "") for target in targets[1:]))
    return [way for way in (of_all, _nearest(targets, parts), by_part) if way]


def _nearest(targets: Sequence[Span], parts: Sequence[Span]) -> Operands:
    """Each figure with the parts that stand next to it."""
    nearest: dict[int, list[str]] = {}
    for part in parts:
        near = min(range(len(targets)), key=lambda at: max(targets[at].start - part.end, part.start - targets[at].end))
        nearest.setdefault(near, []).append(part.text)
    return tuple((target.text, " ".join(nearest.get(at, ()))) for at, target in enumerate(targets))


def _without_one(targets: Sequence[Span]) -> list[Sequence[Span]]:
    """The figures without one of them each."""
    return [[*targets[:at], *targets[at + 1 :]] for at in range(len(targets))] if len(targets) > 1 else []


def metric_of(words: str, names: Names) -> Metric | None:
    """The metric that all of the words are a name of; None where they say more, or name none."""
    found = names.find(words)
    return found[0].metric if len(found) == 1 and (found[0].end - found[0].start) >= len(words.strip()) - 1 else None


def with_whole_names(frame: Frame, names: Names) -> Frame:
    """``frame`` with the names of metrics kept whole: "net debt" is a figure, "net" and "debt" of it are none. What is named as
    the operation ("and its margin") is no figure. What one name says is computed by its formula, not by the question.
    """
    frame = _with_names(frame, names)
    if not frame.parts and (matter := matter_of_before(frame, names)):
        frame = replace(frame, parts=matter)
    refers = not _REFERRING.isdisjoint(frame.question.lower().replace("?", " ").split())
    if frame.carried is not None and len(frame.targets) == 1 and not (frame.carried.whole.parts or refers):
        own = metric_of(frame.targets[0].text, names)
        if own is not None and own.formula and own.unit in _KINDS:  # "And its current ratio?" takes nothing from what was asked.
            frame = replace(frame, carried=None, before="")
    metric = metric_of(frame.targets[0].text, names) if len(frame.targets) == 1 and frame.carried is None else None
    if metric is None or not metric.formula:
        return frame
    if (kind := _KINDS.get(metric.unit)) and frame.operation in QUOTIENTS | {_LOOK_UP}:
        frame = replace(frame, answer=kind, kinds={kind: 1.0}, sure={**frame.sure, "answer": 1.0})
    is_pair = len(frame.periods) > 1 or is_set_against_before(frame.question)
    if is_pair or frame.left_over or frame.operation not in _BY_FORMULA:
        return frame
    taken = parse(metric.formula)
    if not isinstance(taken, Binary) or taken.operator != _BY_FORMULA[frame.operation] or CHANGES.search(frame.question):
        return frame
    operations = {one: share for one, share in frame.operations.items() if one not in (_LOOK_UP, frame.operation)}
    together = frame.operations.get(_LOOK_UP, 0.0) + frame.operations.get(frame.operation, 0.0)
    return replace(frame, operation=_LOOK_UP, operations={_LOOK_UP: together, **operations}, operands=())


def matter_of_before(frame: Frame, names: Names) -> tuple[Span, ...]:
    """What the turn before asked about, where that is no metric and a follow-up asks for metrics of it: "inventory of it"."""
    said = runs_of(frame.question.lower())[-_TWO:]
    refers = len(said) == _TWO and said[0] in _LINKS and said[1] in _REFERRING
    if frame.carried is None or not refers or not all(metric_of(one.text, names) is not None for one in frame.targets):
        return ()
    return tuple(one for one in frame.carried.whole.targets if metric_of(one.text, names) is None) if frame.targets else ()


def _with_names(frame: Frame, names: Names) -> Frame:
    targets = [span for span in frame.targets if span.text.lower() != frame.operation]
    parts = list(frame.parts)
    for mention in names.find(frame.question):
        start, end = mention.start, mention.end
        near = [span for span in (*targets, *parts) if span.start < end and start < span.end]
        is_cut = sum(span in targets for span in near) == 1 and all(start <= span.start and span.end <= end for span in near)
        if is_cut and not any(span.start < end and start < span.end for span in (*frame.companies, *frame.periods)):
            targets = sorted((*(one for one in targets if one not in near), _span(frame, start, end)), key=lambda one: one.start)
            parts = [one for one in parts if one not in near]
    targets = [own for target in targets for own in _each_named(target, names)]
    said = {frame.operation, *(word.lower() for target in targets for word in target.text.split())}
    left = tuple(word for word in frame.left_over if word not in said)
    operands = tuple(words for words in frame.operands if words.lower() != frame.operation)
    if len(targets) == 1 and metric_of(targets[0].text, names) is not None:
        whole = set(targets[0].text.lower().split())
        operands = tuple(words for words in operands if not set(words.lower().split()) < whole)
    return replace(frame, targets=tuple(targets), parts=tuple(parts), left_over=left, operands=operands)


def metrics_listed(words: str, names: Names, joints: frozenset[str]) -> list[str]:
    """The names of metrics that ``words`` are a list of, parted by ``joints``: "rent plus wages"; what is known by a
    formula may stand without: "ROE ROA". None where they say anything else.
    """
    found = names.find(words)
    ends = [(0, 0), *((one.start, one.end) for one in found), (len(words), len(words))]
    between = [words[a:b].lower().split() for (_, a), (b, _) in pairwise(ends)]
    is_parted = all(between[1:-1]) or all(one.metric.formula for one in found)
    is_list = len(found) > 1 and not between[0] and not between[-1] and joints.issuperset(chain(*between))
    return [words[one.start : one.end] for one in found] if is_list and is_parted else []


def _each_named(target: Span, names: Names) -> list[Span]:
    """Each of several metrics that ``target`` lists; else the span as it is."""
    spans, end = [], 0
    for name in metrics_listed(target.text, names, _JOINED):
        start = target.text.index(name, end)
        end = start + len(name)
        spans.append(Span(name, target.start + start, target.start + end))
    return spans or [target]


def _span(frame: Frame, start: int, end: int) -> Span:
    return Span(frame.question[start:end], start, end)
