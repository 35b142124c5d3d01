"""Fits the cross-encoder to rows: it reads a question together with a row or a marked number, and tells whether that answers.

It goes on from the weights that the package's cross-encoder has, which stand as int8 ONNX: they are taken back to floats first.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.row_reader [--seconds 1500] [--seed 5] [--start FOLDER] [--to FOLDER]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from fin_tui.config import load_settings
from fin_tui.engine.rank.ranker import UNITS, Wanted
from fin_tui.engine.services import Services, open_services
from fin_tui.errors import MissingAsset
from fin_tui.paths import find_home
from fin_tui.store.library import Library
from training.export import quantised
from training.rows import Pair, Rows, Shortlist, of_rows, pairs, rows_of
from training.train import DATA, HELD_WORDINGS, files_by_part, lines

BASE = "ms-marco-minilm-l12"
TOKENS = 96
_QUESTIONS, _NEAR = 8, 7
_BLIND = 0.75
"""Share of a step's questions that people wrote for a single figure; the others are wordings of a tag."""
_RATE = 5e-5
_TOGETHER = 16
_HELD_LAYERS = 4
_TOLD = 0.05


class RowReader(nn.Module):
    """The cross-encoder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tokenizer: Any = PreTrainedTokenizerFast(
            tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
        )
        config = BertConfig(
            hidden_size=384, num_hidden_layers=12, num_attention_heads=12, intermediate_size=1536, num_labels=1,
        )  # fmt: skip
        self.model: Any = BertForSequenceClassification(config)
        self.model.load_state_dict(floats(folder / "model.onnx"), strict=False)

    def scores(self, texts: Sequence[tuple[str, str]]) -> torch.Tensor:
        """How well each row answers its question, a logit [n]; those of like length are read together."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at][0]) + len(texts[at][1]))
        found = torch.cat(
            [self._together([texts[at] for at in order[i : i + _TOGETHER]]) for i in range(0, len(order), _TOGETHER)]
        )
        return found[torch.tensor(sorted(range(len(order)), key=order.__getitem__))]

    def _together(self, texts: Sequence[tuple[str, str]]) -> torch.Tensor:
        made = self.tokenizer(
            [text[0] for text in texts], [text[1] for text in texts], padding=True, truncation="only_second",
            max_length=TOKENS, return_tensors="pt", return_token_type_ids=True,
        )  # fmt: skip
        logits: torch.Tensor = self.model(**made).logits[:, 0]
        return logits.float()

    def hold(self) -> None:
        """Keep embeddings and the lowest layers as they are: they cost a third of a step."""
        held = ("bert.embeddings.", *(f"bert.encoder.layer.{number}." for number in range(_HELD_LAYERS)))
        for name, values in self.model.named_parameters():
            values.requires_grad_(not name.startswith(held))


def floats(path: Path) -> dict[str, torch.Tensor]:
    """The weights of an int8 ONNX file of this architecture, by their names in torch."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def whole(name: str) -> Any:
        scale, zero = held[f"{name}_scale"], held[f"{name}_zero_point"].astype(np.float32)
        return (held[f"{name}_quantized"].astype(np.float32) - zero) * scale

    found = {name: value for name, value in held.items() if name.endswith((".bias", "LayerNorm.weight"))}
    for kind in ("word", "token_type", "position"):
        found[f"bert.embeddings.{kind}_embeddings.weight"] = whole(f"bert.embeddings.{kind}_embeddings.weight")
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = node.name.removeprefix("/").replace("/MatMul_quant", "").replace("/Gemm_MatMul_quant", "").replace("/", ".")
            found[f"{name}.weight"] = whole(node.input[1].removesuffix("_quantized")).T
    return {name: torch.tensor(np.ascontiguousarray(value)) for name, value in found.items()}


def fit(reader: RowReader, blind: Sequence[Pair], tagged: Sequence[Pair], seconds: float, seed: int) -> None:
    """Train for ``seconds``: of each question's rows the right one is to score highest."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    reader.hold()
    trained = [values for values in reader.parameters() if values.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=_RATE, weight_decay=0.01)
    began, step, told = time.monotonic(), 0, 0.0
    reader.train()
    while (passed := time.monotonic() - began) < seconds:
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / 40) * (1 - passed / seconds)
        many = round(_QUESTIONS * _BLIND)
        asked = [*chance.sample(blind, many), *chance.sample(tagged, _QUESTIONS - many)]
        texts, counts = [], []
        for pair in asked:
            near = [pair.near[min(int(chance.expovariate(0.15)), len(pair.near) - 1)] for _ in range(_NEAR)] if pair.near else []
            near = list(dict.fromkeys(row for row in near if row not in pair.right))
            texts += [(pair.wording, row) for row in (chance.choice(pair.right), *near)]
            counts.append(1 + len(near))
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = reader.scores(texts)
        parts = scores.split(counts)
        loss = torch.stack([-torch.log_softmax(part, 0)[0] for part in parts]).mean()
        # A logit that means the same for every question tells whether any row answers at all.
        truth = torch.cat([torch.eye(1, len(part))[0] for part in parts])
        loss = loss + 0.3 * nn.functional.binary_cross_entropy_with_logits(scores, truth)
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        step += 1
        told = (1 - _TOLD) * told + _TOLD * float(loss.detach()) if step > 1 else float(loss.detach())
        if step % 20 == 0:
            print(f"{passed:.0f} s, step {step}: {told:.3f}", flush=True)
    reader.eval()


