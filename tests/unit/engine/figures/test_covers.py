"""Figures that covers state in words."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from fin_tui.engine.figures.covers import market_value, shares_outstanding
from fin_tui.engine.figures.prose import WithProse
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure
from tests.unit.engine.figures.book import Book
from tests.unit.engine.figures.test_prose import OWN, Prose

PLAIN = (
    "The aggregate market value of voting stock held by non-affiliates of the registrant is $6,796,294 as of March 1, 2002. "
    "The registrant had 950,818 shares of common stock outstanding as of March 28, 2002."
)
SCALED = (
    "At June 30, 2008, the aggregate market value of common stock held by non-affiliates was about $77.5 billion, based on "
    "a closing price of $23.75. At January 31, 2009, 4,237,777,218 shares of common stock were outstanding."
)
BY_CLASS = (
    "As of November 30, 2005, the aggregate market value of the Registrant’s Class A Common Stock held by nonaffiliates was "
    "$488,000 and the aggregate market value of the Registrant’s Class B Common Stock held by nonaffiliates was $16,212,000. "
    "As of July 25, 2006, the number of shares of the Registrant’s Class A Common Stock outstanding was 63,906,694, the number "
    "of shares of the Registrant’s Class B Common Stock outstanding was 191,491,507."
)
OUTSIDERS = (
    "As of June 30, 2003, there were 800,099 common shares outstanding held by nonaffiliates of the registrant, the aggregate "
    "market value of the common shares was approximately $27.5 million. 1,801,244 shares of common stock were outstanding as of "
    "January 31, 2004."
)
AFTER = (
    "State the aggregate market value of the common equity held by non-affiliates as of the last business day of the second "
    "quarter. Common Stock, $0.01 par value - $24,667,400 as of June 30, 2021."
)


@pytest.mark.parametrize(
    ("text", "value", "day"),
    [
        (PLAIN, "6796294", dt.date(2002, 3, 1)),
        (SCALED, "77.5e9", dt.date(2008, 6, 30)),
        (BY_CLASS, "16700000", dt.date(2005, 11, 30)),
        (OUTSIDERS, "27.5e6", dt.date(2003, 6, 30)),
        (AFTER, "24667400", dt.date(2021, 6, 30)),
    ],
)
def test_the_market_value_that_outsiders_hold(text: str, value: str, day: dt.date) -> None:
    found = market_value(text)
    assert found is not None
    assert (found.value, found.day) == (Decimal(value), day)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (PLAIN, "950818"),
        (SCALED, "4237777218"),
        (BY_CLASS, "255398201"),
        (OUTSIDERS, "1801244"),
        ("6,544 million shares of common stock outstanding as of February 21, 2003", "6544e6"),
        ("There were 853,832,790 shares of common stock with a par value of $0.63 outstanding at March 5, 1994.", "853832790"),
    ],
)
def test_the_shares_outstanding(text: str, value: str) -> None:
    found = shares_outstanding(text)
    assert found is not None
    assert found.value == Decimal(value)


@pytest.mark.parametrize("text", ["", "We repurchased 5,000,000 shares.", "Notes of $5,000,000 were outstanding."])
def test_other_words_state_neither(text: str) -> None:
    assert market_value(text) is None
    assert shares_outstanding(text) is None


def test_a_cover_answers_where_no_tag_does() -> None:
    metric = vocabulary().get("public_float")
    assert metric is not None
    found = WithProse(Book({}), Prose(PLAIN)).figure(metric, [OWN], OWN.fiscal_year or 0)
    assert isinstance(found, Figure)
    assert (found.value, found.note) == (Decimal(6_796_294), "as the cover states it")
