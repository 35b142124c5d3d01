"""Everything that was found and said -> one ``Answer``, its sources numbered in the order in which it cites them (pure).

A follow-up may ask for the answer before in another shape: as a table, in one sentence, in plain words, as points.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from fin_tui.engine.answering.refusal import beyond_scope
from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.citations import joined, with_markers
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.figures.as_json import renumbered, renumbered_table
from fin_tui.engine.figures.as_text import possessive
from fin_tui.engine.figures.shown import JOINT, cells_of
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.models.grounding import ENOUGH_SUPPORT
from fin_tui.engine.questions.instructions import Shape
from fin_tui.engine.questions.target import Target, in_scope, label_of
from fin_tui.engine.searching.find import Hits, strength
from fin_tui.engine.structures.structure import StructureAnswer
from fin_tui.errors import NotFound
from fin_tui.facts.figures import SCALES
from fin_tui.facts.words import spoken_name
from fin_tui.language import fiscal_years
from fin_tui.records import Answer, Citation, FactRecord, Filing, Refusal, Retrieval, Sentence

if TYPE_CHECKING:
    from fin_tui.engine.questions.understanding import Understanding


def in_order_of_appearance(
    told: Sequence[Sentence], evidence: Evidence, figures: FigureAnswer | None
) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer | None]:
    """The same with other numbers: what the first line cites is [1], then come the table's cells, then the details."""
    cited = dict.fromkeys(number for number in _appearing(told, figures) if 1 <= number <= len(evidence.passages))
    order = [*cited, *(number for number in range(1, len(evidence.passages) + 1) if number not in cited)]
    if order == sorted(order):
        return tuple(told), evidence, figures
    new = {old: at for at, old in enumerate(order, start=1)}
    passages = tuple(passage_renumbered(evidence.passages[old - 1], new) for old in order)
    focuses = tuple(replace(focus, passage=new[focus.passage + 1] - 1) for focus in evidence.focuses)
    sentences = tuple(sentence_renumbered(sentence, new) for sentence in told)
    return sentences, replace(evidence, passages=passages, focuses=focuses), figures_renumbered(figures, new) if figures else None


def _appearing(told: Sequence[Sentence], figures: FigureAnswer | None) -> Iterator[int]:
    for sentence in told:
        if not sentence.is_detail:
            yield from sentence.citations
    for cell in cells_of(figures.table if figures else None):
        if number := cell.get("citation"):
            yield number
    for sentence in told:
        yield from sentence.citations


def sentence_renumbered(sentence: Sentence, new: Mapping[int, int]) -> Sentence:
    """``sentence`` with the ``new`` numbers of what it cites."""
    return replace(sentence, citations=tuple(new.get(number, number) for number in sentence.citations))


def passage_renumbered(passage: Passage, new: Mapping[int, int]) -> Passage:
    """``passage`` with its ``new`` number."""
    return replace(passage, citation=replace(passage.citation, id=new[passage.citation.id]))


def figures_renumbered(figures: FigureAnswer, new: Mapping[int, int]) -> FigureAnswer:
    """``figures`` with the ``new`` numbers of their passages."""

    def renumber(number: int) -> int:
        return new.get(number, number)

    return replace(
        figures,
        sentences=tuple(sentence_renumbered(sentence, new) for sentence in figures.sentences),
        passages=tuple(passage_renumbered(passage, new) for passage in figures.passages),
        facts=tuple(renumbered(fact, renumber) for fact in figures.facts),
        table=renumbered_table(figures.table, renumber),
    )


UNSUPPORTED_MARK = "⚠"


