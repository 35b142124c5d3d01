"""What goes wrong between here and a server, in one line each."""

from __future__ import annotations

from fin_tui.errors import FinTuiError
from fin_tui.team.address import TOKEN, host_of

_LOCAL = "Without --corpus (or corpus.uri in the settings) fin-tui works on the library of this machine."
_CONNECT, _MEMORY, _RATE, _DENY, _DISK, _DATABASE, _COLLECTION = 2, 3, 8, 9, 10, 800, 100
_LONGEST = 160


class CorpusGone(FinTuiError):
    """The server does not answer, or not in time."""


class CorpusFull(FinTuiError):
    """The server lacks memory or disk, or refuses more work."""


class OtherCorpus(FinTuiError):
    """There is no corpus at the address, or one that this program can't read."""


def worded(error: Exception, uri: str, timeout: float) -> FinTuiError:
    """``error`` of pymilvus or gRPC as ours. ``timeout``, in seconds, is what the call was given."""
    at = f"The corpus at {host_of(uri)}"
    kind, code, said = _kind(error), getattr(error, "code", None), _said(error)
    folded = said.lower()
    if kind == "DEADLINE_EXCEEDED" or "deadline exceeded" in folded or "timeout" in folded:
        return CorpusGone(f"{at} gave no answer within {timeout:g} s", f"Try again, or raise corpus.timeout_s. {_LOCAL}")
    if kind in ("UNAUTHENTICATED", "PERMISSION_DENIED") or "auth check failure" in folded or "privilege" in folded:
        return FinTuiError(f"{at} refused the credentials", f"Put the token, or NAME:PASSWORD, into {TOKEN}.")
    if kind == "UNAVAILABLE" or code == _CONNECT or "unavailable" in folded:
        return CorpusGone(f"{at} does not answer", f"See that the server runs and the address is right. {_LOCAL}")
    if kind == "RESOURCE_EXHAUSTED" or code in (_MEMORY, _RATE, _DENY, _DISK) or "memory" in folded:
        return CorpusFull(f"{at} is out of memory or refuses more work: {said}", "Ask less at once, or give the server more.")
    if code == _COLLECTION or "collection not found" in folded:
        return no_corpus(uri)
    if code == _DATABASE or "database not found" in folded:
        return OtherCorpus(f"{at}: there is no such database", "Make it on the server first, or leave /DATABASE out.")
    if kind == "CANCELLED":
        return CorpusGone(f"{at} broke off", f"Try again. {_LOCAL}")
    return FinTuiError(f"{at} failed: {said}", _LOCAL)


def no_corpus(uri: str) -> OtherCorpus:
    """Nothing was ever written there."""
    return OtherCorpus(f"{host_of(uri)} holds no corpus", f"fin-tui ingest-corpus FOLDER --corpus {uri} makes one.")


def other_version(uri: str, found: int, ours: int) -> OtherCorpus:
    """The rows there are those of another program."""
    at = f"The corpus at {host_of(uri)} has schema {found}; this program reads {ours}"
    if found > ours:
        return OtherCorpus(at, "Upgrade fin-tui.")
    return OtherCorpus(at, "Ingest it anew into an empty database: fin-tui ingest-corpus.")


def _kind(error: Exception) -> str:
    """The name of the gRPC status, "" without one."""
    code = getattr(error, "code", None)
    return str(getattr(code() if callable(code) else None, "name", ""))


def _said(error: Exception) -> str:
    """The error's own words in one line."""
    details = getattr(error, "details", None)
    words = str(getattr(error, "message", "") or (details() if callable(details) else "") or error)
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
