"""Fits the cross-encoder: it reads a question together with a figure and its row, a marked number, or a paragraph, and tells
whether that answers.

It goes on from the weights that the package has, which stand as int8 ONNX: they are taken back to floats first.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.cross_encoder [--seconds S] [--seed 5] [--start FOLDER] [--to FOLDER]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

import fin_tui.retrieval
from fin_tui.candidates import Candidate
from fin_tui.config import load_settings
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.understanding import Request, of_known_companies
from fin_tui.engine.rank.wanted import UNITS, Wanted
from fin_tui.engine.services import Services, open_services
from fin_tui.errors import MissingAsset
from fin_tui.paths import find_home
from fin_tui.store.library import Library
from training.export import quantised
from training.fit_ranker import SAME
from training.fused import floats
from training.passages import of_passages
from training.rows import Asks, Pair, Rows, Shortlist, of_rows, pairs, rows_of
from training.train import DATA, HELD_WORDINGS, files_by_part, lines

WEIGHTS = Path(fin_tui.retrieval.__file__).parent / "cross_encoder_weights"
TOKENS = 160
_NEAR = 7
_OF_STEP: Mapping[str, int] = {"single": 5, "turn": 2, "tag": 2, "passage": 2, "told": 1}
"""Questions of each source in a step: for a figure, turns of a dialogue that ask for one, wordings of a tag, in words, and for a
figure told in words.
"""
_SCALED = 120
"""Questions by which the scale of logits is measured."""
_RATE = 5e-5
_TOGETHER = 16
_TOLD = 0.05
_ANSWERS = 0.3
"""What telling whether anything answers counts, beside telling what answers best."""


class CrossEncoder(nn.Module):
    """The cross-encoder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tokenizer: Any = PreTrainedTokenizerFast(
            tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
        )
        config = BertConfig(
            vocab_size=len(self.tokenizer), hidden_size=384, num_hidden_layers=12, num_attention_heads=12,
            intermediate_size=1536, num_labels=1,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="eager",
        )  # fmt: skip
        # Without dropout, which costs a third of a step: the questions are few against what the filings hold.
        self.model: Any = BertForSequenceClassification(config)
        held = {name: torch.tensor(np.ascontiguousarray(value)) for name, value in floats(folder / "model.onnx").items()}
        self.model.load_state_dict(held, strict=False)

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


