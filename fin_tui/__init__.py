"""fin-tui: offline questions and answers over SEC 10-K filings.

``from fin_tui import Library`` is the way in for other programs (``api.py``); importing the package alone loads nothing heavy.
The program itself begins in ``cli/entry.py``, the app in ``ui/app.py``, an answer in ``engine/answering/answer.py``.
"""

from typing import TYPE_CHECKING, Any

from fin_tui.version import __version__

if TYPE_CHECKING:
    from fin_tui.api import Library

__all__ = ["Library", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Library":
        from fin_tui.api import Library

        return Library
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
