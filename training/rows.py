"""Pairs of a wording and the row of a filing that it asks for, with near rows of the same filing that it does not ask for.

Where they come from: wordings labelled with a tag (any filing that uses the tag has the answer), names of the vocabulary, labels
that other companies give the same tag, members of tagged figures, questions written blind for single rows, and questions with a
value. Filings of the aside part give nothing.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fin_tui.candidates import Candidate, figures_of, words_of
from fin_tui.engine.rank.filing_rows import numbers_in
from fin_tui.facts import vocabulary
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
_ACCESSION = re.compile(r"\d{10}-\d\d-\d{6}")


@dataclass(frozen=True, slots=True)
class Pair:
    """A wording, rows that answer it, rows of the same filing that don't."""

    wording: str
    right: tuple[str, ...]
    near: tuple[str, ...]
    source: str


@dataclass(slots=True)
class Rows:
    """The rows of a filing, by text and by tag."""

    filing: Filing
    candidates: Sequence[Candidate]
    texts: tuple[str, ...] = ()
    by_stem: Mapping[str, list[int]] = field(default_factory=dict)
    by_tag: Mapping[str, list[Candidate]] = field(default_factory=dict)
    values: Mapping[str, set[float]] = field(default_factory=dict)
    sentences: Sequence[Candidate] = ()

    @classmethod
    def of(cls, filing: Filing, candidates: Sequence[Candidate], sentences: Sequence[Candidate]) -> Rows:
        texts = tuple(dict.fromkeys(one.row for one in candidates))
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
        return cls(filing, candidates, texts, by_stem, by_tag, values, sentences)

    def at(self, start: int) -> list[Candidate]:
        """The figures of the row, else the number of a sentence, that begins at a place of the clean text."""
        return [one for one in self.candidates if one.fact.start == start] or [
            one for one in self.sentences if abs(one.fact.start - start) <= _SHIFT
        ]

    def near(self, wording: str, right: Sequence[str], chance: random.Random) -> tuple[str, ...]:
        """Rows that share words with ``wording`` or a right row and state other values than the right rows."""
        scores: defaultdict[int, float] = defaultdict(float)
        for text, weight in ((wording, 2.0), *((row, 0.5) for row in right[:2])):
            for stem in set(stems(text)):
                held = self.by_stem.get(stem, ())
                for number in held if len(held) < 400 else ():
                    scores[number] += weight / (1 + len(held)) ** 0.5
        known = set().union(*(self.values[row] for row in right))
        ranked = sorted(scores, key=lambda number: -scores[number])
        hard = [self.texts[n] for n in ranked[: 3 * _HARD] if self.texts[n] not in right]
        hard = [row for row in hard if not any(value in known for value in self.values[row] if value)][:_HARD]
        others = [row for row in chance.sample(self.texts, min(_RANDOM, len(self.texts))) if row not in right and row not in hard]
        return tuple(dict.fromkeys((*hard, *others)))


Shortlist = Callable[[Rows, str, str, Sequence[str]], Sequence[str]]
"""(rows of a filing, words, kind of answer, the right rows) -> other rows that may be taken for what the words ask for."""


def by_words(seed: int) -> Shortlist:
    """Rows that share words with the question or the right rows: for training what the ranker needs first."""
    chance = random.Random(seed)
    return lambda rows, text, _, right: rows.near(text, right, chance)


def rows_of(library: Library, files: Sequence[str]) -> list[Rows]:
    """The rows of the filings with these base names."""
    found = []
    for filing in library.filings():
        if filing.file in files:
            document = library.document(filing.id)
            figures = [one for one in figures_of(document, library.facts.find(filings=(filing.id,))) if one.row]
            ends = year_ends(document)
            told = [one for chunk in library.chunks.of_filing(filing.id) for one in numbers_in(chunk, ends)]
            found.append(Rows.of(filing, figures, told))
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
        right = tuple(dict.fromkeys(one.row for one in whole))
        yield Pair(text, right, rows.near(text, right, chance), source)


def _of_members(having: Sequence[Rows], tag: str, said: Sequence[tuple[str, str]], chance: random.Random) -> Iterator[Pair]:
    """Wordings of the tag with the words of a member."""
    for rows in having:
        parts = [one for one in rows.by_tag[tag] if 0 < len(one.fact.dimensions) <= 2]
        for one in chance.sample(parts, min(2, len(parts))):
            names = [text for text, _ in said] or [words_of(tag)]
            member = " ".join(word for name in one.members for word in name.split())
            name = chance.choice(names)
            text = chance.choice((f"{member} {name}", f"{name} {member}", f"{name} of {member}", f"{name}, {member}"))
            right = tuple(dict.fromkeys(c.row for c in parts if c.fact.dimensions == one.fact.dimensions))
            yield Pair(text, right, rows.near(text, right, chance), "member")


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


def of_rows(held: Sequence[Rows], questions: Sequence[Mapping[str, Any]], shortlist: Shortlist, seed: int) -> list[Pair]:
    """Pairs of questions written for single figures: {"question", "companies", "periods", "filing", "start", "sentence"}.

    The rows beside the right one are those that the ranker would have read with it: ``shortlist`` gives them. One that is an
    "operand" names a figure of a calculation; "others" are where its other figures start.
    """
    chance = random.Random(seed)
    made = []
    for asked in questions:
        rows = next((one for one in held if asked["filing"] in (one.filing.id, accession(one.filing.file))), None)
        right = rows.at(asked["start"]) if rows is not None else []
        if rows is None or not right:
            continue
        text = without(asked["question"], [*asked["companies"], *asked["periods"]])
        named = tuple(dict.fromkeys(one.row for one in right))
        is_told = right[0].fact.source == "text" or asked["sentence"]
        values = {one.fact.value for one in right}
        others = [one.row for start in asked.get("others", ()) for one in rows.at(start) if one.fact.value not in values]
        kind = "" if asked.get("operand") else str(asked["answer_type"])  # That of an operand is its calculation's.
        read = shortlist(rows, text, kind, named)
        same = _of_sentence(rows, right[0]) if is_told else []
        near = [*others, *read[:_READ], *same, *read[_READ:], *chance.sample(rows.texts, min(_FAR, len(rows.texts)))]
        near = [row for row in dict.fromkeys(near) if row not in named]
        made.append(Pair(text, named, tuple(near)[:_MOST], "sentence" if is_told else "row"))
    return made


def accession(file: str) -> str:
    """The accession number in a file's name; "" where there is none."""
    found = _ACCESSION.search(file)
    return found.group() if found else ""


def _of_sentence(held: Rows, right: Candidate) -> list[str]:
    """The other numbers of the sentence that ``right`` stands in."""
    same = [one for one in held.sentences if 0 < abs(one.fact.start - right.fact.start) < _SENTENCE]
    return [one.row for one in same if one.fact.value != right.fact.value]
