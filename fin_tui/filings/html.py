"""HTML filings, with and without inline XBRL -> documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from fin_tui.errors import BadFiling
from fin_tui.filings.dom import decode, repair, walk
from fin_tui.filings.dom_bounds import MOST_TAGS
from fin_tui.filings.html_blocks import BlockWriter, body_size
from fin_tui.filings.html_flow import Flow
from fin_tui.filings.html_joins import join_pages
from fin_tui.filings.html_pages import split_pages, take_out_running
from fin_tui.filings.xbrl_cover import cover
from fin_tui.filings.xbrl_footnotes import with_fact_footnotes
from fin_tui.records import Document

_WORD = re.compile(r"[^\W\d_]+|\d+")
_FEWEST_WORDS = 1
_LOW_COVERAGE = 0.97
_BINARY = 0.02
"""Share of control bytes from which a file is no text."""
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f")


def read_html(raw: bytes) -> Document:
    """The document in the bytes of one HTML file: clean text, blocks with pages, tagged facts and the DEI cover.

    Raises ``BadFiling`` when the bytes are empty, binary, or hold no visible text.
    """
    if not raw.strip():
        raise BadFiling("The file is empty.", "Download it again.")
    if _is_binary(raw[:65536]):
        raise BadFiling("The file is binary, not HTML.", "Add the .htm document of the filing.")
    if raw.count(b"<") > MOST_TAGS:
        raise BadFiling(f"The HTML has more than {MOST_TAGS:,} tags.", "No 10-K is that large: check the file.")
    flow = Flow()
    flow.read(walk(repair(decode(raw))))
    pages = split_pages(flow.pieces)
    taken = take_out_running(pages)
    pieces = join_pages(pages, taken)
    writer = BlockWriter(flow.facts, body_size(pieces))
    writer.write(pieces)
    text = writer.builder.text
    if len(_WORD.findall(text[:1000])) < _FEWEST_WORDS:
        raise BadFiling("The HTML holds no visible text.", "Check that the file is complete.")
    facts = flow.facts.facts(writer.places)
    share = coverage("".join(flow.seen), text, (piece.text for piece in taken))
    return Document(
        format="ixbrl" if facts else "html",
        text=text,
        blocks=with_fact_footnotes(writer.builder.blocks, facts, flow.facts.footnotes),
        pages=len(pages),
        cover=cover(facts, [tagged.format for tagged in flow.facts.tagged]),
        facts=facts,
        coverage=share,
        warnings=(f"Only {share:.1%} of the visible words were read.",) if share < _LOW_COVERAGE else (),
    )


def _is_binary(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > _BINARY * len(head)


def coverage(visible: str, text: str, taken: Iterable[str]) -> float:
    """Share of the words of ``visible``, apart from those in ``taken``, that stand in ``text``, each as often as it does."""
    wanted = Counter(_WORD.findall(visible))
    for piece in taken:
        wanted.subtract(_WORD.findall(piece))
    wanted = +wanted
    total = wanted.total()
    return 1.0 if not total else 1.0 - (wanted - Counter(_WORD.findall(text))).total() / total
