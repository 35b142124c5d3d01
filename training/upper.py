"""What is trained behind the cross-encoder's lower layers: its upper ones, in the rounding of the package, and their average.

The lower layers stay as they are, so that all that go on from them share them; the states behind them are made once for each way
an example is put together.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from fin_tui.retrieval.onnx import instruction_set
from training.cross_encoder import WEIGHTS, CrossEncoder
from training.fused import LOWER, four_bits, upper_layers

WIDTH, HEADS = 384, 12
"""Size of a token's state, and how many attentions a layer has."""
FAST = torch.bfloat16 if "amx" in instruction_set() else torch.float32
"""What layers are trained in: without units for half precision that takes twice as long as single."""
_IS_HALF = FAST is torch.bfloat16
_LEFT_OUT, _OF_TOKENS = 0.05, 0.04
"""Share of the features and of the tokens that training does without, each time others."""
_AVERAGED = 0.998
_TOGETHER = 16
_STEPS = 7
"""The largest whole number that the weights of a head become."""


class Layers(nn.Module):
    """The cross-encoder's layers, of which the upper ones are trained."""

    def __init__(self) -> None:
        super().__init__()
        whole = CrossEncoder(WEIGHTS)
        self.tokenizer: Any = whole.tokenizer
        self.encoder: Any = whole.model.bert
        self.classifier: Any = whole.model.classifier
        for fixed in (self.encoder.embeddings, *self.encoder.encoder.layer[:LOWER]):
            for weight in fixed.parameters():
                weight.requires_grad = False
        for module in self.encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0  # Bernoulli draws take longer than the layers; ``upper`` leaves out what it does at less cost.
        self.is_rounded = False
        """Whether the upper layers are used as the package will hold them."""

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def lower(self, encoded: Mapping[str, Sequence[Sequence[int]]]) -> list[torch.Tensor]:
        """The states behind the lower layers of what a tokenizer gives, [tokens, width] each, in half precision."""
        lengths = [len(ids) for ids in encoded["input_ids"]]
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        found: dict[int, torch.Tensor] = {}
        for first in range(0, len(order), _TOGETHER):
            places = order[first : first + _TOGETHER]
            names = ("input_ids", "attention_mask", "token_type_ids")
            rows = ([torch.tensor(encoded[name][place]) for place in places] for name in names)
            ids, mask, types = (nn.utils.rnn.pad_sequence(row, batch_first=True) for row in rows)
            with torch.autocast("cpu", dtype=FAST, enabled=_IS_HALF):
                states: torch.Tensor = self.encoder.embeddings(input_ids=ids, token_type_ids=types)
                for layer in self.encoder.encoder.layer[:LOWER]:
                    states = _through(layer, states, _hidden(mask))
            for at, place in enumerate(places):
                found[place] = states[at, : lengths[place]].to(torch.bfloat16).clone()
        return [found[place] for place in range(len(lengths))]

    def upper(self, batch: Sequence[torch.Tensor]) -> torch.Tensor:
        """The last states of a batch, [texts, tokens, width], for those behind the lower layers."""
        longest = max(map(len, batch))
        states, mask = torch.zeros(len(batch), longest, WIDTH, dtype=FAST), torch.zeros(len(batch), longest)
        for place, one in enumerate(batch):
            states[place, : len(one)], mask[place, : len(one)] = one, 1
        if self.training:
            states = _left_out(states, _LEFT_OUT) * (torch.rand(len(batch), longest, 1) > _OF_TOKENS).to(states.dtype)
        with torch.autocast("cpu", dtype=FAST, enabled=_IS_HALF):
            for layer in self.encoder.encoder.layer[LOWER:]:
                states = _through(layer, states, _hidden(mask), is_rounded=self.is_rounded)
                states = _left_out(states, _LEFT_OUT / 2) if self.training else states
        return states.float()

    def write(self, file: Path) -> None:
        """Put the upper layers, rounded to four bits, where the package reads them."""
        upper_layers({f"encoder.{name}": weight.detach().numpy() for name, weight in self.encoder.state_dict().items()}, file)


def _hidden(mask: torch.Tensor) -> torch.Tensor:
    return torch.where(mask[:, None, None, :].bool(), 0.0, -math.inf).to(FAST)


def _left_out(states: torch.Tensor, share: float) -> torch.Tensor:
    """``states`` without some features, the same for all tokens of a text."""
    kept = torch.rand(len(states), 1, states.shape[-1]) > share
    return states * (kept / (1 - share)).to(states.dtype)


