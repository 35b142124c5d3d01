"""Why a number is right or wrong, in one line for people (pure)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from fin_tui.engine.evidence.compare import significant_digits
from fin_tui.engine.figures.as_text import period_of, show_figure
from fin_tui.facts.figures import show
from fin_tui.filings.cleaning import clean

if TYPE_CHECKING:
    from fin_tui.engine.checking.claims import Claim
    from fin_tui.engine.checking.readings import Reader, Reading
    from fin_tui.engine.questions.companies import Named

_LEAST_DIGITS = 3
"""Numbers of fewer digits agree by chance."""
_MANY_DIGITS = 5
_APART = Decimal("0.1")
_SCALES = tuple(Decimal(10) ** power for power in (3, -3, 6, -6, 9, -9, 1, -1, 2, -2))


def show_reading(reading: Reading) -> str:
    """ "Apple Inc. total net sales, FY2024 (year ended 2024-09-28): $391,035 million"."""
    figure = reading.figure
    if reading.how == "computed":
        value = show(reading.value, reading.unit, places=2 if reading.unit != "usd" else None)
        return f"{value}, computed from {figure.filing.company} {figure.label}, {period_of(figure)}: {show_figure(figure)}."
    value = show(reading.value, reading.unit) if reading.value != figure.value else show_figure(figure)
    how = f" ({reading.how})" if reading.how else ""
    return f"{figure.filing.company} {figure.label}, {period_of(figure)}: {value}{how}."


class Whys:
    """Reasons for one claim."""

    def __init__(self, claim: Claim, company: Named, reader: Reader) -> None:
        self._claim = claim
        self._company = company
        self._reader = reader

    def wrong(self, reading: Reading, stated: Decimal, year: int, other: Reading | None) -> str:
        """What a contradicted number is instead, where that can be seen: a sign, a scale, another year or company."""
        said = show_reading(reading)
        value = reading.value
        if self._same(-stated, reading):
            return f"The sign is wrong: {said}"
        if value and any(self._same(stated * scale, reading, scale) for scale in _SCALES):
            return f"The scale is wrong: {said}"
        year_found = self._other_year(year)
        if year_found is not None:
            return f"That is FY{year_found}'s figure. {said}"
        if other is not None:
            return f"That is {other.figure.filing.company}'s figure. {said}"
        if self._claim.direction and reading.how == "computed" and (stated < 0) != (value < 0) and value:
            return f"It {'rose' if value > 0 else 'fell'}: {said}"
        return f"The filing says otherwise: {said}"

    def is_others(self, other: Reading, nearest: Reading | None, year: int) -> str:
        """The number is another company's; this one's own is not held."""
        said = f"That is {other.figure.filing.company}'s FY{year} figure."
        return f"{said} The nearest held of {self._company.name}: {show_reading(nearest)}" if nearest else said

    def missing(self, year: int, nearest: Reading | None) -> str:
        """Why there is nothing to compare with."""
        covered = self._reader.years()
        if covered and year not in covered:
            years = ", ".join(f"FY{one}" for one in sorted(covered))
            return f"No filing held covers {self._company.name} FY{year} (covered: {years})."
        near = f" Nearest: {show_reading(nearest)}" if nearest is not None else ""
        return f"No {self._sought()} of {self._company.name} for FY{year} among the figures held.{near}"

    def _sought(self) -> str:
        """What the claim speaks of; words that are the text's own stand in quotes."""
        item = self._claim.item
        if item is None:
            return "such figure"
        return f"“{clean(item.label)}”" if item.phrase else item.label

    def is_distinct(self, nearest: Reading | None) -> bool:
        """Whether the number has enough digits not to be another's by chance, and is far from this company's own."""
        number = self._claim.number
        if nearest is None:
            return significant_digits(number.value) >= _MANY_DIGITS
        own = nearest.value
        apart = own == 0 or abs(abs(number.value) / abs(own) - 1) > _APART
        return significant_digits(number.value) >= _LEAST_DIGITS and apart

    def _other_year(self, year: int) -> int | None:
        from fin_tui.engine.checking.judge import matches, stated_value

        for other in self._reader.years():
            if other == year:
                continue
            for reading in self._reader.of(self._claim, other)[:1]:
                stated = stated_value(self._claim, reading)
                if stated is not None and matches(self._claim, reading, stated) == "same":
                    return other
        return None

    def _same(self, stated: Decimal, reading: Reading, scale: Decimal = Decimal(1)) -> bool:
        return abs(stated - reading.value) <= self._claim.number.accuracy * abs(scale)
