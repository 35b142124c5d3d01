"""Which figure each number of a sentence claims to be: a metric by its name, of the whole company or of a part (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise
from string import digits

from fin_tui.engine.checking import claim_words as words
from fin_tui.engine.checking.claim_words import Sentence
from fin_tui.engine.evidence.numbers import bound_before
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.engine.questions.words import left_over
from fin_tui.facts.figures import Mention
from fin_tui.language import UNBROKEN, any_of, closing, runs_of

_BEFORE_PART = frozenset("in from of for at by within".split())
_BEHIND_PART = frozenset(
    "in for during at as by on from to was were is are while with which that fiscal its rose fell grew".split()
)
_PART_SIGNS = "_&’'+-"
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
_LINKING = frozenset(("and", "of", "&", "the"))
_IN = frozenset(("in", "for", "within", "at"))
_WITHIN_NAME = _LINKING | {"segment"}
"""What the name of a place may have in small letters: "In the Americas and Europe segment, …"."""
_EDGES = ",;:()—–|"
_OWNS = any_of("*'s")


_ASIDE = any_of("including, excluding, of which, net of, which include, which includes, before, after, together with, as well as")
"""Opens words set apart by commas, brackets or dashes that speak of another figure."""
_APART = ",()–—"


def _asides(text: str) -> list[tuple[int, int]]:
    """Spans of the words that are set apart and speak of another figure, with the signs around them."""
    found: list[tuple[int, int]] = []
    for start, end in pairwise(at for at, char in enumerate(text) if char in _APART):
        is_open = text[start] != ")" and text[end] != "(" and (not found or found[-1][1] <= start)
        if is_open and _ASIDE.match(text[start + 1 : end].lstrip()):
            found.append((start, end + 1))
    return found


def _part_in(text: str) -> tuple[int, int] | None:
    """Where the part is named that ``text`` goes on with: " in the Americas"; None where it names none."""
    words = list(UNBROKEN.finditer(text))
    first = 2 if len(words) > 1 and words[1][0] in ("the", "its") else 1
    is_placed = text[:1].isspace() and len(words) > first and words[0][0] in _BEFORE_PART
    if not is_placed or not words[first][0].lstrip(digits)[:1].isupper():
        return None
    begin = end = words[first].start()
    for word in words[first:]:
        said = next(iter(runs_of(word[0], _PART_SIGNS if end > begin else f"{_PART_SIGNS}.")), "")
        if not said or not word[0].startswith(said) or (end > begin and not _BEHIND_PART.isdisjoint(runs_of(said)[:1])):
            break
        end = word.start() + len(said)
        if said != word[0]:
            break
    return begin, end


def part_behind(sentence: Sentence, at: int) -> str:
    """The part of the company named right behind a number: "$101 billion in Europe"."""
    end = sentence.numbers[at].end
    after = sentence.after(at)
    place = _part_in(after)
    if place is None:
        return ""
    start, stop = end + place[0], end + place[1]
    others = (*sentence.named, *((one.start, one.end) for one in sentence.mentions))
    return "" if any(start < b and a < stop for a, b in others) else _trimmed(after[slice(*place)])


def _trimmed(part: str) -> str:
    return part if _is_abbreviation(part[-4:]) else part.strip(_TRIM)


def _is_abbreviation(word: str) -> bool:
    """Whether a word is letters with a stop behind each: "U.S."."""
    letters, stops = word[::2], word[1::2]
    return len(stops) > 1 and len(letters) == len(stops) and letters.isalpha() and not stops.strip(".")


def between(sentence: Sentence, mention: Mention, at: int) -> str:
    """Words between a metric and a number that name something else."""
    start, end = mention.end, sentence.begin(at)
    gap = _blanked(sentence.text[start:end], _asides(sentence.text[start:end]))
    part = _part_in(gap)
    taken = [(max(a - start, 0), b - start) for a, b in sentence.named if start <= b and a < end]
    taken += [(sentence.begin(n) - start, sentence.numbers[n].end - start) for n in range(at) if sentence.begin(n) >= start]
    taken += [match.span() for match in words.MOVES.finditer(gap)]
    if part is not None:
        taken.append((0, part[1]))
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
    edges += [at + 1 for at, char in enumerate(text[: mention.start]) if char in _EDGES]
    edges += [match.end() for match in _OWNS.finditer(text, 0, mention.start)]
    before = text[max(edges, default=0) : mention.start]
    outer, bracket, inner = text[: mention.start].rstrip().rpartition("(")
    if bracket and inner.endswith(")") and ")" not in inner[:-1] and not before.strip():
        return f"{_last_words(outer)} ({inner}".strip(), True
    part = _last_words(before)
    behind = _part_in(text[mention.end :])
    if behind is not None and not part:
        start, end = mention.end + behind[0], mention.end + behind[1]
        if not any(start < b and a < end for a, b in sentence.named):
            return _trimmed(text[start:end]), True
    place, end = _place_ahead(text[: mention.start])
    if not part and place and not any(end - len(place) < b and a < end for a, b in sentence.named):
        return place, True
    return part, True


def _place_ahead(before: str) -> tuple[str, int]:
    """The place that is named right before, "In the Americas, …", and where its name ends; "" where none is."""
    clause = before.rstrip()
    said = clause[max(clause.rfind(",", 0, -1), clause.rfind(";", 0, -1)) + 1 : -1].split()
    place = said[2 if said[1:2] in (["the"], ["its"]) else 1 :]
    if not clause.endswith(",") or not place or said[0].lower() not in _IN or not place[0][0].isupper():
        return "", 0
    is_name = all(word[0].isupper() or word in _WITHIN_NAME for word in place)
    return (" ".join(place), len(clause[:-1].rstrip())) if is_name else ("", 0)


def _last_words(before: str) -> str:
    """The words right before a metric that say which part of it is meant: "Family of Apps", "energy generation and storage"."""
    kept: list[str] = []
    for word in reversed(before.split()):
        bare = word if _is_abbreviation(word) else word.strip(_TRIM)
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


_JOINING = frozenset("of in on as from for".split())
_TOTALS = frozenset("its the their total annual full-year consolidated net reported gross".split())
_LONGEST_PLACE = 3
_CHANGE_IN = frozenset(("in", "of", "for"))
_STATES = any_of("of, was, were, is, totaled, totalled, at, reached, came to, amounted to, stood at, hit")
"""What stands between a figure's name and its number."""
_ABOUT = frozenset("about nearly approximately over only some".split())
_GOES_ON = frozenset("and or plus while with".split())
_PER_SHARE = any_of("per/a/each (basic/diluted) (common/ordinary) share")
_LABEL_VERB = closing(
    "was, were, is, are, of, total, totals, totaled, totalled, totaling, stood at, amounted to, came (in) to/at, reached, "
    "equaled, equalled, issued, at, to, hit, :",
    within=2,
)
_DASHES = ("-", "–", "—", "|")
_DOINGS = (
    (
        any_of("purchas*, repurchas*, bought back, buyback(s), spent"),
        any_of("(worth) (of/in/on/repurchasing/buying back) (its) (own) (common) stock/shares"),
        "share_repurchases",
    ),
    (closing("employs/employed", within=2), any_of("people, employees, workers, persons, staff"), "employees"),
    (closing("had", within=2), any_of("employees"), "employees"),
    (closing("paid/pays", within=8), any_of("(to shareholders/stockholders) in/as/of (cash) dividends"), "dividends_paid"),
)
"""What stands before a number and behind it that is told by a verb, and what it is."""
_MOST_BETWEEN = {"employees": 3}
"""Words between a number and what is behind it."""
_LOST = closing("lost/losing, a loss of", within=2)
_AFTER_LOSS = any_of("in, for, during, that, this, last, over, and, while, or")
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
        if at and one.item == found[-1].item and found[-1].role in ("change", "growth") and words.is_same(sentence.before(at)):
            one = replace(one, role="growth" if sentence.numbers[at].kind == "percent" else "change")
        if one.item is None and found and found[-1].item is not None and one.start < 0:
            # "rose 2 % to $391 billion from $383 billion": all are told of the figure named first.
            one = Attached(_role(sentence, at, found[-1].item), found[-1].item, one.whole, found[-1].start, found[-1].end, False)
        if one.item is None and carried is not None and not sentence.mentions and _refers(sentence.text):
            one = Attached(_role(sentence, at, carried), carried, one.whole, sure=False)
        found.append(one)
    return found


