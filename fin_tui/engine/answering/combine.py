"""Figures and passages of one answer, numbered together (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from fin_tui.engine.answering.compose import CLOSEST_CALCULATION, CLOSEST_FIGURE
from fin_tui.engine.evidence import Passage, as_text, quoted_table, rows_at
from fin_tui.engine.evidence.evidence import Bearing, Evidence, Focus
from fin_tui.engine.evidence.extract import OF_FIGURE, WORDS, extract, sentence_at, shorten, shorten_around, single_sentences
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.evidence.paragraphs import refers_only
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.as_json import renumbered, renumbered_table
from fin_tui.engine.frame.reader import SIDE_BY_SIDE, Frame
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import asks_yes_no
from fin_tui.engine.structures.structure import StructureAnswer
from fin_tui.language import any_of, runs_of, split_sentences
from fin_tui.records import QuotedTable, Sentence, Table
from fin_tui.retrieval.tokens import tokenize_query

Verdict = Literal["Yes", "No"]
_JOINS = "’'&-"
"""Signs within a word."""
_DENIAL = frozenset("no not none never neither nor without".split())
_NO_DENIAL = any_of(
    "not only/limited/prohibited/precluded/necessarily/restricted/prevented/all/always/every/less, no "
    "assurance(s)/later, whether or not, no more than, if not"
)
_OPEN = any_of(
    "may, might, could, would, should, can, cannot, if, whether, unless, until, except, exception(s), other than, "
    "otherwise, in part, partially, some of, forward-looking, indicate by check, risk(s) that/of/related, assess*, "
    "evaluate, evaluates, evaluated, evaluating, possible, possibly, possibility, potential, potentially, designed to, in "
    "order to, alleg*, defendant(s), plaintiff(s), lawsuit(s), claim(s), % owned/owner*/equity/interest, reasonable "
    "basis/assurance, our audit(s)/opinion/responsibility"
)
_CONCLUDED = any_of("conclud*/determined that")
"""What was evaluated before is decided by what comes after."""
_HELD_BY = any_of("wholly-owned, majority-owned, jointly-owned, partially-owned, percent-owned")
"""Of a subsidiary; says nothing about what the company owns otherwise."""
_INTENDS = any_of("do/does/did not (currently) anticipate/expect/intend/plan")
_AHEAD = any_of("anticipate*, expect*, intend*, plan*, seek*, aim*, will*, future*, believe*")
_OURS = any_of("we, our, us, the company/registrant/corporation/partnership/trust, its")
_REVERSED = any_of("ineffective, inadequate, insufficient, unable, unlikely, lack*, fail*, ceas*, discontinu*, absence")
_QUESTION_WORDS = frozenset(
    (
        "did does do is are was were has have had any there its their the a an of in on at to for by with and or this that it "
        "they be been some ever currently still yet company company's firm business make makes up more less report reported "
        "say says end year fiscal kind such than from as about what how and which"
    ).split()
)
_FEW = 0.4
"""Share of the question's words that a sentence must hold to affirm or deny."""
_WIDEST = 5
"""Words of a sentence for each of the question's words that affirms: what stands further apart is not said together."""
_REACH = {"no": 12, "non": 12, "neither": 12}  # The plain forms of the words.
_NEAR = 6
"""Words behind a denial: "no" and "none" deny a whole clause, "not" what follows, …"""
_BACK = 3
"""… and before it, that it is about."""


def is_denied(question: str, sentences: Sequence[str], company: str = "") -> bool:
    """Whether the first of ``sentences`` plainly denies what is asked, and no other affirms it.

    A sentence that affirms with the question's words decides nothing by itself: what it leaves out may be what was asked.
    ``question`` is without the company's name; ``company`` is that name.
    """
    wanted = _wanted(question)
    if not wanted or _denials(question) or not sentences or _said(wanted, sentences[0], question, company) != "No":
        return False
    return all(_said(wanted, sentence, question, company) != "Yes" for sentence in sentences[1:])


