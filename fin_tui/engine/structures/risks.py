"""The risk headings of Item 1A, in the filing's own groups: all, or those of a matter; and which are new or gone a year later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer, named, passage_in
from fin_tui.facts.words import LINKS, stem, stems, words
from fin_tui.language import any_of, count, runs_of, split_sentences
from fin_tui.records import BlockKind, Chunk, Filing, Sentence

_KIND = frozenset(map(stem, "risk risks factor factors heading headings title titles item 1a".split()))
"""What risks are called."""
_OF_RANK = frozenset(map(stem, "main key principal major primary top big biggest largest greatest material important".split()))
"""What says that some weigh more than others, which filings don't tell."""
_LINKS = LINKS | frozenset("about on to related relating".split())
_HEADS = frozenset("risks factors headings titles".split())
_WORDS_OF = frozenset(("text", "list"))
_OF_ALL, _OF_SUMMARY = any_of("item 1a, risk factor(s)"), (any_of("summary"), any_of("risk*"))
"""What headings of the whole Item, and of its summary, begin with."""
_LONGEST_OF_SUMMARY = 45
_TITLE, _LITTLE = 0.8, 4
"""Share of the words that begin with a capital in a title: "Market and Other External Risks"; little ones don't count."""
_GROUP = any_of(
    "(certain) risk(s) (and uncertainties) related/relating to (our/the), (certain) risk(s) (and uncertainties) of (our/the)"
)
"""What the heading of a group begins with before it says its matter."""
_MOST = 120
_FEWEST = 2
_SAME = 4
"""Letters from which words that begin alike are one: "regulation", "regulatory"."""
_LONGEST_GROUP = 12
"""Words of a group's heading; a longer one is a risk."""
_LONGEST_RISK = 5_500
"""Characters of Item 1A for each risk, on the average; with more, not every risk was read as a heading."""


@dataclass(frozen=True, slots=True)
class Risk:
    """A risk heading with the first passage under it."""

    heading: str
    chunk: Chunk
    group: str = ""
    place: tuple[int, int] = (0, 0)
    """Of the group's heading in the clean text."""
    is_group: bool = False
    """It heads risks, which may stand in its text without a heading of their own."""


def asked_risks(frame: Frame | None) -> tuple[str, ...] | None:
    """The words of the matter whose risks are asked for, none for all of them; None when the question wants something else."""
    if frame is not None and frame.page:
        return () if frame.page == "risks" else None
    frame = frame.whole if frame is not None else None
    if frame is None or frame.answer not in _WORDS_OF or frame.parts or len(frame.targets) != 1 or frame.is_figure:
        return None
    said = [word for word in words(frame.targets[0].text) if word.surface not in _LINKS]
    left = [word for word in words(" ".join(frame.left_over)) if word.surface not in _LINKS]
    if all(word.stem in _OF_RANK for word in said):
        said += left  # "main" alone was taken for what is asked.
    if all(word.stem != stem("risk") for word in said) or not any(word.surface in _HEADS for word in said):
        return None
    if any(word.stem not in _KIND | _OF_RANK for word in left):
        return None
    return tuple(word.surface for word in said if word.stem not in _KIND | _OF_RANK)


def risks(reader: FilingReader, filing: Filing, matter: Sequence[str] = ()) -> StructureAnswer | None:
    """The headings, each with the passage under it; None when Item 1A has not got two (on the ``matter``)."""
    every = grouped_risks(reader, filing)
    filled = {risk.group for risk in every}
    found = [risk for risk in every if not (risk.is_group and risk.heading in filled)]
    chosen = [risk for risk in found if _names(risk, matter)]
    is_whole = _is_whole(reader, filing, found)
    if not matter and not is_whole and any(risk.is_group for risk in found):
        chosen = [risk for risk in every if risk.is_group]  # The few risks that were read would pass for all of a group.
    if len(chosen) < _FEWEST:
        return None
    passages = Passages(reader, filing)
    groups = Counter(risk.group for risk in chosen if risk.group)
    where = f"Item 1A of {filing.company}'s {named(filing)}"
    if matter:
        these = f"{len(chosen)} of the {len(found)} risk headings in {where}"
        head = f"{these} name “{' '.join(matter)}” or stand under a heading that does:"
    else:
        head = _head(where, chosen, groups, is_whole=is_whole)
    told = [Sentence(head, (), "computed")]
    group = ""
    for number, risk in enumerate(chosen[:_MOST], start=1):
        if risk.group and risk.group != group and len(groups) > 1 and not matter:
            group, at = risk.group, passages.number(*risk.place)
            told.append(Sentence(group, (at,) if at else (), "grounded", opens="paragraph"))
        own = passages.take(passage_in(1, filing, risk.chunk, risk.chunk.start, first_line(risk.chunk)))
        told.append(Sentence(shorten(f"{number}. {risk.heading}"), (own,), "grounded", opens="line"))
    return StructureAnswer(tuple(told), tuple(passages.made), is_open=bool(matter) or not is_whole)


