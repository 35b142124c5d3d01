"""The settings of the real home, and the reader's helps over the real library."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fin_tui.config import Settings, from_environment, load_settings
from fin_tui.paths import Paths
from fin_tui.settings_file import remove_setting, write_setting

if TYPE_CHECKING:
    from fin_tui.engine.models.listing import ListedModel
    from fin_tui.engine.models.recommend import Offer
    from fin_tui.engine.reader.outline import Heading
    from fin_tui.store.bookmarks import Bookmark, Bookmarks
    from fin_tui.store.corpus import Corpus

_KEYS = "app.keys."


class LiveOptions:
    """Implements ``ui.services.Options``."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def settings(self) -> Settings:
        return load_settings(self._paths.settings)

    def fixed(self) -> frozenset[str]:
        return frozenset(f"{section}.{key}" for section, key, _ in from_environment(os.environ))

    def save(self, key: str, value: Any) -> Settings:
        section, name = ("app.keys", key.removeprefix(_KEYS)) if key.startswith(_KEYS) else key.split(".", 1)
        if value is None:
            remove_setting(self._paths.settings, section, name)
        else:
            write_setting(self._paths.settings, section, name, value)
        return self.settings()

    def models(self) -> Sequence[ListedModel]:
        from fin_tui.engine.models.offers import all_models

        return all_models(self._paths, self.settings().model.name)

    def offers(self) -> Sequence[Offer]:
        from fin_tui.engine.models.offers import best_models

        return best_models(self._paths, self.settings().model)


class LiveShelf:
    """Implements ``ui.services.Shelf``."""

    def __init__(self, corpus: Corpus, bookmarks: Bookmarks) -> None:
        self._corpus = corpus
        self._bookmarks = bookmarks

    def outline(self, filing: str) -> Sequence[Heading]:
        from fin_tui.engine.reader.outline import outline

        return outline(self._corpus.document(filing), self._corpus.sections(filing))

    def bookmarks(self, filing: str) -> Sequence[Bookmark]:
        return self._bookmarks.of(filing, self._corpus.text(filing))

    def mark(self, filing: str, start: int) -> None:
        self._bookmarks.add(filing, start, self._corpus.text(filing))

    def unmark(self, filing: str, start: int) -> None:
        self._bookmarks.remove(filing, start)
