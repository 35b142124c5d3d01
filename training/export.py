"""Trained weights -> what the package ships: int8 ONNX, heads as arrays, tokenizer, a card.

python -m training.export FOLDER [--to fin_tui/retrieval/reader_weights]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from training.encoder import LABELS, OPERANDS, TAGS, Reader
from training.fused import fuse

WORDINGS = Path(__file__).resolve().parent / "data" / "wordings.jsonl"
_WORD = re.compile(r"[a-z0-9&%/'’+-]+")
_LEAST = 4
_MOSTLY = 0.6
"""How often a word must stand outside of all spans to say nothing about what is asked for."""
TARGET = Path(__file__).resolve().parent.parent / "fin_tui" / "retrieval" / "reader_weights"


class _Output(nn.Module):
    """A model with one of its outputs."""

    def __init__(self, model: nn.Module, name: str) -> None:
        super().__init__()
        self.model, self.name = model, name

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = getattr(
            self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids), self.name
        )
        return output


def main() -> None:
    """Export, quantise, write the card."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--to", type=Path, default=TARGET)
    arguments.add_argument("--wordings", type=Path, default=WORDINGS)
    asked = arguments.parse_args()
    reader = Reader(asked.folder)
    reader.load_state_dict(torch.load(asked.folder / "heads.pt"), strict=False)
    reader.eval()
    asked.to.mkdir(parents=True, exist_ok=True)
    quantised(reader.encoder, reader.tokenizer, asked.to / "model.onnx", "last_hidden_state")
    heads = {name: value.numpy() for name, value in reader.state_dict().items() if not name.startswith("encoder.")}
    np.savez(asked.to / "heads.npz", **heads)
    shutil.copy(asked.folder / "tokenizer.json", asked.to / "tokenizer.json")
    digest = hashlib.sha256((asked.to / "model.onnx").read_bytes()).hexdigest()
    figures = json.loads((asked.folder / "figures.json").read_text()) if (asked.folder / "figures.json").exists() else {}
    card = {
        "name": f"reader-{digest[:12]}",
        "plain_words": plain_words(asked.wordings),
        "words": _words_before(asked.to),
        "labels": {"tags": TAGS, "operands": OPERANDS, **LABELS},
        "base": "all-MiniLM-L6-v2 (Apache-2.0)",
        "made_by": "make train",
        **figures,
    }
    (asked.to / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(card["name"], (asked.to / "model.onnx").stat().st_size)


def _words_before(folder: Path) -> list[str]:
    """The words that were taken out of the vocabulary of the weights that are replaced."""
    card = folder / "card.json"
    words: list[str] = json.loads(card.read_text(encoding="utf-8")).get("words", []) if card.is_file() else []
    return words


def plain_words(wordings: Path) -> list[str]:
    """Words of questions that mostly name nothing: they ask, compute, or link."""
    outside: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for line in wordings.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["refusal"]:
            continue  # What nobody answers names its matter all the same: "weather".
        text = row["question"]
        every.update(set(_WORD.findall(text.lower())))
        for span in (*row["companies"], *row["periods"], *row["target"], *row["part"]):
            text = text.replace(span, " ", 1)
        outside.update(set(_WORD.findall(text.lower())))
    return sorted(word for word, count in outside.items() if count >= _LEAST and count >= _MOSTLY * every[word])


def quantised(model: nn.Module, tokenizer: Any, target: Path, output: str, *, in_four: bool = False) -> None:
    """Write ``model``, which takes what the tokenizer gives, with its ``output`` ("last_hidden_state", "logits") as int8 ONNX;
    its layers ``in_four`` bits where that is said.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    made = tokenizer(["a question", "another one"], ["a row | of a table"] * 2, return_tensors="pt", return_token_type_ids=True)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    shape = {0: "texts", 1: "tokens"}
    axes = dict.fromkeys(names, shape) | {output: shape if output == "last_hidden_state" else {0: "texts"}}
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(
            _Output(model, output), tuple(made[name] for name in names), str(plain), input_names=names, output_names=[output],
            dynamic_axes=axes, opset_version=17, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(str(plain), str(target), weight_type=QuantType.QInt8, per_channel=True, reduce_range=False)
    layers = {name: value.numpy() for name, value in model.state_dict().items() if name.startswith("encoder.layer.")}
    fuse(target, layers if in_four else None)


if __name__ == "__main__":
    main()
