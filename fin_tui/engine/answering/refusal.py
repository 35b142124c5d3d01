"""When there is no answer to give, of which kind, and what the library does hold (pure).

Kinds in order of precedence: off_topic, advice, forecast, not_in_library, period_not_covered, not_disclosed, weak_evidence. Rules
on the question come first; how much of it the best passage covers decides the last two. A language model has no say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fin_tui.engine.answering.uncounted import is_uncounted
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.target import Target
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Reading
from fin_tui.engine.searching.strength import is_enough
from fin_tui.records import Filing, Refusal
from fin_tui.retrieval.tokens import tokenize, tokenize_query

_STEERING = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your|the)\b"
    r".{0,20}\b(?:instruction|prompt|rule|message)"
    r"|\bsystem prompt\b"
    r"|\b(?:pretend|act|role-?play)\b.{0,12}\b(?:to be|as|you are)\b|\byour (?:instructions|prompt|rules)\b|\bjailbreak\b",
    re.I,
)
_CHORES = re.compile(
    r"^\s*(?:please\s+)?(?:can you\s+|could you\s+)?(?:write|compose|sing|draw|translate|tell)\b(?:\s+me)?.{0,25}"
    r"\b(?:poem|song|joke|story|haiku|essay|limerick|novel|lyrics|code|script|function|recipe|email)\b",
    re.I,
)
_ADVICE = re.compile(
    r"\bshould (?:i|we|one|investors?)\b.{0,40}\b(?:buy|sell|hold|invest|short|own|avoid)\b"
    r"|\b(?:would|do|can) you\b.{0,20}\b(?:recommend|advise|suggest)\b"
    r"|\b(?:better|best|good|great|safe|bad|worthwhile|attractive)\s+(?:long-term\s+)?(?:investment|buy|stock to)\b"
    r"|\b(?:under|over)valued\b|\b(?:worth|time)\s+(?:buying|selling|to buy|to sell|investing)\b"
    r"|\b(?:safe|good|right)\s+(?:company|bet|place|choice)\b.{0,30}\b(?:my|our)\s+(?:pension|savings|money|portfolio|retirement)\b"
    r"|\b(?:put|place|park)\s+(?:my|our)\s+(?:pension|savings|money|portfolio|retirement)\b"
    r"|\b(?:price target|target price|fair value of the stock)\b"
    r"|\bis (?:it|now)\b.{0,20}\b(?:buy|sell)\b",
    re.I,
)
_FORECAST = re.compile(
    r"^\s*(?:please\s+|can you\s+|could you\s+)?(?:predict|forecast|project|guess)\b"
    r"|\b(?:stock|share)\s+price\s+(?:forecast|prediction|outlook|target)|\bforecast\b.{0,20}\b(?:stock|share) price\b"
    r"|\bwhat\s+(?:stock\s+|share\s+)?(?:price|value|level)\b.{0,30}\bwill\b"
    r"|\bwill\b.{0,60}\b(?:stock|share price|shares)\b.{0,20}\b(?:rise|fall|trade|go|reach|hit|be worth)\b"
    r"|^\W*who\s+(?:will|is\s+going\s+to)\s+(?:be|become|succeed|replace|lead|run)\b"
    r"|\bwhat will\b.{0,80}\b(?:be|reach|total|amount)\b.{0,20}\b(?:in|by|next|for|at)\b",
    re.I,
)
_FILING_SAYS = re.compile(
    r"\b(?:does|do|did|has|have)\b.{0,60}\b(?:predict|forecast|expect|anticipate|project|say|state|"
    r"disclose|use|mention|recommend|estimate|guide|plan)",
    re.I,
)
_DOMAIN = re.compile(
    r"\b(?:compan(?:y|ies)|filings?|10-?k|annual report|revenue|sales|income|earnings|"
    r"profit|margin|cash|debt|assets?|liabilit|equity|shares?|"
    r"stock|"
    r"dividend|risk|segment|tax|lease|expense|cost|fiscal|item \d|shareholders?|auditor|board|director|officer|employees?|"
    r"competition|"
    r"competitors?|products?|customers?|business|market|inventor|goodwill|acquisition|patent|litigation|legal|lawsuit|sued?\b|settle|court|regulat|quarter|register|"
    r"registrant|properties|operations?|capital (?:expend|structure|return|resource)|working capital|invest|financ)",
    re.I,
)
SURE_PARAGRAPH = 0.0
"""Logit of a paragraph that answers, whatever words it has."""
WEAK_SENTENCE = 0.35
"""Share of the words in one sentence, where a figure is asked for that neither the vocabulary nor a row label knows."""


def refuse_question(question: Question, target: Target, held: Sequence[Filing], *, is_product: bool) -> Refusal | None:
    """A refusal that the question alone, and what is held, call for.

    ``is_product`` says that the unknown names stand in the filings' text.
    """
    text = question.text
    if _STEERING.search(text) or _CHORES.search(text):
        return Refusal("off_topic", f"That is not a question about a company's filing. {_holds(held)}")
    says = _FILING_SAYS.search(text)
    if _ADVICE.search(_without_names(question)) and not (says and question.companies and not re.search(r"\byou\b", text, re.I)):
        return Refusal("advice", "fin-tui reports what filings say and gives no advice to buy, sell or hold.")
    if (_FORECAST.search(text) and not says) or (target.future and not target.filings):
        return Refusal("forecast", f"No filing in the library states an outcome after its own period. {_holds(held)}")
    if question.unknown and not question.companies and not is_product and _DOMAIN.search(text):
        return Refusal("not_in_library", f"No filing of {question.unknown[0]} is in the library. {_holds(held)}")
    if target.missing and not target.filings:
        return Refusal("period_not_covered", f"Not in the library: {'; '.join(target.missing)}.")
    if not target.filings:
        return Refusal("not_in_library", f"No filing in the library is within this scope. {_holds(held)}")
    return None


def _without_names(question: Question) -> str:
    """The question with the companies' names blanked: "Best Buy" is no advice."""
    text = question.text
    for named in question.companies:
        if named.start >= 0:
            text = text[: named.start] + " " * (named.end - named.start) + text[named.end :]
    return text


