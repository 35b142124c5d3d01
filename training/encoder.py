"""One encoder with three kinds of heads, in torch: vectors of wordings and rows, tags of a question, labels of a question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer

SPANS = ("company", "period", "target", "part")
TAGS = ("O", *(f"{edge}-{span}" for span in SPANS for edge in "BI"))
OPERANDS = ("O", "first", "second", "third")
"""Which operand of the calculation that is asked for a word stands for."""
OPERATIONS = (
    "lookup", "describe", "refuse", "yesno", "list", "ratio", "difference", "share", "compare", "trend", "how", "why", "growth",
    "sum", "per_unit", "rank", "margin", "when", "define", "cagr", "average", "who", "where", "reformat", "convert",
    "contribution", "product",
)  # fmt: skip
ANSWERS = ("money", "text", "percent", "count", "yesno", "none", "list", "per_share", "ratio", "name", "date", "days")
REFUSALS = ("", "off_topic", "advice", "forecast", "injection", "private")
CARRY = ("own", "before", "part")
"""Whether a follow-up says by itself what it asks, is about the matter of the question before it, or asks for a figure of its own
of the part that the question before was about.
"""
BEFORE = ("", "first", "second")
"""Which operand of its calculation a follow-up takes from the question before it."""
LABELS: Mapping[str, Sequence[str]] = {
    "operation": OPERATIONS, "answer": ANSWERS, "refusal": REFUSALS, "carry": CARRY, "before": BEFORE,
}  # fmt: skip
QUESTION_TOKENS, ROW_TOKENS = 64, 40


class Reader(nn.Module):
    """The encoder and its heads."""

    def __init__(self, folder: Path | None = None, tokenizer: Any = None, encoder: Any = None) -> None:
        """The encoder and tokenizer of ``folder``, or these themselves."""
        super().__init__()
        self.tokenizer: Any = tokenizer or AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        self.encoder: Any = encoder or AutoModel.from_pretrained(str(folder), local_files_only=True)
        width = self.encoder.config.hidden_size
        self.tags = nn.Linear(width, len(TAGS))
        self.operands = nn.Linear(width, len(OPERANDS))
        self.labels = nn.ModuleDict({name: nn.Linear(width, len(values)) for name, values in LABELS.items()})

    def states(self, texts: Sequence[str] | Sequence[tuple[str, str]], longest: int) -> tuple[torch.Tensor, Any]:
        """Hidden states [n, tokens, width] and the encodings."""
        first = [text if isinstance(text, str) else text[0] for text in texts]
        second = None if isinstance(texts[0], str) else [text[1] for text in texts]
        made = self.tokenizer(
            first, second, padding=True, truncation="longest_first", max_length=longest, return_tensors="pt",
            return_offsets_mapping=True, return_token_type_ids=True,
        )  # fmt: skip
        offsets = made.pop("offset_mapping")
        hidden = self.encoder(**made).last_hidden_state
        return hidden, (made, offsets)

    def pooled(self, texts: Sequence[str] | Sequence[tuple[str, str]], longest: int) -> torch.Tensor:
        """The mean of the tokens' states [n, width]."""
        hidden, (made, _) = self.states(texts, longest)
        mask = made["attention_mask"].unsqueeze(-1).float()
        pooled: torch.Tensor = (hidden * mask).sum(1) / mask.sum(1)
        return pooled

    def vectors(self, texts: Sequence[str]) -> torch.Tensor:
        """L2-normalised vectors [n, width]."""
        return nn.functional.normalize(self.pooled(texts, ROW_TOKENS), dim=-1)

    def save(self, folder: Path) -> None:
        """Encoder, tokenizer and heads, to go on from or to export."""
        self.encoder.save_pretrained(str(folder))
        self.tokenizer.save_pretrained(str(folder))
        heads = {name: value for name, value in self.state_dict().items() if not name.startswith("encoder.")}
        torch.save(heads, folder / "heads.pt")
        (folder / "labels.json").write_text(json.dumps({"tags": TAGS, "operands": OPERANDS, **LABELS}), encoding="utf-8")
