"""The words beside a figure's name: which part of the company is meant, and what else stands between (pure)."""

from __future__ import annotations

import re

from fin_tui.engine.checking import claim_words as words
from fin_tui.engine.checking.claim_sentence import Sentence
from fin_tui.engine.questions.words import left_over
from fin_tui.facts.figures import Mention

_PART_BEHIND = re.compile(
    r"^\s+(?:in|from|of|for|at|by|within)\s+(?:the\s+|its\s+)?(?P<part>(?:(?:[A-Z]\.){2,}|[A-Z][\w&’'.+-]*|\d+[A-Z]\w*)"
    r"(?:\s+(?!(?:in|for|during|at|as|by|on|from|to|was|were|is|are|while|with|which|that|fiscal|its|rose|fell|grew)\b)(?:[\w&’'+-]+|[A-Z.]{3,}))*)"
)
_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")
_PLACE_AHEAD = re.compile(
    r"(?:^|[,;]\s+)(?:[Ii]n|[Ff]or|[Ww]ithin|[Aa]t)\s+(?:the\s+|its\s+)?(?P<part>[A-Z][\w&’'.-]*(?:\s+(?:[A-Z][\w&’'.-]*|and|&|of|the|segment))*)\s*,\s*$"
)
_FILLER = frozenset(
    (
        "record strong solid robust weak higher lower rising falling annual yearly full-year gaap consolidated company- "
        "wide companywide worldwide key headline delivered posted saw achieved drove ended finished closed brought took "
        "kept showed exceeded topped hit reached stood amounted came meanwhile similarly however also still again then "
        "while whereas where although though because since if its it their his her our my which that who whose with "
        "without plus including despite against total overall grew rose fell declined increased decreased dropped climbed "
        "jumped expanded contracted improved returned result results resulting corresponding respective year-end fiscal- "
        "year period-end remained amounting totaling totalling totaled totalled equal equaled equalled equivalent "
        "represented representing represents accounted accounting accounts contributed account only just even nearly "
        "almost about approximately roughly around over under than more less some up down by to from as at of on in for "
        "and or but so per each both an a the was were is are be been being had has have having s group firm company's "
        "business's management shareholders investors recorded carried boasted swung turned year-on-year yoy "
        "profitability performance balance line item lines cost figure figures metric this these those such same new "
        "first second third reporting states stated according shows noted note page see comparable compared versus vs "
        "increase decrease growth decline rise drop change gain"
    ).split()
)
_RATE_WORDS = frozenset("cagr compound compounded annual annually annualized annualised rate growth".split())
_TRIM = ".,;:?!\"'()[]“”‘’*_`|"
_MOST_WORDS = 8
_ABBREVIATION = re.compile(r"(?:[A-Za-z]\.){2,}")
_LINKING = frozenset(("and", "of", "&", "the"))


ASIDES = re.compile(
    r"[,(–—]\s*(?:including|excluding|of\s+which|net\s+of|which\s+includes?|before|after|together\s+with|as\s+well\s+as)\b[^,()–—]*[,)–—]",
    re.I,
)
"""Words set apart by commas, brackets or dashes that speak of another figure."""


def part_behind(sentence: Sentence, at: int) -> str:
    """The part of the company named right behind a number: "$101 billion in Europe"."""
    end = sentence.numbers[at].end
    match = _PART_BEHIND.match(sentence.after(at))
    if match is None:
        return ""
    start, stop = end + match.start("part"), end + match.end("part")
    others = (*sentence.named, *((one.start, one.end) for one in sentence.mentions))
    return "" if any(start < b and a < stop for a, b in others) else _trimmed(match["part"])


def _trimmed(part: str) -> str:
    return part if _ABBREVIATION.search(part[-4:]) else part.strip(_TRIM)


def between(sentence: Sentence, mention: Mention, at: int) -> str:
    """Words between a metric and a number that name something else."""
    start, end = mention.end, sentence.begin(at)
    gap = ASIDES.sub(lambda match: " " * len(match.group()), sentence.text[start:end])
    part = _PART_BEHIND.match(gap)
    taken = [(max(a - start, 0), b - start) for a, b in sentence.named if start <= b and a < end]
    taken += [(sentence.begin(n) - start, sentence.numbers[n].end - start) for n in range(at) if sentence.begin(n) >= start]
    taken += [match.span() for match in words.MOVES.finditer(gap)]
    if part is not None:
        taken.append(part.span())
    rest = left_over(gap, taken)
    return " ".join(
        word
        for word in rest.split()
        if word.lower().strip(_TRIM) not in _FILLER | _RATE_WORDS and not word.lower().endswith("ly")
    )


def part_of(sentence: Sentence, mention: Mention) -> tuple[str, bool]:
    """The part of the company whose metric is named ("Greater China", "iPhone"), and whether that is sure."""
    text = sentence.text
    edges = [end for _, end in sentence.named if end <= mention.start]
    edges += [sentence.numbers[n].end for n in range(len(sentence.numbers)) if sentence.numbers[n].end <= mention.start]
    edges += [one.end for one in sentence.mentions if one.end <= mention.start]
    edges += [match.end() for match in re.finditer(r"[,;:()—–|]|['’]s\b", text[: mention.start])]
    before = text[max(edges, default=0) : mention.start]
    bracket = _BRACKET.search(text[: mention.start])
    if bracket is not None and not before.strip():
        return f"{_last_words(text[: bracket.start()])} {bracket.group().strip()}".strip(), True
    part = _last_words(before)
    behind = _PART_BEHIND.match(text[mention.end :])
    if behind is not None and not part:
        start, end = mention.end + behind.start("part"), mention.end + behind.end("part")
        if not any(start < b and a < end for a, b in sentence.named):
            return _trimmed(behind["part"]), True
    ahead = _PLACE_AHEAD.search(text[: mention.start])
    if not part and ahead is not None and not any(ahead.start("part") < b and a < ahead.end("part") for a, b in sentence.named):
        return ahead["part"].strip(), True
    return part, True


def _last_words(before: str) -> str:
    """The words right before a metric that say which part of it is meant: "Family of Apps", "energy generation and storage"."""
    kept: list[str] = []
    for word in reversed(before.split()):
        bare = word if _ABBREVIATION.fullmatch(word) else word.strip(_TRIM)
        linking = bare.lower() in _LINKING and kept
        filler = bare.lower() in _FILLER or left_over(bare, []) == "" or (bare.islower() and bare.endswith(("ly", "ing")))
        if filler and not linking:
            break
        kept.insert(0, bare)
    while kept and (kept[0].lower() in _LINKING or (kept[0].islower() and any(word[:1].isupper() for word in kept))):
        kept.pop(0)
    return " ".join(kept) if len(kept) <= _MOST_WORDS else ""


def subject_of(sentence: Sentence, at: int) -> str:
    """What stands before a number as its subject, without companies, periods and filler."""
    start = sentence.numbers[at - 1].end if at else 0
    before = sentence.text[start : sentence.begin(at)]
    taken = [(max(a - start, 0), b - start) for a, b in sentence.named if b > start]
    rest = left_over(before, [*taken, *(match.span() for match in words.MOVES.finditer(before))])
    kept = [word for word in rest.split() if word.lower().strip(_TRIM) not in _FILLER]
    if not kept or len(kept) > _MOST_WORDS:
        return ""
    first, last = before.find(kept[0]), before.rfind(kept[-1]) + len(kept[-1])
    whole = 0 <= first < last and not any(first < b and a < last for a, b in taken)
    return (before[first:last] if whole else " ".join(kept)).strip(_TRIM)