@dataclass(slots=True)
class Timer:
    """Milliseconds from the start to each mark."""

    started: float = field(default_factory=time.perf_counter)
    marks: dict[str, float] = field(default_factory=dict)

    @property
    def elapsed_s(self) -> float:
        """Seconds from the start until now."""
        return time.perf_counter() - self.started

    def mark(self, name: str) -> None:
        self.marks[name] = round(self.elapsed_s * 1000, 1)


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands before the model speaks."""

    understood: Understanding
    hits: Hits
    evidence: Evidence
    sentences: tuple[Sentence, ...]
    """The extractive answer."""
    timer: Timer
    figures: FigureAnswer | None = None
    """The answer from facts, for a question that asks for figures."""
    outline: StructureAnswer | None = None
    """The answer from the filing's structure."""
    candidates: tuple[FactRecord, ...] = ()
    """Figures between which a choice would have been a guess."""
    caution: str = ""
    """Where the extractive answer is not surely one."""
    notes: tuple[str, ...] = ()
    """What a reader must know of the answer."""
    note: str = ""
    """Why it stays as it was, where another shape was asked for."""
    scale: str = ""
    """In which scale the filing's sentences mean their amounts, where they do not say so."""

    @property
    def extract(self) -> str:
        return with_markers(shown(self.sentences))

    @property
    def verdict(self) -> Sentence | None:
        """The sentence that decides a question for yes or no, where one does."""
        return next((sentence for sentence in self.sentences[:1] if sentence.text.startswith(("Yes: ", "No: "))), None)

    @property
    def is_proven(self) -> bool:
        """Figures, and a yes or a no, say all that is asked: no model need write them."""
        is_told = self.figures is not None and not self.figures.asks_reason
        return is_told or self.verdict is not None


def compose(draft: Draft, worded: Sequence[Sentence], model: str, *, stopped: bool) -> Answer:
    """The finished answer: the sentences of ``model`` where enough of them are supported, else the extractive ones.

    An answer of figures gives way only to words that are all supported and state the same figure.
    """
    draft.timer.mark("total")
    supported = sum(sentence.support != "unsupported" for sentence in worded)
    figures = draft.figures
    counted = figures or draft.outline
    stands = bool(worded) and supported / len(worded) >= ENOUGH_SUPPORT
    if figures is not None:
        stands = stands and supported == len(worded) and figures.display in marked(worded)
    sentences = (*worded, *_beside(figures, draft.sentences, worded)) if stands else draft.sentences
    text = marked(shown(sentences))
    return Answer(
        question=draft.understood.said,
        status="answered",
        answer=text,
        id=draft.understood.request.id,
        sentences=sentences,
        citations=_cited(draft.evidence, sentences, {p.citation.id for p in figures.passages} if figures else frozenset()),
        verification=verification(sentences),
        retrieval={
            **retrieval(draft.understood, draft.hits),
            "strength": round(strength(draft.evidence, draft.hits.similarity), 4),
        },
        model=model if stands else "none",
        timings_ms=_timings(draft.timer, draft.hits),
        extract=draft.extract,
        stopped=stopped,
        value=counted.value if counted else None,
        unit=counted.unit if counted else None,
        plan=figures.plan if figures else (),
        facts=figures.facts if figures else (),
        calculation=figures.calculation if figures else None,
        table=figures.table if figures else None,
        candidates=draft.candidates,
        caution=draft.caution,
        notes=draft.notes,
    )