_REFERRING = frozenset("it that this which these up down".split())


def _refers(text: str) -> bool:
    first, second = [*runs_of(text.lower()), "", ""][:2]
    is_change = first in ("a", "an") and second in ("increase", "decrease")
    return (
        first in _REFERRING
        or is_change
        or bool(any_of("it/that/this was/were/is/stood/came/rose/fell/grew, it/that/this had been").search(text))
    )


def _role(sentence: Sentence, at: int, item: Item | None) -> words.Role:
    number = sentence.numbers[at]
    role = words.role_of(number.kind, number.text, sentence.before(at), sentence.after(at))
    if role in ("change", "growth") and words.leads_to(sentence.before(at)):
        return "level"
    return role or "level"


def _attach(sentence: Sentence, at: int, names: Names) -> Attached:
    number, after = sentence.numbers[at], sentence.after(at)
    per_share = _PER_SHARE.match(after.lstrip(" ,"))
    ahead, behind = _ahead(sentence, at), _behind(sentence, at)
    if per_share is not None and number.kind != "percent":
        return _per_share(sentence, at, per_share.group().lower(), ahead, names)
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
    asides = _asides(sentence.text[:begin])
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
    if mention is None or mention.start >= limit or _has_own_number(sentence.text[mention.end :]):
        return None
    gap = sentence.text[end : mention.start]
    changed = words.role_of(sentence.numbers[at].kind, sentence.numbers[at].text, sentence.before(at), sentence.after(at))
    if _is_joining(gap) or (changed in ("change", "growth") and _is_change_in(gap)):
        return mention
    first, *place = gap.split() or [""]
    place = place[1:] if place[:1] in (["the"], ["its"]) else place
    is_placed = first.lower() in ("of", "in") and 0 < len(place) <= _LONGEST_PLACE and all(word[0].isupper() for word in place)
    return mention if is_placed else None


