"""A trial: one reading of lines and question tells which printed number answers, or which two do and what is computed of them.

It goes on from the cross-encoder's weights. The lower layers stay as they are, so that both could share them; their states are
made once for each example; the upper ones and the heads are trained. Nothing in the package uses it yet: it prints how often what
it holds for likeliest is right, by what is asked, on conversations that are kept aside.

    FIN_TUI_HOME=DIR python -m training.excerpt_reader [--seconds S] [--seed 5] [--start FILE] [--to FILE] [--most N]
"""

from __future__ import annotations

import argparse
import math
import os
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from fin_tui.config import load_settings
from fin_tui.engine.services import open_services
from fin_tui.paths import find_home
from fin_tui.store.library import Library
from training.cross_encoder import WEIGHTS, CrossEncoder
from training.excerpt_lines import Line, joined, whole
from training.excerpts import NONE, OPERATIONS, SETS, SINGLE, Example, Finder, Truth, asked_of, truths

WIDTH, LOWER = 384, 8
"""Size of a token's state, and the layers that stay as they are."""
TOKENS = 320
_PRODUCTS = 96
"""Size of the maps whose product scores a pair."""
_WORDS, _FEWEST, _MOST = 120, 50, 140
"""Words of the lines of an example; while it is trained between these."""
_WITH_RIGHT, _WITH_BEFORE, _TOLD, _DATED = 0.85, 0.8, 0.75, 0.75
"""How often the lines that answer are there, those of the turn before, what was told, and the year."""
_SHUFFLED = 0.03
_TOGETHER, _POOL = 16, 256
_RATE, _OF_HEADS, _WARM = 4e-4, 2.5e-3, 80
_KEPT_ASIDE, _HELD = 20, 260
"""One conversation of so many is kept aside, and so many questions of these are measured."""
_WEIGHTS = {"rows": 0.6, "dialogues": 0.8, "people": 1.3, "excerpts": 1.3, "calculations": 1.5, "follow_ups": 1.5}
_OF_PAIRS, _OF_NONE = 1.3, 0.7
_AT_FIRST = -3.0


@dataclass(frozen=True, slots=True)
class Ready:
    """An example with the states of its tokens behind the lower layers."""

    states: torch.Tensor
    """[tokens, width], half precision."""
    numbers: tuple[tuple[int, int], ...]
    """The first and the last token of each number."""
    right: tuple[int, ...]
    """The places of what answers among all scores."""
    operation: str
    source: str


