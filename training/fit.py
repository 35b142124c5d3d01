"""Trains the encoder and its heads together: rows against wordings, tags and labels of questions."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from training.encoder import LABELS, OPERANDS, QUESTION_TOKENS, SPANS, TAGS, Reader
from training.rows import Pair

_TEMPERATURE = 0.05
_QUERIES, _NEAR = 24, 2
_QUESTIONS = 64
_ROWS_EVERY = 2
"""Steps of questions, which are short, for each step of rows."""
_TOLD = 0.05
"""Weight of the last step in the losses that are printed."""
_RATE, _HEAD_RATE = 6e-5, 1e-3
_UNKNOWN = -100
"""Stands for what is not known of a token or a question; nothing is learnt from it."""


def fit(reader: Reader, rows: Sequence[Pair], questions: Sequence[Mapping[str, Any]], seconds: float, seed: int) -> None:
    """Train for ``seconds``; the rate falls to zero at the end."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    heads = [parameter for name, parameter in reader.named_parameters() if not name.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [{"params": reader.encoder.parameters(), "lr": _RATE}, {"params": heads, "lr": _HEAD_RATE}], weight_decay=0.01
    )
    began, step, told = time.monotonic(), 0, [0.0, 0.0]
    by_operation: dict[str, list[Mapping[str, Any]]] = {}
    for row in questions:
        by_operation.setdefault(row.get("refusal") or row.get("operation") or "", []).append(row)
    kinds = sorted(by_operation)
    reader.train()
    while (passed := time.monotonic() - began) < seconds:
        share = min(1.0, (step + 1) / 30) * (1 - passed / seconds)
        for group, rate in zip(optimizer.param_groups, (_RATE, _HEAD_RATE), strict=True):
            group["lr"] = rate * share
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = question_loss(reader, _some(questions, by_operation, kinds, chance))
        loss.backward()
        told[1] += _TOLD * (loss.item() - told[1]) if step else loss.item()
        if step % _ROWS_EVERY == 0:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = row_loss(reader, chance.sample(rows, _QUERIES), chance)
            loss.backward()
            told[0] += _TOLD * (loss.item() - told[0]) if step else loss.item()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 20 == 0:
            print(f"{passed:.0f} s, step {step}: rows {told[0]:.3f}, questions {told[1]:.3f}", flush=True)
    reader.eval()


def _some(
    questions: Sequence[Mapping[str, Any]],
    by_operation: Mapping[str, Sequence[Mapping[str, Any]]],
    kinds: Sequence[str],
    chance: random.Random,
) -> list[Mapping[str, Any]]:
    """Questions of a step: half as they come, half of each operation and each kind of refusal alike."""
    even = [chance.choice(by_operation[chance.choice(kinds)]) for _ in range(_QUESTIONS // 2)]
    return [*chance.sample(questions, _QUESTIONS - len(even)), *even]


def row_loss(reader: Reader, pairs: Sequence[Pair], chance: random.Random) -> torch.Tensor:
    """A wording is nearer to its row than to near rows of the filing, and to the rows of other wordings."""
    right = [chance.choice(pair.right) for pair in pairs]
    near = [row for pair in pairs for row in _hard(pair, _NEAR, chance)]
    asked, rows = reader.vectors([pair.wording for pair in pairs]), reader.vectors([*right, *near])
    scores = (asked @ rows.T).float() / _TEMPERATURE
    segments = [set(row.lower().split(" | ")) for row in right]
    for one, pair in enumerate(pairs):
        for other in range(len(pairs)):
            if one != other and segments[one] & segments[other]:
                scores[one, other] = -1e4
        own = range(len(pairs) + one * _NEAR, len(pairs) + (one + 1) * _NEAR)
        same = [
            place for place in range(len(pairs), scores.shape[1]) if place not in own and near[place - len(pairs)] in pair.right
        ]
        scores[one, same] = -1e4
    return nn.functional.cross_entropy(scores, torch.arange(len(pairs)))


def question_loss(reader: Reader, questions: Sequence[Mapping[str, Any]]) -> torch.Tensor:
    """Tags of the tokens, labels of the whole."""
    hidden, (made, offsets) = reader.states(
        [(row["question"], row.get("follow_up_of") or "") for row in questions], QUESTION_TOKENS
    )
    loss = torch.zeros(())
    for head, ids_of in ((reader.tags, tag_ids), (reader.operands, operand_ids)):
        ids = torch.stack(
            [ids_of(row, offset, types) for row, offset, types in zip(questions, offsets, made["token_type_ids"], strict=True)]
        )
        if (ids != _UNKNOWN).any():
            loss = loss + nn.functional.cross_entropy(head(hidden).float().flatten(0, 1), ids.flatten(), ignore_index=_UNKNOWN)
    mask = made["attention_mask"].unsqueeze(-1).float()
    pooled = (hidden * mask).sum(1) / mask.sum(1)
    for name, values in LABELS.items():
        if all(row.get(name) is None for row in questions):
            continue
        ids = torch.tensor([values.index(row[name]) if row.get(name) is not None else _UNKNOWN for row in questions])
        loss = loss + 0.5 * nn.functional.cross_entropy(reader.labels[name](pooled).float(), ids, ignore_index=_UNKNOWN)
    return loss


def tag_ids(row: Mapping[str, Any], offsets: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
    """The tag of each token of the question; -100 for special tokens, the question before, and where no tag is known."""
    if any(row[name] is None for name in SPANS):
        return torch.full((len(offsets),), _UNKNOWN)
    spans = [(start, end, name) for name in SPANS for start, end in _places(row["question"], row[name])]
    return _ids(offsets, types, spans, lambda name, starts: TAGS.index(f"{'B' if starts else 'I'}-{name}"))


def operand_ids(row: Mapping[str, Any], offsets: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
    """The operand that each token of the question stands for, in the same way; a part that may be of any of them is unknown."""
    if row.get("operand") is None:
        return torch.full((len(offsets),), _UNKNOWN)
    named = list(zip(row["operand"], OPERANDS[1:], strict=False))
    spans = [(start, end, "") for start, end in _places(row["question"], row.get("of_any") or ())]
    spans += [(start, end, name) for words, name in named for start, end in _places(row["question"], [words])]
    return _ids(offsets, types, spans, lambda name, _: OPERANDS.index(name) if name else _UNKNOWN)


def _ids(
    offsets: torch.Tensor, types: torch.Tensor, spans: Sequence[tuple[int, int, str]], of: Callable[[str, bool], int]
) -> torch.Tensor:
    """For each token of the first text what ``of`` makes of the span it stands in, and whether it begins it; 0 outside."""
    ids = torch.full((len(offsets),), _UNKNOWN)
    for place, ((start, end), kind) in enumerate(zip(offsets.tolist(), types.tolist(), strict=True)):
        if end <= start or kind:
            continue
        ids[place] = 0
        for a, b, name in spans:
            if a <= start and end <= b:
                ids[place] = of(name, start == a)
    return ids


def _places(text: str, spans: Sequence[str]) -> list[tuple[int, int]]:
    found, taken = [], 0
    for span in spans:
        at = text.find(span, taken) if span else -1
        at = at if at >= 0 else text.find(span) if span else -1
        if at >= 0:
            found.append((at, at + len(span)))
            taken = at + len(span)
    return found


def _hard(pair: Pair, count: int, chance: random.Random) -> list[str]:
    """Near rows, those with the most words in common the likeliest."""
    picked = [pair.near[min(int(chance.expovariate(0.12)), len(pair.near) - 1)] for _ in range(count)] if pair.near else []
    return (picked + [""] * count)[:count]
