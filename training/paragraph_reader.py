"""Trains what reads a paragraph together with a conversation: whether it answers the last question as it stands.

It goes on from the cross-encoder's weights (``training.upper``). What it is taught on are the paragraphs that the search itself
brings for questions written blind, right ones and those that only sound like it, also for questions that a filing does not
answer: so it learns to tell apart what the search can't. Two thirds as many ask for figures that sentences state, or don't.
Of the development part, which is not trained on, it prints how often the first paragraph answers, and what bounds of certainty
are worth.

    FIN_TUI_HOME=DIR python -m training.paragraph_reader [--write] [--seconds S] [--seed 1] [--start FILE] [--to FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import fin_tui.retrieval
from fin_tui.config import load_settings
from fin_tui.engine.answering.drafting import conversation_of
from fin_tui.engine.evidence.evidence import REREAD, as_reread
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home
from fin_tui.retrieval.paragraph_reader import TOKENS
from fin_tui.store.library import Library
from training.cross_encoder import WEIGHTS
from training.passages import is_at
from training.rows import accession
from training.stated import prints, stated
from training.train import DATA, lines
from training.upper import Descent, Layers

TARGET = Path(fin_tui.retrieval.__file__).with_name("paragraph_weights")
_FOUND = 24
"""Paragraphs of a question that are drawn from, the nearest more often."""
_NEAR, _FARTHER, _NAMED = 6, 0.25, 1.0
"""Wrong paragraphs in a draw; how much less often each next one is taken, and how much more often one that is named as near."""
_WITH_RIGHT = 0.92
"""How often one that answers is among those that are drawn."""
_QUESTIONS, _POOL, _TOGETHER = 4, 64, 8
"""Questions of a step, those that are drawn at once, and paragraphs that are read together."""
_RATE, _WARM, _DECAY = 1e-4, 60, 0.02
_ROUNDED_FROM = 0.65
"""Share of the time after which the layers are trained as they will be rounded."""
_TELLS = 1.5
"""What telling whether a paragraph answers counts, beside telling which does."""
_EVERY = 600.0
_PRECISIONS = (0.9, 0.85, 0.8, 0.7)


@dataclass(frozen=True, slots=True)
class Found:
    """A paragraph that the search brings."""

    text: str
    is_right: bool
    is_near: bool
    """It was named as no answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, as it is read, with the paragraphs that the search brings, the best first."""

    text: str
    found: tuple[Found, ...]
    split: str


class ParagraphReader(nn.Module):
    """The cross-encoder's layers with a head of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = Layers()

    def forward(self, batch: Sequence[torch.Tensor]) -> torch.Tensor:
        """A logit for each text by its states behind the lower layers."""
        order = sorted(range(len(batch)), key=lambda place: len(batch[place]))
        parts = [[batch[at] for at in order[first : first + _TOGETHER]] for first in range(0, len(order), _TOGETHER)]
        made = torch.cat([self._logits(self.layers.upper(part)) for part in parts])
        return made[torch.tensor(sorted(range(len(order)), key=order.__getitem__))]

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.layers.classifier(self.layers.encoder.pooler(states))[:, 0]
        return logits

    def states(self, pairs: Sequence[tuple[str, str]]) -> list[torch.Tensor]:
        """The states behind the lower layers of questions and paragraphs."""
        asked, texts = (list(column) for column in zip(*pairs, strict=True))
        encoded = self.layers.tokenizer(asked, texts, truncation="only_second", max_length=TOKENS, return_token_type_ids=True)
        return list(self.layers.lower(encoded))


def asked_of(services: Services, library: Library, rows: Sequence[Mapping[str, Any]]) -> list[Asked]:
    """Questions with what the search over the whole library brings for each; none of those that are refused."""
    ids = {name: filing.id for filing in library.filings() for name in (filing.id, accession(filing.file)) if name}
    made = (_asked(services, row, ids[row["filing"]]) for row in rows if row["filing"] in ids)
    return [one for one in made if one is not None and one.found]


def _asked(services: Services, row: Mapping[str, Any], filing: str) -> Asked | None:
    *earlier, question = row.get("turns") or [row["question"]]
    engine = services.engine
    understood = engine.understand(Request(question, use_model=False, history=tuple(earlier)))
    if engine.is_refused(understood):
        return None
    _, _, evidence = engine.drafting.found(understood, is_answered=False)
    found, number = [], row.get("printed", "")
    for one in evidence.paragraphs[:_FOUND]:
        is_own = one.near.filing.id == filing
        is_right = is_own and (is_at(one, row["right"]) or prints(one.near.paragraph.text, number))
        if "printed" in row and is_right and one.near.table is not None:
            continue  # A table that holds a figure does not say which it is.
        found.append(Found(as_reread(one.near), is_right, is_own and is_at(one, row["near"])))
    return Asked(conversation_of(understood), tuple(found), row["split"])


