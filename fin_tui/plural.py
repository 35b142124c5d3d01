"""Numbers of things, as people read them."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """ "1 filing", "1,204 passages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
