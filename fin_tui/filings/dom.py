"""HTML bytes -> a flat stream of events. The only module that imports selectolax.

The tree is walked with a loop, so depth costs nothing: a page nested ten thousand deep is as safe as a flat one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
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


Attributes = Mapping[str, str | None]


class Kind(IntEnum):
    """What an event of :func:`walk` is."""

    START = 0
    """An element opens: value is its lower-cased tag name."""
    TEXT = 1
    """A run of text: value is the text with entities resolved."""
    END = 2
    """An element closes: value is its tag name."""
    COMMENT = 3
    """A comment: value is its content."""


Event = tuple[Kind, str, Attributes]

_NONE: Attributes = {}
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_SKIPPED = frozenset(("script", "style", "title", "head", "noscript", "template", "textarea", "svg"))
_SELF_CLOSED = re.compile(r"<([A-Za-z][\w:.\-]*)((?:\s[^<>]*)?)/>")
_DECLARED = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?\s*([A-Za-z0-9_.:\-]+)""", re.IGNORECASE)
_ENVELOPE = re.compile(r"\s*(?:<html>\s*)?(?:<body>\s*)?<document>.{0,4000}?<text>", re.IGNORECASE | re.DOTALL)
_UTF_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode(raw: bytes) -> str:
    """``raw`` as text: by its byte order mark, as UTF-8, by the encoding it declares, else as Windows-1252.

    UTF-8 is tried before the declaration because a file that decodes as UTF-8 is UTF-8, whatever an old tool wrote on it.
    """
    for mark, name in _UTF_BOMS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(name, "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    declared = _DECLARED.search(raw[:2048])
    name = declared[1].decode("ascii").lower() if declared else "cp1252"
    try:
        known = codecs.lookup(name).name
    except LookupError:
        known = "cp1252"
    if known in ("utf-8", "ascii", "iso8859-1") or known.startswith(("utf-16", "utf-32")):
        known = "cp1252"
    try:
        return raw.decode(known, "replace")
    except (LookupError, UnicodeError, ValueError, TypeError):
        return raw.decode("cp1252", "replace")


def repair(markup: str) -> str:
    """``markup`` made safe for an HTML parser: the SGML envelope cut off and self-closed XHTML elements written out.

    An HTML parser reads ``<div/>`` and ``<ix:nonFraction .../>`` as open tags, which would swallow what follows.
    """
    envelope = _ENVELOPE.match(markup)
    if envelope:
        markup = markup[envelope.end() :]
    if "/>" not in markup:
        return markup
    return _SELF_CLOSED.sub(_write_out, markup)


def _write_out(match: re.Match[str]) -> str:
    tag = match[1]
    return match[0] if tag.lower() in _VOID else f"<{tag}{match[2]}></{tag}>"


def walk(markup: str) -> Iterator[Event]:
    """The events of the body of ``markup`` in reading order; scripts, style sheets and the head are left out.

    Raises ``BadFiling`` when the parser gives up on the markup, or would take very long over it.
    """
    refuse_explosive(markup)
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        root = LexborHTMLParser(markup).root
    except (SelectolaxError, ValueError, MemoryError) as error:
        raise BadFiling("The HTML can't be parsed.", "Check that the file is complete.") from error
    if root is None:
        return
    node = root
    depth = 0
    open_tags: list[str] = []
    while True:
        tag = node.tag or ""
        child = None
        if tag == "-text":
            yield Kind.TEXT, node.text_content or "", _NONE
        elif node.is_comment_node:
            yield Kind.COMMENT, node.comment_content or "", _NONE
        elif tag not in _SKIPPED:
            yield Kind.START, tag, node.attributes
            child = node.child
            if child is None:
                yield Kind.END, tag, _NONE
        if child is not None:
            open_tags.append(tag)
            depth += 1
            node = child
            continue
        following = node.next if depth else None
        while following is None:
            if not depth:
                return
            depth -= 1
            yield Kind.END, open_tags.pop(), _NONE
            parent = node.parent
            if parent is None or not depth:
                return
            node = parent
            following = node.next
        node = following
