"""fin-tui: offline questions and answers over SEC 10-K filings.

``from fin_tui import Library`` is the way in for other programs; importing the package alone loads nothing heavy.
"""

import importlib
from typing import Any

__version__ = "0.1.0"
__all__ = ["Library", "__version__"]


def __getattr__(name: str) -> Any:
    # By name: a plain import would make every module of the package depend on all that the library needs.
    if name == "Library":
        return importlib.import_module("fin_tui.api").Library
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
