"""A user's own text against the library: each number supported, contradicted or unknown, with the figure found and why.

A sentence of the text is read by ``claims.py``; ``judge.py`` looks its numbers up by name, ``ranked.py`` asks for each as a
question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from fin_tui.candidates import words_of
from fin_tui.engine.checking.claim_words import OWN_MEASURE, Sentence, clauses_of, read_sentence
from fin_tui.engine.checking.claims import Claim, Context, read_claims
from fin_tui.engine.checking.judge import (
    Explainer,
    RowProof,
    Rows,
    Status,
    Verdict,
    is_certain,
    is_loose,
    is_thousandfold,
    matches,
    same_digits,
    show_reading,
    stated_value,
)
from fin_tui.engine.checking.passages import Passages, SentenceMatch, statements_of
from fin_tui.engine.checking.ranked import Asker, RankedProof
from fin_tui.engine.checking.readings import ClaimValue, Figures, Reader
from fin_tui.engine.evidence.numbers import significant_digits
from fin_tui.engine.figures.as_json import fact_json, number
from fin_tui.engine.figures.detail import Chunks
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.questions.companies import CompanyIndex, Named
from fin_tui.engine.questions.target import in_scope
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.engine.rank import open_ranker
from fin_tui.engine.searching import Finder
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure
from fin_tui.facts.lookup import FactBook
from fin_tui.records import Filing, PlacedFact, Scope, placed
from fin_tui.retrieval.rerank import CrossEncoder
from fin_tui.retrieval.shared_encoder import SharedEncoder

if TYPE_CHECKING:
    from fin_tui.retrieval.retriever import Retriever
    from fin_tui.store import Corpus


_DISTINCT = 4
"""Digits from which on a number is taken for the figure of another company that it equals."""
_NEAR = Decimal("0.01")
"""Share of a figure within which prose may state it otherwise than the statements."""
_FIRM = 3
"""Digits from which on a number that is denied is taken for the figure that it equals."""
_UNITS = {"money": "usd", "percent": "%", "plain": None}


@dataclass(frozen=True, slots=True)
class CheckedNumber:
    """A number of the text and what was found of it."""

    text: str
    value: float
    """Base units, sign as stated; percentages as 14.2 for 14.2 %."""
    unit: str | None
    status: Status
    found: PlacedFact | None
    """The figure it was held against, as a fact object with filing, file and page."""
    why: str


def _silent(done: int, total: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the text."""

    text: str
    status: Status
    numbers: tuple[CheckedNumber, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked text: the ``check --json`` document."""

    id: str | None
    status: Status
    statements: tuple[Statement, ...]


class Checker:
    """Checks texts against the filings of a library."""

    def __init__(
        self,
        book: Figures,
        rows: Rows,
        names: Names,
        held: Sequence[Filing],
        chunks: Chunks,
        passages: Passages | None = None,
        asker: Asker | None = None,
    ) -> None:
        """Texts are held against the figures of ``book`` and its ``rows``; against prose only where there are ``passages``, and
        against all figures by the words of each number only where there is an ``asker``.
        """
        self._passages = passages
        self._asker = asker
        self._book = book
        self._rows = rows
        self._names = names
        self._held = tuple(held)
        self._chunks = chunks

    def check(
        self, text: str, scope: Scope | None = None, identifier: str | None = None, tell: Callable[[int, int], None] = _silent
    ) -> Checked:
        """Check ``text`` within ``scope``. Never raises for what a text holds; what ``tell`` raises ends the check.

        ``tell`` is told before each sentence how many are done, and of how many.
        """
        scope = scope or Scope()
        # A figure of a year may stand in a later filing: years of a scope say which year is meant, not where to look.
        held = in_scope(self._held, replace(scope, fiscal_years=()))
        index = CompanyIndex(held)
        context = Context(company=_only_company(held), years=scope.fiscal_years[-1:])
        found: list[Statement] = []
        pieces = statements_of(text)
        for done, piece in enumerate(pieces):
            tell(done, len(pieces))
            sentence = read_sentence(piece.text, index, self._names)
            after, checked = context, list[CheckedNumber]()
            for clause in clauses_of(sentence, index, self._names):
                claims, after = read_claims(clause, after, self._names)
                claims = self._owned(claims, clause, index)
                checked += (self._of_any(claim, clause, at, held) for at, claim in enumerate(claims))
            context, numbers = context if piece.in_table else after, tuple(checked)
            found.append(Statement(piece.text, _together([one.status for one in numbers]), numbers))
        every = [one.status for statement in found for one in statement.numbers]
        return Checked(identifier, _together(every), tuple(found))

    def _of_any(self, claim: Claim, sentence: Sentence, at: int, held: Sequence[Filing]) -> CheckedNumber:
        """A number against the figures of its company; where these don't bear it out, of the others that may be meant."""
        checked = self._number(claim, sentence, at, held)
        for company, year in claim.others if checked.status != "supported" else ():
            when = replace(claim.when, year=year, day=None) if claim.when.carried and year is not None else claim.when
            other = self._number(replace(claim, company=company, others=(), when=when), sentence, at, held)
            if other.status == "supported":
                return other
        return checked

    def _number(self, claim: Claim, sentence: Sentence, at: int, held: Sequence[Filing]) -> CheckedNumber:
        verdict = self._by_row(claim, sentence, at, held, self._judge(claim, held))
        verdict = self._by_rank(claim, sentence, at, held, verdict)
        is_near = _is_near(verdict)
        told = self._told(claim, sentence.text, held) if verdict.status == "unknown" or is_near else None
        if told is not None and (told.agrees or not is_near):
            unit = _UNITS[claim.number.kind]
            status: Status = "supported" if told.agrees else "contradicted"
            return CheckedNumber(_shown(claim), number(claim.number.value), unit, status, told.found(unit), told.why)
        reading = verdict.reading
        unit = reading.unit if reading is not None and stated_value(claim, reading) is not None else _UNITS[claim.number.kind]
        stated = verdict.stated if verdict.stated is not None else claim.number.value
        found = self._found(reading.figure) if reading is not None else None
        return CheckedNumber(_shown(claim), number(stated), unit, verdict.status, found, verdict.why)

    def _by_row(self, claim: Claim, sentence: Sentence, at: int, held: Sequence[Filing], verdict: Verdict) -> Verdict:
        """``verdict``, or what the row says that the sentence names in full."""
        if claim.company is None or claim.unknown or claim.currency:
            return verdict
        filings = [filing for filing in held if filing.company_key in claim.company.keys]
        year = Reader(self._book, self._names, filings).year_of(claim)
        return verdict if year is None else RowProof(self._rows, sentence, filings).judge(claim, at, year, verdict)

    def _owned(self, claims: Sequence[Claim], sentence: Sentence, index: CompanyIndex) -> tuple[Claim, ...]:
        """``claims``, those of a brand or product told of the company that owns it."""
        if self._asker is None or all(claim.company is not None for claim in claims):
            return tuple(claims)
        company, brand = self._asker.company(sentence, claims[0], index)
        if company is None:
            return tuple(claims)
        return tuple(
            claim if claim.company is not None else replace(claim, company=company, brand=brand, unknown="", host=None)
            for claim in claims
        )

    def _by_rank(self, claim: Claim, sentence: Sentence, at: int, held: Sequence[Filing], before: Verdict) -> Verdict:
        """``before``, or what the figures say that the number's own words may mean."""
        if self._asker is None or claim.company is None or claim.denied or claim.blocked not in ("", OWN_MEASURE):
            return before
        filings = [filing for filing in held if filing.company_key in claim.company.keys]
        year = Reader(self._book, self._names, filings).year_of(claim)
        asked = self._asker.read(sentence, at, claim) if year is not None else None
        if year is None or asked is None:
            return before
        is_borne = before.reading is None or asked.bears_part(_words_of(before.reading.figure))
        if (before.status == "contradicted" and _is_same_value(claim, before)) or (before.status == "supported" and is_borne):
            return before  # What conflicts with the right value is unit, sign or direction.
        proof = RankedProof(self._asker, asked, claim, filings, year, is_contested=before.status == "contradicted" and is_borne)
        verdict = proof.judge()
        match verdict.status if verdict else "unknown", before.status:
            case "unknown", "supported" | "contradicted" if not is_borne and before.reading is not None:
                return Verdict("unknown", f"It may be another figure than {show_reading(before.reading)}", before.reading)
            case "unknown", "unknown" if before.reading is None and proof.closest is not None:
                return Verdict("unknown", f"Not verified; closest: {show_reading(proof.closest)}", proof.closest)
            case "contradicted", "contradicted" if is_borne:
                return before
        if verdict is None and before.status == "contradicted" and before.reading and proof.is_printed(before.reading):
            return Verdict("unknown", f"It may be another figure than {show_reading(before.reading)}", before.reading)
        return before if verdict is None else verdict

    def _judge(self, claim: Claim, held: Sequence[Filing]) -> Verdict:
        if claim.unknown:
            return self._judge_stranger(claim, held)
        if claim.company is None:
            return Verdict("unknown", "Nothing says which company it is of.")
        filings = [filing for filing in held if filing.company_key in claim.company.keys]
        reader = Reader(self._book, self._names, filings)
        if claim.item is None:
            return Verdict("unknown", "Nothing says which figure it is.")
        year = reader.year_of(claim)
        why = Explainer(claim, claim.company, reader)
        if year is None or (claim.of_others_year and year not in reader.years()):
            return self._without_year(claim, reader)
        readings = reader.of(claim, year)
        if claim.blocked:
            return _denied(claim, readings, self._names) or Verdict("unknown", claim.blocked, next(iter(readings), None))
        if not readings:
            return self._without_reading(claim, year, held, reader, why)
        verdict = _against(claim, readings, self._names)
        if verdict.status == "unknown" and claim.when.carried and not claim.sure:
            elsewhere = self._without_year(claim, reader)
            verdict = elsewhere if elsewhere.status != "unknown" else verdict
        if verdict.status == "contradicted":
            other_tags = _against(claim, tuple(reader.alternatives(claim, year)), self._names)
            verdict = other_tags if other_tags.status == "supported" else verdict
        if verdict.status == "contradicted" and not verdict.why and verdict.reading is not None and verdict.stated is not None:
            other = self._other_company(claim, year, held)
            return replace(verdict, why=why.wrong(verdict.reading, verdict.stated, year, other))
        if verdict.status == "supported" and claim.role == "level" and claim.direction:
            return _with_direction(claim, verdict, reader, year)
        return verdict

    def _judge_stranger(self, claim: Claim, held: Sequence[Filing]) -> Verdict:
        """The name is of no company held: a part of the company spoken of before, or a number taken from a company that is."""
        metric = claim.item.metric if claim.item is not None else None
        if claim.host is not None and metric is not None:
            part = Item(metric, f"{claim.unknown} {claim.item.phrase if claim.item else ''}".strip())
            verdict = self._judge(replace(claim, unknown="", company=claim.host, item=part), held)
            if verdict.reading is not None:
                return verdict
        said = f"{claim.unknown} is not in the library."
        year = claim.when.year
        if year is not None and claim.sure and not claim.blocked:
            other = self._other_company(claim, year - claim.when.earlier, held)
            if other is not None:
                name = other.figure.filing.company
                return Verdict("contradicted", f"That is {name}'s FY{year} figure; {said} {show_reading(other)}", other)
        return Verdict("unknown", said)

    def _without_year(self, claim: Claim, reader: Reader) -> Verdict:
        """Nothing says which year: the latest, if that fits, or the only one; never a contradiction among several, but where it
        is a figure of one year in another scale, a million for a billion.
        """
        first: ClaimValue | None = None
        scaled: Verdict | None = None
        for year in reader.years():
            readings = reader.of(claim, year)
            first = first or next(iter(readings), None)
            verdict = _against(claim, readings, self._names)
            if verdict.status == "supported" and not claim.blocked:
                return verdict
            scaled = scaled or _in_other_scale(replace(claim, sure=claim.is_named), readings, self._names)
        if scaled is not None and not claim.blocked:
            return scaled
        said = f"No fiscal year ends on {claim.when.day}." if claim.when.day else "Nothing says which year it is of."
        return Verdict("unknown", claim.blocked or said, first)

    def _without_reading(self, claim: Claim, year: int, held: Sequence[Filing], reader: Reader, why: Explainer) -> Verdict:
        """The figure is not there: still wrong when it is, digit for digit, another company's of that year."""
        assert claim.company is not None
        nearest = next((reading for other in reader.years() for reading in reader.of(claim, other)[:1]), None)
        other = self._other_company(claim, year, held) if claim.sure and not is_loose(claim.item, self._names) else None
        if other is not None and why.is_distinct(nearest):
            return Verdict("contradicted", why.is_others(other, nearest, year), nearest)
        return Verdict("unknown", why.missing(year, nearest), nearest)

    def _other_company(self, claim: Claim, year: int, held: Sequence[Filing]) -> ClaimValue | None:
        """Another company's figure of the same name and year that the number states: with few digits it does so by chance."""
        if significant_digits(claim.number.value) < _DISTINCT:
            return None
        if claim.role != "level" or claim.item is None or claim.item.metric is None or claim.item.phrase:
            return None
        own = set(claim.company.keys) if claim.company else set()
        for key in dict.fromkeys(filing.company_key for filing in held if filing.company_key not in own):
            filings = [filing for filing in held if filing.company_key == key]
            for reading in Reader(self._book, self._names, filings).of(claim, year)[:1]:
                stated = stated_value(claim, reading)
                if stated is not None and matches(claim, reading, stated) == "same":
                    return reading
        return None

    def _told(self, claim: Claim, statement: str, held: Sequence[Filing]) -> SentenceMatch | None:
        """A sentence of the company's filing of that year that states the number."""
        if self._passages is None or claim.company is None or claim.denied:
            return None
        filings = [filing for filing in held if filing.company_key in claim.company.keys]
        year = Reader(self._book, self._names, filings).year_of(claim)
        own = [filing for filing in filings if year is None or filing.fiscal_year == year]
        return self._passages.states(claim, statement, own)

    def _found(self, figure: Figure) -> PlacedFact:
        fact, filing = figure.fact, figure.filing
        chunk = self._chunks.holding(filing.id, fact.start, fact.end) if fact.end > fact.start else None
        start, end = (fact.start, fact.end) if chunk else (None, None)
        item, page, label = (chunk.item or None, chunk.page, chunk.page_label or None) if chunk else (None, None, None)
        return placed(
            fact_json(figure, None), company=filing.company, filing=filing.id, file=filing.file, fiscal_year=filing.fiscal_year,
            start=start, end=end, item=item, page=page, page_label=label,
        )  # fmt: skip


def _against(claim: Claim, readings: Sequence[ClaimValue], names: Names) -> Verdict:
    """The claim against all readings: supported by any, contradicted when it is sure and none fits."""
    fitting = [(reading, stated) for reading in readings if (stated := stated_value(claim, reading)) is not None]
    if not fitting:
        same = next((reading for reading in readings if same_digits(claim.number.value, reading.value)), None)
        if same is not None and claim.role == "level":
            return Verdict("contradicted", f"The unit is wrong: {show_reading(same)}", same, claim.number.value)
        return Verdict("unknown", "The number is of another kind than the figure that is named.", next(iter(readings), None))
    found = [(matches(claim, reading, stated), reading, stated) for reading, stated in fitting]
    for match, reading, stated in found:
        if match == "same":
            return Verdict("supported", show_reading(reading), reading, stated)
    for match, reading, stated in found:
        if match == "finer":
            return Verdict("unknown", f"It is more exact than the filing: {show_reading(reading)}", reading, stated)
    _, reading, stated = next((one for one in found if not one[1].only_supports), found[0])
    if reading.only_supports or not is_certain(claim, reading, names):
        return Verdict("unknown", f"It may be another figure than {show_reading(reading)}", reading, stated)
    return Verdict("contradicted", "", reading, stated)


def _in_other_scale(claim: Claim, readings: Sequence[ClaimValue], names: Names) -> Verdict | None:
    """The claim as wrong where its amount is the first of ``readings`` a thousand or a million times as large or small."""
    first = next(iter(readings), None)
    if first is None or claim.role != "level" or not is_certain(claim, first, names):
        return None
    stated = stated_value(claim, first)
    if stated is None or claim.number.kind != "money" or not is_thousandfold(stated, first.value):
        return None
    return Verdict("contradicted", f"The scale is wrong: {show_reading(first)}", first, stated)


def _words_of(figure: Figure) -> str:
    """All that a figure is called: label, row, tag and members."""
    fact = figure.fact
    return " ".join((figure.label, fact.label, figure.row, words_of(fact.concept), *map(words_of, fact.dimensions.values())))


def _is_same_value(claim: Claim, verdict: Verdict) -> bool:
    """Whether a number is that of the figure it was held against, but for sign, unit or scale."""
    if verdict.reading is None:
        return False
    stated, value = abs(claim.number.value), abs(verdict.reading.value)
    return abs(stated - value) <= claim.number.accuracy or same_digits(stated, value)


def _is_near(verdict: Verdict) -> bool:
    """Whether a contradicted number is so near the statements' that the filing's prose may state it itself: it measures or rounds
    the same matter otherwise.
    """
    if verdict.status != "contradicted" or verdict.reading is None or verdict.stated is None or not verdict.reading.value:
        return False
    return abs(verdict.stated / verdict.reading.value - 1) <= _NEAR


def _denied(claim: Claim, readings: Sequence[ClaimValue], names: Names) -> Verdict | None:
    """A sentence that denies just the figure that the filing states; None for all others."""
    if not claim.denied or claim.bound != "exact" or claim.role != "level" or significant_digits(claim.number.value) < _FIRM:
        return None
    verdict = _against(claim, readings, names)
    if verdict.status != "supported" or verdict.reading is None:
        return None
    why = f"The sentence denies what the filing states: {show_reading(verdict.reading)}"
    return replace(verdict, status="contradicted", why=why)


def _with_direction(claim: Claim, verdict: Verdict, reader: Reader, year: int) -> Verdict:
    """A level that is right may still be told to have moved the wrong way."""
    if claim.item is None or verdict.reading is None:
        return verdict
    before = next(reader.levels(claim.item, year - claim.when.back), None)
    if before is None or not claim.sure or before.unit != verdict.reading.unit:
        return verdict
    now, then = verdict.reading.value, before.value
    if claim.loss or (now < 0 and then < 0):
        now, then = abs(now), abs(then)
    moved = (now > then) - (now < then)
    if moved and moved != claim.direction:
        went = "rose" if moved > 0 else "fell"
        return replace(verdict, status="contradicted", why=f"It {went}: {show_reading(before)}; {show_reading(verdict.reading)}")
    return verdict


def _together(statuses: Sequence[Status]) -> Status:
    if "contradicted" in statuses:
        return "contradicted"
    return "supported" if statuses and all(status == "supported" for status in statuses) else "unknown"


def _only_company(held: Sequence[Filing]) -> Named | None:
    keys = {filing.company_key for filing in held}
    return Named((held[0].company_key,), held[0].company, -1, -1) if len(keys) == 1 else None


def _shown(claim: Claim) -> str:
    text = claim.number.text
    return text if ")" in text else text.lstrip("(")


def open_checker(library: Corpus, retriever: Retriever, asker: Asker | None = None) -> Checker:
    """Checks texts against what ``library`` holds now, by ``asker``, else by one of its own. Nothing heavy is loaded before a
    passage or figure is looked for.
    """
    book = FactBook(library)
    asker = asker or open_asker(library, retriever)
    return Checker(book, book, vocabulary(), library.filings(), library.chunks, Passages(retriever, vocabulary()), asker)


def open_asker(library: Corpus, retriever: Retriever) -> Asker:
    """What reads numbers as questions about ``library``."""
    encoder = SharedEncoder()
    finder = Finder(retriever, library)
    return Asker(FrameReader(encoder), Linked(open_ranker(library, encoder, CrossEncoder()), finder.passages_of), finder.owner)
