"""Trains what reads lines and a question together: which printed number answers, or which two do and what is computed of them.

It goes on from the cross-encoder's weights (``training.upper``): the upper layers and the heads are trained, and a running
average of them is kept. The package holds layers and heads in four bits: in the last third of the time the layers are trained as
they will be rounded. What is held for likeliest is measured on conversations that are kept aside. The package's weights came of
runs that went on from each other (``--start``); their card says how long.

    FIN_TUI_HOME=DIR python -m training.excerpt_reader [--write] [--seconds S] [--seed 9] [--start FILE] [--to FILE] [--most N]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

import fin_tui.retrieval
from fin_tui.config import load_settings
from fin_tui.engine.rank.excerpt import Line, enough, joined, whole
from fin_tui.engine.services import open_services
from fin_tui.paths import find_home
from fin_tui.retrieval.excerpt_reader import OPERATIONS, TOKENS, tokens_of
from fin_tui.store.library import Library
from training.cross_encoder import WEIGHTS
from training.excerpts import NONE, SETS, SINGLE, Example, Finder, Truth, asked_of, truths
from training.upper import WIDTH, Descent, Layers, packed

TARGET = Path(fin_tui.retrieval.__file__).with_name("excerpt_weights")
_PRODUCTS = 96
"""Size of the maps whose product scores a pair."""
_WORDS, _FEWEST, _MOST = 200, 90, 215
"""Words of the lines of an example; while it is trained between these."""
_MOVED, _FARTHEST = 0.7, 6.0
"""How often lines change places, and by how many at most, as a standard deviation."""
_LEFT_OUT, _ADDED, _AMONG = 0.1, 0.45, 10
"""How often lines that answer are left out, and how often those that were not found are put among the first."""
_SHUFFLED = 0.2
"""How often lines stand in any order."""
_WITH_BEFORE, _TOLD, _DATED = 0.85, 0.8, 0.85
"""How often the lines of the turn before are there, what was told, and the year."""
_SCRAMBLED = 0.4
"""How often other digits stand in the place of a number's own, but for the first."""
_DIGITS = "0123456789"
_WAYS, _AGAIN = 2, 0.35
"""Ways in which an example is put together, and how often one that is known is taken before all are."""
_TOGETHER, _POOL = 16, 256
_RATE, _OF_HEADS, _WARM, _DECAY = 1.5e-4, 5e-4, 150, 0.03
_ROUNDED_FROM = 0.65
"""Share of the time after which the layers are trained as they will be rounded."""
_KEPT_ASIDE, _HELD = 25, 500
"""One conversation of so many is kept aside, and so many questions of these are measured."""
_EVERY = 300.0
"""Seconds between two measurements."""
_WEIGHTS = {"rows": 0.6, "dialogues": 0.8, "people": 1.3, "excerpts": 1.0, "calculations": 1.5, "follow_ups": 1.5}
_OF_PAIRS = 1.2
_OF_USED = 0.1
"""What it counts that every number an answer rests on is told from the others."""
_AT_FIRST = -3.0
_LARGE = ("left.weight", "right.weight")
"""Heads that are rounded."""


@dataclass(frozen=True, slots=True)
class Ready:
    """An example with the states of its tokens behind the lower layers."""

    states: torch.Tensor
    """[tokens, width], half precision."""
    numbers: tuple[tuple[int, int], ...]
    """The first and the last token of each number."""
    right: tuple[int, ...]
    """The places of what answers among all scores."""
    used: tuple[int, ...]
    """The numbers that it rests on."""
    operation: str


