"""Changing one key of the user's settings file, and nothing else in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from fin_tui.config import load_settings
from fin_tui.errors import UsageError

_SECTION = re.compile(r"^\s*\[(?P<name>[^\[\]]+)\]\s*(?:#.*)?$")


def write_setting(file: Path, section: str, key: str, value: str) -> None:
    """Set ``section.key`` to a text value; comments and other keys stay as they are.

    Raises ``UsageError`` when the file, as it would become, is no valid settings file; it is then left alone.
    """
    try:
        before = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        before = ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}", "Mend the file, or move it away.") from error
    after = with_setting(before, section, key, value)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        part.write_text(after, encoding="utf-8")
        load_settings(part, {})
        part.replace(file)
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


def with_setting(text: str, section: str, key: str, value: str) -> str:
    """``text`` (TOML) with the key set: replaced where it stands, else added at the end of its section."""
    line = f"{key} = {_quoted(value)}"
    lines = text.splitlines()
    start = next((i for i, old in enumerate(lines) if (m := _SECTION.match(old)) and m["name"].strip() == section), None)
    if start is None:
        return "\n".join([*lines, *([""] if lines else []), f"[{section}]", line]) + "\n"
    end = next((i for i in range(start + 1, len(lines)) if _SECTION.match(lines[i])), len(lines))
    for i in range(start + 1, end):
        if re.match(rf"\s*{re.escape(key)}\s*=", lines[i]):
            return "\n".join([*lines[:i], line, *lines[i + 1 :]]) + "\n"
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], line, *lines[end:]]) + "\n"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in escaped) + '"'
