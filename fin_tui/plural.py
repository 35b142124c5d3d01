"""Numbers of things, as people read them."""

from __future__ import annotations

from collections.abc import Iterable


def count(number: int, noun: str) -> str:
    """ "1 filing", "1,204 passages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


_RUN = 3


def fiscal_years(years: Iterable[int]) -> str:
    """Fiscal years for people, runs of three or more as one: "FY1993, FY2021-FY2024"."""
    runs: list[list[int]] = []
    for year in sorted(set(years)):
        if runs and runs[-1][-1] == year - 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    shown = [[f"FY{run[0]}-FY{run[-1]}"] if len(run) >= _RUN else [f"FY{year}" for year in run] for run in runs]
    return ", ".join(one for run in shown for one in run)
