"""Trains what looks for passages by a conversation: a vector that is near those of the passages that answer its last question.

The passages keep the vectors that the encoder of the settings gave them, so only the side of the question is trained (as in
dense passage retrieval, Karpukhin et al., 2020, with the passages' side fixed): among all passages of the filing those that
answer are to score highest, and, counting less, among those of all filings. Questions over the filings that are ``KEPT`` only
tell how often a passage that answers is among the first.

    FIN_TUI_HOME=DIR python -m training.question_encoder [--write] [--seconds S] [--seed 5]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

import fin_tui.retrieval
from fin_tui.config import load_settings
from fin_tui.paths import find_home
from fin_tui.records import Chunk
from fin_tui.retrieval.encoder import encoder_name, find_folder
from fin_tui.retrieval.question_encoder import TOKENS, as_asked
from fin_tui.store.library import Library
from training.export import quantised
from training.rows import accession
from training.train import DATA, lines

TARGET = Path(fin_tui.retrieval.__file__).with_name("question_weights")
KEPT = (
    "0000200406-24-000013", "0000833444-24-000064", "0001628280-24-002390", "0000320193-95-000016", "0001045810-23-000017",
    "sha256:ff3307d5f633c5db", "sha256:29e05b3862cf6ffa",
)  # fmt: skip
"""Filings that no question is trained on."""
_WORTH: Mapping[str, float] = {"passages": 2.5, "excerpts": 1.0, "dialogues": 1.5, "people": 2.0}
"""How often questions of each file are drawn, one beside the other."""
_SCALE = 25.0
"""What a cosine counts among logits."""
_OF_ALL = 0.25
"""What it counts to be found among the passages of all filings."""
_STEP, _TOGETHER = 32, 16
"""Questions of a step, and those that are read together."""
_RATE, _DECAY, _WARM = 6e-5, 0.01, 40
_ASKED = 500
"""Questions of each file that are asked of the filings that are kept."""
_FIRST = (1, 6, 12, 24)


@dataclass(frozen=True, slots=True)
class Asked:
    """A conversation, and the passages of a filing (by number) that answer its last question: some for each thing needed."""

    text: str
    filing: str
    right: tuple[tuple[int, ...], ...]
    file: str


def passages_at(chunks: Sequence[Chunk], places: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The numbers of the passages that hold any of the ``places`` (clean text)."""
    return tuple(at for at, one in enumerate(chunks) if any(one.start < end and start < one.end for start, end in places))


def needed(row: Mapping[str, Any]) -> list[Sequence[Sequence[int]]]:
    """The places of each thing that an answer needs: any of those that answer in words, a figure, or each of several numbers."""
    if "right" in row:
        return [row["right"]] if row["right"] else []
    if row.get("places"):
        return [[place] for place in row["places"].values()]
    return [[(row["start"], row["end"])]] if "start" in row else []


def asked_of(file: str, chunks: Mapping[str, Sequence[Chunk]], ids: Mapping[str, str]) -> Iterator[Asked]:
    """The questions of a file of training data whose passages are held."""
    for row in lines(DATA / f"{file}.jsonl"):
        filing = ids.get(row["filing"])
        if filing is None:
            continue
        found = {passages_at(chunks[filing], places) for places in needed(row)} - {()}
        if found:
            yield Asked(as_asked(row.get("turns") or [row["question"]]), filing, tuple(sorted(found)), file)


class Questions(nn.Module):
    """The encoder of the passages, as it reads a question."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tokenizer: Any = PreTrainedTokenizerFast(
            tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
        )
        config = BertConfig(
            hidden_size=384, num_hidden_layers=12, num_attention_heads=12, intermediate_size=1536,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        )  # fmt: skip
        self.model: Any = BertModel(config, add_pooling_layer=False)
        self.model.load_state_dict({name: torch.from_numpy(value) for name, value in _floats(folder / "model.onnx").items()})
        for weight in self.model.embeddings.parameters():
            weight.requires_grad = False

    def forward(self, texts: Sequence[str]) -> torch.Tensor:
        """[texts, width], L2-normalised."""
        read = self.tokenizer(list(texts), padding=True, truncation=True, max_length=TOKENS, return_tensors="pt")
        states = self.model(input_ids=read["input_ids"], attention_mask=read["attention_mask"]).last_hidden_state[:, 0]
        return nn.functional.normalize(states, dim=-1)


def _floats(file: Path) -> dict[str, NDArray[np.float32]]:
    """The weights of the encoder as torch has them; they stand as its exporter rounded them."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(file)).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def whole(name: str) -> NDArray[np.float32]:
        zero = held[f"{name}_zero_point"].astype(np.float32)
        made: NDArray[np.float32] = (held[f"{name}_quantized"].astype(np.float32) - zero) * held[f"{name}_scale"]
        return made

    found = {name: value for name, value in held.items() if name.endswith((".bias", "LayerNorm.weight"))}
    found |= {name: whole(name) for kind in ("word", "position", "token_type")
              if (name := f"embeddings.{kind}_embeddings.weight")}  # fmt: skip
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1] in held:
            name = node.name.removeprefix("/").removesuffix("/MatMul_quant").replace("/", ".")
            found[f"{name}.weight"] = np.ascontiguousarray(whole(node.input[1].removesuffix("_quantized")).T)
    return {name: np.array(value, np.float32) for name, value in found.items()}