def _head(where: str, chosen: Sequence[Risk], groups: Mapping[str, int], *, is_whole: bool) -> str:
    """How many there are, in which groups; that some may be missing."""
    if all(risk.is_group for risk in chosen):
        return f"{where} has {count(len(chosen), 'group')} of risks, which stand in the text under these headings:"
    if not is_whole:
        return f"{count(len(chosen), 'risk heading')} found in {where}; more risks stand in its text:"
    if len(groups) > 1:
        shares = ", ".join(f"{group_matter(group)} ({many})" for group, many in groups.items())
        return f"{where} has {len(chosen)} risk headings in {count(len(groups), 'group')}: {shares}."
    return f"{where} has {len(chosen)} risk headings:"


def _is_whole(reader: FilingReader, filing: Filing, found: Sequence[Risk]) -> bool:
    section = reader.section(filing, "1A")
    risks = sum(not risk.is_group for risk in found)
    return section is None or section.end - section.start <= _LONGEST_RISK * max(risks, 1)


def group_matter(group: str) -> str:
    """ "Operations" of "Risks Related to Our Operations", and of "RISKS RELATED TO OUR OPERATIONS:"."""
    head = _GROUP.search(group)
    short = (group[: head.start()] + group[head.end() :].lstrip() if head else group).rstrip(" :.")
    return short.capitalize() if short.isupper() else short[:1].upper() + short[1:]


def _names(risk: Risk, matter: Sequence[str]) -> bool:
    said = {word.stem for word in words(f"{risk.group} {risk.heading}")}
    return all(any(_alike(stem(asked), one) for one in said) for asked in matter)


def _alike(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _SAME and (one.startswith(other) or other.startswith(one)))


def grouped_risks(reader: FilingReader, filing: Filing) -> list[Risk]:
    """Every risk heading with the heading that it stands under; what a summary of the risks names stays out."""
    firsts = risk_headings(reader, filing)
    section = reader.section(filing, "1A")
    if section is None:
        return [Risk(heading, chunk) for heading, chunk in firsts.items()]
    document = reader.document(filing)
    blocks = [block for block in document.blocks if section.start <= block.start < section.end]
    headings = [
        (at, block, " ".join(document.text[block.start : block.end].split()))
        for at, block in enumerate(blocks)
        if block.kind is BlockKind.HEADING
    ]
    # A heading that comes again has named its group in a summary before.
    last = {stems(text): block.start for _, block, text in headings}
    told = [(at, block, text) for at, block, text in headings if not _is_of_all(text) and block.start >= last[stems(text)]]
    titles = _titles([text for _, _, text in told])
    found: dict[str, Risk] = {}
    group, place = "", (0, 0)
    for at, block, text in told:
        is_over = at + 1 < len(blocks) and blocks[at + 1].kind is BlockKind.HEADING
        if text in titles or (is_over and len(text.split()) <= _LONGEST_GROUP):
            group, place = text, (block.start, block.end)
            if (chunk := firsts.get(text) or reader.chunks.holding(filing.id, *place)) is not None:
                found.setdefault(text, Risk(text, chunk, place=place, is_group=True))
        elif text in firsts:
            found.setdefault(text, Risk(text, firsts[text], group, place))
    return list(found.values())


def _is_of_all(heading: str) -> bool:
    """Whether a heading stands over the whole Item or its summary, not over one risk."""
    summary, risk = _OF_SUMMARY
    first, other = (summary, risk) if summary.match(heading) else (risk, summary)
    is_summary = first.match(heading) is not None and other.search(heading[:_LONGEST_OF_SUMMARY]) is not None
    return is_summary or _OF_ALL.match(heading) is not None


def _titles(headings: Sequence[str]) -> frozenset[str]:
    """Those that name a group of risks: titles that say "risk", where most others of the Item are no titles."""
    of_risks = {text for text in headings if stem("risk") in {word.stem for word in words(text)} and _heads_risks(text)}
    others = [text for text in headings if text not in of_risks]
    return frozenset() if 2 * sum(map(_is_title, others)) > len(others) else frozenset(of_risks)


