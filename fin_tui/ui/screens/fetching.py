"""Filings from EDGAR: what is wanted, then what EDGAR has of it, and only then the download."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from fin_tui.errors import FinTuiError, in_one_line
from fin_tui.ingest.fetch_plan import Words
from fin_tui.language import count
from fin_tui.records import Filing
from fin_tui.ui.messages import FetchRefused, PlanMade, TermsRead
from fin_tui.ui.screens.dialog import Dialog, way_out
from fin_tui.ui.services import FetchRoom, FetchTerms
from fin_tui.ui.text import one_line, year_label

if TYPE_CHECKING:
    from fin_tui.filings.edgar.client import Listed
    from fin_tui.ingest.fetch_plan import Plan

_MB = 1_000_000
_MOST_HELD = 8
_SHORTEST = 2
"""Letters from which a name is looked for."""


def held_line(names: Sequence[str], filings: Sequence[Filing]) -> str:
    """What the library holds of the companies that are named."""
    found = [filing for filing in filings if any(_is_of(name, filing) for name in names)]
    if not names:
        return ""
    if not found:
        return "The library holds nothing of it yet."
    shown = [f"{one_line(f.company) or f.file} {year_label(f)} {one_line(f.form)}" for f in found[:_MOST_HELD]]
    more = f" and {len(found) - _MOST_HELD} more" if len(found) > _MOST_HELD else ""
    return f"In the library: {', '.join(shown)}{more}"


def terms_line(terms: FetchTerms) -> str:
    """What going online means."""
    if terms.forbidden:
        return terms.forbidden
    if not terms.asker:
        return f"EDGAR wants to know who asks. Name and e-mail go to {terms.server} with each request, and nowhere else."
    told = f"Asks {terms.server} as {terms.asker}. Nothing goes online before you press Enter."
    return f"{told} Set by the environment: {', '.join(terms.overriding)}." if terms.overriding else told


def plan_lines(plan: Plan) -> Iterator[Content]:
    """What comes first, then what is held, then what can't be had."""
    for listed in plan.wanted:
        size = f"  at most {max(listed.size / _MB, 0.1):,.1f} MB" if listed.size else "  size unknown"
        yield Content.assemble(("+ ", "bold $success"), _named(listed), (size, "$foreground-muted"))
    for listed, filing in plan.held:
        held = f"  in the library as {one_line(filing.file)}"
        yield Content.assemble(("= ", "$foreground-muted"), _named(listed), (held, "$foreground-muted"))
    for problem in plan.problems:
        yield Content.assemble(("✗ ", "$error"), one_line(problem.message), (f" {one_line(problem.hint)}", "$foreground-muted"))


