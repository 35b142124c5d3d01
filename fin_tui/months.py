"""The months, as filings and questions write them."""

from __future__ import annotations

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
STARTS = tuple(name[:3] for name in MONTHS)
"""Three letters tell a month: "jan", "feb", …"""
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""A pattern for the name of a month and for its usual abbreviations, in lower case, without a dot."""
MONTH_LIKE = rf"(?:{'|'.join(STARTS)})[a-z]*"
"""A pattern for every word that begins as a month does: also one that is misspelt, hyphenated or cut."""


def month_number(name: str) -> int:
    """1 to 12 of a name or an abbreviation. Raises ``ValueError`` for what begins like none."""
    return STARTS.index(name[:3].lower()) + 1
