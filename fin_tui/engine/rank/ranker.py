"""A figure asked for x the figures of a filing -> the likeliest, each with a calibrated probability."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np

from fin_tui.candidates import Candidate, as_read
from fin_tui.engine.rank.filing_rows import FilingRows, RowBook
from fin_tui.engine.rank.wanted import (
    Beside,
    Listed,
    Wanted,
    When,
    fit_of_period,
    fit_of_unit,
    may_be,
    names_year,
    unit_fits,
)
from fin_tui.facts.figures import Period
from fin_tui.facts.words import stems
from fin_tui.records import Chunk, Filing
from fin_tui.retrieval.shared_encoder import Array, SharedEncoder
from fin_tui.store import Remembered

_ROWS, _SENTENCES = 14, 18
"""Rows and numbers of sentences that are looked at."""
READ = 14
"""Candidates that a cross-encoder reads: about 5 ms each."""
_FIRST, _AT_ONCE = 6, 4
"""Of these those that are read in any case, and those that are read together after that."""
_EXPECTED, _AT_ZERO = 0.7, -7.0
"""What is read of a candidate by what is known of it before: a line fitted on 1,600 that were read (correlation .69)."""
_HOPED, _BEHIND = 2.0, 2.0
"""How far above that the unread may come, and how far behind the first they then are to be, for reading to end: four rows of ten
are left unread, and of 121 answers one changes.
"""
_BY_WORDS = 8
_SAME_VALUE = 0.006
_YEARS = 4
_KEPT = 64
"""Vectors of what was looked for last."""
FEATURES = (
    "cosine", "asked", "own", "unit", "dated", "undated", "later", "xbrl", "text", "statement", "dimensions", "parts", "alike",
)  # fmt: skip
"""What is known of a candidate before it is read; "read" is the cross-encoder's score."""
Read = Callable[[str, Sequence[str]], Sequence[float]]
"""A question and rows -> how well each answers it, a logit."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the probability that it is the one asked for."""

    candidate: Candidate
    probability: float
    features: tuple[float, ...] = ()