def _heads_risks(text: str) -> bool:
    if _GROUP.match(text):
        return not text.endswith(".") or _is_title(text)  # "Risks Related to Acme, Inc."
    return len(text.split()) <= _LONGEST_GROUP and not text.endswith(".") and _is_title(text)


def _is_title(text: str) -> bool:
    said = [word for word in runs_of(text, "’'") if len(word) > _LITTLE and not word[0].isdigit()]
    capitals = sum(1 for word in said if word[0].isupper())
    return capitals >= _TITLE * len(said)


def risk_headings(reader: FilingReader, filing: Filing) -> dict[str, Chunk]:
    """Each heading of Item 1A with the first passage under it, in order."""
    firsts: dict[str, Chunk] = {}
    for chunk in reader.chunks.of_filing(filing.id):
        heading = " ".join(chunk.heading.split())
        if chunk.item == "1A" and heading and not _is_of_all(heading):
            firsts.setdefault(heading, chunk)
    return firsts


def first_line(chunk: Chunk) -> int:
    """The end of a chunk's first line."""
    at = chunk.text.find("\n")
    return chunk.start + (at if at > 0 else len(chunk.text))


_RISKS = any_of("risk factor(s)/heading(s), risks")
_CHANGED = any_of(
    "change, changed, changes, changing, new, newly, add, added, adds, addition(s), differ, differs, differed, different, "
    "differently, difference(s), remove, removed, removes, dropped, dropping, gone, no longer, disappear, disappears, "
    "disappeared, deleted, deletes"
)
_RISKS_OF = any_of("climate, risk(s) of")
_SAME_HEADING = 80
"""Two headings at least so alike (rapidfuzz token_sort_ratio) are one; filings reword theirs from year to year."""
_HELD = 90
"""A heading whose words the other's hold nearly all (token_set_ratio) was cut or lengthened."""
_COMMON, _FEW_HEADINGS = 0.1, 3
"""Share of the headings, and their number, up to which a word says which risk is meant; so many a reworded one must share."""
_MOSTLY = 0.6
"""Share of the rarer words of the shorter of two headings from which one is the other reworded."""
_MOST_SENTENCES = 25
_REWORDED = 62
"""A sentence less like any older one (rapidfuzz ratio) is said anew."""
_WORDY = 10
_MOST_ANEW = 8
"""Of them the longest are shown."""


def asks_risk_changes(text: str) -> bool:
    """Whether ``text`` asks what is different about the risks, and not about what risks say of change."""
    match = _RISKS.search(text)
    return match is not None and bool(_CHANGED.search(text)) and not _RISKS_OF.search(text)


def pair(filings: Sequence[Filing], held: Sequence[Filing]) -> tuple[Filing, Filing] | None:
    """The older and the newer filing that are compared: the two asked about, or the one and the filing of the year before."""
    chosen = sorted(filings, key=lambda filing: filing.fiscal_year or 0)
    if len({filing.company_key for filing in chosen}) != 1 or any(filing.fiscal_year is None for filing in chosen):
        return None
    if len(chosen) == 1:
        newest = chosen[0]
        years = [one for one in held if one.company_key == newest.company_key and one.fiscal_year and one.form == newest.form]
        before = [one for one in years if (one.fiscal_year or 0) < (newest.fiscal_year or 0)]
        return (max(before, key=lambda one: one.fiscal_year or 0), newest) if before else None
    return chosen[0], chosen[-1]


