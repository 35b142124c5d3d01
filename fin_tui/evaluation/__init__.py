"""Runs question sets through search and answer engine, scores each question, and writes what a judge needs.

``measures.py`` says what of a question is measured, ``report.py`` what is told of it, ``trial.py`` what a model is worth. A
heuristic can tell a figure from another, not whether an explanation has every point or whether a reader walks away with a false
belief. Nothing of what was measured goes to the judge: question, gold, and what the user sees.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal, TypedDict

import msgspec
from msgspec import Struct

from fin_tui.assets import sha256_of
from fin_tui.config import Mode, Settings
from fin_tui.engine.answering.answer import AnswerEngine, Request, tap
from fin_tui.engine.answering.compose import failed, not_held
from fin_tui.engine.answering.events import Event, EvidenceReady, Finished
from fin_tui.engine.evidence import Passage
from fin_tui.engine.models.machine import processor
from fin_tui.engine.questions.batch import scope_of
from fin_tui.engine.questions.companies import CompanyIndex
from fin_tui.engine.searching import Finder
from fin_tui.errors import FinTuiError, MissingAsset, NotFound, UsageError, said
from fin_tui.evaluation import measures
from fin_tui.evaluation.measures import DEEPEST, Gold, Place, Verdict, class_of, gold_of, judge, place_of
from fin_tui.evaluation.report import LEVEL, RESAMPLES, SEED, Head, Scored, Setting
from fin_tui.evaluation.sets import Row, plain, run_program, same_result
from fin_tui.facts.expression import CalculationError
from fin_tui.paths import Paths
from fin_tui.records import Answer, Citation, Filing, Hit, Scope, TableRecord
from fin_tui.retrieval.encoder import WEIGHT_FILES, Encoder, find_folder
from fin_tui.version import __version__


@dataclass(frozen=True, slots=True)
class Options:
    """How questions are asked. None means as in the settings."""

    mode: Mode | None = None
    rerank: bool | None = None
    use_model: bool = False


Witness = Callable[[Row, Answer, Sequence[Event]], None]


@dataclass(slots=True)
class Asked:
    """What came of one question."""

    answer: Answer
    events: list[Event] = field(default_factory=list)
    hits: tuple[Hit, ...] = ()
    ms: dict[str, float] = field(default_factory=dict)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Those that the answer came with."""
        return next((event.passages for event in self.events if isinstance(event, Finished)), ())


class Examiner:
    """Asks the questions of sets over one library and scores what comes."""

    def __init__(
        self,
        engine: AnswerEngine,
        finder: Finder,
        held: Sequence[Filing],
        options: Options,
        encoder: Encoder | None = None,
        witness: Witness | None = None,
    ) -> None:
        """``encoder`` measures how near an answer is to its question; without it that measure is absent.

        ``witness`` is told of each row what the user was shown. ``finder`` should not be the engine's own: what one has found the
        other would find faster.
        """
        self._engine = engine
        self._finder = finder
        self._held = tuple(held)
        self._by_id = {filing.id: filing for filing in held}
        self._companies = CompanyIndex(held)
        self._options = options
        self._encoder = encoder
        self._witness = witness

    def run(self, rows: Iterable[Row]) -> Iterator[Scored]:
        """Each row, asked within its scope; one that fails is an error in the report, not its end."""
        for row in rows:
            yield self._score(row) if row.asked else only_program(row)

    def _score(self, row: Row) -> Scored:
        asked, gold = self._ask(row), gold_of(row, self._held)
        answer = asked.answer
        if self._witness is not None:
            self._witness(row, answer, asked.events)
        shown = [place_of(passage, self._by_id) for passage in asked.passages]
        cited = self._cited(asked)
        found = [place_of(hit, self._by_id) for hit in asked.hits]
        wants_answer = row.expect != "refused"
        cites = any(gold.matched(place, lenient=True) for place in cited) if len(gold) else None
        verdict = judge(answer, row, cites_gold=cites)
        values: dict[str, float] = {}
        if wants_answer:
            is_figure = row.value is not None or answer.value is not None
            search = measures.Search(found, [hit.filing for hit in asked.hits], self._named(row, gold), is_figure)
            values |= measures.of_search(search, row, gold) | measures.of_shown(shown, gold)
        if wants_answer and answer.status == "answered":
            values |= measures.of_citations(cited, gold)
            if self._encoder is not None and (text := plain(answer.answer)):
                values["relevance"] = relevance(self._encoder, row.line.question, text)
        values |= measures.of_answer(answer, row, verdict)
        program, executed = _program(row)
        return Scored(
            id=row.line.id or "",
            kind=class_of(row),
            question=row.line.question,
            turn=row.line.turn,
            outcome=verdict.outcome,
            why=verdict.why,
            status=answer.status,
            refusal=answer.refusal.kind if answer.refusal else None,
            value=answer.value,
            unit=answer.unit,
            gold=row.value,
            rank=measures.ranking(found, gold, lenient=False).rank,
            rank_lenient=measures.ranking(found, gold, lenient=True).rank,
            strength=answer.retrieval.get("strength"),
            program=program,
            measures=values | executed,
            ms=asked.ms,
            answer=plain(answer.answer),
        )

    def _ask(self, row: Row) -> Asked:
        line, options = row.line, self._options
        try:
            scope = scope_of(line, self._held)
        except NotFound as error:
            return Asked(not_held(line.question, line.id, error))
        except FinTuiError as error:
            return Asked(failed(line.question, line.id, error.message, error.hint))
        request = Request(
            line.question, scope, DEEPEST, options.mode, options.rerank, options.use_model, id=line.id, history=line.history
        )
        started = time.perf_counter()
        events: list[Event] = []
        answer = tap(self._engine.stream(request), request, events.append)
        asked = Asked(answer, events, ms={"answer": _ms_since(started)})
        asked.hits, asked.ms["search"] = self._search(row, scope)
        return asked

    def _search(self, row: Row, scope: Scope) -> tuple[tuple[Hit, ...], float]:
        """The hits of ``search``, none where it fails, and its milliseconds."""
        line, options = row.line, self._options
        started = time.perf_counter()
        try:
            hits = self._finder.search(
                line.question, scope, k=DEEPEST, mode=options.mode, rerank=options.rerank, history=line.history
            ).hits
        except FinTuiError:  # counted: the answer of the same question tells the error
            hits = ()
        return hits, _ms_since(started)

    def _cited(self, asked: Asked) -> list[Place]:
        numbers = {number for sentence in asked.answer.sentences for number in sentence.citations}
        cited = [passage for passage in asked.passages if passage.citation.id in numbers]
        return [place_of(passage, self._by_id) for passage in cited]

    def _named(self, row: Row, gold: Gold) -> frozenset[str]:
        """The companies that the question names, its gold's with them; empty when it names none."""
        named = {key for company in self._companies.find(row.line.question) for key in company.keys}
        says = row.line.question.lower()
        if named or any(name and name.lower() in says for name in (row.company, row.ticker)):
            named |= {gold.company} - {""}
        return frozenset(named)


