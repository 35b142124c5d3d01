"""What the model process does with inner parts of llama-cpp-python, for a named version; no other code here does.

Its objects are handed in: the module that imports it is ``process``.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import Any

WRITTEN_FOR = "0.3.36"
"""The version of llama-cpp-python."""


def vocabulary_of(llama: Any) -> Any:
    return llama._model.vocab


def mark_of(llama: Any, token: int) -> str:
    """The text of a control token; empty where the model has none."""
    return str(llama._model.token_get_text(token)) if token != -1 else ""


def common_prefix(llama: Any, tokens: list[int]) -> int:
    """How many of ``tokens`` the context holds at its beginning."""
    known = llama._input_ids[: len(tokens)].tolist()
    return next((i for i, token in enumerate(known) if token != tokens[i]), len(known))


def leave_out_special_kernels(library: Any) -> None:
    """Weights stay in their own layout: no repacking and no matrix units (such as AMX), whose kernels some compilers break."""
    original = library.llama_cpp.llama_model_default_params

    def plain() -> Any:
        parameters = original()
        parameters.use_extra_bufts = False
        return parameters

    library.llama_cpp.llama_model_default_params = plain


_MOST_BEGINNINGS = 4
"""Each takes some ten megabytes of a model of 1.5 billion parameters."""


class Beginnings:
    """What a model has computed of the beginnings that its prompts share, so that each is read once however they take turns."""

    def __init__(self, library: Any, llama: Any) -> None:
        self._library, self._llama = library, llama
        self._kept: dict[tuple[int, ...], Any] = {}

    def restore(self, beginning: Sequence[int]) -> bool:
        """Whether the context holds ``beginning``; where what was computed of it is kept, it is made to."""
        llama = self._llama
        if common_prefix(llama, list(beginning)) >= len(beginning):
            return True
        kept = self._kept.get(tuple(beginning))
        if kept is None:
            return False
        llama.reset()  # Of models with a recurrent state it empties the memory, so it comes first.
        if not self._library.llama_state_seq_set_data(llama.ctx, kept, len(kept), 0):
            return False
        llama.input_ids[: len(beginning)] = beginning
        llama.n_tokens = len(beginning)
        return True

    def read(self, beginning: Sequence[int]) -> None:
        """Compute ``beginning`` and keep it. Raises ``RuntimeError`` when it is stopped half-way."""
        self._llama.reset()
        self._llama.eval(list(beginning))
        size = self._library.llama_state_seq_get_size(self._llama.ctx, 0)
        kept = (ctypes.c_uint8 * size)()
        if self._library.llama_state_seq_get_data(self._llama.ctx, kept, size, 0) == size:
            self._kept[tuple(beginning)] = kept
        while len(self._kept) > _MOST_BEGINNINGS:
            self._kept.pop(next(iter(self._kept)))


PROPOSED, LAST_TOKENS = 3, 3
"""Tokens that are computed with the next one, and how many of the last are looked for in what stands before. Replayed over 29
answers of a model of 1.5 billion parameters, each step gives 2.1 tokens; where four take 1.5 times the time of one, as there, the
text comes 1.44 times as fast.
"""
_MOST_TIME = 1.8
"""How much longer all of them may take than one, so that less is lost by wrong ones than gained."""
_TRIES = 2
_ANY = 10
"""A token; which one does not matter."""


def may_propose(llama: Any) -> bool:
    """Whether proposed tokens can be taken back, as those of a recurrent state can't, and computing several saves time here."""
    llama.reset()
    one, several = (min(_spent(llama, count) for _ in range(_TRIES)) for count in (1, 1 + PROPOSED))
    takes_back = bool(llama._ctx.kv_cache_seq_rm(-1, 1, -1))
    llama.reset()
    return takes_back and several <= _MOST_TIME * one


def _spent(llama: Any, count: int) -> float:
    """Processor time: what other programs take of the cores meanwhile is not the model's."""
    began = time.process_time()
    llama.eval([_ANY] * count)
    return time.process_time() - began


def propose(llama: Any, lookup: Any) -> None:
    """Have ``lookup`` propose the next tokens from where the last ones stood before, and all be computed together; each stands
    only where the model would have written it."""
    batch, original = llama._batch, llama._batch.set_batch

    def with_logits_of_each(batch: Sequence[int], n_past: int, logits_all: bool) -> None:
        original(batch, n_past, logits_all or len(batch) <= 1 + PROPOSED)

    batch.set_batch = with_logits_of_each
    llama.draft_model = lookup