def fit(reader: CrossEncoder, sources: Mapping[str, Sequence[Pair]], seconds: float, seed: int) -> None:
    """Train for ``seconds`` on pairs by source: of what is read for a question what is right is to score highest."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(reader.parameters(), lr=_RATE, weight_decay=0.01)
    began, step, told = time.monotonic(), 0, 0.0
    reader.train()
    while (passed := time.monotonic() - began) < seconds:
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / 40) * (1 - passed / seconds)
        asked = [pair for name, pairs in sources.items() for pair in chance.sample(pairs, min(_OF_STEP[name], len(pairs)))]
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = _loss(reader, asked, chance)
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        step += 1
        told = (1 - _TOLD) * told + _TOLD * float(loss.detach()) if step > 1 else float(loss.detach())
        if step % 20 == 0:
            print(f"{passed:.0f} s, step {step}: {told:.3f}", flush=True)
    reader.eval()


def _loss(reader: CrossEncoder, asked: Sequence[Pair], chance: random.Random) -> torch.Tensor:
    """How far the scores are from naming what is right, and from saying whether anything is."""
    texts: list[tuple[str, str]] = []
    counts, truths = [], []
    for pair in asked:
        near = [pair.near[min(int(chance.expovariate(0.15)), len(pair.near) - 1)] for _ in range(_NEAR)] if pair.near else []
        near = list(dict.fromkeys(row for row in near if row not in pair.right))
        right = [chance.choice(pair.right)] if pair.right else []
        texts += [(pair.wording, row) for row in (*right, *near)]
        counts.append(len(right) + len(near))
        truths.append(torch.tensor([1.0] * len(right) + [0.0] * len(near)))
    scores = reader.scores(texts)
    parts = [(part, truth) for part, truth in zip(scores.split(counts), truths, strict=True) if truth.any()]
    # A logit that means the same for every question tells whether any row answers at all.
    answers = nn.functional.binary_cross_entropy_with_logits(scores, torch.cat(truths))
    return torch.stack([-torch.log_softmax(part, 0)[0] for part, _ in parts]).mean() + _ANSWERS * answers


def scale_of(reader: CrossEncoder, passages: Sequence[Pair], seed: int) -> tuple[float, float]:
    """Mean and spread of the logits of passages."""
    some = random.Random(seed).sample(list(passages), min(_SCALED, len(passages)))
    with torch.no_grad():
        logits = reader.scores([(pair.wording, text) for pair in some for text in (*pair.right[:1], *pair.near[:_NEAR])])
    return float(logits.mean()), float(logits.std())


def rescale(reader: CrossEncoder, before: tuple[float, float], after: tuple[float, float]) -> None:
    """Bring the logits of passages back to the scale they had: the bounds on them are fitted to that, and no order changes."""
    by = before[1] / after[1]
    with torch.no_grad():
        reader.model.classifier.weight *= by
        reader.model.classifier.bias.mul_(by).add_(before[0] - by * after[0])


def measure(reader: CrossEncoder, asked: Sequence[Pair], most: int = 12) -> dict[str, Any]:
    """How often the right row scores highest beside up to ``most`` near ones."""
    right = {source: [0, 0] for source in dict.fromkeys(pair.source for pair in asked)}
    with torch.no_grad():
        for pair in filter(lambda pair: pair.right, asked):
            near = [row for row in pair.near if row not in pair.right][:most]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = reader.scores([(pair.wording, row) for row in (pair.right[0], *near)])
            right[pair.source][0] += bool((scores[0] >= scores).all())
            right[pair.source][1] += 1
    return {name: {"first": first, "of": of} for name, (first, of) in right.items()}


def export(reader: CrossEncoder, target: Path, card: dict[str, Any]) -> None:
    """Write what the package ships: int8 ONNX, tokenizer, a card."""
    quantised(reader.model, reader.tokenizer, target / "model.onnx", "logits")
    reader.tokenizer.backend_tokenizer.save(str(target / "tokenizer.json"))
    digest = hashlib.sha256((target / "model.onnx").read_bytes()).hexdigest()
    base = "cross-encoder/ms-marco-MiniLM-L-12-v2 (Apache-2.0)"
    card = {"name": f"cross-encoder-{digest[:12]}", "base": base, "made_by": "make train", **card}
    (target / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card, indent=1))


def shortlist_of(services: Services) -> Shortlist:
    """What the ranker of ``services`` would read of the period of the right figure. Raises ``MissingAsset`` without weights."""
    linked = services.engine.linked
    if linked is None:
        raise MissingAsset("The ranker has no weights.", "Run python -m training.train first.")

    def shortlist(rows: Rows, words: str, kind: str, right: Candidate) -> Sequence[Candidate]:
        wanted, filing = Wanted(words, kind if kind in UNITS else ""), rows.filing
        likely, _ = linked.ranker.shortlist(wanted, filing, rows.year_of(right), linked.passages(words, filing))
        known = {abs(one.fact.value or 0.0) for one in rows.by_row.get(right.row, ()) if one.fact.period_end is None}
        known.add(abs(right.fact.value or 0.0))
        # One of two amounts may be the other, rounded: no figure that says the same is a wrong answer.
        told = [(one, abs(one.fact.value or 0.0)) for one in likely]
        return [one for one, value in told if not any(math.isclose(value, other, rel_tol=SAME) for other in known)]

    return shortlist


def asks_of(services: Services) -> Asks:
    """How the engine of ``services`` reads questions."""

    def asks(row: Mapping[str, Any]) -> Wanted:
        *before, question = row.get("turns") or [row["question"]]
        understood = services.engine.understand(Request(question, use_model=False, history=tuple(before)))
        frame = understood.frame
        if frame is None:
            raise MissingAsset("The reader of questions has no weights.", "Run python -m training.train first.")
        frame = of_known_companies(frame, understood.question)
        if row.get("operand"):
            return Wanted(_operand(str(row["question"]), frame))
        return Wanted(frame.matter, question=frame.asked)

    return asks


def _operand(words: str, frame: Frame) -> str:
    """The words for an operand of the calculation that ``frame`` asks for; a part alone with the figure that it is one of."""
    named = [span.text for span in frame.targets]
    is_named = any(target in words or words in target for target in named)
    return words if is_named else " ".join((words, *named[:1]))


def read_for(services: Services, library: Library, seed: int) -> tuple[dict[str, Sequence[Pair]], list[Pair]]:
    """What is trained on, by source, and questions for single figures of the development part."""
    files = files_by_part(Path(os.environ["FIN_TUI_CORPUS"]))
    wordings, written = lines(DATA / "wordings.jsonl"), [*lines(DATA / "rows.jsonl"), *_placed(lines(DATA / "dialogues.jsonl"))]
    random.Random(seed).shuffle(wordings)
    wordings = wordings[HELD_WORDINGS:]
    training, development = rows_of(library, files["training"]), rows_of(library, files["development"])
    shortlist, asks = shortlist_of(services), asks_of(services)
    held = of_rows(development, [row for row in written if row["split"] == "development"], asks, shortlist, seed)
    mine = [row for row in written if row["split"] == "training" and ("turns" in row or not row.get("operand"))]
    asked: dict[bool, list[Pair]] = {True: [], False: []}
    for at, row in enumerate(mine):
        asked[len(row.get("turns", ())) > 1].extend(of_rows(training, [row], asks, shortlist, seed + at))
    told = [row for row in written if row["split"] == "training" and row["sentence"] and not row.get("operand")]
    told = [{**row, "right": [[row["start"], row["end"]]], "near": []} for row in told if "question" in row]
    sources: dict[str, Sequence[Pair]] = {
        "single": asked[False],
        "turn": asked[True],
        "tag": pairs(training, wordings, seed),
        "passage": of_passages(services, library, [row for row in lines(DATA / "passages.jsonl") if row["split"] == "training"]),
        "told": of_passages(services, library, told),
    }
    return sources, held


def _placed(dialogues: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The turns of dialogues that ask for one figure whose place is known; those of the turns before are its nearest others."""
    found: list[dict[str, Any]] = []
    for row in dialogues:
        if row["expression"] == "a" and "start" in row:
            before = [other for other in found if other["turns"] == row["turns"][: len(other["turns"])]]
            others = [other["start"] for other in before if other["value"] != row["value"]]
            found.append({"answer_type": "", "sentence": False, **row, "others": others})
    return found


