"""Where the time goes from a question to its evidence card, stage by stage; and whether its answer stays the same.

    FIN_TUI_CORPUS=DIR python -m benchmarks.stages [--home DIR] [--parts training] [--split development] [--most N]
                                                   [--answers FILE] [--against FILE] [--json]

Asks the calculations of a split and the parts of the natural questions that may be looked at, each once, shuffled, without a
language model. A stage's time is its own, without that of the stages it calls, and so is its time on the processor, which other
work on the machine moves less. ``--answers`` keeps what was answered, with no deadline for the cross-encoder; ``--against``
compares with what was kept before.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.command import parser
from benchmarks.questions import corpus
from fin_tui.config import Settings, load_settings
from fin_tui.engine.answering.answer import AnswerEngine
from fin_tui.engine.answering.events import EvidenceReady, Failed, Finished, Refused
from fin_tui.engine.evidence.paragraphs import Outlines
from fin_tui.engine.figures import framed
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.rank.filing_rows import RowBook
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.engine.searching import Finder
from fin_tui.engine.services import Services, open_services
from fin_tui.evaluation.measures import close, grams
from fin_tui.facts.lookup import FactBook
from fin_tui.paths import find_home
from fin_tui.retrieval.rerank import CrossEncoder
from fin_tui.retrieval.retriever import Retriever
from fin_tui.retrieval.shared_encoder import SharedEncoder

_DATA = Path(__file__).resolve().parent.parent / "training" / "data"
_STAGES: tuple[tuple[Any, str, str], ...] = (
    (AnswerEngine, "understand", "question read"),
    (AnswerEngine, "refuse", "refusals"),
    (AnswerEngine, "look_up", "figures, else"),
    (framed, "filled", "readings filled"),
    (Ranker, "rank", "ranking, else"),
    (Ranker, "shortlist", "shortlist"),
    (RowBook, "of", "rows of a filing"),
    (RowBook, "sentences", "numbers in sentences"),
    (SharedEncoder, "states", "shared encoder"),
    (CrossEncoder, "read", "cross-encoder"),
    (FactBook, "figure", "figures by tags"),
    (FactBook, "dimensioned", "figures by tags"),
    (Finder, "passages_of", "passages for figures"),
    (AnswerEngine, "_outline", "structure"),
    (AnswerEngine, "retrieve", "passages for the card"),
    (AnswerEngine, "evidence", "paragraphs"),
    (Outlines, "_outline", "outline of a filing"),
    (Retriever, "search", "searches"),
    (Retriever, "judge", "paragraphs read"),
    (AnswerEngine, "_with_closest", "closest, else"),
    (AnswerEngine, "_draft", "put together"),
)
"""What is measured: where it stands, its name, the stage that it is."""
_WHOLE = "whole"
_IN_WORDS = ("words", "list", "yesno")
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """One question to ask."""

    id: str
    question: str
    history: tuple[str, ...] = ()
    gold: tuple[float, ...] = ()
    tolerance: float = 0.005
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What was answered."""

    id: str
    status: str
    value: float | None
    caution: str
    text: str
    is_right: bool | None
    """Whether the value is the gold one; None without gold, or without a value."""
    held: float | None
    """How much of the gold words the answer tells, by runs of four; None without gold words."""

    def is_as(self, other: Told) -> bool:
        """Whether a reader sees the same figure, or the same words where there is none."""
        if self.value is None or other.value is None:
            return (self.status, self.value, self.text) == (other.status, other.value, other.text)
        same = abs(self.value - other.value) <= _SAME * max(abs(self.value), 1.0)
        return same and (self.status, self.caution) == (other.status, other.caution)


