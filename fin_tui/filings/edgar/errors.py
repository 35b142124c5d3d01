"""What can go wrong between us and EDGAR."""

from __future__ import annotations

from fin_tui.errors import FinTuiError


class EdgarError(FinTuiError):
    """EDGAR could not be asked, or its answer can't be used."""


class NotAtEdgar(EdgarError):
    """EDGAR has no such file or company."""

    exit_code = 3


class Stopped(EdgarError):
    """The user stopped the work."""
