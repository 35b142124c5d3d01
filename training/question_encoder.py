"""Trains what looks for passages, and for rows of figures, by a conversation: vectors near those of what answers its last
question.

Passages and rows keep the vectors that their encoders gave them, so only the side of the question is trained (as in dense passage
retrieval, Karpukhin et al., 2020, with the passages' side fixed): among all passages, and all rows, of the filing those that
answer are to score highest, and, counting less, among the passages of all filings. The package holds the layers in four bits: in
the last part of the time they are trained as they will be rounded. Questions over the filings that are ``KEPT`` only tell how
often what answers is among the first.

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
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.utils import parametrize
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

import fin_tui.retrieval
from fin_tui.config import load_settings
from fin_tui.engine.rank.filing_rows import FilingRows, RowBook
from fin_tui.paths import find_home
from fin_tui.records import Chunk
from fin_tui.retrieval.encoder import encoder_name, find_folder
from fin_tui.retrieval.question_encoder import TOKENS, as_asked
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store.library import Library
from training.export import quantised
from training.rows import accession
from training.train import DATA, lines
from training.upper import in_four_bits
from training.vocabulary import keep, shared

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
_PASSAGES, _ROWS, _TOGETHER = 20, 28, 14
"""Questions of a step whose passages, and whose rows, are looked for, and those that are read together."""
_OF_PASSAGES = 0.8
"""What passages count beside rows."""
_RATE, _OF_HEAD, _DECAY, _WARM = 6e-5, 6e-4, 0.01, 40
_ROUNDED_FROM = 0.6
"""Share of the time after which the layers are trained as they will be rounded."""
_TELLING = 3
"""Digits of a figure that stands in several rows for the same thing, and not by chance."""
_ASKED = 500
"""Questions of each file that are asked of the filings that are kept."""
_FIRST = (1, 6, 12, 24)


@dataclass(frozen=True, slots=True)
class Asked:
    """A conversation, and the passages or rows of a filing (by number) that answer its last question, some for each thing
    needed.
    """

    text: str
    filing: str
    right: tuple[tuple[int, ...], ...]
    file: str


Vectors = Mapping[str, torch.Tensor]
"""Filing -> the vectors of its passages or rows, [n, width]."""


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


def rows_of(file: str, filings: Mapping[str, FilingRows], ids: Mapping[str, str]) -> Iterator[Asked]:
    """The questions of a file of training data that figures of tables answer, and nothing else, with their rows."""
    for row in lines(DATA / f"{file}.jsonl"):
        filing = ids.get(row["filing"])
        if filing is None or "right" in row:
            continue
        found = {rows_at(filings[filing], *place) for places in needed(row) for place in places}
        if found and () not in found:
            yield Asked(as_asked(row.get("turns") or [row["question"]]), filing, tuple(sorted(found)), file)


def rows_at(rows: FilingRows, start: int, end: int) -> tuple[int, ...]:
    """The numbers of the rows that print the figure at a place of the clean text, there or elsewhere."""
    found = rows.at(start) or rows.at((start + end) // 2)
    if found is None:
        return ()
    is_telling = sum(map(str.isdigit, found.fact.text)) >= _TELLING and bool(found.fact.value)
    value, unit = abs(found.fact.value or 0.0), found.fact.unit
    alike = {one.row for one in rows.by_start if is_telling and one.fact.unit == unit and abs(one.fact.value or 0.0) == value}
    return tuple(sorted({rows.known[row] for row in (*alike, found.row) if row in rows.known}))


class Questions(nn.Module):
    """The encoder of the passages, as it reads a question, with a head for rows."""

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
        self.of_rows = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, texts: Sequence[str], *, rows: bool) -> torch.Tensor:
        """The vectors among passages, or among ``rows``: [texts, width], L2-normalised."""
        read = self.tokenizer(list(texts), padding=True, truncation=True, max_length=TOKENS, return_tensors="pt")
        states = self.model(input_ids=read["input_ids"], attention_mask=read["attention_mask"]).last_hidden_state[:, 0]
        return nn.functional.normalize(self.of_rows(states) if rows else states, dim=-1)

    def round(self) -> None:
        """From now on the layers are used as the package will hold them."""
        for layer in self.model.encoder.layer:
            for part in layer.modules():
                if isinstance(part, nn.Linear):
                    parametrize.register_parametrization(part, "weight", _Rounded())

    def settle(self) -> None:
        """Leave the layers rounded."""
        for part in self.model.modules():
            if parametrize.is_parametrized(part):
                parametrize.remove_parametrizations(part, "weight")


class _Rounded(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return in_four_bits(weight)


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


@dataclass(frozen=True)
class Taught:
    """Questions of one kind: those whose passages, or whose ``rows``, are looked for."""

    asked: Sequence[Asked]
    vectors: Vectors
    rows: bool
    count: int
    """Of a step."""

    def loss(self, reader: Questions, chance: random.Random) -> Iterator[torch.Tensor]:
        """The parts of the loss of a step: each is read by itself."""
        worth = [_WORTH[one.file] for one in self.asked]
        drawn = sorted(chance.choices(self.asked, worth, k=self.count), key=lambda one: len(one.text))
        for some in (drawn[at : at + _TOGETHER] for at in range(0, self.count, _TOGETHER)):
            read = reader([one.text for one in some], rows=self.rows)
            loss = torch.zeros(())
            for one, vector in zip(some, read, strict=True):
                loss = loss + _missed(_SCALE * (self.vectors[one.filing] @ vector), one.right)
                if not self.rows:
                    loss = loss + _OF_ALL * self._missed_among_all(one, vector)
            yield loss / self.count

    @cached_property
    def _every(self) -> torch.Tensor:
        return torch.cat(list(self.vectors.values()))

    @cached_property
    def _first(self) -> Mapping[str, int]:
        return dict(zip(self.vectors, accumulate(map(len, self.vectors.values()), initial=0), strict=False))

    def _missed_among_all(self, one: Asked, vector: torch.Tensor) -> torch.Tensor:
        moved = [[self._first[one.filing] + at for at in right] for right in one.right]
        return _missed(_SCALE * (self._every @ vector), moved)


def fit(reader: Questions, passages: Taught, rows: Taught, seconds: float, seed: int) -> None:
    """Train for ``seconds``."""
    chance = random.Random(seed)
    trained = [weight for weight in reader.model.parameters() if weight.requires_grad]
    groups = [{"params": trained, "rate": _RATE}, {"params": list(reader.of_rows.parameters()), "rate": _OF_HEAD}]
    descent = torch.optim.AdamW(groups, lr=_RATE, weight_decay=_DECAY)
    began, step, is_rounded = time.monotonic(), 0, False
    while (share := (time.monotonic() - began) / seconds) < 1:
        if share > _ROUNDED_FROM and not is_rounded:
            is_rounded = True
            reader.round()
        for group in descent.param_groups:
            group["lr"] = group["rate"] * min(1.0, (step + 1) / _WARM) * (1 - share)
        descent.zero_grad()
        for loss in passages.loss(reader, chance):
            (_OF_PASSAGES * loss).backward()
        for loss in rows.loss(reader, chance):
            loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        descent.step()
        step += 1


def _missed(logits: torch.Tensor, right: Sequence[Sequence[int]]) -> torch.Tensor:
    """The mean over what is needed of how unlikely any of the right ones is, as a negative logarithm."""
    chances = torch.log_softmax(logits, 0)
    return -torch.stack([torch.logsumexp(chances[list(some)], 0) for some in right]).mean()


@torch.no_grad()  # type: ignore[untyped-decorator]
def among_first(reader: Questions, asked: Sequence[Asked], vectors: Vectors, *, rows: bool) -> dict[str, float]:
    """How often all that is needed is among the first 1, 6, … passages or rows of the filing."""
    counts = dict.fromkeys(_FIRST, 0)
    for at in range(0, len(asked), _TOGETHER):
        some = asked[at : at + _TOGETHER]
        for one, vector in zip(some, reader([one.text for one in some], rows=rows), strict=True):
            scores = vectors[one.filing] @ vector
            place = max(int((scores > scores[list(right)].max()).sum()) for right in one.right)
            for first in _FIRST:
                counts[first] += place < first
    return {str(first): round(count / max(len(asked), 1), 3) for first, count in counts.items()}


@dataclass(frozen=True)
class Data:
    """What is asked, and the vectors that are looked among."""

    passages: Sequence[Asked]
    rows: Sequence[Asked]
    of_passages: Vectors
    of_rows: Vectors
    kept: frozenset[str]
    """Filings that no question is trained on."""

    def taught(self, *, rows: bool) -> Taught:
        """What is trained on."""
        every, vectors = (self.rows, self.of_rows) if rows else (self.passages, self.of_passages)
        return Taught([one for one in every if one.filing not in self.kept], vectors, rows, _ROWS if rows else _PASSAGES)

    def figures(self, reader: Questions, *, rows: bool) -> dict[str, dict[str, float]]:
        """What of the filings that are kept is among the first passages or rows, by file."""
        every, vectors = (self.rows, self.of_rows) if rows else (self.passages, self.of_passages)
        return {file: among_first(reader, some, vectors, rows=rows) for file, some in self._held(every).items()}

    def _held(self, every: Sequence[Asked]) -> dict[str, Sequence[Asked]]:
        held = {file: [one for one in every if one.file == file and one.filing in self.kept][:_ASKED] for file in _WORTH}
        return {file: some for file, some in held.items() if some}


def data_of(library: Library, passages: str, encoder: SharedEncoder, seed: int) -> Data:
    """The questions over the filings that are held, in any order; ``passages`` names the encoder of the passages."""
    encoder.load()
    filings = library.filings()
    ids = {name: one.id for one in filings for name in (one.id, accession(one.file)) if name}
    chunks = {one.id: library.chunks.of_filing(one.id) for one in filings}
    keys = {chunk: key for key, chunk in library.chunk_ids(library.vector_keys(passages).tolist()).items()}
    vectors = {
        filing: torch.from_numpy(np.array(library.vectors(passages, [keys[one.id] for one in some])))
        for filing, some in chunks.items()
    }
    book = RowBook(library, encoder, library.figure_rows)
    rows = {one.id: book.of(one) for one in filings}
    of_rows = {name: torch.from_numpy(np.array(one.vectors)) for name, one in rows.items() if one.vectors is not None}
    asked = [one for file in _WORTH for one in asked_of(file, chunks, ids)]
    in_rows = [one for file in _WORTH for one in rows_of(file, rows, ids)]
    for some in (asked, in_rows):
        random.Random(seed).shuffle(some)
    return Data(asked, in_rows, vectors, of_rows, frozenset(ids[name] for name in KEPT if name in ids))


def write(reader: Questions, encoders: tuple[str, str], known: Mapping[str, Any]) -> None:
    """Put the weights where the package reads them; ``encoders`` are those of the passages and of the rows."""
    TARGET.mkdir(exist_ok=True)
    quantised(reader.model.eval(), reader.tokenizer, TARGET / "model.onnx", "last_hidden_state", in_four=True)
    keep(TARGET / "model.onnx", shared(reader.tokenizer.get_vocab()))
    head = {"weight": reader.of_rows.weight.detach().numpy().T, "bias": reader.of_rows.bias.detach().numpy()}
    np.savez_compressed(TARGET / "rows.npz", **{name: value.astype(np.float16) for name, value in head.items()})
    card = {"made_by": "training/question_encoder.py", "passages": encoders[0], "rows": encoders[1], "base": encoders[0], **known}
    (TARGET / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Train, print the figures, write the weights."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--seconds", type=float, default=2900.0)
    arguments.add_argument("--seed", type=int, default=5)
    asked = arguments.parse_args()
    torch.manual_seed(asked.seed)
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    settings = load_settings(paths.settings).encoder
    folder, passages = find_folder(settings.model, paths), encoder_name(settings, paths)
    if passages is None:
        raise SystemExit(f"No weights of the encoder in {folder}: run `fin-tui setup`.")
    encoder = SharedEncoder()
    with Library.open(paths) as library:
        data = data_of(library, passages, encoder, asked.seed)
    reader = Questions(folder)
    before = data.figures(reader, rows=False)
    print("before", before, flush=True)
    of_passages, of_rows = data.taught(rows=False), data.taught(rows=True)
    fit(reader, of_passages, of_rows, asked.seconds, asked.seed)
    reader.settle()
    after = {"passages": data.figures(reader, rows=False), "rows": data.figures(reader, rows=True)}
    print("after", after)
    if asked.write:
        known = {
            "seed": asked.seed, "seconds": asked.seconds, "questions": len(of_passages.asked), "of_rows": len(of_rows.asked),
            "kept_aside": {"before": before, "after": after},
        }  # fmt: skip
        write(reader, (passages, encoder.name), known)


if __name__ == "__main__":
    main()
