"""The connection to a Milvus server: the one place that speaks pymilvus."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from fin_tui.errors import MissingAsset
from fin_tui.network import require_network
from fin_tui.team.address import checked, secret_of
from fin_tui.team.failures import CorpusGone, worded

if TYPE_CHECKING:
    from pymilvus import MilvusClient

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
