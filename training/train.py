"""Trains the reader of questions and figures, prints its figures, and exports the weights: ``make train``.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.train [--seconds 3000] [--seed 5] [--start FOLDER] [--to FOLDER]

The home holds the filings and all-MiniLM-L6-v2, which training starts from. Filings of the aside part give no rows; what is
printed is measured on the development part.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from fin_tui.paths import find_home
from fin_tui.store.library import Library
from training.asked import calculation_asked, turn_asked
from training.composed import composed, followed
from training.encoder import ANSWERS, LABELS, OPERANDS, OPERATIONS, QUESTION_TOKENS, SPANS, TAGS, Reader
from training.fit import fit, operand_ids, tag_ids
from training.fused import floats
from training.rows import Pair, Rows, by_spans, by_words, of_rows, pairs, rows_of

DATA = Path(__file__).resolve().parent / "data"
HELD_QUESTIONS, HELD_WORDINGS = 300, 500
COMPOSED, FOLLOWED = 6_000, 600
"""Questions, and follow-ups, that are put together from frames and names."""
_ACCESSION = re.compile(r"\d{10}-\d\d-\d{6}")


def main() -> None:
    """Train, measure, save."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=3_000)
    arguments.add_argument("--seed", type=int, default=5)
    arguments.add_argument("--start", type=Path, help="the folder of weights as the package has them, to go on from")
    arguments.add_argument("--to", type=Path, default=Path("build/reader"))
    asked = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    files = files_by_part(Path(os.environ["FIN_TUI_CORPUS"]))
    wordings = lines(DATA / "wordings.jsonl")
    random.Random(asked.seed).shuffle(wordings)
    with Library.open(paths) as library:
        training, development = (rows_of(library, files[part], by_period=False) for part in ("training", "development"))
    written, near = lines(DATA / "rows.jsonl"), by_words(asked.seed)
    made = pairs(training, wordings[HELD_WORDINGS:], asked.seed)
    made += of_rows(training, [row for row in written if row["split"] == "training"], by_spans, near, asked.seed) * 2
    questions = labelled()
    random.Random(asked.seed).shuffle(questions)
    held, questions = questions[:HELD_QUESTIONS], questions[HELD_QUESTIONS:]
    frames, tagged = lines(DATA / "frames.jsonl"), [row for row in questions if row["target"] is not None]
    questions += composed(frames, tagged, labels_of(training), COMPOSED, asked.seed)
    questions += followed(frames, questions[-COMPOSED:], FOLLOWED, asked.seed)
    print(f"{len(made)} pairs, {len(questions)} questions")
    reader = Reader(paths.models / "all-MiniLM-L6-v2") if asked.start is None else shipped(asked.start)
    fit(reader, made, questions, asked.seconds, asked.seed)
    rows = of_rows(development, [row for row in written if row["split"] == "development"], by_spans, near, asked.seed)
    figures = {"frames": measure_frames(reader, held), "rows": measure_rows(reader, development, rows)}
    print(json.dumps(figures, indent=1))
    asked.to.mkdir(parents=True, exist_ok=True)
    reader.save(asked.to)
    card = {"seed": asked.seed, "seconds": asked.seconds, "pairs": len(made), "questions": len(questions), "figures": figures}
    (asked.to / "figures.json").write_text(json.dumps(card), encoding="utf-8")


def labelled() -> list[dict[str, Any]]:
    """All that was written and labelled for training, as the heads are trained on it."""
    rows = [row for row in lines(DATA / "rows.jsonl") if row["split"] == "training" and not row.get("operand")]
    calculations = [*lines(DATA / "calculations.jsonl"), *lines(DATA / "follow_ups.jsonl")]
    return [
        *map(question_of, lines(DATA / "wordings.jsonl")),
        *(
            question_of(row)
            for name in ("courses", "breakdowns")
            for row in lines(DATA / f"{name}.jsonl")
            if row["split"] == "training"
        ),
        *map(_of_row, rows),
        *(calculation_asked(row) for row in calculations if row["split"] == "training"),
        *(turn_asked(row) for row in lines(DATA / "dialogues.jsonl") if row["split"] == "training"),
        *({**turn_asked(row), "is_turn": False} for row in lines(DATA / "people.jsonl") if row["split"] == "training"),
    ]


def shipped(folder: Path) -> Reader:
    """The reader as the package has it, to go on from: its int8 weights as floats."""
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    )
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1_536,
        max_position_embeddings=512,
    )  # fmt: skip
    reader = Reader(tokenizer=tokenizer, encoder=BertModel(config))
    held = {name: torch.tensor(np.ascontiguousarray(value)) for name, value in floats(folder / "model.onnx").items()}
    reader.encoder.load_state_dict(held, strict=False)
    with np.load(folder / "heads.npz") as heads:
        reader.load_state_dict({name: torch.tensor(heads[name]) for name in heads.files}, strict=False)
    return reader


