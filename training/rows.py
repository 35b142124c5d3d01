"""Pairs of a wording and the figure of a filing that it asks for, with near ones of the same filing that it does not ask for.

Where they come from: wordings labelled with a tag (any filing that uses the tag has the answer), names of the vocabulary, labels
that other companies give the same tag, members of tagged figures, questions written blind for single rows, and questions with a
value. Filings of the aside part give nothing.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fin_tui.candidates import Candidate, as_read, figures_of, scale_of_prose, words_of
from fin_tui.engine.rank.filing_rows import numbers_in
from fin_tui.engine.rank.wanted import Wanted
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Period
from fin_tui.facts.index import NEAR, YEAR_DAYS, covered
from fin_tui.facts.words import stems
from fin_tui.filings.tables import year_ends
from fin_tui.records import Filing
from fin_tui.store.library import Library

_NO_FIGURE = frozenset(
    ("refuse", "describe", "why", "how", "yesno", "list", "when", "where", "who", "define", "reformat", "convert")
)
_HARD, _RANDOM = 40, 10
_LONGEST_LABEL = 12
_SHIFT = 2
"""Characters by which a number's place may differ: with or without its currency sign."""
_SENTENCE = 400
"""Characters within which numbers stand in one sentence."""
_READ, _FAR, _MOST = 14, 6, 50
_OTHERS = 3
"""Figures of the same row with other values."""
_DATED, _BEHIND = 0.6, 0.6
"""How often a wording of a tag names a period, and how often behind its other words."""
_ACCESSION = re.compile(r"\d{10}-\d\d-\d{6}")


@dataclass(frozen=True, slots=True)
class Pair:
    """A wording, figures that answer it, figures of the same filing that don't, each as it is read."""

    wording: str
    right: tuple[str, ...]
    near: tuple[str, ...]
    source: str


@dataclass(slots=True)
class Rows:
    """The rows of a filing, by text and by tag."""

    filing: Filing
    candidates: Sequence[Candidate]
    years: tuple[Period, ...] = ()
    by_period: bool = True
    """Whether figures are read with value and period, not their rows alone."""
    texts: tuple[str, ...] = ()
    by_row: Mapping[str, list[Candidate]] = field(default_factory=dict)
    by_stem: Mapping[str, list[int]] = field(default_factory=dict)
    by_tag: Mapping[str, list[Candidate]] = field(default_factory=dict)
    values: Mapping[str, set[float]] = field(default_factory=dict)
    sentences: Sequence[Candidate] = ()

    @classmethod
    def of(
        cls, filing: Filing, candidates: Sequence[Candidate], sentences: Sequence[Candidate], years: tuple[Period, ...],
        *, by_period: bool,
    ) -> Rows:  # fmt: skip
        by_row: defaultdict[str, list[Candidate]] = defaultdict(list)
        for one in candidates:
            by_row[one.row].append(one)
        texts = tuple(by_row)
        by_stem: defaultdict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            for stem in set(stems(text)):
                by_stem[stem].append(number)
        by_tag: defaultdict[str, list[Candidate]] = defaultdict(list)
        values: defaultdict[str, set[float]] = defaultdict(set)
        for one in candidates:
            values[one.row].add(one.fact.value or 0.0)
            if one.fact.source == "xbrl":
                by_tag[one.fact.concept.partition(":")[2]].append(one)
        return cls(filing, candidates, years, by_period, texts, by_row, by_stem, by_tag, values, sentences)

    def at(self, start: int) -> list[Candidate]:
        """The figures of the row, else the number of a sentence, that begins at a place of the clean text."""
        return [one for one in self.candidates if one.fact.start == start] or [
            one for one in self.sentences if abs(one.fact.start - start) <= _SHIFT
        ]

    def read(self, some: Iterable[Candidate]) -> tuple[str, ...]:
        """The figures as they are read together with a question, each once."""
        return tuple(dict.fromkeys(as_read(one, self.years) if self.by_period else one.row for one in some))

    def of_period(self, row: str, known: Candidate) -> Candidate:
        """The figure of ``row`` for the period of ``known``, else its first."""
        held, end = self.by_row[row], known.fact.period_end
        dated = ((one, one.fact.period_end) for one in held)
        return next((one for one, day in dated if end and day and abs((day - end).days) <= NEAR), held[0])

    def year_of(self, known: Candidate) -> Period | None:
        """The year in which ``known`` would be looked for; None for any."""
        end = known.fact.period_end
        if end is None:
            return next(iter(self.years), None)
        return next((Period(year.end, None, year.label) for year in self.years if abs((year.end - end).days) <= NEAR), None)

    def others(self, known: Candidate) -> list[Candidate]:
        """Figures of the row of ``known`` with other values: of other periods, or of columns that are called alike."""
        return [one for one in self.by_row.get(known.row, ()) if one.fact.value != known.fact.value][:_OTHERS]

    def near(self, wording: str, right: Sequence[str], chance: random.Random) -> tuple[str, ...]:
        """Rows that share words with ``wording`` or a right row and state other values than the right rows."""
        scores: defaultdict[int, float] = defaultdict(float)
        for text, weight in ((wording, 2.0), *((row, 0.5) for row in right[:2])):
            for stem in set(stems(text)):
                held = self.by_stem.get(stem, ())
                for number in held if len(held) < 400 else ():
                    scores[number] += weight / (1 + len(held)) ** 0.5
        known = set().union(*(self.values.get(row, ()) for row in right))
        ranked = sorted(scores, key=lambda number: -scores[number])
        hard = [self.texts[n] for n in ranked[: 3 * _HARD] if self.texts[n] not in right]
        hard = [row for row in hard if not any(value in known for value in self.values[row] if value)][:_HARD]
        others = [row for row in chance.sample(self.texts, min(_RANDOM, len(self.texts))) if row not in right and row not in hard]
        return tuple(dict.fromkeys((*hard, *others)))