@dataclass(slots=True)
class Clock:
    """Time by stage, each without that of the stages within it: (seconds, seconds on the processor)."""

    spent: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))
    calls: Counter[str] = field(default_factory=Counter)
    _inner: list[list[float]] = field(default_factory=list)

    def wrapped(self, stage: str, of: Callable[..., Any]) -> Callable[..., Any]:
        """``of`` with its time counted."""

        @wraps(of)
        def timed(*given: Any, **named: Any) -> Any:
            with self.counting(stage):
                return of(*given, **named)

        return timed

    @contextmanager
    def counting(self, stage: str) -> Iterator[None]:
        """What happens within is of ``stage``."""
        self._inner.append([0.0, 0.0])
        began = (time.perf_counter(), time.process_time())
        try:
            yield
        finally:
            took = [time.perf_counter() - began[0], time.process_time() - began[1]]
            inner = self._inner.pop()
            for at in (0, 1):
                self.spent[stage][at] += took[at] - inner[at]
                if self._inner:
                    self._inner[-1][at] += took[at]
            self.calls[stage] += 1


def questions(parts: Sequence[str], split: str, most: int) -> list[Row]:
    """What is asked, shuffled alike every time."""
    ids = json.loads((_DATA / "natural_parts.json").read_text(encoding="utf-8"))["parts"]
    if "aside" in parts:
        raise SystemExit("The aside part is not to be looked at.")
    chosen = {one for part in parts for one in ids[part]}
    rows = []
    for row in _lines(corpus() / "qa" / "natural.jsonl"):
        if row["id"] in chosen:
            turns = row.get("turns", [row])
            said = [turn["question"] for turn in turns]
            rows += [_row(f"{row['id']}/{at}", turn, tuple(said[:at])) for at, turn in enumerate(turns)]
    asked = [row for row in _lines(_DATA / "calculations.jsonl") if split in (row["split"], "all")]
    rows += [_row(f"calculation-{at}", row, ()) for at, row in enumerate(asked)]
    random.Random(1).shuffle(rows)
    return rows[:most]


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def _row(name: str, row: Mapping[str, Any], history: tuple[str, ...]) -> Row:
    gold = () if row.get("value") is None else (row["value"], *row.get("accept", ()))
    evidence = tuple(row.get("evidence", ())) if row.get("kind") in _IN_WORDS else ()
    return Row(name, row["question"], history, tuple(map(float, gold)), row.get("tolerance", 0.005), evidence)


def ask(services: Services, row: Row, clock: Clock) -> tuple[Told, float]:
    """The answer, and the milliseconds to its evidence card, or to its refusal."""
    began, shown = time.perf_counter(), 0.0
    told = Told(row.id, "error", None, "", "", None, None)
    stream = services.engine.stream(Request(row.question, use_model=False, history=row.history))
    with clock.counting(_WHOLE):
        for event in stream:
            match event:
                case EvidenceReady() | Refused():
                    shown = shown or time.perf_counter() - began
                case Finished(answer=answer):
                    text = answer.answer if answer.refusal is None else answer.refusal.message
                    right, held = _is_right(answer.value, row), _held(answer.answer, row)
                    told = Told(row.id, answer.status, answer.value, answer.caution, text, right, held)
                case Failed():
                    pass
    return told, (shown or time.perf_counter() - began) * 1000


def _is_right(value: float | None, row: Row) -> bool | None:
    if value is None or not row.gold:
        return None
    return any(close(abs(value), abs(gold) * scale, row.tolerance + 0.001) for gold in row.gold for scale in (1.0, 100.0, 0.01))


def _held(answer: str, row: Row) -> float | None:
    gold = grams(" ".join(row.evidence))
    return len(gold & grams(answer)) / len(gold) if gold else None


def run(home: Path | None, rows: Sequence[Row], *, in_time: bool) -> tuple[dict[str, Any], list[Told]]:
    """Figures in milliseconds, and the answers; ``in_time``: with the cross-encoder's deadline as it is set."""
    paths = find_home(home)
    settings = load_settings(paths.settings)
    told, spent, stages = [], [], []
    clock = Clock()
    with (
        _measured(clock),
        open_services(paths, settings if in_time else _unhurried(settings), with_model=False) as services,
    ):
        list(services.warm_up())
        for row in rows:
            clock.spent.clear()
            clock.calls.clear()
            one, ms = ask(services, row, clock)
            told.append(one)
            spent.append(ms)
            stages.append((dict(clock.spent), Counter(clock.calls)))
        held = len(services.library.filings())
    return {"filings": held, "questions": len(rows), "ms": _summary(spent), "stages": _of_stages(stages)}, told