def plan_summary(plan: Plan) -> str:
    """How much it is."""
    if not plan.wanted:
        return "Nothing to download: all of it is in the library." if plan.held else "Nothing to download."
    large = " That is a large fetch: it takes a while." if plan.is_large else ""
    size, free = max(plan.largest // _MB, 1), plan.free // _MB
    return f"{count(len(plan.wanted), 'filing')} to download, at most {size:,} MB; {free:,} MB are free.{large}"


def _named(listed: Listed) -> str:
    name = listed.company.name or listed.company.ticker or f"CIK {listed.company.cik}"
    when = f"period to {listed.period_end}" if listed.period_end else f"filed {listed.filed}"
    return one_line(f"{name} {listed.form}, {when}")


def _is_of(name: str, filing: Filing) -> bool:
    word = name.casefold()
    if word in ((filing.ticker or "").casefold(), (filing.cik or "").lstrip("0"), filing.id.casefold()):
        return True
    return len(word) >= _SHORTEST and filing.company.casefold().startswith(word)


_WHO = ("#asker", "#email")


class FetchScreen(Dialog["Plan | None"]):
    """Gives the plan that the reader agreed to, or None."""

    CSS_PATH = "fetching.tcss"
    AUTO_FOCUS = "#companies"
    HELP = """\
## Fetch from EDGAR

Name companies by ticker, CIK or name, or give accession numbers; commas between. Years: **2022-2024**, **2021, 2023**, or
**3** for the newest three; nothing for the newest.

**Enter** asks EDGAR's lists and shows what there is, how large it is and what is held already. **Enter** once more downloads
it in the background; the log (**l**) shows how far. **Esc** closes and downloads nothing.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="fetch.close", tooltip="Close, and download nothing"),
        Binding("enter", "go_on", "Ask EDGAR, then fetch", id="fetch.go", tooltip="Ask EDGAR what it has; again: download it"),
        Binding("tab", "app.focus_next", "Next line", show=False, id="fetch.next", tooltip="Go to the next line"),
    ]

    def __init__(self, room: FetchRoom, filings: Sequence[Filing], words: Words) -> None:
        super().__init__()
        self._room = room
        self._filings = filings
        self._given = words
        self._terms: FetchTerms | None = None
        self._plan: Plan | None = None
        self._is_asking = False

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="fetching", can_focus=False) as box:
            box.border_title = "Fetch from EDGAR"
            yield Static("Companies: ticker, CIK, name or accession number, with commas between", classes="label")
            yield Input(self._given.companies, placeholder="AAPL, Target Corp", compact=True, id="companies")
            yield Static("Fiscal years, or how many of the newest; nothing for the newest", classes="label")
            yield Input(self._given.years, placeholder="2022-2024", compact=True, id="years")
            yield Static("", markup=False, classes="label", id="held")
            yield Static("", markup=False, classes="label", id="terms")
            yield Input(placeholder="your name or company", compact=True, id="asker")
            yield Input(placeholder="your e-mail address", compact=True, id="email")
            yield OptionList(id="plan", markup=False, compact=True)
            yield Static("", markup=False, id="fetch-note")
            yield Button("Ask EDGAR", compact=True, variant="primary", id="go")

    def on_mount(self) -> None:
        for selector in (*_WHO, "#plan", "#go"):
            self.query_one(selector).display = False
        self.query_one("#plan").can_focus = False
        self._draw()
        self._read_terms()

    @on(Input.Changed, "#companies,#years")
    def _typed(self) -> None:
        """What was planned is no longer what is wanted."""
        self._plan = None
        self._draw()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_go_on()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_go_on()

    @on(TermsRead)
    def _terms_read(self, event: TermsRead) -> None:
        was_unknown = self._terms is not None and not self._terms.asker
        self._terms = event.terms
        for selector in _WHO:
            self.query_one(selector).display = not event.terms.asker and not event.terms.forbidden
        self._draw()
        if was_unknown and event.terms.asker:
            self.query_one("#companies").focus()
            self._ask_edgar()

    @on(PlanMade)
    def _planned(self, event: PlanMade) -> None:
        self._is_asking = False
        if event.words == self._words:
            self._plan = event.plan
        self._draw()

    @on(FetchRefused)
    def _refused(self, event: FetchRefused) -> None:
        self._is_asking = False
        self._draw(one_line(f"✗ {in_one_line(event.message, event.hint)}"))

    def action_go_on(self) -> None:
        """The next step: who asks, then what there is, then the download."""
        match self._step:
            case "introduce":
                self._introduce(self.query_one("#asker", Input).value, self.query_one("#email", Input).value)
            case "ask":
                self._ask_edgar()
            case "fetch":
                self.dismiss(self._plan)
            case "wait":
                pass

    def action_close(self) -> None:
        self.dismiss(None)

    @property
    def _words(self) -> Words:
        return Words(self.query_one("#companies", Input).value, self.query_one("#years", Input).value)

    @property
    def _step(self) -> Literal["wait", "introduce", "ask", "fetch"]:
        if self._terms is None or self._terms.forbidden or self._is_asking:
            return "wait"
        if not self._terms.asker:
            return "introduce"
        return "fetch" if self._plan is not None and self._plan.wanted else "ask"

    def _ask_edgar(self) -> None:
        words = self._words
        try:
            words.wishes()
        except FinTuiError as error:
            self._draw(in_one_line(error.message, error.hint))
            return
        self._is_asking = True
        self._draw("Asking EDGAR…")
        self._make_plan(words)

    def _draw(self, note: str = "") -> None:
        plan, options = self._plan, self.query_one(OptionList)
        self.query_one("#held", Static).update(Content(held_line(self._words.names, self._filings)))
        self.query_one("#terms", Static).update(Content(one_line(terms_line(self._terms)) if self._terms else ""))
        options.set_options([Option(line) for line in plan_lines(plan)] if plan else [])
        options.display = plan is not None
        self.query_one("#fetch-note", Static).update(Content(note or (plan_summary(plan) if plan else "")))
        step, button = self._step, self.query_one(Button)
        button.display = step in ("ask", "fetch")
        button.label = f"Fetch {count(len(plan.wanted), 'filing')}" if plan and step == "fetch" else "Ask EDGAR"
        told = {
            "introduce": "Enter keeps this and asks EDGAR",
            "ask": "Enter asks EDGAR: goes online",
            "fetch": "Enter downloads",
        }
        lead = f"{told[step]} · " if step in told else ""
        self.query_one("#fetching").border_subtitle = Content(lead) + way_out("Esc closes", "screen.close")

    @work(thread=True, exclusive=True, group="fetch-terms", exit_on_error=False)
    def _read_terms(self) -> None:
        try:
            self.post_message(TermsRead(self._room.terms()))
        except FinTuiError as error:
            self.post_message(FetchRefused(error.message, error.hint))

    @work(thread=True, exclusive=True, group="fetch-terms", exit_on_error=False)
    def _introduce(self, name: str, email: str) -> None:
        try:
            self.post_message(TermsRead(self._room.introduce(name, email)))
        except FinTuiError as error:
            self.post_message(FetchRefused(error.message, error.hint))

    @work(thread=True, exclusive=True, group="fetch-plan", exit_on_error=False)
    def _make_plan(self, words: Words) -> None:
        worker = get_current_worker()
        try:
            plan = self._room.plan(words, lambda: worker.is_cancelled)
        except FinTuiError as error:
            self.post_message(FetchRefused(error.message, error.hint))
        else:
            self.post_message(PlanMade(words, plan))
