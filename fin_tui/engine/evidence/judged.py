"""Evidence whose sentences a cross-encoder has read: which of them answer the question, whatever words they use.

Shared words put "Competition is fierce" before "Larger rivals include …" for "Whom does it compete with?", and boilerplate before
a sentence that answers in other words. The cross-encoder reads question and sentence together. It takes a name that both have
for an answer, while filings say "we": so question and sentence both say "the company". What it had no time to read keeps its
place by words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from fin_tui.engine.evidence.evidence import Evidence, Focus
from fin_tui.engine.evidence.passage import Passage, requote
from fin_tui.filings.sentences import split_sentences

Judge = Callable[[str, Sequence[str]], Sequence[float | None]]
"""A question and sentences -> a logit for each, None for those left unread."""
_MOST = 20
"""Sentences that are read."""
_BY_WORDS = 12
"""Of them the best by words; the others are what else the first passages say."""
_WHOLE = 3
"""Passages of prose of which every sentence is a candidate."""
_FIRST = 0.35
"""What standing in the first passage is worth, as a share of the best sentence's words, when there is not time for all."""
_SHORTEST = 4
"""Words of a sentence that can answer."""
_FEWEST = 4
"""With fewer read, the order stays."""
_WORDS, _RANK = 3.0, 0.4
"""What all of the question's words, and each place of a passage, are worth beside a logit. Tried on 103 questions: the first
sentence answers in 67, by words alone in 52, by logits alone in 61."""
_LONGEST = 700
_LEGAL = re.compile(
    r"(?:,?\s+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|plc|llc|holdings|group|international|"
    r"technologies|platforms|communications)\b\.?)+\s*$",
    re.I,
)


def judged(question: str, evidence: Evidence, judge: Judge) -> Evidence:
    """``evidence`` with the sentences that were read in the order of how well they answer, the others behind them.

    ``question`` calls the company "the company". ``sure`` is set to the best logit; it stays None when too little was read.
    """
    best = max((focus.score for focus in evidence.focuses), default=0.0) or 1.0
    chosen = _candidates(evidence, best)
    logits = judge(question, [_read(evidence.passages[focus.passage], focus) for focus in chosen]) if chosen else ()
    read = [
        replace(focus, logit=logit, score=logit + _WORDS * focus.score / best - _RANK * focus.passage)
        for focus, logit in zip(chosen, logits, strict=True)
        if logit is not None
    ]
    if len(read) < min(_FEWEST, len(chosen)) or not read:
        return evidence
    read.sort(key=lambda focus: -focus.score)
    known = {(focus.passage, focus.start) for focus in read}
    rest = tuple(focus for focus in evidence.focuses if (focus.passage, focus.start) not in known)
    passages = tuple(_quoted(passage, at, read) for at, passage in enumerate(evidence.passages))
    sure = max(focus.logit for focus in read if focus.logit is not None)
    return replace(evidence, passages=passages, focuses=(*read, *rest), sure=sure)


def _candidates(evidence: Evidence, best: float) -> list[Focus]:
    """What is worth reading, the likeliest first."""
    chosen = list(evidence.focuses[:_BY_WORDS])
    by_place = {(focus.passage, focus.start): focus for focus in evidence.focuses}
    known = {(focus.passage, focus.start) for focus in chosen}
    prose = [at for at, passage in enumerate(evidence.passages) if passage.kind == "prose"][:_WHOLE]
    for at in prose:
        passage = evidence.passages[at]
        for a, b in split_sentences(passage.text):
            place = (at, passage.start + a)
            if place not in known and len(passage.text[a:b].split()) >= _SHORTEST:
                made = Focus(at, passage.text[a:b].strip(), passage.start + a, passage.start + b, 0.0, 0.0)
                chosen.append(by_place.get(place, made))
    chosen.sort(key=lambda focus: -(focus.score / best + (_FIRST if focus.passage == 0 else 0.0) - 0.1 * focus.passage))
    return chosen[:_MOST]


def _read(passage: Passage, focus: Focus) -> str:
    """The sentence under its heading, which often names the subject; the company's name is "the Company"."""
    heading = passage.citation.heading
    text = f"{heading}: {focus.text}" if heading and not focus.text.startswith(heading) else focus.text
    named = _name(passage.citation.company)
    return (named.sub("the Company", text) if named else text)[:_LONGEST]


@lru_cache(maxsize=256)
def _name(company: str) -> re.Pattern[str] | None:
    """The name as sentences use it, with or without its legal form."""
    short = re.sub(r"^the\s+", "", _LEGAL.sub("", company.strip()), flags=re.I)
    if len(short) < 2:
        return None
    return re.compile(rf"\b(?:the\s+)?{re.escape(short)}\b(?:{_LEGAL.pattern[:-4]})?", re.I)


def _quoted(passage: Passage, at: int, read: Sequence[Focus]) -> Passage:
    """``passage`` quoted by the best sentence that was read in it."""
    best = next((focus for focus in read if focus.passage == at), None)
    return passage if best is None else requote(passage, best.start, best.end, best.text)
