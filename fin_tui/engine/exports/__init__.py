"""Conversations and the notebook as one kind of page, whatever it is written as: parts with footnotes (pure).

Numbers [n] mean something only within their answer; here they become footnotes of the page, one for each quote. ``file.py``
writes a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

from fin_tui.engine.evidence.citations import without_markers
from fin_tui.engine.figures.shown import Cell, Figures, Grid
from fin_tui.engine.saved_items import Place, Traced
from fin_tui.errors import FinTuiError
from fin_tui.facts.words import spoken_name
from fin_tui.language import count
from fin_tui.records import Answer, Citation, PlacedFact, Saved, Sentence, ShownPassage, placed
from fin_tui.records.filing import ACCESSION
from fin_tui.store.kept import Conversation, NotebookEntry, Turn

Format = Literal["md", "html", "json", "csv"]
Kind = Literal["figure", "passage", "answer", "refusal", "error"]
_MOST_FILINGS = 8


class UnsupportedText(FinTuiError):
    """What is to be written holds sentences that nothing in the filings supports."""


@dataclass(frozen=True, slots=True)
class Run:
    """A sentence with its footnotes."""

    text: str
    notes: tuple[int, ...] = ()
    is_unsupported: bool = False
    grid: Grid | None = None
    """The rows that ``text`` is the title of."""
    opens: Literal["", "line", "paragraph"] = ""
    """What it begins, as the sentence does."""


@dataclass(frozen=True, slots=True)
class Footnote:
    """What a number of the page means."""

    number: int
    citation: Citation
    place: Place = "there"

    @property
    def accession(self) -> str:
        """The filing's accession number; "" for a filing that came without one."""
        return self.citation.filing if ACCESSION.fullmatch(self.citation.filing) else ""


@dataclass(frozen=True, slots=True)
class Part:
    """A question with its answer, a figure, or a passage."""

    kind: Kind
    title: str
    runs: tuple[Run, ...] = ()
    quote: str = ""
    """A passage's words as they stand; its footnotes are those of the first run."""
    grid: Grid | None = None
    """Cells name footnotes."""
    lines: tuple[str, ...] = ()
    """The calculation, step by step, and what is noted of the answer."""
    note: str = ""
    """The reader's own words."""
    created: str = ""
    """UTC, ISO 8601."""


class EntryDocument(TypedDict):
    """An entry of the notebook, for programs."""

    number: int
    created: str
    note: str
    places: list[Place]
    """Where each citation's quote stands now."""
    saved: Saved


class TurnDocument(TypedDict):
    """A turn of a conversation, for programs."""

    created: str
    answer: Answer
    evidence: Sequence[ShownPassage]


class Document(TypedDict, total=False):
    """The notebook with its entries, or a conversation with its turns."""

    id: str
    title: str
    entries: list[EntryDocument]
    turns: list[TurnDocument]