def _said(wanted: frozenset[str], sentence: str, question: str, company: str) -> Verdict | None:
    """Whether a sentence affirms or denies what is asked; None where it does neither plainly."""
    words = [_plain(word) for word in _words(_HELD_BY.sub(" ", sentence))]
    share = len(wanted & set(words)) / len(wanted)
    denials = _denials(sentence)
    concluded = _CONCLUDED.split(sentence)[-1]
    is_open = _NO_DENIAL.search(sentence) or (_is_open(concluded) and not _is_open(question))
    if share < _FEW or is_open:
        return None
    if denials:
        is_about = any(
            wanted & set(words[max(0, at - _BACK) : at] + words[at + 1 : at + 1 + _REACH.get(words[at], _NEAR)]) for at in denials
        )
        return "No" if is_about and (not _AHEAD.search(sentence) or _INTENDS.search(sentence)) else None
    is_theirs = _OURS.search(sentence) or (company and company.split()[0].lower() in sentence.lower())
    is_of_its_time = bool(_AHEAD.search(sentence)) == bool(_AHEAD.search(question))
    is_plain = is_theirs and not _REVERSED.search(sentence) and is_of_its_time
    return "Yes" if is_plain and _spread(words, wanted) <= _WIDEST * len(wanted) else None


def _is_open(text: str) -> bool:
    """Whether a text says that something may be so or not; "May" is a month."""
    return any(match.group() not in ("May", "MAY") for match in _OPEN.finditer(text))


def _spread(words: Sequence[str], wanted: frozenset[str]) -> int:
    """Length of the shortest run of ``words`` that has all of ``wanted`` that are there at all."""
    missing = wanted & set(words)
    last: dict[str, int] = {}
    shortest = len(words)
    for at, word in enumerate(words):
        if word in missing:
            last[word] = at
            if len(last) == len(missing):
                shortest = min(shortest, at - min(last.values()) + 1)
    return shortest


def _wanted(question: str) -> frozenset[str]:
    meant = set(tokenize_query(question))
    plain = {_plain(word) for word in _words(question) if word.lower() not in _QUESTION_WORDS}
    return frozenset(word for word in plain if len(word) > 1) if meant else frozenset()


def _plain(word: str) -> str:
    """A word without the endings of number and tense; "effectiveness" is not "effective"."""
    lowered = word.lower().removesuffix("’s").removesuffix("'s").strip("’'")
    for ending in ("ies", "ing", "ed", "es", "s", "y", "e"):
        if lowered.endswith(ending) and len(lowered) - len(ending) >= 3 and not lowered.endswith("ss"):
            return lowered[: -len(ending)]
    return lowered


def _words(text: str) -> list[str]:
    return [bare for word in runs_of(text, _JOINS) if (bare := word.strip(_JOINS))[:1].isalpha()]


def _denials(text: str) -> list[int]:
    """Which words of ``text`` deny."""
    found = enumerate(word.lower() for word in _words(text))
    return [at for at, word in found if word in _DENIAL or word.endswith(("n't", "n’t"))]


_BEARS = 0.5
"""A sentence of prose with less of the question's words adds nothing to a figure, …"""
_NEARNESS = 0.1
"""… nor does one whose numbers are all further away than this from it."""
_MOST_DECIDING = 12
"""Paragraphs in which the sentence is looked for that decides."""
_MOST_DECIDE = 6
"""Sentences that may not contradict it."""
_MOST_TRIED = 3
"""Sentences of the search that may add to what the structure says."""


def put_together(
    figures: FigureAnswer | None,
    outline: StructureAnswer | None,
    evidence: Evidence,
    question: Question | None = None,
    frame: Frame | None = None,
    place: tuple[str, int] | None = None,
) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer | None]:
    """The answer without a language model: from facts, else from a section, else from the passages found.

    Gives its sentences, the passages of all as one evidence, and ``figures`` with their numbers among those.
    A plain denial decides a ``question`` that asks for yes or no; where the ``frame`` asks for a figure, less is told, and the
    sentence at the ``place`` (filing, start) of the likeliest figure stands first.
    """
    if figures is not None:
        return combine(figures, evidence, in_words=wants_words_beside(figures, frame))
    if outline is not None:
        passages = _Merged(outline.passages, evidence, front=0)
        told = list(map(passages.sentence, outline.sentences))
        more = _more(outline, evidence)
        if more is not None:
            told.append(Sentence(shorten(more.text), (passages.found[more.passage] + 1,), "grounded", opens="paragraph"))
        return tuple(told), passages.evidence(evidence), None
    several = question is not None and len(question.companies) > 1
    is_yes_no = question is not None and (asks_yes_no(question.query) if frame is None else frame.answer == "yesno")
    if question is None or several or not is_yes_no:
        of_figure = frame is not None and frame.is_figure
        first = sentence_at(evidence, *place) if of_figure and place is not None else None
        sentences, evidence = extract(evidence, each=several, first=first, words=OF_FIGURE if of_figure else WORDS)
        return sentences, evidence, None
    first, denies = _deciding(evidence, question)
    sentences, evidence = extract(evidence, first=first)
    if denies and sentences:
        sentences = (replace(sentences[0], text=f"No: {sentences[0].text}"), *sentences[1:])
    return sentences, evidence, None