class Ranker:
    """Ranks the figures of one filing."""

    def __init__(self, encoder: SharedEncoder, book: RowBook, read: Read) -> None:
        """``read`` is a cross-encoder that reads the question together with each of the best candidates."""
        self._encoder = encoder
        self.book = book
        """The rows of filings."""
        self._read = read
        self._vectors: Remembered[str, Array] = Remembered(_KEPT)

    def warm_up(self) -> None:
        """Load what reads rows; raises ``MissingAsset`` where its weights can't be read."""
        self._read("a question", ("a row",))

    def read(self, asked: str, figures: Sequence[Candidate], filing: Filing) -> list[float]:
        """How well each figure of ``filing`` answers what is ``asked``: a logit."""
        years = self.book.of(filing).years
        return [float(logit) for logit in self._read(asked, [as_read(one, years) for one in figures])]

    def has_vectors(self, filing: Filing) -> bool:
        """Whether the rows of ``filing`` are known by meaning, not by words alone."""
        return self.book.of(filing).vectors is not None

    def rank(self, wanted: Wanted, filing: Filing, year: When, chunks: Sequence[Chunk]) -> list[Scored]:
        """The candidates for ``wanted`` in ``year`` (None: whatever the filing says), likeliest first; ``chunks`` are passages
        of the filing found for the question, whose sentences count as well. Raises ``MissingAsset`` without weights.
        """
        years = self.book.of(filing).years
        return self._read_through(wanted.read_in(year), *self.shortlist(wanted, filing, year, chunks), years)

    def _read_through(
        self, asked: str, found: Sequence[Candidate], features: Array, years: Sequence[Period]
    ) -> list[Scored]:  # fmt: skip
        """The first of ``found``, which are in order, read; the likeliest first."""
        best, features = found[:READ], features[:READ]
        if not best:
            return []
        scores = self._scores(asked, [as_read(one, years) for one in best], features)
        features = np.column_stack((features, scores)).astype(np.float32)
        raised = features @ _weights("last")
        shares = np.exp(raised - raised.max())
        shares /= shares.sum()
        values = [abs(one.fact.value or 0.0) for one in best]
        ranked = []
        for place in np.argsort(-shares, kind="stable"):
            same = np.array([abs(value - values[place]) <= _SAME_VALUE * max(value, 1e-9) for value in values])
            share = float(shares[same].sum())
            known = (*map(float, features[place]), share)
            ranked.append(Scored(best[place], _sure(share, known), known))
        return ranked

    def _scores(self, asked: str, texts: Sequence[str], features: Array) -> Array:
        """What the cross-encoder makes of figures, likeliest first; once one is far ahead, what the features of the others let
        expect of them.
        """
        weights = _weights("last")
        known, expected = features @ weights[:-1], _EXPECTED * (features @ _weights("first")) + _AT_ZERO
        scores = expected.astype(np.float32)
        done = 0
        while done < len(texts):
            until = done + (_AT_ONCE if done else _FIRST)
            scores[done:until] = self._read(asked, texts[done:until])
            done = min(until, len(texts))
            ahead = (known[:done] + weights[-1] * scores[:done]).max() - _BEHIND
            if (known[done:] + weights[-1] * (expected[done:] + _HOPED) < ahead).all():
                break
        return scores

    def shortlist(self, wanted: Wanted, filing: Filing, year: When, chunks: Sequence[Chunk]) -> tuple[list[Candidate], Array]:
        """What may be ``wanted``, the likeliest first before any is read, with what is known of each: [candidates, FEATURES]."""
        rows = self.book.of(filing)
        found = [*self._rows(wanted, rows, year), *self._sentences(wanted, rows, filing, year, chunks)]
        if not found:
            return [], np.empty((0, len(FEATURES)), np.float32)
        features = _features(wanted, self._content(wanted.matter), rows, year, found)
        order = np.argsort(-(features @ _weights("first")), kind="stable")
        return [found[place][0] for place in order], features[order]

    def rank_beside(self, wanted: Wanted, beside: Beside, year: Period) -> list[Scored]:
        """As :meth:`rank`, of what stands beside a figure that was told before; ``year`` may also be the name of a row."""
        filing, listed = beside.filing, Listed(year, beside.fact.period_end)
        rows = self.book.of(filing)
        told = [one for some in rows.said.values() for one in some]
        near = [one for one in (*rows.figures, *told) if beside.holds(one.fact) and may_be(one, wanted, listed)]
        found = list({(one.fact.start, one.row): one for one in near if one.fact.start != beside.fact.start}.values())
        if not found:
            return []
        is_named = any(names_year(one.row, listed.name) for one in found)
        matter = f"{wanted.matter} {listed.name}" if is_named else wanted.matter
        cosines = rows.cosines([one.row for one in found], self._vector(matter), self._encoder)
        scored = [(one, float(cosine)) for one, cosine in zip(found, cosines, strict=True)]
        features = _features(wanted, self._content(matter), rows, listed, scored)
        order = np.argsort(-(features @ _weights("first")), kind="stable")
        asked = replace(wanted, matter=matter).read_in(listed)
        return self._read_through(asked, [found[place] for place in order], features[order], rows.years)

    def figures(self, filing: Filing) -> Sequence[Candidate]:
        """All figures of the tables and tags of ``filing``."""
        return self.book.of(filing).figures

    def periods_of(self, known: Candidate, filing: Filing) -> Sequence[Candidate]:
        """The figures of the row of ``known`` in all its periods; of a sentence ``known`` alone."""
        return (known,) if known.fact.source == "text" else self.book.of(filing).by_row.get(known.row, (known,))

    def in_year(self, known: Candidate, filing: Filing, year: Period) -> Candidate | None:
        """The figure of the same row, or of the same sentence, in ``year``; None where it has none, or several."""
        rows = self.book.of(filing)
        if known.fact.source == "text":
            return _in_sentence(known, rows.said, year)
        found = _best_dated(held, year) if (held := rows.by_row.get(known.row)) else []
        return found[0] if len(found) == 1 and fit_of_period(found[0], year) == 1.0 else None

    def _vector(self, matter: str) -> Array:
        """The vector of what is looked for, in one filing after the other."""
        return self._vectors.get(matter, lambda: self._encoder.vectors([matter])[0])

    def _content(self, matter: str) -> frozenset[str]:
        """The stems of the words that name what is asked for; of all words where none does."""
        plain = self._encoder.plain_words
        kept = frozenset(stems(" ".join(word for word in matter.split() if word.lower().strip(",?.:;()") not in plain)))
        return kept or frozenset(stems(matter))

    def _rows(self, wanted: Wanted, rows: FilingRows, year: When) -> list[tuple[Candidate, float]]:
        """The figures of the nearest rows, with their cosine."""
        cosines = rows.similarities(self._vector(wanted.matter))
        asked = self._content(wanted.matter)
        words = {row: sum(rows.lexical(asked, row)) for row in rows.sharing(asked)}
        dated, kinds = _dated(rows, year), wanted.chances
        fitting: dict[str, list[Candidate]] = {}

        def fits(row: str) -> bool:
            if row not in fitting:
                fitting[row] = [one for one in dated.get(row, ()) if any(unit_fits(one, kind) for kind in kinds)]
            return bool(fitting[row])

        chosen: list[str] = []
        for order, most in ((cosines, _ROWS if cosines else 0), (words, _BY_WORDS if cosines else _ROWS)):
            taken = 0
            for row in sorted(order, key=lambda row: -order[row]):
                if taken >= most:
                    break
                if fits(row):
                    taken += 1
                    chosen.append(row)
        return [
            (one, cosines.get(row, 0.0)) for row in dict.fromkeys(chosen) for one in _best_dated(fitting[row], year)
        ]  # fmt: skip

    def _sentences(
        self, wanted: Wanted, rows: FilingRows, filing: Filing, year: When, chunks: Sequence[Chunk]
    ) -> list[tuple[Candidate, float]]:
        """Numbers in the sentences of passages: those that share most words with what is asked, best passages first."""
        asked = self._content(wanted.matter)
        scored = []
        for place, chunk in enumerate(chunks):
            for one in self.book.sentences(filing, [chunk]):
                if may_be(one, wanted, year):
                    share, _ = rows.lexical(asked, one.row)
                    scored.append((share - 0.02 * place, one))
        scored.sort(key=lambda entry: -entry[0])
        best = [one for _, one in scored[:_SENTENCES]]
        if not best:
            return []
        cosines = rows.cosines([one.row for one in best], self._vector(wanted.matter), self._encoder)
        return [(one, float(cosine)) for one, cosine in zip(best, cosines, strict=True)]


