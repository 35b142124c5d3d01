"""EDGAR: which filings a company has made, and their files. Nothing here stores or reads a filing.

This file owns sec_edgar_downloader: its addresses, its headers, its limit of requests per second. Its ``Downloader`` is not used:
its constructor goes online, its requests have no timeout and no bound, its list of forms lacks 10-K405, and it prints its errors.
What it knows of EDGAR is used, behind functions of our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fin_tui.config import Edgar
from fin_tui.errors import UsageError

_TURN_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where EDGAR's files are; a mirror may stand in for its two hosts."""

    archives: str
    data: str

    @classmethod
    def of(cls, settings: Edgar) -> Addresses:
        """Raises ``UsageError`` for an address that is no http address."""
        for address in (settings.archives, settings.data):
            if not address.startswith(("https://", "http://")):
                raise UsageError(f"{address!r} is no address of a server", "Write edgar.archives and edgar.data as https://HOST.")
        return cls(settings.archives.rstrip("/"), settings.data.rstrip("/"))

    def tickers(self) -> str:
        """The list of companies that have a ticker."""
        from sec_edgar_downloader import _constants as known

        return self._here(known.URL_CIK_MAPPING)

    def submissions(self, name: str) -> str:
        """A list of filings: ``CIK##########.json`` or one of the older lists that it names."""
        from sec_edgar_downloader import _constants as known

        return self._here(known.URL_SUBMISSIONS.format(submission=name))

    def document(self, cik: str, accession: str, name: str) -> str:
        """The document ``name`` of a filing."""
        from sec_edgar_downloader._orchestrator import get_to_download

        address: str = get_to_download(cik, accession, name).primary_doc_uri
        return self._here(address)

    def submission(self, cik: str, accession: str) -> str:
        """The full submission: header and all documents in one text."""
        from sec_edgar_downloader._orchestrator import get_to_download

        address: str = get_to_download(cik, accession, "").raw_filing_uri
        return self._here(address)

    def quarter(self, year: int, quarter: int) -> str:
        """The index of all filings of a quarter, compressed."""
        return f"{self.archives}/Archives/edgar/full-index/{year}/QTR{quarter}/master.gz"

    def _here(self, address: str) -> str:
        from sec_edgar_downloader import _constants as known

        for host, own in ((known.HOST_WWW_SEC, self.archives), (known.HOST_DATA_SEC, self.data)):
            if address.startswith(f"https://{host}/"):
                return own + address.removeprefix(f"https://{host}")
        raise AssertionError(f"an address of another host: {address}")


def user_agent(name: str, email: str) -> str:
    """Who asks, in the form that the SEC wants."""
    return f"{name} {email}"


def headers(agent: str) -> Mapping[str, str]:
    """What every request carries."""
    from sec_edgar_downloader import _constants as known

    return {**known.STANDARD_HEADERS, "Accept-Encoding": "gzip", "User-Agent": agent}


def wait_turn(cancelled: Callable[[], bool]) -> bool:
    """Wait until one more request keeps within the SEC's ten a second; False when ``cancelled`` came first."""
    from sec_edgar_downloader._sec_gateway import limiter

    while not cancelled():
        if limiter.try_acquire("sec_global_rate_limit", timeout=_TURN_SECONDS):
            return True
    return False
