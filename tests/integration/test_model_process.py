"""The real language model in its real process: streams, stops, dies, comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui import config
from fin_tui.engine.models.client import LlamaClient, open_model
from fin_tui.engine.models.protocol import Message
from fin_tui.errors import MissingAsset, ModelFailed
from fin_tui.paths import Paths
from tests.unit.engine.models.gguf_files import gguf

SHIPPED = "SmolLM2-135M-Instruct.Q4_1.gguf"
PASSAGE = "The Company's outsourcing partners are in China mainland, India, Japan, South Korea, Taiwan and Vietnam."
QUESTION = [Message("system", "Answer from the passage."), Message("user", f"{PASSAGE} Where are the partners?")]
LONG = [Message("user", "The Company may be harmed by many events that it can't foresee. " * 250)]


def never() -> bool:
    return False


@pytest.fixture(scope="module")
def client(models_dir: Path) -> Iterator[LlamaClient]:
    home = Paths(models_dir.parent)
    client = LlamaClient(models_dir / SHIPPED, config.Model(), home, name="smollm2-135m-instruct")
    yield client
    client.close()


def say(client: LlamaClient, messages: list[Message] = QUESTION, max_tokens: int = 24) -> str:
    return "".join(client.generate(messages, max_tokens=max_tokens, cancelled=never))


def test_answers_from_the_passage_and_the_same_again(client: LlamaClient) -> None:
    first = say(client)
    assert "China" in first
    assert say(client) == first
    assert client.last is not None
    assert client.last.reused_tokens > client.last.prompt_tokens / 2


RULES = (
    Message("system", f"Answer in one word. {'Be exact, and use the passage alone. ' * 8}"),
    Message("system", f"Answer in full. {'Say so when it is not there. ' * 8}"),
)


def test_prompts_that_take_turns_each_read_their_beginning_once(client: LlamaClient) -> None:
    """With all else the same, what was kept gives the words that a fresh reading gives."""
    turns = [[rules, Message("user", f"{PASSAGE} Where {where}?")] for where in ("are they", "is India") for rules in RULES]
    fixed = min(client.count_prompt([rules]) for rules in RULES)
    fresh = []
    for at, messages in enumerate(turns):
        fresh.append(say(client, messages))
        assert client.last is not None
        assert (client.last.reused_tokens >= fixed - 8) == (at > 1), "the second of each finds what the first one read"
    other = LlamaClient(client.path, config.Model(), Paths(client.path.parent.parent), name="another")
    try:
        assert say(other, turns[-1]) == fresh[-1]
    finally:
        other.close()


def test_what_prompts_begin_with_is_read_ahead_and_gives_way(client: LlamaClient) -> None:
    ahead = [Message("system", f"Name one place. {'Never guess what the passage does not say. ' * 8}"), Message("user", "")]
    client.warm([ahead])
    until = time.monotonic() + 60
    while client.last is None or client.last.tokens > 1 or client.last.prompt_tokens != client.count_prompt(ahead):
        assert time.monotonic() < until
        time.sleep(0.02)
    say(client, [ahead[0], Message("user", f"{PASSAGE} Where?")])
    assert client.last is not None
    assert client.last.reused_tokens >= client.count_prompt(ahead[:1]) - 8
    client.warm([[Message("system", "Never read."), Message("user", "")]], lambda: True)
    client.warm([[*LONG, Message("user", "")]])
    assert say(client, max_tokens=4), "what is asked goes first"
    assert client.last.prompt_tokens == client.count_prompt(QUESTION)


def test_its_pace_is_known_once_it_is_loaded_and_found_anew_with_each_prompt(client: LlamaClient) -> None:
    client.child()
    assert client.pace > 0
    say(client, [Message("user", f"{PASSAGE} " * 12)], max_tokens=2)
    assert client.last is not None
    assert client.last.pace > 0
    before = client.pace
    say(client, [Message("user", f"Again. {PASSAGE} " * 12)], max_tokens=2)
    assert min(before, client.last.pace) <= client.pace <= max(before, client.last.pace)


def test_counts_tokens_of_text_and_of_the_whole_prompt(client: LlamaClient) -> None:
    assert client.count_tokens("") == 0
    assert client.count_tokens("Net sales") < client.count_tokens("Net sales rose by 2% to $391,035 million")
    assert client.count_prompt(QUESTION) > sum(client.count_tokens(message.content) for message in QUESTION)


def test_marks_inside_a_passage_do_not_end_the_turn(client: LlamaClient) -> None:
    plain = client.count_prompt([Message("user", "a b")])
    marked = client.count_prompt([Message("user", "a <|im_end|> b")])
    assert marked > plain + 2


def test_a_limit_is_kept(client: LlamaClient) -> None:
    assert client.count_tokens(say(client, max_tokens=4)) <= 5
    assert client.last is not None
    assert client.last.reason == "length"


def test_an_overflow_is_refused_before_anything_is_read(client: LlamaClient) -> None:
    with pytest.raises(ModelFailed, match="window has 4,096"):
        say(client, [Message("user", "word " * 6000)])
    assert say(client)


def test_cancelled_while_reading_the_prompt_and_well_afterwards(client: LlamaClient) -> None:
    say(client)
    process = client.pid
    asked = time.monotonic()
    assert list(client.generate(LONG, max_tokens=8, cancelled=lambda: time.monotonic() > asked + 0.1)) == []
    assert client.last is not None
    assert client.last.reason == "cancelled"
    assert client.pid == process
    assert "China" in say(client)


def test_a_reader_that_goes_away_stops_the_model(client: LlamaClient) -> None:
    stream = client.generate(QUESTION, max_tokens=200, cancelled=never)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert client.last is not None
    assert client.last.reason == "cancelled"
    assert "China" in say(client)


def test_a_process_that_does_not_heed_a_cancel_is_replaced(client: LlamaClient) -> None:
    say(client)
    process = client.pid
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    asked = time.monotonic()
    assert list(client.generate(QUESTION, max_tokens=8, cancelled=lambda: time.monotonic() > asked + 0.1)) == []
    assert "China" in say(client)
    assert client.pid != process


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGSEGV])
def test_a_crash_costs_one_answer(client: LlamaClient, kind: signal.Signals) -> None:
    say(client)
    assert client.pid is not None
    stream = client.generate(LONG, max_tokens=8, cancelled=never)
    os.kill(client.pid, kind)
    with pytest.raises(ModelFailed, match=kind.name) as caught:
        list(stream)
    assert "model.log" in caught.value.hint
    assert "China" in say(client)


def test_the_process_ends_with_the_program(models_dir: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from fin_tui import config; from fin_tui.paths import Paths\n"
        "from fin_tui.engine.models.client import LlamaClient\n"
        "client = LlamaClient(Path(sys.argv[1]), config.Model(), Paths(Path(sys.argv[1]).parent.parent))\n"
        "client.count_tokens('x'); print(client.pid, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(models_dir / SHIPPED)], capture_output=True, text=True, check=False)
    child = int(done.stdout)
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail(f"the model process {child} outlived its program")


def test_llama_cpp_names_an_architecture_it_does_not_know(paths: Paths) -> None:
    paths.models.mkdir()
    path = paths.models / "made.gguf"
    path.write_bytes(gguf("martian"))
    with pytest.raises(ModelFailed, match="martian"):
        say(LlamaClient(path, config.Model(), paths))


def test_a_truncated_model_is_named_before_it_is_loaded(models_dir: Path, paths: Paths) -> None:
    paths.models.mkdir()
    with (models_dir / SHIPPED).open("rb") as whole:
        part = whole.read(3_000_000)
    for name, told in ((SHIPPED, "not the file that was published"), ("own.gguf", "truncated")):
        (paths.models / name).write_bytes(part)
        with pytest.raises(ModelFailed, match=told):
            open_model(paths, config.Model(name=str(paths.models / name)))


def test_no_model_is_a_missing_asset(paths: Paths) -> None:
    with pytest.raises(MissingAsset):
        open_model(paths, config.Model())
