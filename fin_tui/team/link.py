"""The connection to a Milvus server: the one place that speaks pymilvus."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from fin_tui.errors import FinTuiError, MissingAsset, UsageError
from fin_tui.network import require_network

if TYPE_CHECKING:
    from pymilvus import MilvusClient

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


WINDOW = 8000
"""Rows in one answer: Milvus gives at most 16,384."""
_NOT_LOADED = 101
T = TypeVar("T")
_QUIET = {"grpc.keepalive_time_ms": 310_000, "grpc.keepalive_permit_without_calls": 0}
"""The client's pings every ten seconds are too many for servers that gRPC's defaults guard: they close the connection."""
Row = dict[str, Any]
Field = tuple[str, str, Mapping[str, Any]]
IndexOf = tuple[str, str, str, Mapping[str, Any]]


class Link:
    """One connection, opened anew when it was lost. All methods raise ``FinTuiError`` that names the server; safe to share
    between threads.
    """

    def __init__(self, uri: str, *, timeout: float = 10.0, token: str | None = None) -> None:
        """``uri`` is ``http[s]://HOST[:PORT][/DATABASE]``; ``timeout`` in seconds bounds each call. ``token`` is by default that
        of the environment, else of the keyring.

        Raises ``UsageError`` for an address that is none, or that a token can't be sent to, ``Offline`` when connections are
        forbidden, ``CorpusGone`` when nothing answers.
        """
        self.uri = checked(uri)
        self._must_be_online()
        self._timeout = timeout
        self._secret = secret_of(self.uri, token)
        self._lock = Lock()
        self._open: MilvusClient | None = None
        self._call(lambda client, seconds: None)

    def close(self) -> None:
        """Safe to call twice."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def has(self, collection: str) -> bool:
        return bool(self._call(lambda client, timeout: client.has_collection(collection, timeout=timeout)))

    def create(self, collection: str, fields: Sequence[Field], indexes: Sequence[IndexOf]) -> None:
        """Make a collection with its indexes, and load it."""
        from pymilvus import DataType, MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        for name, kind, options in fields:
            plain = {key: getattr(DataType, value) if key == "element_type" else value for key, value in options.items()}
            schema.add_field(name, getattr(DataType, kind), **plain)
        wanted = MilvusClient.prepare_index_params()
        for name, kind, metric, parameters in indexes:
            wanted.add_index(field_name=name, index_type=kind, **({"metric_type": metric} if metric else {}), params=parameters)
        self._call(
            lambda client, timeout: client.create_collection(collection, schema=schema, index_params=wanted, timeout=timeout),
            factor=6,
        )

    def upsert(self, collection: str, rows: Sequence[Row]) -> None:
        """Write rows in place of those with the same keys; to be called with a few hundred at once."""
        if rows:
            self._call(lambda client, timeout: client.upsert(collection, list(rows), timeout=timeout), collection, factor=6)

    def delete(self, collection: str, condition: str) -> None:
        self._call(lambda client, timeout: client.delete(collection, filter=condition, timeout=timeout), collection, factor=6)

    def flush(self, collection: str) -> None:
        """Have what was written stored and indexed."""
        self._call(lambda client, timeout: client.flush(collection, timeout=timeout), collection, factor=60)

    def get(self, collection: str, keys: Sequence[int], fields: Sequence[str], *, is_fresh: bool = False) -> list[Row]:
        """Rows by key, in no order; those that are not there are left out. ``is_fresh`` waits for writes that are under way."""
        options = {"output_fields": list(fields), "consistency_level": "Strong" if is_fresh else "Bounded"}
        found: list[Row] = []
        for start in range(0, len(keys), WINDOW):
            part = [int(key) for key in keys[start : start + WINDOW]]
            found += self._call(partial(_get, collection=collection, keys=part, options=options), collection)
        return found

    def between(self, collection: str, first: int, end: int, fields: Sequence[str]) -> list[Row]:
        """Rows with a key from ``first`` up to below ``end``, in no order."""
        found: list[Row] = []
        options = {"output_fields": list(fields), "limit": WINDOW}
        for start in range(first, end, WINDOW):
            condition = f"key >= {start} and key < {min(end, start + WINDOW)}"
            found += self._call(partial(_query, collection=collection, condition=condition, options=options), collection)
        return found

    def each(self, collection: str, condition: str, fields: Sequence[str]) -> Iterator[Row]:
        """All rows that meet ``condition``, writes under way included, in no order."""
        options = {"output_fields": list(fields), "batch_size": WINDOW, "consistency_level": "Strong"}
        rows = self._call(
            lambda client, timeout: client.query_iterator(collection, filter=condition, timeout=timeout, **options), collection
        )
        try:
            while part := self._call(lambda client, timeout: rows.next()):
                yield from part
        finally:
            rows.close()

    def search(
        self, collection: str, field: str, query: Any, condition: str, k: int, parameters: Mapping[str, Any]
    ) -> list[tuple[int, float]]:
        """(key, score) of the ``k`` rows that are best by the vectors of ``field`` and meet ``condition``, best first."""
        options = {"anns_field": field, "limit": k, "output_fields": ["key"], "search_params": {"params": dict(parameters)}}
        (hits,) = self._call(
            lambda client, timeout: client.search(collection, data=[query], filter=condition, timeout=timeout, **options),
            collection,
        )
        return [(int(hit["key"]), float(hit["distance"])) for hit in hits]

    def _call(self, work: Callable[[MilvusClient, float], T], collection: str = "", factor: int = 1) -> T:
        """What ``work`` gives with an open client and its seconds, ``factor`` times the usual ones.

        A server that was started anew may hold ``collection`` on disk alone: it is then told to load it.
        """
        seconds = factor * self._timeout
        with self._told(seconds):
            try:
                return work(self._client(), seconds)
            except _exceptions().MilvusException as error:
                if not collection or error.code != _NOT_LOADED:
                    raise
                self._client().load_collection(collection, timeout=6 * self._timeout)
                return work(self._client(), seconds)

    def _client(self) -> MilvusClient:
        with self._lock:
            if self._open is None:
                self._must_be_online()
                self._open = _connect(self.uri, self._secret, self._timeout)
            return self._open

    def _must_be_online(self) -> None:
        require_network(f"The corpus at {self.uri}")

    @contextlib.contextmanager
    def _told(self, seconds: float) -> Iterator[None]:
        """The failures of the client as one clear line each; a lost connection is opened anew by the next call."""
        exceptions = _exceptions()
        import grpc

        try:
            yield
        except (exceptions.MilvusException, grpc.RpcError) as error:
            told = worded(error, self.uri, seconds)
            if isinstance(told, CorpusGone):
                self.close()
            raise told from error


def _get(client: MilvusClient, timeout: float, *, collection: str, keys: list[int], options: Row) -> list[Row]:
    return list(client.get(collection, keys, timeout=timeout, **options))


def _query(client: MilvusClient, timeout: float, *, collection: str, condition: str, options: Row) -> list[Row]:
    return list(client.query(collection, condition, timeout=timeout, **options))


def _exceptions() -> Any:
    """The client's module of exceptions. Raises ``MissingAsset`` when the client is not installed."""
    # gRPC prints to standard error, too, unless it is told not to before it is loaded.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        from pymilvus import exceptions
    except ImportError as error:
        raise MissingAsset("A team's corpus needs pymilvus, which is not installed", "pip install 'fin-tui[team]'") from error
    return exceptions


def _connect(uri: str, secret: str, timeout: float) -> MilvusClient:
    # It prints to standard error, which the app draws on; what failed is said by ``worded``.
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)
    from pymilvus import MilvusClient

    parts = urlsplit(uri)
    address = f"{parts.scheme}://{parts.netloc}"
    database = parts.path.strip("/")
    return MilvusClient(address, token=secret, db_name=database, timeout=timeout, dedicated=True, grpc_options=_QUIET)