@dataclass(frozen=True, slots=True)
class Page:
    """All that is written."""

    title: str
    parts: tuple[Part, ...]
    footnotes: tuple[Footnote, ...]
    document: Document
    """The same for programs, as it is stored."""
    figures: tuple[PlacedFact, ...] = ()
    """Each fact object and computed cell, with ``question``, ``company`` and place, for a spreadsheet."""

    @property
    def about(self) -> str:
        """The filings that it rests on, and when it was asked: "Apple FY2024, Boeing FY2022 · 2026-11-22"."""
        cited = {(spoken_name(c.company), c.fiscal_year or 0) for c in (note.citation for note in self.footnotes)}
        filings = [f"{name} FY{year}" if year else name for name, year in sorted(cited)]
        more = f" and {len(filings) - _MOST_FILINGS} more" if len(filings) > _MOST_FILINGS else ""
        days = sorted({part.created[:10] for part in self.parts if part.created})
        asked = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
        return " · ".join(filter(None, (f"{', '.join(filings[:_MOST_FILINGS])}{more}", asked)))

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The sentences that nothing supports."""
        return tuple(run.text for part in self.parts for run in part.runs if run.is_unsupported)


@dataclass(slots=True)
class _Numbers:
    """Numbers quotes from 1, each place once."""

    traced: Mapping[Citation, Traced] = field(default_factory=dict)
    notes: dict[tuple[str, int, int, str], Footnote] = field(default_factory=dict)

    def of(self, citation: Citation) -> int:
        traced = self.traced.get(citation)
        now = traced.citation if traced else citation
        key = (now.filing, now.start, now.end, now.quote)
        if key not in self.notes:
            self.notes[key] = Footnote(len(self.notes) + 1, now, traced.place if traced else "there")
        return self.notes[key].number


def refuse_unsupported(page: Page, *, allowed: bool) -> None:
    """Raise ``UnsupportedText`` for a page with sentences that nothing supports, unless they are ``allowed``."""
    bad = page.unsupported
    if bad and not allowed:
        raise UnsupportedText(
            f"The notebook holds {count(len(bad), 'sentence')} that nothing in the filings supports: “{bad[0]}”",
            "Take it out, or confirm with --with-unsupported: it is then marked ⚠.",
        )


def of_notebook(entries: Sequence[NotebookEntry], traced: Mapping[Citation, Traced]) -> Page:
    """The notebook as a page; ``traced`` tells which quotes have moved or are gone."""
    numbers = _Numbers(traced)
    parts: list[Part] = []
    figures: list[PlacedFact] = []
    for entry in entries:
        saved = entry.saved
        known = {citation.id: citation for citation in saved.citations}
        shown = Figures(saved.facts, saved.calculation, saved.table)
        part = Part(saved.kind, saved.title, note=entry.note, created=entry.created)
        if saved.kind == "passage":
            notes = tuple(numbers.of(citation) for citation in saved.citations)
            parts.append(replace(part, runs=(Run("", notes),), quote=saved.text))
        else:
            runs = _runs(saved.sentences, saved.text if saved.kind == "answer" else "", known, numbers)
            parts.append(replace(part, runs=runs, grid=_grid(shown, known, numbers), lines=shown.calculation_lines))
        figures += _rows(saved.title, shown, known)
    title = _title_of(parts)
    document: Document = {"title": title, "entries": [_entry_json(entry, traced) for entry in entries]}
    return Page(title, tuple(parts), tuple(numbers.notes.values()), document, tuple(figures))


def _title_of(parts: Sequence[Part]) -> str:
    """What a notebook's page is called: by its first entry."""
    if not parts:
        return "Notebook"
    more = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
    return f"Notebook: {parts[0].title}{more}"


def of_conversation(conversation: Conversation, turns: Sequence[Turn]) -> Page:
    """A conversation as a page, refusals and failures included."""
    numbers = _Numbers()
    parts: list[Part] = []
    figures: list[PlacedFact] = []
    for turn in turns:
        answer = turn.answer
        known = {citation.id: citation for citation in answer.citations}
        shown = Figures.of(answer)
        parts.append(
            Part(
                _kind(answer),
                turn.question,
                (*_cautions(answer), *_runs(answer.sentences, answer.answer, known, numbers)),
                grid=_grid(shown, known, numbers),
                lines=(*shown.calculation_lines, *(f"Note: {note}" for note in answer.notes)),
                created=turn.created,
            )
        )
        figures += _rows(turn.question, shown, known)
    document: Document = {
        "id": conversation.id,
        "title": conversation.title,
        "turns": [{"created": turn.created, "answer": turn.answer, "evidence": turn.evidence} for turn in turns],
    }
    title = conversation.title or "Conversation"
    return Page(title, tuple(parts), tuple(numbers.notes.values()), document, tuple(figures))


def _kind(answer: Answer) -> Kind:
    return {"answered": "answer", "refused": "refusal"}.get(answer.status, "error")  # type: ignore[return-value]


