"""Trains the weights that have the shipped language model write questions out in full: ``make rewriter``, or

    FIN_TUI_HOME=DIR python -m training.rewriter [--minutes 60] [--seed 1] [--to FILE] [--start FILE] [--keep FILE]

LoRA (Hu et al., 2021, arXiv 2106.09685) of rank 8 on all matrices of the layers from the sixth on of SmolLM2-135M-Instruct, whose
own weights stay as they are. One text is a whole conversation; only what is to be written counts (``data/rewrites.jsonl``):

    Globex 2023
    ? how many depots
    = a | @ number of depots end of 2023
    ? sales per depot
    = a / b | @ net sales 2023 | @ number of depots end of 2023

Every 25th conversation is kept aside; the loss on these is printed. The adapter is a GGUF file as llama.cpp reads it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from fin_tui.engine.models.files import shipped_model
from fin_tui.paths import find_home

DATA = Path(__file__).resolve().parent / "data" / "rewrites.jsonl"
WEIGHTS = Path(__file__).resolve().parent.parent / "fin_tui" / "engine" / "frame" / "rewriter_weights" / "adapter.gguf"
RANK, ALPHA, FIRST_LAYER = 8, 16, 5
RATE, WARM_STEPS, LEVEL = 1e-3, 30, 0.4
"""The learning rate, steps until it is reached, and the part of the time after which it falls off."""
TOKENS_AT_ONCE, BUCKET = 1500, 200
HELD = 25
NAMES = {
    "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
    "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
}  # fmt: skip
"""Matrices by their names in torch, and in GGUF."""
IGNORED, PADDING, BEGIN = -100, 2, 1
Text = tuple[list[int], list[int]]
"""Tokens of a conversation, and the same with ``IGNORED`` for what is not to be written."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns and what is to be written for each."""

    about: str
    turns: tuple[str, ...]
    written: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    parser.add_argument("--start", type=Path, help="weights to go on from, as --keep wrote them")
    parser.add_argument("--keep", type=Path, help="where the weights go as torch has them")
    given = parser.parse_args()
    random.seed(given.seed)
    torch.manual_seed(given.seed)
    model, tokenizer = adapted(find_home(Path(os.environ["FIN_TUI_HOME"])).models)
    if given.start:
        model.load_state_dict(torch.load(given.start), strict=False)
    rows = conversations()
    held, texts = parted(rows, tokenizer)
    print(f"{len(texts)} conversations, {len(held)} kept aside")
    loss = train(model, texts, held, given.minutes * 60)
    own = {name: weights.detach() for name, weights in model.named_parameters() if weights.requires_grad}
    if given.keep:
        torch.save(own, given.keep)
    export(own, given.to, model.config)
    card = {
        "name": f"rewriter-{hashlib.sha256(given.to.read_bytes()).hexdigest()[:12]}",
        "base": "HuggingFaceTB/SmolLM2-135M-Instruct, Q4_1 (Apache-2.0)",
        "made_by": "make rewriter",
        "start": str(given.start.name) if given.start else "",
        "seed": given.seed,
        "minutes": given.minutes,
        "conversations": len(rows),
        "turns": sum(len(row.turns) for row in rows),
        "loss_on_those_kept_aside": round(loss, 3),
    }
    given.to.with_name("card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def conversations() -> list[Conversation]:
    """Those that people rewrote."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    return [Conversation(f"{row['company']} {row['year']}", tuple(row["turns"]), tuple(row["written"])) for row in rows]


class Adapted(nn.Module):
    """A matrix with a trained one of low rank added to it."""

    def __init__(self, matrix: nn.Linear) -> None:
        super().__init__()
        self.matrix = matrix
        self.a = nn.Parameter(torch.randn(RANK, matrix.in_features) / math.sqrt(matrix.in_features))
        self.b = nn.Parameter(torch.zeros(matrix.out_features, RANK))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        low = functional.linear(functional.linear(states, self.a.to(states.dtype)), self.b.to(states.dtype))
        whole: torch.Tensor = self.matrix(states) + low * (ALPHA / RANK)
        return whole


def adapted(models: Path) -> tuple[Any, Any]:
    """The shipped model with matrices to train, and its tokenizer."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    found = shipped_model(find_home(models.parent))
    assert found is not None, "`fin-tui setup` brings the model that training starts from."
    name = found.path.name
    tokenizer = AutoTokenizer.from_pretrained(str(found.path.parent), gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(
        str(found.path.parent), gguf_file=name, dtype=torch.bfloat16, attn_implementation="eager"
    )
    for weights in model.parameters():
        weights.requires_grad_(False)
    for layer in model.model.layers[FIRST_LAYER:]:
        for part in (layer.self_attn, layer.mlp):
            for name, matrix in list(part.named_children()):
                if name in NAMES:
                    setattr(part, name, Adapted(matrix))
    return model, tokenizer


def parted(rows: Sequence[Conversation], tokenizer: Any) -> tuple[list[Text], list[Text]]:
    """The texts kept aside, and those to train on."""
    texts = [text_of(row, tokenizer) for row in rows]
    return texts[::HELD], [text for at, text in enumerate(texts) if at % HELD]


def text_of(row: Conversation, tokenizer: Any) -> Text:
    def tokens(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    ids = [BEGIN, *tokens(f"{row.about}\n")]
    labels = [IGNORED] * len(ids)
    for turn, written in zip(row.turns, row.written, strict=True):
        asked, line = tokens(f"? {turn}\n="), tokens(f" {written}\n")
        ids += [*asked, *line]
        labels += [*[IGNORED] * len(asked), *line]
    return ids, labels


def batches(texts: Sequence[Text]) -> Iterator[list[Text]]:
    """All texts in batches of about the same number of tokens, those of one length together."""
    order = random.sample(range(len(texts)), len(texts))
    made: list[list[Text]] = []
    for start in range(0, len(order), BUCKET):
        batch: list[Text] = []
        for text in sorted((texts[at] for at in order[start : start + BUCKET]), key=lambda text: len(text[0])):
            if batch and (len(batch) + 1) * len(text[0]) > TOKENS_AT_ONCE:
                made.append(batch)
                batch = []
            batch.append(text)
        made.append(batch)
    random.shuffle(made)
    yield from made


def loss_of(model: Any, batch: Sequence[Text]) -> tuple[torch.Tensor, int]:
    """The mean loss over the tokens to be written, and their number."""
    longest = max(len(ids) for ids, _ in batch)
    ids = torch.tensor([[*one, *[PADDING] * (longest - len(one))] for one, _ in batch])
    labels = torch.tensor([[*one, *[IGNORED] * (longest - len(one))] for _, one in batch])[:, 1:]
    states = model.model(ids, use_cache=False).last_hidden_state[:, :-1]  # Padding stands behind: nothing looks at it.
    counts = labels != IGNORED
    logits = functional.linear(states[counts], model.model.embed_tokens.weight).float()
    return functional.cross_entropy(logits, labels[counts]), int(counts.sum())


def train(model: Any, texts: Sequence[Text], held: Sequence[Text], seconds: float) -> float:
    """Train for so many seconds; gives the loss on those kept aside."""
    weights = [one for one in model.parameters() if one.requires_grad]
    for one in weights:
        one.data = one.data.float()
    optimizer = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.0, betas=(0.9, 0.98))
    began, step, loss_aside = time.monotonic(), 0, math.nan
    while time.monotonic() - began < seconds:
        losses = []
        for batch in batches(texts):
            spent = (time.monotonic() - began) / seconds
            if spent >= 1:
                break
            step += 1
            rate = RATE * min(1, step / WARM_STEPS) * (1 if spent < LEVEL else (1 - spent) / (1 - LEVEL))
            for group in optimizer.param_groups:
                group["lr"] = rate
            loss, _ = loss_of(model, batch)
            loss.backward()
            nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.item())
        loss_aside = held_loss(model, held)
        print(f"{step} steps: loss {np.mean(losses or [0.0]):.3f}, on those kept aside {loss_aside:.3f}", flush=True)
    return loss_aside


def held_loss(model: Any, held: Sequence[Text]) -> float:
    """The mean loss over all tokens to be written of the texts kept aside."""
    with torch.no_grad():
        found = [loss_of(model, held[at : at + 8]) for at in range(0, len(held), 8)]
    return float(sum(loss.item() * count for loss, count in found) / sum(count for _, count in found))


def export(own: dict[str, torch.Tensor], to: Path, config: Any) -> None:
    """The trained matrices as a GGUF adapter: the first of each pair in Q8_0, the second in half precision."""
    writer = gguf.GGUFWriter(str(to), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(ALPHA))
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, weights in own.items():
        match = re.fullmatch(r"model\.layers\.(\d+)\.\w+\.(\w+)\.([ab])", name)
        assert match is not None, name
        layer, matrix, which = match.groups()
        values = weights.float().numpy()
        key = f"blk.{layer}.{NAMES[matrix]}.weight.lora_{which}"
        if which == "a":
            packed = gguf.quants.quantize(np.ascontiguousarray(values), gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(key, packed, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
            continue
        if matrix in heads:  # llama.cpp has the halves of each head's rows interleaved.
            values = values.reshape(heads[matrix], 2, -1, RANK).swapaxes(1, 2).reshape(values.shape)
        writer.add_tensor(key, np.ascontiguousarray(values).astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{to}: {to.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
