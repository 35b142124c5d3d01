"""When there is no answer to give, of which kind, what the library does hold, and which filings EDGAR may have (pure).

Nothing is fetched here: what misses is named with the command that brings it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.evidence.extract import extract
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.frame.reader import SIDE_BY_SIDE, Frame
from fin_tui.engine.questions.companies import not_held
from fin_tui.engine.questions.periods import speaks_of_quarters
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.target import Target, covering, is_future, label_of, long_before, of_year
from fin_tui.engine.questions.understanding import Understanding, limit_of
from fin_tui.engine.questions.wanted import Reading
from fin_tui.engine.searching.find import is_enough
from fin_tui.facts.words import spoken_name
from fin_tui.records import Filing, Refusal

_KINDS = frozenset({"not_in_library", "period_not_covered"})
_MOST_YEARS = 6
_BEST = 2


@dataclass(frozen=True, slots=True)
class Missing:
    """Filings of one company that are not held."""

    company: str
    """Ticker or CIK where a filing of it is held, else the name as the question has it."""
    years: tuple[int, ...] = ()
    """Fiscal years; empty: its latest."""

    @property
    def command(self) -> str:
        """What a user types to bring them."""
        return " ".join(["fin-tui fetch", shlex.quote(self.company), *(f"--year {year}" for year in self.years)])


def missing_filings(question: Question, held: Sequence[Filing]) -> tuple[Missing, ...]:
    """What ``question`` names and ``held`` lacks: years of companies that are held, else a company that is not."""
    years = tuple(sorted({*question.periods.years, *(date.year for date in question.periods.dates)}))[-_MOST_YEARS:]
    found = []
    for named in question.companies:
        own = [filing for filing in held if filing.company_key in named.keys]
        lacking = tuple(year for year in years if not of_year(own, year) and not covering(own, year))
        if own and lacking:
            found.append(Missing(own[0].ticker or own[0].cik.lstrip("0") or own[0].company, lacking))
    if not question.companies and question.unknown:
        found.append(Missing(question.unknown[0], years))
    return tuple(found)


def with_fetch(refusal: Refusal | None, question: Question, held: Sequence[Filing]) -> Refusal | None:
    """``refusal`` with the command that would bring what it misses, where it is of a kind that a fetch can mend."""
    if refusal is None or refusal.kind not in _KINDS:
        return refusal
    missing = missing_filings(question, held)
    return replace(refusal, fetch=missing[0].command) if missing else refusal


_STATED = frozenset(("none", "name", "date"))
"""Answers that are one name or date, which a filing may leave out as it may a figure."""
OF_HELD = frozenset(("period_not_covered", "not_in_library"))
"""Kinds that say what is not held within the scope."""
_NO_OUTCOME = "No filing in the library states an outcome after its own period."
_BESIDE = 0.9
"""Probability from which a question that names a company held is beside what filings tell."""


def refuse_question(
    question: Question, target: Target, held: Sequence[Filing], frame: Frame | None, *, is_product: bool
) -> Refusal | None:
    """A refusal that the question alone, and what is held, call for.

    ``is_product`` says that the unknown names stand in the filings' text.
    """
    sure = frame.sure["refusal"] if frame is not None else 0.0
    match frame.refusal if frame is not None else "":
        case "off_topic" | "private" if question.companies and sure < _BESIDE:
            pass  # Of a company that is held, the filings themselves say whether they tell it.
        case "off_topic" | "injection" | "private":
            return Refusal("off_topic", f"That is not a question about a company's filing. {_holds(held)}")
        case "advice":
            return Refusal("advice", "fin-tui reports what filings say and gives no advice to buy, sell or hold.")
        case "forecast" if frame is not None and _is_reported(frame, question, target, held):
            pass
        case "forecast":
            return Refusal("forecast", f"{_NO_OUTCOME} {_holds(held, question)}")
    if frame is not None and frame.operation == "convert" and frame.sure["operation"] >= _BESIDE and frame.left_over:
        return refuse_rates()
    if target.future and not target.filings:
        return Refusal("forecast", f"{_NO_OUTCOME} {_holds(held, question)}")
    compares = frame is not None and frame.operation in SIDE_BY_SIDE
    if question.unknown and not is_product and (compares or not question.companies):
        return Refusal("not_in_library", f"{not_held(question.unknown[0])} {_holds(held)}")
    if target.missing and not target.filings:
        return Refusal("period_not_covered", f"Not in the library: {'; '.join(target.missing)}.")
    if not target.filings:
        return Refusal("not_in_library", f"No filing in the library is within this scope. {_holds(held, question)}")
    return None


def refuse_rates() -> Refusal:
    """A refusal to give amounts in another currency."""
    return Refusal("not_disclosed", "No exchange rates are in the library: figures stay in the filing's own currency.")


def refuse_unread(understood: Understanding) -> Refusal:
    """A refusal of words that no one knows, which would else be searched with the question before them."""
    return Refusal("off_topic", f"“{understood.request.question.strip()}” was not understood. {_holds(understood.held)}")


def _is_reported(frame: Frame, question: Question, target: Target, held: Sequence[Filing]) -> bool:
    """A figure is asked for by name, of years that the filings found have reported: none of it lies ahead."""
    newest = max((filing.fiscal_year or 0 for filing in held if filing in target.filings), default=0)
    years = question.periods.years
    return frame.is_figure and bool(frame.targets and years) and not (target.missing or target.beyond) and max(years) <= newest


def refuse_scope(understood: Understanding) -> Refusal | None:
    """A refusal to tell of a company in scope where a figure of just others is asked for, or how they do, and the library holds
    them.
    """
    outside, named = understood.outside, [one for one in understood.question.companies if one.start >= 0]
    frame = understood.frame
    if not outside or len(outside) < len(named) or frame is None:
        return None
    if not frame.is_figure and (frame.answer != "none" or frame.targets or frame.parts or frame.left_over):
        return None  # What the filings in scope say of another company.
    return Refusal("out_of_scope", f"{beyond_scope(understood)} {_both(understood)}")


def beyond_scope(understood: Understanding) -> str:
    """ "The question names Visa; the scope is limited to Mastercard."; "" where the scope leaves out none that it names."""
    if not understood.outside:
        return ""
    names = " and ".join(map(spoken_name, understood.outside))
    return f"The question names {names}; the scope is limited to {limit_of(understood)}."


def _both(understood: Understanding) -> str:
    outside = " and ".join(map(spoken_name, understood.outside))
    return f"Ask about {outside} without this scope, or name {limit_of(understood)} in the question."


def refuse_evidence(
    understood: Understanding, evidence: Evidence, figures: FigureAnswer | NoFigures | None, similarity: float | None
) -> Refusal | None:
    """A refusal because neither figures nor the evidence found bear on the question; the nearest passages go with it.

    ``similarity`` is the cosine of the passage nearest in meaning, None without vectors.
    """
    question, target, held = understood.question, understood.target, understood.held

    def refused(kind: str, message: str) -> Refusal:
        return Refusal(kind, message, tuple(passage.citation for passage in extract(evidence)[1].passages[:3]))

    wants_figure = understood.frame is None or understood.frame.is_figure or understood.frame.answer in _STATED
    is_carried_in_words = not wants_figure and not set(target.beyond) & set(question.dated)
    # A later filing states the figure of a year, where it does, among others: without it none of its words tell of that year.
    is_long_before = wants_figure and bool(target.filings) and max(target.beyond, default=0) < min(map(label_of, target.filings))
    if target.beyond and not is_carried_in_words and (is_long_before or not _names(target.beyond, evidence)):
        if long_before(target.filings, target.beyond) and is_future(target.beyond, held):
            return refused("forecast", f"{_NO_OUTCOME} {_holds(held, question)}")
        near = ", ".join(f"FY{filing.fiscal_year}" for filing in target.filings)
        asked = ", ".join(f"FY{year}" for year in target.beyond)
        return refused("period_not_covered", f"Not in the library: {asked} (nearest: {near}).")
    if isinstance(figures, NoFigures):
        if figures.is_period and not target.beyond and not _asks_part(understood.reading):
            return refused("period_not_covered", f"{figures.why[0]} {_holds(held, question)}")
        is_of_year = not question.periods.months  # No statement is of a month.
        if figures.no_statements and wants_figure and is_of_year and not _asks_part(understood.reading):
            return refused("not_disclosed", f"No exact figure found in {target.label}. {figures.why[0]}")
        if figures.of_quarter and wants_figure and not _speaks_of_quarters(evidence):
            return refuse_untold(understood, evidence, figures)
    # How strong evidence is was fitted on questions by themselves: what two together say of a passage tells no more than order.
    is_carried = understood.frame is not None and understood.frame.carried is not None
    is_shown = (bool(question.items) or is_carried) and bool(evidence.passages)
    if is_shown or is_enough(evidence, similarity):
        return None
    return refuse_untold(understood, evidence, figures)


def refuse_untold(understood: Understanding, evidence: Evidence, figures: FigureAnswer | NoFigures | None) -> Refusal:
    """A refusal because no words of the evidence can be told; the nearest passages go with it."""
    what = "figure" if isinstance(figures, NoFigures) else "answer"
    nearest = tuple(passage.citation for passage in extract(evidence)[1].passages[:3])
    return Refusal("not_disclosed", f"No exact {what} found in {understood.target.label}; closest passages below.", nearest)


def _names(years: Sequence[int], evidence: Evidence) -> bool:
    """Whether a sentence of the evidence names one of the years."""
    return any(str(year) in focus.text for focus in evidence.focuses for year in years)


def _speaks_of_quarters(evidence: Evidence) -> bool:
    """Whether the best paragraphs of the evidence tell of a part of a year."""
    return any(speaks_of_quarters(one.near.paragraph.text) for one in evidence.paragraphs[:_BEST])


def _asks_part(reading: Reading | None) -> bool:
    """Words are left over: "payments due after 2028" is no figure of fiscal 2028."""
    return reading is not None and any(item.phrase for item in reading.items.values())


def _holds(held: Sequence[Filing], question: Question | None = None) -> str:
    """What the library has: of the companies that the question names their years, else some of all companies."""
    if not held:
        return "The library is empty: add a filing with `fin-tui add FILE`, or the samples with `fin-tui setup`."
    named = {key for one in question.companies for key in one.keys} if question is not None else set()
    own = [filing for filing in held if filing.company_key in named]
    if own:
        years: dict[str, list[str]] = {}
        for filing in sorted(own, key=lambda one: one.fiscal_year or 0):
            years.setdefault(spoken_name(filing.company), []).append(
                f"FY{filing.fiscal_year}" if filing.fiscal_year else filing.form
            )
        told = "; ".join(" ".join((name, ", ".join(of))) for name, of in years.items())
        return f"The library holds {told}."
    newest = {filing.company_key: filing.company for filing in sorted(held, key=lambda one: one.fiscal_year or 0)}
    names = sorted(newest.values(), key=str.lower)  # A company that changed its name is one.
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"The library holds {shown}."
