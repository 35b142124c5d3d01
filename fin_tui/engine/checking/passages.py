"""A user's text -> its sentences; those with a number that no figure states, looked for in the filings' own words.

Sentences are read without layout: wrapped lines joined, headings, items and cells alone. A filing's sentence supports one that
says the same and prints the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase, digits
from typing import NamedTuple

from fin_tui.engine.checking.claim_metrics import attach_metrics
from fin_tui.engine.checking.claim_words import currency_of, figures_in, period_marks, read_sentence
from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.evidence.citations import GROUNDED
from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers
from fin_tui.engine.figures.as_json import number
from fin_tui.engine.questions.companies import CompanyIndex
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.searching.find import Searcher
from fin_tui.errors import FinTuiError
from fin_tui.facts.words import stems
from fin_tui.language import any_of, only_digits, runs_of, split_sentences
from fin_tui.records import Filing, Hit, PlacedFact, Scope
from fin_tui.retrieval.tokens import tokenize

_SCALES = frozenset("thousand million billion".split())
_SHORT_SCALES = {"mm": "million", "mn": "million", "m": "million", "bn": "billion", "b": "billion"}
_UNSCALED = any_of("per share, eps, ratio, margin, rate, employees, stores, days, %")
_HAS_SCALE = frozenset("thousand million billion trillion b m k bn mm".split())
"""What a cell has behind its digits that needs no scale of the table."""


def is_row(line: str) -> bool:
    """Whether a line is a row of a table."""
    return line.lstrip().startswith("|") and line.count("|") >= 3


def table_statements(rows: Sequence[str], caption: str = "") -> Iterator[str]:
    """ "Revenue, FY2024: $391.0 billion" for each cell under a column that names a year; ``caption`` may give the scale."""
    cells = [[cell.strip(" *_`") for cell in row.strip().strip("|").split("|")] for row in rows if not _is_rule(row)]
    if not cells:
        return
    header, *body = cells
    for row in body:
        for title, cell in zip(header[1:], row[1:], strict=False):
            if row[0] and only_digits(cell) and find_periods(title).named:
                yield f"{row[0]}, {title}: {cell}{_scale(row[0], cell, (header[0], title, caption))}"


def _is_divider(line: str) -> bool:
    """Whether a line is drawn between parts: "---", "* * *"."""
    marks = "".join(line.split())
    return len(marks) >= _SHORTEST_DIVIDER and not marks.strip("-=*_")


def _is_rule(row: str) -> bool:
    """Whether a row of a table in plain text is nothing but the line under its head."""
    return "-" in row and not row.strip(" \t|:+-")


def _scale(label: str, cell: str, places: Sequence[str]) -> str:
    """The scale word that a caption, a header or the label gives to a bare number; "" when it has its own or needs none."""
    has_own = "%" in cell or any(word.lstrip("0123456789") in _HAS_SCALE for word in runs_of(cell.lower()))
    if has_own or _UNSCALED.search(label):
        return ""
    found = next(filter(None, map(_scale_told, (label, *places))), "")
    return f" {found}" if found else ""


def _scale_told(place: str) -> str:
    """The scale that ``place`` gives: "(in millions)", "($m)"; "" where it gives none."""
    told = (word.removesuffix("s") for before, word in pairwise(runs_of(place.lower())) if before == "in")
    named = next((word for word in told if word in _SCALES), "")
    bracketed = (behind.partition(")") for behind in place.lower().split("(")[1:])
    short = (inner.strip().removeprefix("us").removeprefix("$").strip() for inner, closed, _ in bracketed if closed)
    return named or next((_SHORT_SCALES[one] for one in short if one in _SHORT_SCALES), "")


_ALONE = (">", "|", "===", "---")
"""Begin a line that goes on with none, as every mark does."""
_BULLETS = ("-", "*", "+", "•")
_DEEPEST, _LONGEST_MARK = 6, 3
_EMPHASIS = ("**", "__", "*", "`")
_BEFORE_STOP = frozenset(f"{ascii_lowercase}{digits}%)")
_SHORTEST_DIVIDER = 3
_SHORT = 45
"""A line shorter than this that ends without a stop is a heading, not a wrapped line."""
_FULL = 60


class Piece(NamedTuple):
    """A sentence, heading or table cell of a text."""

    text: str
    in_table: bool = False
    """A cell speaks for itself: what follows the table is not told of its column."""


def statements_of(text: str) -> tuple[Piece, ...]:
    """The sentences, headings and table cells of ``text`` in order."""
    found: list[Piece] = []
    for paragraph in _paragraphs(text):
        if is_row(paragraph):
            caption = found[-1].text if found else ""
            found.extend(Piece(cell, True) for cell in table_statements(paragraph.split("\n"), caption))
            continue
        for start, end in split_sentences(paragraph):
            pieces = _small_starts(paragraph[start:end])
            found.extend(Piece(piece.strip()) for piece in pieces if any(char.isalnum() for char in piece))
    return tuple(found)


def _small_starts(sentence: str) -> list[str]:
    """``sentence``, parted where one in it begins with a name like "iPhone"."""
    pieces: list[str] = []
    for word in sentence.split(" "):
        is_ended = bool(pieces) and pieces[-1].endswith(".") and pieces[-1][-2:-1] in _BEFORE_STOP
        if pieces and not (is_ended and word[:1].islower() and word[1:2].isupper()):
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    return pieces


def _paragraphs(text: str) -> list[str]:
    found: list[str] = []
    open_ = in_table = False
    for line in text.splitlines():
        if is_row(line):
            if in_table:
                found[-1] += f"\n{line}"
            else:
                found.append(line)
            in_table, open_ = True, False
            continue
        in_table = False
        said = _without_mark(line)
        bare = _without_emphasis(said).strip()
        if not bare or _is_divider(line):
            open_ = False
            continue
        if open_ and said == line and not line.lstrip().startswith(_ALONE) and _goes_on(found[-1]):
            found[-1] = f"{found[-1]} {bare}"
        else:
            found.append(bare)
        open_ = not line.lstrip().startswith(("#", "|"))
    return found


def _without_emphasis(text: str) -> str:
    """``text`` without the signs of emphasis and code around words: "**Revenue** rose"."""
    for mark in _EMPHASIS:
        begin = text.find(mark)
        while begin >= 0:
            inner, closed, rest = text[begin + len(mark) :].partition(mark)
            if closed and inner and inner == inner.strip():
                text, begin = f"{text[:begin]}{inner}{rest}", begin + len(inner) - 1
            begin = text.find(mark, begin + 1)
    return text


def _without_mark(line: str) -> str:
    """``line`` without the mark of a heading, a list item or a quotation; as it is where it has none."""
    if (said := line.lstrip()).startswith(">"):
        return said.lstrip("> \t")
    first, gap, _ = said.replace("\t", " ").partition(" ")
    is_heading = 0 < len(first) <= _DEEPEST and not first.strip("#")
    is_number = len(first) <= _LONGEST_MARK and first[:-1].isdigit() and first.endswith((".", ")"))
    return said[len(first) :] if gap and (is_heading or is_number or first in _BULLETS) else line


def _goes_on(before: str) -> bool:
    """Whether a paragraph that so far ends in ``before`` is wrapped: a line as long as a page is wide."""
    return len(before) >= _FULL or (not before.endswith((".", "!", "?", ":")) and len(before) > _SHORT)


_PASSAGES = 8
_LEAST_WORDS = 3
_LONGEST = 240
_ENOUGH_WORDS = 5
_SAME = 0.85
"""Share of the words of both sentences that must be common before another number is held against the user's."""
_OWN_VOICE = frozenset(tokenize("the company we our us registrant"))


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """A sentence of a filing that states a number."""

    hit: Hit
    sentence: str
    printed: Number
    agrees: bool
    """It states the number asked about; otherwise it says the same of another number."""

    @property
    def why(self) -> str:
        """For people."""
        return f"{self.hit.filing.company} FY{self.hit.filing.fiscal_year or '?'} says: “{self.sentence}”"

    def found(self, unit: str | None) -> PlacedFact:
        """As a fact object with filing, file and page."""
        filing, chunk = self.hit.filing, self.hit.chunk
        return {
            "concept": "text:" + self.sentence[:60],
            "label": self.sentence[:_LONGEST],
            "value": number(self.printed.value),
            "unit": unit,
            "period_start": None,
            "period_end": filing.period_end.isoformat() if filing.period_end else None,
            "dimensions": {},
            "source": "text",
            "as_reported": self.printed.text,
            "restated": None,
            "citation": None,
            "company": filing.company,
            "filing": filing.id,
            "file": filing.file,
            "fiscal_year": filing.fiscal_year,
            "item": chunk.item or None,
            "page": chunk.page,
            "page_label": chunk.page_label or None,
            "start": chunk.start,
            "end": chunk.end,
        }


