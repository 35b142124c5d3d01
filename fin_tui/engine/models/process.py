"""The language model process: the only module that imports llama_cpp.

Started by ``child`` as ``python -m fin_tui.engine.models.process FD``, where FD is its end of a socket pair. Standard output
and error are a log file, since llama.cpp writes to both as it likes.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fin_tui.engine.models.chat_template import render_prompt
from fin_tui.engine.models.gguf import read_header
from fin_tui.engine.models.machine import peak_memory
from fin_tui.engine.models.protocol import (
    Bench,
    Benched,
    Done,
    Generate,
    Load,
    Loaded,
    Message,
    Piece,
)
from fin_tui.engine.models.run import Run
from fin_tui.engine.models.stream import TextStream
from fin_tui.errors import ModelFailed

_BATCH = 512
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

    def load(self, request: Load) -> Loaded:
        """Read the weights and compute once. Raises ``ModelFailed`` with llama.cpp's own reason."""
        began = time.perf_counter()
        header = read_header(Path(request.path))
        library = self._open_library()
        if request.plain:
            _leave_out_special_kernels(library)
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
        self._llama.eval(list(range(10, 10 + min(_WARM_UP_TOKENS, self._llama.n_ctx() // 2))))
        self._llama.reset()
        self._install_abort()
        return Loaded(
            id=request.id,
            threads=request.threads,
            load_ms=(time.perf_counter() - began) * 1000,
            engine=f"llama-cpp-python {library.__version__}",
        )

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
        run = Run(tokens, reused=_common_prefix(llama, tokens))
        for token in self._tokens(tokens, min(room, request.max_tokens + _HIDDEN_TOKENS), run, request.grammar):
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
        """Speed of reading and of writing. The tokens' meaning does not matter to it."""
        llama = self._model()
        llama.reset()
        began = time.perf_counter()
        llama.eval([10 + i % 500 for i in range(request.prompt)])
        read = time.perf_counter()
        for i in range(request.tokens):
            llama.eval([10 + i % 500])
        wrote = time.perf_counter()
        llama.reset()
        return Benched(request.id, request.prompt / (read - began), request.tokens / (wrote - read), peak_memory())

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
        return bool(self._library.llama_vocab_is_eog(self._llama._model.vocab, token))

    def _text_of(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(1024)
        size = self._library.llama_token_to_piece(self._llama._model.vocab, token, buffer, len(buffer), 0, False)
        return buffer.raw[: max(0, size)]

    def _prompt(self, messages: list[Message]) -> tuple[list[int], bool]:
        """Tokens of the whole prompt, and whether the template left the model thinking."""
        llama = self._model()
        text = render_prompt(messages, _formatter(llama), self._marks)
        bos = _mark(llama, llama.token_bos())
        tokens: list[int] = llama.tokenize(text.encode(), add_bos=not (bos and text.startswith(bos)), special=True)
        return tokens, text.rstrip().endswith(("<think>", "<thinking>"))

    def _tokens(self, prompt: list[int], limit: int, run: Run, grammar: str) -> Iterator[int]:
        within = self._open_library().LlamaGrammar.from_string(grammar, verbose=False) if grammar else None
        run.began = time.perf_counter()
        try:
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


def _leave_out_special_kernels(library: Any) -> None:
    """Weights stay in their own layout: no repacking and no matrix units (such as AMX), whose kernels some compilers break."""
    original = library.llama_cpp.llama_model_default_params

    def plain() -> Any:
        parameters = original()
        parameters.use_extra_bufts = False
        return parameters

    library.llama_cpp.llama_model_default_params = plain


def _control_marks(library: Any, llama: Any) -> tuple[str, ...]:
    """The vocabulary's own marks ("<|im_end|>"): text that tokenises to them would end or begin a turn."""
    vocabulary = llama._model.vocab
    control = library.LLAMA_TOKEN_ATTR_CONTROL | library.LLAMA_TOKEN_ATTR_USER_DEFINED
    marked = (token for token in range(llama.n_vocab()) if library.llama_vocab_get_attr(vocabulary, token) & control)
    texts = (library.llama_vocab_get_text(vocabulary, token).decode("utf-8", "replace") for token in marked)
    return tuple(text for text in texts if len(text) > 2 and text.startswith(("<", "[")))


def _mark(llama: Any, token: int) -> str:
    return str(llama._model.token_get_text(token)) if token != -1 else ""


def _formatter(llama: Any) -> Callable[[list[dict[str, str]]], str] | None:
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    template = llama.metadata.get("tokenizer.chat_template")
    if template is None:
        return None
    formatter = Jinja2ChatFormatter(template, _mark(llama, llama.token_eos()), _mark(llama, llama.token_bos()))
    return lambda turns: str(formatter(messages=turns, enable_thinking=False).prompt)


def _common_prefix(llama: Any, tokens: list[int]) -> int:
    known = llama._input_ids[: len(tokens)].tolist()
    return next((i for i, token in enumerate(known) if token != tokens[i]), len(known))


if __name__ == "__main__":
    from fin_tui.engine.models.serve import serve
    from fin_tui.network import enforce

    enforce()
    serve(int(sys.argv[1]), Engine)