def relevance(encoder: Encoder, question: str, answer: str) -> float:
    """Cosine of a question and an answer in the library's own encoder, which has a query side and a passage side."""
    return round(float(encoder.encode_query(question) @ encoder.encode_passages([answer])[0]), 4)


def only_program(row: Row) -> Scored:
    """The score of a row whose evidence is given with it: what counts is the result of its program."""
    program, values = _program(row)
    right = values.get("program")
    verdict = Verdict("unjudged") if right is None else Verdict("right") if right else Verdict("wrong", program or "")
    return Scored(
        id=row.line.id or "",
        kind=row.kind or "all",
        question=row.line.question,
        outcome=verdict.outcome,
        why=verdict.why,
        program=program,
        measures=values,
    )


def _program(row: Row) -> tuple[str | None, dict[str, float]]:
    """What the row's program comes to, or why it comes to nothing, and whether that is the result given with it."""
    if not row.program:
        return None, {}
    try:
        result = run_program(row.program, row.table)
    except CalculationError as error:
        return error.message, {"program": 0.0}
    text = result if isinstance(result, str) else format(round(result, 5).normalize(), "f")
    return text, {} if row.executed is None else {"program": float(same_result(result, row.executed))}


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)


FULL = 2
GOLD = ("answer", "must", "decides", "value", "unit", "tolerance", "accept", "working", "reason", "evidence", "filing", "refusal")
_HINT = 'Such as {"id": "q1", "grade": 2, "misleads": false}: 0 wrong, 1 in part, 2 full.'


class Grade(Struct, frozen=True):
    """What a judge says of one answer."""

    id: str
    grade: Literal[0, 1, 2]
    """2 full, 1 in part, 0 neither."""
    misleads: bool
    """The reader walks away with a false belief."""


class Cited(TypedDict):
    """A quote that the judge reads."""

    n: int
    company: str
    form: str
    fiscal_year: int | None
    period_end: str | None
    page: str | int
    heading: str
    quote: str


class Seen(TypedDict):
    """What a reader saw of an answer."""

    printed: str
    status: str
    answer: str
    value: float | None
    unit: str | None
    table: str
    refusal: dict[str, str] | None
    notes: list[str]
    cited: list[Cited]


class Case(TypedDict):
    """A line for the judge."""

    id: str | None
    set: str
    kind: str
    question: str
    earlier: list[str]
    """The questions before it in its conversation."""
    gold: Mapping[str, object]
    """Those keys of the row that say what is right."""
    seen: Seen