class Passages:
    """Searches the prose of filings by words."""

    def __init__(self, searcher: Searcher, names: Names) -> None:
        self._searcher = searcher
        self._names = names
        self._known: dict[tuple[str, tuple[str, ...]], Sequence[Hit]] = {}

    def states(self, claim: Claim, statement: str, filings: Sequence[Filing]) -> SentenceMatch | None:
        """The sentence of ``filings`` that prints the number of ``claim`` in the words of ``statement``; else the one that says
        the same, word for word, of another number; None when there is neither.
        """
        wanted = _words(statement, claim)
        if len(wanted) < _LEAST_WORDS or not filings:
            return None
        other: SentenceMatch | None = None
        for hit, sentence in _sentences(self._hits(statement, filings)):
            said = set(tokenize(_without_numbers(sentence)))
            if len(wanted & said) < GROUNDED * len(wanted):
                continue
            printed = _figures(sentence)
            same = next(
                (one for one in printed if agrees(claim.number, one) and currency_of(sentence, one) == claim.currency), None
            )
            if same is not None and not self._tells_another(claim, sentence, same):
                return SentenceMatch(hit, sentence, same, True)
            if (
                other is None
                and not claim.currency
                and len(printed) == 1
                and _says_the_same(wanted, said)
                and _is_alone(claim, statement, printed[0])
            ):
                other = SentenceMatch(hit, sentence, printed[0], False)
        return other

    def _tells_another(self, claim: Claim, sentence: str, printed: Number) -> bool:
        """Whether ``sentence`` tells the figure that is claimed, by its name, of another of its numbers than ``printed``."""
        wanted = stems(claim.said)
        read = read_sentence(sentence, CompanyIndex(()), self._names)
        told = zip(read.numbers, attach_metrics(read, self._names, None), strict=True)
        named = {number.start: stems(one.said) for number, one in told if one.said and one.role == claim.role}
        own = named.pop(printed.start, wanted)
        return bool(wanted) and own != wanted and wanted in named.values()

    def _hits(self, statement: str, filings: Sequence[Filing]) -> Sequence[Hit]:
        key = (statement, tuple(sorted(filing.id for filing in filings)))
        if key not in self._known:
            self._known = {key: self._search(*key)}  # the numbers of one statement come one after the other
        return self._known[key]

    def _search(self, statement: str, filings: tuple[str, ...]) -> Sequence[Hit]:
        try:
            found = self._searcher.search(statement, Scope(filings=filings), k=_PASSAGES, mode="sparse", rerank=False)
        except FinTuiError:
            return ()  # An index that can't be read leaves the figures, which is what a check rests on.
        return found.hits