Shortlist = Callable[[Rows, str, str, Candidate], Sequence[Candidate]]
"""(rows of a filing, words, kind of answer, the right figure) -> others that may be taken for what the words ask for."""
Asks = Callable[[Mapping[str, Any]], Wanted]
"""A question with what was asked before it, or an operand of one -> what is looked for, and the words it is read by."""


def by_words(seed: int) -> Shortlist:
    """Rows that share words with the question or the right row: for training what the ranker needs first."""
    chance = random.Random(seed)
    return lambda rows, text, _, right: [rows.of_period(row, right) for row in rows.near(text, (right.row,), chance)]


def rows_of(library: Library, files: Sequence[str], *, by_period: bool = True) -> list[Rows]:
    """The rows of the filings with these base names."""
    found = []
    for filing in library.filings():
        if filing.file in files:
            document = library.document(filing.id)
            figures = [one for one in figures_of(document, library.facts.find(filings=(filing.id,))) if one.row]
            ends, scale = year_ends(document), scale_of_prose(document)
            told = [one for chunk in library.chunks.of_filing(filing.id) for one in numbers_in(chunk, ends, scale)]
            years = covered(filing, [fact for fact in library.facts.find(filings=(filing.id,)) if fact.value is not None])
            found.append(Rows.of(filing, figures, told, years, by_period=by_period))
    return found


def pairs(held: Sequence[Rows], wordings: Sequence[Mapping[str, Any]], seed: int) -> list[Pair]:
    """All pairs that the tags of ``held`` give."""
    chance = random.Random(seed)
    made: list[Pair] = []
    named = _names()
    by_tag = wordings_by_tag(wordings)
    for tag in sorted({tag for one in held for tag in one.by_tag}):
        having = [one for one in held if tag in one.by_tag]
        said = [(text, "wording") for text in by_tag.get(tag, ())] + [(text, "name") for text in named.get(tag, ())]
        labels = list(
            dict.fromkeys(c.path[-1].lower() for one in having for c in one.by_tag[tag] if len(c.path[-1].split()) < 12)
        )
        if len(having) > 1:
            said += [(text, "label") for text in chance.sample(labels, min(3, len(labels)))]
        for text, source in said:
            for one in chance.sample(having, min(2 if source == "wording" else 1, len(having))):
                made.extend(_pair(one, one.by_tag[tag], text, source, chance))
        made.extend(_of_members(having, tag, said, chance))
    return made


def _pair(rows: Rows, facts: Sequence[Candidate], text: str, source: str, chance: random.Random) -> Iterator[Pair]:
    whole = [one for one in facts if not one.fact.dimensions]
    if whole:
        yield _of_period(rows, whole, text, source, chance)


def _of_period(rows: Rows, facts: Sequence[Candidate], text: str, source: str, chance: random.Random) -> Pair:
    """The wording of one of the ``facts``, of any period or, by name, of one: then those of other periods are near ones."""
    one = chance.choice(facts)
    near = [rows.of_period(row, one) for row in rows.near(text, tuple(dict.fromkeys(fact.row for fact in facts)), chance)]
    said = _saying(one, rows.years, chance) if rows.by_period and chance.random() < _DATED else ""
    if not said:
        return Pair(text, rows.read(facts), rows.read(near), source)
    right = [other for other in facts if _period(other) == _period(one)]
    others = [other for other in facts if _period(other) != _period(one)]
    text = f"{text} {said}" if chance.random() < _BEHIND else f"{said} {text}"
    return Pair(text, rows.read(right), rows.read((*chance.sample(others, min(_OTHERS, len(others))), *near)), source)


def _period(one: Candidate) -> tuple[object, object]:
    return one.fact.period_start, one.fact.period_end


