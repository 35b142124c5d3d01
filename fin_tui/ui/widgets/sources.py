"""The numbered passages of a turn, the chosen one with its cited span marked, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import period, printed
from fin_tui.records import FactRecord, Span
from fin_tui.ui.messages import ColumnsRead, ColumnsWanted, CopyWanted, KeepWanted, ReaderWanted, SourcePicksChanged
from fin_tui.ui.scoping import SourcePicks
from fin_tui.ui.text import filing_label, one_line, passage_text, place_label, shorten
from fin_tui.ui.text_layout import Grid
from fin_tui.ui.widgets.lists import PickList
from fin_tui.ui.widgets.text_view import TextView

_LISTS = ("dense", "sparse", "rerank")


class Explain(Static):
    """A few lines under the source list, shown on demand."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", markup=False, id=id)
        self.display = False

    def show(self, passage: Passage, ranks: Mapping[str, Mapping[str, int | None]], facts: Sequence[FactRecord]) -> None:
        """Explain ``passage``; ``ranks`` are by chunk id, ``facts`` are those of the answer."""
        citation = passage.citation
        own = ranks.get(citation.chunk_id)
        if own is None:
            how = "not searched for: it holds the figures of the answer" if ranks else "ranks are known when the answer stands"
        else:
            how = " · ".join(f"{name} {own.get(name) or '–'}" for name in _LISTS)
        lines = [Content.assemble(("ranks ", "$foreground-muted"), how, (f" · score {passage.score:.3f}", "$foreground-muted"))]
        lines += [_figure(fact) for fact in facts if fact.get("citation") == citation.id]
        lines.append(Content.styled(one_line(citation.chunk_id), "$foreground-muted"))
        self.update(Content("\n").join(lines))


def _figure(fact: FactRecord) -> Content:
    axes = ", ".join(f"{axis}={member}" for axis, member in (fact.get("dimensions") or {}).items())
    details = " · ".join(part for part in (one_line(str(fact.get("concept", ""))), period(fact), one_line(axes)) if part)
    return Content.assemble((f"{printed(fact)} ", "bold"), (details, "$foreground-muted"))


_HEADING = 70


class PassageView(Vertical):
    """A passage as it stands in the filing."""

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="passage-title")
        yield TextView(id="passage-text")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._passage: Passage | None = None

    def show_passage(self, passage: Passage) -> None:
        """Show ``passage``; its quote is marked and scrolled to. The columns of a table follow as soon as they are read."""
        self._passage = passage
        citation = passage.citation
        title = Content.assemble(
            (f"[{citation.id}] {filing_label(citation)}", "bold"), "\n", (place_label(citation), "$foreground-muted")
        )
        if heading := shorten(one_line(citation.heading), _HEADING):
            title = title + Content.styled(f" · {heading}", "$foreground-muted")
        self.query_one("#passage-title", Static).update(title)
        self._show_text(passage, {})
        if "\t" in passage.text:
            self.app.post_message(ColumnsWanted(passage, self))  # From here it would get no further than the screen that asks.

    @on(ColumnsRead)
    def _columns_read(self, event: ColumnsRead) -> None:
        event.stop()
        if event.passage == self._passage and event.grid:
            self._show_text(event.passage, event.grid)

    def _show_text(self, passage: Passage, grid: Grid) -> None:
        start, end = passage.citation.place
        mark = Span(start - passage.start, end - passage.start)
        is_inside = 0 <= mark.start < mark.end <= len(passage.text)
        self.query_one(TextView).show(passage.text, [mark] if is_inside else [], grid)


_EMPTY = "The passages behind an answer appear here, numbered as it cites them."

_NAME_WIDTH = 18
"""Cells."""


