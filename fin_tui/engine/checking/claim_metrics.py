"""Which figure each number of a sentence claims to be: a metric by its name, of the whole company or of a part (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.checking import claim_words as words
from fin_tui.engine.checking.claim_parts import ASIDES, between, part_behind, part_of, subject_of
from fin_tui.engine.checking.claim_periods import LIST_LINK
from fin_tui.engine.checking.claim_sentence import Sentence
from fin_tui.engine.evidence.compare import bound_before
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.engine.questions.words import left_over
from fin_tui.facts.figures import Mention

_BEHIND = re.compile(
    r"^\s*(?:\w+ly\s+)?(?:(?:of|in|on|as|from|for|worth\s+of)\s+)?(?:(?:its|the|their|total|annual|full-year|consolidated|net|reported|gross)\s+)*$",
    re.I,
)
_CHANGE_IN = re.compile(r"^\s*(?:\w+\s+)?\w+\s+(?:in|of|for)\s+(?:(?:its|the|their|total|annual|consolidated)\s+)*$", re.I)
_OWN_NUMBER = re.compile(
    r"^\s*(?:of|was|were|is|:|totall?ed|at)?\s*(?:about|nearly|approximately|over|only|some)?\s*[-(]?[$€£]?\d", re.I
)
_PER_SHARE = re.compile(r"^\s*,?\s*(?:per|a|each)\s+(?:(?P<which>basic|diluted)\s+)?(?:common\s+|ordinary\s+)?share\b", re.I)
_LABEL_VERB = re.compile(
    r"\b(?:was|were|is|are|of|totall?ed|stood\s+at|amounted\s+to|came\s+(?:in\s+)?(?:to|at)|reached|equall?ed|at|to|hit|:)\s*(?:\w+\s+){0,2}$|:\s*$|[-–—|]\s*$",
    re.I,
)
_DOINGS: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...] = (
    (
        re.compile(r"\b(?:re)?purchas\w*|\bbought\s+back|\bbuybacks?\b|\bspent\b", re.I),
        re.compile(
            r"^\s*(?:worth\s+)?(?:of|in|on|repurchasing|buying\s+back)?\s*(?:its\s+)?(?:own\s+)?(?:common\s+)?(?:stock|shares)\b",
            re.I,
        ),
        "share_repurchases",
    ),
    (
        re.compile(r"\bemploy(?:s|ed)\s+(?:\w+\s+){0,2}$", re.I),
        re.compile(r"^\s*(?:[\w-]+\s+){0,3}(?:people|employees|workers|persons|staff)\b", re.I),
        "employees",
    ),
    (re.compile(r"\bhad\s+(?:\w+\s+){0,2}$", re.I), re.compile(r"^\s*(?:[\w-]+\s+){0,3}employees\b", re.I), "employees"),
    (
        re.compile(r"\bpa(?:id|ys)\b[^,;]*$", re.I),
        re.compile(r"^\s*(?:to\s+(?:share|stock)holders\s+)?(?:in|as|of)\s+(?:cash\s+)?dividends\b", re.I),
        "dividends_paid",
    ),
    (
        re.compile(r"\blos(?:t|ing)\s+(?:\w+\s+){0,2}$", re.I),
        re.compile(r"^\s*(?:$|[.,;]|(?:in|for|during|that|this|last|over|and|while|or)\b)", re.I),
        "net_income",
    ),
)
_EPS = {
    "net_income": ("eps_diluted", "eps_basic"),
    "dividends_paid": ("dividends_per_share",) * 2,
    "dividends_declared": ("dividends_per_share",) * 2,
}


@dataclass(frozen=True, slots=True)
class Attached:
    """What a number is told of."""

    role: words.Role
    item: Item | None
    whole: Item | None = None
    start: int = -1
    """Where the name of the figure stands; -1 when nothing names it here."""
    end: int = -1
    sure: bool = True
    said: str = ""
    """The name as the text writes it."""
    beside: bool = False
    """It stands beside another part's number, not another year's."""


def attach_metrics(sentence: Sentence, names: Names, carried: Item | None) -> list[Attached]:
    """What each number of ``sentence`` is told of; ``carried`` is the figure that the text spoke of last."""
    listed = _listed(sentence, names)
    found: list[Attached] = []
    for at in range(len(sentence.numbers)):
        one = listed[at] if listed is not None else _attach(sentence, at, names)
        if (
            at
            and one.item == found[-1].item
            and found[-1].role in ("change", "growth")
            and words.IS_SAME.match(sentence.before(at))
        ):
            one = replace(one, role="growth" if sentence.numbers[at].kind == "percent" else "change")
        if one.item is None and found and found[-1].item is not None and one.start < 0:
            # "rose 2 % to $391 billion from $383 billion": all are told of the figure named first.
            one = Attached(_role(sentence, at, found[-1].item), found[-1].item, one.whole, found[-1].start, found[-1].end, False)
        if one.item is None and carried is not None and not sentence.mentions and _refers(sentence.text):
            one = Attached(_role(sentence, at, carried), carried, one.whole, sure=False)
        found.append(one)
    return found


def _refers(text: str) -> bool:
    starts = re.match(r"^\W*(?:it|that|this|which|these|up|down|an?\s+(?:increase|decrease))\b", text, re.I)
    return bool(starts) or bool(
        re.search(r"\b(?:it|that|this)\s+(?:was|were|is|had\s+been|stood|came|rose|fell|grew)\b", text, re.I)
    )


def _role(sentence: Sentence, at: int, item: Item | None) -> words.Role:
    number = sentence.numbers[at]
    role = words.role_of(number.kind, number.text, sentence.before(at), sentence.after(at))
    if role in ("change", "growth") and re.search(r"\bto\s+(?:\w+\s+){0,2}$", sentence.before(at), re.I):
        return "level"
    return role or "level"


def _attach(sentence: Sentence, at: int, names: Names) -> Attached:
    number, after = sentence.numbers[at], sentence.after(at)
    per_share = _PER_SHARE.match(after)
    ahead, behind = _ahead(sentence, at), _behind(sentence, at)
    if per_share is not None and number.kind != "percent":
        return _per_share(sentence, at, per_share, ahead, names)
    role = _role(sentence, at, None)
    if role == "share":
        return _share(sentence, at, ahead, names)
    mention = ahead
    if behind is not None and (ahead is None or not _is_next_to(sentence, ahead, at)):
        mention = behind
    doing = _doing(sentence, at, names)
    if doing is not None and (mention is None or mention is ahead):
        return Attached(role, doing, start=sentence.begin(at), end=number.end)
    if mention is None:
        return _by_label(sentence, at, role)
    phrase, sure = part_of(sentence, mention)
    own = part_behind(sentence, at) if mention is ahead and mention.metric.unit != "%" else ""
    if own and own != phrase:
        # "net sales were $167 billion in the Americas and $101 billion in Europe"
        phrase, sure = own, sure and not phrase
    sure = sure and (mention is behind or bool(own) or not between(sentence, mention, at))
    return Attached(
        role,
        Item(mention.metric, phrase),
        start=mention.start,
        end=mention.end,
        sure=sure,
        said=_said(sentence, mention),
        beside=bool(own),
    )


def _ahead(sentence: Sentence, at: int) -> Mention | None:
    """The last metric named before a number, unless what follows it is told of something else."""
    begin = sentence.begin(at)
    asides = [match.span() for match in ASIDES.finditer(sentence.text[:begin])]
    found = [m for m in sentence.mentions if m.end <= begin and not any(a <= m.start < b for a, b in asides)]
    if not found:
        return None
    gap = "".join(_blanked(sentence.text, asides)[found[-1].end : begin])
    return None if words.ASIDE.search(gap) else found[-1]


def _said(sentence: Sentence, mention: Mention) -> str:
    return sentence.text[mention.start : mention.end]


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _behind(sentence: Sentence, at: int) -> Mention | None:
    """The metric named right behind a number ("$391 billion in net sales"), unless it has a number of its own."""
    end = sentence.numbers[at].end
    mention = next((mention for mention in sentence.mentions if mention.start >= end), None)
    limit = sentence.begin(at + 1) if at + 1 < len(sentence.numbers) else len(sentence.text)
    if mention is None or mention.start >= limit or _OWN_NUMBER.match(sentence.text[mention.end :]):
        return None
    gap = sentence.text[end : mention.start]
    changed = words.role_of(sentence.numbers[at].kind, sentence.numbers[at].text, sentence.before(at), sentence.after(at))
    if _BEHIND.match(gap) or (changed in ("change", "growth") and _CHANGE_IN.match(gap)):
        return mention
    parted = re.match(r"^\s*(?:of|in)\s+(?:the\s+|its\s+)?(?:[A-Z][\w&]*\s+){1,3}$", gap)
    return mention if parted else None


def _is_next_to(sentence: Sentence, mention: Mention, at: int) -> bool:
    """Whether nothing but a verb stands between a metric and a number."""
    gap = sentence.text[mention.end : sentence.begin(at)]
    return bool(
        re.match(
            r"^\s*(?:\(\w+\)\s*)?(?:was|were|is|of|totall?ed|at|:|reached|came\s+to|amounted\s+to|stood\s+at|hit)?\s*(?:(?!and\b|or\b|plus\b|while\b|with\b)\w+\s+)?$",
            gap,
        )
    )


def _share(sentence: Sentence, at: int, ahead: Mention | None, names: Names) -> Attached:
    """ "R&D was 8 % of revenue", "iPhone accounted for 51 % of net sales"."""
    end = sentence.numbers[at].end
    whole = next((mention for mention in sentence.mentions if mention.start >= end), None)
    if whole is None or left_over(re.sub(r"['’]s\b", "", sentence.plain[end : whole.start]), []) or whole.metric.unit == "%":
        return Attached("share", None, sure=False)
    if ahead is not None and ahead.metric.unit == "%":
        return Attached("level", Item(ahead.metric), start=ahead.start, end=ahead.end)
    bottom = Item(whole.metric)
    if ahead is not None:
        phrase, _ = part_of(sentence, ahead)
        return Attached("share", Item(ahead.metric, phrase), bottom, ahead.start, ahead.end, not between(sentence, ahead, at))
    phrase = subject_of(sentence, at)
    return Attached("share", Item(whole.metric, phrase) if phrase else None, bottom, whole.start, whole.end)


def _by_label(sentence: Sentence, at: int, role: words.Role) -> Attached:
    """A figure that the vocabulary does not know, called as its row may be."""
    start = sentence.numbers[at - 1].end if at else 0
    before = sentence.text[start : sentence.begin(at)]
    if not _LABEL_VERB.search(before) and bound_before(before) == "exact":
        return Attached(role, None, sure=False)
    phrase = subject_of(sentence, at)
    return Attached(
        role, Item(None, phrase) if phrase else None, start=start if phrase else -1, end=sentence.begin(at), sure=False
    )


def _per_share(sentence: Sentence, at: int, said: re.Match[str], ahead: Mention | None, names: Names) -> Attached:
    begin, end = sentence.begin(at), sentence.numbers[at].end + said.end()
    role = _role(sentence, at, None)
    if ahead is not None and ahead.metric.unit == "usd/share":
        return Attached(role, Item(ahead.metric), start=ahead.start, end=ahead.end)
    which = _EPS.get(ahead.metric.id if ahead is not None else "net_income")
    if ahead is None and re.search(r"\bdividends?\b", sentence.text[:begin], re.I):
        which = _EPS["dividends_paid"]
    metric = names.get(which[1 if (said["which"] or "").lower() == "basic" else 0]) if which else None
    return Attached(role, Item(metric) if metric else None, start=ahead.start if ahead else begin, end=end, sure=bool(metric))


def _doing(sentence: Sentence, at: int, names: Names) -> Item | None:
    """A figure told by a verb: "bought back $95 billion of its stock", "employed 164,000 people"."""
    before, after = sentence.before(at), sentence.after(at)
    for ahead, behind, metric_id in _DOINGS:
        if ahead.search(before) and behind.match(after) and sentence.numbers[at].kind != "percent":
            metric = names.get(metric_id)
            return Item(metric) if metric else None
    return None


def _listed(sentence: Sentence, names: Names) -> list[Attached] | None:
    """Figures and numbers in two lists of one length: "revenue and net income were $391 billion and $94 billion"."""
    numbers, mentions = sentence.numbers, sentence.mentions
    if len(numbers) < 2 or len(numbers) != len(mentions) or mentions[-1].end > sentence.begin(0):
        return None
    gaps = [sentence.text[numbers[n].end : sentence.begin(n + 1)] for n in range(len(numbers) - 1)]
    if not all(LIST_LINK.match(gap) for gap in gaps):
        return None
    found = []
    for at, mention in enumerate(mentions):
        phrase, _ = part_of(sentence, mention)
        found.append(Attached(_role(sentence, at, None), Item(mention.metric, phrase), start=mention.start, end=mention.end))
    return found