def _unhurried(settings: Settings) -> Settings:
    return replace(settings, search=replace(settings.search, rerank_deadline_ms=60_000))


@contextmanager
def _measured(clock: Clock) -> Iterator[None]:
    """All stages with their time counted."""
    plain = [(where, name, getattr(where, name)) for where, name, _ in _STAGES]
    for (where, name, stage), (_, _, of) in zip(_STAGES, plain, strict=True):
        setattr(where, name, clock.wrapped(stage, of))
    try:
        yield
    finally:
        for where, name, of in plain:
            setattr(where, name, of)


def _summary(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    last = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {"mean": round(statistics.fmean(ordered), 1), "p50": round(statistics.median(ordered), 1), "p95": round(last, 1)}


def _of_stages(asked: Sequence[tuple[Mapping[str, Sequence[float]], Counter[str]]]) -> dict[str, dict[str, float]]:
    found = {}
    for name in dict.fromkeys(name for spent, _ in asked for name in spent):
        values = [spent[name][0] * 1000 if name in spent else 0.0 for spent, _ in asked]
        cpu = statistics.fmean(spent[name][1] * 1000 if name in spent else 0.0 for spent, _ in asked)
        calls = statistics.fmean(calls[name] for _, calls in asked)
        found[name] = {**_summary(values), "cpu": round(cpu, 1), "calls": round(calls, 1)}
    return dict(sorted(found.items(), key=lambda one: -one[1]["mean"]))


def compared(before: Sequence[Told], after: Sequence[Told]) -> list[str]:
    """How many answers stayed the same, and of the others how many were right before and are now."""
    known = {one.id: one for one in before}
    pairs = [(known[one.id], one) for one in after if one.id in known]
    changed = [(old, new) for old, new in pairs if not old.is_as(new)]
    lines = [f"{len(pairs) - len(changed)} of {len(pairs)} answers the same"]
    for name, side in (("before", [old for old, _ in pairs]), ("now", [new for _, new in pairs])):
        counts = Counter(one.is_right for one in side)
        told = statistics.fmean(one.held or 0.0 for one in side if one.held is not None)
        lines.append(f"{name}: {counts[True]} values right, {counts[False]} wrong; of the gold words {told:.3f} told")
    return [*lines, *(f"{new.id}: {_brief(old)} -> {_brief(new)}" for old, new in changed)]


def _brief(one: Told) -> str:
    right = {True: "right", False: "wrong", None: "-"}[one.is_right]
    return f"{one.status} {one.value} ({right}) {'' if one.held is None else round(one.held, 2)} {one.text[:50]!r}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--parts", default="training")
    options.add_argument("--split", default="development")
    options.add_argument("--most", type=int, default=10_000)
    options.add_argument("--answers", type=Path)
    options.add_argument("--against", type=Path)
    given = options.parse_args()
    rows = questions(given.parts.split(","), given.split, given.most)
    figures, told = run(given.home, rows, in_time=given.answers is None and given.against is None)
    if given.answers is not None:
        given.answers.write_text("".join(json.dumps(asdict(one)) + "\n" for one in told), encoding="utf-8")
    if given.json:
        print(json.dumps(figures))
        return
    print(f"{figures['questions']} questions over {figures['filings']} filings, ms to the evidence card: {figures['ms']}")
    for name, one in figures["stages"].items():
        print(f"{name:<26} mean {one['mean']:>7}  p95 {one['p95']:>7}  cpu {one['cpu']:>7}  calls {one['calls']:>6}")
    if given.against is not None:
        print("\n".join(compared([Told(**row) for row in _lines(given.against)], told)))


if __name__ == "__main__":
    main()