class Sources(Vertical):
    """The source list above, the passage below."""

    BINDING_GROUP_TITLE = "Sources"
    HELP = """\
## Sources

The passages behind the answer, best first, with company, fiscal year, Item, page and heading (▦ a table). The part that
carries the answer is marked and underlined.

**n**, **p** or a **number** choose a passage; **Enter** opens the filing there, **y** copies it with its reference, **f** saves
it to the notebook.

**Space** pins a passage for the next questions (●), **x** excludes it from them (✕): then **Ctrl+R** asks again, and what is
new or gone is marked. **e** explains how it was found and which figures stand in it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,o", "open_reader", "Open filing", id="sources.open", tooltip="Read the filing at this passage"),
        Binding("space", "keep", "Pin", id="sources.keep", tooltip="Pin this passage for the next questions, or no longer"),
        Binding("x", "drop", "Exclude", id="sources.drop", tooltip="Exclude this passage from the next questions, or no longer"),
        Binding("f", "file", "Save to notebook", show=False, id="sources.file", tooltip="Save this passage to the notebook"),
        Binding("y", "copy", "Copy passage", show=False, id="sources.copy", tooltip="Copy this passage with its reference"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.passages: tuple[Passage, ...] = ()
        self.picks = SourcePicks()
        self.is_preview = False
        self._chosen: int | None = None
        self._gone: tuple[Passage, ...] = ()
        self._name_width = 0
        """Cells of the longest name in the list."""
        self._new: frozenset[str] = frozenset()
        self._ranks: Mapping[str, Mapping[str, int | None]] = {}
        self._facts: Sequence[FactRecord] = ()

    def compose(self) -> ComposeResult:
        yield Static(_EMPTY, markup=False, id="no-sources")
        yield PickList(id="source-list", markup=False, compact=True)
        yield Explain(id="explain")
        yield PassageView(id="passage")

    def on_mount(self) -> None:
        self._title_for(is_preview=False)
        self._show_empty()

    @property
    def chosen(self) -> Passage | None:
        """The passage that is shown."""
        return next((p for p in self.passages if p.citation.id == self._chosen), None)

    def show(self, passages: Sequence[Passage], number: int | None = None, before: Sequence[Passage] | None = None) -> None:
        """Show the passages of a turn, with ``number`` chosen (else the first); ``before``: those of the same question before."""
        self._title_for(is_preview=False)
        if tuple(passages) != self.passages:
            self.query_one(Explain).display = False  # It told of another answer's sources.
            self.passages = tuple(passages)
            there = {p.citation.chunk_id for p in self.passages}
            held = {p.citation.chunk_id for p in before or ()}
            self._new = frozenset(there - held) if before is not None else frozenset()
            self._gone = tuple(p for p in before or () if p.citation.chunk_id not in there)
            self._chosen = None
            self._fill()
        self._show_empty()
        if self.passages:
            known = {p.citation.id for p in self.passages}
            self.choose(number if number in known else self.passages[0].citation.id)

    def preview(self, passages: Sequence[Passage]) -> None:
        """Show what a question that is still being typed finds."""
        if tuple(passages) != self.passages:
            self.explain_with({}, ())
            self.show(passages)
        self._title_for(is_preview=True)

    def _title_for(self, *, is_preview: bool) -> None:
        self.is_preview = is_preview
        self.border_title = "Sources of what you type" if is_preview else "Sources"

    def belongs_to_answer(self) -> None:
        """The passages are those of the answer on screen."""
        self._title_for(is_preview=False)

    def search(self) -> None:
        """Say of whose answer the passages are, while others are looked for."""
        if self.passages:
            self.border_title = "Sources of the answer before"

    def explain_with(self, ranks: Mapping[str, Mapping[str, int | None]], facts: Sequence[FactRecord]) -> None:
        """How the passages were found (ranks by chunk id) and which figures stand in them."""
        self._ranks, self._facts = ranks, facts
        self._explain()

    def pick(self, picks: SourcePicks) -> None:
        """Mark what is kept and what is left out."""
        self.picks = picks
        options = self.query_one(OptionList)
        for index, passage in enumerate(self.passages):
            options.replace_option_prompt_at_index(index, self._entry(passage))
        self.post_message(SourcePicksChanged(picks))

    def choose(self, number: int) -> bool:
        """Show passage ``number``; False when there is none."""
        index = next((i for i, p in enumerate(self.passages) if p.citation.id == number), None)
        if index is None:
            return False
        self._chosen = number
        options = self.query_one(OptionList)
        if options.highlighted != index:
            options.highlighted = index
        self.query_one(PassageView).show_passage(self.passages[index])
        self.border_subtitle = f"{index + 1} of {len(self.passages)}"
        self._explain()
        return True

    def step(self, by: int) -> None:
        """Go to the next or previous passage, round at the ends."""
        if not self.passages:
            return
        index = next((i for i, p in enumerate(self.passages) if p.citation.id == self._chosen), 0)
        self.choose(self.passages[(index + by) % len(self.passages)].citation.id)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option.id is not None and int(event.option.id) != self._chosen:
            self.choose(int(event.option.id))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open_reader()

    def action_open_reader(self) -> None:
        passage = self.chosen
        if passage is None:
            return
        citation = passage.citation
        place = citation.place if citation.end > citation.start else (passage.start, passage.end)
        cited = [Span(*c.place) for p in self.passages if (c := p.citation).filing == citation.filing]
        self.post_message(ReaderWanted.at(citation, place, cited))

    def action_keep(self) -> None:
        if self.chosen is not None:
            self.pick(self.picks.toggle_kept(self.chosen.citation.chunk_id))

    def action_drop(self) -> None:
        if self.chosen is not None:
            self.pick(self.picks.toggle_dropped(self.chosen.citation.chunk_id))

    def action_copy(self) -> None:
        if self.chosen is not None:
            self.post_message(CopyWanted(f"passage [{self.chosen.citation.id}]", passage_text(self.chosen)))

    def action_file(self) -> None:
        passage = self.chosen
        if passage is not None:
            self.post_message(KeepWanted(f"passage [{passage.citation.id}]", lambda room: room.keep_passage(passage)))

    def toggle_explain(self) -> None:
        """Show how the passage was found, or hide it."""
        explain = self.query_one(Explain)
        explain.display = not explain.display

    def _explain(self) -> None:
        if self.chosen is not None:
            self.query_one(Explain).show(self.chosen, self._ranks, self._facts)

    def _fill(self) -> None:
        names = [cell_len(_short_name(passage)) for passage in (*self.passages, *self._gone)]
        self._name_width = max(names, default=0)
        gone = [Option(_gone_entry(p, self._name_width), id=f"gone-{p.citation.chunk_id}", disabled=True) for p in self._gone]
        options = [Option(self._entry(p), id=str(p.citation.id)) for p in self.passages]
        self.query_one(OptionList).set_options([*options, *gone])

    def _entry(self, passage: Passage) -> Content:
        chunk = passage.citation.chunk_id
        mark = "●" if chunk in self.picks.kept else "✕" if chunk in self.picks.dropped else "+" if chunk in self._new else " "
        return _entry(passage, mark, self._name_width)

    def _show_empty(self) -> None:
        has_any = bool(self.passages)
        self.query_one("#no-sources").display = not has_any
        self.query_one(OptionList).display = has_any
        self.query_one(PassageView).display = has_any
        if not has_any:
            self.border_subtitle = ""


def _gone_entry(passage: Passage, width: int) -> Content:
    name = set_cell_size(_short_name(passage), width)
    return Content.styled(f" −  {name} {one_line(passage.citation.heading)}", "$foreground-muted")


def _entry(passage: Passage, mark: str, width: int) -> Content:
    """One line: number, mark, filing in so many cells, Item, page, then as much of the heading as fits."""
    citation = passage.citation
    item = one_line(citation.item or "–")
    page = one_line(citation.page_label or str(citation.page))
    name = set_cell_size(_short_name(passage), width)
    return Content.assemble(
        (f"{citation.id:>2}{mark} ", "bold $accent"),
        f"{name} ",
        (f"{item:>3} p.{page:<4}", "$foreground-muted"),
        (" ▦ " if passage.kind == "table" else "   ", "$foreground-muted"),
        (_what(passage), "$foreground-muted"),
    )


def _what(passage: Passage) -> str:
    """What a passage is about: of a table the row that is cited, and the heading."""
    citation = passage.citation
    row, tab, _ = citation.quote.partition("\t")
    is_row = passage.kind == "table" and tab and "\n" not in citation.quote.strip()
    return " · ".join(filter(None, (one_line(row) if is_row else "", one_line(citation.heading))))


def _short_name(passage: Passage) -> str:
    """Company and year; the ticker where the name is too long."""
    citation = passage.citation
    year = f" FY{citation.fiscal_year}" if citation.fiscal_year else ""
    room = _NAME_WIDTH - len(year)
    name = one_line(citation.company)
    if cell_len(name) > room and citation.ticker:
        name = one_line(citation.ticker)
    return shorten(name, room) + year
