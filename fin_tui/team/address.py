"""Where a corpus is and what opens it. A secret comes from the environment or the keyring, and leaves only encrypted."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from fin_tui.errors import UsageError

TOKEN = "FIN_TUI_CORPUS_TOKEN"
"""The environment variable with the server's token, or ``user:password``."""
_KEYRING = "fin-tui corpus"
_EXAMPLE = "An address is http://HOST:19530, https://HOST:PORT, or either with /DATABASE."


def checked(uri: str) -> str:
    """``uri`` without a slash at its end. Raises ``UsageError`` when it is no address, or holds a password."""
    uri = uri.strip().rstrip("/")
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"{uri!r} is no address of a corpus: {error}", _EXAMPLE) from error
    if parts.username or parts.password:
        raise UsageError("The address of a corpus must hold no name and password", f"Put NAME:PASSWORD into {TOKEN}.")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or "/" in parts.path.strip("/"):
        raise UsageError(f"{uri!r} is no address of a corpus", _EXAMPLE)
    return uri


def host_of(uri: str) -> str:
    """For people: the host with its port, and the database where one is named."""
    parts = urlsplit(uri)
    return parts.netloc + parts.path.rstrip("/")


def secret_of(uri: str, token: str | None = None) -> str:
    """``token``, else that of the environment, else of the keyring, else "".

    Raises ``UsageError`` when there is one and ``uri`` would carry it unencrypted to another machine.
    """
    secret = (os.environ.get(TOKEN, "") or _from_keyring(uri)) if token is None else token
    if secret and not (uri.startswith("https:") or _is_here(uri)):
        raise UsageError(f"The token for {host_of(uri)} would cross the network in the clear", "Give an https:// address.")
    return secret


def _from_keyring(uri: str) -> str:
    """What the system's keyring keeps for ``uri``; "" where there is no keyring."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return ""
    try:
        return keyring.get_password(_KEYRING, host_of(uri)) or ""
    except KeyringError:
        return ""


def _is_here(uri: str) -> bool:
    host = urlsplit(uri).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
