"""Which of a row's gold a passage is: by its words, by file and page, or by the figure it prints (pure).

Each is judged twice. *Strict*: the gold's own filing, the very page. *Lenient*: the like passage or the same printed figure in
another year of the same company, a neighbouring page of the same file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fin_tui.engine.evidence.passage import Passage
from fin_tui.evaluation.sets import FIGURE, PagePassage, Row
from fin_tui.records import Filing, Hit

GRAM = 5
FIRST_WORDS = 300
"""Of a hit only the first words count, so that a longer chunk is no better than a good one."""
_SHORT = 8
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES = (1.0, 1e3, 1e6, 1e9)


@lru_cache(maxsize=4096)
def grams(text: str) -> frozenset[tuple[str, ...]]:
    """Word 5-grams of the first 300 words, lower case, punctuation dropped; shorter texts give one gram of all their words."""
    words = [word.lower() for word in _WORD.findall(text)][:FIRST_WORDS]
    if len(words) < GRAM:
        return frozenset([tuple(words)]) if words else frozenset()
    return frozenset(tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1))


def is_gold(text: str, gold: str) -> bool:
    """``text`` holds half of the gold's 5-grams, or half of its own (8 or more) are the gold's."""
    mine, wanted = grams(text), grams(gold)
    if not mine or not wanted:
        return False
    if len(next(iter(wanted))) < GRAM:
        needle = " ".join(next(iter(wanted)))
        return f" {needle} " in f" {' '.join(word.lower() for word in _WORD.findall(text)[:FIRST_WORDS])} "
    shared = len(mine & wanted)
    return shared * 2 >= len(wanted) or (len(mine) >= _SHORT and shared * 2 >= len(mine))


def prints_figure(text: str, values: Sequence[float]) -> bool:
    """Whether ``text`` prints one of ``values`` at some scale, digit by digit; the sign is not looked at."""
    gold = [abs(value) for value in values]
    for match in _NUMBER.finditer(text):
        printed = float(match.group().replace(",", ""))
        if printed and any(abs(printed * scale - value) <= 1e-9 * value for value in gold for scale in _SCALES):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that was shown: its text, and where it stands."""

    text: str
    page: int
    file: str
    company: str = ""
    """The company's key."""


def place_of(shown: Hit | Passage, held: Mapping[str, Filing]) -> Place:
    """A hit or a passage of an answer as a place; ``held`` are the filings by id."""
    if isinstance(shown, Hit):
        return Place(shown.chunk.text, shown.chunk.page, shown.filing.file, shown.filing.company_key)
    filing = held.get(shown.citation.filing)
    return Place(shown.text, shown.citation.page, shown.citation.file, filing.company_key if filing else "")


@dataclass(frozen=True, slots=True)
class Gold:
    """What there is to find for a row: passages, or figures as printed, each with the values that will do."""

    passages: tuple[PagePassage, ...]
    figures: tuple[tuple[float, ...], ...]
    files: tuple[str, ...]
    """The filings that it stands in; empty when any will do."""
    company: str
    """The key of the first filing's company; "" when unknown."""

    def __len__(self) -> int:
        return len(self.passages) or len(self.figures)

    def matched(self, place: Place, *, lenient: bool) -> frozenset[int]:
        """Which pieces of the gold ``place`` is, by index."""
        if not self._is_there(place, lenient):
            return frozenset()
        if self.passages:
            return frozenset(at for at, gold in enumerate(self.passages) if self._is_passage(place, gold, lenient))
        return frozenset(at for at, values in enumerate(self.figures) if prints_figure(place.text, values))

    def _is_there(self, place: Place, lenient: bool) -> bool:
        if not self.files or place.file in self.files:
            return True
        return lenient and (not self.company or place.company == self.company)

    def _is_passage(self, place: Place, gold: PagePassage, lenient: bool) -> bool:
        if gold.page is None:
            return is_gold(place.text, gold.text)
        in_file = not self.files or place.file in self.files
        if in_file and abs(place.page - gold.page) <= int(lenient):
            return True
        return lenient and is_gold(place.text, gold.text)


def gold_of(row: Row, held: Sequence[Filing]) -> Gold:
    """The gold of ``row``: its passages, else the figures it was computed from, else its value as printed."""
    filing = next((filing for filing in held if filing.file == row.filing), None)
    company = filing.company_key if filing else next((f.company_key for f in held if row.ticker and f.ticker == row.ticker), "")
    return Gold(row.evidence, () if row.evidence else _printed(row), row.filings, company)


def class_of(row: Row) -> str:
    """The class that a row is reported in: its kind; figures by whether a gold passage prints the value, or it is computed.

    What is printed needs only to be found, whatever else it could be derived from, so a total of a table is looked up. A
    passage prints a value when it has its digits, at any scale.
    """
    if row.kind != FIGURE or row.value is None or not row.evidence:
        return row.kind or "all"
    printed = any(prints_figure(passage.text, (row.value,)) for passage in row.evidence)
    return f"{FIGURE}, {'looked up' if printed else 'computed'}"


def _printed(row: Row) -> tuple[tuple[float, ...], ...]:
    if row.inputs:
        return tuple((value,) for value in row.inputs)
    if row.value is None or not row.filing or row.unit in ("%", "ratio", "count", "days", "") or row.program:
        return ()
    return ((row.value, *row.accept),)