def risk_changes(reader: FilingReader, older: Filing, newer: Filing) -> StructureAnswer | None:
    """The headings that one of the two has and the other has not, and what is said anew; None where one has no list of risks."""
    old, new = risk_headings(reader, older), risk_headings(reader, newer)
    if len(old) < 2 or len(new) < 2:
        return None
    passages: list[Passage] = []
    told: list[Sentence] = []
    added, gone = _without(new, old), _without(old, new)
    reworded = _reworded(added, gone, [*old, *new])
    anew = set(added)
    added = {heading: chunk for heading, chunk in added.items() if heading not in reworded}
    gone = {heading: chunk for heading, chunk in gone.items() if heading not in reworded.values()}
    for what, mine, filing in ((f"new since the {named(older)}", added, newer), ("no longer there", gone, older)):
        told.append(Sentence(_lead(newer, what, len(mine)), (), "computed", opens="paragraph"))
        for place, (heading, chunk) in enumerate(list(mine.items())[:_MOST_SENTENCES], start=1):
            passages.append(passage_in(len(passages) + 1, filing, chunk, chunk.start, first_line(chunk)))
            told.append(Sentence(f"{place}. {heading}", (len(passages),), "grounded", opens="line"))
    if reworded:
        told.append(
            Sentence(_lead(newer, f"reworded since the {named(older)}", len(reworded)), (), "computed", opens="paragraph")
        )
    for place, (heading, before) in enumerate(reworded.items(), start=1):
        for filing, chunk in ((newer, new[heading]), (older, old[before])):
            passages.append(passage_in(len(passages) + 1, filing, chunk, chunk.start, first_line(chunk)))
        told.append(Sentence(f"{place}. {heading}", (len(passages) - 1,), "grounded", opens="line"))
        told.append(Sentence(f"{named(older)}: {before}", (len(passages),), "grounded", opens="line"))
    fresh = _said_anew(reader, older, newer, anew)
    if fresh:
        told.append(Sentence("Said anew under headings that both have:", (), "computed", opens="paragraph"))
    for chunk, start, end in fresh:
        passages.append(passage_in(len(passages) + 1, newer, chunk, chunk.start + start, chunk.start + end))
        told.append(Sentence(shorten(chunk.text[start:end]), (len(passages),), "grounded", opens="line"))
    return StructureAnswer(tuple(told), tuple(passages)) if passages else None


def _reworded(added: Mapping[str, Chunk], gone: Mapping[str, Chunk], every: Sequence[str]) -> dict[str, str]:
    """Of the headings that are new those that tell what one that is gone told, each with that one: they share most of the words
    that not many of ``every`` heading have.
    """
    often = Counter(one for heading in every for one in set(stems(heading)))
    common = {one for one, times in often.items() if times > max(_FEW_HEADINGS, len(every) * _COMMON)}
    rare = {heading: set(stems(heading)) - common for heading in (*added, *gone)}
    pairs: dict[str, str] = {}
    for heading in added:
        shares = {
            before: len(rare[heading] & rare[before]) / max(min(len(rare[heading]), len(rare[before])), 1)
            for before in gone
            if before not in pairs.values() and len(rare[heading] & rare[before]) >= _FEW_HEADINGS
        }
        best = max(shares, key=lambda before: shares[before], default="")
        if best and shares[best] >= _MOSTLY:
            pairs[heading] = best
    return pairs


def _said_anew(reader: FilingReader, older: Filing, newer: Filing, added: Set[str]) -> list[tuple[Chunk, int, int]]:
    """The sentences of the newer Item 1A that the older one has nothing like, in order; none of ``added`` headings."""
    before = [chunk.text[a:b] for chunk in _prose(reader, older) for a, b in split_sentences(chunk.text)]
    mine = [
        (chunk, a, b)
        for chunk in _prose(reader, newer)
        if " ".join(chunk.heading.split()) not in added
        for a, b in split_sentences(chunk.text)
        if len(chunk.text[a:b].split()) >= _WORDY
    ]
    if not before or not mine:
        return []
    alike = process.cdist([chunk.text[a:b] for chunk, a, b in mine], before, scorer=fuzz.ratio, score_cutoff=_REWORDED)
    best = alike.max(axis=1)
    newest = sorted((at for at in range(len(mine)) if best[at] < _REWORDED), key=lambda at: -(mine[at][2] - mine[at][1]))
    return [mine[at] for at in sorted(newest[:_MOST_ANEW])]


def _prose(reader: FilingReader, filing: Filing) -> list[Chunk]:
    return [chunk for chunk in reader.chunks.of_filing(filing.id) if chunk.item == "1A" and chunk.kind == "prose"]


def _lead(newer: Filing, words: str, count: int) -> str:
    many = f"{count} risk heading{'s' if count != 1 else ''}" if count else "No risk heading"
    verb = "are" if count > 1 else "is"
    return f"{many} of Item 1A in {newer.company}'s {named(newer)} {verb} {words}{':' if count else '.'}"


def _without(mine: Mapping[str, Chunk], others: Mapping[str, Chunk]) -> dict[str, Chunk]:
    """Of ``mine`` what no heading of ``others`` is much like."""
    known = list(others)

    def is_there(heading: str) -> bool:
        alike = process.extractOne(heading, known, scorer=fuzz.token_sort_ratio, score_cutoff=_SAME_HEADING)
        held = process.extractOne(heading, known, scorer=fuzz.token_set_ratio, score_cutoff=_HELD)
        return alike is not None or held is not None

    return {heading: chunk for heading, chunk in mine.items() if not is_there(heading)}
