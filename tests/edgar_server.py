"""A stand-in for EDGAR on loopback: its lists, its archive, its indexes, and everything that goes wrong with them.

The shapes are EDGAR's own: ``company_tickers_exchange.json`` (columns and rows), ``CIK##########.json`` with its older lists,
``master.gz``, documents and full submissions under ``/Archives/edgar/data``. The companies and filings are made up.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fin_tui.config import Edgar
from tests.edgar_trouble import Answer, status

MODIFIED = 1_700_000_000


@dataclass
class MadeFiling:
    """A filing as the stand-in lists and serves it."""

    accession: str
    form: str
    filed: str
    period: str
    document: str
    body: bytes = field(repr=False)
    submission: bytes = field(default=b"", repr=False)

    @property
    def size(self) -> int:
        return len(self.submission or self.body)


@dataclass
class MadeCompany:
    """A company with its filings, newest first; those from ``recent`` on stand in an older list."""

    cik: int
    name: str
    tickers: tuple[str, ...]
    filings: list[MadeFiling]
    recent: int = 1000

    @property
    def ten_digits(self) -> str:
        return str(self.cik).zfill(10)

    def columns(self, filings: Sequence[MadeFiling]) -> dict[str, Any]:
        """A list of filings, as columns; each annual report has a quarterly one beside it."""
        noise = ("0000000009-24-000001", "10-Q", "2024-05-01", "2024-03-31", "q1.htm", 5)
        rows = [noise, *((f.accession, f.form, f.filed, f.period, f.document, f.size) for f in filings)]
        names = ("accessionNumber", "form", "filingDate", "reportDate", "primaryDocument", "size")
        columns: dict[str, Any] = {name: [row[n] for row in rows] for n, name in enumerate(names)}
        return columns | {"isInlineXBRL": [1] * len(rows), "items": [""] * len(rows), "act": ["34"] * len(rows)}

    def submissions(self) -> dict[str, Any]:
        """``CIK##########.json``."""
        older = self.filings[self.recent :]
        files = []
        if older:
            dates = sorted(filing.filed for filing in older)
            files = [{"name": self.older_name, "filingCount": len(older), "filingFrom": dates[0], "filingTo": dates[-1]}]
        return {
            "cik": str(self.cik),
            "entityType": "operating",
            "name": self.name,
            "tickers": list(self.tickers),
            "exchanges": ["Nasdaq"],
            "filings": {"recent": self.columns(self.filings[: self.recent]), "files": files},
        }

    @property
    def older_name(self) -> str:
        return f"CIK{self.ten_digits}-submissions-001.json"


def submission_text(accession: str, form: str, filed: str, period: str, cik: int, name: str, *parts: tuple[str, bytes]) -> bytes:
    """A full submission of ``parts`` (type, body)."""
    head = f"""<SEC-DOCUMENT>{accession}.txt : {filed.replace("-", "")}
<SEC-HEADER>{accession}.hdr.sgml : {filed.replace("-", "")}
ACCESSION NUMBER:\t\t{accession}
CONFORMED SUBMISSION TYPE:\t{form}
CONFORMED PERIOD OF REPORT:\t{period.replace("-", "")}
FILED AS OF DATE:\t\t{filed.replace("-", "")}

FILER:

\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\t{name.upper()}
\t\tCENTRAL INDEX KEY:\t\t\t{cik:010d}
</SEC-HEADER>
""".encode()
    body = b"".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{n}\n<FILENAME>d{n}.htm\n<TEXT>\n".encode() + raw + b"\n</TEXT>\n</DOCUMENT>\n"
        for n, (kind, raw) in enumerate(parts, 1)
    )
    return head + body + b"</SEC-DOCUMENT>\n"


