"""One figure looked into: what it is, every place that states it, and its other years."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.errors import FinTuiError
from fin_tui.records import Citation, FactRecord, Filing
from fin_tui.ui.messages import CopyWanted, KeepWanted, ReaderWanted
from fin_tui.ui.screens.dialog import Dialog
from fin_tui.ui.services import NotebookRoom
from fin_tui.ui.text import one_line, year_label

if TYPE_CHECKING:
    from fin_tui.engine.figures.detail import FigureDetail, Stated

_NAME = 12
_UNITS = {"usd": "US dollars", "usd/share": "US dollars per share", "count": "a count"}
_SOURCES = {
    "xbrl": "tagged in the filing (inline XBRL)",
    "table": "read from a table of the filing, which has no tag for it",
    "text": "read from a sentence of the filing, which has no tag for it",
}


def facts_of(detail: FigureDetail) -> list[tuple[str, str]]:
    """(name, value) lines of what the figure is."""
    lines = [
        ("Value", detail.text),
        ("Company", detail.filing.company),
        ("Period", detail.period),
        ("Concept", detail.concept if detail.source == "xbrl" else ""),
        *(("Part", f"{axis}: {member}") for axis, member in detail.dimensions),
        ("Unit", ", ".join(filter(None, (_unit(detail), detail.decimals)))),
        ("Source", _SOURCES.get(detail.source, detail.source)),
        ("Note", detail.note),
        ("Reported", _elsewhere(place for place in detail.restated if _ended(place.filing) < _ended(detail.filing))),
        ("Restated", _elsewhere(place for place in detail.restated if _ended(place.filing) >= _ended(detail.filing))),
    ]
    return [(name, one_line(value)) for name, value in lines if value]


def _unit(detail: FigureDetail) -> str:
    """The unit of a tag in words; a percentage is tagged as a pure number."""
    if detail.unit in ("pure", "percent", "%"):
        return "percent" if "%" in detail.text else "a pure number"
    return _UNITS.get(detail.unit.replace("/shares", "/share"), detail.unit)


def _ended(filing: Filing) -> str:
    return str(filing.period_end or "")


def _elsewhere(places: Iterable[Stated]) -> str:
    return "; ".join(f"{place.text} in {year_label(place.filing)}" for place in places)


def head(detail: FigureDetail) -> Content:
    """The upper part of the screen."""
    return Content("\n").join(
        [Content.assemble((f"{name:<{_NAME}}", "$foreground-muted"), value) for name, value in facts_of(detail)]
    )


def place_line(stated: Stated) -> str:
    """ "$391,035 million   FY2024 10-K · Item 8 · p. 32 (physical page 34)"."""
    filing = f"{year_label(stated.filing)} {stated.filing.form}"
    where = " · ".join(filter(None, (f"Item {stated.item}" if stated.item else "", stated.page)))
    mark = "  ® another value" if stated.is_different else ""
    return one_line(f"{stated.text}   {filing} · {where or 'in its hidden data, not printed'}") + mark


def year_line(stated: Stated) -> str:
    """ "2023-09-30   $383,285 million   FY2025 10-K · Item 8 · p. 29"."""
    return f"{stated.fact.period_end}   {place_line(stated)}"


def copied(detail: FigureDetail) -> str:
    """All of it as plain text."""
    parts = [one_line(detail.label), *(f"{name}: {value}" for name, value in facts_of(detail)), "Stands at:"]
    parts += [f"- {place_line(place)}" for place in detail.places]
    if detail.years:
        parts += ["Other periods:", *(f"- {year_line(year)}" for year in detail.years)]
    return "\n".join(parts) + "\n"


class FigureScreen(Dialog[None]):
    """Walks through the figures of one answer."""

    CSS_PATH = "figure.tcss"
    AUTO_FOCUS = "#figure-places"
    HELP = """\
## Figure