def files_by_part(corpus: Path) -> dict[str, list[str]]:
    """Part -> base names of the filings that its questions are about; none of them is of another part."""
    parts = json.loads((DATA / "natural_parts.json").read_text(encoding="utf-8"))["parts"]
    of = {row["id"]: row["filing"] for row in lines(corpus / "qa" / "natural.jsonl")}
    return {part: sorted({file for one in ids for file in of[one]}) for part, ids in parts.items()}


def labels_of(held: Sequence[Rows]) -> list[str]:
    """What the tagged rows of filings are called, as printed."""
    tagged = (one for rows in held for some in rows.by_tag.values() for one in some)
    return sorted({one.path[-1] for one in tagged if one.path and one.fact.source == "xbrl" and "[" not in one.path[-1]})


def question_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A labelled wording as the heads are trained on it."""
    return {
        "question": row["question"],
        "follow_up_of": row["follow_up_of"],
        "company": row["companies"],
        "period": row["periods"],
        "target": row["target"],
        "part": row["part"],
        "operation": row["operation"] if row["operation"] in OPERATIONS else None,
        "answer": row["answer_type"] if row["answer_type"] in ANSWERS else None,
        "refusal": row["refusal"] or "",
        "carry": row.get("carry"),
        "before": None if row["follow_up_of"] else "",
        "hard": bool(row.get("hard")),
    }


def _of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A question written for a single row: a look-up, however much it sounds like a calculation ("average price per share")."""
    return {
        "question": row["question"],
        "follow_up_of": None,
        "company": row["companies"],
        "period": row["periods"],
        "target": row["target"],
        "part": row["part"],
        "operation": "lookup",
        "answer": row["answer_type"] if row["answer_type"] in ANSWERS else None,
        "refusal": "",
        "carry": None,
        "before": "",
    }


def measure_frames(reader: Reader, questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Share of labels that are right, precision and recall of the tokens of each span."""
    right = dict.fromkeys(LABELS, 0)
    known = dict.fromkeys(LABELS, 0)
    found = {name: [0, 0, 0] for name in (*SPANS, *OPERANDS[1:])}
    with torch.no_grad():
        for at in range(0, len(questions), 32):
            part = questions[at : at + 32]
            hidden, (made, offsets) = reader.states(
                [(row["question"], row["follow_up_of"] or "") for row in part], QUESTION_TOKENS
            )
            mask = made["attention_mask"].unsqueeze(-1).float()
            pooled = (hidden * mask).sum(1) / mask.sum(1)
            tags, operands = reader.tags(hidden).argmax(-1), reader.operands(hidden).argmax(-1)
            for place, row in enumerate(part):
                of = (row, offsets[place], made["token_type_ids"][place])
                _count(tag_ids(*of).tolist(), tags[place].tolist(), TAGS, {name: found[name] for name in SPANS})
                told = {name: found[name] for name in OPERANDS[1:]}
                _count(operand_ids(*of).tolist(), operands[place].tolist(), OPERANDS, told)
            for name, values in LABELS.items():
                best = reader.labels[name](pooled).argmax(-1).tolist()
                known[name] += sum(row.get(name) is not None for row in part)
                right[name] += sum(row.get(name) == values[one] for one, row in zip(best, part, strict=True))
    spans = {name: [round(both / max(said, 1), 3), round(both / max(gold, 1), 3)] for name, (both, said, gold) in found.items()}
    return {**{name: round(right[name] / max(known[name], 1), 3) for name in LABELS}, **spans}


def _count(gold: Sequence[int], said: Sequence[int], tags: Sequence[str], found: Mapping[str, list[int]]) -> None:
    for name, counts in found.items():
        wanted = {place for place, tag in enumerate(gold) if tag > 0 and tags[tag].endswith(name)}
        told = {place for place, tag in enumerate(said) if gold[place] != -100 and tags[tag].endswith(name)}
        counts[0] += len(wanted & told)
        counts[1] += len(told)
        counts[2] += len(wanted)


def measure_rows(reader: Reader, held: Sequence[Rows], asked: Sequence[Pair]) -> dict[str, Any]:
    """How often the right row is found first, or among five, beside up to 50 near ones."""
    counts = {"asked": 0, "vectors_first": 0, "vectors_five": 0}
    with torch.no_grad():
        for pair in asked:
            rows = [pair.right[0], *pair.near]
            cosines = reader.vectors(rows) @ reader.vectors([pair.wording])[0]
            rank = int((cosines > cosines[0]).sum())
            counts["asked"] += 1
            counts["vectors_first"] += rank == 0
            counts["vectors_five"] += rank < 5
    return {"filings": len(held), **counts}


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