def _sentences(hits: Sequence[Hit]) -> Iterator[tuple[Hit, str]]:
    for hit in hits:
        if hit.chunk.kind == "prose":
            for start, end in split_sentences(hit.chunk.text):
                yield hit, " ".join(hit.chunk.text[start:end].split())


def _figures(text: str) -> tuple[Number, ...]:
    return figures_in(text, [(mark.start, mark.end) for mark in period_marks(text)])


def _says_the_same(wanted: set[str], said: set[str]) -> bool:
    common = len(wanted & said)
    return len(wanted) >= _ENOUGH_WORDS and common >= _SAME * len(wanted) and common >= _SAME * len(said - _OWN_VOICE)


def _is_alone(claim: Claim, statement: str, printed: Number) -> bool:
    """Whether both sentences state one figure of one kind, so that they can only speak of the same."""
    return claim.bound in ("exact", "about") and claim.number.kind == printed.kind and len(_figures(statement)) == 1


def _words(statement: str, claim: Claim) -> set[str]:
    """The content words of a statement without its company and numbers."""
    words = set(tokenize(_without_numbers(statement)))
    return words - set(tokenize(claim.company.name)) if claim.company else words


def _without_numbers(text: str) -> str:
    for one in reversed(list(find_numbers(text))):
        text = text[: one.start] + " " + text[one.end :]
    return text
