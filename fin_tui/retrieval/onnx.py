"""The owner of onnxruntime: text pairs or texts in, one array out, on the CPU.

Texts are tokenised with the model's own ``tokenizer.json`` and padded only to the longest of their batch.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import MissingAsset

_FLAGS_THAT_MATTER = ("amx_int8", "avx512_vnni", "avx_vnni", "avx512f", "avx2", "sse4_1")
_SLOWER = ("SkipLayerNormFusion",)
"""Of the engine's optimizations those that cost time: a sum and its layer norm as one node take five times as long as two."""


class OnnxModel:
    """A transformer with ``input_ids``, ``attention_mask`` and ``token_type_ids``.

    Each batch is run on one core: texts are short, and cores that share one wait for each other longer than they compute.
    """

    def __init__(self, folder: Path, *, longest: int, tokenizer: Path | None = None) -> None:
        """``longest`` cuts texts, in tokens, special ones included; ``tokenizer`` is the folder of the tokenizer, where that is
        another's. Raises ``MissingAsset`` for missing or broken weights.
        """
        self._session = _session(folder / "model.onnx")
        self._tokenizer = _tokenizer((tokenizer or folder) / "tokenizer.json", longest)
        self._longer: dict[int, Any] = {}
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        outputs = self._session.get_outputs()
        self._outputs = [entry.name for entry in outputs]
        last = outputs[0].shape[-1]
        self.width = int(last) if isinstance(last, int) else 0
        """Size of the last axis of the output; 0 when the file doesn't say."""
        self._cores = physical_cores()

    def tokenize(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[Any]:
        """Encodings for :meth:`run`; a pair is a query and a passage."""
        encodings: list[Any] = self._tokenizer.encode_batch(list(texts))
        return encodings

    def has_word(self, word: str) -> bool:
        """Whether ``word`` is one token."""
        return self._tokenizer.token_to_id(word) is not None

    def limit(self, longest: int) -> None:
        """Cut at ``longest`` tokens from now on."""
        self._tokenizer.enable_truncation(max_length=longest)

    def run(self, encodings: Sequence[Any]) -> NDArray[np.float32]:
        """The model's first output for one batch: ``[n, tokens, width]`` or ``[n, width]``."""
        width = max(len(encoding.ids) for encoding in encodings)
        shape = (len(encodings), width)
        arrays = {name: np.zeros(shape, np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        for row, encoding in enumerate(encodings):
            length = len(encoding.ids)
            arrays["input_ids"][row, :length] = encoding.ids
            arrays["attention_mask"][row, :length] = 1
            arrays["token_type_ids"][row, :length] = encoding.type_ids
        return self._output(0, arrays)

    def states(self, pair: tuple[str, str], longest: int) -> tuple[Any, NDArray[np.float32]]:
        """The encoding of two texts, the longer one cut so that both have at most ``longest`` tokens, and the model's second
        output for them, the states behind one of its layers: ``[1, tokens, width]``. What lies above that layer is not run.
        """
        if longest not in self._longer:
            self._longer[longest] = _longer(self._tokenizer, longest)
        encoded = self._longer[longest].encode(*pair)
        arrays = {
            "input_ids": np.array([encoded.ids], np.int64),
            "attention_mask": np.ones((1, len(encoded.ids)), np.int64),
            "token_type_ids": np.array([encoded.type_ids], np.int64),
        }
        return encoded, self._output(1, arrays)

    def _output(self, place: int, arrays: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        import onnxruntime

        only = onnxruntime.RunOptions()
        only.only_execute_path_to_fetches = True
        fed = {name: arrays[name] for name in self._inputs}
        output: NDArray[np.float32] = self._session.run(self._outputs[place : place + 1], fed, only)[0]
        return output

    def run_all(self, batches: Sequence[Sequence[Any]]) -> list[NDArray[np.float32]]:
        """The output of each batch, as many at once as there are cores. The longest had best come first."""
        if self._cores < 2 or len(batches) < 2:
            return [self.run(batch) for batch in batches]
        # Threads of a lasting pool would outlive whoever closes the services; starting two takes a tenth of a millisecond.
        with ThreadPoolExecutor(self._cores, "onnx") as pool:
            return list(pool.map(self.run, batches))


class OnnxLayers:
    """The upper layers of a transformer."""

    def __init__(self, file: Path) -> None:
        """Raises ``MissingAsset`` for missing or broken weights."""
        self._session = _session(file)
        self._input = self._session.get_inputs()[0].name

    def run(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """The last states for those that a lower layer gives, of the same shape ``[n, tokens, width]``; no text is padded."""
        output: NDArray[np.float32] = self._session.run(None, {self._input: states})[0]
        return output


def _session(weights: Path) -> Any:
    _held(weights)
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingAsset(f"onnxruntime can't be used: {error}", "Install the project's dependencies again.") from error
    try:
        return onnxruntime.InferenceSession(
            str(weights), _options(onnxruntime), providers=["CPUExecutionProvider"], disabled_optimizers=list(_SLOWER)
        )
    except Exception as error:  # The engine raises its own undocumented types for broken files.
        raise MissingAsset(f"{weights} can't be loaded: {error}", "Run `fin-tui setup` to bring the weights again.") from error


def _tokenizer(vocabulary: Path, longest: int) -> Any:
    _held(vocabulary)
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingAsset(f"tokenizers can't be used: {error}", "Install the project's dependencies again.") from error
    try:
        made = Tokenizer.from_file(str(vocabulary))
    except Exception as error:  # The engine raises its own undocumented types for broken files.
        raise MissingAsset(f"{vocabulary} can't be loaded: {error}", "Run `fin-tui setup` to bring the weights again.") from error
    made.no_padding()
    made.enable_truncation(max_length=longest)
    return made


def _longer(tokenizer: Any, longest: int) -> Any:
    """A copy of ``tokenizer`` that cuts the longer of two texts, which is the second but for a question of hundreds of tokens."""
    made = type(tokenizer).from_str(tokenizer.to_str())
    made.no_padding()
    made.enable_truncation(max_length=longest, strategy="longest_first")
    return made


def _held(file: Path) -> None:
    if not file.is_file():
        raise MissingAsset(f"{file} is missing", "Run `fin-tui setup` to bring the weights.")


def _options(onnxruntime: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return options


def physical_cores() -> int:
    """Physical cores this process may use, at least 1."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = {tuple(sorted(entry.items())) for entry in _cpu_entries()}
    return max(1, min(allowed, len(cores) or allowed))


def instruction_set() -> str:
    """The widest int8 or vector extension of this CPU, e.g. "x86_64 avx512_vnni": int8 vectors differ a little between them."""
    flags: set[str] = set()
    for line in _cpuinfo():
        if line.startswith(("flags", "Features")):
            flags.update(line.partition(":")[2].split())
            break
    best = next((flag for flag in _FLAGS_THAT_MATTER if flag in flags), "")
    return f"{platform.machine()} {best}".strip()


def _cpu_entries() -> list[dict[str, str]]:
    entries: list[dict[str, str]] = []
    current: dict[str, str] = {}
    for line in [*_cpuinfo(), ""]:
        name, _, value = line.partition(":")
        if name.strip() in ("physical id", "core id"):
            current[name.strip()] = value.strip()
        elif not line.strip() and current:
            entries.append(current)
            current = {}
    return entries


def _cpuinfo() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
