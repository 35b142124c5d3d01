from fin_tui.api import Library as Library

__all__ = ["Library", "__version__"]

__version__: str
