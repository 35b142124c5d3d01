"""What analysts write short, in the words it stands for: "op inc" is operating income, "divs" are dividends.

The table beside this file holds the trade's own abbreviations, and contractions typed without their apostrophe. The encoders know
words of filings, and few of these.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files

_APART = r"(?<![\w&.'’-])", r"(?![\w&'’-])(?!\.\w)"
"""Ends of a word: "op-ed" holds none."""
_PERIOD = r"(?:\.(?=\s+\S))?"
"""Of the abbreviation, not of a sentence: "adj. earnings"."""


def written_out(text: str, is_name: Callable[[str], bool] = lambda _: False) -> str:
    """``text`` with what it writes short written out, but for what ``is_name``, that of a company."""

    def whole(match: re.Match[str]) -> str:
        typed = match.group().removesuffix(".")
        is_short = typed in (typed.lower(), typed.upper()) or not match.start()  # The first word has a capital.
        return _words()[" ".join(typed.lower().split())] if is_short and not is_name(typed) else match.group()

    return _pattern().sub(whole, text)


@cache
def _words() -> dict[str, str]:
    held: dict[str, str] = tomllib.loads(files(__package__).joinpath("shorthand.toml").read_text(encoding="utf-8"))["words"]
    return held


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_words(), key=len, reverse=True)
    any_of = "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in longest_first)
    return re.compile(f"{_APART[0]}(?:{any_of}){_APART[1]}{_PERIOD}", re.IGNORECASE)
