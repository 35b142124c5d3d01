"""The rooms beside the scripted engine: long work, settings and models, helps in reading, checking."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from fin_tui.config import Settings
from fin_tui.engine.checking import Checked
from fin_tui.engine.models.listing import ListedModel, Offer
from fin_tui.engine.reader import Heading
from fin_tui.errors import UsageError
from fin_tui.records import Scope
from fin_tui.store.kept import Bookmark
from fin_tui.ui.services import JobLine, JobNews, Missing
from fin_tui.ui.text_layout import Grid

LACKING = Missing(("answers: small-model, 90 MB",), ("acme.htm",))


@dataclass
class FakeWork:
    """Tells what it was told to tell; waits after each at ``hold`` until released or cancelled."""

    news: tuple[JobNews, ...] = (JobLine("done", "Acme Corp FY2023 10-K (old.htm)"),)
    error: Exception | None = None
    hold: threading.Event | None = None
    lacking: Missing = LACKING
    called: list[tuple[str, object]] = field(default_factory=list)

    def add(self, paths: Sequence[Path], cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        return self._tell("add", tuple(paths), cancelled)

    def reindex(self, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        return self._tell("reindex", None, cancelled)

    def pull(self, model: str, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        return self._tell("pull", model, cancelled)

    def missing(self) -> Missing:
        while self.hold is not None and not self.hold.wait(0.01):
            pass
        return self.lacking

    def set_up(self, cancelled: Callable[[], bool], *, samples: bool = True) -> Iterator[JobNews]:
        return self._tell("set_up", samples, cancelled)

    def try_out(self, model: str, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        self.called.append(("try_out", model))
        yield JobLine("done", f"{model} writes answers from now on.")

    def _tell(self, name: str, what: object, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        self.called.append((name, what))
        for news in self.news:
            yield news
            while self.hold is not None and not cancelled() and not self.hold.wait(0.01):
                pass
            if cancelled():
                return
        if self.error is not None:
            raise self.error


@dataclass
class FakeOptions:
    """Settings in memory, checked as the file's are."""

    now: Settings = field(default_factory=Settings)
    set_by_environment: frozenset[str] = frozenset()
    listed: tuple[ListedModel, ...] = ()
    offered: tuple[Offer, ...] = ()

    def settings(self) -> Settings:
        return self.now

    def fixed(self) -> frozenset[str]:
        return self.set_by_environment

    def save(self, key: str, value: Any) -> Settings:
        plain = msgspec.to_builtins(self.now)
        section, name = key.split(".", 1)
        if name.startswith("keys."):
            plain["app"]["keys"] |= {name.removeprefix("keys."): value}
            plain["app"]["keys"] = {action: keys for action, keys in plain["app"]["keys"].items() if keys}
        elif value is None:
            del plain[section][name]
        else:
            plain[section][name] = value
        try:
            self.now = msgspec.convert(plain, Settings)
        except msgspec.ValidationError as error:
            raise UsageError(str(error), "See the settings.") from error
        self.listed = tuple(replace(m, in_use=m.name == self.now.model.name) for m in self.listed)
        return self.now

    def models(self) -> Sequence[ListedModel]:
        return self.listed

    def offers(self) -> Sequence[Offer]:
        return self.offered


@dataclass
class FakeShelf:
    """Contents as given, and bookmarks in memory."""

    headings: tuple[Heading, ...] = ()
    text: str = ""
    grid: Grid = field(default_factory=dict)
    marks: set[int] = field(default_factory=set)

    def outline(self, filing: str) -> Sequence[Heading]:
        return self.headings

    def pages(self, filing: str) -> Sequence[tuple[int, str]]:
        return [(0, "p. 3"), (len(self.text) // 2, "p. 4 (physical page 7)")]

    def columns(self, filing: str, start: int, text: str) -> Grid:
        return {at - start: columns for at, columns in self.grid.items() if start <= at < start + len(text)}

    def bookmarks(self, filing: str) -> Sequence[Bookmark]:
        return tuple(Bookmark(at, self.text[at : at + 40].partition("\n")[0], at) for at in sorted(self.marks))

    def mark(self, filing: str, start: int) -> None:
        self.marks.add(start)

    def unmark(self, filing: str, start: int) -> None:
        self.marks.discard(start)


@dataclass(kw_only=True)
class FakeRooms:
    """What ``FakeServices`` has besides the engine."""

    work: FakeWork = field(default_factory=FakeWork)
    options: FakeOptions = field(default_factory=FakeOptions)
    found_in_check: Checked = field(default_factory=lambda: Checked(None, "unknown", ()))
    checked: list[tuple[str, Scope]] = field(default_factory=list)
    check_waits: threading.Event | None = None

    def check(self, text: str, scope: Scope, tell: Callable[[int, int], None]) -> Checked:
        self.checked.append((text, scope))
        tell(0, 2)
        while self.check_waits is not None and not self.check_waits.wait(0.01):
            tell(1, 2)
        return self.found_in_check