_IN_A_GRID = SIDE_BY_SIDE | {"trend"}
"""Operations that a table of the figures answers."""


def wants_words_beside(figures: FigureAnswer, frame: Frame | None) -> bool:
    """Whether the paragraphs that answer best are to stand beside ``figures``: a page, a comparison or a course tells it all."""
    if figures.asks_reason:
        return True
    if frame is None or figures.is_page or (figures.table is not None and frame.operation in _IN_A_GRID):
        return False
    return frame.wants_words_too


def _deciding(evidence: Evidence, question: Question) -> tuple[Bearing | None, bool]:
    """The sentence that plainly denies what is asked, unless another speaks against it; else what bears most. And which it is."""
    found = single_sentences(evidence, _MOST_DECIDING)
    texts = [one.near.paragraph.pieces[0].text for one in found]
    for at, one in enumerate(found[:_MOST_DECIDE]):
        others = [text for place, text in enumerate(texts[:_MOST_DECIDE]) if place != at]
        if is_denied(question.subject, [texts[at], *others], one.near.filing.company):
            return one, True
    lead = evidence.paragraphs[0].near.paragraph if evidence.paragraphs else None
    return next((one for one in found if lead is not None and one.near.paragraph.pieces[0] in lead.pieces), None), False


def _more(outline: StructureAnswer, evidence: Evidence) -> Focus | None:
    """Where the filing may say more than its structure: the sentence of its prose that bears most on the question."""
    said = {sentence.text for sentence in outline.sentences}
    filings = {passage.citation.filing for passage in outline.passages}
    for focus in evidence.focuses[:_MOST_TRIED] if outline.is_open else ():
        passage = evidence.passages[focus.passage]
        is_prose = passage.kind == "prose" and passage.citation.filing in filings and not refers_only(focus.text)
        if is_prose and focus.coverage >= _BEARS and shorten(focus.text) not in said:
            return focus
    return None


def combine(
    figures: FigureAnswer, evidence: Evidence, *, in_words: bool = False
) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer]:
    """The figures' sentences, then the one sentence of prose that tells the same matter; a passage of both is shown once. With
    ``in_words`` then the paragraphs that answer best.

    Passages stand in the order of the search, which puts those that print the figures where they belong.
    """
    read, evidence = extract(evidence) if in_words else ((), evidence)
    read = tuple(one for one in read if one.table is None or not _shows(one.table, figures))
    found = {_key(passage) for passage in evidence.passages}
    is_found = any(_key(passage) in found for passage in figures.passages)
    merged = _Merged(figures.passages, evidence, front=None if is_found else int(_leads(evidence, figures)))
    told = list(map(merged.sentence, figures.sentences))
    told += [replace(one, citations=tuple(merged.found[number - 1] + 1 for number in one.citations)) for one in read]
    context = _context(evidence, figures) if not read else None
    said = " ".join(sentence.text for sentence in figures.sentences)
    if context is not None and shorten(context.text).rstrip(" …") not in said:
        told.append(Sentence(shorten(context.text), (merged.found[context.passage] + 1,), "grounded"))
    figures = replace(
        figures,
        sentences=tuple(told[: len(figures.sentences)]),
        passages=tuple(merged.passages[at] for at in merged.own),
        facts=tuple(renumbered(fact, merged.number) for fact in figures.facts),
        table=renumbered_table(figures.table, merged.number),
        whole=renumbered_table(figures.whole, merged.number),
    )
    return tuple(told), merged.evidence(evidence), figures


_OTHERWISE = "Or:"