def case(name: str, row: Row, answer: Answer, events: Sequence[Event], printed: str) -> Case:
    """One line for the judge; ``name`` is the set's, ``printed`` what ``fin-tui ask`` prints."""
    cards = [event for event in events if isinstance(event, EvidenceReady)]
    notes = [note for card in cards[-1:] for note in (card.caution, *card.notes) if note]
    return {
        "id": row.line.id,
        "set": name,
        "kind": row.kind,
        "question": row.line.question,
        "earlier": list(row.line.history),
        "gold": {key: row.line.raw[key] for key in GOLD if key in row.line.raw},
        "seen": {
            "printed": printed,
            "status": answer.status,
            "answer": answer.answer,
            "value": answer.value,
            "unit": answer.unit,
            "table": _table(answer.table),
            "refusal": {"kind": answer.refusal.kind, "message": answer.refusal.message} if answer.refusal else None,
            "notes": notes,
            "cited": [_cited(citation) for citation in answer.citations],
        },
    }


def _table(table: TableRecord | None) -> str:
    if table is None:
        return ""
    rows = [
        ["", *table["columns"]],
        *([row["label"], *(cell.get("display") or "–" for cell in row["cells"])] for row in table["rows"]),
    ]
    return "\n".join(" | ".join(map(str, row)) for row in rows)


def _cited(citation: Citation) -> Cited:
    return {
        "n": citation.id,
        "company": citation.company,
        "form": citation.form,
        "fiscal_year": citation.fiscal_year,
        "period_end": citation.period_end,
        "page": citation.page_label or citation.page,
        "heading": citation.heading,
        "quote": citation.quote,
    }


def read_grades(file: Path) -> dict[str, Grade]:
    """Grades by id. Raises ``UsageError`` naming the line of what is none, or of a second one for the same id."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {said(error)}", _HINT) from error
    grades: dict[str, Grade] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            grade = msgspec.json.decode(line, type=Grade)
        except msgspec.DecodeError as error:
            raise UsageError(f"{file}, line {number}: not a grade ({error})", _HINT) from error
        if grade.id in grades:
            raise UsageError(f"{file}, line {number}: {grade.id} is graded twice.", "Keep one line an id.")
        grades[grade.id] = grade
    return grades


def graded(sets: Mapping[str, Sequence[Scored]], grades: Mapping[str, Grade]) -> dict[str, list[Scored]]:
    """The questions with the measures "full" and "misleads" where a grade says so. Raises ``UsageError`` when none is graded."""
    if not any(row.id in grades for rows in sets.values() for row in rows):
        raise UsageError("The grades are of none of these questions.", "They are joined by id.")
    return {name: [_graded(row, grades.get(row.id)) for row in rows] for name, rows in sets.items()}


def _graded(row: Scored, grade: Grade | None) -> Scored:
    if grade is None:
        return row
    given = {"full": float(grade.grade == FULL), "misleads": float(grade.misleads)}
    return msgspec.structs.replace(row, measures=row.measures | given)


PACKAGES = (
    "llama-cpp-python", "onnxruntime", "tokenizers", "sentence-transformers", "torch", "hnswlib", "bm25s",
    "selectolax", "pypdfium2", "numpy", "scipy",
)  # fmt: skip

SECTIONS = ("chunking", "encoder", "search", "model")
"""What bears on the figures. The others hold names and addresses, which a report that is passed on must not."""


def head(paths: Paths, settings: Settings, held: Sequence[Filing], *, model: Path | None, asked: Mapping[str, Setting]) -> Head:
    """Everything that a later run must share to be compared; ``model`` is the language model's file, when one was used.

    ``asked`` tells what the command line set over the settings.
    """
    return {
        "made": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "fin_tui": __version__,
        "cpu": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "weights": weights(paths, settings, model),
        "settings": {section: msgspec.to_builtins(getattr(settings, section)) for section in SECTIONS},
        "asked": dict(asked),
        "library": {
            "filings": len(held),
            "chunks": sum(filing.chunks for filing in held),
            "embedded": sum(filing.embedded for filing in held),
            "facts": sum(filing.facts for filing in held),
        },
        "intervals": {"level": LEVEL, "resamples": RESAMPLES, "seed": SEED},
    }


def weights(paths: Paths, settings: Settings, model: Path | None) -> dict[str, str | None]:
    """SHA-256 of the weights in use by role; None where they are not there."""
    try:
        folder = find_folder(settings.encoder.model, paths)
    except MissingAsset:
        encoder = None
    else:
        encoder = next((folder / name for name in WEIGHT_FILES[settings.encoder.kind] if (folder / name).is_file()), None)
    with as_file(files("fin_tui.retrieval").joinpath("cross_encoder_weights", "model.onnx")) as cross_encoder:
        used = {"encoder": encoder, "cross-encoder": cross_encoder, "model": model}
        return {role: sha256_of(file) if file else None for role, file in used.items()}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