def refuse_evidence(
    understood: Understanding, evidence: Evidence, figures: FigureAnswer | NoFigures | None, similarity: float | None
) -> Refusal | None:
    """A refusal because neither figures nor the evidence found bear on the question; the nearest passages go with it.

    ``similarity`` is the cosine of the passage nearest in meaning, None without vectors.
    """
    question, target, held = understood.question, understood.target, understood.held
    nearest = tuple(passage.citation for passage in evidence.passages[:3])
    if understood.reading is not None and not isinstance(figures, FigureAnswer):
        owner = next((name for name in question.unknown if _owns(name, question.text)), "")
        if owner and _asks_metric(understood.reading):
            return Refusal("not_in_library", f"No filing of {owner} is in the library. {_holds(held)}", nearest)
        is_elsewhere = (
            question.unknown and not _is_explained(question, evidence) and not question.companies and len(target.filings) > 1
        )
        if is_elsewhere and not _asks_metric(understood.reading) and not _DOMAIN.search(question.text):
            return Refusal("off_topic", f"That is not a question about a company's filing. {_holds(held)}", nearest)
    if isinstance(figures, NoFigures):
        if figures.is_period and not _asks_part(understood.reading):
            return Refusal("period_not_covered", f"{figures.why[0]} {_holds(held)}", nearest)
        if figures.of_quarter:
            return Refusal("not_disclosed", f"{figures.why[0]} Closest passages below.", nearest)
        if is_uncounted(question, evidence):
            return Refusal("not_disclosed", f"No number of these was found in {target.label}; closest passages below.", nearest)
        if _unstated(understood.reading, evidence):
            why = f" {figures.why[0]}" if figures.no_statements else ""
            return Refusal("not_disclosed", f"No exact figure found in {target.label}; closest passages below.{why}", nearest)
        is_read = evidence.sure is not None and evidence.sure >= SURE_PARAGRAPH
        is_weak = evidence.focuses and evidence.focuses[0].coverage < WEAK_SENTENCE and not is_read
        if not _asks_metric(understood.reading) and is_weak:
            return Refusal("not_disclosed", f"No exact figure found in {target.label}; closest passages below.", nearest)
    names_an_item = bool(question.items) and bool(evidence.passages)
    if names_an_item or is_enough(evidence, similarity):
        return None
    if not question.companies and not _DOMAIN.search(question.text):
        return Refusal("off_topic", f"That is not a question about a company's filing. {_holds(held)}", nearest)
    if question.unknown and not question.companies and len({filing.company_key for filing in target.filings}) > 1:
        names = " or ".join(question.unknown[:2])
        return Refusal("not_in_library", f"No filing of {names} is in the library. {_holds(held)}", nearest)
    return Refusal("not_disclosed", f"No exact answer found in {target.label}; closest passages below.", nearest)


def _is_explained(question: Question, evidence: Evidence) -> bool:
    """The question asks for nothing but a name ("What is TinCare?"), and a passage has it: a product, not a company."""
    asked = set(tokenize_query(question.text))
    return any(
        asked <= set(tokenize(name)) and re.search(rf"\b{re.escape(name)}\b", passage.text)
        for name in question.unknown
        for passage in evidence.passages
    )


def _owns(name: str, text: str) -> bool:
    """Whether ``name`` is asked about as a company is: "Globex's net income", "did Globex report"."""
    known = re.escape(name)
    return bool(re.search(rf"{known}['’]s\b|\b(?:did|does|has|had)\s+{known}\s+[a-z]", text))


def _asks_metric(reading: Reading | None) -> bool:
    return reading is not None and any(item.metric for item in reading.items.values())


def _asks_part(reading: Reading | None) -> bool:
    """Words are left over: "payments due after 2028" is no figure of fiscal 2028."""
    return reading is not None and any(item.phrase for item in reading.items.values())


def _unstated(reading: Reading | None, evidence: Evidence) -> bool:
    """A metric is asked for by name, and no sentence found has one of its names and a number."""
    metrics = [item.metric for item in reading.items.values() if item.metric and not item.phrase] if reading else []
    names = [set(tokenize(name)) for metric in metrics for name in metric.names]
    return bool(names) and not any(
        any(name <= words for name in names) and any(not number.is_year for number in find_numbers(focus.text))
        for focus, words in ((focus, set(tokenize(focus.text))) for focus in evidence.focuses)
    )


def _holds(held: Sequence[Filing]) -> str:
    if not held:
        return "The library is empty: add a filing with `fin-tui add FILE`, or the samples with `fin-tui setup`."
    names = list(dict.fromkeys(filing.company for filing in sorted(held, key=lambda f: f.company.lower())))
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"The library holds {shown}."