def in_four_bits(weight: torch.Tensor) -> torch.Tensor:
    """What the package will hold of a weight [outputs, inputs], but for the rounding to eight bits at load; its gradient
    is passed on as it is (the straight-through estimator of Bengio, Léonard and Courville, 2013).
    """
    whole, scales = four_bits(weight.detach())
    return weight + ((whole * scales).reshape(weight.shape) - weight).detach()


def _through(layer: Any, states: torch.Tensor, hidden: torch.Tensor, *, is_rounded: bool = False) -> torch.Tensor:
    """The states behind a layer. Half precision is trained with attention written out: three times as fast as torch's own."""

    def dense(part: nn.Linear, of: torch.Tensor) -> torch.Tensor:
        return functional.linear(of, in_four_bits(part.weight) if is_rounded else part.weight, part.bias)

    of, shape = layer.attention.self, (len(states), -1, HEADS, WIDTH // HEADS)
    asked, keys, values = (dense(part, states).view(shape).transpose(1, 2) for part in (of.query, of.key, of.value))
    with torch.autocast("cpu", enabled=False):
        asked, keys, values = (part.to(FAST) for part in (asked, keys, values))
        if torch.is_grad_enabled() and _IS_HALF:
            scores = torch.matmul(asked / math.sqrt(WIDTH // HEADS), keys.transpose(-1, -2)) + hidden
            seen = torch.matmul(torch.softmax(scores, -1), values)
        else:
            seen = functional.scaled_dot_product_attention(asked, keys, values, attn_mask=hidden)
        seen = seen.transpose(1, 2).reshape(states.shape)
    mixed = layer.attention.output.LayerNorm(dense(layer.attention.output.dense, seen) + states)
    wide = functional.gelu(dense(layer.intermediate.dense, mixed))
    made: torch.Tensor = layer.output.LayerNorm(dense(layer.output.dense, wide) + mixed)
    return made


class Descent:
    """Steps down a loss for some seconds, at rates that rise and then fall along a cosine; keeps the running average of the
    weights.
    """

    def __init__(self, groups: Sequence[tuple[Sequence[nn.Parameter], float]], seconds: float, warm: int, decay: float) -> None:
        """``groups`` of weights with the highest rate of each, which is reached after ``warm`` steps."""
        self._trained = [weight for weights, _ in groups for weight in weights]
        self._average = [weight.detach().clone() for weight in self._trained]
        self._rates = [rate for _, rate in groups]
        self._optimizer = torch.optim.AdamW([{"params": weights} for weights, _ in groups], weight_decay=decay)
        self._seconds, self._warm = seconds, warm
        self._began = time.monotonic()
        self._measured = 0.0
        self.steps = 0
        self.loss = 0.0
        """Of the last steps, on average."""

    @property
    def passed(self) -> float:
        """Seconds."""
        return time.monotonic() - self._began

    @property
    def share(self) -> float:
        """Of the time that is up."""
        return min(1.0, self.passed / self._seconds)

    def step(self, loss: torch.Tensor) -> None:
        """One step down ``loss``."""
        left = max(0.02, 0.5 + 0.5 * math.cos(math.pi * self.share))
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * min(1.0, (self.steps + 1) / self._warm) * left
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._trained, 1.0)
        self._optimizer.step()
        self._add()
        self.steps += 1
        told = float(loss.detach())
        self.loss = 0.98 * self.loss + 0.02 * told if self.steps > 1 else told

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _add(self) -> None:
        kept = min(_AVERAGED, (self.steps + 1) / (self.steps + 10))
        for average, weight in zip(self._average, self._trained, strict=True):
            average.lerp_(weight, 1 - kept)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def swap(self) -> None:
        """Put the average in the place of the weights; and these back, the next time."""
        for average, weight in zip(self._average, self._trained, strict=True):
            held = weight.clone()
            weight.copy_(average)
            average.copy_(held)

    def report(self, measure: Callable[[], str], every: float) -> None:
        """Print what the average comes to, where so many seconds have passed since it was printed last."""
        if self.passed - self._measured > every:
            self._measured = self.passed
            self.swap()
            print(f"{self._measured:.0f} s, step {self.steps}: {self.loss:.3f}; kept aside: {measure()}", flush=True)
            self.swap()


def packed(weight: NDArray[np.float32], name: str) -> dict[str, NDArray[Any]]:
    """Each row of a map in whole numbers up to ``_STEPS`` with its scale. They stand in bytes, of which compression takes out the
    half that is unused.
    """
    scale = np.abs(weight).max(axis=1) / _STEPS
    return {name: np.round(weight / scale[:, None]).astype(np.int8), f"{name}_scale": scale.astype(np.float32)}
