"""Where a corpus is, and what secret opens it."""

from __future__ import annotations

import pytest

from fin_tui.errors import UsageError
from fin_tui.network import Offline
from fin_tui.team.address import TOKEN, checked, host_of, secret_of
from fin_tui.team.link import Link


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