def _saying(one: Candidate, years: Sequence[Period], chance: random.Random) -> str:
    """How people say the period of a figure; "" for one that is of no fiscal year."""
    end = one.fact.period_end
    year = next((year for year in years if end is not None and abs((year.end - end).days) <= NEAR), None)
    if year is None or end is None or (one.fact.period_start and (end - one.fact.period_start).days < YEAR_DAYS[0]):
        return ""
    number = year.label.removeprefix("FY")
    ways = (number, year.label, f"FY{number[2:]}", f"fiscal {number}", f"in {number}", f"{number}:", f"at the end of {number}")
    return chance.choice((*ways, f"{end:%B} {end.day}, {end.year}", f"{end.month}/{end.day}/{end:%y}"))


def _of_members(having: Sequence[Rows], tag: str, said: Sequence[tuple[str, str]], chance: random.Random) -> Iterator[Pair]:
    """Wordings of the tag with the words of a member."""
    for rows in having:
        parts = [one for one in rows.by_tag[tag] if 0 < len(one.fact.dimensions) <= 2]
        for one in chance.sample(parts, min(2, len(parts))):
            names = [text for text, _ in said] or [words_of(tag)]
            member = " ".join(word for name in one.members for word in name.split())
            name = chance.choice(names)
            text = chance.choice((f"{member} {name}", f"{name} {member}", f"{name} of {member}", f"{name}, {member}"))
            alike = [other for other in parts if other.fact.dimensions == one.fact.dimensions]
            yield _of_period(rows, alike, text, "member", chance)


def _names() -> Mapping[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for metric in vocabulary().metrics:
        for concept in metric.concepts[:2]:
            found[concept.partition(":")[2]].extend(metric.names)
    return found


def wordings_by_tag(wordings: Sequence[Mapping[str, Any]]) -> Mapping[str, list[str]]:
    """Tag -> wordings that mean its figure."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in wordings:
        concepts, targets = list(row["concept"]), list(row["target"])
        if row["operation"] in _NO_FIGURE or not concepts:
            continue
        if len(concepts) == len(targets):
            for concept, target in zip(concepts, targets, strict=True):
                found[concept].append(target)
        if len(concepts) == 1 and not row["part"] and row["operation"] == "lookup" and not row["follow_up_of"]:
            found[concepts[0]].append(without(str(row["question"]), [*row["companies"], *row["periods"]]))
    return found


def without(question: str, spans: Sequence[str]) -> str:
    """``question`` without company and period names, as the frame takes them out before rows are looked for."""
    for span in sorted(spans, key=len, reverse=True):
        for form in (f"{span}'s", f"{span}’s", span):
            question = question.replace(form, " ")
    return " ".join(question.split()).strip(" ,:;-?")


def of_rows(
    held: Sequence[Rows], questions: Sequence[Mapping[str, Any]], asks: Asks, shortlist: Shortlist, seed: int
) -> list[Pair]:
    """Pairs of questions written for single figures: {"question", "companies", "periods", "filing", "start", "sentence"}.

    The figures beside the right one are those that the ranker would have read with it: ``shortlist`` gives them. One that is an
    "operand" names a figure of a calculation, "turns" asks for that; "others" are where its other figures start.
    """
    chance = random.Random(seed)
    made = []
    for asked in questions:
        rows = next((one for one in held if asked["filing"] in (one.filing.id, accession(one.filing.file))), None)
        right = rows.at(asked["start"]) if rows is not None else []
        if rows is None or not right:
            continue
        wanted = asks(asked)
        is_told = right[0].fact.source == "text" or asked["sentence"]
        values = {one.fact.value for one in right}
        others = [one for start in asked.get("others", ()) for one in rows.at(start) if one.fact.value not in values]
        kind = "" if asked.get("operand") else str(asked["answer_type"])  # That of an operand is its calculation's.
        read = shortlist(rows, wanted.matter, kind, right[0])
        same = _of_sentence(rows, right[0]) if is_told else rows.others(right[0])
        far = (rows.of_period(row, right[0]) for row in chance.sample(rows.texts, min(_FAR, len(rows.texts))))
        named = rows.read(right)
        near = [one for one in rows.read((*others, *read[:_READ], *same, *read[_READ:], *far)) if one not in named]
        words = wanted.read_in(rows.year_of(right[0]))
        made.append(Pair(words, named, tuple(near)[:_MOST], "sentence" if is_told else "row"))
    return made


def by_spans(asked: Mapping[str, Any]) -> Wanted:
    """The words of a question without those that are marked as company and period: rows alone are read with no others."""
    text = without(asked["question"], [*asked["companies"], *asked["periods"]])
    return Wanted(text, question=text)


def accession(file: str) -> str:
    """The accession number in a file's name; "" where there is none."""
    found = _ACCESSION.search(file)
    return found.group() if found else ""


def _of_sentence(held: Rows, right: Candidate) -> list[Candidate]:
    """The other numbers of the sentence that ``right`` stands in."""
    same = [one for one in held.sentences if 0 < abs(one.fact.start - right.fact.start) < _SENTENCE]
    return [one for one in same if one.fact.value != right.fact.value]