def main() -> None:
    """Train, measure, save."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=2_600)
    arguments.add_argument("--seed", type=int, default=5)
    arguments.add_argument("--start", type=Path, help="weights of an earlier run, to go on from")
    arguments.add_argument("--to", type=Path, default=Path("build/cross_encoder"))
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services, Library.open(paths) as library:
        sources, held = read_for(services, library, given.seed)
    held = random.Random(given.seed).sample(held, min(150, len(held)))
    reader = CrossEncoder(WEIGHTS).eval()
    if given.start is not None:
        reader.model.load_state_dict(torch.load(given.start / "model.pt"))
    before, counts = measure(reader, held), {name: len(pairs) for name, pairs in sources.items()}
    print(f"{json.dumps(counts)}; before: {json.dumps(before)}", flush=True)
    scale = scale_of(reader, sources["passage"], given.seed)
    fit(reader, sources, given.seconds, given.seed)
    rescale(reader, scale, scale_of(reader, sources["passage"], given.seed))
    given.to.mkdir(parents=True, exist_ok=True)
    torch.save(reader.model.state_dict(), given.to / "model.pt")
    figures = {"development, near rows of the filing": {"before": before, "after": measure(reader, held)}}
    start = json.loads((WEIGHTS / "card.json").read_text(encoding="utf-8"))["name"]
    export(reader, given.to, {"start": start, "seed": given.seed, "seconds": given.seconds, "questions": counts, **figures})


if __name__ == "__main__":
    main()