def _dated(rows: FilingRows, year: When) -> Mapping[str, Sequence[Candidate]]:
    """The figures of each row that may be of ``year``."""
    held = rows.dated.get(year)
    if held is None:
        near = ((row, [one for one in some if fit_of_period(one, year) is not None]) for row, some in rows.by_row.items())
        held = rows.dated[year] = {row: some for row, some in near if some}
        for oldest in list(rows.dated)[:-_YEARS]:
            rows.dated.pop(oldest, None)
    return held


def _in_sentence(known: Candidate, said: Mapping[str, Sequence[Candidate]], year: Period) -> Candidate | None:
    """What the sentence of ``known`` tells of ``year`` at the same place among its figures of that year: "12,400 and 51,000 of
    123,200 and 100,300 employees in 2017 and 2016".
    """
    told = next((some for some in said.values() if known in some), ())
    alike = [one for one in told if (one.fact.label, one.fact.unit) == (known.fact.label, known.fact.unit)]
    own = [one for one in alike if one.fact.period_end == known.fact.period_end]
    other = [one for one in alike if one.fact.period_end is not None and fit_of_period(one, year) == 1.0]
    return other[own.index(known)] if len(other) == len(own) else None


def _best_dated(candidates: Sequence[Candidate], year: When) -> list[Candidate]:
    """Of a row's figures those whose period fits best, each value once."""
    ranked = sorted(candidates, key=lambda one: -(fit_of_period(one, year) or 0.0))
    best = fit_of_period(ranked[0], year) or 0.0
    return list({one.fact.value: one for one in reversed(ranked) if (fit_of_period(one, year) or 0.0) >= best}.values())[:3]


def _features(
    wanted: Wanted, asked: frozenset[str], rows: FilingRows, year: When, found: Sequence[tuple[Candidate, float]]
) -> Array:
    part = frozenset(stems(wanted.parts))
    values = [abs(one.fact.value or 0.0) for one, _ in found]
    made = []
    for place, (one, cosine) in enumerate(found):
        said = rows.stems_of(one.row)
        covered_share, own_share = rows.lexical(asked, one.row)
        alike = sum(abs(value - values[place]) <= _SAME_VALUE * max(value, 1e-9) for value in values) - 1
        dated = fit_of_period(one, year) or 0.0
        made.append(
            (
                cosine, covered_share, own_share,
                fit_of_unit(one, wanted), float(dated == 1.0), float(dated == 0.5), float(dated == 0.4),
                float(one.fact.source == "xbrl"), float(one.fact.source == "text"), float(bool(one.statement)),
                float(len(one.fact.dimensions)),
                (len(part & said) / len(part)) if part else float(not one.fact.dimensions),
                min(alike, 3) / 3,
            )
        )  # fmt: skip
    return np.array(made, np.float32)


def _sure(share: float, known: Sequence[float]) -> float:
    """The probability that a candidate with this share among those read is the one asked for."""
    raised = float(np.dot(_weights("sure"), (*known[:-1], np.log(max(share, 1e-6)), 1.0)))
    return float(1 / (1 + np.exp(-raised)))


@cache
def _weights(stage: str) -> Array:
    """The fitted weights: "first", one for each feature; "last", those and that of "read"; "sure", those, of the logarithm of
    the share, and a constant.
    """
    card = json.loads(files("fin_tui.engine.rank").joinpath("weights.json").read_text(encoding="utf-8"))
    names = {"first": FEATURES, "last": (*FEATURES, "read"), "sure": (*FEATURES, "read", "share", "bias")}[stage]
    return np.array([card[stage][name] for name in names], np.float32)
