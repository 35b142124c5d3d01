"""Which whole page a question wants, where it asks for no one figure or matter: read off its words but for company and period.

A linear map over the shared encoder's vector, trained on wordings of each page and on near ones that want none
(``training/pages.py``).
"""

from __future__ import annotations

from typing import Literal, cast

from fin_tui.engine.frame.linear import likeliest
from fin_tui.retrieval.shared_encoder import SharedEncoder

Page = Literal["", "business", "overview", "sources", "risks", "strength", "leader", "holdings", "market"]
"""What a company does; how it does; where its revenue comes from; its risks; its debts and the cash for them; who runs it; what
its directors and officers are paid and own; what only a market tells."""
ELSEWHERE: dict[Page, str] = {
    "holdings": "Pay and holdings of directors, officers and large owners usually stand in the proxy statement (DEF 14A); "
    "closest passages of the 10-K below.",
    "market": "A filing tells no market price of today, nor what is worked out from one; closest passages below.",
}
"""What is said over passages where a 10-K seldom holds the answer."""
NAME = "pages"
"""Of the weights."""
SURE = 0.5
"""Probability from which a page is wanted: of 200 questions by another author 130 reach it and are read rightly, of 110 near ones
that want none 2, of 679 that a paragraph answers 12.
"""


SURE_OF_FIGURE = 0.7
"""The same where a figure is surely asked for by itself: "revenue from rockets". Of 1,500 such questions one lies between the two
bounds, of 200 for a page 5.
"""


def page_of(encoder: SharedEncoder, words: str, *, asks_figure: bool = False) -> Page:
    """The page that ``words`` want; "" for none. Raises ``MissingAsset`` without the encoder's weights."""
    label, chance = likeliest(encoder, NAME, words)
    return cast(Page, label) if chance >= (SURE_OF_FIGURE if asks_figure else SURE) else ""
