"""Takes out of the weights' vocabulary what no filing and no question has: each token costs 384 bytes in each of three files.

    FIN_TUI_HOME=DIR python -m training.vocabulary [--most 6800] [--write]

What goes first are tokens that no text in English has, then pieces of words, then the rarest words, which the reader's card goes
on to name: whoever mends slips takes them for words. A text that holds one all the same is read as shorter pieces, a letter of
another script as unknown. The vectors of texts without them stay what they were, so the weights keep their names.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

import fin_tui.retrieval
from fin_tui.paths import find_home
from fin_tui.store.library import Library
from training.train import DATA

FOLDERS = [Path(fin_tui.retrieval.__file__).with_name(name) for name in ("cross_encoder_weights", "reader_weights")]
QUESTIONS = Path(fin_tui.retrieval.__file__).with_name("question_weights")
"""These have the words of the first."""
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LENGTH = 20_000
"""Characters that are read at once."""


def main() -> None:
    """Count, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--most", type=int, default=6_800, help="tokens to take out")
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    tokenizer = Tokenizer.from_file(str(FOLDERS[0] / "tokenizer.json"))
    with Library.open(find_home(Path(os.environ["FIN_TUI_HOME"]))) as library:
        used = counted(tokenizer, texts(library))
    vocabulary = tokenizer.get_vocab()
    dropped = needless(vocabulary, used)[: given.most]
    print(f"{len(vocabulary)} tokens, {int((used == 0).sum())} in no text, {len(dropped)} to take out")
    if given.write:
        for folder in FOLDERS:
            take_out(folder, set(dropped))
        gone = set(dropped)
        keep(QUESTIONS / "model.onnx", [at for at in range(len(vocabulary)) if at not in gone])


def texts(library: Library) -> Iterable[str]:
    """All filings held, and all that is trained on."""
    for filing in library.filings():
        yield "\n".join(chunk.text for chunk in library.chunks.of_filing(filing.id))
    for file in sorted(DATA.glob("*.jsonl")):
        yield file.read_text(encoding="utf-8")


def counted(tokenizer: Any, found: Iterable[str]) -> NDArray[np.int64]:
    """How often each token stands in the texts."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    used = np.zeros(tokenizer.get_vocab_size(), np.int64)
    for text in found:
        parts = [text[at : at + _LENGTH] for at in range(0, len(text), _LENGTH)]
        for encoded in tokenizer.encode_batch(parts, add_special_tokens=False):
            np.add.at(used, np.array(encoded.ids), 1)
    return used


def needless(vocabulary: dict[str, int], used: NDArray[np.int64]) -> list[int]:
    """The tokens that may go, the most needless first."""

    def order(token: str) -> tuple[int, int]:
        is_word = token.isascii() and not token.startswith(("[", "##"))
        return (2 if is_word else 1 if token.isascii() and token.startswith("##") else 0, -vocabulary[token])

    spared = {*_SPECIAL, *(token for token in vocabulary if token.isascii() and len(token.removeprefix("##")) == 1)}
    return [vocabulary[token] for token in sorted(vocabulary, key=order) if not used[vocabulary[token]] and token not in spared]


def take_out(folder: Path, dropped: set[int]) -> None:
    """Write weights and vocabulary of ``folder`` without the tokens."""
    held = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    words = sorted(held["model"]["vocab"].items(), key=lambda of: of[1])
    _renumber(held, [word for word, at in words if at not in dropped])
    (folder / "tokenizer.json").write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    gone = {word for word, at in words if at in dropped and word.isascii() and word.isalpha()}
    card["words"] = sorted(gone | set(card.get("words", ())))
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    keep(folder / "model.onnx", [at for _, at in words if at not in dropped])


def keep(file: Path, tokens: Sequence[int]) -> None:
    """Leave in a model only the vectors of ``tokens``, in that order. Raises ``ValueError`` for one that has none."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(file))
    (table,) = (one for one in model.graph.initializer if one.name.endswith("word_embeddings.weight_quantized"))
    table.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(table)[list(tokens)], table.name))
    onnx.save(model, str(file))


def shared(vocabulary: Mapping[str, int]) -> list[int]:
    """The tokens of a whole ``vocabulary`` that the package's words are, in their order."""
    own = json.loads((FOLDERS[0] / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return [vocabulary[word] for word in sorted(own, key=own.__getitem__)]


def _renumber(held: dict[str, Any], words: Sequence[str]) -> None:
    places = {word: at for at, word in enumerate(words)}
    held["model"]["vocab"] = places
    for one in held["added_tokens"]:
        one["id"] = places[one["content"]]
    for name, special in held["post_processor"].get("special_tokens", {}).items():
        special["ids"] = [places[name]]


if __name__ == "__main__":
    main()
