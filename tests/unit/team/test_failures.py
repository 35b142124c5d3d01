"""What a server's failures read like. The errors are made here; a real server's are in the integration tests."""

from __future__ import annotations

import pytest

from fin_tui.errors import FinTuiError
from fin_tui.team.failures import CorpusFull, CorpusGone, OtherCorpus, other_version, worded

URI = "http://127.0.0.1:19530"


class Status:
    def __init__(self, name: str) -> None:
        self.name = name


class OfGrpc(Exception):
    def __init__(self, name: str, details: str = "") -> None:
        super().__init__(details)
        self._name, self._details = name, details

    def code(self) -> Status:
        return Status(self._name)

    def details(self) -> str:
        return self._details


class OfMilvus(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (OfGrpc("UNAVAILABLE", "connection refused"), CorpusGone, "does not answer"),
        (OfMilvus(2, "Fail connecting to server"), CorpusGone, "does not answer"),
        (OfGrpc("DEADLINE_EXCEEDED", "Deadline Exceeded"), CorpusGone, "no answer within 10 s"),
        (OfMilvus(1, "Retry timeout: 10s, message=…"), CorpusGone, "no answer within 10 s"),
        (OfGrpc("RESOURCE_EXHAUSTED", "message too large"), CorpusFull, "out of memory or refuses"),
        (OfMilvus(3, "memory quota exceeded"), CorpusFull, "out of memory or refuses"),
        (OfMilvus(9, "access has been disabled"), CorpusFull, "out of memory or refuses"),
        (OfGrpc("UNAUTHENTICATED", "auth check failure"), FinTuiError, "refused the credentials"),
        (OfMilvus(65535, "privilege not permitted"), FinTuiError, "refused the credentials"),
        (OfMilvus(100, "collection 'fin_tui_filings' does not exist"), OtherCorpus, "holds no corpus"),
        (OfMilvus(800, "database not found[database=team]"), OtherCorpus, "no such database"),
        (OfMilvus(1, "something\nelse\twent wrong"), FinTuiError, "failed: something else went wrong"),
    ],
)
def test_each_failure_is_one_line_that_names_the_server_and_a_way_on(error: Exception, kind: type, says: str) -> None:
    told = worded(error, URI, 10.0)
    assert type(told) is kind
    assert "127.0.0.1:19530" in told.message
    assert says in told.message
    assert "\n" not in told.message
    assert told.hint
    assert told.exit_code == 1


def test_a_long_message_is_cut() -> None:
    assert len(worded(OfMilvus(1, "x" * 5000), URI, 1.0).message) < 250


def test_of_two_versions_the_older_has_to_move() -> None:
    assert "Upgrade fin-tui" in other_version(URI, 2, 1).hint
    assert "Ingest it anew" in other_version(URI, 1, 2).hint