def fit(reader: Questions, taught: Sequence[Asked], vectors: Mapping[str, torch.Tensor], seconds: float, seed: int) -> None:
    """Train for ``seconds``."""
    chance = random.Random(seed)
    trained = [weight for weight in reader.parameters() if weight.requires_grad]
    descent = torch.optim.AdamW(trained, lr=_RATE, weight_decay=_DECAY)
    every = torch.cat(list(vectors.values()))
    first = dict(zip(vectors, accumulate(map(len, vectors.values()), initial=0), strict=False))
    worth = [_WORTH[one.file] for one in taught]
    began, step = time.monotonic(), 0
    while (share := (time.monotonic() - began) / seconds) < 1:
        for group in descent.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / _WARM) * (1 - share)
        drawn = sorted(chance.choices(taught, worth, k=_STEP), key=lambda one: len(one.text))
        descent.zero_grad()
        for some in (drawn[at : at + _TOGETHER] for at in range(0, _STEP, _TOGETHER)):
            read = reader([one.text for one in some])
            loss = torch.zeros(())
            for one, vector in zip(some, read, strict=True):
                loss = loss + _missed(_SCALE * (vectors[one.filing] @ vector), one.right)
                moved = [[first[one.filing] + at for at in right] for right in one.right]
                loss = loss + _OF_ALL * _missed(_SCALE * (every @ vector), moved)
            (loss / _STEP).backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        descent.step()
        step += 1


def _missed(logits: torch.Tensor, right: Sequence[Sequence[int]]) -> torch.Tensor:
    """The mean over what is needed of how unlikely any of the right ones is, as a negative logarithm."""
    chances = torch.log_softmax(logits, 0)
    return -torch.stack([torch.logsumexp(chances[list(some)], 0) for some in right]).mean()


@torch.no_grad()  # type: ignore[untyped-decorator]
def among_first(reader: Questions, asked: Sequence[Asked], vectors: Mapping[str, torch.Tensor]) -> dict[str, float]:
    """How often all that is needed is among the first 1, 6, … passages of the filing."""
    counts = dict.fromkeys(_FIRST, 0)
    for at in range(0, len(asked), _TOGETHER):
        some = asked[at : at + _TOGETHER]
        for one, vector in zip(some, reader([one.text for one in some]), strict=True):
            scores = vectors[one.filing] @ vector
            place = max(int((scores > scores[list(right)].max()).sum()) for right in one.right)
            for first in _FIRST:
                counts[first] += place < first
    return {str(first): round(count / max(len(asked), 1), 3) for first, count in counts.items()}


def main() -> None:
    """Train, print the figures, write the weights."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--seconds", type=float, default=1450.0)
    arguments.add_argument("--seed", type=int, default=5)
    asked = arguments.parse_args()
    torch.manual_seed(asked.seed)
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    settings = load_settings(paths.settings).encoder
    folder, encoder = find_folder(settings.model, paths), encoder_name(settings, paths)
    if encoder is None:
        raise SystemExit(f"No weights of the encoder in {folder}: run `fin-tui setup`.")
    with Library.open(paths) as library:
        filings = library.filings()
        ids = {name: one.id for one in filings for name in (one.id, accession(one.file)) if name}
        chunks = {one.id: library.chunks.of_filing(one.id) for one in filings}
        keys = {chunk: key for key, chunk in library.chunk_ids(library.vector_keys(encoder).tolist()).items()}
        vectors = {
            filing: torch.from_numpy(np.array(library.vectors(encoder, [keys[one.id] for one in some])))
            for filing, some in chunks.items()
        }
    kept = {ids[name] for name in KEPT if name in ids}
    every = [one for file in _WORTH for one in asked_of(file, chunks, ids)]
    random.Random(asked.seed).shuffle(every)
    held = {file: [one for one in every if one.file == file and one.filing in kept][:_ASKED] for file in _WORTH}
    taught = [one for one in every if one.filing not in kept]
    reader = Questions(folder)
    before = {file: among_first(reader, some, vectors) for file, some in held.items()}
    print("before", before, flush=True)
    fit(reader, taught, vectors, asked.seconds, asked.seed)
    after = {file: among_first(reader, some, vectors) for file, some in held.items()}
    print("after", after)
    if asked.write:
        TARGET.mkdir(exist_ok=True)
        quantised(reader.model.eval(), reader.tokenizer, TARGET / "model.onnx", "last_hidden_state", in_four=True)
        card = {
            "made_by": "training/question_encoder.py", "passages": encoder, "base": encoder, "seed": asked.seed,
            "seconds": asked.seconds, "questions": len(taught), "kept_aside": {"before": before, "after": after},
        }  # fmt: skip
        (TARGET / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