def beside(
    likely: FigureAnswer, evidence: Evidence, table: Table | None = None, other: FigureAnswer | None = None
) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer | None]:
    """The closest figure found, told as no more than that, then the paragraphs that answer best.

    A figure stands in the filing's own words: the question's would say that it is what was asked for. ``table`` is the one
    that a single one stands in; ``other`` is a figure that may be meant as well.
    """
    told, read = extract(evidence, words=OF_FIGURE)
    merged = _Merged((*likely.passages, *(other.passages if other is not None else ())), read, front=0)
    closest, rows = _closest(likely, table)
    if other is not None:
        closest += [_alternative(one, len(likely.passages)) for one in _closest(other, None)[0]]
    first = [merged.sentence(one) for one in closest]
    rest = [replace(one, citations=tuple(merged.found[number - 1] + 1 for number in one.citations)) for one in told]
    if rows is not None:
        whole = next((one for one in rest if one.table is not None and _holds(one.table, rows)), None)
        own = Sentence(as_text(rows), first[0].citations, "grounded", table=rows)
        rest = [whole or own, *(one for one in rest if one is not whole)]
    opened = (replace(one, opens="paragraph") if not at else one for at, one in enumerate(rest))
    return (*first, *opened), merged.evidence(read), None


def _closest(likely: FigureAnswer, table: Table | None) -> tuple[list[Sentence], QuotedTable | None]:
    """How the closest figure is told, and the rows of ``table`` that it stands in."""
    lead = likely.sentences[0]
    if likely.calculation is not None:
        return list(_computed(likely)), None
    if not len(likely.facts) == len(likely.passages) == 1:
        return [replace(lead, text=f"{CLOSEST_FIGURE} {lead.text}")], None
    citation, printed = likely.passages[0].citation, str(likely.facts[0]["as_reported"])
    rows = quoted_table(table, rows_at(table, [(citation.start, citation.end)])) if table is not None else None
    label = str(likely.facts[0].get("label") or "")
    words = shorten_around(citation.words, printed) if rows is None else _named(rows, printed, label)
    return [replace(lead, text=f"{CLOSEST_FIGURE} {likely.display or printed}: “{words}”")], rows


def _alternative(sentence: Sentence, before: int) -> Sentence:
    """A line of another closest figure; ``before`` is the number of passages of the first."""
    text = sentence.text
    is_first = text.startswith((CLOSEST_FIGURE, CLOSEST_CALCULATION))
    return replace(
        sentence,
        text=f"{_OTHERWISE} {text.partition(':')[2].strip()}" if is_first else text,
        citations=tuple(number + before for number in sentence.citations),
        opens="paragraph" if is_first else sentence.opens,
    )


def _shows(quoted: QuotedTable, figures: FigureAnswer) -> bool:
    """Whether a table of the filing shows all the figures of a grid: it would stand there twice."""
    cells = {_digits(cell) for row in quoted.rows for cell in row[1:]}
    return figures.table is not None and {_digits(str(fact["as_reported"])) for fact in figures.facts} <= cells


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit() or character in ".%")


def _computed(likely: FigureAnswer) -> Iterator[Sentence]:
    """How the closest calculation is made, then the words that each of its figures stands in."""
    lead, *_ = likely.sentences
    assert likely.calculation is not None
    yield replace(lead, text=f"{CLOSEST_CALCULATION} {likely.display} = {likely.calculation['substituted']}")
    for fact in likely.facts:
        if fact["citation"] is not None:
            number, printed = int(fact["citation"]), str(fact["as_reported"])
            words = shorten_around(likely.passages[number - 1].citation.words, printed)
            yield replace(lead, text=f"• {printed}: “{words}”", citations=(number,), opens="line")


def _named(rows: QuotedTable, printed: str, label: str = "") -> str:
    """Row and column of a figure: "Total revenues, 2022". In a row with several labels it stands right of its own."""
    *heads, row = rows.rows
    at = next((place for place, cell in enumerate(row) if place and label and cell.strip() == label), 0)
    behind = zip(rows.header[at + 1 :], row[at + 1 :], strict=True)
    column = next((name for name, cell in behind if printed and printed in cell), "")
    return ", ".join(filter(None, (row[at].strip() or " ".join(head[0].strip() for head in heads), column)))


