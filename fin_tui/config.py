"""Settings: defaults, then the TOML file, then environment variables.

A key is named by its section, ``[search] k = 8`` or ``FIN_TUI_SEARCH_K=8``. Unknown keys and wrong values are refused, with
the file, the key, and the nearest valid one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from fin_tui.errors import FinTuiError, UsageError, said

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from tomlkit import TOMLDocument


Mode = Literal["hybrid", "dense", "sparse"]
Fraction = Annotated[float, Meta(ge=0.0, le=1.0)]
Positive = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]


class Chunking(Struct, frozen=True, forbid_unknown_fields=True):
    """How a filing is cut into passages. Sizes count words."""

    strategy: Literal["section", "recursive", "sentence", "token"] = "section"
    size: Positive = 180
    overlap: Natural = 30
    minimum: Natural = 12


class Encoder(Struct, frozen=True, forbid_unknown_fields=True):
    """Which encoder makes vectors."""

    kind: Literal["onnx", "sentence-transformers"] = "onnx"
    model: str = "bge-small-en"
    """A folder name under models/, a path, or (sentence-transformers only) a hub id."""
    batch: Positive = 16


class Search(Struct, frozen=True, forbid_unknown_fields=True):
    """How passages are found and ranked."""

    mode: Mode = "hybrid"
    k: Positive = 10
    candidates: Positive = 60
    """How many each index gives before fusion."""
    fusion: Literal["rrf", "weighted"] = "weighted"
    rrf_k: Positive = 60
    dense_weight: Fraction = 0.5
    """The sparse weight is the rest."""
    rerank: bool = True
    rerank_deadline_ms: Positive = 800
    """What is read of a question takes 200 ms on an idle laptop; a busy one gets the same answer later, not another one."""


class Model(Struct, frozen=True, forbid_unknown_fields=True):
    """The language model that writes answers."""

    name: str = "smollm2-135m-instruct"
    """A catalogue name or the path of a .gguf file."""
    context: Positive = 4096
    threads: Natural = 0
    """0 means the number of physical cores."""
    evidence_tokens: Positive = 600
    """At most; fewer where they can't be read within 3 seconds on this machine."""
    answer_tokens: Positive = 320


class Edgar(Struct, frozen=True, forbid_unknown_fields=True):
    """How filings are fetched from EDGAR."""

    name: str = ""
    """Who asks: the SEC wants a name and an e-mail address with every request."""
    email: str = ""
    archives: str = "https://www.sec.gov"
    """Serves /Archives and /files; another address is a mirror."""
    data: str = "https://data.sec.gov"
    """Serves /submissions."""
    timeout_s: Positive = 20
    """Silence after which a transfer counts as broken."""
    file_s: Positive = 900
    """The longest that one file may take."""
    file_mb: Positive = 200
    """The largest file that is taken."""


class Network(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether connections may be opened at all."""

    offline: bool = False


class Corpus(Struct, frozen=True, forbid_unknown_fields=True):
    """A team's corpus, asked in place of this machine's library."""

    uri: str = ""
    """http[s]://HOST[:PORT][/DATABASE] of a Milvus server; empty for the library. Never with a name or password."""
    timeout_s: Annotated[float, Meta(gt=0)] = 10.0
    """Seconds that one call may take."""


class App(Struct, frozen=True, forbid_unknown_fields=True):
    """The terminal app."""

    theme: str = "fin-dark"
    keys: dict[str, str] = {}
    """Action -> its keys with commas between, for actions that have other keys than those the app brings."""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings, by section."""

    chunking: Chunking = Chunking()
    encoder: Encoder = Encoder()
    search: Search = Search()
    model: Model = Model()
    edgar: Edgar = Edgar()
    network: Network = Network()
    corpus: Corpus = Corpus()
    app: App = App()


def load_settings(file: Path, environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from ``file`` (which may be absent) and the environment.

    Raises ``UsageError`` for a file that is not TOML, an unknown key, or a value of the wrong type or range.
    """
    raw = _read_toml(file)
    _refuse_unknown(raw, str(file))
    for section, key, text in from_environment(os.environ if environment is None else environment):
        raw.setdefault(section, {})[key] = text
    try:
        return msgspec.convert(raw, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"{file}: {error}", "See the settings table in the README.") from error


def _read_toml(file: Path) -> dict[str, dict[str, Any]]:
    try:
        raw = msgspec.toml.decode(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {said(error)}", "Mend the file, or move it away to use the defaults.") from error
    return dict(raw)


def _sections() -> dict[str, list[str]]:
    return {
        field.name: [inner.name for inner in msgspec.structs.fields(field.type)] for field in msgspec.structs.fields(Settings)
    }


def _refuse_unknown(raw: Mapping[str, Any], where: str) -> None:
    sections = _sections()
    for section, values in raw.items():
        if section not in sections:
            raise UsageError(f"{where}: unknown section [{section}]", _nearest(section, list(sections)))
        if not isinstance(values, dict):
            raise UsageError(f"{where}: [{section}] must be a table of keys", f"Write [{section}] on a line of its own.")
        for key in values:
            if key not in sections[section]:
                raise UsageError(f"{where}: unknown key {section}.{key}", _nearest(key, sections[section]))


def _nearest(word: str, valid: list[str]) -> str:
    from rapidfuzz import process

    match = process.extractOne(word, valid)
    return f"Did you mean {match[0]}? Valid: {', '.join(valid)}." if match else ""


def from_environment(environment: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Section, key and text of every setting that ``environment`` holds."""
    return [
        (section, key, environment[name])
        for section, keys in _sections().items()
        for key in keys
        if (name := f"FIN_TUI_{section}_{key}".upper()) in environment
    ]


def write_setting(file: Path, section: str, key: str, value: str | int | float | bool) -> None:
    """Set ``key`` in ``section`` ("search", or "app.keys" for a table inside a section).

    Raises ``UsageError`` when the file, as it would become, is no valid settings file, ``FinTuiError`` when it can't be written;
    it is then left alone.
    """
    document = _read(file)
    _table(document, section)[key] = value
    _write(file, document)


def remove_setting(file: Path, section: str, key: str) -> None:
    """Take a key out, so that the default holds again; one that is not there is no error. Raises as ``write_setting``."""
    document = _read(file)
    table: Any = document
    for name in section.split("."):
        table = table.get(name)
        if table is None:
            return
    if key in table:
        table.remove(key)
        _write(file, document)


def _read(file: Path) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise UsageError(f"{file}: {said(error)}", "Mend the file, or move it away.") from error


def _table(document: TOMLDocument, section: str) -> MutableMapping[str, Any]:
    """The table of ``section``, made where it is missing."""
    import tomlkit

    table: Any = document
    for name in section.split("."):
        if name not in table:
            table[name] = tomlkit.table()
        table = table[name]
        if not hasattr(table, "items"):
            raise UsageError(f"{name} of [{section}] must be a table of keys.", "Mend the file, or move it away.")
    found: MutableMapping[str, Any] = table
    return found


def _write(file: Path, document: TOMLDocument) -> None:
    import tomlkit

    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(tomlkit.dumps(document), encoding="utf-8")
        load_settings(part, {})
        part.replace(file)
    except OSError as error:
        hint = "Check its permissions, or choose another folder with --home."
        raise FinTuiError(f"{file} can't be written: {said(error)}", hint) from error
    except UsageError as error:
        raise UsageError(error.message.replace(part.name, file.name), error.hint) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