class ExcerptReader(nn.Module):
    """The cross-encoder's layers with heads for numbers and pairs of numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = Layers()
        count = len(OPERATIONS)
        self.none, self.single, self.operation = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, 1), nn.Linear(WIDTH, count)
        self.first, self.second = nn.Linear(2 * WIDTH, count), nn.Linear(2 * WIDTH, count)
        self.left, self.right = (nn.Linear(2 * WIDTH, _PRODUCTS * count) for _ in range(2))
        self.used = nn.Linear(2 * WIDTH, 1)
        for head in (self.left, self.right):
            nn.init.normal_(head.weight, std=0.05)
        nn.init.constant_(self.operation.bias, _AT_FIRST)

    def both(self, states: torch.Tensor, numbers: Sequence[tuple[int, int]]) -> torch.Tensor:
        """Of each number its own state and that of the whole, side by side."""
        ends = torch.tensor(numbers)
        every = (states[ends[:, 0]] + states[ends[:, 1]]) / 2
        return torch.cat([every, states[0].expand_as(every)], -1)

    def chances(self, states: torch.Tensor, numbers: Sequence[tuple[int, int]]) -> torch.Tensor:
        """Log probabilities: of nothing, of each number, and of each operation on each two, [1 + n + operations * n * n]."""
        of, both = states[0], self.both(states, numbers)
        shape = (len(numbers), len(OPERATIONS), _PRODUCTS)
        left, right = (head(both).view(*shape).transpose(0, 1) for head in (self.left, self.right))
        pairs = left @ right.transpose(1, 2) / math.sqrt(_PRODUCTS) + self.operation(of)[:, None, None]
        pairs = pairs + self.first(both).T[:, :, None] + self.second(both).T[:, None, :]
        pairs = pairs.masked_fill(torch.eye(len(numbers), dtype=torch.bool)[None], -1e4)
        return torch.log_softmax(torch.cat([self.none(of), self.single(both[:, :WIDTH])[:, 0], pairs.reshape(-1)]), 0)


def composed(example: Example, chance: random.Random, *, is_training: bool) -> tuple[list[Line], frozenset[tuple[str, int]], str]:
    """The lines that an example is read with, what of them was told, and the year: those of the turn before, then the nearest.
    (What reads them has paragraphs and figures that were ranked among these as well.)

    What was trained on is found more surely than what people will ask: so lines change places, what answers is left out at times,
    and one that was not found stands there at times.
    """
    others, most = list(example.others), float(_WORDS)
    if is_training:
        most = chance.uniform(_FEWEST, _MOST)
        others = _moved(example, others, chance)
    before = example.before if not is_training or chance.random() < _WITH_BEFORE else ()
    kept = list(enough((*before, *others), most))
    if is_training and chance.random() < _SHUFFLED:
        chance.shuffle(kept)
    told = example.told if not is_training or chance.random() < _TOLD else frozenset()
    return kept, told, example.year if not is_training or chance.random() < _DATED else ""


def _moved(example: Example, others: list[Line], chance: random.Random) -> list[Line]:
    answers, found = {line.key for line in example.right}, {line.key for line in others}
    if chance.random() < _MOVED:
        far = chance.uniform(0, _FARTHEST)
        order = {id(line): place + chance.gauss(0, far) for place, line in enumerate(others)}
        others.sort(key=lambda line: order[id(line)])
    if chance.random() < _LEFT_OUT:
        others = [line for line in others if line.key not in answers]
    if chance.random() < _ADDED:
        for line in example.right:
            if line.key not in found:
                others.insert(chance.randrange(min(len(others), _AMONG) + 1), line)
    return others


def scrambled(question: str, text: str, spans: Sequence[tuple[int, int]], chance: random.Random) -> str:
    """``text`` with other digits behind the first of each number that the question doesn't say: which number answers is not to be
    known by heart.
    """
    made: dict[str, str] = {}
    found = list(text)
    for start, end in spans:
        printed = text[start:end]
        if printed not in question:
            first = next((at for at, char in enumerate(printed) if char in _DIGITS[1:]), len(printed))
            other = (chance.choice(_DIGITS) if char.isdecimal() and at > first else char for at, char in enumerate(printed))
            found[start:end] = made.setdefault(printed, "".join(other))
    return "".join(found)


def ready(
    reader: ExcerptReader, examples: Sequence[Example], chance: random.Random, *, is_training: bool
) -> list[Ready | None]:  # fmt: skip
    """``examples`` as they are trained on or measured; None where none of their numbers is left."""
    made = [(example, *composed(example, chance, is_training=is_training)) for example in examples]
    texts = []
    for example, kept, told, year in made:
        question, of = joined(example.turns, year), whole(kept, told)
        is_other = is_training and chance.random() < _SCRAMBLED
        texts.append((question, scrambled(question, of.text, of.spans, chance) if is_other else of.text, of.spans))
    read = reader.layers.tokenizer(
        [question for question, _, _ in texts], [text for _, text, _ in texts], truncation="only_second", max_length=TOKENS,
        return_token_type_ids=True, return_offsets_mapping=True,
    )  # fmt: skip
    states = reader.layers.lower(read) if made else []
    found: list[Ready | None] = [None] * len(made)
    for place, (example, kept, _, _) in enumerate(made):
        tokens = tokens_of(read["offset_mapping"][place], list(map(bool, read["token_type_ids"][place])), texts[place][2])
        held = {number: own for own, number in enumerate(at for at, one in enumerate(tokens) if one is not None)}
        if held:
            right = truths(example, kept)
            numbers = tuple(one for one in tokens if one is not None)
            places_right = places_of(right, held)
            used = {held[at] for kind, *ends in right if kind != NONE for at in ends if set(ends) <= set(held)}
            kind = NONE if places_right == (0,) else example.operation
            found[place] = Ready(states[place], numbers, places_right, tuple(sorted(used)), kind)
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


def fit(reader: ExcerptReader, examples: Sequence[Example], held: Sequence[Ready], seconds: float, seed: int) -> None:
    """Train for ``seconds``: what answers is to have all of the chance. Leaves the average of the weights in the reader."""
    chance = random.Random(seed)
    named = [(name, weight) for name, weight in reader.named_parameters() if weight.requires_grad]
    upper, heads = ([weight for name, weight in named if name.startswith("layers.") == is_upper] for is_upper in (True, False))
    descent = Descent([(upper, _RATE), (heads, _OF_HEADS)], seconds, _WARM, _DECAY)
    known = [list[Ready]() for _ in examples]
    weights = [_WEIGHTS[one.source] * (1.0 if one.operation == SINGLE else _OF_PAIRS) for one in examples]
    while descent.share < 1:
        places = chance.choices(range(len(examples)), weights, k=_POOL)
        reader.train()
        for batch in _batches(_drawn(reader, examples, known, places, chance), chance):
            reader.layers.is_rounded = descent.share > _ROUNDED_FROM
            descent.step(torch.stack(list(_losses(reader, batch))).mean())
        descent.report(lambda: measure(reader, held), _EVERY)
    descent.swap()
    reader.layers.is_rounded = True
    reader.eval()


def _drawn(
    reader: ExcerptReader, examples: Sequence[Example], known: Sequence[list[Ready]], places: Sequence[int], chance: random.Random
) -> list[Ready]:  # fmt: skip
    """The examples at ``places``, each put together in one way; ``known`` holds those that were made before."""
    again = [place for place in places if known[place] and (len(known[place]) >= _WAYS or chance.random() < _AGAIN)]
    anew = [*dict.fromkeys(places).keys() - set(again)]
    for place, made in zip(anew, ready(reader, [examples[at] for at in anew], chance, is_training=True), strict=True):
        if made is not None:
            known[place].append(made)
    return [chance.choice(known[place]) for place in again] + [known[place][-1] for place in anew if known[place]]


def _batches(drawn: Sequence[Ready], chance: random.Random) -> list[list[Ready]]:
    """Batches of examples of about one length."""
    pool = sorted(drawn, key=lambda one: len(one.states))
    batches = [pool[first : first + _TOGETHER] for first in range(0, len(pool), _TOGETHER)]
    chance.shuffle(batches)
    return batches


def _losses(reader: ExcerptReader, batch: Sequence[Ready]) -> Iterator[torch.Tensor]:
    for states, one in zip(reader.layers.upper([one.states for one in batch]), batch, strict=True):
        used = torch.zeros(len(one.numbers))
        used[list(one.used)] = 1
        told = functional.binary_cross_entropy_with_logits(
            reader.used(reader.both(states, one.numbers))[:, 0], used, reduction="sum"
        )
        yield _OF_USED * told - torch.logsumexp(reader.chances(states, one.numbers)[torch.tensor(one.right)], 0)


def measure(reader: ExcerptReader, held: Sequence[Ready]) -> str:
    """The mean loss, and for each operation how often the likeliest answers, and the likeliest but "nothing" does."""
    first, but_none, count, loss = Counter[str](), Counter[str](), Counter[str](), 0.0
    reader.eval()
    with torch.no_grad():
        for at in range(0, len(held), _TOGETHER):
            batch = held[at : at + _TOGETHER]
            for states, one in zip(reader.layers.upper([one.states for one in batch]), batch, strict=True):
                chances = reader.chances(states, one.numbers)
                loss -= float(torch.logsumexp(chances[torch.tensor(one.right)], 0))
                count[one.operation] += 1
                first[one.operation] += int(chances.argmax()) in one.right
                but_none[one.operation] += int(chances[1:].argmax()) + 1 in one.right
    reader.train()
    by = ", ".join(f"{name} {first[name]} ({but_none[name]}) of {count[name]}" for name in sorted(count))
    return f"loss {loss / max(len(held), 1):.3f}; {by}"


def write(reader: ExcerptReader, card: Mapping[str, Any], folder: Path) -> None:
    """Put the upper layers, and the heads, rounded to four bits, where the package reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    reader.layers.write(folder / "model.onnx")
    held = {name: weight.detach().numpy() for name, weight in reader.state_dict().items()}
    heads = {name: weight for name, weight in held.items() if not name.startswith(("layers.", "used."))}
    np.savez_compressed(folder / "heads.npz", allow_pickle=False, **_packed_heads(heads))
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def _packed_heads(heads: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Large maps rounded; small ones as they are."""
    found: dict[str, NDArray[Any]] = {}
    for name, weight in heads.items():
        found |= packed(weight, name) if name in _LARGE else {name: weight.astype(np.float32)}
    return found


@torch.no_grad()  # type: ignore[untyped-decorator]
def round_heads(reader: ExcerptReader) -> None:
    """Give the reader the heads that the package will hold."""
    held = {name: weight.numpy() for name, weight in reader.state_dict().items() if name in _LARGE}
    packed = _packed_heads(held)
    for name in _LARGE:
        reader.state_dict()[name].copy_(torch.from_numpy(packed[name] * packed[f"{name}_scale"][:, None]))


def main() -> None:
    """Train, measure, save; put the weights into the package where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--seconds", type=float, default=9_000)
    arguments.add_argument("--seed", type=int, default=9)
    arguments.add_argument("--start", type=Path, help="weights of an earlier run, to go on from")
    arguments.add_argument("--to", type=Path, default=Path("build/excerpt_reader.pt"))
    arguments.add_argument("--most", type=int, help="of each set no more questions than so many")
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services, Library.open(paths) as library:
        finder = Finder(services, library)
        examples = [one for name in SETS for one in finder.examples(asked_of(name)[: given.most], name, given.seed)]
    sources = dict(Counter(one.source for one in examples))
    print(len(examples), sources, flush=True)
    chance = random.Random(given.seed)
    torch.manual_seed(given.seed)
    reader = ExcerptReader()
    if given.start:
        reader.load_state_dict(torch.load(given.start))
    talks = sorted({one.turns[0] for one in examples if one.split != "development"})
    aside = set(chance.sample(talks, len(talks) // _KEPT_ASIDE))
    kept = [one for one in examples if one.split == "development" or one.turns[0] in aside]
    taught = [one for one in examples if one.split != "development" and one.turns[0] not in aside]
    measured = ready(reader.eval(), chance.sample(kept, min(_HELD, len(kept))), chance, is_training=False)
    held = [one for one in measured if one is not None]
    fit(reader, taught, held, given.seconds, given.seed)
    given.to.parent.mkdir(parents=True, exist_ok=True)
    torch.save(reader.state_dict(), given.to)
    round_heads(reader)
    figures = measure(reader, held)
    print(figures)
    if given.write:
        made = {"made_by": "make excerpts", "base": json.loads((WEIGHTS / "card.json").read_text(encoding="utf-8"))["name"]}
        write(reader, made | {"seed": given.seed, "seconds": given.seconds, "turns": sources, "kept_aside": figures}, TARGET)


if __name__ == "__main__":
    main()
