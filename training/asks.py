"""Fits what tells where a question goes on to ask something else: "net sales 2023 and how many stores".

    python -m training.asks [--write]

Learnt from questions that ask several things and others that ask one with the same signs ("research and development"), from
turns of dialogues set one behind the other, and from questions for one figure or calculation. The head scores each word by its
own state and by that of the word before it, on the encoder as the package ships it. Prints, of questions kept aside, how many are
parted as they were written, and how many that ask one thing are left whole.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fin_tui.engine.frame.tokens import ASKS, word_scores, words_of_tokens
from fin_tui.engine.questions.shorthand import written_out
from fin_tui.facts import vocabulary
from fin_tui.retrieval.shared_encoder import SharedEncoder
from training.heads import CARD, HEADS
from training.train import DATA, labelled, lines

STRENGTH = 0.3
"""Of the fit, as scikit-learn has it: the smaller the nearer to zero."""
_JOINTS = (" and ", ", ", " & ", ", ", " + ", "? ", " / ", "; ", " - ", ", and ", " plus ", " ", ". ")
_OPENINGS = ("and ", "ok, ", "ok ", "so ")
_PAIRS, _SINGLE, _LISTS, _CLAUSES = 400, 700, 450, 300
"""Turns set one behind the other, and by themselves; figures listed by their names; questions of any kind."""
_FRAMES = (
    "{whose} {list} in {year}",
    "{list} of {whose}, {year}",
    "What were {whose}'s {list} in fiscal {year}?",
    "{whose} {year} {list}",
    "{list} {year}",
    "how high were {list} at {whose}",
    "{whose}: {list}",
    "give me {list} for {year}",
    "its {list}?",
)
_FRONTED = (
    "of {whose}'s {list}, how much falls due in {year}",
    "of its {list}, how much is held abroad?",
    "out of all {list}, what part is in the US",
    "as for {list}, what was it in {year}",
    "in {year}, how high was {list} at {whose}",
    "for {whose}, how did {list} come out",
    "given the {list} of {year}, how much was left",
)
"""One thing that is asked behind what it is of."""
_WHOSE = ("acme", "Apex Holdings", "the company", "JNJ", "walgreens", "GE", "Corteva")
_LONGEST_NAME, _MOST_LISTED = 5, 3
_SEED = 3
THRESHOLDS = (0.3, 0.5, 0.7, 0.85)


@dataclass(frozen=True, slots=True)
class Parted:
    """A question, the one before it, and where in it something else begins to be asked."""

    question: str
    starts: frozenset[int]
    before: str = ""

    @property
    def read(self) -> Parted:
        """As the reader gets it, what is written short written out."""
        starts = frozenset(len(written_out(f"{self.question[:at]}|")) - 1 for at in self.starts)
        return Parted(written_out(self.question), starts, written_out(self.before))


def main() -> None:
    """Fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    written = lines(DATA / "several.jsonl")
    held = [_parted(row) for row in written if row["split"] == "development"]
    encoder = SharedEncoder()
    known = [_parted(row) for row in written if row["split"] == "training"]
    weight, bias = fitted([*known, *of_dialogues(), *of_sentences(), *of_names(), *of_calculations()], encoder)
    report((weight, bias), held, encoder)
    if given.write:
        with np.load(HEADS) as arrays:
            heads = {**arrays, "asks.weight": weight, "asks.bias": bias}
        np.savez(HEADS, **heads)
        card = json.loads(CARD.read_text(encoding="utf-8"))
        card["labels"]["asks"] = list(ASKS)
        CARD.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def _parted(row: Mapping[str, Any]) -> Parted:
    at, starts = 0, []
    for asked in row["asks"]:
        starts.append(at := row["question"].index(asked, at))
        at += len(asked)
    return Parted(row["question"], frozenset(starts[1:]))


def of_dialogues() -> list[Parted]:
    """Turns of dialogues: a first one with the next behind it in one question, and each by itself."""
    rows = [row["turns"] for row in lines(DATA / "dialogues.jsonl")]
    random = np.random.default_rng(_SEED)
    seconds = [turns for turns in rows if len(turns) == 2]
    made = []
    for at in random.permutation(len(seconds))[:_PAIRS]:
        first, second = seconds[at][0].rstrip(" ?."), seconds[at][1]
        for opening in _OPENINGS:
            second = second[len(opening) :] if second.lower().startswith(opening) else second
        joint = _JOINTS[random.integers(len(_JOINTS))]
        made.append(Parted(f"{first}{joint}{second}", frozenset((len(first) + len(joint),))))
    for at in random.permutation(len(rows))[:_SINGLE]:
        *before, question = rows[at]
        made.append(Parted(question, frozenset(), before[-1] if before else ""))
    return made


