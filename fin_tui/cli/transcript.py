"""An answer's events as lines of a terminal or a pipe: evidence card, sources, streamed words, verdict."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TextIO

from fin_tui.engine.answering.compose import UNSUPPORTED_MARK
from fin_tui.engine.answering.events import (
    READING,
    Event,
    EvidenceReady,
    Failed,
    Finished,
    ModelEnded,
    Refused,
    SentenceDone,
    Status,
    Token,
    Understood,
)
from fin_tui.engine.evidence.citations import with_markers
from fin_tui.engine.evidence.extract import shorten
from fin_tui.engine.figures.layout import lines_of
from fin_tui.engine.figures.shown import Figures, Grid
from fin_tui.language import ranges
from fin_tui.records import Answer, Citation, Sentence

_MARGIN = "  "
_QUOTED = 900
"""Characters of a passage that is nearest to what was not found."""
_BOUNDARY = re.compile(r"[.!?][\"'”’)]*\s+(?=\S)|\n")
_HELD = 24
"""So much of the newest text waits, in case a sentence ends in it, …"""
_TAIL = 24
_PATIENCE = 300
"""… and text behind a possible sentence end waits for that sentence's marker at most this long."""


class Transcript:
    """Prints events as they come. Everything printed has had its control characters removed on the way in."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._width = min(shutil.get_terminal_size((100, 24)).columns, 110)
        self._held = ""
        self._is_streaming = False
        self._has_card = False
        self._waiting: EvidenceReady | None = None

    def show(self, event: Event) -> None:
        """Print one event; a card that may change once it has been read again, for what is printed stays."""
        if event == Status(READING):
            print(f"… {READING}", file=sys.stderr)
            return
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not isinstance(event, EvidenceReady):
            self._card(waiting)
        match event:
            case EvidenceReady(may_change=True):
                self._waiting = event
            case Understood(scope_label=label, interpretation=read):
                self._line(f"{label} ({read.slips})" if read.slips else label)
            case EvidenceReady():
                self._card(event)
            case Status(text=text):
                print(f"… {text}", file=sys.stderr)
            case ModelEnded(message=message, hint=hint):
                print(f"… {message} {hint}".rstrip(), file=sys.stderr)
            case Token(text=text):
                self._token(text)
            case SentenceDone(sentence=sentence):
                self._mark(sentence)
            case Refused(refusal=refusal):
                self._line(f"\n{refusal.told}")
                if refusal.fetch:
                    self._line(f"EDGAR may have it: {refusal.fetch}")
                self._nearest(refusal.nearest)
            case Finished(answer=answer):
                self._end(answer)
            case Failed(message=message, hint=hint):
                self._line(f"\n{message} {hint}".rstrip())

    def _card(self, event: EvidenceReady) -> None:
        self._line("\nAnswer, after a second look" if self._has_card else "\nAnswer")
        self._has_card = True
        if event.caution:
            self._wrapped(event.caution)
            self._line("")
        led = len(event.figures.sentences) if event.figures is not None else len(event.sentences)
        self._told(event.sentences[:led])
        cited = {number for sentence in event.sentences for number in sentence.citations}
        if event.figures is not None:
            found = Figures(event.figures.facts, event.figures.calculation, event.figures.table)
            self._figures(found, [passage.citation for passage in event.passages])
        if event.sentences[led:]:
            self._line("")
            self._told(event.sentences[led:])
        self._line("\nSources")
        self._sources([passage.citation for passage in event.passages if passage.citation.id in cited])
        for note in event.notes:
            self._line(f"Note: {note}")
        self._line("")

    def _told(self, sentences: Sequence[Sentence]) -> None:
        """Paragraphs, and the tables that they quote."""
        told = [sentence for sentence in sentences if not sentence.is_detail]
        for at, (table, group) in enumerate(groupby(told, lambda sentence: sentence.table)):
            if at:
                self._line("")
            for line in _lines([replace(one, text=table.title, table=None) for one in group] if table else list(group)):
                self._wrapped(line)
            if table is not None:
                self._grid(Grid.of_table(table))

    def _figures(self, figures: Figures, citations: Sequence[Citation]) -> None:
        """The grid with what to know about single cells, then how the result was computed."""
        grid = figures.grid(citations)
        notes = [f"{_MARGIN}{note}" for note in grid.notes]
        if grid.rows:
            self._line("")
            self._grid(grid)
            for note in notes:
                self._line(note)
        if figures.calculation_lines:
            self._line("\nCalculation")
            self._line("\n".join(f"  {line}" for line in figures.calculation_lines))
        for note in () if grid.rows else notes:
            self._line(note)

    def _grid(self, grid: Grid) -> None:
        for line in lines_of(grid, self._width - len(_MARGIN)):
            self._line(f"{_MARGIN}{line}".rstrip())

    def _sources(self, citations: Sequence[Citation]) -> None:
        """A line for each place, with the numbers of all that is cited there."""
        places: dict[str, list[Citation]] = {}
        for citation in citations:
            places.setdefault(citation.reference, []).append(citation)
        for reference, same in places.items():
            numbers = "".join("–".join(f"[{number}]" for number in run) for run in ranges(citation.id for citation in same))
            heading = f"  {same[0].heading}" if same[0].heading else ""
            self._line(f"  {numbers} {reference}{heading}"[: self._width])

    def _nearest(self, citations: tuple[Citation, ...]) -> None:
        for citation in citations:
            self._line(f"  nearest: {citation.reference}")
            self._wrapped(f"    “{shorten(citation.words, _QUOTED)}”")

    def _token(self, text: str) -> None:
        if not self._is_streaming:
            self._line("Answer")
            self._is_streaming = True
            text = text.lstrip()
        self._held += text
        if len(self._held) > _HELD:
            self._release(_HELD // 3)

    def _mark(self, sentence: Sentence) -> None:
        """Put the marker where the sentence ended: before what was held of the next one."""
        markers = "".join(f"[{number}]" for number in sentence.citations) or UNSUPPORTED_MARK
        end = self._end_of(sentence.text)
        self._emit(f"{self._held[:end].rstrip()} {markers} ")
        self._held = self._held[end:].lstrip(" ")

    def _end_of(self, sentence: str) -> int:
        """Where in the held text ``sentence`` ends: its last words tell, else the first possible sentence end."""
        for size in (_TAIL, _TAIL // 2, _TAIL // 4):
            place = self._held.find(sentence[-size:])
            if place >= 0:
                return place + min(size, len(sentence))
        boundary = _BOUNDARY.search(self._held)
        return len(self._held) if boundary is None else boundary.end()

    def _release(self, keep: int = 0) -> None:
        """Print what was held, but for the last ``keep`` characters and anything after a possible sentence end."""
        boundary = _BOUNDARY.search(self._held)
        end = len(self._held) - keep
        if boundary is not None and len(self._held) - boundary.end() < _PATIENCE:
            end = min(end, boundary.start())
        self._emit(self._held[:end])
        self._held = self._held[end:]

    def _end(self, answer: Answer) -> None:
        self._emit(self._held)
        self._held = ""
        if self._is_streaming:
            self._line("")
        if answer.status != "answered" or not self._is_streaming:
            return
        if answer.model == "none":
            why = f"The sources support too little of what the model wrote ({UNSUPPORTED_MARK})"
            self._line(f"\n{why}: the answer above stands.")
        else:
            checked = answer.verification
            self._line(f"\n{checked.get('supported', 0)} of {checked.get('sentences', 0)} sentences supported · {answer.model}")

    def _wrapped(self, text: str) -> None:
        self._line(textwrap.fill(text, self._width, initial_indent=_MARGIN, subsequent_indent=_MARGIN))

    def _line(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def _emit(self, text: str) -> None:
        print(text, file=self._out, end="", flush=True)


def _lines(sentences: Sequence[Sentence]) -> list[str]:
    """Paragraphs of prose as running text, what else is told sentence by sentence, each with its markers."""
    if any(sentence.opens for sentence in sentences):
        return [line for line in with_markers(sentences).split("\n") if line]
    return [with_markers([sentence]) for sentence in sentences]