def _has_own_number(after: str) -> bool:
    """Whether the number of a figure stands right behind its name: " was about $5"."""
    verb = _STATES.match(said := after.lstrip(" :"))
    first, second = [*(said[verb.end() :] if verb else said).split(), "", ""][:2]
    return (second if first.lower() in _ABOUT else first).lstrip("-($€£")[:1].isdigit()


def _is_joining(gap: str) -> bool:
    """Whether a number and the name behind it belong together: "$391 billion worth of total net sales"."""
    said = gap.casefold().split()
    said = said[1:] if "".join(said[:1]).endswith("ly") else said
    said = said[1:] if said[:2] == ["worth", "of"] else said
    return _TOTALS.issuperset(said[1:] if said[:1] and said[0] in _JOINING else said)


def _is_change_in(gap: str) -> bool:
    """Whether a change is told of the name behind it: "5 % increase in the"."""
    said = list(dropwhile(_TOTALS.__contains__, reversed(gap.casefold().split())))
    return 1 < len(said) < 4 and said[0] in _CHANGE_IN and "".join(said).isalnum()


def _is_next_to(sentence: Sentence, mention: Mention, at: int) -> bool:
    """Whether nothing but a verb stands between a metric and a number."""
    gap = sentence.text[mention.end : sentence.begin(at)].lstrip()
    bracketed, bracket, behind = gap.removeprefix("(").partition(")")
    gap = behind.lstrip() if bracket and gap.startswith("(") and bracketed.isalnum() else gap
    verb = _STATES.match(gap)
    rest = (gap[verb.end() :] if verb else gap.removeprefix(":")).split()
    return not rest or (len(rest) == 1 and rest[0].isalnum() and rest[0].lower() not in _GOES_ON)


