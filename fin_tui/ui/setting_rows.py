"""The settings as lines to look through and change, made from the settings themselves so that none is forgotten. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import inspect

from fin_tui.config import Settings
from fin_tui.errors import UsageError

Kind = Literal["choice", "switch", "number", "text"]

_ABOUT = {
    "model.name": "the language model that writes answers",
    "model.context": "tokens that question, evidence and answer share",
    "model.threads": "0: all physical cores",
    "model.evidence_tokens": "tokens of evidence that the model reads",
    "model.answer_tokens": "the longest answer in tokens",
    "search.mode": "by words and meaning, by meaning alone, by words alone",
    "search.k": "passages of an answer",
    "search.candidates": "passages that each index gives before they are fused",
    "search.fusion": "how both rankings become one",
    "search.rrf_k": "constant of reciprocal rank fusion",
    "search.dense_weight": "share of meaning when fusion is weighted, 0 to 1",
    "search.rerank": "reorder the best passages with a cross-encoder",
    "search.rerank_deadline_ms": "time for that, in milliseconds",
    "encoder.kind": "which library makes vectors",
    "encoder.model": "a folder under models/, a path, or a hub name",
    "encoder.batch": "passages that are encoded together",
    "chunking.strategy": "where filings are cut into passages",
    "chunking.size": "words of a passage",
    "chunking.overlap": "words that neighbours share",
    "chunking.minimum": "shorter pieces are joined to a neighbour",
    "corpus.uri": "a team's corpus to ask, http[s]://HOST:PORT; empty: the library of this machine",
    "corpus.timeout_s": "seconds that it has for one call",
    "app.theme": "colours",
}
_SECTIONS = ("model", "search", "encoder", "chunking", "app")
"""First and in this order; others follow."""
LIVE = frozenset({"search.mode", "search.rerank", "app.theme", "app.keys"})
"""What the app applies by itself; for all else the library is opened anew."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the settings."""

    key: str
    """"search.mode"."""
    value: Any
    default: Any
    kind: Kind
    choices: tuple[str, ...] = ()
    """For a choice."""
    is_fixed: bool = False
    """An environment variable sets it: the file has no say."""

    @property
    def about(self) -> str:
        return _ABOUT.get(self.key, "")

    @property
    def variable(self) -> str:
        """The environment variable of this key."""
        return "FIN_TUI_" + self.key.replace(".", "_").upper()

    @property
    def shown(self) -> str:
        return ("on" if self.value else "off") if self.kind == "switch" else str(self.value)

    def parse(self, text: str) -> Any:
        """The value that was typed. Raises ``UsageError`` when it is not of this kind; its range is the file's to check."""
        text = text.strip()
        if self.kind != "number":
            return text
        try:
            return type(self.default)(text)
        except ValueError as error:
            whole = "a whole number" if isinstance(self.default, int) else "a number"
            raise UsageError(f"{text!r} is no number.", f"{self.key} takes {whole}, such as {self.default}.") from error


def settings_of(settings: Settings, fixed: Collection[str], themes: Collection[str] = ()) -> tuple[Setting, ...]:
    """All settings but the keys of actions, those people change most first."""
    rows: list[Setting] = []
    types = {field.name: field.type for field in _fields(inspect.type_info(Settings))}
    names = [*_SECTIONS, *(name for name in types if name not in _SECTIONS)]
    defaults = Settings()
    for section in names:
        values, standard = getattr(settings, section), getattr(defaults, section)
        for field in _fields(types[section]):
            key = f"{section}.{field.name}"
            if isinstance(field.type, inspect.DictType):
                continue
            kind, choices = _kind(field.type)
            if key == "app.theme" and themes:
                kind, choices = "choice", tuple(themes)
            rows.append(Setting(key, getattr(values, field.name), getattr(standard, field.name), kind, choices, key in fixed))
    return tuple(rows)


def changed_keys(before: Settings, after: Settings) -> frozenset[str]:
    """The keys whose values differ."""
    a, b = _flat(before), _flat(after)
    return frozenset(key for key in a if a[key] != b.get(key))


def _flat(settings: Settings) -> Mapping[str, Any]:
    plain = msgspec.to_builtins(settings)
    return {f"{section}.{key}": value for section, values in plain.items() for key, value in values.items()}


def _fields(type_: inspect.Type) -> tuple[inspect.Field, ...]:
    return type_.fields if isinstance(type_, inspect.StructType) else ()


def _kind(type_: inspect.Type) -> tuple[Kind, tuple[str, ...]]:
    match type_:
        case inspect.LiteralType(values=values):
            return "choice", tuple(str(value) for value in values)
        case inspect.BoolType():
            return "switch", ()
        case inspect.IntType() | inspect.FloatType():
            return "number", ()
    return "text", ()