def _cautions(answer: Answer) -> tuple[Run, ...]:
    return (Run(answer.caution, opens="paragraph"),) if answer.caution else ()


def _runs(sentences: Sequence[Sentence], text: str, known: Mapping[int, Citation], numbers: _Numbers) -> tuple[Run, ...]:
    """Sentences with their footnotes; text that was kept without sentences as it is, its [n] left out."""
    if not sentences:
        return (Run(without_markers(text)),) if text else ()
    return tuple(
        Run(
            sentence.text if sentence.table is None else sentence.table.title,
            tuple(numbers.of(known[number]) for number in sentence.citations if number in known),
            sentence.support == "unsupported",
            None if sentence.table is None else Grid.of_table(sentence.table),
            sentence.opens,
        )
        for sentence in sentences
        if not sentence.is_detail
    )


def _grid(shown: Figures, known: Mapping[int, Citation], numbers: _Numbers) -> Grid | None:
    if not shown:
        return None
    grid = shown.page_grid(tuple(known.values()))
    rows = tuple(tuple(replace(cell, citation=_number(cell, known, numbers)) for cell in row) for row in grid.rows)
    return replace(grid, rows=rows)


def _number(cell: Cell, known: Mapping[int, Citation], numbers: _Numbers) -> int | None:
    citation = known.get(cell.citation or 0)
    return numbers.of(citation) if citation is not None else None


def _rows(question: str, shown: Figures, known: Mapping[int, Citation]) -> Iterable[PlacedFact]:
    """Facts first, then what was computed of them."""
    for fact in shown.facts:
        figure = placed(fact, question=question)
        figure.pop("citation", None)
        figure.update(_placed(known.get(fact.get("citation") or 0)))
        yield figure
    for row in shown.table["rows"] if shown.table else ():
        for column, cell in zip(shown.table["columns"] if shown.table else (), row["cells"], strict=True):
            fact_number = cell.get("fact")
            if fact_number is not None and shown.facts[fact_number].get("value") == cell.get("value"):
                continue  # A figure as it stands has its row already.
            note = f"{column}; {cell['gap']}" if cell.get("gap") else str(column)
            yield {
                "question": question, "label": row["label"], "value": cell.get("value"), "unit": cell.get("unit"),
                "period_end": cell.get("period_end"), **_placed(known.get(cell.get("citation") or 0)),
                "source": "table of the answer", "note": note,
            }  # fmt: skip
    if shown.calculation:
        sums = shown.calculation
        inputs = list((sums.get("inputs") or {}).values())
        of = [shown.facts[given["fact"]] for given in inputs if "fact" in given]
        starts = [str(fact["period_start"]) for fact in of if fact.get("period_start")]
        ends = [str(given["period_end"]) for given in inputs if given.get("period_end")]
        companies = {c.company for c in (known.get(fact.get("citation") or 0) for fact in shown.facts) if c is not None}
        yield {
            "question": question,
            "company": companies.pop() if len(companies) == 1 else None,
            "label": (shown.calculation_lines or (sums.get("expression", ""),))[0],
            "period_start": min(starts) if len(starts) == len(inputs) > 0 else None,
            "period_end": max(ends, default=None),
            "value": sums.get("result"),
            "unit": sums.get("unit"),
            "source": "computed",
            "note": sums.get("substituted"),
        }


def _placed(citation: Citation | None) -> PlacedFact:
    """Whose a figure is and where it stands."""
    if citation is None:
        return {}
    return {
        "company": citation.company,
        "filing": citation.filing,
        "file": citation.file,
        "item": citation.item,
        "page": citation.page,
        "page_label": citation.page_label,
        "accession": Footnote(0, citation).accession,
    }


def _entry_json(entry: NotebookEntry, traced: Mapping[Citation, Traced]) -> EntryDocument:
    places: list[Place] = [traced[c].place if c in traced else "there" for c in entry.saved.citations]
    return {"number": entry.number, "created": entry.created, "note": entry.note, "places": places, "saved": entry.saved}
