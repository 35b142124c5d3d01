"""Where a corpus is, and what secret opens it."""

from __future__ import annotations

import pytest

from fin_tui.errors import FinTuiError, UsageError
from fin_tui.network import Offline
from fin_tui.team.link import TOKEN, CorpusFull, CorpusGone, Link, OtherCorpus, checked, host_of, other_version, secret_of, worded


@pytest.mark.parametrize("uri", ["http://127.0.0.1:19530", "https://corpus.example/team", "https://corpus.example:443/"])
def test_addresses(uri: str) -> None:
    assert checked(f" {uri} ") == uri.rstrip("/")


@pytest.mark.parametrize(
    "uri",
    ["corpus.example", "ftp://corpus.example", "http://", "http://a/b/c", "http://a:port", "http://a?b=c", "corpus.db", ""],
)
def test_what_is_no_address(uri: str) -> None:
    with pytest.raises(UsageError, match="is no address"):
        checked(uri)


def test_a_password_never_stands_in_an_address() -> None:
    with pytest.raises(UsageError) as caught:
        checked("https://me:secret@corpus.example")
    assert "secret" not in caught.value.message + caught.value.hint


def test_people_read_host_and_database() -> None:
    assert host_of("https://corpus.example:443/team") == "corpus.example:443/team"


def test_the_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "me:secret")
    assert secret_of("https://corpus.example") == "me:secret"
    assert secret_of("https://corpus.example", "") == ""


@pytest.mark.parametrize("uri", ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1"])
def test_a_token_may_stay_on_this_machine_unencrypted(uri: str) -> None:
    assert secret_of(uri, "secret") == "secret"


@pytest.mark.parametrize("uri", ["http://corpus.example", "http://10.0.0.1:19530", "http://localhost.example:1"])
def test_a_token_never_crosses_the_network_in_the_clear(uri: str) -> None:
    with pytest.raises(UsageError, match="in the clear") as caught:
        secret_of(uri, "secret")
    assert "secret" not in caught.value.message


def test_offline_forbids_a_corpus_before_anything_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIN_TUI_OFFLINE", "1")
    with pytest.raises(Offline, match="corpus at http"):
        Link("http://127.0.0.1:19530")


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
