"""A number of a text as a question: what its sentence calls it, in the place of which "how much" is asked.

The question is read by the trained reader of questions. What it names is looked for among all figures that the company's
filings state for the year, in tables, tags and sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fin_tui.candidates.clause import own_words
from fin_tui.engine.checking.claim_sentence import Sentence
from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.checking.judge import says_shares
from fin_tui.engine.figures.linked_book import Linked, covering
from fin_tui.engine.frame.reader import Frame, FrameReader, Span
from fin_tui.engine.questions.companies import CompanyIndex, Named
from fin_tui.engine.rank.ranker import Scored, Wanted
from fin_tui.facts.figures import Period
from fin_tui.facts.words import stems
from fin_tui.records import Filing

Owner = Callable[[str], str]
"""The name of a brand or product -> the company whose filings speak of it; "" where none or several do."""
_ASKS = {"money": "how much", "percent": "what percentage", "plain": "how many"}
_OTHER = "some"
"""What stands in the place of the other numbers of a sentence."""
_KINDS = {"money": "money", "percent": "percent", "plain": "count"}
_COVERING = 2
"""Filings of a year that are looked through: its own, and one that gives it for comparison."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a number is told of, by the words of its sentence."""

    target: str
    """The words for the figure; "" where the sentence has none."""
    parts: tuple[str, ...]
    """The words for segment, product, region …"""
    matter: str
    """The whole sentence as a question, without company and period."""
    kind: str
    """money, count, percent, per_share; "" for any."""
    of_shares: bool = False
    """The number counts shares."""

    @property
    def words(self) -> str:
        """Part and figure together, as a row names them."""
        return " ".join((*self.parts, self.target)).strip()

    def bears_target(self, words: str) -> bool:
        """Whether ``words`` of a row have all the words for the figure."""
        return frozenset(stems(self.target)) <= frozenset(stems(words))

    def bears_part(self, words: str) -> bool:
        """Whether ``words`` of a row name all the parts."""
        return frozenset(stems(" ".join(self.parts))) <= frozenset(stems(words))


@dataclass(frozen=True, slots=True)
class Place:
    """A figure that may be the one a number is told of, with where it was found."""

    scored: Scored
    filing: Filing
    year: Period


@dataclass(frozen=True, slots=True)
class Asker:
    """Reads numbers as questions and ranks the figures that may be the answer."""

    frames: FrameReader
    linked: Linked
    owner: Owner

    def read(self, sentence: Sentence, at: int, claim: Claim) -> Asked | None:
        """What a number of ``sentence`` is told of; None without the reader's weights, or where nothing names it."""
        frame = self.frames.read_if_able(_question(sentence, at, _OTHER))
        if frame is None:
            return None
        targets, parts = _own(frame, sentence, at)
        if not targets and len(sentence.numbers) > 1 and (other := self.frames.read_if_able(_question(sentence, at, ""))):
            frame, (targets, parts) = other, _own(other, sentence, at)
        matter = frame.matter
        if claim.brand and claim.brand not in matter:
            matter = f"{claim.brand} {matter}"
        if claim.brand and not any(claim.brand in part or part in claim.brand for part in parts):
            parts = (claim.brand, *parts)
        if not targets and not parts:
            return None
        return Asked(" ".join(targets), parts, matter, _kind(claim, sentence, at), says_shares(sentence, at))

    def company(self, sentence: Sentence, claim: Claim, index: CompanyIndex) -> tuple[Named | None, str]:
        """The company held whose brand or product the sentence is told of, and what it is called; (None, "") without one."""
        frame = None if claim.unknown else self.frames.read_if_able(sentence.text)
        names = [claim.unknown] if claim.unknown else [span.text for span in frame.companies] if frame else []
        for name in names:
            found = index.find(owner) if (owner := self.owner(name)) else ()
            if found:
                return found[0], name
        return None, ""

    def rank(self, words: str, asked: Asked, kind: str, filings: Sequence[Filing], year: int) -> list[Place]:
        """The figures of ``year`` that ``words`` may mean, of the first filing that has any, likeliest first."""
        wanted = Wanted(words, kind, " ".join(asked.parts))
        for filing, period in covering(filings, year)[:_COVERING]:
            scored = self.linked.rank(wanted, filing, period)
            if scored:
                return [Place(one, filing, period) for one in scored]
        return []

    def before(self, place: Place, back: int) -> Place | None:
        """The same row of the same filing, ``back`` years earlier."""
        year = int(place.year.label.removeprefix("FY")) - back
        for filing, period in covering((place.filing,), year):
            found = self.linked.ranker.in_year(place.scored.candidate, filing, period)
            if found is not None:
                return Place(replace(place.scored, candidate=found), filing, period)
        return None


def _question(sentence: Sentence, at: int, other: str) -> str:
    """The sentence with the number asked for, and ``other`` in the place of the others."""
    text = sentence.text
    for place in reversed(range(len(sentence.numbers))):
        asks = f" {_ASKS[sentence.numbers[place].kind] if place == at else other} "
        text = f"{text[: sentence.begin(place)]}{asks}{text[sentence.numbers[place].end :]}"
    return f"{' '.join(text.split()).rstrip('.')}?"


def _own(frame: Frame, sentence: Sentence, at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words for figure and parts that belong to the number: those of its own clause, else those the sentence begins with."""
    begin, end = sentence.begin(at), sentence.numbers[at].end
    clause = " ".join(own_words(sentence.text, begin, end))
    opening = sentence.text[: sentence.begin(0)]
    targets = _within(frame.targets, clause) or _within(frame.targets, opening)[-1:]
    parts = _within(frame.parts, clause) or _within(frame.parts, opening)
    return targets, parts


def _within(spans: Sequence[Span], text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(span.text for span in spans if span.text in text))


def _kind(claim: Claim, sentence: Sentence, at: int) -> str:
    metric = claim.item.metric if claim.item is not None else None
    number = sentence.numbers[at]
    if metric is not None and metric.unit == "usd/share" and number.kind != "percent":
        return "per_share"
    return "" if number.kind == "plain" and number.scaled else _KINDS[number.kind]
