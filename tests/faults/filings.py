"""The filings that the faults are tried on: small, each with words and figures of its own."""

from __future__ import annotations

import random
from pathlib import Path

from tests.edgar_server import MadeCompany, MadeFiling
from tests.unit.ingest.made import make_html

FETCHED_CIK = 5151
FETCHED_TICKER = "FTW"
_WORDS = "leases tariffs dividends inventory patents litigation pensions goodwill currency hedging zinc freight rebates".split()
_TABLE = """</p><p>CONSOLIDATED STATEMENTS OF OPERATIONS (In millions)</p><table>
<tr><td></td><td>{year}</td><td>{before}</td></tr>
<tr><td>Net sales</td><td>{sales:,}</td><td>{last:,}</td></tr>
<tr><td>Net income</td><td>{income:,}</td><td>{was:,}</td></tr></table><p>"""

QUERIES = ("dividends and patents", "outsourcing partners", "net sales", "litigation over freight", "factories in Springfield")


def filing(name: str, file_number: str, year: int) -> bytes:
    """A 10-K; the same arguments, the same bytes."""
    dice = random.Random(f"{name} {year}")
    topics = " ".join(f"Our {dice.choice(_WORDS)} changed with {dice.choice(_WORDS)} in {year}." for _ in range(24))
    table = _TABLE.format(
        year=year,
        before=year - 1,
        sales=dice.randint(1000, 9999),
        last=dice.randint(1000, 9999),
        income=dice.randint(10, 999),
        was=dice.randint(10, 999),
    )
    raw = make_html(name, year, extra=topics).replace(b"001-04242", file_number.encode())
    return raw.replace(b"The statements of operations follow.", table.encode())


def write_files(folder: Path, per_company: int = 6) -> tuple[Path, ...]:
    """Filings of two companies, on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, number in (("Example Widgets Inc.", "001-04242"), ("Halcyon Mills Inc", "001-07770")):
        for year in range(2024 - per_company, 2024):
            path = folder / f"{name.split()[1].lower()}-{year}.htm"
            path.write_bytes(filing(name, number, year))
            found.append(path)
    return tuple(found)


def listed_company(years: int = 5) -> MadeCompany:
    """A company for the stand-in of EDGAR."""
    name = "Faraway Tools Corp"
    filings = [
        MadeFiling(
            f"000000{FETCHED_CIK}-{year - 1999:02d}-000010",
            "10-K",
            f"{year + 1}-02-10",
            f"{year}-12-31",
            f"ftw-{year}1231.htm",
            filing(name, "001-05151", year),
        )
        for year in range(2023, 2023 - years, -1)
    ]
    return MadeCompany(FETCHED_CIK, name, (FETCHED_TICKER,), filings)
