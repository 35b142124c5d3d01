"""The language model process: the only module that imports llama_cpp.

Started by ``client`` as ``python -m fin_tui.engine.models.process FD``, where FD is its end of a socket pair. Standard output
and error are a log file, since llama.cpp writes to both as it likes.
"""

from __future__ import annotations

import codecs
import ctypes
import os
import queue
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from fin_tui.engine.models.binding import (
    LAST_TOKENS,
    PROPOSED,
    WRITTEN_FOR,
    Beginnings,
    common_prefix,
    leave_out_special_kernels,
    mark_of,
    may_propose,
    propose,
    vocabulary_of,
)
from fin_tui.engine.models.files import read_header
from fin_tui.engine.models.machine import peak_memory
from fin_tui.engine.models.protocol import (
    Bench,
    Benched,
    Cancel,
    Count,
    Counted,
    Done,
    Generate,
    Load,
    Loaded,
    Message,
    Piece,
    Problem,
    Reply,
    Request,
    StopReason,
    receive_request,
    send,
)
from fin_tui.engine.models.stream import TextStream
from fin_tui.errors import FinTuiError, ModelFailed


class Run:
    """One generation. ``decoder`` holds back the bytes of an incomplete character."""

    def __init__(self, prompt: list[int], reused: int) -> None:
        self.prompt, self.reused = len(prompt), reused
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.began = self.first = 0.0
        self.count = self.shown = 0
        self.reason: StopReason = "end"

    def done(self, request: int) -> Done:
        now = time.perf_counter()
        first = self.first or now
        read_ms, wrote_ms = (first - self.began) * 1000, (now - first) * 1000
        return Done(request, self.reason, self.prompt, self.reused, self.count, read_ms, wrote_ms)


Formatter = Callable[[list[dict[str, str]]], str]
"""A model's own chat template: turns with "role" and "content" -> prompt text. Raises what it likes."""


def render_prompt(messages: Sequence[Message], formatter: Formatter | None, marks: Sequence[str]) -> str:
    """The prompt by the model's template, or plain paragraphs when it has none.

    ``marks`` are the vocabulary's control tokens; they can't come out of a message's content. Raises ``ModelFailed`` when
    the template refuses.
    """
    turns = [{"role": turn.role, "content": harmless(turn.content, marks)} for turn in messages]
    if formatter is None:
        return "\n\n".join(turn["content"] for turn in turns) + "\n\nAnswer:"
    try:
        return formatter(turns)
    except Exception:  # noqa: BLE001 - a template is its makers' program: most often it has no place for a system turn
        try:
            return formatter(without_system(turns))
        except Exception as error:  # the same program, and whatever it raises
            raise ModelFailed(f"The model's chat template can't be used: {error}", "Choose another instruct model.") from error


def harmless(content: str, marks: Sequence[str]) -> str:
    """``content`` with the model's marks broken up, so that a filing can't end a turn or begin one."""
    for mark in marks:
        if mark in content:
            content = content.replace(mark, f"{mark[0]} {mark[1:]}")
    return content


