"""From an accession number alone to the filing: its first digits may be the company's own number, else the indexes tell.

Who files with an agent has the agent's number there. The index of a quarter names the filer of each filing.
"""

from __future__ import annotations

import datetime as dt
import re

from fin_tui.filings.edgar.client import Client
from fin_tui.filings.edgar.errors import NotAtEdgar
from fin_tui.filings.edgar.listed import Listed
from fin_tui.filings.edgar.submissions import pages
from fin_tui.filings.edgar.transfer import Broken, TooLarge, unpacked

_INDEX_BYTES = 256 << 20
_GZIP = b"\x1f\x8b"
_CENTURY_TURN = 90


def find_accession(client: Client, accession: str, cik: str = "") -> Listed:
    """The filing; ``cik`` is tried first. Raises ``NotAtEdgar`` when no index has it as an annual report."""
    tried = []
    for number in dict.fromkeys(filter(None, (cik, accession[:10]))):
        if found := _of_company(client, accession, number):
            return found
        tried.append(number)
    number = _from_indexes(client, accession)
    if number and number not in tried and (found := _of_company(client, accession, number)):
        return found
    raise NotAtEdgar(f"EDGAR has no annual report {accession}.", "Check the number, or give the company too.")


def _of_company(client: Client, accession: str, cik: str) -> Listed | None:
    around = dt.date(_year(accession), 1, 1)
    try:
        for page in pages(client, cik, around, around.replace(year=around.year + 1, month=6)):
            for listed in page.listed:
                if listed.accession == accession:
                    return listed
    except NotAtEdgar:
        return None
    return None


def _from_indexes(client: Client, accession: str) -> str:
    """The filer's number, ten digits; "" when no index of that year or of the next quarter names the filing."""
    year = _year(accession)
    for at_year, quarter in ((year, 1), (year, 2), (year, 3), (year, 4), (year + 1, 1)):
        try:
            number = client.read(client.addresses.quarter(at_year, quarter), lambda raw: _filer(raw, accession))
        except NotAtEdgar:
            continue
        if number:
            return number
    return ""


def _filer(raw: bytes, accession: str) -> str:
    """The number in the line ``CIK|company|form|date|edgar/data/CIK/ACCESSION.txt``."""
    try:
        index = unpacked(raw, _INDEX_BYTES) if raw[:2] == _GZIP else raw
    except TooLarge:
        raise Broken("its index has no end") from None
    if b"|" not in index:
        raise Broken("it answered with something else than an index")
    found = re.search(rb"^(\d{1,10})\|[^\n]*/" + accession.encode() + rb"\.txt[ \t\r]*$", index, re.M)
    return found[1].decode().zfill(10) if found else ""


def _year(accession: str) -> int:
    two = int(accession[11:13])
    return 1900 + two if two >= _CENTURY_TURN else 2000 + two
