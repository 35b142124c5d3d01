"""Writes the ticker symbols of large US companies that the package ships, from the public index lists of ``pytickersymbols``.

    python -m training.tickers

Old filings, text files and PDFs name no symbol, and people ask by it all the same.
"""

from __future__ import annotations

import csv
from pathlib import Path

from pytickersymbols import PyTickerSymbols

TARGET = Path(__file__).resolve().parent.parent / "fin_tui" / "engine" / "questions" / "us_tickers.tsv"
INDICES = ("S&P 500", "NASDAQ 100", "DOW JONES", "S&P 100")


def main() -> None:
    """Write name and symbol of each company once."""
    lists = PyTickerSymbols()
    known = {(one["name"], one["symbol"]) for index in INDICES for one in lists.get_stocks_by_index(index)}
    rows = sorted((name, symbol) for name, symbol in known if name and symbol and symbol.isalpha())
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    print(f"{len(rows)} companies: {TARGET.name}")


if __name__ == "__main__":
    main()