def _beside(figures: FigureAnswer | None, extract: Sequence[Sentence], worded: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """What the filing's prose says beside the figures, where the model's words leave its numbers out: often a second reading."""
    if figures is None:
        return ()
    said = {number.value for sentence in worded for number in find_numbers(sentence.text)}
    more = extract[len(figures.sentences) :]
    return tuple(sentence for sentence in more if any(number.value not in said for number in find_numbers(sentence.text)))


def shown(sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """Without what the table or the calculation shows as well."""
    return [sentence for sentence in sentences if not sentence.is_detail]


def marked(sentences: Sequence[Sentence]) -> str:
    """The text with [n] behind what is cited and a warning sign behind what nothing bears out."""
    return joined(
        [
            (one, UNSUPPORTED_MARK if one.support == "unsupported" else "".join(f"[{number}]" for number in one.citations))
            for one in sentences
        ]
    )


def refused(
    understood: Understanding,
    refusal: Refusal,
    hits: Hits | None,
    timer: Timer,
    candidates: tuple[FactRecord, ...] = (),
) -> Answer:
    """The answer that says why there is none, with the figures that come near."""
    timer.mark("total")
    return Answer(
        question=understood.said,
        status="refused",
        answer=refusal.message,
        id=understood.request.id,
        refusal=refusal,
        citations=refusal.nearest,
        retrieval=retrieval(understood, hits),
        timings_ms=_timings(timer, hits),
        candidates=candidates,
    )


def failed(question: str, identifier: str | None, message: str, hint: str) -> Answer:
    """The answer of a question that an error ended."""
    return Answer(question=question, status="error", answer=f"{message} {hint}".strip(), id=identifier)


def not_held(question: str, identifier: str | None, error: NotFound) -> Answer:
    """The refusal of a question whose scope names what the library doesn't hold."""
    message = f"{error.message} {error.hint}".strip()
    return Answer(question, "refused", message, identifier, Refusal("not_in_library", message))


def verification(sentences: Sequence[Sentence]) -> Mapping[str, int]:
    """How many sentences and numbers are supported."""
    good = [sentence for sentence in sentences if sentence.support != "unsupported"]
    return {
        "sentences": len(sentences),
        "supported": len(good),
        "numbers": sum(len(list(find_numbers(sentence.text))) for sentence in sentences),
        "numbers_supported": sum(len(list(find_numbers(sentence.text))) for sentence in good),
    }


def retrieval(understood: Understanding, hits: Hits | None) -> Retrieval:
    """Mode, scope and chunks, as the JSON contract names them."""
    filings = understood.target.filings
    return {
        "mode": hits.mode if hits else understood.request.mode,
        "scope": {
            "companies": list(dict.fromkeys(filing.company for filing in filings)),
            "fiscal_years": sorted({filing.fiscal_year for filing in filings if filing.fiscal_year}),
        },
        "chunks": [
            {
                "chunk_id": hit.chunk.id,
                "score": round(hit.score, 5),
                "ranks": {"dense": hit.ranks.dense, "sparse": hit.ranks.sparse, "rerank": hit.ranks.rerank},
            }
            for hit in (hits.hits if hits else ())
        ],
    }


def _cited(evidence: Evidence, sentences: Sequence[Sentence], shown: Set[int]) -> tuple[Citation, ...]:
    """The passages that the sentences or facts (``shown``) name; all others stay with the passages of the evidence card."""
    used = {number for sentence in sentences for number in sentence.citations} | shown
    return tuple(passage.citation for passage in evidence.passages if passage.citation.id in used)


def _timings(timer: Timer, hits: Hits | None) -> Mapping[str, float]:
    extra = {f"search_{name}": round(value, 1) for name, value in hits.timings_ms.items()} if hits else {}
    return {**timer.marks, **extra}


Told = tuple[tuple[Sentence, ...], FigureAnswer | None]
_BULLET = "•"
CAN_BE = "An answer can be told as a table of its figures, in one sentence, in plain words, or as points."
NOT_REWORDED = "Cut short, not reworded: plainer words take a language model that writes."
NO_TABLE = "No table of figures stands behind this answer."
WHOLE_LIST = "A list is told whole."


def reshaped(
    shape: Shape, sentences: Sequence[Sentence], figures: FigureAnswer | None, *, is_list: bool = False
) -> tuple[Told, str]:
    """The answer in ``shape``, and what to say where it stays as it was. ``is_list``: its sentences are the items of a list."""
    told = tuple(one for one in sentences if not one.is_detail)
    match shape:
        case "table":
            return _table(tuple(sentences), figures)
        case "sentence" | "plain" if is_list and len(told) > 1:
            return (tuple(sentences), figures), WHOLE_LIST
        case "sentence" | "plain":
            lead = told[:1] if figures is not None else _lead(told)
            bare = replace(figures, facts=(), table=None, calculation=None, plan=()) if figures is not None else None
            return (tuple(lead), bare), NOT_REWORDED if shape == "plain" else ""
        case "points" if figures is None:
            return (tuple(map(_point, told)), None), ""
        case "points":
            return (tuple(sentences), figures), ""
        case "same" | "currency":
            return (tuple(sentences), figures), CAN_BE


def _table(sentences: tuple[Sentence, ...], figures: FigureAnswer | None) -> tuple[Told, str]:
    if figures is not None:
        return (figures.sentences, replace(figures, table=figures.table or figures.whole)), ""
    tables = tuple(one for one in sentences if one.table is not None)
    return (tables or sentences, None), "" if tables else NO_TABLE


def _lead(told: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """The first sentence of the first paragraph, which answers best, with the points that it opens."""
    plain = [one for one in told if one.table is None]
    first = next((at for at, one in enumerate(plain) if not one.text.startswith(_BULLET)), 0)
    rest = plain[first + 1 :] if plain and plain[first].text.endswith(":") else []
    return (*plain[first : first + 1], *takewhile(lambda one: one.text.startswith(_BULLET), rest))


def _point(sentence: Sentence) -> Sentence:
    if sentence.table is not None or sentence.text.startswith(_BULLET):
        return sentence
    return replace(sentence, text=f"{_BULLET} {sentence.text}", opens="line")


def is_told_by_gaps(missing: str, figures: FigureAnswer | None) -> bool:
    """Whether the grid says of a company, cell by cell, what ``missing`` says: "Acme Corp. FY2021 (in the library: FY2013)"."""
    rows = figures.table["rows"] if figures is not None and figures.table else ()
    empty = {str(row["label"]).partition(JOINT)[0] for row in rows if any(cell.get("gap") for cell in row["cells"])}
    return any(missing.startswith(f"{company} FY") for company in empty)


_SEVERAL = 2
CLOSEST_FIGURE, CLOSEST_CALCULATION = "Closest figure found:", "Closest calculation found:"
_COMPUTED = {
    "share": "share",
    "ratio": "ratio",
    "margin": "margin",
    "per_unit": "figure per unit",
    "growth": "growth",
    "cagr": "CAGR",
    "difference": "difference",
    "average": "average",
    "product": "product",
}
"""Operations as a note names what was not computed."""


def is_closest(sentences: Sequence[Sentence]) -> bool:
    """Whether an answer tells no more than what comes closest to one."""
    return bool(sentences) and sentences[0].text.startswith((CLOSEST_FIGURE, CLOSEST_CALCULATION))


def notes_of(origin: str, draft: Draft, found: FigureAnswer | NoFigures | None) -> tuple[str, ...]:
    """What a user must know of the answer: how it came to be, what is left out of it, figures of ``found`` that come near."""
    understood, hits = draft.understood, draft.hits
    cited = {number for sentence in draft.sentences for number in sentence.citations}
    told = {passage.citation.filing for passage in draft.evidence.passages if passage.citation.id in cited}
    missing = [one for one in understood.target.missing if not is_told_by_gaps(one, draft.figures)]
    is_mixed = any(hit.filing.id in {filing.id for filing in understood.target.filings} for hit in hits.hits)
    is_of_latest = not is_mixed and any(filing.id in told for filing in understood.target.filings)
    of_others = hits.of_others if any(filing.id in told for filing in hits.others) and not is_of_latest else ""
    return (
        *filter(None, (origin, draft.note, draft.scale, uncomputed(understood.frame, draft.sentences), beyond_scope(understood))),
        *hits.notes,
        *filter(None, (of_others, _more_years(draft))),
        *(f"Not in the library: {one}." for one in missing),
        *_close(found),
    )


def scale_left_out(draft: Draft, scale_in: Callable[[str, Filing], int]) -> str:
    """That most amounts of the filings quoted for a figure are in millions, where they say so once for all; "" where none does.

    ``scale_in``: the scale that a sentence of a filing leaves out, 1 for none.
    """
    asked = draft.understood.target.filings if draft.understood.frame is not None and draft.understood.frame.is_figure else ()
    filings = {one.id: one for one in asked}
    sources = {one.citation.id: filings[one.citation.filing] for one in draft.evidence.passages if one.citation.filing in filings}
    told: dict[str, None] = {}
    for sentence in draft.sentences:
        filing = next((sources[number] for number in sentence.citations if number in sources), None)
        # What is told of figures is in full; only what it quotes is the filing's.
        quotes = [part.partition("”")[0] for part in sentence.text.split("“")[1:]]
        quoted = " ".join(quotes) if draft.figures is not None else sentence.text
        if filing is None or sentence.table is not None or (scale := SCALES.get(scale_in(quoted, filing), "")) == "":
            continue
        whose = f"{possessive(filing.company)} FY{label_of(filing)} filing"
        told[f"{whose} prints most dollar amounts in its text in {scale}s, without saying so each time."] = None
    return " ".join(told)


def beforehand(target: Target, figures: FigureAnswer | None) -> str:
    """That words on a year come from filings made before it, or after; "" where none do, or ``figures`` of the year are told."""
    if not target.beyond or figures is not None:
        return ""
    years = ", ".join(f"FY{year}" for year in target.beyond)
    is_later = bool(target.filings) and all(label_of(filing) > max(target.beyond) for filing in target.filings)
    told = "are from later filings" if is_later else "were written before"
    return f"Not in the library: {years}; the passages below {told}."


def of_whom(weak: str, draft: Draft) -> str:
    """``weak`` with the companies whose passages are told, where no company is named and those of several were looked through."""
    understood = draft.understood
    if not weak or understood.question.companies or len({one.company_key for one in understood.target.filings}) < _SEVERAL:
        return weak
    cited = {number for sentence in draft.sentences for number in sentence.citations}
    told = (one.citation for one in draft.evidence.passages if one.citation.id in cited)
    names = list(dict.fromkeys(spoken_name(one.company) for one in told if one.company))
    return f"{weak.removesuffix('.')}, from {', '.join(names)}." if names else weak


def _more_years(draft: Draft) -> str:
    understood = draft.understood
    is_open = understood.frame is not None and understood.frame.operation == "trend" and not understood.question.periods.past
    table = draft.figures.table if draft.figures is not None else None
    if not is_open or table is None or understood.question.periods.named:
        return ""
    keys = {filing.company_key for filing in understood.target.filings}
    held = in_scope(understood.held, understood.request.scope)
    return years_besides(table["columns"], [filing for filing in held if filing.company_key in keys])


def years_besides(columns: Sequence[str], filings: Sequence[Filing]) -> str:
    """Which years before those shown have filings: a trend is told over the last few where no years are named."""
    shown = [int(name[-4:]) for name in columns if name[-4:].isdigit()]
    earlier = {filing.fiscal_year for filing in filings if filing.fiscal_year and shown and filing.fiscal_year < min(shown)}
    if not earlier:
        return ""
    example = f"{min(shown) - 2} to {max(shown)}"
    return f"Filings of {fiscal_years(earlier)} are in the library, too: name the years to see more (“{example}”)."


def _close(found: FigureAnswer | NoFigures | None) -> tuple[str, ...]:
    """The figures between which a choice would have been a guess; that the filing has no statements to take one from."""
    if isinstance(found, NoFigures) and found.no_statements:
        return found.why[:1]
    return (f"{' '.join(found.why)} {'; '.join(found.close)}",) if isinstance(found, NoFigures) and found.close else ()


def uncomputed(frame: Frame | None, told: Sequence[Sentence]) -> str:
    """That what is asked was not computed, where a figure is told that only comes close; "" where it was, or nothing need be."""
    name = _COMPUTED.get(frame.operation) if frame is not None else None
    if name is None or not told or not told[0].text.startswith(CLOSEST_FIGURE):
        return ""
    return f"No {name} was computed: the figure above is one that comes closest to the question."