def _share(sentence: Sentence, at: int, ahead: Mention | None, names: Names) -> Attached:
    """ "R&D was 8 % of revenue", "iPhone accounted for 51 % of net sales"."""
    end = sentence.numbers[at].end
    whole = next((mention for mention in sentence.mentions if mention.start >= end), None)
    if whole is None or left_over(any_of("*'s").sub("", sentence.plain[end : whole.start]), []) or whole.metric.unit == "%":
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
    is_told = _LABEL_VERB.search(before) is not None or before.rstrip().endswith(_DASHES)
    if not is_told and bound_before(before) == "exact":
        return Attached(role, None, sure=False)
    phrase = subject_of(sentence, at)
    return Attached(
        role, Item(None, phrase) if phrase else None, start=start if phrase else -1, end=sentence.begin(at), sure=False
    )


def _per_share(sentence: Sentence, at: int, said: str, ahead: Mention | None, names: Names) -> Attached:
    begin, end = sentence.begin(at), sentence.numbers[at].end + sentence.after(at).lower().index(said) + len(said)
    role = _role(sentence, at, None)
    if ahead is not None and ahead.metric.unit == "usd/share":
        return Attached(role, Item(ahead.metric), start=ahead.start, end=ahead.end)
    which = _EPS.get(ahead.metric.id if ahead is not None else "net_income")
    if ahead is None and any_of("dividend(s)").search(sentence.text[:begin]):
        which = _EPS["dividends_paid"]
    metric = names.get(which[1 if "basic" in said else 0]) if which else None
    return Attached(role, Item(metric) if metric else None, start=ahead.start if ahead else begin, end=end, sure=bool(metric))


def _doing(sentence: Sentence, at: int, names: Names) -> Item | None:
    """A figure told by a verb: "bought back $95 billion of its stock", "employed 164,000 people"."""
    before, after = sentence.before(at), sentence.after(at)
    if sentence.numbers[at].kind == "percent":
        return None
    doings = (metric for ahead, behind, metric in _DOINGS if ahead.search(before) and _follows(behind, after, metric))
    metric_id = next(doings, "net_income" if _LOST.search(before) and _ends_loss(after.lstrip()) else "")
    metric = names.get(metric_id) if metric_id else None
    return Item(metric) if metric else None


def _follows(thing: re.Pattern[str], after: str, metric: str) -> bool:
    match = thing.search(after)
    between = after[: match.start()].split() if match else ()
    is_plain = all(word.replace("-", "").isalnum() for word in between)
    return match is not None and is_plain and len(between) <= _MOST_BETWEEN.get(metric, 0)


def _ends_loss(after: str) -> bool:
    """Whether what is behind a number says no more of what was lost."""
    return not after or after.startswith((".", ",", ";")) or _AFTER_LOSS.match(after) is not None


def _listed(sentence: Sentence, names: Names) -> list[Attached] | None:
    """Figures and numbers in two lists of one length: "revenue and net income were $391 billion and $94 billion"."""
    numbers, mentions = sentence.numbers, sentence.mentions
    if len(numbers) < 2 or len(numbers) != len(mentions) or mentions[-1].end > sentence.begin(0):
        return None
    gaps = [sentence.text[numbers[n].end : sentence.begin(n + 1)] for n in range(len(numbers) - 1)]
    if not all(words.is_linked(gap) for gap in gaps):
        return None
    found = []
    for at, mention in enumerate(mentions):
        phrase, _ = part_of(sentence, mention)
        found.append(Attached(_role(sentence, at, None), Item(mention.metric, phrase), start=mention.start, end=mention.end))
    return found