class EdgarServer(ThreadingHTTPServer):
    """Serves ``companies``; ``trouble`` maps a part of a path to the answers that come instead, one a request."""

    daemon_threads = True

    def __init__(self, companies: Sequence[MadeCompany]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.companies = list(companies)
        self.trouble: dict[str, list[Answer]] = defaultdict(list)
        self.requests: list[str] = []
        self.agents: set[str] = set()
        self.ranges: list[str] = []
        self.times: list[float] = []
        self.stopping = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def settings(self, **changed: Any) -> Edgar:
        """Settings that point here."""
        values: dict[str, Any] = {"name": "A Test", "email": "test@example.org", "archives": self.address, "data": self.address}
        return Edgar(**(values | {"timeout_s": 1} | changed))

    def asked(self, part: str) -> int:
        """How many requests had ``part`` in their path."""
        return sum(part in path for path in self.requests)

    def body(self, path: str) -> bytes | None:
        """What EDGAR would have at ``path``."""
        if path == "/files/company_tickers_exchange.json":
            rows = [[c.cik, c.name, ticker, "Nasdaq"] for c in self.companies for ticker in c.tickers]
            return json.dumps({"fields": ["cik", "name", "ticker", "exchange"], "data": rows}).encode()
        for company in self.companies:
            if path == f"/submissions/CIK{company.ten_digits}.json":
                return json.dumps(company.submissions()).encode()
            if path == f"/submissions/{company.older_name}":
                return json.dumps(company.columns(company.filings[company.recent :])).encode()
            for filing in company.filings:
                folder = f"/Archives/edgar/data/{company.cik}/{filing.accession.replace('-', '')}"
                if path == f"{folder}/{filing.document}" and filing.document:
                    return filing.body
                if path == f"{folder}/{filing.accession}.txt":
                    return filing.submission or None
        if match := re.fullmatch(r"/Archives/edgar/full-index/(\d{4})/QTR(\d)/master\.gz", path):
            return self._index(int(match[1]), int(match[2]))
        return None

    def _index(self, year: int, quarter: int) -> bytes:
        lines = [
            "Description:           Master Index of EDGAR Dissemination Feed",
            "",
            "CIK|Company Name|Form Type|Date Filed|Filename",
        ]
        for company in self.companies:
            for f in company.filings:
                if (int(f.filed[:4]), (int(f.filed[5:7]) + 2) // 3) == (year, quarter):
                    lines.append(f"{company.cik}|{company.name}|{f.form}|{f.filed}|edgar/data/{company.cik}/{f.accession}.txt")
        return gzip.compress("\n".join(lines).encode())


class Handler(BaseHTTPRequestHandler):
    """Plain answers, byte ranges, gzip where it is taken."""

    server: EdgarServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server
        server.requests.append(self.path)
        server.times.append(time.monotonic())
        server.agents.add(self.headers.get("user-agent", ""))
        body = server.body(self.path)
        for part, answers in server.trouble.items():
            if part in self.path and answers:
                answers.pop(0)(self, body or b"")
                return
        if body is None:
            status(404)(self, b"")
            return
        self.whole(body)

    def whole(self, body: bytes) -> None:
        """All of it, or the range that is asked for."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("range", ""))
        fits = self.headers.get("if-range", "") in ("", formatdate(MODIFIED, usegmt=True))
        if asked and fits:
            self.server.ranges.append(asked[0])
            start = int(asked[1])
            if start >= len(body):
                self.send(416, b"", {"Content-Range": f"bytes */{len(body)}"})
                return
            self.send(206, body[start:], {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"})
            return
        if "gzip" in self.headers.get("accept-encoding", "") and self.path.endswith((".json", ".htm", ".txt")):
            self.send(200, gzip.compress(body), {"Content-Encoding": "gzip"})
            return
        self.send(200, body, {})

    def send(self, code: int, body: bytes, extra: dict[str, str], length: int | None = None) -> None:
        """Head and body; ``length`` lies about the size."""
        self.send_response(code)
        for name, value in {"Last-Modified": formatdate(MODIFIED, usegmt=True), **extra}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


class _Quiet(EdgarServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client goes away in the middle: that is what is tested."""


@contextmanager
def edgar(*companies: MadeCompany) -> Iterator[EdgarServer]:
    """The stand-in, serving."""
    server = _Quiet(companies)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