class ExcerptReader(nn.Module):
    """The cross-encoder's layers with heads for numbers and pairs of numbers."""

    def __init__(self) -> None:
        super().__init__()
        lower = CrossEncoder(WEIGHTS)
        self.tokenizer: Any = lower.tokenizer
        self.encoder: Any = lower.model.bert
        self.encoder.config._attn_implementation = "sdpa"  # A third faster than the one that is exported.
        for layer in self.encoder.encoder.layer:
            layer.attention.self.config._attn_implementation = "sdpa"
        for fixed in (self.encoder.embeddings, *self.encoder.encoder.layer[:LOWER]):
            for weight in fixed.parameters():
                weight.requires_grad = False
        count = len(OPERATIONS)
        self.none, self.single, self.operation = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, 1), nn.Linear(WIDTH, count)
        self.first, self.second = nn.Linear(2 * WIDTH, count), nn.Linear(2 * WIDTH, count)
        self.left, self.right = (nn.Linear(2 * WIDTH, _PRODUCTS * count) for _ in range(2))
        for head in (self.left, self.right):
            nn.init.normal_(head.weight, std=0.05)
        nn.init.constant_(self.operation.bias, _AT_FIRST)

    def lower(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """The states behind the lower layers."""
        states = self.encoder.embeddings(input_ids=ids, token_type_ids=types)
        return self._through(states, mask, self.encoder.encoder.layer[:LOWER])

    def upper(self, batch: Sequence[Ready]) -> torch.Tensor:
        """The last states of a batch."""
        longest = max(len(one.states) for one in batch)
        states, mask = torch.zeros(len(batch), longest, WIDTH), torch.zeros(len(batch), longest)
        for place, one in enumerate(batch):
            states[place, : len(one.states)], mask[place, : len(one.states)] = one.states.float(), 1
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self._through(states, mask, self.encoder.encoder.layer[LOWER:]).float()

    def _through(self, states: torch.Tensor, mask: torch.Tensor, layers: Any) -> torch.Tensor:
        hidden = torch.where(mask[:, None, None, :].bool(), 0.0, -math.inf).to(torch.bfloat16)
        for layer in layers:
            made = layer(states, attention_mask=hidden)
            states = made[0] if isinstance(made, tuple) else made
        return states

    def chances(self, states: torch.Tensor, numbers: Sequence[tuple[int, int]]) -> torch.Tensor:
        """Log probabilities: of nothing, of each number, and of each operation on each two, [1 + n + operations * n * n]."""
        ends = torch.tensor(numbers)
        of, every = states[0], (states[ends[:, 0]] + states[ends[:, 1]]) / 2
        both = torch.cat([every, of.expand_as(every)], -1)
        shape = (len(numbers), len(OPERATIONS), _PRODUCTS)
        left, right = (head(both).view(*shape).transpose(0, 1) for head in (self.left, self.right))
        pairs = left @ right.transpose(1, 2) / math.sqrt(_PRODUCTS) + self.operation(of)[:, None, None]
        pairs = pairs + self.first(both).T[:, :, None] + self.second(both).T[:, None, :]
        pairs = pairs.masked_fill(torch.eye(len(numbers), dtype=torch.bool)[None], -1e4)
        return torch.log_softmax(torch.cat([self.none(of), self.single(every)[:, 0], pairs.reshape(-1)]), 0)


def composed(example: Example, chance: random.Random, *, is_training: bool) -> tuple[list[Line], frozenset[int], str]:
    """The lines that an example is read with, in any order, what of them was told, and the year."""
    most = chance.uniform(_FEWEST, _MOST) if is_training else _WORDS
    with_right = not is_training or chance.random() < _WITH_RIGHT
    answers = {line.text for line in example.right}
    others = [line for line in example.others if with_right or line.text not in answers]
    if is_training:
        order = {id(line): chance.random() + _SHUFFLED * place for place, line in enumerate(others)}
        others.sort(key=lambda line: order[id(line)])
    before = example.before if not is_training or chance.random() < _WITH_BEFORE else ()
    kept: list[Line] = []
    for line in (*(example.right if with_right else ()), *before, *others):
        fits = sum(one.words for one in kept) + line.words <= most or not kept or line.text in answers
        if fits and line.printed and all(line.text != one.text for one in kept):
            kept.append(line)
    chance.shuffle(kept)
    told = example.told if not is_training or chance.random() < _TOLD else frozenset()
    return kept, told, example.year if not is_training or chance.random() < _DATED else ""


def ready(reader: ExcerptReader, examples: Sequence[Example], seed: int, *, is_training: bool) -> list[Ready]:
    """``examples`` as they are trained on or measured."""
    with torch.no_grad():
        return _ready(reader, examples, seed, is_training=is_training)


def _ready(reader: ExcerptReader, examples: Sequence[Example], seed: int, *, is_training: bool) -> list[Ready]:
    chance = random.Random(seed)
    made = [(example, *composed(example, chance, is_training=is_training)) for example in examples]
    texts = [(joined(example.turns, year), *whole(kept, told)) for example, kept, told, year in made]
    read = reader.tokenizer(
        [question for question, _, _ in texts], [text for _, text, _ in texts], truncation="only_second", max_length=TOKENS,
        return_token_type_ids=True, return_offsets_mapping=True,
    )  # fmt: skip
    found: list[Ready] = []
    order = sorted(range(len(made)), key=lambda place: len(read["input_ids"][place]))
    for first in range(0, len(order), _TOGETHER):
        places = order[first : first + _TOGETHER]
        rows = [
            [torch.tensor(read[name][place]) for place in places] for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        ids, mask, types = (nn.utils.rnn.pad_sequence(row, batch_first=True) for row in rows)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            states = reader.lower(ids, mask, types)
        for at, place in enumerate(places):
            example, kept, _, _ = made[place]
            tokens = tokens_of(read["offset_mapping"][place], read["token_type_ids"][place], texts[place][2])
            held = {number: order for order, number in enumerate(number for number, one in enumerate(tokens) if one is not None)}
            if held:
                right = places_of(truths(example, kept), held)
                numbers = tuple(one for one in tokens if one is not None)
                length = len(read["input_ids"][place])
                own = states[at, :length].to(torch.bfloat16).clone()
                found.append(Ready(own, numbers, right, NONE if right == (0,) else example.operation, example.source))
    return found


def tokens_of(
    offsets: Sequence[tuple[int, int]], types: Sequence[int], spans: Sequence[tuple[int, int]]
) -> list[tuple[int, int] | None]:
    """The first and last token of each span of the second text, in order; None where it was cut off."""
    own = [at for at, (kind, (start, end)) in enumerate(zip(types, offsets, strict=True)) if kind and end > start]
    found: list[tuple[int, int] | None] = []
    at = 0
    for first, last in spans:
        while at < len(own) and offsets[own[at]][1] <= first:
            at += 1
        held = at
        while held < len(own) and offsets[own[held]][0] < last:
            held += 1
        found.append((own[at], own[held - 1]) if held > at else None)
    return found


def places_of(right: set[Truth], held: dict[int, int]) -> tuple[int, ...]:
    """Where the scores of what is right stand, of the numbers that are ``held``; that of nothing where none is."""
    count, found = len(held), []
    for operation, first, second in right:
        if operation == NONE or first not in held or second not in held:
            continue
        if operation == SINGLE:
            found.append(1 + held[first])
        elif held[first] != held[second]:
            found.append(1 + count + OPERATIONS.index(operation) * count**2 + held[first] * count + held[second])
    return tuple(sorted(found)) or (0,)


def fit(reader: ExcerptReader, examples: Sequence[Ready], held: Sequence[Ready], seconds: float, seed: int) -> None:
    """Train for ``seconds``: what answers is to have all of the chance."""
    chance = random.Random(seed)
    named = [(name, weight) for name, weight in reader.named_parameters() if weight.requires_grad]
    upper, heads = ([weight for name, weight in named if name.startswith("encoder") == is_upper] for is_upper in (True, False))
    rates = (_RATE, _OF_HEADS)
    optimizer = torch.optim.AdamW([{"params": upper}, {"params": heads}], weight_decay=0.02)
    weights = [_WEIGHTS[one.source] * {SINGLE: 1.0, NONE: _OF_NONE}.get(one.operation, _OF_PAIRS) for one in examples]
    began, step, told = time.monotonic(), 0, 0.0
    reader.train()
    while (passed := time.monotonic() - began) < seconds:
        for batch in _batches(examples, weights, chance):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, (step + 1) / _WARM) * max(0.02, 1 - (time.monotonic() - began) / seconds)
            optimizer.zero_grad()
            loss = torch.stack(list(_losses(reader, batch))).mean()
            loss.backward()
            nn.utils.clip_grad_norm_([*upper, *heads], 1.0)
            optimizer.step()
            step += 1
            told = 0.98 * told + 0.02 * float(loss.detach()) if step > 1 else float(loss.detach())
        if step % (4 * _POOL // _TOGETHER) == 0:
            print(f"{passed:.0f} s, step {step}: {told:.3f}; kept aside: {measure(reader, held)}", flush=True)
    reader.eval()


def _batches(examples: Sequence[Ready], weights: Sequence[float], chance: random.Random) -> list[list[Ready]]:
    """Batches of examples of about one length."""
    pool = sorted(chance.choices(examples, weights, k=_POOL), key=lambda one: len(one.states))
    batches = [pool[first : first + _TOGETHER] for first in range(0, _POOL, _TOGETHER)]
    chance.shuffle(batches)
    return batches


def _losses(reader: ExcerptReader, batch: Sequence[Ready]) -> Iterator[torch.Tensor]:
    for states, one in zip(reader.upper(batch), batch, strict=True):
        yield -torch.logsumexp(reader.chances(states, one.numbers)[torch.tensor(one.right)], 0)


def measure(reader: ExcerptReader, held: Sequence[Ready]) -> str:
    """The mean loss, and for each operation how often the likeliest answers, and the likeliest but "nothing" does."""
    first, but_none, count, loss = Counter[str](), Counter[str](), Counter[str](), 0.0
    reader.eval()
    with torch.no_grad():
        for at in range(0, len(held), _TOGETHER):
            batch = held[at : at + _TOGETHER]
            for states, one in zip(reader.upper(batch), batch, strict=True):
                chances = reader.chances(states, one.numbers)
                loss -= float(torch.logsumexp(chances[torch.tensor(one.right)], 0))
                count[one.operation] += 1
                first[one.operation] += int(chances.argmax()) in one.right
                but_none[one.operation] += int(chances[1:].argmax()) + 1 in one.right
    reader.train()
    by = ", ".join(f"{name} {first[name]} ({but_none[name]}) of {count[name]}" for name in sorted(count))
    return f"loss {loss / max(len(held), 1):.3f}; {by}"


def main() -> None:
    """Train, measure, save."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=2_300)
    arguments.add_argument("--seed", type=int, default=5)
    arguments.add_argument("--start", type=Path, help="weights of an earlier run, to go on from")
    arguments.add_argument("--to", type=Path, default=Path("build/excerpt_reader.pt"))
    arguments.add_argument("--most", type=int, help="of each set no more questions than so many")
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services, Library.open(paths) as library:
        finder = Finder(services, library)
        examples = [one for name in SETS for one in finder.examples(asked_of(name)[: given.most], name, given.seed)]
    print(len(examples), dict(Counter(one.source for one in examples)), flush=True)
    chance = random.Random(given.seed)
    first_turns = sorted({one.turns[0] for one in examples})
    aside = set(chance.sample(first_turns, max(1, len(first_turns) // _KEPT_ASIDE)))
    held = [one for one in examples if one.turns[0] in aside or one.split == "development"]
    trained = [one for one in examples if one.turns[0] not in aside and one.split == "training"]
    torch.manual_seed(given.seed)
    reader = ExcerptReader()
    if given.start is not None:
        reader.load_state_dict(torch.load(given.start))
    asked = ready(reader, chance.sample(held, min(_HELD, len(held))), given.seed, is_training=False)
    made = ready(reader, trained, given.seed, is_training=True)
    print(f"before: {measure(reader, asked)}", flush=True)
    fit(reader, made, asked, given.seconds, given.seed)
    given.to.parent.mkdir(parents=True, exist_ok=True)
    torch.save(reader.state_dict(), given.to)
    print(f"after: {measure(reader, asked)}")


if __name__ == "__main__":
    main()
