"""The real notebook on a small real library of one's own; only figures are scripted."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fin_tui.engine.figures.detail import FigureDetail, Stated
from fin_tui.errors import NotFound
from fin_tui.paths import Paths
from fin_tui.records import Citation, FactRecord
from fin_tui.store.library import Library
from fin_tui.ui.live_rooms import LiveNotebook


class FakeNotebook(LiveNotebook):
    """Looks up figures in ``details`` by what they are printed as."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fin-tui-notebook-")
        self.home = Path(self._folder.name)
        self.library = Library.open(Paths(self.home))
        super().__init__(self.library, self.library, self.home / "exports")
        self.details: dict[str, FigureDetail] = {}
        self.citation: Citation | None = None

    def figure(self, fact: FactRecord) -> FigureDetail:
        try:
            return self.details[str(fact["as_reported"])]
        except KeyError as error:
            raise NotFound("That figure is no longer in the library.", "Ask anew.") from error

    def citation_of(self, stated: Stated) -> Citation | None:
        return self.citation if stated.page else None
