"""Companies and filings for the stand-in: one with a long history, one whose statements stand in an Exhibit 13."""

from __future__ import annotations

from collections.abc import Callable

from fin_tui.config import Edgar
from fin_tui.filings.edgar.client import Client, Contact
from tests.edgar_server import MadeCompany, MadeFiling, submission_text
from tests.unit.ingest.made import make_html

WIDGETS = 4242
MILLS = 777


def widgets() -> MadeCompany:
    """Six years of annual reports, one amended; the oldest is a text submission under 10-K405 in the older list."""
    name = "Example Widgets Inc."
    filings = [
        _html(f"0000004242-{year - 1999:02d}-000010", "10-K", f"{year + 1}-02-10", year, name) for year in range(2024, 2019, -1)
    ]
    filings.insert(1, _html("0000004242-24-000033", "10-K/A", "2024-05-01", 2023, name))
    accession = "0000950000-99-000055"
    text = make_html(name, 1998, "10-K405")
    whole = submission_text(accession, "10-K405", "1999-03-01", "1998-12-31", WIDGETS, name, ("10-K405", text))
    filings.append(MadeFiling(accession, "10-K405", "1999-03-01", "1998-12-31", "", b"", whole))
    return MadeCompany(WIDGETS, name, ("EXW", "EXW-P"), filings, recent=4)


def mills(*, with_exhibit: bool = True) -> MadeCompany:
    """Its 10-K refers to the annual report to shareholders, which is an exhibit (or is filed elsewhere)."""
    name = "Halcyon Mills Inc"
    extra = "Portions of the annual report to shareholders (Exhibit 13) are incorporated by reference."
    filing = _html("0000000777-24-000001", "10-K", "2024-03-01", 2023, name, extra)
    report = b"<html><body><p>Consolidated balance sheets of the mills stand in this exhibit.</p></body></html>"
    parts = [("10-K", filing.body), *([("EX-13", report)] if with_exhibit else []), ("GRAPHIC", b"begin 644 x.jpg")]
    filing.submission = submission_text(filing.accession, "10-K", "2024-03-01", "2023-12-31", MILLS, name, *parts)
    return MadeCompany(MILLS, name, ("HMI",), [filing])


def _html(accession: str, form: str, filed: str, year: int, name: str, extra: str = "") -> MadeFiling:
    return MadeFiling(accession, form, filed, f"{year}-12-31", f"made-{year}1231.htm", make_html(name, year, form, extra))


def client(settings: Edgar, cancelled: Callable[[], bool] = lambda: False) -> Client:
    """A client that hardly pauses."""
    return Client(settings, Contact("A Test", "test@example.org"), cancelled, first_pause=0.01)
