"""The library for other programs: ``from fin_tui import Library``.

Add filings, search them, look figures up, ask, check a text. Everything here is a thin way to the engine that the command
line and the app use; it has no rule of its own. All methods raise ``FinTuiError`` with ``message`` and ``hint``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from msgspec import structs

from fin_tui.config import Mode, load_settings
from fin_tui.engine.answering.answer import Request
from fin_tui.engine.answering.compose import not_held
from fin_tui.engine.answering.events import Event, Failed, Finished
from fin_tui.engine.services import Services, open_services
from fin_tui.errors import FinTuiError, NotFound, UsageError
from fin_tui.paths import find_home
from fin_tui.records import Answer, Filing, PlacedFact, Scope, Section
from fin_tui.retrieval.scope import allowed_filings, resolve_scope
from fin_tui.team import corpus_of

if TYPE_CHECKING:
    from fin_tui.engine.checking import Checked
    from fin_tui.engine.searching import Passages
    from fin_tui.ingest import Outcome


class Limits(TypedDict, total=False):
    """What a question may look at; each one value or several. What is left out does not limit."""

    company: str | Iterable[str]
    """Name, ticker or CIK."""
    year: int | Iterable[int]
    """Fiscal year: of the filings; with ``facts`` and ``check``, of the figures, which may stand in a later filing."""
    item: str | Iterable[str]
    """"7", "1A", "mda", "risk_factors", …"""
    form: str | Iterable[str]
    """"10-K", "10-K/A", …"""
    filing: str | Iterable[str]
    """Id, unique prefix, base name or COMPANY:YEAR."""


class Library:
    """Filings and what can be asked of them. Use as a context manager, or call ``close``.

    Opening is fast; weights are loaded by the first search or question. One object may be used from several threads: answers
    wait for each other. Several processes may open the same home.
    """

    def __init__(self, home: str | Path | None = None, *, with_model: bool = True, corpus: str | None = None) -> None:
        """``home`` holds models/, index/ and data/; by default as the command line finds it. ``with_model=False`` never starts a
        language model: answers then consist of sentences of the filings and exact figures. ``corpus`` is the address of a team's
        corpus, whose filings are asked in place of those of the home; by default as the settings say, "" asks those of the home.
        """
        paths = find_home(Path(home) if home is not None else None)
        settings = load_settings(paths.settings)
        if corpus is not None:
            settings = structs.replace(settings, corpus=structs.replace(settings.corpus, uri=corpus))
        served = corpus_of(paths, settings)
        self._services: Services = open_services(paths, settings, with_model=with_model, corpus=served)
        self._held = self._services.corpus
        self._is_warm = False

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the model's process and close the database; safe to call twice."""
        self._services.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing, such as weights, and what to do about it."""
        return tuple(self._services.notes)

    def filings(self, **limits: Unpack[Limits]) -> tuple[Filing, ...]:
        """The filings held, by company and period."""
        return allowed_filings(self._held.filings(), self.scope(**limits))

    def sections(self, filing: str) -> tuple[Section, ...]:
        """The Parts and Items of a filing."""
        return self._held.sections(self._held.resolve(filing).id)

    def section(self, filing: str, item: str) -> str:
        """The clean text of an Item of a filing. Raises ``NotFound`` with the Items that there are."""
        from fin_tui.engine.reader import item_text

        return item_text(self._held, self._held.resolve(filing), item)

    def add(self, paths: str | Path | Iterable[str | Path], *, embed: bool = True) -> tuple[Filing, ...]:
        """Take files in, or folders of them; gives the filings they are, also those that were held already.

        Raises ``FinTuiError`` when a file could not be added, after all others are. See :meth:`adding` for progress.
        """
        from fin_tui.ingest import Added, FailedFile, Skipped

        found: dict[str, Filing] = {}
        failed: list[FailedFile] = []
        for outcome in self.adding(paths, embed=embed):
            if isinstance(outcome, (Added, Skipped)) and outcome.filing is not None:
                found[outcome.filing.id] = self._held.filing(outcome.filing.id)
            elif isinstance(outcome, FailedFile):
                failed.append(outcome)
        if failed:
            raise FinTuiError("; ".join(one.message for one in failed), failed[0].hint)
        return tuple(found.values())

    def adding(self, paths: str | Path | Iterable[str | Path], *, embed: bool = True) -> Iterator[Outcome]:
        """Take files in, one outcome after another: ``Progress``, then ``Added``, ``Skipped`` or ``FailedFile`` for each file,
        last ``Embedded``. Stopping the iteration leaves what was reported. Works in this process, so that scripts and notebooks
        need no guard for child processes.
        """
        from fin_tui.ingest import expand
        from fin_tui.ingest.pipeline import add_files, embed_all, write_indexes

        if self._services.served is not None:
            raise UsageError("A team's corpus is not changed from here.", "fin-tui ingest-corpus FOLDER --corpus URI adds to it.")
        library, at, settings = self._services.library, self._services.paths, self._services.settings
        files = expand([Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)])
        yield from add_files(library, settings, files)
        if embed:
            yield from embed_all(at, library, settings)
        else:
            write_indexes(at, library, settings)

    def search(
        self,
        query: str,
        *,
        k: int | None = None,
        mode: Mode | None = None,
        rerank: bool | None = None,
        **limits: Unpack[Limits],
    ) -> Passages:
        """The passages that bear on ``query``, best first, in ``hits``; ``notes`` say what is not held."""
        if not self._is_warm:
            # The first search pays for loading the weights; its deadline is for ranking alone.
            self._services.finder.warm_up(mode=mode, rerank=rerank)
            self._is_warm = True
        return self._services.finder.search(query, self.scope(**limits), k=k, mode=mode, rerank=rerank)

    def facts(self, metrics: str | Sequence[str], *, latest: bool = False, **limits: Unpack[Limits]) -> list[PlacedFact]:
        """Figures by name, company and fiscal year: the objects of ``facts --json``.

        A gap has ``value`` None, and ``gap`` says why.

        Without ``year`` the latest four of each company. Each figure is the one first reported; with ``latest`` that of the
        latest filing which covers its year.
        """
        from fin_tui.engine.figures.facts_grid import Pages, cell_json, make_grid
        from fin_tui.facts.lookup import FactBook

        years = sorted(set(_years(limits.pop("year", ()))))
        cells = make_grid(FactBook(self._held), self.filings(**limits), _names(metrics), years, latest=latest)
        pages = Pages(self._held)
        return [cell_json(cell, pages) for cell in cells]

    def ask(self, question: str, *, use_model: bool = True, history: Sequence[str] = (), **limits: Unpack[Limits]) -> Answer:
        """The answer with its citations, figures and verdicts: the record behind ``ask --json``.

        ``history`` holds the questions before this one. What the library can't answer gives ``status`` "refused" and a reason.
        """
        try:
            events = self.stream(question, use_model=use_model, history=history, **limits)
        except NotFound as error:
            return not_held(question, None, error)
        for event in events:
            if isinstance(event, Failed):
                raise FinTuiError(event.message, event.hint)
            if isinstance(event, Finished):
                return event.answer
        raise RuntimeError("an answer ended without its last event")

    def stream(
        self, question: str, *, use_model: bool = True, history: Sequence[str] = (), **limits: Unpack[Limits]
    ) -> Iterator[Event]:
        """The events of an answer as they happen (``fin_tui.engine.answering.events``): the evidence, the model's words, each
        sentence as it is checked, last ``Finished`` or ``Failed``. Closing the iterator stops the answer.
        """
        request = Request(question, self.scope(**limits), use_model=use_model, history=tuple(history))
        return self._services.engine.stream(request)

    def check(self, text: str, **limits: Unpack[Limits]) -> Checked:
        """Every number of ``text`` held against the library: supported, contradicted or unknown, and why.

        ``year`` says which fiscal year is meant where the text does not.
        """
        from fin_tui.engine.checking import open_checker

        years = _years(limits.pop("year", ()))
        scope = replace(self.scope(**limits), fiscal_years=years)
        return open_checker(self._held, self._services.retriever, self._services.asker).check(text, scope)

    def scope(self, **limits: Unpack[Limits]) -> Scope:
        """The scope that ``limits`` mean here.

        Raises ``NotFound`` for what is not held, ``UsageError`` for what means nothing.
        """
        return resolve_scope(
            self._held.filings(),
            companies=_names(limits.get("company", ())),
            years=_years(limits.get("year", ())),
            items=_names(limits.get("item", ())),
            forms=_names(limits.get("form", ())),
            filing_names=_names(limits.get("filing", ())),
        )


def _names(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _years(value: int | Iterable[int]) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)
