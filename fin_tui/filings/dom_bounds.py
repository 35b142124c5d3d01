"""Markup that makes an HTML parser run away, told before the parser sees it.

By the HTML standard a parser looks through all open elements at every new block, and opens all unclosed emphasis again in every
new paragraph: depth and unclosed emphasis multiply with what follows, so that a megabyte can cost minutes and gigabytes.
"""

from __future__ import annotations

import re
from itertools import accumulate

from fin_tui.errors import BadFiling

MOST_TAGS = 6_000_000
"""The largest bank filings have below a million; the tree takes about 100 bytes a tag."""
_DEEPEST = 12_000
_SAME_KEPT = 3
"""So many unclosed tags of the same spelling are opened again, no more."""
_EMPHASIS = re.compile(r"<(/?)((?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s>/])[^>]{0,200})", re.I)
_SELF_CLOSING = "p li td tr th dt dd tbody thead tfoot option br hr img input col meta link"
_NESTING = re.compile(rf"<(/?)(?!/|(?:{'|'.join(_SELF_CLOSING.split())})\b)(?=[a-z])", re.I)
_HINT = "No 10-K is written like that: check the file."


def refuse_explosive(markup: str) -> None:
    """Raise ``BadFiling`` for markup that nests too deeply, or whose unclosed emphasis would be repeated millions of times.

    Elements that close by themselves (paragraphs, cells, list items) count for no depth.
    """
    if markup.count("<") > _DEEPEST and _highest(_NESTING.findall(markup)) > _DEEPEST:
        raise BadFiling(f"The HTML is nested more than {_DEEPEST:,} elements deep.", _HINT)
    emphasis: list[tuple[str, str]] = _EMPHASIS.findall(markup)
    unclosed = _highest([slash for slash, _ in emphasis])
    if unclosed <= _SAME_KEPT:
        return
    spellings = len({name for slash, name in emphasis if not slash})
    again = min(unclosed, _SAME_KEPT * spellings) * (markup.count("<") - len(emphasis))
    if again > MOST_TAGS:
        raise BadFiling(f"The HTML leaves {unclosed:,} tags of emphasis open, which would be repeated {again:,} times.", _HINT)


def _highest(slashes: list[str]) -> int:
    """How many are open at once, of tags told by "" (opens) and "/" (closes)."""
    return max(accumulate(-1 if slash else 1 for slash in slashes), default=0)
