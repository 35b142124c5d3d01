"""Changing one key of the user's settings file, and nothing else in it: comments and order stay."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fin_tui.config import load_settings
from fin_tui.errors import FinTuiError, UsageError, said

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from tomlkit import TOMLDocument


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
