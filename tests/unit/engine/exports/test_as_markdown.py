"""Text can't become markup, and nothing is escaped that needs no escape."""

from __future__ import annotations

import pytest

from fin_tui.engine.exports.as_markdown import markdown
from fin_tui.engine.exports.page import Page, Part, Run


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10.4 points above", "10.4 points above"),
        ("-5.0% and ~5%", "-5.0% and ~5%"),
        ("us-gaap:Net_Income", "us-gaap:Net_Income"),
        ("$(18.36), a < b, p. 3]", "$(18.36), a < b, p. 3]"),
        ("1. item", "1\\. item"),
        ("- item", "\\- item"),
        ("# head", "\\# head"),
        ("> quote", "\\> quote"),
        ("---", "\\---"),
        ("_low_ and *bold*", "\\_low\\_ and \\*bold\\*"),
        ("~~gone~~ <b>x</b>", "\\~\\~gone\\~\\~ \\<b>x\\</b>"),
        ("[x](y) `z` a|b", "\\[x](y) \\`z\\` a\\|b"),
    ],
)
def test_only_markup_is_escaped(text: str, written: str) -> None:
    page = Page("Notebook", (Part("answer", "Who?", (Run(text),)),), (), {})
    assert markdown(page).split("\n\n")[2].strip() == written
