"""The errors that reach a user: one clear line each, and a hint what to do.

Everything the program raises on purpose is a ``FinTuiError``. The command line prints ``message`` and ``hint`` and exits
with ``exit_code``; the app shows both in one place. Any other exception is a defect.
"""


def in_one_line(message: str, hint: str) -> str:
    """What is wrong and what to do about it, as sentences one behind the other."""
    ended = message if not hint or message.endswith((".", "!", "?", ":", "”")) else f"{message}."
    return f"{ended} {hint}".strip()


class FinTuiError(Exception):
    """Work that failed for a reason a user can act on."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, in one line, naming the file or value."""
        self.hint = hint
        """What to do about it; empty when there is nothing to add."""


class UsageError(FinTuiError):
    """The call itself is wrong: an unknown option value, an ambiguous filing name."""

    exit_code = 2


class NotFound(FinTuiError):
    """What was asked for is not in the library."""

    exit_code = 3


class BadFiling(FinTuiError):
    """Bytes that can't be read as a 10-K filing."""


class WrongForm(FinTuiError):
    """A readable filing of another form (10-Q, 10-KSB, 8-K); ``--force`` imports it all the same."""


class MissingAsset(FinTuiError):
    """Weights, sample filings or an optional package that are not there, or not what they should be."""


class ModelFailed(FinTuiError):
    """The language model process could not load or died."""

    crashed = False
    """Whether it died of a processor fault: plainer kernels may run where these don't."""


class LibraryBusy(FinTuiError):
    """Another process holds the write lock for longer than we wait."""


def said(error: Exception) -> str:
    """What an exception of the system or of a parser says, without the number and the file name that stand beside it."""
    return getattr(error, "strerror", None) or str(error)
