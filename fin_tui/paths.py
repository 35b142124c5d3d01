"""The only place that knows where models/, index/, data/, logs and user files are.

The home folder is ``--home``, else ``FIN_TUI_HOME``, else the checkout that the working folder lies in, else the platform's
user data folder. It is never found from ``__file__``: an installed wheel has no such siblings.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

HOME_VARIABLE = "FIN_TUI_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders and files under one home."""

    home: Path

    @property
    def models(self) -> Path:
        """Weights: the language model, encoders, the reranker."""
        return self.home / "models"

    @property
    def index(self) -> Path:
        """Disposable index generations."""
        return self.home / "index"

    @property
    def data(self) -> Path:
        """The database and downloads."""
        return self.home / "data"

    @property
    def database(self) -> Path:
        return self.data / "library.sqlite3"

    @property
    def samples(self) -> Path:
        """Sample filings as downloaded."""
        return self.data / "samples"

    @property
    def exports(self) -> Path:
        """What the app writes for the reader: the notebook, conversations."""
        return self.data / "exports"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def settings(self) -> Path:
        """The user's settings file (TOML)."""
        return self.home / "fin-tui.toml"


def find_home(chosen: Path | None = None) -> Paths:
    """The home folder by the order above; nothing is created."""
    if chosen is not None:
        return Paths(chosen.expanduser().resolve())
    if from_environment := os.environ.get(HOME_VARIABLE):
        return Paths(Path(from_environment).expanduser().resolve())
    here = Path.cwd()
    for folder in (here, *here.parents):
        if _is_checkout(folder):
            return Paths(folder)
    import platformdirs

    return Paths(Path(platformdirs.user_data_dir("fin-tui", appauthor=False)))


def _is_checkout(folder: Path) -> bool:
    if not (folder / "fin_tui" / "__init__.py").is_file():
        return False
    try:
        return 'name = "fin-tui"' in (folder / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return False