def of_sentences() -> list[Parted]:
    """Questions of all kinds, one behind another, the second of them in small letters; every other one is to be refused."""
    random = np.random.default_rng(_SEED)
    rows = [row for row in labelled() if not row["follow_up_of"] and " " in row["question"]]
    refused = [row for row in rows if row["refusal"]]
    made = []
    for at in range(_CLAUSES):
        first = rows[random.integers(len(rows))]["question"].rstrip(" ?.")
        among = refused if at % 2 else rows
        second = among[random.integers(len(among))]["question"]
        second = f"{second[0].lower()}{second[1:]}"
        joint = _JOINTS[random.integers(3)]
        made.append(Parted(f"{first}{joint}{second}", frozenset((len(first) + len(joint),))))
    return made


def of_calculations() -> list[Parted]:
    """Questions for one calculation of several figures."""
    return [Parted(row["question"], frozenset()) for row in lines(DATA / "calculations.jsonl")]


def of_names() -> list[Parted]:
    """Figures listed by their names, and one of them alone, which may hold an "and" itself."""
    random = np.random.default_rng(_SEED)
    names = [name for metric in vocabulary().metrics for name in metric.names if len(name.split()) <= _LONGEST_NAME]
    made = []
    for at in range(_LISTS):
        some = [names[one] for one in random.choice(len(names), 1 + at % _MOST_LISTED, replace=False)]
        if len(some) == 1:
            frames, told = (*_FRAMES, *_FRONTED), some[0]
            frame = frames[random.integers(len(frames))]
            whose, year = _WHOSE[random.integers(len(_WHOSE))], str(2000 + random.integers(26))
            made.append(Parted(frame.format(whose=whose, year=year, list=told), frozenset()))
            continue
        last = (" and ", ", ", " & ", " + ", ", and ")[random.integers(5)]
        frame = _FRAMES[random.integers(len(_FRAMES))]
        words = {"whose": _WHOSE[random.integers(len(_WHOSE))], "year": str(2000 + random.integers(26)), "list": "{list}"}
        text = frame.format(**words)
        start, joined, starts = text.index("{list}"), some[0], []
        for place, name in enumerate(some[1:], start=2):
            joined += last if place == len(some) else ", "
            starts.append(start + len(joined))
            joined += name
        made.append(Parted(text.replace("{list}", joined), frozenset(starts)))
    return made


def fitted(rows: Sequence[Parted], encoder: SharedEncoder) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weight [2, width] and bias [2] of the head: what a word's own state says, and what that of the word before it."""
    states, labels = [], []
    for row in (one.read for one in rows):
        for start, pair in _pairs(row, encoder):
            states.append(pair)
            labels.append(start in row.starts)
    model = LogisticRegression(C=STRENGTH, max_iter=1_000).fit(np.array(states), labels)
    weight = model.coef_[0].reshape(len(ASKS), -1).astype(np.float32)
    return weight, np.array([model.intercept_[0], 0.0], np.float32)


def _pairs(row: Parted, encoder: SharedEncoder) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Each word but the first: where it begins, and its state behind that of the word before it [2 * width]."""
    states, places = encoder.tokens(row.question, row.before)
    words = words_of_tokens(row.question, places)
    own = word_scores(words, states, places)
    for at in range(1, len(words)):
        yield words[at][0], np.concatenate([own[at], own[at - 1]])


def report(head: tuple[NDArray[np.float32], NDArray[np.float32]], rows: Sequence[Parted], encoder: SharedEncoder) -> None:
    """Print how often questions are parted as they were written."""
    weight, bias = head
    rows = [row.read for row in rows]
    chances = []
    for row in rows:
        scores = [(start, float(pair @ weight.reshape(-1) + bias[0])) for start, pair in _pairs(row, encoder)]
        chances.append({start: 1 / (1 + np.exp(-score)) for start, score in scores})
    for threshold in THRESHOLDS:
        told = [frozenset(at for at, chance in some.items() if chance >= threshold) for some in chances]
        several = [(row, of) for row, of in zip(rows, told, strict=True) if row.starts]
        one = [of for row, of in zip(rows, told, strict=True) if not row.starts]
        right = sum(row.starts == of for row, of in several)
        print(
            f"from {threshold}: parted as written {right} of {len(several)}, left whole {sum(not of for _, of in several)}; "
            f"of one thing left whole {sum(not of for of in one)} of {len(one)}"
        )


if __name__ == "__main__":
    main()