def without_system(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The system turn's text at the head of the first other turn, for templates that know no system turn."""
    system = "\n\n".join(turn["content"] for turn in turns if turn["role"] == "system")
    rest = [dict(turn) for turn in turns if turn["role"] != "system"]
    if system and rest:
        rest[0]["content"] = f"{system}\n\n{rest[0]['content']}"
    return rest


_FEWEST_SHARED = 32
"""Tokens of a beginning that are worth to be kept."""
_BATCH = 512
_SHORTEST_S = 1e-6
_PARENT_CHECK_S = 2.0
_WARM_UP_TOKENS = 40
"""Enough for the matrix kernels that only run on batches: one that this CPU can't run fails here, not in an answer."""
_HIDDEN_TOKENS = 1024
"""How long a model may think where nobody reads it."""
_SMALLEST_ANSWER = 16
_HINT = "data/logs/model.log says more; `fin-tui models list` shows other models."


class Engine:
    """One model in memory. ``aborted`` is asked between the nodes of every computation."""

    def __init__(self, aborted: Callable[[], bool]) -> None:
        self._aborted = aborted
        self._llama: Any = None
        self._library: Any = None
        self._keep: list[Any] = []
        """Callbacks that C code holds: Python must not collect them."""
        self._complaints: list[str] = []
        self._marks: tuple[str, ...] = ()
        self._beginnings: Beginnings | None = None

    def load(self, request: Load) -> Loaded:
        """Read the weights and compute once. Raises ``ModelFailed`` with llama.cpp's own reason."""
        began = time.perf_counter()
        header = read_header(Path(request.path))
        library = self._open_library()
        if request.plain:
            leave_out_special_kernels(library)
        try:
            self._llama = library.Llama(
                request.path,
                n_ctx=min(request.context, header.context or request.context),
                n_batch=_BATCH,
                n_threads=request.threads,
                n_threads_batch=request.threads,
                flash_attn=True,
                verbose=False,
            )
        except (ValueError, RuntimeError, AssertionError) as error:
            raise ModelFailed(f"{Path(request.path).name}: {self._reason(str(error))}", _HINT) from error
        self._marks = _control_marks(library, self._llama)
        self._beginnings = Beginnings(library, self._llama)
        pace = [self._try_pace() for _ in range(2)][-1]  # The first time the weights come from the disk.
        self._propose_from_prompt()
        self._install_abort()
        return Loaded(
            id=request.id,
            threads=request.threads,
            load_ms=(time.perf_counter() - began) * 1000,
            engine=f"llama-cpp-python {library.__version__}",
            pace=pace,
        )

    def _try_pace(self) -> float:
        """Prompt tokens read a second."""
        tokens = list(range(10, 10 + min(_WARM_UP_TOKENS, self._llama.n_ctx() // 2)))
        began = time.perf_counter()
        self._llama.eval(tokens)
        self._llama.reset()
        return len(tokens) / (time.perf_counter() - began)

    def _propose_from_prompt(self) -> None:
        from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

        lookup = LlamaPromptLookupDecoding(max_ngram_size=LAST_TOKENS, num_pred_tokens=PROPOSED)
        if may_propose(self._llama):
            propose(self._llama, lookup)

    def count(self, text: str, messages: list[Message]) -> int:
        """Tokens of ``text``, or of the whole prompt that ``messages`` make. Safe while another thread generates."""
        if messages:
            return len(self._prompt(messages)[0])
        return len(self._model().tokenize(text.encode(), add_bos=False, special=False))

    def generate(self, request: Generate) -> Iterator[Piece | Done]:
        """The cleaned text as it comes, then exactly one ``Done``. Raises ``ModelFailed`` when the prompt does not fit."""
        llama = self._model()
        tokens, thinking = self._prompt(request.messages)
        room = llama.n_ctx() - len(tokens)
        if room < min(request.max_tokens, _SMALLEST_ANSWER):
            raise ModelFailed(
                f"The prompt has {len(tokens):,} tokens; the model's window has {llama.n_ctx():,}.",
                "Raise model.context in the settings, or lower model.evidence_tokens.",
            )
        stream = TextStream(thinking=thinking)
        beginning = self._beginning(request.messages, tokens)
        run = Run(tokens, reused=common_prefix(llama, tokens) if self._beginnings_of().restore(beginning) else 0)
        limit = min(room, request.max_tokens + _HIDDEN_TOKENS)
        for token in self._tokens(tokens, beginning, limit, run, request.grammar):
            if text := stream.feed(run.decoder.decode(self._text_of(token))):
                yield Piece(request.id, text)
            run.shown += not stream.hidden
            if stream.stopped or run.shown >= request.max_tokens:
                run.reason = stream.stopped or "length"
                break
        if run.reason != "cancelled" and (text := stream.finish()):
            yield Piece(request.id, text)
        yield run.done(request.id)

    def bench(self, request: Bench) -> Benched:
        """Speed of reading and of writing. The tokens' meaning does not matter to it.

        Measured by the processor time of each thread: what other programs take of the cores meanwhile is not the model's.
        """
        llama = self._model()
        llama.reset()
        began = time.process_time()
        llama.eval([10 + i % 500 for i in range(request.prompt)])
        read = time.process_time()
        for i in range(request.tokens):
            llama.eval([10 + i % 500])
        wrote = time.process_time()
        llama.reset()
        reading, writing = (max(spent, _SHORTEST_S) / llama.n_threads for spent in (read - began, wrote - read))
        return Benched(request.id, request.prompt / reading, request.tokens / writing, peak_memory())

    def _open_library(self) -> Any:
        if self._library is None:
            import llama_cpp

            @llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
            def log(_level: int, text: bytes, _data: Any) -> None:
                os.write(2, text)
                line = text.decode("utf-8", "replace").strip()
                if "error" in line or "unknown" in line:
                    self._complaints.append(line)

            llama_cpp.llama_log_set(log, None)
            if llama_cpp.__version__ != WRITTEN_FOR:
                os.write(2, f"llama-cpp-python {llama_cpp.__version__}; written for {WRITTEN_FOR}\n".encode())
            self._keep.append(log)
            self._library = llama_cpp
        self._complaints.clear()
        return self._library

    def _reason(self, otherwise: str) -> str:
        """llama.cpp's first complaint: the later ones only say that loading failed."""
        return self._complaints[0].split("error loading model: ")[-1] if self._complaints else otherwise

    def _model(self) -> Any:
        if self._llama is None:
            raise ModelFailed("No language model is loaded.")
        return self._llama

    def _install_abort(self) -> None:
        @self._library.ggml_abort_callback  # type: ignore[untyped-decorator]
        def aborted(_data: Any) -> bool:
            return self._aborted()

        self._library.llama_set_abort_callback(self._llama.ctx, aborted, None)
        self._keep.append(aborted)

    def _ends(self, token: int) -> bool:
        return bool(self._library.llama_vocab_is_eog(vocabulary_of(self._llama), token))

    def _text_of(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(1024)
        size = self._library.llama_token_to_piece(vocabulary_of(self._llama), token, buffer, len(buffer), 0, False)
        return buffer.raw[: max(0, size)]

    def _prompt(self, messages: list[Message]) -> tuple[list[int], bool]:
        """Tokens of the whole prompt, and whether the template left the model thinking."""
        llama = self._model()
        text = render_prompt(messages, _formatter(llama), self._marks)
        bos = mark_of(llama, llama.token_bos())
        tokens: list[int] = llama.tokenize(text.encode(), add_bos=not (bos and text.startswith(bos)), special=True)
        return tokens, text.rstrip().endswith(("<think>", "<thinking>"))

    def _beginnings_of(self) -> Beginnings:
        assert self._beginnings is not None
        return self._beginnings

    def _beginning(self, messages: list[Message], tokens: list[int]) -> list[int]:
        """What ``tokens`` begins with whatever is asked: all but the last message. Empty where that is too short to be kept."""
        fixed = self._prompt(messages[:-1])[0] if len(messages) > 1 else []
        shared = next((at for at, (a, b) in enumerate(zip(fixed, tokens, strict=False)) if a != b), min(len(fixed), len(tokens)))
        return tokens[:shared] if shared >= _FEWEST_SHARED else []

    def _tokens(self, prompt: list[int], beginning: list[int], limit: int, run: Run, grammar: str) -> Iterator[int]:
        within = self._open_library().LlamaGrammar.from_string(grammar, verbose=False) if grammar else None
        run.began = time.perf_counter()
        try:
            if run.reused < len(beginning):
                self._beginnings_of().read(beginning)
            for token in self._llama.generate(prompt, temp=0.0, grammar=within):
                run.first = run.first or time.perf_counter()
                if self._aborted():
                    run.reason = "cancelled"
                    return
                if self._ends(token):
                    run.reason = "end"
                    return
                run.count += 1
                yield token
                if run.count >= limit:
                    run.reason = "length"
                    return
        except RuntimeError as error:
            # llama_decode returns 2 when the abort callback stopped it; the context goes on from its last whole batch.
            if not self._aborted():
                raise ModelFailed(f"The language model failed: {error}", _HINT) from error
            run.reason = "cancelled"


def _control_marks(library: Any, llama: Any) -> tuple[str, ...]:
    """The vocabulary's own marks ("<|im_end|>"): text that tokenises to them would end or begin a turn."""
    vocabulary = vocabulary_of(llama)
    control = library.LLAMA_TOKEN_ATTR_CONTROL | library.LLAMA_TOKEN_ATTR_USER_DEFINED
    marked = (token for token in range(llama.n_vocab()) if library.llama_vocab_get_attr(vocabulary, token) & control)
    texts = (library.llama_vocab_get_text(vocabulary, token).decode("utf-8", "replace") for token in marked)
    return tuple(text for text in texts if len(text) > 2 and text.startswith(("<", "[")))


def _formatter(llama: Any) -> Callable[[list[dict[str, str]]], str] | None:
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    template = llama.metadata.get("tokenizer.chat_template")
    if template is None:
        return None
    formatter = Jinja2ChatFormatter(template, mark_of(llama, llama.token_eos()), mark_of(llama, llama.token_bos()))
    return lambda turns: str(formatter(messages=turns, enable_thinking=False).prompt)


class Computes(Protocol):
    """What a model process can do; see ``Engine``."""

    def load(self, request: Load) -> Loaded: ...
    def count(self, text: str, messages: list[Message]) -> int: ...
    def generate(self, request: Generate) -> Iterator[Piece | Done]: ...
    def bench(self, request: Bench) -> Benched: ...


def serve(descriptor: int, make_engine: Callable[[Callable[[], bool]], Computes]) -> None:
    """Answer requests on the socket ``descriptor`` until its other end is closed."""
    # Ctrl+C in the terminal is for the program; this process ends when the program does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=descriptor) as channel:
        _Server(channel, make_engine).run()


class _Server:
    def __init__(self, channel: socket.socket, make_engine: Callable[[Callable[[], bool]], Computes]) -> None:
        self._channel = channel
        self._requests: queue.Queue[Request] = queue.Queue()
        self._sending = threading.Lock()
        self._current = 0
        self._cancelled: set[int] = set()
        self._loaded = threading.Event()
        self._engine = make_engine(lambda: self._current in self._cancelled)

    def run(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
        while True:
            request = self._requests.get()
            self._current = request.id
            self._guarded(request)
            self._cancelled.discard(request.id)

    def _listen(self) -> None:
        while (request := receive_request(self._channel)) is not None:
            match request:
                case Cancel(id=cancelled):
                    self._cancelled.add(cancelled)
                case Count() if self._loaded.is_set():
                    self._guarded(request)
                case _:
                    self._requests.put(request)
        os._exit(0)

    def _guarded(self, request: Request) -> None:
        try:
            for reply in self._answer(request):
                self._reply(reply)
        except FinTuiError as error:
            self._reply(Problem(request.id, error.message, error.hint))
        except Exception as error:  # noqa: BLE001 - the process must go on, and its user must learn why this work did not
            self._reply(Problem(request.id, f"{type(error).__name__}: {error}"))

    def _answer(self, request: Request) -> Iterator[Reply]:
        match request:
            case Load():
                loaded = self._engine.load(request)
                self._loaded.set()
                yield loaded
            case Generate():
                yield from self._engine.generate(request)
            case Count():
                yield Counted(request.id, self._engine.count(request.text, request.messages))
            case Bench():
                yield self._engine.bench(request)

    def _reply(self, reply: Reply) -> None:
        try:
            with self._sending:
                send(self._channel, reply)
        except OSError:
            os._exit(0)


def _watch_parent(parent: int) -> None:
    """Another process may have inherited the program's end of the socket, so its end alone is no proof of life."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_S)
    os._exit(0)


if __name__ == "__main__":
    from fin_tui.network import enforce

    enforce()
    serve(int(sys.argv[1]), Engine)