def _holds(whole: QuotedTable, rows: QuotedTable) -> bool:
    return whole.title.endswith(rows.title) and set(rows.rows) <= set(whole.rows)  # It may say whose it is before its title.


class _Merged:
    """The passages that an answer is made from and those of the search in one list, numbered anew."""

    def __init__(self, own: Sequence[Passage], evidence: Evidence, *, front: int | None) -> None:
        """``own`` are numbered from 1. They stand at ``front``; with None where the search found them, and what it did not find
        behind the others. Another row of a passage that is already there comes last.
        """
        twins: dict[tuple[str, int], list[int]] = {}
        for at, passage in enumerate(own):
            twins.setdefault(_key(passage), []).append(at)
        firsts = [mine[0] for mine in twins.values()]
        order: list[tuple[bool, int]] = []
        """Of ``own`` or not, and its place there."""
        for at, passage in enumerate(evidence.passages):
            twin = twins.get(_key(passage))
            order += [(False, at)] if twin is None else [(True, twin[0])] if front is None else []
        last = max((at + 1 for at, (is_own, _) in enumerate(order) if is_own), default=0) if front is None else front
        there = {at for is_own, at in order if is_own}
        order[last:last] = [(True, at) for at in firsts if at not in there]
        order += [(True, at) for at in range(len(own)) if at not in firsts]
        places = {entry: place for place, entry in enumerate(order)}
        self.own = [places[True, at] for at in range(len(own))]
        """Where each of ``own`` came to stand, from 0."""
        self.found = [
            self.own[twins[_key(passage)][0]] if _key(passage) in twins else places[False, at]
            for at, passage in enumerate(evidence.passages)
        ]
        """Where each passage of the evidence did."""
        numbered = (own[at] if is_own else evidence.passages[at] for is_own, at in order)
        self.passages = [replace(p, citation=replace(p.citation, id=number)) for number, p in enumerate(numbered, start=1)]

    def sentence(self, sentence: Sentence) -> Sentence:
        """A sentence that cites ``own``, with the new numbers."""
        return replace(sentence, citations=tuple(self.own[number - 1] + 1 for number in sentence.citations))

    def number(self, number: int) -> int:
        """The new number of one of ``own``."""
        return self.own[number - 1] + 1

    def evidence(self, before: Evidence) -> Evidence:
        """``before`` with all passages; the quotes of ``own`` bear most."""
        focuses = tuple(replace(focus, passage=self.found[focus.passage]) for focus in before.focuses)
        quotes = [(at, self.passages[at].citation) for at in self.own]
        own = tuple(Focus(at, c.words, c.start, c.end, 1.0, 2.0 - order / 100) for order, (at, c) in enumerate(quotes))
        return Evidence(tuple(self.passages), (*own, *focuses), max(1.0, before.coverage), before.absent)


def _key(passage: Passage) -> tuple[str, int]:
    return passage.citation.filing, passage.start


def _context(evidence: Evidence, figures: FigureAnswer) -> Focus | None:
    filings = {passage.citation.filing for passage in figures.passages}
    for focus in evidence.focuses:
        passage = evidence.passages[focus.passage]
        is_prose = passage.kind == "prose" and len(split_sentences(focus.text)) == 1
        if not is_prose or (filings and passage.citation.filing not in filings) or focus.coverage < _BEARS:
            continue
        if any(_near(float(number.value), figures.value) for number in find_numbers(focus.text) if not number.is_year):
            return focus
    return None


def _leads(evidence: Evidence, figures: FigureAnswer) -> bool:
    """Whether the search's first passage tells one of the figures itself: then it answers more than the place of the figure."""
    if not evidence.passages:
        return False
    first = evidence.passages[0]
    wanted = [abs(value) for fact in figures.facts if (value := fact.get("value"))]
    if figures.value:
        wanted.append(abs(figures.value))
    return any(
        abs(abs(float(number.value)) * by - value) <= float(number.accuracy) * by <= value / 2
        for number in find_numbers(first.text)
        if not number.is_year
        for by in ({1} if number.scaled or number.kind == "percent" else {1, first.scale})
        for value in wanted
    )


def _near(number: float, value: float | None) -> bool:
    """About the figure: prose that measures the same matter, perhaps a little differently, says most about it."""
    return value is not None and value != 0 and abs(number / value - 1) <= _NEARNESS