def measure(reader: RowReader, asked: Sequence[Pair], most: int = 12) -> dict[str, Any]:
    """How often the right row scores highest beside up to ``most`` near ones."""
    right = {"row": [0, 0], "sentence": [0, 0]}
    with torch.no_grad():
        for pair in asked:
            near = [row for row in pair.near if row not in pair.right][:most]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = reader.scores([(pair.wording, row) for row in (pair.right[0], *near)])
            right[pair.source][0] += bool((scores[0] >= scores).all())
            right[pair.source][1] += 1
    return {name: {"first": first, "of": of} for name, (first, of) in right.items()}


def export(reader: RowReader, target: Path, card: dict[str, Any]) -> None:
    """Write what the package ships: int8 ONNX, tokenizer, a card."""
    quantised(reader.model, reader.tokenizer, target / "model.onnx", "logits")
    reader.tokenizer.backend_tokenizer.save(str(target / "tokenizer.json"))
    digest = hashlib.sha256((target / "model.onnx").read_bytes()).hexdigest()
    base = "cross-encoder/ms-marco-MiniLM-L-12-v2 (Apache-2.0)"
    card = {"name": f"row-reader-{digest[:12]}", "base": base, "made_by": "make train", **card}
    (target / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card, indent=1))


def shortlist_of(services: Services) -> Shortlist:
    """What the ranker of ``services`` would read, of any period. Raises ``MissingAsset`` where it has no weights."""
    linked = services.engine.linked
    if linked is None:
        raise MissingAsset("The ranker has no weights.", "Run python -m training.train first.")

    def shortlist(rows: Rows, words: str, kind: str, right: Sequence[str]) -> Sequence[str]:
        wanted, filing = Wanted(words, kind if kind in UNITS else ""), rows.filing
        likely, _ = linked.ranker.shortlist(wanted, filing, None, linked.passages(words, filing))
        known = {abs(value) for row in right for value in rows.values[row]}
        known |= {abs(one.fact.value or 0.0) for one in rows.sentences if one.row in right}
        return [one.row for one in likely if abs(one.fact.value or 0.0) not in known]

    return shortlist


def main() -> None:
    """Train, measure, save."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=1_500)
    arguments.add_argument("--seed", type=int, default=5)
    arguments.add_argument("--start", type=Path, help="weights of an earlier run, to go on from")
    arguments.add_argument("--to", type=Path, default=Path("build/row_reader"))
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    files = files_by_part(Path(os.environ["FIN_TUI_CORPUS"]))
    wordings, written = lines(DATA / "wordings.jsonl"), lines(DATA / "rows.jsonl")
    random.Random(given.seed).shuffle(wordings)
    with open_services(paths, load_settings(paths.settings), with_model=False) as services, Library.open(paths) as library:
        training, development = rows_of(library, files["training"]), rows_of(library, files["development"])
        shortlist = shortlist_of(services)
        blind = of_rows(training, [row for row in written if row["split"] == "training"], shortlist, given.seed)
        held = of_rows(development, [row for row in written if row["split"] == "development"], shortlist, given.seed)
    tagged = pairs(training, wordings[HELD_WORDINGS:], given.seed)
    held = random.Random(given.seed).sample(held, min(150, len(held)))
    reader = RowReader(paths.models / BASE).eval()
    if given.start is not None:
        reader.model.load_state_dict(torch.load(given.start / "model.pt"))
    before = measure(reader, held)
    print(f"{len(blind)} questions, {len(tagged)} wordings; before: {json.dumps(before)}", flush=True)
    fit(reader, blind, tagged, given.seconds, given.seed)
    given.to.mkdir(parents=True, exist_ok=True)
    torch.save(reader.model.state_dict(), given.to / "model.pt")
    figures = {"development, near rows of the filing": {"before": before, "after": measure(reader, held)}}
    export(reader, given.to, {"seed": given.seed, "seconds": given.seconds, "questions": len(blind), **figures})


if __name__ == "__main__":
    main()