def fit(reader: ParagraphReader, taught: Sequence[Asked], held: Sequence[Asked], seconds: float, seed: int) -> None:
    """Train for ``seconds``: what answers is to score highest, and above zero. Leaves the average of weights in the reader."""
    chance = random.Random(seed)
    trained = [weight for weight in reader.parameters() if weight.requires_grad]
    descent = Descent([(trained, _RATE)], seconds, _WARM, _DECAY)
    known: dict[tuple[str, str], torch.Tensor] = {}
    while descent.share < 1:
        drawn = [(one, draw) for one in chance.sample(taught, _POOL) if (draw := _drawn(one, chance))]
        texts = dict.fromkeys((one.text, found.text) for one, draw in drawn for found in draw)
        new = [pair for pair in texts if pair not in known]
        known.update(zip(new, reader.states(new), strict=True) if new else ())
        drawn.sort(key=lambda pair: max(len(known[pair[0].text, found.text]) for found in pair[1]))
        batches = [drawn[first : first + _QUESTIONS] for first in range(0, len(drawn), _QUESTIONS)]
        chance.shuffle(batches)
        reader.train()
        for batch in batches:
            reader.layers.is_rounded = descent.share > _ROUNDED_FROM
            logits = reader([known[one.text, found.text] for one, draw in batch for found in draw])
            descent.step(_loss(logits, [draw for _, draw in batch]))
        descent.report(lambda: measure(reader, held), _EVERY)
    descent.swap()
    reader.layers.is_rounded = True


def _drawn(one: Asked, chance: random.Random) -> list[Found]:
    """Some of the paragraphs of a question, one that answers first."""
    right, wrong = ([found for found in one.found if found.is_right == is_right] for is_right in (True, False))
    weights = [1 / (1 + _FARTHER * place) + _NAMED * found.is_near for place, found in enumerate(wrong)]
    order = sorted(range(len(wrong)), key=lambda place: -(chance.random() ** (1 / weights[place])))
    first = [chance.choice(right)] if right and chance.random() < _WITH_RIGHT else []
    return first + [wrong[place] for place in order[:_NEAR]]


def _loss(logits: torch.Tensor, draws: Sequence[Sequence[Found]]) -> torch.Tensor:
    """How far the logits are from naming what answers, and from saying whether anything does."""
    truth = torch.tensor([float(found.is_right) for draw in draws for found in draw])
    told: torch.Tensor = _TELLS * functional.binary_cross_entropy_with_logits(logits, truth)
    parts = zip(logits.split([len(draw) for draw in draws]), draws, strict=True)
    first = [-torch.log_softmax(part, 0)[0] for part, draw in parts if draw[0].is_right and len(draw) > 1]
    return told + torch.stack(first).mean() if first else told


@torch.no_grad()  # type: ignore[untyped-decorator]
def logits_of(reader: ParagraphReader, asked: Sequence[Asked]) -> list[list[float]]:
    """Those of the paragraphs that are read once more, of each question."""
    reader.eval()
    found = []
    for one in asked:
        some = reader(reader.states([(one.text, paragraph.text) for paragraph in one.found[:REREAD]]))
        found.append([float(logit) for logit in some])
    return found


def measure(reader: ParagraphReader, held: Sequence[Asked]) -> str:
    """How often the first paragraph answers as the search has it and as it is read, and how many are told at a precision."""
    before, told = 0, []
    for one, logits in zip(held, logits_of(reader, held), strict=True):
        before += one.found[0].is_right
        best = int(np.argmax(logits))
        told.append((logits[best], one.found[best].is_right))
    right = np.array([is_right for _, is_right in sorted(told, key=lambda pair: -pair[0])])
    shares = np.cumsum(right) / np.arange(1, len(right) + 1)
    at = {of: int(np.flatnonzero(shares >= of).max(initial=-1)) + 1 for of in _PRECISIONS}
    return f"of {len(held)} leads {right.sum()}, before {before}; told at a precision of " + json.dumps(at)


def write(reader: ParagraphReader, card: Mapping[str, Any], folder: Path) -> None:
    """Put the upper layers, rounded to four bits, and the head where the package reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    reader.layers.write(folder / "model.onnx")
    heads = {"pooled": reader.layers.encoder.pooler.dense, "answers": reader.layers.classifier}
    held = {
        f"{name}.{kind}": getattr(part, kind).detach().numpy().astype(np.float16)
        for name, part in heads.items()
        for kind in ("weight", "bias")
    }
    np.savez_compressed(folder / "heads.npz", allow_pickle=False, **held)
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Train, measure, save; put the weights into the package where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--seconds", type=float, default=5_100)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--start", type=Path, help="weights of an earlier run, to go on from")
    arguments.add_argument("--to", type=Path, default=Path("build/paragraph_reader.pt"))
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services, Library.open(paths) as library:
        asked = asked_of(services, library, [*lines(DATA / "passages.jsonl"), *stated(library)])
    torch.manual_seed(given.seed)
    reader = ParagraphReader()
    if given.start:
        reader.load_state_dict(torch.load(given.start))
    taught, held = ([one for one in asked if (one.split == "development") == is_held] for is_held in (False, True))
    print(len(taught), len(held), flush=True)
    fit(reader, taught, held, given.seconds, given.seed)
    given.to.parent.mkdir(parents=True, exist_ok=True)
    torch.save(reader.state_dict(), given.to)
    figures = measure(reader, held)
    print(figures)
    if given.write:
        made = {"made_by": "make paragraphs", "base": json.loads((WEIGHTS / "card.json").read_text(encoding="utf-8"))["name"]}
        counts = dict(Counter(one.split for one in asked))
        write(reader, made | {"seed": given.seed, "seconds": given.seconds, "questions": counts, "kept_aside": figures}, TARGET)


if __name__ == "__main__":
    main()