What a figure is (concept, period, parts, unit), every place of the library that states it (**®**: with another value), and its
other periods. **Enter** opens the filing at the chosen place. **n** and **p** go to the next figure of the answer, **f** files it
in the notebook, **y** copies all of this, **Esc** closes it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="figure.close", tooltip="Back to the conversation"),
        Binding("n", "step(1)", "Next figure", id="figure.next", tooltip="Show the next figure of the answer"),
        Binding("p", "step(-1)", "Previous", id="figure.previous", tooltip="Show the figure before", show=False),
        Binding("f", "file", "Save to notebook", id="figure.file", tooltip="Save this figure to the notebook"),
        Binding("y", "copy", "Copy", id="figure.copy", tooltip="Copy all that is known of this figure"),
    ]

    @dataclass
    class Read(Message):
        """A figure was looked up."""

        place: int
        detail: FigureDetail

    @dataclass
    class Missing(Message):
        """A figure is no longer there."""

        place: int
        error: FinTuiError

    @dataclass
    class Located(Message):
        """Where a value stands."""

        citation: Citation | None

    def __init__(self, room: NotebookRoom, facts: Sequence[FactRecord], at: int, citations: Mapping[int, Citation]) -> None:
        """``facts``: fact objects of an answer, of which number ``at`` is shown; ``citations``: what their numbers mean."""
        super().__init__()
        self._room = room
        self._facts = facts
        self._at = at
        self._citations = citations
        self._detail: FigureDetail | None = None
        self._stated: list[Stated] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="figure"):
            yield Static("", markup=False, id="figure-head")
            yield OptionList(id="figure-places", markup=False, compact=True)
            yield Footer(compact=True)

    def on_mount(self) -> None:
        self._look_up()

    @on(Read)
    def _read(self, event: Read) -> None:
        if event.place != self._at:
            return
        self._detail = detail = event.detail
        self.query_one("#figure-head", Static).update(head(detail))
        self._stated = [*detail.places, *detail.years]
        options: list[Option] = [Option(Content.styled("Stands at", "bold $secondary"), disabled=True)]
        options += [Option(Content(place_line(place)), id=str(at)) for at, place in enumerate(detail.places)]
        if detail.years:
            options.append(Option(Content.styled("Other periods", "bold $secondary"), disabled=True))
        first = len(detail.places)
        options += [Option(Content(year_line(year)), id=str(first + at)) for at, year in enumerate(detail.years)]
        places = self.query_one(OptionList)
        places.set_options(options)
        places.highlighted = 1 if detail.places else None

    @on(Missing)
    def _missing(self, event: Missing) -> None:
        if event.place == self._at:
            self._detail, self._stated = None, []
            self.query_one(OptionList).clear_options()
            text = f"{event.error.message}\n{event.error.hint}".strip()
            self.query_one("#figure-head", Static).update(Content(one_line(text)))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option.id is not None:
            self._locate(self._stated[int(event.option.id)])

    @on(Located)
    def _located(self, event: Located) -> None:
        if event.citation is None:
            self.notify("The filing states this in its data without printing it.", severity="warning")
            return
        self.app.post_message(ReaderWanted.at(event.citation))

    def action_step(self, by: int) -> None:
        self._at = (self._at + by) % len(self._facts)
        self._look_up()

    def action_file(self) -> None:
        fact = self._facts[self._at]
        citation = self._citations.get(fact.get("citation") or 0)
        self.app.post_message(KeepWanted("figure", lambda room: room.keep_figure(fact, citation)))

    def action_copy(self) -> None:
        if self._detail is not None:
            self.app.post_message(CopyWanted("figure", copied(self._detail)))

    def action_close(self) -> None:
        self.dismiss()

    def _look_up(self) -> None:
        box, fact = self.query_one("#figure"), self._facts[self._at]
        box.border_title = Content(one_line(str(fact.get("label") or fact.get("concept") or "")))
        box.border_subtitle = f"figure {self._at + 1} of {len(self._facts)}" if len(self._facts) > 1 else ""
        self._find(self._at, fact)

    @work(thread=True, exclusive=True, group="figure", exit_on_error=False)
    def _find(self, place: int, fact: FactRecord) -> None:
        try:
            self.post_message(self.Read(place, self._room.figure(fact)))
        except FinTuiError as error:
            self.post_message(self.Missing(place, error))

    @work(thread=True, exclusive=True, group="locate", exit_on_error=False)
    def _locate(self, stated: Stated) -> None:
        self.post_message(self.Located(self._room.citation_of(stated)))
